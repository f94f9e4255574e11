// faro::permute as users call it.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "engine/reference.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"

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

TEST(Permute, words_move_vectors_of_any_length) {
  for (const char* words : {"r=3 c=4 -> c r", "i -> ~i", "roll(i, 5)", "a=2 b=6 -> a ~b",
                            "r:2 c=3 -> rev(r) c", "a=3 (b:1 c) -> c a b"}) {
    const Map map = map_of(words, 12);
    std::vector<int> from(12);
    std::iota(from.begin(), from.end(), 100);
    std::vector<int> to(12);
    permute(words, from, to);
    for (Word x = 0; x < 12; ++x) EXPECT_EQ(to[map(x)], from[x]) << words;
    std::vector<int> again(12);
    permute(map, from, again);
    EXPECT_EQ(again, to) << words;
    permute_in_place(map, from);
    EXPECT_EQ(from, to) << words;
  }
  std::array<char, 6> data{'a', 'b', 'c', 'd', 'e', 'f'};
  permute_in_place("a=2 b=3 -> a ~b", data);
  EXPECT_EQ(data, (std::array<char, 6>{'c', 'b', 'a', 'f', 'e', 'd'}));
  std::vector<int> other(11);
  EXPECT_THROW(permute("r=3 c=4 -> c r", std::vector<int>(12), other), Error);
  EXPECT_THROW(permute("i:4 -> i", std::vector<int>(12), other), NotationError);
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
