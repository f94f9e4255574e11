// Bits, counts of 128 bits, random numbers, hashes and sizes in words.
#include <gtest/gtest.h>

#include <array>
#include <compare>
#include <limits>
#include <map>
#include <sstream>

#include "base/check.hpp"
#include "base/count_format.hpp"
#include "base/random.hpp"
#include "base/search.hpp"
#include "base/sha256.hpp"
#include "base/working.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"

namespace faro {
namespace {

TEST(Sha256, the_standards_examples) {
  EXPECT_EQ(sha256_text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 16),
            "248d6a61d20638b8");
  EXPECT_EQ(sha256_text(std::string(1000, 'a'), 8), "41edece4");
}

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
  const Count largest = Count::largest();
  EXPECT_EQ(to_string(largest), "340282366920938463463374607431768211455");
  EXPECT_EQ(count_from(to_string(largest)), largest);
  EXPECT_EQ(count_from("340282366920938463463374607431768211456"), std::nullopt);
  EXPECT_EQ(count_from("0"), Count{0});
  for (const char* bad : {"", "-1", "1 ", "0x1"}) EXPECT_EQ(count_from(bad), std::nullopt);
}

TEST(Count, is_exact_or_an_error) {
  const Count largest = Count::largest();
  EXPECT_EQ(largest + 0, largest);
  EXPECT_THROW(static_cast<void>(largest + 1), Error);
  EXPECT_EQ(((Count{1} << 64) - 1) * (Count{1} << 64), largest - ((Count{1} << 64) - 1));
  EXPECT_THROW(static_cast<void>((Count{1} << 64) * (Count{1} << 64)), Error);
  EXPECT_EQ(Count{1} << 127, largest / 2 + 1);
  EXPECT_THROW(static_cast<void>(Count{1} << 128), Error);
  EXPECT_THROW(static_cast<void>(Count{2} << 127), Error);
  EXPECT_EQ(Count{0} << 200, 0);
  EXPECT_EQ(largest >> 127, 1);
  EXPECT_EQ(largest >> 128, 0);
  EXPECT_EQ(Count{7} - 7, 0);
  EXPECT_THROW(static_cast<void>(Count{6} - 7), Error);
  EXPECT_THROW(Count{-1}, Error);
  EXPECT_THROW(static_cast<void>(Count{1} / 0), Error);
  EXPECT_THROW(static_cast<void>(Count{1} % 0), Error);
  EXPECT_EQ((Count{1} << 100) % 1000, 376);  // 1267650600228229401496703205376
  Count count = 5;
  EXPECT_THROW(count += largest, Error);
  EXPECT_EQ(count, 5);
  EXPECT_THROW(size_product(bit(32), bit(32), "elements"), Error);
  EXPECT_EQ(ceil_div(7, 3), 3U);
  EXPECT_EQ(ceil_div(largest, 2), Count{1} << 127);
}

// Beside the compiler's own 128 bits, on operands of every size.
TEST(Count, computes_as_128_bits_do) {
  __extension__ typedef unsigned __int128 Wide;
  const auto wide = [](Count c) { return Wide{c.high()} << 64U | c.low(); };
  const auto count = [](Wide w) {
    return (Count{static_cast<std::uint64_t>(w >> 64U)} << 64) + static_cast<std::uint64_t>(w);
  };
  const auto same = [&](bool fits, Wide value, auto&& compute) {
    if (!fits) {
      EXPECT_THROW(static_cast<void>(compute()), Error);
    } else {
      EXPECT_EQ(compute(), count(value));
    }
  };
  Random random(128);
  const auto operand = [&] {
    const Wide all = Wide{random.next()} << 64U | random.next();
    const Wide some = all >> random.below(128);
    return random.below(4) == 0 ? ~Wide{0} - (some >> 64U) : some;
  };
  for (int round = 0; round < 20000; ++round) {
    const Wide x = operand();
    const Wide y = operand();
    const Count a = count(x);
    const Count b = count(y);
    ASSERT_TRUE(wide(a) == x);
    EXPECT_EQ(a < b, x < y);
    same(x + y >= x, x + y, [&] { return a + b; });
    same(x >= y, x - y, [&] { return a - b; });
    same(y == 0 || x <= ~Wide{0} / y, x * y, [&] { return a * b; });
    same(y != 0, y == 0 ? 0 : x / y, [&] { return a / b; });
    same(y != 0, y == 0 ? 0 : x % y, [&] { return a % b; });
    const auto by = static_cast<unsigned>(random.below(128));
    same(x <= ~Wide{0} >> by, x << by, [&] { return a << by; });
    same(true, x >> by, [&] { return a >> by; });
    EXPECT_DOUBLE_EQ(static_cast<double>(a), static_cast<double>(x));
  }
  static_assert((Count{7} << 100) / (Count{1} << 99) == 14);
}

TEST(Count, becomes_an_integer_that_holds_it_or_throws) {
  EXPECT_EQ(static_cast<std::uint8_t>(Count{255}), 255);
  EXPECT_THROW(static_cast<void>(static_cast<std::uint8_t>(Count{256})), Error);
  EXPECT_EQ(static_cast<std::int64_t>(Count{(std::uint64_t{1} << 63U) - 1}),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(Count{std::uint64_t{1} << 63U})), Error);
  EXPECT_THROW(static_cast<void>(static_cast<std::uint64_t>(Count{1} << 64)), Error);
  EXPECT_TRUE(static_cast<bool>(Count{1} << 64));
  EXPECT_EQ(static_cast<double>(Count{1} << 100), 0x1p100);
}

TEST(Count, is_ordered_by_its_value) {
  EXPECT_LT(Count{5}, Count{1} << 64);
  EXPECT_GT((Count{1} << 64) + 5, Count{1} << 64);
  EXPECT_LT((Count{1} << 64) + 5, Count{2} << 64);
  EXPECT_EQ(Count{7} <=> 7, std::strong_ordering::equal);
}

TEST(Count, is_printed_by_streams_and_by_fmt) {
  std::ostringstream out;
  out << Count{1} * 42 << ' ' << (Count{1} << 64);
  EXPECT_EQ(out.str(), "42 18446744073709551616");
  EXPECT_EQ(fmt::format("{} {:>5}", Count{1} << 64, Count{42}), "18446744073709551616    42");
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

TEST(Progress, work_without_one_is_heard_by_who_listens) {
  int calls = 0;
  const Progress count = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(done + total, 0U);
    return ++calls == 3 ? Continue::no : Continue::yes;
  };
  still_working();  // nobody listens
  const auto work_until_told = [] {
    for (;;) still_working();
  };
  {
    const Listening outer(count);
    const Listening inner{Progress()};  // nobody new: who listened before still does
    EXPECT_THROW(work_until_told(), Error);
  }
  EXPECT_EQ(calls, 3);
  still_working();
  EXPECT_EQ(calls, 3);
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
