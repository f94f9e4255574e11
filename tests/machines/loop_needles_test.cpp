// Loops by hand: random ones end where replay ends them, and what goes wrong in one lap of a
// billion is seen there.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "full.hpp"
#include "machines/cube/reference.hpp"
#include "machines/loop_proof.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

using Answer = Verdict::Answer;

// Loops of a cube, in a file's words: rules with their advances.
struct Advancing {
  Rule rule;
  Advance by;
};
CubeLoop loop_of(std::uint64_t laps, const std::vector<std::vector<Advancing>>& steps) {
  CubeLoop loop;
  loop.laps = laps;
  for (const auto& step : steps) {
    CubeLoop::Entry entry;
    for (const Advancing& a : step) {
      entry.first.rules.push_back(a.rule);
      entry.advances.push_back(a.by);
    }
    loop.body.push_back(entry);
  }
  return loop;
}

ScheduleHeader cube_header(int n, std::uint64_t elements, std::uint64_t slots, Goal goal) {
  ScheduleHeader header;
  header.machine = Hypercube{n, Hypercube::Ports::all};
  header.goal = std::move(goal);
  header.elements = elements;
  header.slots = slots;
  header.entries = ScheduleHeader::Entries::loops;
  return header;
}

struct Loops {
  ScheduleHeader header;
  std::vector<CubeLoop> loops;
  void push(ScheduleSink& sink) const {
    sink.begin(header);
    for (const CubeLoop& loop : loops) sink.loop(loop);
    sink.finish();
  }
  Verdict judged(std::unique_ptr<Verifier> judge) const {
    push(*judge);
    return judge->verdict();
  }
};

// Random loops, their rules one by one, each kept if the schedule stays legal: nothing is empty or
// collides. Says how many are long.
std::size_t add_loops(Random& random, int n, Loops& schedule) {
  const std::uint64_t elements = schedule.header.elements;
  std::size_t long_ones = 0;
  for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
    schedule.loops.push_back(loop_of(1 + random.below(elements), {}));
    CubeLoop& loop = schedule.loops.back();
    loop.body.resize(1 + random.below(3));
    for (std::uint64_t r = 2 + random.below(6); r > 0; --r) {
      const CubeLoop kept = loop;
      auto& entry = loop.body[random.below(loop.body.size())];
      const auto slot = [&](std::int64_t& by) {
        constexpr std::int64_t advances[] = {0, 0, 1, 1, 1, -1, -1, 2, -2, 3};
        by = advances[random.below(10)];
        if (by == 0 && random.below(2) == 0) return static_cast<Slot>(elements + random.below(6));
        return static_cast<Slot>(by < 0 ? elements - 1 - random.below(4) : random.below(4));
      };
      Rule rule;
      Advance by;
      if (random.below(2) == 0)
        rule.where.push_back({random.below(bit(n)), static_cast<unsigned>(random.below(2))});
      rule.from = slot(by.from);
      rule.to = slot(by.to);
      rule.across = static_cast<int>(random.below(static_cast<std::uint64_t>(n) + 1)) - 1;
      entry.first.rules.push_back(rule);
      entry.advances.push_back(by);
      const auto last = static_cast<std::int64_t>(loop.laps - 1);
      const bool in_range = rule.from + by.from * last >= 0 && rule.to + by.to * last >= 0;
      if (!in_range || (schedule.judged(make_replay()).violation_count > 0 && random.below(40) > 0))
        loop = kept;
    }
    if (loop.laps > 10) ++long_ones;
  }
  return long_ones;
}

TEST(LoopProof, random_loops_end_where_replay_ends_them) {
  Random random(42);
  std::size_t legal = 0;
  std::size_t illegal = 0;
  std::size_t unproved = 0;
  std::size_t long_ones = 0;
  const int rounds = testing::full_run() ? 6000 : testing::sanitized() ? 15 : 150;
  for (int round = 0; round < rounds; ++round) {
    const int n = 1 + static_cast<int>(random.below(3));
    const std::uint64_t elements = 10 + random.below(30);
    Loops schedule{cube_header(n, elements, elements + 6, MovesGoal{}), {}};
    long_ones += add_loops(random, n, schedule);
    const Verdict before = schedule.judged(make_replay());
    RecordingSink laps;  // one by one
    schedule.push(laps);
    schedule.header.goal = MovesGoal{testing::judge_cube(laps).reached};
    for (const bool wrong_goal : {false, true}) {
      if (wrong_goal) {
        auto& moves = std::get<MovesGoal>(schedule.header.goal).moves;
        const std::size_t a = random.below(moves.size());
        const std::size_t b = random.below(moves.size());
        std::swap(moves[a].from_slot, moves[b].from_slot);
        std::swap(moves[a].from_processor, moves[b].from_processor);
      }
      const Verdict replay = schedule.judged(make_replay());
      const Verdict proof = schedule.judged(loop_proof());
      if (proof.answer == Answer::unprovable) {
        ++unproved;
        continue;
      }
      ASSERT_EQ(proof.ok(), replay.ok())
          << "round " << round << testing::words_of(proof) << testing::words_of(replay);
      if (before.violation_count == 0) {
        ASSERT_EQ(proof.delivered, replay.delivered) << "round " << round;
        if (!wrong_goal) {
          ASSERT_TRUE(proof.ok()) << "round " << round << testing::words_of(proof);
        }
      } else {
        ASSERT_EQ(proof.violations[0].step, replay.violations[0].step)
            << "round " << round << testing::words_of(proof) << testing::words_of(replay);
      }
    }
    ++(before.violation_count == 0 ? legal : illegal);
  }
  EXPECT_GT(legal, static_cast<std::size_t>(rounds / 3));
  EXPECT_GT(illegal, static_cast<std::size_t>(rounds / 20));
  EXPECT_GT(long_ones, static_cast<std::size_t>(rounds));
  EXPECT_LT(unproved, static_cast<std::size_t>(rounds / 10));
}

// The complement on a square, a billion elements: element t crosses dimension 1 while element t+1
// crosses dimension 0.
constexpr std::uint64_t billion = 1000000000;
Loops complement() {
  MapGoal goal{BitMap::from_matrix(BitMatrix::identity(2), 3)};
  Loops schedule{cube_header(2, billion, billion + 1, goal), {}};
  const auto k = static_cast<Slot>(billion);
  schedule.loops = {loop_of(1, {{{{{}, 0, 0, k}, {0, 0}}}}),
                    loop_of(billion - 1, {{{{{}, k, 1, 0}, {0, 1}}, {{{}, 1, 0, k}, {1, 0}}}}),
                    loop_of(1, {{{{{}, k, 1, k - 1}, {0, 0}}}})};
  return schedule;
}

TEST(LoopProof, a_billion_laps_are_proved) {
  const Verdict verdict = complement().judged(loop_proof());
  EXPECT_TRUE(verdict.ok()) << testing::words_of(verdict);
  EXPECT_EQ(verdict.cost.steps, Count{billion} + 1);
  EXPECT_EQ(verdict.delivered, Count{billion} * 4);
}

TEST(LoopProof, what_is_wrong_in_one_lap_of_a_billion_is_seen_there) {
  struct Needle {
    const char* what;
    void (*hide)(Loops&);
    std::uint64_t step;
    const char* rule;
  };
  constexpr Slot deep = 700000000;
  const Needle needles[] = {
      {"a slot is read that the last lap alone finds empty",
       [](Loops& s) {
         s.loops.push_back(loop_of(billion + 1, {{{{{}, 0, 0, 0}, {1, 0}}}}));
         s.header.slots += 1;
         s.loops.back().body[0].first.rules[0].from = 1;
         s.loops.back().body[0].first.rules[0].to = 0;
       },
       billion + 1 + billion, "reads-empty"},
      {"two rules write one slot in one lap",
       [](Loops& s) {
         s.loops.push_back(loop_of(
             billion, {{{{{}, 0, inside, 0}, {1, 1}}, {{{{1, 1}}, deep, inside, deep}, {0, 0}}}}));
       },
       billion + 1 + deep, "two-writes"},
      {"a slot beyond the last one is named by the last lap",
       [](Loops& s) {
         s.loops.push_back(loop_of(billion + 2, {{{{{}, 0, inside, 0}, {1, 1}}}}));
       },
       billion + 1 + billion + 1, "slot-range"},
      {"one lap is missing", [](Loops& s) { --s.loops[1].laps; }, billion, "not-delivered"},
      {"a link carries two elements",
       [](Loops& s) {
         s.loops[1].body[0].first.rules.push_back({{{1, 0}}, 0, 0, 0});
         s.loops[1].body[0].advances.push_back({1, 1});
       },
       1, "link-twice"},
      {"one element of a quarter of the processors is overwritten",
       [](Loops& s) {
         s.loops.push_back(loop_of(1, {{{{{{1, 0}, {2, 0}}, deep, inside, deep + 1}, {0, 0}}}}));
       },
       billion + 2, "not-delivered"},
      {"a wave reads a slot after another wave has passed it",
       [](Loops& s) {
         const auto k = static_cast<Slot>(billion);
         s.loops.push_back(loop_of(billion - 2, {{{{{}, 0, inside, k}, {1, 0}},
                                                  {{{{3, 1}}, k - 1, inside, k - 2}, {-1, -1}}}}));
       },
       2 * billion - 1, "not-delivered"},
  };
  for (const Needle& needle : needles) {
    Loops schedule = complement();
    needle.hide(schedule);
    const Verdict verdict = schedule.judged(loop_proof());
    ASSERT_EQ(verdict.answer, Answer::no) << needle.what << testing::words_of(verdict);
    EXPECT_EQ(verdict.violations[0].step, needle.step) << needle.what << testing::words_of(verdict);
    EXPECT_EQ(verdict.violations[0].rule, needle.rule) << needle.what << testing::words_of(verdict);
  }
  // A slot that is read and written back at one lap hurts nobody.
  Loops harmless = complement();
  harmless.loops.push_back(
      loop_of(billion, {{{{{}, 0, inside, static_cast<Slot>(billion)}, {1, 0}}},
                        {{{{}, static_cast<Slot>(billion), inside, 0}, {0, 1}}}}));
  EXPECT_TRUE(harmless.judged(loop_proof()).ok());
}

TEST(LoopProof, parity_of_laps_is_told) {
  // Two slots change places in every lap.
  for (const std::uint64_t laps : {std::uint64_t{1} << 32U, (std::uint64_t{1} << 32U) - 1}) {
    Loops schedule{cube_header(1, 2, 2, MapGoal{BitMap::identity(1)}), {}};
    schedule.loops = {
        loop_of(laps, {{{{{}, 0, inside, 1}, {0, 0}}, {{{}, 1, inside, 0}, {0, 0}}}})};
    const Verdict verdict = schedule.judged(loop_proof());
    EXPECT_EQ(verdict.answer, laps % 2 == 0 ? Answer::yes : Answer::no)
        << testing::words_of(verdict);
  }
}

TEST(LoopProof, no_claim_is_made_where_the_work_grows) {
  // Slot t to slot 2t: element m ends in all slots 2^k m.
  Loops feeding{cube_header(1, billion, billion, MapGoal{BitMap::identity(1)}), {}};
  feeding.loops = {loop_of(billion / 2, {{{{{}, 0, 0, 0}, {1, 2}}}})};
  // Strides that fit no grid.
  Loops strides{cube_header(1, billion, billion, MapGoal{BitMap::identity(1)}), {}};
  strides.loops = {loop_of(1000000, {{{{{}, 0, 0, 0}, {97, 101}}}})};
  for (const Loops& schedule : {feeding, strides}) {
    const Verdict verdict = schedule.judged(loop_proof());
    EXPECT_EQ(verdict.answer, Answer::unprovable);
    EXPECT_FALSE(verdict.limit.empty());
  }
}

}  // namespace
}  // namespace faro
