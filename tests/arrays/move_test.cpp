#include "arrays/move.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/engine/reference.hpp"

namespace faro {
namespace {

using Order = NpyHeader::Order;
using Shape = std::vector<std::uint64_t>;

NpyHeader header_of(Shape shape, Order order = Order::c) {
  NpyHeader header = npy_header("<i4", std::move(shape));
  header.order = order;
  return header;
}

// 0, 1, .. in logical C order, stored as the header says, moved; again in logical C order.
std::vector<int> moved(const NpyHeader& from, const ArrayMove& move) {
  const auto places = [](const NpyHeader& header) {
    ArrayPlaces all{header.shape, {}, 0};
    std::int64_t stride = 4;
    if (header.order == Order::fortran) {
      for (const auto length : header.shape) {
        all.strides.push_back(stride);
        stride *= static_cast<std::int64_t>(length);
      }
    }
    return all;
  };
  std::vector<int> logical(from.elements());
  std::iota(logical.begin(), logical.end(), 0);
  const Map same = Map::identity(logical.size());
  std::vector<int> stored(logical.size());
  reference_permute(same, {4, {}, places(from)}, logical.data(), stored.data());
  std::vector<int> result(logical.size());
  PermutePlan::out_of_place(move.map, move.shape)
      .execute(std::as_bytes(std::span(stored)), std::as_writable_bytes(std::span(result)));
  reference_permute(same, {4, places(move.to), {}}, result.data(), logical.data());
  return logical;
}

TEST(ArrayMove, fields_that_are_the_axes_give_the_shape) {
  for (const Order from_order : {Order::c, Order::fortran}) {
    for (const Order to_order : {Order::c, Order::fortran}) {
      const NpyHeader from = header_of({3, 4, 5}, from_order);
      const auto move = array_move(from, "a b c -> c rev(b) ~a", std::nullopt, to_order, "x");
      ASSERT_TRUE(move.has_value());
      EXPECT_EQ(move->to.shape, (Shape{5, 4, 3}));
      EXPECT_EQ(move->to.order, to_order);
      EXPECT_EQ(move->text, "a=3 b:2 c=5 -> c b[0] b[1] ~a");
      const std::vector<int> to = moved(from, *move);
      const int reversed[] = {0, 2, 1, 3};
      for (int c = 0; c < 5; ++c) {
        for (int b = 0; b < 4; ++b) {
          for (int a = 0; a < 3; ++a) {
            EXPECT_EQ(to[static_cast<std::size_t>((c * 4 + b) * 3 + a)],
                      ((2 - a) * 4 + reversed[b]) * 5 + c);
          }
        }
      }
    }
  }
}

TEST(ArrayMove, other_maps_keep_the_shape) {
  const NpyHeader from = header_of({6, 4});
  const auto move = array_move(from, "r=3 c=8 -> c r", std::nullopt, Order::c, "x");
  ASSERT_TRUE(move.has_value());
  EXPECT_EQ(move->to.shape, (Shape{6, 4}));
  const std::vector<int> to = moved(from, *move);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 8; ++c) EXPECT_EQ(to[static_cast<std::size_t>(c * 3 + r)], r * 8 + c);
  }
}

TEST(ArrayMove, one_axis_of_any_length) {
  for (const Order order : {Order::c, Order::fortran}) {
    const NpyHeader from = header_of({2, 6, 3}, order);
    const auto move = array_move(from, "i -> ~i", -2, order, "x");
    ASSERT_TRUE(move.has_value());
    EXPECT_EQ(move->to.shape, from.shape);
    const std::vector<int> to = moved(from, *move);
    for (int k = 0; k < 36; ++k) {
      EXPECT_EQ(to[static_cast<std::size_t>(k)], k / 18 * 18 + (5 - k / 3 % 6) * 3 + k % 3);
    }
  }
}

TEST(ArrayMove, maps_of_index_bits_are_left_to_the_kernels_of_bits) {
  const auto is_left = [](Shape shape, std::string_view text,
                          std::optional<std::int64_t> axis = std::nullopt) {
    return !array_move(header_of(std::move(shape)), text, axis, Order::c, "x").has_value();
  };
  EXPECT_TRUE(is_left({8, 4}, "i -> rev(i)"));
  EXPECT_TRUE(is_left({8, 4}, "r:2 c -> c r"));
  EXPECT_TRUE(is_left({8, 3}, "gray", 0));
  EXPECT_TRUE(is_left({10}, "gray"));  // and refused there
  EXPECT_FALSE(is_left({8, 4}, "r c -> c r"));
  EXPECT_FALSE(is_left({8, 4}, "r=8 c=4 -> c r"));
  EXPECT_FALSE(is_left({8, 3}, "i -> ~i", 1));
  EXPECT_FALSE(is_left({8, 3}, "r c -> c r"));
}

TEST(ArrayMove, axes_and_orders) {
  const NpyHeader from = header_of({2, 3, 4});
  const ArrayMove move = array_axes_move(from, {2, 0, -2}, Order::c, "x");
  EXPECT_EQ(move.to.shape, (Shape{4, 2, 3}));
  const std::vector<int> to = moved(from, move);
  for (int k = 0; k < 24; ++k) EXPECT_EQ(to[static_cast<std::size_t>(k)], k % 6 * 4 + k / 6);

  const ArrayMove stored = array_axes_move(from, {}, Order::fortran, "x");
  EXPECT_EQ(stored.to.shape, from.shape);
  EXPECT_EQ(stored.to.order, Order::fortran);
  const std::vector<int> same = moved(from, stored);
  for (int k = 0; k < 24; ++k) EXPECT_EQ(same[static_cast<std::size_t>(k)], k);
}

TEST(ArrayMove, refusals) {
  const NpyHeader from = header_of({6, 4});
  EXPECT_THROW(array_axes_move(from, {0}, Order::c, "x"), Error);
  EXPECT_THROW(array_axes_move(from, {0, 0}, Order::c, "x"), Error);
  EXPECT_THROW(array_axes_move(from, {0, 2}, Order::c, "x"), Error);
  EXPECT_THROW(array_move(from, "r=5 c=4 -> c r", std::nullopt, Order::c, "x"), Error);
  EXPECT_THROW(array_move(from, "i -> rev(i)", 0, Order::c, "x"), Error);
  EXPECT_THROW(array_move(from, "i -> ~i", 2, Order::c, "x"), Error);
  EXPECT_THROW(array_axes_move(header_of({0, 4}), {1, 0}, Order::c, "x"), Error);
}

}  // namespace
}  // namespace faro
