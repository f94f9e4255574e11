// Maps of digits of any length against tables of the functions that they are.
#include "faro/algebra/map.hpp"

#include <gtest/gtest.h>

#include <map>

#include "algebra/every_map.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using namespace testing;

TEST(Map, worked_examples) {
  const Map swapped = Map::from_axes(std::vector<Word>{3, 4}, std::vector<int>{1, 0});
  EXPECT_EQ(table_of(swapped), (Table{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
  Digits digits = swapped.digits();
  ASSERT_EQ(digits.from.size(), 3U);  // the 4 is two bits
  digits.to.back().reversed = true;
  EXPECT_EQ(table_of(Map::from_digits(digits)), (Table{2, 5, 8, 11, 1, 4, 7, 10, 0, 3, 6, 9}));
  EXPECT_EQ(Map::identity(12),
            Map::from_axes(std::vector<Word>{3, 1, 4}, std::vector<int>{1, 0, 2}));
  EXPECT_EQ(Map::identity(1), Map());
  const Map largest = Map::identity(bit(63));
  ASSERT_NE(largest.bits(), nullptr);
  EXPECT_EQ(*largest.bits(), BitMap::identity(63));
  EXPECT_EQ(table_of(rolled(5, 2)), (Table{2, 3, 4, 0, 1}));
  EXPECT_EQ(table_of(Map::turn(5, {true, 1})), (Table{0, 4, 3, 2, 1}));  // -x mod 5
  // 12 rolled by 4 is a 3 rolled by 1 above a plain 4; -x is ~x rolled by 1.
  EXPECT_EQ(rolled(12, 4), beside(rolled(3, 1), Map::identity(4)));
  EXPECT_EQ(rolled(12, 16), rolled(12, 4));
  EXPECT_EQ(then(reversed(7), rolled(7, 1)), Map::turn(7, {true, 1}));
  const Map bits = BitMap::from_places({1, 0});  // a BitMap is one
  EXPECT_EQ(then(bits, bits), Map::identity(4));
}

// Equal functions are equal values, different ones are not, for all maps of up to 360 elements.
TEST(Map, normal_forms_are_unique) {
  std::size_t maps = 0;
  std::size_t met_again = 0;
  const Word largest = testing::sanitized() ? 120 : 360;
  for (Word n = 1; n <= largest; ++n) {
    const bool small = n <= 48 || testing::full_run();
    std::map<Table, Map, WordsLess> by_table;
    every_map(n, small ? 4 : 3, small ? 4 : 1, Turns::reversals, [&](const Digits& digits) {
      const Map map = Map::from_digits(digits);
      const Table table = table_of(digits);
      const auto [found, fresh] = by_table.emplace(table, map);
      ASSERT_EQ(found->second, map) << n;
      if (fresh) {
        ASSERT_EQ(table_of(map), table) << n;
        ASSERT_EQ(table_of(map.inverse())[table[n / 2]], n / 2);
        ASSERT_EQ(then(map, map.inverse()), Map::identity(n)) << n;
        ASSERT_EQ(map.inverse().inverse(), map);
      }
      ++maps;
      met_again += fresh ? 0 : 1;
    });
  }
  EXPECT_GT(maps, testing::sanitized() ? 20000U : 100000U);
  EXPECT_GT(met_again, testing::sanitized() ? 4000U : 20000U);
}

TEST(Map, compositions_are_those_of_the_functions) {
  std::size_t composed = 0;
  std::size_t refused = 0;
  for (const Word n : {12U, 16U, 24U, 30U, 36U, 48U, 60U}) {
    if (testing::sanitized() && n > 30) break;
    std::vector<Map> all;
    every_map(n, 4, 20, Turns::reversals,
              [&](const Digits& digits) { all.push_back(Map::from_digits(digits)); });
    Random random(n);
    const std::size_t pairs = testing::full_run() ? 200000 : 4000;
    for (std::size_t k = 0; k < pairs; ++k) {
      const Map& f = all[random.below(all.size())];
      const Map& g = all[random.below(all.size())];
      try {
        const Map h = then(f, g);
        ASSERT_EQ(table_of(h), after(table_of(f), table_of(g)));
        ASSERT_EQ(then(g.inverse(), f.inverse()), h.inverse());
        ++composed;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::impossible);
        ++refused;
      }
    }
  }
  EXPECT_GT(composed, 2000U);
  EXPECT_GT(refused, 2000U);
}

// Maps that only move digits, all pairs: refused exactly where no tensor map is the composition.
TEST(Map, moves_of_digits_are_refused_only_where_no_composition_exists) {
  std::size_t composed = 0;
  std::size_t refused = 0;
  for (const Word n : {12U, 16U, 24U, 30U, 36U, 48U, 60U}) {
    if (testing::sanitized() && n > 30) break;
    std::map<Table, Map, WordsLess> moves;
    std::vector<Word> start;
    factor(n, 6, start, [&](const std::vector<Word>& lengths) {
      std::vector<int> order(lengths.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        const Map map = Map::from_axes(lengths, order);
        moves.emplace(table_of(map), map);
      } while (std::next_permutation(order.begin(), order.end()));
    });
    for (const auto& [f_table, f] : moves) {
      for (const auto& [g_table, g] : moves) {
        const auto wanted = moves.find(after(f_table, g_table));
        try {
          const Map h = then(f, g);
          ASSERT_NE(wanted, moves.end());
          ASSERT_EQ(h, wanted->second);
          ++composed;
        } catch (const Error&) {
          ASSERT_EQ(wanted, moves.end()) << n;
          ++refused;
        }
      }
    }
  }
  EXPECT_GT(composed, testing::sanitized() ? 300U : 10000U);
  EXPECT_GT(refused, testing::sanitized() ? 300U : 10000U);
}

TEST(Map, refusals_name_the_digits) {
  const auto axes = [](std::vector<Word> lengths, std::vector<int> order) {
    return Map::from_axes(lengths, order);
  };
  try {
    then(axes({6, 4}, {1, 0}), axes({6, 4}, {1, 0}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::impossible);
    EXPECT_STREQ(error.what(),
                 "these two maps have no common digits: 4 x 6 against 6 x 4; two passes do it");
  }
  EXPECT_THROW(then(Map::identity(12), Map::identity(13)), Error);
  EXPECT_THROW(axes({3, 4}, {0}), Error);
  EXPECT_THROW(axes({3, 4}, {0, 0}), Error);
  EXPECT_THROW(axes({3, 4}, {0, 2}), Error);
  EXPECT_THROW(axes({3, 0}, {0, 1}), Error);
  EXPECT_THROW(axes({bit(62), 3}, {0, 1}), Error);
  EXPECT_THROW(axes({3, 4}, {1, 0}).as_bits(), Error);
  const Digit three{3, 0};
  const Digit five{5, 0};
  const Digit of_bit;
  EXPECT_THROW(Map::from_digits({{three}, {five}, {}}), Error);
  EXPECT_THROW(Map::from_digits({{three}, {}, {}}), Error);
  EXPECT_THROW(Map::from_digits({{three}, {three, three}, {}}), Error);
  EXPECT_THROW(Map::from_digits({{three, of_bit}, {three, of_bit}, {}}), Error);
  EXPECT_THROW(Map::from_digits({{three}, {{3, 0, false, 3}}, {}}), Error);
  EXPECT_THROW(Map::from_digits({{{3, 0, false, 1}}, {three}, {}}), Error);
  EXPECT_THROW(Map::from_digits({{of_bit}, {{2, Digit::is_bit, true}}, BitMap::identity(1)}),
               Error);
  EXPECT_THROW(Map::turn(0, {}), Error);
  EXPECT_THROW(beside(BitMap::identity(40), Map(BitMap::identity(25))), Error);
}

TEST(Map, bit_maps_go_there_and_back) {
  Random random(3);
  for (int width = 0; width <= 64; ++width) {
    const BitMap map = testing::random_affine(width, random);
    const Map tensor = Map::from_bits(map);
    ASSERT_EQ(tensor.as_bits(), map);
    ASSERT_EQ(Map::from_digits(tensor.digits()), tensor);
    ASSERT_EQ(tensor.inverse().as_bits(), map.inverse());
    const Word x = random.next() & low_mask(width);
    ASSERT_EQ(tensor(x), map(x));
  }
}

// All turns of all digits, 32 elements.
TEST(Map, normal_forms_of_turned_digits_are_unique) {
  std::size_t maps = 0;
  std::size_t functions = 0;
  for (Word n = 1; n <= (testing::sanitized() ? 16 : 32); ++n) {
    std::map<Table, Map, WordsLess> by_table;
    const bool few = n % 8 == 0 && !testing::full_run();
    every_map(n, few ? 4 : 5, 8, Turns::all, [&](const Digits& digits) {
      const Map map = Map::from_digits(digits);
      const Table table = table_of(digits);
      const auto [found, fresh] = by_table.emplace(table, map);
      ASSERT_EQ(found->second, map) << n;
      ++maps;
      if (!fresh) return;
      ++functions;
      ASSERT_EQ(table_of(map), table) << n;
      ASSERT_EQ(Map::from_digits(map.digits()), map);
      ASSERT_EQ(map.inverse()(table[n / 2]), n / 2);
      ASSERT_EQ(map.inverse().inverse(), map);
      ASSERT_EQ(then(map, map.inverse()), Map::identity(n)) << n;
    });
  }
  EXPECT_GT(maps, testing::sanitized() ? 2000U : 50000U);
  EXPECT_LT(functions, maps);
}

TEST(Map, compositions_with_turns_are_those_of_the_functions) {
  Random random(11);
  std::size_t composed = 0;
  std::size_t refused = 0;
  std::size_t associated = 0;
  const std::vector<Word> sizes{12, 16, 24, 30, 36, 48, 60, 64, 72, 96, 120, 144, 180, 210, 360};
  const std::size_t rounds = testing::full_run() ? 100000 : testing::sanitized() ? 1000 : 12000;
  for (std::size_t k = 0; k < rounds; ++k) {
    const Word n = sizes[random.below(sizes.size())];
    const Map f = random_turned(n, random);
    const Map g = random_turned(n, random);
    const Map h = random_turned(n, random);
    try {
      const Map fg = then(f, g);
      ASSERT_EQ(table_of(fg), after(table_of(f), table_of(g)));
      ASSERT_EQ(fg.inverse(), then(g.inverse(), f.inverse()));
      ++composed;
      const Map gh = then(g, h);
      ASSERT_EQ(then(fg, h), then(f, gh));
      ++associated;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible);
      ++refused;
    }
  }
  EXPECT_GT(composed, rounds / 3);
  EXPECT_GT(refused, rounds / 8);
  EXPECT_GT(associated, rounds / 8);
}

// All pairs of all maps of a few elements: what is refused is nearly always no map.
TEST(Map, refusals_are_right_where_there_is_no_map) {
  std::size_t refused = 0;
  std::size_t had_one = 0;
  for (const Word n : {6U, 8U, 10U, 12U}) {
    std::map<Table, Map, WordsLess> all;
    every_map(n, 4, 1344, Turns::all, [&](const Digits& digits) {
      all.emplace(table_of(digits), Map::from_digits(digits));
    });
    std::vector<const std::pair<const Table, Map>*> maps;
    for (const auto& one : all) maps.push_back(&one);
    Random random(n);
    for (int k = 0; k < (testing::sanitized() ? 200 : 3000); ++k) {
      const auto& [f_table, f] = *maps[random.below(maps.size())];
      const auto& [g_table, g] = *maps[random.below(maps.size())];
      const auto wanted = all.find(after(f_table, g_table));
      try {
        const Map h = then(f, g);
        ASSERT_TRUE(wanted == all.end() ? n == 8 : h == wanted->second);
      } catch (const Error&) {
        ++refused;
        had_one += wanted == all.end() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refused, 300U);
  EXPECT_LT(had_one * 20, refused);
}

// What leaves the class, and what does not.
TEST(Map, compositions_that_leave_the_class_are_refused_in_words) {
  const auto axes = [](std::vector<Word> lengths, std::vector<int> order) {
    return Map::from_axes(lengths, order);
  };
  const auto refusal = [](const Map& f, const Map& g) -> std::string {
    try {
      then(f, g);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const Map by_1 = rolled(8, 1);
  const Map sum = BitMap::from_columns(std::vector<Word>{3, 2, 4});
  const Map rev = BitMap::from_places({2, 1, 0});
  EXPECT_EQ(by_1.bits(), nullptr);
  EXPECT_EQ(
      refusal(by_1, sum),
      "these two maps have no common digits: 8 rolled by 1 against 8, and a rolled digit goes "
      "on only as a whole; two passes do it");
  EXPECT_NE(refusal(by_1, rev), "");
  EXPECT_EQ(refusal(by_1, reversed(8)), "");
  EXPECT_EQ(then(rolled(16, 4), beside(sum, Map::identity(2))).as_bits().width(), 4);
  EXPECT_EQ(then(rolled(16, 8), rolled(16, 4)), rolled(16, 12));
  // 12 as 3 x 4, the 4's bits mixed.
  const Map mixed = beside(Map::identity(3), BitMap::from_columns(std::vector<Word>{3, 2}));
  EXPECT_EQ(refusal(beside(mixed, Map::identity(5)), axes({12, 5}, {1, 0})), "");
  EXPECT_EQ(then(mixed, rolled(12, 4)).digits().from.size(), 3U);
  for (const Word roll : {1U, 3U, 6U}) EXPECT_NE(refusal(mixed, rolled(12, roll)), "") << roll;
  // 3 rolled by 1 above a plain 4, then 12 by 1.
  EXPECT_EQ(then(beside(rolled(3, 1), Map::identity(4)), rolled(12, 1)), rolled(12, 5));
  const Map swapped = axes({3, 5}, {1, 0});
  EXPECT_EQ(refusal(swapped, rolled(15, 3)), "");
  for (const Word roll : {1U, 5U}) EXPECT_NE(refusal(swapped, rolled(15, roll)), "") << roll;
  EXPECT_EQ(refusal(reversed(6), axes({3, 2}, {1, 0})), "");
  // There is a map here, 2 x 3 -> ~3 x 2, since 3 * 2 = 1 mod 5; it is refused all the same.
  Digits digits = axes({3, 2}, {1, 0}).digits();
  digits.bits = BitMap::from_places({0}, 1);
  const Map first = Map::from_digits(digits);
  digits = axes({3, 2}, {1, 0}).digits();
  digits.to.back().reversed = true;
  EXPECT_NE(refusal(first, Map::from_digits(digits)), "");
}

// A turn of 2^k is affine exactly if it rolls by a multiple of a quarter.
TEST(Map, turns_that_are_bits) {
  for (int k = 0; k <= 10; ++k) {
    for (Word roll = 0; roll < bit(k); ++roll) {
      for (const bool reversed : {false, true}) {
        const Map map = Map::turn(bit(k), {reversed, roll});
        ASSERT_EQ(map.bits() != nullptr, k < 2 || roll % bit(k - 2) == 0) << k << " " << roll;
        if (k > 6 || map.bits() == nullptr) continue;
        for (Word x = 0; x < bit(k); ++x)
          ASSERT_EQ(map(x), ((reversed ? bit(k) - 1 - x : x) + roll) % bit(k));
      }
    }
  }
}

TEST(Map, is_bits_exactly_if_it_is_affine) {
  Random random(5);
  std::size_t affine_maps = 0;
  constexpr std::size_t rounds = 3600;
  for (std::size_t k = 0; k < rounds; ++k) {
    const int width = 1 + static_cast<int>(k % 6);
    const Map map = random_turned(bit(width), random);
    bool affine = true;
    for (Word x = 0; x < bit(width); ++x) {
      Word y = map(0);
      for (int b = 0; b < width; ++b)
        if (has_bit(x, b)) y ^= map(bit(b)) ^ map(0);
      affine = affine && y == map(x);
    }
    ASSERT_EQ(affine, map.bits() != nullptr);
    affine_maps += affine ? 1 : 0;
  }
  EXPECT_GT(affine_maps, rounds / 4);
  EXPECT_LT(affine_maps, rounds - rounds / 50);
}

// A rolled digit cannot be cut: whatever the digits, what can be cut is a place of some digits, and
// then the low digits of one side alone say the low digits.
TEST(Map, cuts_are_places_of_digits) {
  Random random(7);
  std::size_t cut = 0;
  std::size_t not_cut = 0;
  for (int k = 0; k < 3000; ++k) {
    const Word n = 2 + random.below(90);
    const Map map = random_turned(n, random);
    for (Word m = 1; m <= n; ++m) {
      for (const auto side : {Map::Side::from, Map::Side::to}) {
        const bool can = map.can_cut(side, m);
        if (n % m != 0) {
          ASSERT_FALSE(can);
          continue;
        }
        const std::vector<Word> whole{n};
        const std::vector<Word> two{n / m, m};
        const auto fine = [&] {
          try {
            const bool at_source = side == Map::Side::from;
            return table_of(map.digits_of(at_source ? two : whole, at_source ? whole : two)) ==
                   table_of(map);
          } catch (const Error&) {
            return false;
          }
        };
        ASSERT_EQ(can, fine()) << n << " " << m;
        ++(can ? cut : not_cut);
      }
    }
  }
  EXPECT_GT(cut, 3000U);
  EXPECT_GT(not_cut, 1000U);
  EXPECT_FALSE(rolled(12, 1).can_cut(Map::Side::to, 4));
  EXPECT_TRUE(rolled(12, 4).can_cut(Map::Side::to, 4));
  EXPECT_TRUE(Map(BitMap::identity(64)).can_cut(Map::Side::from, bit(63)));
}

TEST(Map, a_map_that_is_none_of_bits_says_which_length) {
  const auto reason = [](const Map& map) -> std::string {
    try {
      map.as_bits();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(reason(Map::from_axes(std::vector<Word>{3, 4}, std::vector<int>{1, 0})),
            "no map of bits: an axis of length 3 is moved, no power of two");
  EXPECT_EQ(reason(rolled(16, 2)),
            "no map of bits: a digit of length 8 is rolled by 1, which carries");
  EXPECT_EQ(reason(rolled(16, 4)), "");
}

TEST(Map, beside_is_a_map_of_blocks_and_one_within_them) {
  std::size_t pairs = 0;
  std::vector<Map> all;
  for (const Word n : {1U, 4U, 6U, 12U})
    every_map(n, 3, 2, Turns::reversals,
              [&](const Digits& digits) { all.push_back(Map::from_digits(digits)); });
  for (std::size_t i = 0; i < all.size(); i += 7) {
    for (std::size_t j = 0; j < all.size(); j += 11) {
      const Map both = beside(all[i], all[j]);
      const auto low = static_cast<Word>(all[j].elements());
      ASSERT_EQ(both.elements(), all[i].elements() * low);
      for (Word x = 0; x < both.elements(); ++x)
        ASSERT_EQ(both(x), all[i](x / low) * low + all[j](x % low));
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 500U);
}

TEST(Map, digits_of_has_the_axes_of_the_arrays) {
  const Map map = Map::from_axes(std::vector<Word>{100, 256, 64}, std::vector<int>{2, 1, 0});
  const Digits fine =
      map.digits_of(std::vector<Word>{50, 2, 256, 64}, std::vector<Word>{64, 256, 2, 5, 10});
  EXPECT_EQ(fine.from.size(), 4U + 14U);  // 100 is 2 x 5 x 5 x 2
  EXPECT_EQ(Map::from_digits(fine), map);
  // 100 is 10 x 10 at the source and 4 x 25 at the destination: 10 and 25 have no common digits.
  EXPECT_THROW(map.digits_of(std::vector<Word>{10, 10, 256, 64}, std::vector<Word>{64, 256, 4, 25}),
               Error);
}

}  // namespace
}  // namespace faro
