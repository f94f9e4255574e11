// The simulated machines and the reference loop give the same array; wrong schedules are refused.
#include "faro/simulation/simulate.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "draft.hpp"
#include "engine/reference.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/json.hpp"
#include "schedules/map_goal.hpp"

namespace faro {
namespace {

std::vector<std::byte> noise(std::size_t size) {
  Random random(7);
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

// What permuting in memory gives: the whole array for a map with a cut, else its axis of
// processors.
std::vector<std::byte> expected(const MapGoal& goal, std::uint64_t elements, std::size_t bytes,
                                const std::vector<std::byte>& data) {
  std::vector<std::byte> to(data.size());
  reference_permute(goal.map,
                    {.element_bytes = bytes, .outer = 1, .inner = goal.cut ? 1 : elements},
                    data.data(), to.data());
  return to;
}

testing::Draft draft(const char* machine_name, const char* map, std::uint64_t elements = 1) {
  const Machine machine = machine_from(machine_name);
  return {.machine = machine,
          .map = map_goal_from(map, machine, elements),
          .destinations = {},
          .elements = elements};
}

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(Simulate, every_machine_gives_the_array_that_memory_gives) {
  for (const char* machine_name :
       {"cube:4", "cube:4,one-port", "mesh:4x4", "torus:4x4", "mesh:2x2x4", "pops:4,4"})
    for (const char* map : {"i -> rev(i)", "i -> ~i", "a:1 b:3 -> b ~a", "i -> gray(i)"})
      for (const std::uint64_t elements : {std::uint64_t{1}, std::uint64_t{3}}) {
        const testing::Draft request = draft(machine_name, map, elements);
        for (const std::size_t bytes : {std::size_t{1}, std::size_t{12}}) {
          const auto data = noise(16 * elements * bytes);
          const Simulation done = simulate_plan(request, {}, data, bytes);
          EXPECT_EQ(done.result, expected(request.map, elements, bytes, data))
              << machine_name << " " << map << " K = " << elements;
          EXPECT_FALSE(done.verified_by.empty()) << machine_name << " " << map;
          EXPECT_GT(cost_value(done.machine, done.cost), 0U);
        }
      }
}

TEST(Simulate, memory_bits_move_too) {
  const testing::Draft request = draft("cube:3", "p:3 | m:3 -> m | p", 8);
  const auto data = noise(64 * 4);
  EXPECT_EQ(simulate_plan(request, {}, data, 4).result, expected(request.map, 8, 4, data));
}

// The text of a schedule for reversing the bits of cube:3.
std::string schedule_text() {
  TextSink text;
  JsonWriter writer(text);
  plan(draft("cube:3", "i -> rev(i)")).push(writer);
  return text.text();
}

TEST(Simulate, a_schedule_file_is_performed) {
  const auto data = noise(8 * 2);
  const Simulation done = simulate_schedule(schedule_text(), std::nullopt, data, 2);
  EXPECT_EQ(done.result, expected(draft("cube:3", "i -> rev(i)").map, 1, 2, data));
  EXPECT_EQ(done.map_text, "i:3 -> rev(i)");
}

TEST(Simulate, a_wrong_schedule_is_refused_before_it_touches_data) {
  const auto data = noise(8);
  std::string text = schedule_text();
  EXPECT_EQ(code_of([&] { simulate_schedule(text, "i -> ~i", data, 1); }), ErrorCode::refused);
  const std::size_t at = text.find("\"across\"");
  ASSERT_NE(at, std::string::npos);
  char& dimension = text[text.find_first_of("012", at)];
  dimension = dimension == '0' ? '1' : '0';
  EXPECT_EQ(code_of([&] { simulate_schedule(text, std::nullopt, data, 1); }), ErrorCode::refused);
}

TEST(Simulate, data_of_another_size_is_refused) {
  const auto data = noise(7);
  EXPECT_EQ(code_of([&] { simulate_plan(draft("cube:3", "i -> rev(i)"), {}, data, 1); }),
            ErrorCode::usage);
  EXPECT_EQ(code_of([&] { simulate_schedule(schedule_text(), std::nullopt, data, 1); }),
            ErrorCode::usage);
}

}  // namespace
}  // namespace faro
