// Replay of the mesh with all links against broken schedules, and its check of certificates.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "base/random.hpp"
#include "full.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/list_proof.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/mesh_cases.hpp"

namespace faro {
namespace {

// A line of four: 0 and 1 exchange, 2 and 3 exchange. Element 0 waits in slot 1 on its way.
struct Case {
  ScheduleHeader header;
  std::vector<CubeStep> steps;

  Case() {
    header.machine = Mesh{.sides_log2 = {0, 2}, .links = Mesh::Links::all};
    header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 1)};
    header.slots = 2;
    header.bound =
        Bound{1, "weights", certificate::Weights{{{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}}}};
    steps.resize(2);
    steps[0].moves = {{0, 0, 1, 1}, {1, 0, 0, 0}, {2, 0, 3, 0}, {3, 0, 2, 0}};
    steps[1].moves = {{1, 1, 1, 0}};
  }
};

Verdict judged(const Case& c, const std::unique_ptr<Verifier>& by) {
  by->begin(c.header);
  for (const CubeStep& step : c.steps) by->step(step);
  by->finish();
  return by->verdict();
}
// By replay, with which proof agrees.
Verdict judged(const Case& c) {
  const Verdict replayed = judged(c, cube_replay());
  const Verdict proved = judged(c, list_proof());
  EXPECT_EQ(replayed.answer, proved.answer);
  EXPECT_EQ(replayed.cost, proved.cost);
  std::set<std::string> rules;
  for (const Violation& v : replayed.violations) rules.insert(v.rule);
  for (const Violation& v : proved.violations)
    EXPECT_TRUE(rules.contains(v.rule)) << v.rule << ": " << v.message;
  return replayed;
}

TEST(LinksReplay, two_exchanges_on_a_line_of_four_take_one_step) {
  const Verdict verdict = judged(Case());
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.cost, (Cost{.steps = 1, .remote_moves = 4}));
}

TEST(LinksReplay, each_rule_has_a_schedule_that_only_it_catches) {
  const auto expect_only = [](const std::string& rule, auto change) {
    Case c;
    change(c);
    const Verdict verdict = judged(c);
    EXPECT_EQ(verdict.answer, Verdict::Answer::no) << rule;
    for (const Violation& v : verdict.violations) EXPECT_EQ(v.rule, rule) << v.message;
  };
  expect_only("machine",
              [](Case& c) { std::get<Mesh>(c.header.machine).wrap = Mesh::Wrap::propagating; });
  expect_only("rules", [](Case& c) { c.steps[0].rules.push_back({{}, 0, 0, 0}); });
  expect_only("goal", [](Case& c) { c.header.goal = MovesGoal{{{0, 0, 1, 0}, {0, 0, 1, 0}}}; });
  // Harmless beside the others: what they carry is not wanted.
  const auto add = [](Case& c, Move m) { c.steps[0].moves.push_back(m); };
  expect_only("proc-range", [&](Case& c) { add(c, {9, 0, 0, 1}); });
  expect_only("slot-range", [&](Case& c) { add(c, {0, 2, 0, 1}); });
  expect_only("not-a-link", [&](Case& c) { add(c, {0, 0, 2, 1}); });
  expect_only("link-twice", [&](Case& c) { add(c, {1, 0, 0, 1}); });
  expect_only("reads-empty", [&](Case& c) { add(c, {2, 1, 2, 1}); });
  expect_only("two-writes", [&](Case& c) {
    add(c, {2, 0, 2, 1});
    add(c, {2, 0, 2, 1});
  });
  expect_only("not-delivered", [](Case& c) { c.steps.pop_back(); });
  expect_only("cost-claim", [](Case& c) { c.header.cost = CostClaim(Cost{.steps = 2}); });
  expect_only("bound-claim", [](Case& c) { c.header.bound = Bound{2, "wishful", {}}; });
  expect_only("bound-claim", [](Case& c) {
    std::get<certificate::Weights>(c.header.bound->certificate).links.push_back({0, 3, 1});
  });
  expect_only("bound-claim", [](Case& c) {
    c.header.bound->certificate = certificate::Weights{{{1, 2, 1}}};
  });
  // A slot fewer: the element that waits has no place.
  Case c;
  c.header.slots = 1;
  EXPECT_EQ(judged(c).violations.front().rule, "slot-range");
  c.header.elements = 2;
  EXPECT_EQ(judged(c).violations.front().rule, "machine");
}

TEST(LinksReplay, a_ring_has_the_link_that_a_line_has_not) {
  Case c;
  c.header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 3)};
  c.header.bound.reset();
  c.steps[0].moves = {{0, 0, 3, 1}, {3, 0, 0, 1}, {1, 0, 2, 1}, {2, 0, 1, 1}};
  c.steps[1].moves = {{0, 1, 0, 0}, {1, 1, 1, 0}, {2, 1, 2, 0}, {3, 1, 3, 0}};
  EXPECT_EQ(judged(c).violations.front().rule, "not-a-link");
  std::get<Mesh>(c.header.machine).wrap = Mesh::Wrap::orthogonal;
  EXPECT_TRUE(judged(c).ok());
}

// On a side of two the ring's link is the line's.
TEST(LinksReplay, a_wrapped_side_of_two_has_one_link_each_way) {
  ScheduleHeader header;
  header.machine =
      Mesh{.sides_log2 = {1}, .wrap = Mesh::Wrap::orthogonal, .links = Mesh::Links::all};
  header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1}, 1)};
  header.elements = 2;
  header.slots = 2;
  CubeStep step;
  step.moves = {{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 1, 1}, {1, 1, 0, 1}};
  for (const auto& verifier : {cube_replay(), list_proof()}) {
    verifier->begin(header);
    verifier->step(step);
    verifier->finish();
    EXPECT_EQ(verifier->verdict().violations.front().rule, "link-twice");
  }
}

// Random legal traffic with copies and refilled slots, with what it reaches as the goal, and the
// same with one thing changed.
TEST(LinksProof, and_replay_agree_on_random_traffic_and_its_mutants) {
  Random random(17);
  int right = 0;
  const int rounds = testing::full_run() ? 40'000 : 4000;
  for (int round = 0; round < rounds; ++round) {
    Case c;
    c.header.bound.reset();
    const auto wrap = random.below(2) == 0 ? Mesh::Wrap::none : Mesh::Wrap::orthogonal;
    const Mesh mesh{.sides_log2 = {static_cast<int>(random.below(3)), 2},
                    .wrap = wrap,
                    .links = Mesh::Links::all};
    const MeshGeometry geometry(mesh);
    c.header.machine = mesh;
    c.header.elements = 1 + random.below(2);
    c.header.slots = c.header.elements + 1;
    // What each place holds: where that began.
    std::map<std::pair<Word, Slot>, std::pair<Word, Slot>> held;
    for (Word p = 0; p < geometry.processors(); ++p)
      for (Slot s = 0; s < c.header.elements; ++s) held[{p, s}] = {p, s};
    c.steps.assign(1 + random.below(5), {});
    for (CubeStep& step : c.steps) {
      auto after = held;
      std::set<std::pair<Word, Word>> links;
      std::set<std::pair<Word, Slot>> written;
      for (int i = 0; i < 12; ++i) {
        const Word p = random.below(geometry.processors());
        const std::vector<Word> near = geometry.neighbours(p);
        const Word q = near.empty() || random.below(4) == 0 ? p : near[random.below(near.size())];
        const auto from = static_cast<Slot>(random.below(c.header.slots));
        const auto to = static_cast<Slot>(random.below(c.header.slots));
        if (!held.contains({p, from}) || written.contains({q, to})) continue;
        if (p != q && !links.insert({p, q}).second) continue;
        written.insert({q, to});
        step.moves.push_back({p, from, q, to});
        after[{q, to}] = held[{p, from}];
      }
      held = after;
    }
    std::map<std::pair<Word, Slot>, std::pair<Word, Slot>> ends;
    for (const auto& [place, start] : held) ends[start] = place;
    MovesGoal goal;
    for (const auto& [start, place] : ends)
      goal.moves.push_back({start.first, start.second, place.first, place.second});
    c.header.goal = goal;
    ASSERT_TRUE(judged(c).ok());
    CubeStep& step = c.steps[random.below(c.steps.size())];
    if (step.moves.empty()) continue;
    Move& m = step.moves[random.below(step.moves.size())];
    switch (random.below(4)) {
      case 0:
        m.from_slot = static_cast<Slot>(random.below(c.header.slots + 1));
        break;
      case 1:
        m.to_slot = static_cast<Slot>(random.below(c.header.slots + 1));
        break;
      case 2:
        m.to_processor = random.below(geometry.processors() + 1);
        break;
      default:
        std::swap(m, step.moves.back());
        step.moves.pop_back();
    }
    right += judged(c).ok();
  }
  EXPECT_GT(right, rounds / 50);
  EXPECT_LT(right, rounds - rounds / 4);
}

TEST(LinksProof, says_how_large_a_machine_it_follows) {
  Case c;
  c.header.machine = Mesh{.sides_log2 = {15, 15}, .links = Mesh::Links::all};
  const Verdict verdict = judged(c, list_proof());
  EXPECT_EQ(verdict.answer, Verdict::Answer::unprovable);
  EXPECT_NE(verdict.limit.find("2^26"), std::string::npos) << verdict.limit;
  EXPECT_EQ(verdict.cost, (Cost{.steps = 1, .remote_moves = 4}));
}

}  // namespace
}  // namespace faro
