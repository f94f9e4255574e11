// Maps of any lengths in place against the obvious loop between two buffers, gaps and guard bytes
// included.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "engine/exchange.hpp"
#include "engine/kernels/kernels.hpp"
#include "engine/reference.hpp"
#include "engine/shapes.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

using namespace testing;

constexpr std::byte guard{0xa5};
constexpr std::size_t guard_bytes = 128;

std::map<std::string, int> counts;

// In place against the obvious loop between two buffers, gaps and guard bytes included.
void check_in_place(const Map& map, const TensorShape& shape, const PermuteOptions& options,
                    const std::string& text) {
  const ArrayPlaces& places = shape.from;
  const std::size_t bytes = places.strides.empty()
                                ? static_cast<std::size_t>(map.elements()) * shape.element_bytes
                                : reach(places, shape.element_bytes);
  std::vector<std::byte> data = numbered_bytes(bytes);
  data.insert(data.end(), guard_bytes, guard);
  std::vector<std::byte> expected = data;
  TensorShape both = shape;
  if (!places.strides.empty()) both.to = shape.from;
  reference_permute(map, both, data.data(), expected.data());
  const auto plan = PermutePlan::in_place(map, shape, options);
  ASSERT_TRUE(plan.facts().in_place);
  plan.execute_in_place(std::span(data).first(bytes));
  for (const PassFacts& pass : plan.facts().passes) ++counts[pass.method];
  ASSERT_TRUE(data == expected) << text << "\n" << plan.describe();
}

PermuteOptions random_options(Random& random) {
  const auto sets = engine::kernel_sets();
  return {.threads = static_cast<int>(1 + random.below(3)),
          .simd = random.below(2) == 0 ? Simd::automatic : sets[random.below(sets.size())]->simd,
          .slow_in_place = true};
}

// Axes that change places in pairs of one length, pairs reversed alike, single ones as they like.
Map random_involution(Random& random, Word most, std::vector<Word>& shape) {
  std::vector<int> partner;
  Word left = most;
  const Word axes = 1 + random.below(5);
  while (partner.size() < axes) {
    const bool pair = random.below(3) != 0;
    const Word top = std::max<Word>(1, std::min<Word>(left, random.below(3) == 0 ? 400 : 40));
    Word length = 1 + random.below(top);
    while (pair && length * length > left && length > 1) length /= 2;
    const auto k = static_cast<int>(partner.size());
    partner.push_back(pair ? k + 1 : k);
    shape.push_back(length);
    if (pair) {
      partner.push_back(k);
      shape.push_back(length);
    }
    left = std::max<Word>(1, left / (pair ? length * length : length));
  }
  // The pairs stand anywhere.
  std::vector<std::size_t> place(partner.size());
  for (std::size_t k = 0; k < place.size(); ++k) place[k] = k;
  random.mix(place);
  std::vector<Word> lengths(partner.size());
  std::vector<int> swapped(partner.size());
  std::vector<bool> reversed(partner.size());
  for (std::size_t k = 0; k < place.size(); ++k) {
    const auto other = static_cast<std::size_t>(partner[k]);
    lengths[place[k]] = shape[k];
    swapped[place[k]] = static_cast<int>(place[other]);
    if (other >= k) reversed[place[k]] = reversed[place[other]] = random.below(3) == 0;
  }
  shape = lengths;
  Digits digits;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    digits.from.push_back({lengths[k], static_cast<int>(k), false});
  }
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    digits.to.push_back({lengths[k], swapped[k], reversed[k]});
  }
  return Map::from_digits(digits);
}

TEST(InPlaceShapes, random_involutions_exchange_pairs) {
  static constexpr std::uint64_t elements[] = {1, 1, 2, 3,  4,  4,  5,  6,
                                               7, 8, 8, 12, 16, 24, 32, 100};
  const int cases = full_run() ? 10000 : sanitized() ? 200 : 1500;
  Random random(1);
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    std::vector<Word> shape;
    const std::uint64_t element = one_of(random, elements);
    const Word most = (i % 10 == 0 ? 200000 : 8000) / std::min<Word>(element, 8);
    const Map map = random_involution(random, most, shape);
    TensorShape places{element, {}, {}};
    if (random.below(2) == 0) places.from = random_places(shape, element, true, random);
    check_in_place(map, places, random_options(random), text_of(places.from));
  }
  for (const char* way : {"blocks", "rows", "units", "bits"}) {
    EXPECT_GT(counts[way], sanitized() ? 0 : 5) << way << " was never taken";
  }
  EXPECT_EQ(counts["cycles"], 0);
}

TEST(InPlaceShapes, random_maps_follow_their_cycles) {
  const int cases = full_run() ? 5000 : sanitized() ? 100 : 500;
  Random random(2);
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    const ShapeCase one = random_case(random, 20000);
    const TensorShape dense{one.shape.element_bytes, {}, {}};
    check_in_place(one.map, dense, random_options(random), one.text);
  }
  EXPECT_GT(counts["cycles"], 5);
}

Map with_rolls(const Map& map, Random& random) {
  Digits digits = map.digits();
  for (Digit& digit : digits.to) {
    if (digit.which != Digit::is_bit && random.below(3) != 0) {
      digit.roll = random.below(digit.length);
    }
  }
  return Map::from_digits(digits);
}

TEST(InPlaceShapes, rolled_digits_are_rolled_after_the_rest) {
  const int cases = full_run() ? 5000 : sanitized() ? 100 : 1000;
  Random random(3);
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    const ShapeCase one = random_case(random, i % 10 == 0 ? 200000 : 20000);
    const TensorShape dense{one.shape.element_bytes, {}, {}};
    check_in_place(with_rolls(one.map, random), dense, random_options(random), one.text);
  }
  EXPECT_GT(counts["rolls"], sanitized() ? 5 : 300);
}

// Ranges larger than what the stack holds change places, some by several threads.
TEST(InPlaceShapes, large_ranges_are_rolled) {
  Random random(4);
  for (const Word length : {3U, 5U, 7U, 4099U, 300007U}) {
    const Word inner = std::max<Word>(1, (sanitized() ? 300000 : 3000000) / length);
    for (const Word roll : {Word{1}, length / 2, length - 1, 1 + random.below(length - 1)}) {
      const Map map = beside(Map::turn(length, {random.below(2) == 0, roll}), Map::identity(inner));
      check_in_place(map, {1, {}, {}}, {.threads = static_cast<int>(1 + random.below(3))},
                     std::to_string(length) + " by " + std::to_string(roll));
    }
  }
}

TEST(InPlaceShapes, an_inverse_roll_restores_the_array) {
  const Map map = say("a=17 b=900 c=30 -> roll(~b, 7) roll(a, 5) c").map;
  const TensorShape shape{2, {}, {}};
  const auto numbers = numbered_bytes(17 * 900 * 30 * 2);
  auto data = numbers;
  PermutePlan::in_place(map, shape, {.slow_in_place = true}).execute_in_place(data);
  EXPECT_NE(data, numbers);
  PermutePlan::in_place(map.inverse(), shape, {.slow_in_place = true}).execute_in_place(data);
  EXPECT_EQ(data, numbers);
}

// In an array without gaps lengths of axes cut no digit.
TEST(InPlaceShapes, axes_may_cut_a_digit_that_is_rolled) {
  for (const Word rows : {5U, 6U, 5000U}) {
    const Map map = Map::turn(rows * 7, {true, 3});
    const std::vector<Word> lengths{rows, 7};
    check_in_place(map, {4, {lengths, {28, 4}, 0}, {}}, {}, "reversed and rolled by 3");
  }
}

// Any map, whatever its cycles are.
TEST(InPlaceShapes, small_arrays_take_one_pass_and_ask_for_no_memory) {
  Random random(5);
  int moved = 0;
  for (int i = 0; i < 300; ++i) {
    const ShapeCase one = random_case(random, 4000);
    const Map map = with_rolls(one.map, random);
    const TensorShape dense{one.shape.element_bytes, {}, {}};
    const auto plan = PermutePlan::in_place(map, dense, {.slow_in_place = true});
    auto data = numbered_bytes(plan.data_bytes());
    if (data.size() > (std::size_t{1} << 14U)) continue;
    const MemoryAsked asked = memory_asked([&] { plan.execute_in_place(data); });
    EXPECT_EQ(asked.times, 0U) << one.text << plan.describe();
    ASSERT_LE(plan.facts().passes.size(), 1U);
    EXPECT_FALSE(
        reference_compare(map, dense, numbered_bytes(data.size()).data(), data.data(), {}).found);
    ++moved;
  }
  EXPECT_GT(moved, 200);
}

std::vector<std::string> methods(std::string_view text, std::uint64_t element) {
  const Said notation = say(text);
  std::vector<std::string> result;
  const auto plan = PermutePlan::in_place(notation.map, TensorShape{element, {}, {}});
  for (const PassFacts& pass : plan.facts().passes) result.push_back(pass.method);
  return result;
}

TEST(InPlaceShapes, the_plan_says_its_passes) {
  using Methods = std::vector<std::string>;
  EXPECT_EQ(methods("r=6001 c=6001 -> c r", 8), Methods{"blocks"});
  EXPECT_EQ(methods("r=6001 c=6001 -> ~c ~r", 8), Methods{"blocks"});
  EXPECT_EQ(methods("a=100 b=999 -> a ~b", 4), Methods{"rows"});
  EXPECT_EQ(methods("a=30 b=30 c=500 -> b a c", 8), Methods{"units"});
  EXPECT_EQ(methods("a=7 b=300 c=1000 -> b a c", 8), Methods{"cycles"});
  EXPECT_EQ(methods("r=200 c=600 -> c r", 8), (Methods{"cycles", "blocks"}));
  EXPECT_EQ(methods("r=600 c=200 -> c r", 8), (Methods{"blocks", "cycles"}));
  EXPECT_EQ(methods("r=3 i:16 -> r gray(i)", 8), (Methods{"bits", "bits"}));
  EXPECT_EQ(methods("r=3 i=70 -> r i", 8), Methods{});
  EXPECT_EQ(methods("r=100 c=120 -> r roll(c, 50)", 8), Methods{"rolls"});
  EXPECT_EQ(methods("r=100 c=1201 -> roll(r, 5) roll(~c, 50)", 8),
            (Methods{"rows", "rolls", "rolls"}));
  EXPECT_EQ(methods("r=6 c=7 -> c r", 8), Methods{"table"});
}

TEST(InPlaceShapes, squares_within_longer_sides_move_right) {
  for (const std::array<Word, 2> lengths : {std::array<Word, 2>{200, 600}, {600, 200}, {1, 77}}) {
    const Map map = Map::from_axes(lengths, std::array{1, 0});
    check_in_place(map, {8, {}, {}}, {.threads = 2}, "squares");
  }
}

TEST(InPlaceShapes, refuses_what_is_slow_and_what_does_not_stay) {
  const auto code = [](std::string_view text, const TensorShape& shape) {
    try {
      PermutePlan::in_place(say(text).map, shape);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("in place"), std::string::npos) << error.what();
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code("r=60 c=70 -> c r", {8, {}, {}}), ErrorCode::impossible);
  EXPECT_EQ(code("r=100 c=300 -> c r", {8, {}, {}}), ErrorCode::impossible);
  EXPECT_EQ(code("r=6 c=6 -> c r", {8, {{6, 6}, {48, 8}, 0}, {{6, 6}, {56, 8}, 0}}),
            ErrorCode::impossible);
  EXPECT_EQ(code("r=3 c=3 -> r roll(c, 1)", {8, {{3, 3}, {48, 8}, 0}, {}}), ErrorCode::impossible);
  EXPECT_EQ(code("r=60 c=70 -> roll(c, 1) r", {8, {}, {}}), ErrorCode::impossible);
  EXPECT_EQ(code("r=3 c=3 x=3 -> c x r", {8, {{3, 3, 3}, {80, 24, 8}, 0}, {}}),
            ErrorCode::impossible);
}

}  // namespace
}  // namespace faro
