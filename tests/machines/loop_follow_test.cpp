// Loops of listed moves followed from the end back: what that says is what replay says of the laps
// written out, and where it says nothing something else is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faro/machines/verifier.hpp"
#include "full.hpp"
#include "machines/bounds.hpp"
#include "machines/loop_mutator.hpp"
#include "machines/loop_proof.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/verdict_of.hpp"
#include "planners/looped.hpp"

namespace faro {
namespace {

using Answer = Verdict::Answer;
using testing::has_slots;
using testing::judged;
using testing::Looped;
using testing::LoopMutator;

// Who stands behind: says nothing, so that what is left to others is seen.
class Silent : public Verifier {
 public:
  void begin(const ScheduleHeader& /*header*/) override {}
  void step(const CubeStep& /*step*/) override {}
  void step(const PopsSlot& /*slot*/) override {}
  void loop(const CubeLoop& /*loop*/) override {}
  void loop(const PopsLoop& /*loop*/) override {}
  void finish() override {}
  Verdict verdict() const override {
    Verdict verdict;
    verdict.answer = Answer::unprovable;
    return verdict;
  }
};
std::unique_ptr<Verifier> follower() {
  return loop_proofs::follow_first(std::make_unique<Silent>());
}

bool undelivered_at_most(const Verdict& verdict) {
  for (const Violation& one : verdict.violations)
    if (one.rule != "not-delivered") return false;
  return true;
}

struct Count3 {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t left = 0;  // to others, although nothing but the delivery is wrong
  std::size_t broken = 0;
};

void compare(const Looped& schedule, const rolled::Kinds& kinds, const std::string& what,
             Count3& count) {
  const Verdict replay = judged(make_replay(), schedule, kinds);
  const Verdict followed = judged(follower(), schedule, kinds);
  if (!undelivered_at_most(replay)) {
    ++count.broken;
    ASSERT_EQ(followed.answer, Answer::unprovable)
        << what << testing::words_of(followed) << testing::words_of(replay);
    return;
  }
  if (followed.answer == Answer::unprovable) {
    ++count.left;
    return;
  }
  ++(replay.ok() ? count.right : count.wrong);
  ASSERT_EQ(followed.ok(), replay.ok())
      << what << testing::words_of(followed) << testing::words_of(replay);
  ASSERT_EQ(followed.delivered, replay.delivered) << what;
  ASSERT_EQ(followed.expected, replay.expected) << what;
  ASSERT_EQ(followed.cost, replay.cost) << what;
  if (!replay.ok()) {
    ASSERT_EQ(followed.violations[0].step, replay.violations[0].step) << what;
  }
}

struct Streaming {
  const char* map;
  const char* machine;
};
constexpr Streaming streaming[] = {
    {"i:4 -> rev(i)", "torus:4x4,all-links"},
    {"i:4 -> ~i", "torus:4x4,all-links"},
    {"i:4 -> ungray(i)", "mesh:4x4,all-links"},
    {"i:3 -> rev(i)", "torus:8,all-links"},
    {"i:3 -> ~i", "torus:2x4,all-links"},
    {"i:5 -> rev(i)", "torus:4x2x4,all-links"},
    {"i:2 | m:5 -> i ^ 3 | m", "torus:2x2,all-links"},
};

TEST(FollowedLoops, of_streams_and_their_mutants_are_judged_like_the_laps_written_out) {
  Count3 all;
  std::uint64_t seed = 7000;
  const int mutants = testing::full_run() ? 3000 : testing::sanitized() ? 10 : 150;
  for (const Streaming& q : streaming)
    for (const std::uint64_t elements : {32U, 57U}) {
      if (std::string_view(q.map).find('|') != std::string_view::npos && elements != 32) continue;
      const Request request = Request::of(q.map, q.machine, elements);
      const Count bound = lower_bound(request.machine(), request.map(), request.elements()).value;
      const auto made = looped::streams(request, bound, {});
      const std::string name = fmt::format("{} on {}, {}", q.map, q.machine, elements);
      if (request.map().cut) {
        EXPECT_EQ(made, nullptr);
        continue;
      }
      ASSERT_NE(made, nullptr) << name;
      Looped good{made->plan.header, made->plan.entries, false};
      good.header.goal = request.map();
      good.header.elements = elements;
      good.header.entries = ScheduleHeader::Entries::loops;
      const Verdict replay = judged(make_replay(), good, made->kinds);
      ASSERT_TRUE(replay.ok()) << name << testing::words_of(replay);
      EXPECT_EQ(replay.cost.steps, made->cost) << name;
      EXPECT_EQ(judged(follower(), good, made->kinds).answer, Answer::yes) << name;
      EXPECT_TRUE(judged(loop_proof(), good, made->kinds).ok()) << name;
      for (int round = 0; round < mutants; ++round) {
        Looped mutant = good;
        LoopMutator mutator(++seed);
        if (!mutator.change(mutant) || !has_slots(mutant)) continue;
        compare(mutant, made->kinds,
                fmt::format("{}, mutant {} of seed {}", name, mutator.kind(), seed), all);
        if (HasFatalFailure()) return;
      }
    }
  EXPECT_GT(all.right, 20U);
  EXPECT_GT(all.wrong, 100U);
  EXPECT_GT(all.broken, 100U);
  EXPECT_LT(10 * all.left, all.right + all.wrong) << all.left;
}

// Moves one by one, each kept if the schedule stays legal, mostly.
TEST(FollowedLoops, of_random_moves_are_judged_like_the_laps_written_out) {
  Random random(43);
  Count3 all;
  const int rounds = testing::full_run() ? 20000 : testing::sanitized() ? 40 : 1000;
  for (int round = 0; round < rounds; ++round) {
    const char* machines[] = {"torus:2x2,all-links", "mesh:2,all-links", "torus:8,all-links",
                              "mesh:4x2,all-links"};
    const Machine machine = machine_from(machines[random.below(4)]);
    const MeshGeometry geometry(std::get<Mesh>(machine));
    const std::uint64_t elements = 4 + random.below(20);
    rolled::Kinds kinds;
    Looped schedule;
    schedule.header.machine = machine;
    schedule.header.goal = MapGoal{BitMap::identity(geometry.bits())};
    schedule.header.elements = elements;
    schedule.header.slots = elements + random.below(4);
    schedule.header.entries = ScheduleHeader::Entries::loops;
    for (std::uint64_t e = 1 + random.below(4); e > 0; --e) {
      schedule.entries.push_back({random.below(3) == 0 ? 1 : 1 + random.below(elements + 2), {}});
      schedule.entries.back().body.resize(1 + random.below(3));
      for (std::uint64_t m = 1 + random.below(8); m > 0; --m) {
        rolled::Entry& entry = schedule.entries.back();
        const std::vector<rolled::Step> kept = entry.body;
        const Word from = random.below(geometry.processors());
        const std::vector<Word> near = geometry.neighbours(from);
        const Word to = random.below(2) == 0 ? from : near[random.below(near.size())];
        constexpr std::int64_t advances[] = {0, 0, 1, 1, 1, -1, -1, 2, -2, 3};
        const auto slot = [&](std::int64_t by) {
          const auto close = static_cast<std::int64_t>(random.below(4));
          return by < 0 ? static_cast<std::int64_t>(schedule.header.slots) - 1 - close : close;
        };
        rolled::Item item{kinds.of(Move{from, 0, to, 0}), 0, 0, advances[random.below(10)],
                          advances[random.below(10)]};
        item.from = slot(item.from_by);
        item.to = slot(item.to_by);
        if (entry.laps == 1) item.from_by = item.to_by = 0;
        entry.body[random.below(entry.body.size())].push_back(item);
        if (!has_slots(schedule) ||
            (random.below(60) > 0 && !undelivered_at_most(judged(make_replay(), schedule, kinds))))
          entry.body = kept;
      }
    }
    compare(schedule, kinds, fmt::format("round {}", round), all);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(all.wrong, static_cast<std::size_t>(rounds / 3));
  EXPECT_GT(all.broken, static_cast<std::size_t>(rounds / 100));
  EXPECT_LT(all.left, static_cast<std::size_t>(rounds / 3));
}

// A billion elements go once around a ring of four; what is wrong in one lap is seen.
TEST(FollowedLoops, see_what_is_wrong_in_one_lap_of_a_billion) {
  constexpr std::int64_t billion = 1000000000;
  rolled::Kinds kinds;
  const auto kind = [&kinds](Word from, Word to) { return kinds.of(Move{from, 0, to, 0}); };
  Looped good;
  good.header.machine = machine_from("torus:4,all-links");
  good.header.goal = MapGoal{BitMap::identity(2)};
  good.header.elements = billion;
  good.header.slots = billion + 1;
  good.header.entries = ScheduleHeader::Entries::loops;
  rolled::Entry lap{billion, std::vector<rolled::Step>(4)};
  for (Word p = 0; p < 4; ++p) {
    lap.body[0].push_back({kind(p, (p + 1) % 4), 0, billion, 1, 0});
    lap.body[1].push_back({kind(p, (p + 1) % 4), billion, billion, 0, 0});
    lap.body[2].push_back({kind(p, (p + 1) % 4), billion, billion, 0, 0});
    lap.body[3].push_back({kind(p, (p + 1) % 4), billion, 0, 0, 1});
  }
  good.entries = {lap};
  const Verdict right = judged(follower(), good, kinds);
  EXPECT_TRUE(right.ok()) << testing::words_of(right);
  EXPECT_EQ(right.delivered, Count{4} * billion);
  EXPECT_EQ(right.cost.steps, Count{4} * billion);

  const auto delivered = [&](auto&& hide) {
    Looped hidden = good;
    hide(hidden);
    const Verdict verdict = judged(follower(), hidden, kinds);
    return verdict.answer == Answer::unprovable ? Count{0} : verdict.delivered;
  };
  constexpr std::int64_t deep = 700000000;
  // One slot is written at the end with another's element.
  EXPECT_EQ(delivered([&](Looped& s) {
              s.entries.push_back({1, {{{kind(2, 2), deep, deep + 1, 0, 0}}}});
            }),
            Count{4} * billion - 1);
  // A slot that is written in every lap is read by one of them.
  EXPECT_EQ(delivered([&](Looped& s) {
              s.entries[0].body.push_back({{kind(1, 1), deep, deep + 1, 0, 0}});
            }),
            Count{4} * billion - 1);
  EXPECT_EQ(delivered([&](Looped& s) {
              s.entries.push_back({billion, {{{kind(1, 1), 0, deep, 1, 0}}}});
            }),
            Count{4} * billion - 1);
  // One lap less: the last element of each stays where it began, which is right on a way around.
  EXPECT_EQ(delivered([&](Looped& s) { --s.entries[0].laps; }), Count{4} * billion);
  EXPECT_EQ(delivered([&](Looped& s) { s.entries[0].body.pop_back(); }), Count{4} * billion);
  // Two writes in one lap, and a slot that is empty in one: left to others, who say so.
  for (const rolled::Entry& bad :
       {rolled::Entry{billion, {{{kind(1, 1), 0, 0, 1, 1}, {kind(1, 1), deep, deep, 0, 0}}}},
        rolled::Entry{billion, {{{kind(0, 0), 1, 0, 1, 1}}}}}) {
    Looped hidden = good;
    hidden.entries = {bad};
    EXPECT_EQ(judged(follower(), hidden, kinds).answer, Answer::unprovable);
    const Verdict verdict = judged(loop_proof(), hidden, kinds);
    EXPECT_EQ(verdict.answer, Answer::no) << testing::words_of(verdict);
  }
}

}  // namespace
}  // namespace faro
