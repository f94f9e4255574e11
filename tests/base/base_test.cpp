#include <gtest/gtest.h>

#include <array>
#include <map>

#include "faro/base/bits.hpp"
#include "faro/base/check.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"
#include "faro/base/random.hpp"
#include "faro/base/search.hpp"

namespace faro {
namespace {

TEST(Bits, masks_at_both_ends) {
  EXPECT_EQ(low_mask(0), 0U);
  EXPECT_EQ(low_mask(3), 0b111U);
  EXPECT_EQ(low_mask(64), ~Word{0});
  EXPECT_EQ(bit_range(2, 3), 0b1100U);
  EXPECT_EQ(bit_range(0, 63), ~Word{0});
  EXPECT_EQ(parity(0b1011), 1U);
  EXPECT_EQ(highest_bit(bit(63) | 1), 63);
  EXPECT_EQ(lowest_bit(bit(63)), 63);
}

TEST(Search, finds_the_least_number_for_which_something_holds) {
  EXPECT_EQ(least_that(0, 100, [](std::uint64_t x) { return x * x >= 50; }), 8U);
  for (std::uint64_t wanted = 3; wanted <= 9; ++wanted)
    EXPECT_EQ(least_that(3, 9, [wanted](std::uint64_t x) { return x >= wanted; }), wanted);
  EXPECT_EQ(least_that(7, 7, [](std::uint64_t) { return true; }), 7U);
}

TEST(Random, mixing_reaches_every_order_about_as_often) {
  Random random(3);
  std::map<std::array<int, 3>, int> seen;
  for (int round = 0; round < 6000; ++round) {
    std::array<int, 3> items{1, 2, 3};
    random.mix(items);
    ++seen[items];
  }
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [items, times] : seen) {
    EXPECT_GT(times, 850);
    EXPECT_LT(times, 1150);
  }
}

TEST(Count, prints_and_reads_128_bits) {
  const Count largest = ~Count{0};
  EXPECT_EQ(to_string(largest), "340282366920938463463374607431768211455");
  EXPECT_EQ(count_from(to_string(largest)), largest);
  EXPECT_EQ(count_from("340282366920938463463374607431768211456"), std::nullopt);
  EXPECT_EQ(count_from("0"), Count{0});
  for (const char* bad : {"", "-1", "1 ", "0x1"}) EXPECT_EQ(count_from(bad), std::nullopt);
}

TEST(Count, sums_and_products_that_do_not_fit_are_refused) {
  const Count largest = ~Count{0};
  EXPECT_EQ(add_checked(largest, 0), largest);
  EXPECT_THROW(add_checked(largest, 1), Error);
  EXPECT_EQ(multiply_checked(Count{1} << 64, (Count{1} << 64) - 1), (largest >> 64) << 64);
  EXPECT_THROW(multiply_checked(Count{1} << 64, Count{1} << 64), Error);
  EXPECT_THROW(size_product(bit(32), bit(32), "elements"), Error);
  EXPECT_EQ(ceil_div(7, 3), 3U);
}

TEST(Error, codes_have_the_program_s_exit_codes) {
  EXPECT_EQ(exit_code(ErrorCode::refused), 1);
  EXPECT_EQ(exit_code(ErrorCode::usage), 2);
  EXPECT_EQ(exit_code(ErrorCode::environment), 3);
  EXPECT_EQ(exit_code(ErrorCode::impossible), 4);
  EXPECT_EQ(exit_code(ErrorCode::limit), 4);
  EXPECT_EQ(exit_code(ErrorCode::internal), 5);
  EXPECT_EQ(exit_code(ErrorCode::cancelled), 130);
}

TEST(Check, says_what_does_not_hold_and_where) {
  try {
    FARO_CHECK(1 + 1 == 3);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("1 + 1 == 3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("base_test.cpp"), std::string::npos);
  }
}

TEST(Progress, a_caller_may_stop_the_work) {
  EXPECT_NO_THROW(report({}, 0, 1));
  const Progress stop = [](std::uint64_t, std::uint64_t) { return Continue::no; };
  try {
    report(stop, 0, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
  }
}

}  // namespace
}  // namespace faro
