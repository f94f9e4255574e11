// Arrays of any shape moved by words: values and shapes against the obvious loop.
#include "arrays/move.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "engine/reference.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"

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
      const auto move = array_move(from, "a b c -> c rev(b) ~a", {.order = to_order}, "x");
      EXPECT_EQ(move.to.shape, (Shape{5, 4, 3}));
      EXPECT_EQ(move.to.order, to_order);
      EXPECT_EQ(move.text, "a=3 b:2 c=5 -> c b[0] b[1] ~a");
      const std::vector<int> to = moved(from, move);
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

TEST(ArrayMove, words_of_the_flat_index_keep_the_shape) {
  const NpyHeader from = header_of({6, 4});
  const auto move = array_move(from, "r=3 c=8 -> c r", {.flat = true}, "x");
  EXPECT_EQ(move.to.shape, (Shape{6, 4}));
  const std::vector<int> to = moved(from, move);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 8; ++c) EXPECT_EQ(to[static_cast<std::size_t>(c * 3 + r)], r * 8 + c);
  }
  EXPECT_EQ(array_move(from, "i -> ~i", {}, "x").to.shape, (Shape{6, 4}));
  EXPECT_THROW(array_move(from, "r=3 c=8 -> c r", {}, "x"), NotationError);
}

TEST(ArrayMove, one_axis_of_any_length) {
  for (const Order order : {Order::c, Order::fortran}) {
    const NpyHeader from = header_of({2, 6, 3}, order);
    const auto move = array_move(from, "i -> ~i", {.axes = {{-2}}, .order = order}, "x");
    EXPECT_EQ(move.to.shape, from.shape);
    const std::vector<int> to = moved(from, move);
    for (int k = 0; k < 36; ++k) {
      EXPECT_EQ(to[static_cast<std::size_t>(k)], k / 18 * 18 + (5 - k / 3 % 6) * 3 + k % 3);
    }
  }
}

TEST(ArrayMove, axes_that_words_give_stand_in_the_place_of_theirs) {
  const NpyHeader from = header_of({3, 6, 2});
  EXPECT_EQ(array_move(from, "(a:1 b) -> b a", {.axes = {{1}}}, "x").to.shape, (Shape{3, 3, 2, 2}));
  EXPECT_EQ(array_move(from, "r c -> c r", {.axes = {{0, 1}}}, "x").to.shape, (Shape{6, 3, 2}));
  EXPECT_EQ(array_move(from, "(a:1 b) -> b a", {.axes = {{2}, {1}}}, "x").to.shape,
            (Shape{3, 3, 2, 1, 2}));
  EXPECT_THROW(array_move(from, "r c -> c r", {.axes = {{0, 2}}}, "x"), Error);
  EXPECT_THROW(array_move(from, "gray", {.axes = {{2}, {-1}}}, "x"), Error);
}

// As the kernels of bits and those of axes move it.
TEST(ArrayMove, bits_are_told_where_both_arrays_are_stored_alike) {
  for (const Order order : {Order::c, Order::fortran}) {
    const NpyHeader from = header_of({4, 8, 2}, order);
    for (const char* text : {"a b c -> c rev(b) a", "i -> gray(i)", "numpy:a.T", "zarr:(2,2,1)"}) {
      const auto move = array_move(from, text, {.order = order}, "x");
      ASSERT_TRUE(move.bits.has_value()) << text;
      std::vector<int> stored(64);
      std::vector<int> one(64);
      std::vector<int> other(64);
      std::iota(stored.begin(), stored.end(), 0);
      PermutePlan::out_of_place(move.map, move.shape)
          .execute(std::as_bytes(std::span(stored)), std::as_writable_bytes(std::span(one)));
      PermutePlan::out_of_place(move.bits->map, move.bits->shape)
          .execute(std::as_bytes(std::span(stored)), std::as_writable_bytes(std::span(other)));
      EXPECT_EQ(one, other) << text;
    }
  }
  EXPECT_FALSE(array_move(header_of({4, 8}), "i -> ~i", {.order = Order::fortran}, "x").bits);
  EXPECT_FALSE(array_move(header_of({8, 3}), "r c -> c r", {}, "x").bits);
  EXPECT_TRUE(array_move(header_of({8, 3}), "gray", {.axes = {{0}}}, "x").bits);
}

TEST(ArrayMove, the_way_back_keeps_the_shape_or_is_refused) {
  const NpyHeader from = header_of({6, 4});
  const auto there = array_move(from, "r c -> roll(r, 1) ~c", {}, "x");
  const auto back = array_move(from, "r c -> roll(r, 1) ~c", {.inverse = true}, "x");
  EXPECT_EQ(then(there.map, back.map), Map::identity(24));
  EXPECT_THROW(array_move(from, "r c -> c r", {.inverse = true}, "x"), Error);
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
  EXPECT_THROW(array_move(from, "r=5 c=4 -> c r", {}, "x"), Error);
  EXPECT_THROW(array_move(from, "i -> rev(i)", {.axes = {{0}}}, "x"), Error);
  EXPECT_THROW(array_move(from, "i -> ~i", {.axes = {{2}}}, "x"), Error);
  EXPECT_THROW(array_axes_move(header_of({0, 4}), {1, 0}, Order::c, "x"), Error);
}

}  // namespace
}  // namespace faro
