// Replay of the mesh with all links against broken schedules, and its check of certificates.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.hpp"
#include "full.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/list_proof.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/mutator.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

// A line of four: 0 and 1 exchange, 2 and 3 exchange. Element 0 waits in slot 1 on its way.
RecordingSink exchanges() {
  RecordingSink s;
  s.header.machine = Mesh{.sides_log2 = {0, 2}, .links = Mesh::Links::all};
  s.header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 1)};
  s.header.slots = 2;
  s.header.bound =
      Bound{1, "weights", certificate::Weights{{{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}}}};
  s.cube_steps.resize(2);
  s.cube_steps[0].moves = {{0, 0, 1, 1}, {1, 0, 0, 0}, {2, 0, 3, 0}, {3, 0, 2, 0}};
  s.cube_steps[1].moves = {{1, 1, 1, 0}};
  return s;
}

// By replay, with which proof agrees.
Verdict judged(const RecordingSink& schedule) {
  const Verdict replayed = testing::verdict_of(cube_replay(), schedule);
  const Verdict proved = testing::verdict_of(list_proof(), schedule);
  EXPECT_EQ(replayed.answer, proved.answer);
  EXPECT_EQ(replayed.cost, proved.cost);
  const std::set<std::string> rules = testing::rules_of(replayed);
  for (const Violation& v : proved.violations)
    EXPECT_TRUE(rules.contains(v.rule)) << v.rule << ": " << v.message;
  return replayed;
}

TEST(LinksReplay, two_exchanges_on_a_line_of_four_take_one_step) {
  const Verdict verdict = judged(exchanges());
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.cost, (Cost{.steps = 1, .remote_moves = 4}));
}

TEST(LinksReplay, each_rule_has_a_schedule_that_only_it_catches) {
  // Harmless beside the others: what they carry is not wanted.
  const auto add = [](std::vector<Move> moves) {
    return [=](RecordingSink& s) {
      for (const Move& m : moves) s.cube_steps[0].moves.push_back(m);
    };
  };
  const auto bound = [](Count value, Certificate certificate) {
    return [=](RecordingSink& s) { s.header.bound = Bound{value, "said", certificate}; };
  };
  const std::vector<testing::Hostile> cases = {
      {"machine",
       [](RecordingSink& s) { std::get<Mesh>(s.header.machine).wrap = Mesh::Wrap::propagating; }},
      {"rules",
       [](RecordingSink& s) {
         s.cube_steps[0].rules.push_back({{}, 0, 0, 0});
       }},
      {"goal",
       [](RecordingSink& s) {
         s.header.goal = MovesGoal{{{0, 0, 1, 0}, {0, 0, 1, 0}}};
       }},
      {"proc-range", add({{9, 0, 0, 1}})},
      {"slot-range", add({{0, 2, 0, 1}})},
      {"not-a-link", add({{0, 0, 2, 1}})},
      {"link-twice", add({{1, 0, 0, 1}})},
      {"reads-empty", add({{2, 1, 2, 1}})},
      {"two-writes", add({{2, 0, 2, 1}, {2, 0, 2, 1}})},
      {"not-delivered", [](RecordingSink& s) { s.cube_steps.pop_back(); }},
      {"cost-claim", [](RecordingSink& s) { s.header.cost = CostClaim(Cost{.steps = 2}); }},
      {"bound-claim", bound(2, {})},
      {"bound-claim", bound(1, certificate::Weights{{{0, 1, 1}, {0, 3, 1}}})},
      {"bound-claim", bound(1, certificate::Weights{{{1, 2, 1}}})}};
  testing::expect_refused(exchanges(), cases, {cube_replay, list_proof});
  for (const testing::Hostile& one : cases) {
    RecordingSink broken = exchanges();
    one.change(broken);
    judged(broken);
  }
  // A slot fewer: the element that waits has no place.
  RecordingSink c = exchanges();
  c.header.slots = 1;
  EXPECT_EQ(judged(c).violations.front().rule, "slot-range");
  c.header.elements = 2;
  EXPECT_EQ(judged(c).violations.front().rule, "machine");
}

TEST(LinksReplay, a_ring_has_the_link_that_a_line_has_not) {
  RecordingSink c = exchanges();
  c.header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 3)};
  c.header.bound.reset();
  c.cube_steps[0].moves = {{0, 0, 3, 1}, {3, 0, 0, 1}, {1, 0, 2, 1}, {2, 0, 1, 1}};
  c.cube_steps[1].moves = {{0, 1, 0, 0}, {1, 1, 1, 0}, {2, 1, 2, 0}, {3, 1, 3, 0}};
  EXPECT_EQ(judged(c).violations.front().rule, "not-a-link");
  std::get<Mesh>(c.header.machine).wrap = Mesh::Wrap::orthogonal;
  EXPECT_TRUE(judged(c).ok());
}

// On a side of two the ring's link is the line's.
TEST(LinksReplay, a_wrapped_side_of_two_has_one_link_each_way) {
  RecordingSink ring;
  ring.header.machine =
      Mesh{.sides_log2 = {1}, .wrap = Mesh::Wrap::orthogonal, .links = Mesh::Links::all};
  ring.header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1}, 1)};
  ring.header.elements = ring.header.slots = 2;
  ring.cube_steps.resize(1);
  ring.cube_steps[0].moves = {{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 1, 1}, {1, 1, 0, 1}};
  EXPECT_EQ(judged(ring).violations.front().rule, "link-twice");
}

// Random legal traffic with copies and refilled slots, with what it reaches as the goal, and the
// same with one thing changed.
TEST(LinksProof, and_replay_agree_on_random_traffic_and_its_mutants) {
  Random random(17);
  int right = 0;
  const int rounds = testing::full_run() ? 40'000 : 4000;
  for (int round = 0; round < rounds; ++round) {
    RecordingSink c = exchanges();
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
    c.cube_steps.assign(1 + random.below(5), {});
    for (CubeStep& step : c.cube_steps) {
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
    testing::Mutator mutator(random.next(), c);
    right += judged(mutator.next()).ok();
  }
  EXPECT_GT(right, rounds / 50);
  EXPECT_LT(right, rounds - rounds / 4);
}

TEST(LinksProof, says_how_large_a_machine_it_follows) {
  RecordingSink c = exchanges();
  c.header.machine = Mesh{.sides_log2 = {15, 15}, .links = Mesh::Links::all};
  const Verdict verdict = testing::verdict_of(list_proof(), c);
  EXPECT_EQ(verdict.answer, Verdict::Answer::unprovable);
  EXPECT_NE(verdict.limit.find("2^26"), std::string::npos) << verdict.limit;
  EXPECT_EQ(verdict.cost, (Cost{.steps = 1, .remote_moves = 4}));
}

}  // namespace
}  // namespace faro
