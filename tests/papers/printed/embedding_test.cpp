// Rings, tori and de Bruijn networks placed on POPS networks.
#include "papers/printed/embedding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "faro/base/bits.hpp"
#include "full.hpp"

namespace faro {
namespace {

using Size = std::uint64_t;

// The most data of a step that share one pair of groups.
Size load(const Pops& machine, const std::vector<Word>& to) {
  std::vector<Size> count(machine.groups * machine.groups, 0);
  for (Word p = 0; p < to.size(); ++p)
    if (to[p] != p) ++count[p / machine.group_size * machine.groups + to[p] / machine.group_size];
  return *std::max_element(count.begin(), count.end());
}

bool is_placement(const Pops& machine, std::vector<Word> processor) {
  std::sort(processor.begin(), processor.end());
  for (Word p = 0; p < processor.size(); ++p)
    if (processor[p] != p) return false;
  return processor.size() == machine.group_size * machine.groups;
}

TEST(PopsEmbedding, rings_share_no_pair_of_groups_more_than_they_must) {
  const Size most = testing::full_run() ? 20 : 9;
  for (Size d = 1; d <= most; ++d)
    for (Size g = 1; g <= most; ++g) {
      const Pops machine{d, g, false};
      const std::array<Size, 1> sides{d * g};
      const std::vector<Word> processor = pops::ring_placement(machine);
      ASSERT_TRUE(is_placement(machine, processor)) << d << " " << g;
      if (d * g > 1) {
        ASSERT_EQ(load(machine, pops::placed(processor, pops::torus_step(sides, 0))),
                  ceil_div(d, g))
            << d << " " << g;
      }
    }
}

TEST(PopsEmbedding, de_bruijn_networks_spread_over_the_couplers) {
  for (int bits = 2; bits <= (testing::full_run() ? 14 : 9); ++bits)
    for (int lg = 0; lg <= bits; ++lg) {
      const Pops machine{bit(bits - lg), bit(lg), false};
      const std::vector<Word> processor = pops::de_bruijn_placement(machine);
      ASSERT_TRUE(is_placement(machine, processor));
      for (const bool complement : {false, true}) {
        const Size moved =
            load(machine, pops::placed(processor, pops::de_bruijn_step(bit(bits), complement)));
        const Size still = complement || lg > 0 ? 0 : 2;  // nodes 0 and n-1 keep what they have
        ASSERT_EQ(moved, ceil_div(machine.group_size, machine.groups) - still) << bits << " " << lg;
      }
    }
}

TEST(PopsEmbedding, tori_are_placed_and_their_steps_are_permutations) {
  constexpr std::array<std::array<Size, 3>, 5> tori{
      {{4, 8, 8}, {8, 8, 16}, {9, 9, 27}, {3, 4, 2}, {6, 6, 9}}};
  for (const auto& [rows, columns, d] : tori) {
    const Pops machine{d, rows * columns / d, false};
    const std::array<Size, 2> sides{rows, columns};
    const std::vector<Word> processor = pops::torus_placement(machine, sides);
    ASSERT_TRUE(is_placement(machine, processor));
    ASSERT_EQ(pops::torus_placement(machine, sides), processor);  // the same every time
    for (const std::size_t side : {0U, 1U}) {
      const std::vector<Word> step = pops::torus_step(sides, side);
      ASSERT_TRUE(is_placement(machine, step));
      const Size moved = load(machine, pops::placed(processor, step));
      EXPECT_GE(moved, ceil_div(d, machine.groups));
      EXPECT_LE(moved, load(machine, step)) << rows << "x" << columns << " " << d;
      if (d >= 2 * machine.groups) {
        EXPECT_EQ(moved, ceil_div(d, machine.groups)) << rows;
      }
    }
  }
}

}  // namespace
}  // namespace faro
