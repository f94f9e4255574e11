// The notation for axes of any length: meaning, canonical text, sizes and refusals.
#include <gtest/gtest.h>

#include <functional>

#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using Shape = std::vector<Word>;

struct Refusal {
  const char* text;
  NotationFault fault;
  std::size_t at;
  const char* reason;
};

void expect_refusal(const Refusal& wanted, const std::optional<Shape>& shape = {}) {
  try {
    say(wanted.text, {.shape = shape});
    ADD_FAILURE() << wanted.text << " accepted";
  } catch (const NotationError& error) {
    EXPECT_EQ(name_of(error.fault()), std::string(name_of(wanted.fault))) << error.what();
    EXPECT_EQ(error.at(), wanted.at) << error.what();
    EXPECT_EQ(error.reason(), wanted.reason) << wanted.text;
  }
}

TEST(TensorNotation, lengths_and_bits_move_as_the_text_says) {
  const Said n = say("r=5 b:2 c=3 -> c rev(b) ~r", {.shape = {{5, 4, 3}}});
  EXPECT_EQ(n.shape, (Shape{3, 4, 5}));
  for (Word r = 0; r < 5; ++r)
    for (Word b = 0; b < 4; ++b)
      for (Word c = 0; c < 3; ++c) {
        const Word reversed = ((b & 1U) << 1U) | (b >> 1U);
        EXPECT_EQ(n.map((r * 4 + b) * 3 + c), (c * 4 + reversed) * 5 + (4 - r));
      }
  // Bits mix past lengths.
  const Said mixed = say("a:3 r=5 c:3 -> a^c r c");
  for (Word a = 0; a < 8; ++a)
    for (Word r = 0; r < 5; ++r)
      for (Word c = 0; c < 8; ++c)
        EXPECT_EQ(mixed.map((a * 5 + r) * 8 + c), ((a ^ c) * 5 + r) * 8 + c);
}

TEST(TensorNotation, texts_of_the_same_map_are_one) {
  const auto same = [](const char* a, const char* b) {
    EXPECT_EQ(say(a).map, say(b).map) << a << " and " << b;
  };
  same("a=3 b=4 -> a b", "i=12 -> i");
  same("r=3 c=4 -> ~(r c)", "i=12 -> ~i");
  same("r=3 c=4 -> (c r)", "r=3 c:2 -> c r");
  same("r=8 c=4 -> c r", "r:3 c:2 -> c r");
  same("x=3 y:5 -> y x", "x=3 y=32 -> y x");
  same("p=12 m=1000 -> p | m => m=1000 p=12 -> p | m", "m=1000 p=12 -> p m");
  same("m=1000 p -> p | m => p=12 m=1000 -> p | m", "p=12 m=1000 -> m p");
}

TEST(TensorNotation, sizes_come_from_the_array) {
  const auto text_of = [](const char* text, const Shape& shape) {
    return to_notation(say(text, {.shape = shape}).map);
  };
  EXPECT_EQ(text_of("r b c -> c rev(b) r", {100, 256, 65}), "a=100 b:8 c=65 -> c rev(b) a");
  EXPECT_EQ(text_of("r c -> c r", {128, 256}), "i:15 -> rot(i, 7)");
  EXPECT_EQ(text_of("r c=3 -> c r", {51, 3}), "a=51 b=3 -> b a");
  EXPECT_EQ(text_of("i -> rev(i)", {16, 4}), "i:6 -> rev(i)");
  EXPECT_EQ(text_of("gray", {16, 4}), "i:6 -> gray(i)");
  const Shape odd = {100, 255, 64};
  expect_refusal(
      {"r b:8 c -> c b r", NotationFault::size, 2, "axis 1 has length 255, the words say 256"},
      odd);
  expect_refusal({"r c=3 -> c r", NotationFault::size, 0,
                  "there are 17 elements, not divisible by 3, what the other fields say"},
                 Shape{17});
  expect_refusal(
      {"r=4 c=3 -> c r", NotationFault::size, 0, "there are 13 elements, the words say 12"},
      Shape{13});
  expect_refusal(
      {"r c -> c r", NotationFault::size, 2, "needs a size: c:4 for bits, c=12 for a length"},
      Shape{12});
  expect_refusal({"gray", NotationFault::size, 0,
                  "gray is a map of index bits, and there are 12 elements; 8 and 16 are the "
                  "nearest powers of two"},
                 Shape{12});
  expect_refusal({"r -> rev(r)", NotationFault::width, 5,
                  "rev takes bits; r has length 12, which is no power of two; 8 and 16 are the "
                  "nearest powers of two"},
                 Shape{12});
}

TEST(TensorNotation, refusals) {
  using F = NotationFault;
  const std::vector<Refusal> all = {
      {"r=100 -> rev(r)", F::width, 9,
       "rev takes bits; r has length 100, which is no power of two; 64 and 128 are the nearest "
       "powers of two"},
      {"x=12 y=3 -> x[3:0] y", F::width, 14,
       "[high:low] takes bits; x has length 12, which is no power of two; 8 and 16 are the nearest "
       "powers of two"},
      {"x=12 b:2 -> x^b b", F::width, 12,
       "'^' takes bits; x has length 12, which is no power of two; 8 and 16 are the nearest powers "
       "of two"},
      {"x=12 b:2 -> b^x x", F::width, 14,
       "'^' takes bits; x has length 12, which is no power of two; 8 and 16 are the nearest powers "
       "of two"},
      {"x=12 b:2 -> zip(b, x)", F::width, 19,
       "zip takes bits; x has length 12, which is no power of two; 8 and 16 are the nearest powers "
       "of two"},
      {"x=0 -> x", F::range, 2, "length 0"},
      {"x=9223372036854775807 y=2 -> y x", F::limit, 24, "lengths together beyond 2^63"},
      {"x=3 y=4 -> x", F::singular, 12, "lost: y[0], y[1]"},
      {"x=3 y=4 -> x y x", F::singular, 15, "x is there twice"},
      {"x=3 b:2 -> x b[0] b[0]", F::singular, 18, "b[0] is used twice; lost: b[1]"},
      {"x=3 -> y", F::name, 7, "no field named 'y'; there is x, and rest, all that is not named"},
      {"x=3 x=4 -> x", F::name, 4, "field 'x' twice"},
      {"rev=3 x=2 -> x", F::name, 0, "'rev' cannot name a field"},
      {"x= -> x", F::syntax, 3, "expected a length, found '->'"},
      {"p=3 | m=4 -> m | p", F::cut, 10, "3 processors left of '->', 4 right of it"},
      {"p=4 m=6 -> p | m => m=4 p=6 -> p | m", F::cut, 20, "4 processors before '=>', 6 after it"},
      {"a=6 b=4 -> b | a => p=6 m=4 -> p | m", F::cut, 20, "4 processors before '=>', 6 after it"},
  };
  for (const Refusal& refusal : all) expect_refusal(refusal);
}

TEST(TensorNotation, what_is_no_map_of_bits_names_a_length) {
  EXPECT_EQ(say("r=8 -> r").map.as_bits(), BitMap::identity(3));
  try {
    static_cast<void>(say("r=100 b:8 -> b r").as_bits());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("100"), std::string::npos) << error.what();
  }
}

void expect_round_trip(const Map& map, const TensorCut& cut) {
  const std::string text = to_notation(map, cut);
  const Said back = say(text);
  ASSERT_EQ(back.map, map) << text;
  ASSERT_EQ(back.cut, cut) << text;
  ASSERT_EQ(to_notation(back.map, back.cut), text);
}

TEST(TensorNotation, canonical_texts) {
  const auto canonical = [](const char* text) {
    const Said n = say(text);
    return to_notation(n.map, n.cut);
  };
  EXPECT_EQ(canonical("r=100 b:8 c=65 -> c rev(b) r"), "a=100 b:8 c=65 -> c rev(b) a");
  EXPECT_EQ(canonical("r=100 b:8 c=64 -> c rev(b) r"), "a=100 b:14 -> b[5:0] rev(b[13:6]) a");
  EXPECT_EQ(canonical("r=6 c=4 -> ~c r"), "a=6 b:2 -> ~b a");
  EXPECT_EQ(canonical("p=12 m=36 -> p | m => m=36 p=12 -> p | m"), "a=12 | b=3 c=12 -> c | a b");
  EXPECT_EQ(canonical("i=12000 -> i |"), "a=12000 -> a |");
  EXPECT_EQ(canonical("p=12 m=5 -> m | p"), "a=12 b=5 -> b | a");
  EXPECT_EQ(canonical("p=12 | m=5 -> p | ~m"), "a=12 | b=5 -> a | ~b");
  EXPECT_EQ(canonical("p:0 | m=5 -> | ~m"), "a:0 | b=5 -> | ~b");
  EXPECT_EQ(canonical("p=5 | m:0 -> ~p |"), "a=5 | b:0 -> ~a |");
  EXPECT_EQ(canonical("p=7 | m=5 -> p | m"), "a=7 | b=5 -> a | b");
  // Blocks of 1000 over 12 processors to every twelfth: no '|' on the left has such digits.
  EXPECT_THROW(canonical("p=12 m=1000 -> p | m => m=1000 p=12 -> p | m"), Error);
}

TEST(TensorNotation, random_maps_print_and_parse_back) {
  Random random(7);
  std::size_t cuts = 0;
  const int rounds = testing::full_run() ? 20000 : testing::sanitized() ? 300 : 2000;
  for (int round = 0; round < rounds; ++round) {
    Digits digits;
    const int slots = 1 + static_cast<int>(random.below(9));
    int lengths = 0;
    int width = 0;
    Word product = 1;
    for (int k = 0; k < slots; ++k) {
      const bool bits = random.below(2) == 0;
      const Word length = bits ? 2 : 3 + random.below(12);
      const Word times = bits ? 1 + random.below(8) : 1;
      for (Word i = 0; i < times; ++i) {
        if (length > (bit(63) / product)) break;
        product *= length;
        digits.from.push_back({length, bits ? Digit::is_bit : lengths++, false});
        width += bits ? 1 : 0;
      }
    }
    digits.to = digits.from;
    random.mix(digits.to);
    for (Digit& digit : digits.to)
      if (digit.which >= 0) digit.reversed = random.below(3) == 0;
    digits.bits = random.below(2) == 0 ? testing::random_affine(width, random)
                                       : BitMap::from_places(testing::random_places(width, random),
                                                             random.next() & low_mask(width));
    const Map map = Map::from_digits(digits);
    expect_round_trip(map, {});
    // Cut after some digits of the destination, and of both where the source has such a place too.
    Word right = 1;
    for (std::size_t k = random.below(digits.to.size()); k < digits.to.size(); ++k)
      right *= digits.to[k].length;
    expect_round_trip(map, {Cut::Kind::layout, product / right});
    try {
      to_notation(map, {Cut::Kind::both, product / right});
    } catch (const Error&) {
      continue;
    }
    ++cuts;
    expect_round_trip(map, {Cut::Kind::both, product / right});
  }
  EXPECT_GT(cuts, 20U);
}

// The longest texts that a map can have: dense bits between many lengths.
TEST(TensorNotation, dense_maps_fit_the_longest_text) {
  Random random(9);
  for (int lengths = 1; lengths < 24; ++lengths) {
    Digits digits;
    int width = 0;
    Word product = 1;
    for (int k = 0; k < lengths; ++k) {
      digits.from.push_back({3, k, false});
      product *= 3;
    }
    while (product <= bit(62)) {
      product *= 2;
      digits.from.push_back({});
      ++width;
    }
    random.mix(digits.from);
    int number = 0;
    for (Digit& digit : digits.from)
      if (digit.which >= 0) digit.which = number++;
    digits.to = digits.from;
    random.mix(digits.to);
    digits.bits = testing::random_affine(width, random);
    expect_round_trip(Map::from_digits(digits), {});
  }
}

}  // namespace
}  // namespace faro
