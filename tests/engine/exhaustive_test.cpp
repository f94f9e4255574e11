// All maps of few bits, through every kernel set, out of place and in place.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/kernels/kernels.hpp"
#include "engine/moves.hpp"
#include "full.hpp"

namespace faro {
namespace {

using namespace testing;

// Every `stride`-th of the 322 560 affine maps of 4 bits.
TEST(Exhaustive, affine_maps_of_4_bits) {
  const std::size_t stride = full_run() ? 1 : sanitized() ? 1999 : 211;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1U, 4U, 8U, 16U, 24U, 64U}) {
      std::size_t count = 0;
      for_every_matrix(4, [&](const BitMatrix& matrix) {
        for (Word complement = 0; complement < 16; ++complement) {
          if (count++ % stride != 0 || HasFatalFailure()) continue;
          ASSERT_TRUE(moves_right(BitMap::from_matrix(matrix, complement),
                                  {.element_bytes = element}, {.simd = set->simd}));
        }
      });
      ASSERT_EQ(count, 322560U);
    }
  }
}

TEST(Exhaustive, bit_permutations_with_complements_of_6_bits) {
  const std::size_t stride = full_run() ? 1 : sanitized() ? 499 : 53;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U}) {
      std::array<int, 6> place{0, 1, 2, 3, 4, 5};
      std::size_t count = 0;
      do {
        for (Word complement = 0; complement < 64; ++complement) {
          if (count++ % stride != 0) continue;
          const BitMap map = BitMap::from_places(place, complement);
          const PermuteOptions options{
              .simd = set->simd,
              .stores = complement % 2 == 0 ? Stores::ordinary : Stores::streaming};
          ASSERT_TRUE(moves_right(map, {.element_bytes = element}, options));
        }
      } while (std::next_permutation(place.begin(), place.end()));
      ASSERT_EQ(count, 46080U);
    }
  }
}

}  // namespace
}  // namespace faro
