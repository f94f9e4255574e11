#include "faro/algebra/tensor_map.hpp"

#include <gtest/gtest.h>

#include <map>

#include "algebra/every_tensor_map.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using namespace testing;

TEST(TensorMap, worked_examples) {
  const TensorMap swapped = TensorMap::from_axes(std::vector<Word>{3, 4}, std::vector<int>{1, 0});
  EXPECT_EQ(table_of(swapped), (Table{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
  TensorDigits digits = swapped.digits();
  ASSERT_EQ(digits.from.size(), 3U);  // the 4 is two bits
  digits.to.back().reversed = true;
  EXPECT_EQ(table_of(TensorMap::from_digits(digits)),
            (Table{2, 5, 8, 11, 1, 4, 7, 10, 0, 3, 6, 9}));
  EXPECT_EQ(TensorMap::identity(12),
            TensorMap::from_axes(std::vector<Word>{3, 1, 4}, std::vector<int>{1, 0, 2}));
  EXPECT_EQ(TensorMap::identity(1), TensorMap());
  EXPECT_TRUE(TensorMap::identity(bit(63)).bits().has_value());
}

// Equal functions are equal values, different ones are not, for all maps of up to 360 elements.
TEST(TensorMap, normal_forms_are_unique) {
  std::size_t maps = 0;
  std::size_t met_again = 0;
  const Word largest = testing::sanitized() ? 120 : 360;
  for (Word n = 1; n <= largest; ++n) {
    const bool small = n <= 48 || testing::full_run();
    std::map<Table, TensorMap, WordsLess> by_table;
    every_map(n, small ? 4 : 3, small ? 4 : 1, [&](const TensorDigits& digits) {
      const TensorMap map = TensorMap::from_digits(digits);
      const Table table = table_of(digits);
      const auto [found, fresh] = by_table.emplace(table, map);
      ASSERT_EQ(found->second, map) << n;
      if (fresh) {
        ASSERT_EQ(table_of(map), table) << n;
        ASSERT_EQ(table_of(map.inverse())[table[n / 2]], n / 2);
        ASSERT_EQ(then(map, map.inverse()), TensorMap::identity(n)) << n;
        ASSERT_EQ(map.inverse().inverse(), map);
      }
      ++maps;
      met_again += fresh ? 0 : 1;
    });
  }
  EXPECT_GT(maps, testing::sanitized() ? 20000U : 100000U);
  EXPECT_GT(met_again, testing::sanitized() ? 4000U : 20000U);
}

TEST(TensorMap, compositions_are_those_of_the_functions) {
  std::size_t composed = 0;
  std::size_t refused = 0;
  for (const Word n : {12U, 16U, 24U, 30U, 36U, 48U, 60U}) {
    std::vector<TensorMap> all;
    every_map(n, 4, 20,
              [&](const TensorDigits& digits) { all.push_back(TensorMap::from_digits(digits)); });
    Random random(n);
    const std::size_t pairs = testing::full_run() ? 200000 : 4000;
    for (std::size_t k = 0; k < pairs; ++k) {
      const TensorMap& f = all[random.below(all.size())];
      const TensorMap& g = all[random.below(all.size())];
      try {
        const TensorMap h = then(f, g);
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
TEST(TensorMap, moves_of_digits_are_refused_only_where_no_composition_exists) {
  std::size_t composed = 0;
  std::size_t refused = 0;
  for (const Word n : {12U, 16U, 24U, 30U, 36U, 48U, 60U}) {
    std::map<Table, TensorMap, WordsLess> moves;
    std::vector<Word> start;
    factor(n, 6, start, [&](const std::vector<Word>& lengths) {
      std::vector<int> order(lengths.size());
      std::iota(order.begin(), order.end(), 0);
      do {
        const TensorMap map = TensorMap::from_axes(lengths, order);
        moves.emplace(table_of(map), map);
      } while (std::next_permutation(order.begin(), order.end()));
    });
    for (const auto& [f_table, f] : moves) {
      for (const auto& [g_table, g] : moves) {
        const auto wanted = moves.find(after(f_table, g_table));
        try {
          const TensorMap h = then(f, g);
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
  EXPECT_GT(composed, 10000U);
  EXPECT_GT(refused, 10000U);
}

TEST(TensorMap, refusals_name_the_digits) {
  const auto axes = [](std::vector<Word> lengths, std::vector<int> order) {
    return TensorMap::from_axes(lengths, order);
  };
  try {
    then(axes({6, 4}, {1, 0}), axes({6, 4}, {1, 0}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::impossible);
    EXPECT_STREQ(error.what(), "these two maps have no common digits: 4 x 6 against 6 x 4");
  }
  EXPECT_THROW(then(TensorMap::identity(12), TensorMap::identity(13)), Error);
  EXPECT_THROW(axes({3, 4}, {0}), Error);
  EXPECT_THROW(axes({3, 4}, {0, 0}), Error);
  EXPECT_THROW(axes({3, 4}, {0, 2}), Error);
  EXPECT_THROW(axes({3, 0}, {0, 1}), Error);
  EXPECT_THROW(axes({bit(62), 3}, {0, 1}), Error);
  EXPECT_THROW(axes({3, 4}, {1, 0}).as_bits(), Error);
  const Digit three{3, 0, false};
  const Digit five{5, 0, false};
  const Digit of_bit;
  EXPECT_THROW(TensorMap::from_digits({{three}, {five}, {}}), Error);
  EXPECT_THROW(TensorMap::from_digits({{three}, {}, {}}), Error);
  EXPECT_THROW(TensorMap::from_digits({{three}, {three, three}, {}}), Error);
  EXPECT_THROW(TensorMap::from_digits({{three, of_bit}, {three, of_bit}, {}}), Error);
}

TEST(TensorMap, bit_maps_go_there_and_back) {
  Random random(3);
  for (int width = 0; width <= 64; ++width) {
    const BitMap map = testing::random_affine(width, random);
    const TensorMap tensor = TensorMap::from_bits(map);
    ASSERT_EQ(tensor.as_bits(), map);
    ASSERT_EQ(TensorMap::from_digits(tensor.digits()), tensor);
    ASSERT_EQ(tensor.inverse().as_bits(), map.inverse());
    const Word x = random.next() & low_mask(width);
    ASSERT_EQ(tensor(x), map(x));
  }
}

TEST(TensorMap, beside_is_a_map_of_blocks_and_one_within_them) {
  std::size_t pairs = 0;
  std::vector<TensorMap> all;
  for (const Word n : {1U, 4U, 6U, 12U})
    every_map(n, 3, 2,
              [&](const TensorDigits& digits) { all.push_back(TensorMap::from_digits(digits)); });
  for (std::size_t i = 0; i < all.size(); i += 7) {
    for (std::size_t j = 0; j < all.size(); j += 11) {
      const TensorMap both = beside(all[i], all[j]);
      const auto low = static_cast<Word>(all[j].elements());
      ASSERT_EQ(both.elements(), all[i].elements() * low);
      for (Word x = 0; x < both.elements(); ++x)
        ASSERT_EQ(both(x), all[i](x / low) * low + all[j](x % low));
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 500U);
}

TEST(TensorMap, digits_of_has_the_axes_of_the_arrays) {
  const TensorMap map =
      TensorMap::from_axes(std::vector<Word>{100, 256, 64}, std::vector<int>{2, 1, 0});
  const TensorDigits fine =
      map.digits_of(std::vector<Word>{50, 2, 256, 64}, std::vector<Word>{64, 256, 2, 5, 10});
  EXPECT_EQ(fine.from.size(), 4U + 14U);  // 100 is 2 x 5 x 5 x 2
  EXPECT_EQ(TensorMap::from_digits(fine), map);
  // 100 is 10 x 10 at the source and 4 x 25 at the destination: 10 and 25 have no common digits.
  EXPECT_THROW(map.digits_of(std::vector<Word>{10, 10, 256, 64}, std::vector<Word>{64, 256, 4, 25}),
               Error);
}

}  // namespace
}  // namespace faro
