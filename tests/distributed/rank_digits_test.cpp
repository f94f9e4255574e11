// Axes of any length on ranks: what each does by itself and the exchange between, performed.
#include "distributed/rank_digits.hpp"

#include <gtest/gtest.h>

#include "engine/reference.hpp"
#include "engine/shapes.hpp"
#include "faro/base/error.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"

namespace faro {
namespace {

Map map_of(const char* text) {
  return say(text).map;
}

// The parts of all ranks, one after another, as the ranks would move them.
std::vector<std::byte> performed(const RankDigits& digits, std::uint64_t element_bytes,
                                 std::vector<std::byte> data) {
  const Word ranks = bit(digits.rank_bits);
  const std::uint64_t part = data.size() / ranks;
  std::vector<std::byte> next(data.size());
  const auto on_each = [&](const Map& map) {
    for (Word rank = 0; rank < ranks; ++rank)
      reference_permute(map, {element_bytes, {}, {}}, data.data() + rank * part,
                        next.data() + rank * part);
    data.swap(next);
  };
  on_each(digits.before);
  const std::uint64_t slice = part / digits.slices;
  const ExchangePlan plan =
      ExchangePlan::make(digits.bits, digits.rank_bits, digits.unit * element_bytes);
  EXPECT_EQ(plan.local_bytes(), slice);
  for (Word s = 0; s < digits.slices; ++s) {
    std::vector<std::byte> from(slice * ranks);
    std::vector<std::byte> to(slice * ranks);
    for (Word rank = 0; rank < ranks; ++rank)
      std::memcpy(from.data() + rank * slice, data.data() + rank * part + s * slice, slice);
    exchange_in_process(plan, from, to);
    for (Word rank = 0; rank < ranks; ++rank)
      std::memcpy(next.data() + rank * part + s * slice, to.data() + rank * slice, slice);
  }
  data.swap(next);
  on_each(digits.after);
  return data;
}

void judge(const Map& map, Word ranks, std::uint64_t element_bytes, Word unit_max, Random& random) {
  std::vector<std::byte> from(static_cast<std::size_t>(map.elements() * element_bytes));
  for (std::byte& b : from) b = static_cast<std::byte>(random.below(256));
  std::vector<std::byte> wanted(from.size());
  reference_permute(map, {element_bytes, {}, {}}, from.data(), wanted.data());
  RankDigits digits = rank_digits(map, ranks);
  ASSERT_EQ(performed(digits, element_bytes, from), wanted) << to_notation(map);
  try {
    digits = sliced(digits, unit_max);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::impossible);
    return;
  }
  ASSERT_LE(digits.unit, unit_max);
  ASSERT_EQ(performed(digits, element_bytes, from), wanted)
      << to_notation(map) << " in " << digits.slices << " slices";
}

TEST(RankDigits, transposes_of_any_size_are_exchanges_of_bits_in_units) {
  const RankDigits digits = rank_digits(map_of("r=12000 c=12000 -> c r"), 8);
  EXPECT_EQ(digits.bits, say("r:3 c:3 -> c r").map.as_bits());
  EXPECT_EQ(digits.unit, 1500U * 1500U);
  EXPECT_EQ(digits.before, map_of("r=1500 b:3 c=1500 -> b r c"));
  EXPECT_EQ(digits.after, map_of("b:3 r=1500 c=1500 -> c b r"));
  EXPECT_FALSE(digits.moves_whole_ranks());
  const RankDigits cut = sliced(digits, 400000);
  EXPECT_EQ(cut.slices, 6U);
  EXPECT_EQ(cut.unit, 375000U);
  // Lengths that lie below the bits already cost no pass.
  const RankDigits easy = rank_digits(map_of("p:2 b:3 r=9 c=5 -> b[1:0] p b[2] r c"), 4);
  EXPECT_FALSE(easy.has_before());
  EXPECT_FALSE(easy.has_after());
  const RankDigits one_pass = rank_digits(map_of("p:2 r=9 b:3 -> b[1:0] p b[2] ~r"), 4);
  EXPECT_TRUE(one_pass.has_before());
  EXPECT_FALSE(one_pass.has_after());
}

TEST(RankDigits, whole_ranks_move_as_one) {
  const RankDigits digits = rank_digits(map_of("p:3 r=100 b:2 -> gray(p) rev(b) ~r"), 8);
  EXPECT_TRUE(digits.moves_whole_ranks());
  EXPECT_EQ(digits.of_ranks(), say("p:3 -> gray(p)").map.as_bits());
  EXPECT_FALSE(
      rank_digits(map_of("p:3 r=100 b:2 -> p[1:0] b[0] r b[1] p[2]"), 8).moves_whole_ranks());
}

TEST(RankDigits, random_maps_move_right) {
  Random random(31);
  const int cases = testing::full_run() ? 5000 : testing::sanitized() ? 150 : 600;
  int judged = 0;
  for (int n = 0; n < cases; ++n) {
    std::vector<Word> to_shape;
    const Map map = testing::random_map(testing::random_lengths(4000, random), random.below(2) == 0,
                                        random, to_shape);
    const Word ranks = bit(static_cast<int>(random.below(4)));
    try {
      static_cast<void>(rank_digits(map, ranks));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::impossible);
      continue;
    }
    ++judged;
    ASSERT_NO_FATAL_FAILURE(judge(map, ranks, 1 + random.below(8), 1 + random.below(30), random));
  }
  EXPECT_GT(judged, cases / 4);
}

TEST(RankDigits, what_no_ranks_can_share_is_refused_in_words) {
  const auto refusal = [](const char* text, Word ranks) {
    try {
      static_cast<void>(rank_digits(map_of(text), ranks));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::impossible);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(refusal("r=12 c=5 -> c r", 12).find("power of two"), std::string::npos);
  EXPECT_NE(refusal("r=15 c=5 -> c r", 4).find("not divisible among"), std::string::npos);
  EXPECT_NE(refusal("r=15 c=4 -> c r", 4).find("multiples of 4"), std::string::npos);
  EXPECT_EQ(refusal("r=16 c=12 -> c r", 4), "none");
  EXPECT_THROW(sliced(rank_digits(map_of("r=8 c=6007 -> r ~c"), 8), 3), Error);
}

}  // namespace
}  // namespace faro
