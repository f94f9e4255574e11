// Every kernel set against the obvious loop.
#include "engine/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include "affine.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/engine/reference.hpp"
#include "full.hpp"

namespace faro {
namespace {

using namespace testing;

std::vector<BitMap> maps_of(int width, Random& random) {
  std::vector<BitMap> maps{BitMap::identity(width),    bit_reversal(width),
                           rotation(width, 1),         rotation(width, width - 1),
                           rotation(width, width / 2), gray(width),
                           gray(width).inverse(),      vector_reversal(width)};
  for (int i = 0; i < 3; ++i) {
    maps.push_back(random_affine(width, random));
    maps.push_back(random_bpc(width, random));
  }
  return maps;
}

void expect_as_reference(const BitMap& map, const PermuteShape& shape,
                         const PermuteOptions& options, std::size_t from_off, std::size_t to_off) {
  const auto plan = PermutePlan::out_of_place(map, shape, options);
  const std::size_t bytes = plan.data_bytes();
  const auto from = numbered_bytes(bytes + from_off);
  std::vector<std::byte> to(bytes + to_off);
  plan.execute(std::span(from).subspan(from_off), std::span(to).subspan(to_off));
  const Mismatch wrong = reference_compare(map, shape, from.data() + from_off, to.data() + to_off);
  EXPECT_FALSE(wrong.found) << "simd " << static_cast<int>(options.simd) << " stores "
                            << static_cast<int>(options.stores) << " width " << map.width()
                            << " element " << shape.element_bytes << " offsets " << from_off << ","
                            << to_off << " from " << wrong.from << " to " << wrong.to;
}

TEST(Kernels, agree_with_the_obvious_loop) {
  Random random(1);
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1, 2, 4, 8, 16, 64}) {
      for (int width = 1; width <= 14; ++width) {
        for (const BitMap& map : maps_of(width, random)) {
          for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
            expect_as_reference(map, {.element_bytes = element},
                                {.simd = set->simd, .stores = stores}, 0, 0);
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace faro
