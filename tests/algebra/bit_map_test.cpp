// Bit maps: worked examples, inverses, compositions, and what is no map.
#include "faro/algebra/bit_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/algebra/layout.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using testing::random_affine;

TEST(BitMap, bit_reversal_then_complement_of_bit_0) {
  const std::vector<int> place = {2, 1, 0};
  const BitMap map = BitMap::from_places(place, 0b001);
  EXPECT_EQ(map(0b110), 0b010U);
  EXPECT_EQ(map(0), 1U);
  EXPECT_EQ(classify(map), MapClass::bpc);
}

TEST(BitMap, dependent_columns_are_named) {
  const std::vector<Word> columns = {0b011, 0b101, 0b110};
  try {
    BitMap::from_columns(columns);
    FAIL();
  } catch (const NotInvertible& error) {
    EXPECT_EQ(error.dependent(), 0b111U);
  }
}

// What refuses, and a word of its message: mistakes of a caller are told as such.
void refused(const char* word, const std::function<void()>& mistake) {
  try {
    mistake();
    ADD_FAILURE() << "not refused: " << word;
  } catch (const InternalError& error) {
    ADD_FAILURE() << error.what();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(BitMap, what_does_not_fit_is_refused_in_words) {
  const BitMap three = BitMap::identity(3);
  const BitMap four = BitMap::identity(4);
  const AffineSpace all = AffineSpace::everything(3);
  refused("cannot follow", [&] { then(three, four); });
  refused("at most 64", [] { beside(BitMap::identity(40), BitMap::identity(25)); });
  refused("from 0 to 64", [] { gray_map(65); });
  refused("from 0 to 64", [] { ungray_map(-1); });
  refused("from 0 to 64", [] { BitMap::identity(65); });
  refused("column 3", [&] { three.column(3); });
  refused("column -1", [&] { three.column(-1); });
  refused("column 2", [] { BitMatrix(2, 2).set_column(2, 1); });
  refused("row 3", [&] { three.matrix().row(3); });
  refused("square", [] { BitMap::from_matrix(BitMatrix(2, 3)); });
  refused("square", [] { BitMatrix(2, 3).inverse(); });
  refused("complement", [] { BitMap::from_matrix(BitMatrix::identity(2), 4); });
  refused("above row", [] { BitMatrix::from_columns(2, std::vector<Word>{4}); });
  refused("at most 64", [] { BitMatrix::from_columns(2, std::vector<Word>(65)); });
  refused("3 rows from 1", [] { BitMatrix(3, 3).block(1, 3, 0, 1); });
  refused("rows from 0", [] { BitMatrix(3, 3).block(0, 1 << 30, 1 << 30, 1 << 30); });
  refused("cannot follow", [] { then(BitMatrix(2, 3), BitMatrix(3, 3)); });
  refused("together", [] { place_of({.processor_bits = 40, .memory_bits = 40}); });
  refused("together", [] { place_of({.processor_bits = 1 << 30, .memory_bits = 1 << 30}); });
  refused("addresses of 65", [] { AffineSpace::everything(65); });
  refused("beside", [&] { all.image(four); });
  refused("beside", [&] { all.minus(AffineSpace::everything(4)); });
  refused("does not fit", [&] { all.meet(Parity{8, 0}); });
  refused("no first", [] { AffineSpace::nothing(3).first(); });
}

TEST(BitMap, a_map_and_its_inverse_are_the_identity) {
  EXPECT_TRUE(rc::check("inverse", [](std::uint64_t seed) {
    Random random(seed);
    const int width = static_cast<int>(random.below(65));
    const BitMap map = random_affine(width, random);
    RC_ASSERT(then(map, map.inverse()) == BitMap::identity(width));
    RC_ASSERT(then(map.inverse(), map) == BitMap::identity(width));
  }));
}

TEST(BitMap, then_applies_the_first_map_first) {
  EXPECT_TRUE(rc::check("then", [](std::uint64_t seed) {
    Random random(seed);
    const int width = 1 + static_cast<int>(random.below(64));
    const BitMap f = random_affine(width, random);
    const BitMap g = random_affine(width, random);
    const Word x = random.next() & low_mask(width);
    RC_ASSERT(then(f, g)(x) == g(f(x)));
    RC_ASSERT(hash_of(then(f, g)) == hash_of(then(f, g)));
  }));
}

TEST(BitMap, consecutive_indices_agree_with_one_by_one) {
  Random random(3);
  for (int width = 0; width <= 64; ++width) {
    const BitMap map = random_affine(width, random);
    const Word end = width > 10 ? 1000 : bit(width);
    const Word last = low_mask(width) - (end - 1);
    const Word first = last == 0 ? 0 : random.next() % last;
    std::vector<Word> out(end);
    apply_consecutive(map, first, out);
    for (Word k = 0; k < end; ++k) ASSERT_EQ(out[k], map(first + k));
  }
}

TEST(BitMap, moved_elements_agree_with_counting) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const int width = static_cast<int>(random.below(9));
    const BitMap map = random_affine(width, random);
    Count moved = 0;
    for (Word x = 0; x < bit(width); ++x) moved += map(x) != x ? 1 : 0;
    ASSERT_EQ(moved_elements(map), moved);
    ASSERT_EQ(fixed_points(map), (Count{1} << width) - moved);
  }
  EXPECT_EQ(moved_elements(BitMap::identity(64)), 0U);
  EXPECT_EQ(to_string(fixed_points(BitMap::identity(64))), "18446744073709551616");
}

TEST(Gray, neighbours_differ_in_one_bit) {
  for (Word i = 0; i < 1024; ++i) {
    EXPECT_TRUE(is_power_of_two(gray(i) ^ gray(i + 1)));
    EXPECT_EQ(ungray(gray(i)), i);
    EXPECT_EQ(gray_map(11)(i), gray(i));
    EXPECT_EQ(ungray_map(11)(i), ungray(i));
  }
}

TEST(Layout, element_30_of_table_1) {
  const auto place = [](Allocation allocation, Encoding encoding) {
    return place_of(
        {.allocation = allocation, .encoding = encoding, .processor_bits = 2, .memory_bits = 3})(
        30);
  };
  const auto at = [](Word processor, Word memory) { return (processor << 3) | memory; };
  EXPECT_EQ(place(Allocation::consecutive, Encoding::binary), at(3, 6));
  EXPECT_EQ(place(Allocation::cyclic, Encoding::binary), at(2, 7));
  EXPECT_EQ(place(Allocation::consecutive, Encoding::gray), at(2, 1));
  EXPECT_EQ(place(Allocation::cyclic, Encoding::gray), at(1, 4));
  EXPECT_EQ(place(Allocation::consecutive, Encoding::gray_gray), at(2, 5));
  EXPECT_EQ(place(Allocation::cyclic, Encoding::gray_gray), at(3, 4));
  EXPECT_EQ(place(Allocation::consecutive, Encoding::binary_gray), at(2, 6));
  EXPECT_EQ(place(Allocation::cyclic, Encoding::binary_gray), at(3, 7));
}

TEST(BitMatrix, solve_kernel_and_image_agree_with_enumeration) {
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    const int rows = static_cast<int>(random.below(6));
    const int columns = static_cast<int>(random.below(6));
    BitMatrix m(rows, columns);
    for (int c = 0; c < columns; ++c) m.set_column(c, random.next() & low_mask(rows));
    std::vector<Word> seen(bit(rows), 0);
    for (Word x = 0; x < bit(columns); ++x) ++seen[m.apply(x)];
    ASSERT_EQ(seen[0], bit(static_cast<int>(m.kernel().size())));
    ASSERT_EQ(m.rank() + static_cast<int>(m.kernel().size()), columns);
    for (Word y = 0; y < bit(rows); ++y) {
      const auto x = m.solve(y);
      ASSERT_EQ(x.has_value(), seen[y] != 0);
      if (x) {
        ASSERT_EQ(m.apply(*x), y);
      }
      ASSERT_EQ(reduce(y, m.image()) == 0, seen[y] != 0);
    }
    ASSERT_EQ(m.transposed().rank(), m.rank());
  }
}

}  // namespace
}  // namespace faro
