// Arrays with shape, order and type, compared element by element with what NumPy's definition of
// the order says.
#include "faro/arrays/array.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/words/say.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using Order = NpyHeader::Order;

Array random_array(std::vector<std::uint64_t> shape, const std::string& type, Order order) {
  Array array{.shape = std::move(shape), .type = type, .order = order, .bytes = {}};
  array.bytes.resize(array.header().data_bytes());
  Random random(array.bytes.size());
  for (std::byte& b : array.bytes) b = static_cast<std::byte>(random.below(256));
  return array;
}

// Where the element at these indices is stored.
std::size_t stored(const Array& array, const std::vector<std::uint64_t>& at) {
  std::size_t place = 0;
  for (std::size_t n = 0; n < at.size(); ++n) {
    const std::size_t k = array.order == Order::c ? n : at.size() - 1 - n;
    place = place * array.shape[k] + at[k];
  }
  return place;
}

// Calls with every index, the last one running fastest.
template <class Work>
void for_each_index(const std::vector<std::uint64_t>& shape, Work&& work) {
  std::vector<std::uint64_t> at(shape.size(), 0);
  const std::uint64_t total =
      std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
  for (std::uint64_t i = 0; i < total; ++i) {
    work(at, i);
    for (std::size_t k = shape.size(); k-- > 0 && ++at[k] == shape[k];) at[k] = 0;
  }
}

void expect_same_element(const Array& a, std::size_t i, const Array& b, std::size_t j) {
  const std::size_t size = a.header().element_bytes;
  const auto at = [size](const Array& x, std::size_t k) {
    return std::vector(x.bytes.begin() + static_cast<std::ptrdiff_t>(k * size),
                       x.bytes.begin() + static_cast<std::ptrdiff_t>((k + 1) * size));
  };
  ASSERT_EQ(at(a, i), at(b, j)) << i << " and " << j;
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Array, is_permuted_along_each_axis_in_both_orders) {
  std::size_t permuted = 0;
  for (const char* type : {"|u1", "<f4", ">c16", "|S3", "[('x', '<i4'), ('y', '|u1', (3,))]"})
    for (const Order order : {Order::c, Order::fortran})
      for (const int axis : {0, 1, 2, -1, -2, -3}) {
        std::vector<std::uint64_t> shape = {3, 5, 7};
        const auto k = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
        shape[k] = 16;
        const Array before = random_array(shape, type, order);
        Array after = before;
        permute(after, "i -> gray(i) ^ 1", {.axis = axis});
        EXPECT_EQ(after.shape, before.shape);
        for_each_index(shape, [&](std::vector<std::uint64_t> at, std::uint64_t) {
          const std::size_t from = stored(before, at);
          at[k] = (at[k] ^ (at[k] >> 1U)) ^ 1U;
          expect_same_element(before, from, after, stored(after, at));
        });
        ++permuted;
      }
  EXPECT_EQ(permuted, 60U);
}

TEST(Array, as_a_whole_is_permuted_in_logical_order) {
  for (const Order order : {Order::c, Order::fortran}) {
    const Array before = random_array({2, 8, 4}, "<i2", order);
    Array after = before;
    permute(after, BitMap::from_places({5, 4, 3, 2, 1, 0}));
    std::vector<std::size_t> places(64);
    for_each_index(before.shape, [&](const std::vector<std::uint64_t>& at, std::uint64_t i) {
      places[i] = stored(before, at);
    });
    const BitMap reversal = say("i:6 -> rev(i)").map.as_bits();
    for (Word i = 0; i < 64; ++i)
      expect_same_element(before, places[i], after, places[reversal(i)]);
  }
}

TEST(Array, goes_through_a_file_unchanged) {
  const testing::Scratch scratch;
  for (const char* type : {"'<f8'", "|b1", "[('x', '<i4'), ('y', '>f2', (3,))]"})
    for (const Order order : {Order::c, Order::fortran})
      for (const auto& shape :
           std::vector<std::vector<std::uint64_t>>{{}, {1}, {0, 3}, {6, 7}, {3, 1, 2, 5}}) {
        const Array array = random_array(shape, type, order);
        write_npy(scratch.path("a.npy"), array);
        const Array back = read_npy(scratch.path("a.npy"));
        EXPECT_EQ(back.shape, array.shape);
        EXPECT_EQ(back.header().type, array.header().type);
        EXPECT_EQ(back.bytes, array.bytes);
      }
}

TEST(Array, of_another_length_is_refused_by_its_length) {
  Array array = random_array({3, 1000, 512}, "|u1", Order::c);
  const std::vector<std::byte> before = array.bytes;
  const auto refused = [&](const char* map, std::int64_t axis) {
    return message_of([&] { permute(array, map, {.axis = axis}); });
  };
  EXPECT_NE(refused("i:10 -> gray(i)", 1).find("1000"), std::string::npos);
  EXPECT_NE(refused("gray", 1).find("512 and 1024 are the nearest"), std::string::npos);
  EXPECT_NE(refused("gray", 1).find("axis 2 (512 elements)"), std::string::npos);
  const std::string shorter = refused("i:10 -> gray(i)", 2);
  EXPECT_NE(shorter.find("512"), std::string::npos) << shorter;
  EXPECT_NE(shorter.find("1024"), std::string::npos) << shorter;
  EXPECT_NE(refused("gray", 3).find("axis 3"), std::string::npos);
  EXPECT_NE(refused("gray", -4).find("axis -4"), std::string::npos);
  const std::string map = message_of([&] { permute(array, BitMap::identity(8), {.axis = -1}); });
  EXPECT_NE(map.find("512"), std::string::npos) << map;
  EXPECT_NE(map.find("256"), std::string::npos) << map;
  EXPECT_EQ(array.bytes, before);
}

TEST(Array, that_contradicts_itself_is_refused) {
  const testing::Scratch scratch;
  Array array = random_array({4}, "<u2", Order::c);
  array.bytes.pop_back();
  EXPECT_NE(message_of([&] { permute(array, "gray"); }).find("8 bytes, not 7"), std::string::npos);
  message_of([&] { write_npy(scratch.path("a.npy"), array); });
  EXPECT_EQ(scratch.count(), 0U);
  array = random_array({4}, "<u2", Order::c);
  array.type = "<u3";
  EXPECT_NE(message_of([&] { permute(array, "gray"); }), "nothing was thrown");
  array.type = "|O";
  EXPECT_NE(message_of([&] { write_npy(scratch.path("a.npy"), array); }), "nothing was thrown");
}

TEST(Arrays, words_that_name_axes_give_the_shape) {
  Array a{.shape = {3, 5}, .type = "<u2", .bytes = std::vector<std::byte>(30)};
  for (std::size_t i = 0; i < 15; ++i) a.bytes[2 * i] = static_cast<std::byte>(i);
  permute(a, "r c -> ~c r");
  EXPECT_EQ(a.shape, (std::vector<std::uint64_t>{5, 3}));
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 5; ++c)
      EXPECT_EQ(a.bytes[2 * ((4 - c) * 3 + r)], static_cast<std::byte>(r * 5 + c));
  permute(a, "numpy:np.roll(a, 1)");
  EXPECT_EQ(a.shape, (std::vector<std::uint64_t>{5, 3}));
  EXPECT_EQ(a.bytes[0], std::byte{10});  // the last element of before: row 2, column 0
}

}  // namespace
}  // namespace faro
