// Odd conditions together, drawn at random for every kernel set: sizes of elements, batches, places
// in memory, threads and stores, out of place and in place, and bytes around the data that nobody
// may touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "engine/kernels/kernels.hpp"
#include "engine/moves.hpp"
#include "full.hpp"

namespace faro {
namespace {

using namespace testing;

constexpr std::size_t guard_bytes = 64;
constexpr auto guard = std::byte{0xA5};

struct Condition {
  BitMap map;
  PermuteShape shape;
  PermuteOptions options;
  std::size_t from_offset = 0;
  std::size_t to_offset = 0;
};

BitMap drawn_map(int width, Random& random) {
  switch (random.below(6)) {
    case 0:
      return bit_reversal(width);
    case 1:
      return gray(width).inverse();
    case 2:
      return random_bpc(width, random);
    case 3:
      return vector_reversal(width);
    default:
      return random_affine(width, random);
  }
}

Condition drawn(Simd simd, Random& random) {
  constexpr std::array<std::uint64_t, 10> elements{1, 2, 3, 4, 5, 6, 8, 12, 16, 64};
  Condition c{drawn_map(static_cast<int>(random.below(sanitized() ? 11 : 17)), random), {}, {}};
  c.shape.element_bytes = elements[random.below(elements.size())];
  if (random.below(3) == 0) c.shape.outer = 1 + random.below(5);
  if (random.below(4) == 0) c.shape.inner = 1 + random.below(4);
  c.options.simd = simd;
  c.options.threads = static_cast<int>(1 + random.below(4));
  c.options.stores =
      std::array{Stores::automatic, Stores::ordinary, Stores::streaming}[random.below(3)];
  c.from_offset = random.below(71);
  c.to_offset = random.below(71);
  return c;
}

// Data between guards, `offset` bytes past a guard.
struct Guarded {
  std::vector<std::byte> memory;
  std::span<std::byte> data;

  Guarded(std::size_t offset, std::size_t bytes)
      : memory(offset + bytes + 2 * guard_bytes, guard),
        data(std::span(memory).subspan(guard_bytes + offset, bytes)) {}
  bool untouched_around() const {
    const auto is_guard = [](std::byte b) { return b == guard; };
    const auto begin = memory.begin() + (data.data() - memory.data());
    return std::all_of(memory.begin(), begin, is_guard) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(data.size()), memory.end(), is_guard);
  }
};

void expect_moved(const Condition& c) {
  const auto plan = PermutePlan::out_of_place(c.map, c.shape, c.options);
  const auto in_place = PermutePlan::in_place(c.map, c.shape, c.options);
  const auto numbers = numbered_bytes(plan.data_bytes());
  Guarded from(c.from_offset, numbers.size());
  Guarded to(c.to_offset, numbers.size());
  std::copy(numbers.begin(), numbers.end(), from.data.begin());
  plan.execute(from.data, to.data);
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), from.data.begin()));
  EXPECT_FALSE(reference_compare(c.map, c.shape, numbers.data(), to.data.data()).found)
      << plan.describe();
  in_place.execute_in_place(from.data);
  EXPECT_TRUE(std::equal(to.data.begin(), to.data.end(), from.data.begin())) << in_place.describe();
  EXPECT_TRUE(from.untouched_around() && to.untouched_around());
}

TEST(OddConditions, move_right_and_touch_nothing_around) {
  const int conditions = full_run() ? 500 : 60;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    Random random(static_cast<std::uint64_t>(set->vector_log2) + 100);
    for (int i = 0; i < conditions; ++i) {
      const Condition c = drawn(i % 4 == 0 ? Simd::automatic : set->simd, random);
      expect_moved(c);
      ASSERT_FALSE(HasFailure()) << words(c.map, c.shape, c.options) << ", offsets "
                                 << c.from_offset << " and " << c.to_offset;
    }
  }
}

}  // namespace
}  // namespace faro
