// Elements in turns: turns that are alike are planned once and judged as a whole.
#include "planners/turns.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faro/base/error.hpp"
#include "faro/service/plan.hpp"
#include "maps.hpp"
#include "planners/planning.hpp"
#include "schedules/turns.hpp"

namespace faro {
namespace {

ScheduleHeader header_of(const MapGoal& goal, const Repeat& repeat) {
  ScheduleHeader header;
  header.machine = Hypercube{.dimensions = goal.map.width() - goal.memory_bits};
  header.goal = goal;
  header.elements = header.slots = bit(goal.memory_bits);
  header.repeat = repeat;
  return header;
}

bool permutes_bits(const BitMap& map) {
  for (int i = 0; i < map.width(); ++i)
    if (!is_power_of_two(map.column(i))) return false;
  return map.complement() == 0;
}

TEST(Turns, any_affine_map_falls_into_turns_that_do_the_same) {
  Random random(31);
  int shorter = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + static_cast<int>(random.below(4));
    const int m = 1 + static_cast<int>(random.below(7));
    const MapGoal goal{testing::random_affine(n + m, random), true, m};
    const int least = least_slot_bits(goal);
    ASSERT_LE(least, std::min(n, m));
    for (int slot_bits = least; slot_bits <= m; ++slot_bits) {
      const TurnsOfMap turns = turns_of(goal, slot_bits);
      ASSERT_EQ(turns.repeat.times, bit(m - slot_bits));
      const auto turn = one_turn(header_of(goal, turns.repeat));
      const auto* header = std::get_if<ScheduleHeader>(&turn);
      ASSERT_NE(header, nullptr) << std::get<std::string>(turn);
      ASSERT_EQ(std::get<MapGoal>(header->goal), turns.turn);
      shorter += slot_bits < m;
    }
  }
  EXPECT_GE(shorter, 300);
}

TEST(Turns, permutations_of_bits_stay_such) {
  Random random(32);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 1 + static_cast<int>(random.below(6));
    const int m = 1 + static_cast<int>(random.below(9));
    const MapGoal goal{BitMap::from_places(testing::random_places(n + m, random)), true, m};
    const TurnsOfMap turns = turns_of(goal, least_slot_bits(goal));
    EXPECT_TRUE(permutes_bits(turns.turn.map));
    EXPECT_TRUE(permutes_bits(turns.repeat.before));
    EXPECT_TRUE(permutes_bits(turns.repeat.after));
  }
}

struct Case {
  const char* map;
  const char* machine;
  std::optional<std::uint64_t> elements;
  const char* planner;
};
constexpr Case cases[] = {
    {"p:3 | m:17 -> rot(p m, 7)", "cube:3", {}, "cube-turns"},
    {"p:2 | m:18 -> m p", "cube:2", {}, "cube-turns"},
    {"p:3 | m:17 -> (gray(rev(p m)))[19:17] ^ 0x5 | (gray(rev(p m)))[16:0]",
     "cube:3",
     {},
     "cube-turns"},
    {"p:2 | m:17 -> rot(p m, 1)", "cube:2,one-port", {}, "cube-turns"},
    {"a:3 -> ungray(a)", "cube:3", 1500000, "cube-turns"},
    {"a:3 -> ungray(a)", "cube:3", 1048583, "cube-turns"},  // a prime
    {"i:4 -> rev(i)", "torus:4x4,all-links", 100000, "links-turns"},
    {"i:5 -> rev(i)", "pops:8,4", 200000, "pops-turns"},
    {"i:3 -> rev(i)", "ranks:8", 1000000, "ranks-turns"},
    {"p:3 | m:18 -> rot(p m, 9)", "ranks:8", {}, "ranks-turns"},
};

TEST(Turns, elements_without_limit_are_planned_and_the_file_is_judged) {
  for (const Case& c : cases) {
    const MachinePlan made =
        testing::planned(Request::of(c.map, c.machine, c.elements), {.algorithm = c.planner});
    EXPECT_LT(testing::judged_file(made, {VerifyBy::automatic, VerifyBy::replay}).size(),
              std::size_t{4} << 20U);
  }
}

TEST(Turns, a_turn_more_or_another_change_of_places_is_refused) {
  const MachinePlan made = plan("p:2 | m:19 -> rot(p m, 5)", "cube:2", {});
  ASSERT_EQ(made.planner(), "cube-turns");
  const std::string file = testing::judged_file(made, {VerifyBy::automatic});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = file;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    TextSource source(changed);
    return verify_schedule(source, {.by = VerifyBy::automatic, .map = {}}).verdict;
  };
  for (const char* times :
       {"\"times\":64", "\"times\":256", "\"times\":127", "\"times\":0", "\"times\":1"})
    EXPECT_EQ(with("\"times\":128", times).answer, Verdict::Answer::no) << times;
  EXPECT_EQ(with("\"after\":", "\"behind\":").answer, Verdict::Answer::no);
  EXPECT_EQ(with("\"after\":\"", "\"after\":\"p:2 | m:19 -> m p\",\"x\":\"").answer,
            Verdict::Answer::no);
  EXPECT_EQ(with("\"map\":\"p:2 | m:19 -> ", "\"map\":\"p:2 | m:19 -> p | m\",\"y\":\"").answer,
            Verdict::Answer::no);
}

// 2^64 - 1 turns of 63 * 2^63 moves are no number of 128 bits.
TEST(Turns, a_cost_beyond_128_bits_is_refused_not_wrapped) {
  const std::string most = "\"18446744073709551615\"";
  const auto judged = [&](const char* map, const std::string& steps) {
    const std::string file =
        R"({"format":"faro-schedule/1","machine":{"kind":"hypercube","dimensions":63,)"
        R"("ports":"all"},"slots":1,"map":")" +
        std::string(map) + R"(","elements":)" + most + R"(,"repeat":{"times":)" + most +
        R"(},"steps":[)" + steps + "]}";
    TextSource source(file);
    return verify_schedule(source, {.by = VerifyBy::proof, .map = {}}).verdict;
  };
  const auto across = [](int d) {
    return fmt::format(R"({{"rules":[{{"if":[],"slot":0,"across":{},"to":0}}]}})", d);
  };
  const Verdict there_and_back = judged("a:63 -> a", across(0) + ',' + across(0));
  EXPECT_TRUE(there_and_back.ok()) << there_and_back.limit;
  EXPECT_EQ(there_and_back.cost.remote_moves, (Count{1} << 64U) * ~std::uint64_t{});
  std::string all = across(0);
  for (int d = 1; d < 63; ++d) all += ',' + across(d);
  EXPECT_THROW(static_cast<void>(judged("a:63 -> ~a", all)), Error);
}

}  // namespace
}  // namespace faro
