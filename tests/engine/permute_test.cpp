#include "faro/engine/permute.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/engine/reference.hpp"

namespace faro {
namespace {

TEST(Permute, moves_element_x_to_map_of_x) {
  const std::array<int, 2> place{1, 0};
  const auto map = BitMap::from_places(place, 0b01);  // i[0] ~i[1]
  const std::vector<char> from{'a', 'b', 'c', 'd'};
  std::vector<char> to(4);
  permute<char>(map, from, to);
  for (Word x = 0; x < 4; ++x) EXPECT_EQ(to[map(x)], from[x]);
  std::vector<char> data = from;
  permute_in_place<char>(map, data);
  EXPECT_EQ(data, to);
}

TEST(Permute, refuses_buffers_that_overlap_or_have_other_sizes) {
  std::vector<int> data(9);
  const auto map = BitMap::identity(3);
  const std::span<int> all(data);
  EXPECT_THROW(permute<int>(map, all.subspan(1), all.first(8)), Error);
  EXPECT_THROW(permute<int>(map, all.first(8), all.first(8)), Error);
  EXPECT_THROW(permute<int>(map, all.first(4), all.subspan(4, 4)), Error);
}

}  // namespace
}  // namespace faro
