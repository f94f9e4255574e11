// Every kernel set of this CPU against the obvious loop.
#include "engine/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/involutions.hpp"
#include "engine/moves.hpp"
#include "engine/passes.hpp"
#include "full.hpp"

namespace faro {
namespace {

using namespace testing;

std::vector<BitMap> maps_of(int width, Random& random) {
  std::vector<BitMap> maps{BitMap::identity(width),    bit_reversal(width),
                           rotation(width, 1),         rotation(width, width - 1),
                           rotation(width, width / 2), gray(width),
                           gray(width).inverse(),      vector_reversal(width)};
  const int extra = full_run() ? 12 : 2;
  for (int i = 0; i < extra; ++i) {
    maps.push_back(random_affine(width, random));
    maps.push_back(random_bpc(width, random));
  }
  return maps;
}

TEST(Kernels, agree_with_the_obvious_loop_for_every_element_size) {
  Random random(1);
  const int width_max = full_run() ? 17 : sanitized() ? 10 : 13;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
      for (int width = 0; width <= width_max; ++width) {
        for (const BitMap& map : maps_of(width, random)) {
          for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
            const PermuteOptions options{.simd = set->simd, .stores = stores};
            if (!moves_right(map, {.element_bytes = element}, options)) return;
          }
        }
      }
    }
  }
}

TEST(Kernels, agree_wherever_the_buffers_begin) {
  Random random(2);
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U}) {
      for (const Offsets offsets : {Offsets{1, 0}, {0, 1}, {8, 16}, {63, 33}, {4, 60}}) {
        for (const BitMap& map : maps_of(11, random)) {
          for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
            const PermuteOptions options{.simd = set->simd, .stores = stores};
            if (!moves_right(map, {.element_bytes = element}, options, offsets)) return;
          }
        }
      }
      // Tiles of several long runs.
      const PermuteOptions options{.simd = set->simd, .stores = Stores::streaming};
      for (const BitMap& map : maps_of(sanitized() ? 12 : 14, random)) {
        if (!moves_right(map, {.element_bytes = element}, options, {16, 16})) return;
      }
    }
  }
}

// What large data takes by choice, on data small enough to test often.
TEST(Kernels, agree_by_every_way_through_memory) {
  Random random(3);
  const std::vector<int> widths =
      sanitized() ? std::vector<int>{7, 12} : std::vector<int>{7, 11, 13, 16};
  int copied = 0;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U}) {
      for (const int width : widths) {
        for (const BitMap& map : maps_of(width, random)) {
          const PermuteShape shape{.element_bytes = element};
          const PermuteOptions options{.simd = set->simd};
          const auto from = numbered_bytes(element << width);
          std::vector<std::byte> to(from.size() + 1);
          for (std::size_t candidate = 0;; ++candidate) {
            const auto pass =
                engine::plan_pass(map, shape, options, engine::Place::apart, candidate);
            if (!pass) break;
            copied += pass->sections.front().pass.plan.method.copy_in ? 1 : 0;
            for (const std::size_t offset : {0U, 1U}) {
              std::fill(to.begin(), to.end(), std::byte{0});
              engine::run_pass(*pass, from.data(), to.data() + offset, {});
              ASSERT_FALSE(reference_compare(map, shape, from.data(), to.data() + offset).found)
                  << words(map, shape, options) << ", candidate " << candidate << ", offset "
                  << offset;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(copied, 100);
}

TEST(Kernels, agree_by_every_way_in_place) {
  Random random(4);
  const std::vector<int> widths =
      sanitized() ? std::vector<int>{7, 12, 20} : std::vector<int>{7, 11, 13, 20};
  int blocks = 0;  // in plans with more than one
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    const bool large = !sanitized() || set == &engine::kernel_set(Simd::automatic);
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U}) {
      for (const int width : widths) {
        if (width == 20 && (element != 8 || !large)) continue;
        const auto affine = engine::involutions(random_affine(width, random));
        const auto bpc = engine::involutions(random_bpc(width, random));
        const PermuteShape shape{.element_bytes = element};
        const auto from = numbered_bytes(element << width);
        std::vector<std::byte> data(from.size() + 1);
        for (const BitMap& map :
             {bit_reversal(width), vector_reversal(width), affine.front(), bpc.front()}) {
          for (std::size_t candidate = 0;; ++candidate) {
            const PermuteOptions options{.threads = 2, .simd = set->simd};
            const auto pass =
                engine::plan_pass(map, shape, options, engine::Place::same, candidate);
            if (!pass) break;
            const engine::TilePlan& plan = pass->sections.front().pass.plan;
            blocks += plan.block_bits > 0 && plan.blocks() > 1 ? 1 : 0;
            for (const std::size_t offset : {0U, 1U}) {
              std::copy(from.begin(), from.end(), data.data() + offset);
              engine::run_pass(*pass, data.data() + offset, data.data() + offset, {});
              ASSERT_FALSE(reference_compare(map, shape, from.data(), data.data() + offset).found)
                  << words(map, shape, options) << ", candidate " << candidate << ", offset "
                  << offset;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(blocks, 1);
}

// Low bits of the index stay among themselves, so that kernels have one register; the others go
// anywhere.
BitMap of_one_register(int width, int lane_bits, Random& random) {
  const BitMap low = random_affine(lane_bits, random);
  const BitMap high = random_affine(width - lane_bits, random);
  BitMatrix matrix(width, width);
  for (int i = 0; i < width; ++i) {
    matrix.set_column(i, i < lane_bits ? low.column(i)
                                       : high.column(i - lane_bits) << lane_bits |
                                             (random.next() & low_mask(lane_bits)));
  }
  return BitMap::from_matrix(matrix, random.next() & low_mask(width));
}

bool reads_on(const engine::TilePlan& plan) {
  const Word vector = bit(plan.network.lane_bits + plan.unit_log2);
  for (Word tile = 0; tile < plan.tiles(); ++tile) {
    const Word at = plan.method.copy_in ? 0 : engine::combine(plan.outer_from, tile);
    for (std::size_t q = 0; q < plan.kernels.size(); ++q) {
      const std::size_t k = q % engine::group_kernels;
      const Word first = at ^ plan.kernels[q - k].from;
      if ((at ^ plan.kernels[q].from) != first + k * vector) return false;
    }
  }
  return true;
}

// Bit reversal reads and writes rows that fall into one set of the first cache. With ordinary
// stores the kernels of a square of lines come one after the other, where the set has room for it.
TEST(Kernels, lines_that_share_a_set_are_read_to_their_end) {
  constexpr int width = 15;
  const BitMap map = bit_reversal(width);
  const BitMatrix inverse = map.inverse().matrix();
  for (const int unit_log2 : {2, 3}) {
    const int line_bits = engine::line_log2 - unit_log2;
    EXPECT_EQ(engine::lines_of_a_set_log2(inverse, unit_log2), line_bits);
    for (int lanes = line_bits - 2; lanes < line_bits; ++lanes) {
      engine::Method method;
      method.from_run_bits = method.to_run_bits = line_bits + 1;
      method.interleaved = true;
      const engine::TilePlan plan = engine::tile_plan(map, inverse, unit_log2, lanes, method);
      const std::size_t square = bit(2 * (line_bits - lanes));
      std::set<Word> read;
      std::set<Word> written;
      for (std::size_t q = 0; q < square; ++q) {
        for (std::size_t r = 0; r < bit(plan.network.register_bits); ++r) {
          read.insert((plan.kernels[q].from ^ plan.register_from[r]) >> engine::line_log2);
          written.insert((plan.kernels[q].to ^ plan.register_to[r]) >> engine::line_log2);
        }
      }
      const bool has_room = line_bits <= engine::set_lines_log2;
      EXPECT_EQ(read.size() == bit(line_bits) && written.size() == bit(line_bits), has_room);
      // The next square is in other sets on both sides.
      const auto sets_differ = [&](Word first, Word second) {
        return ((first ^ second) & low_mask(engine::page_log2)) >> engine::line_log2 != 0;
      };
      const auto& first = plan.kernels[0];
      const auto& next = plan.kernels[square];
      if (!has_room) continue;
      EXPECT_TRUE(sets_differ(first.from, next.from));
      EXPECT_TRUE(sets_differ(first.to, next.to));
    }
  }
}

// Where a set has no room for them, the source is staged.
TEST(Kernels, sources_whose_lines_crowd_a_set_are_staged_in_the_caches) {
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    const bool parts = set->vector_log2 < engine::line_log2;
    const PermuteOptions options{.threads = 1, .simd = set->simd, .stores = Stores::ordinary};
    const auto crowds = [&](const BitMap& map, std::uint64_t element) {
      const auto plan = PermutePlan::out_of_place(map, {.element_bytes = element}, options);
      return plan.facts().passes[0].reason.find("lines crowd") != std::string::npos;
    };
    EXPECT_EQ(crowds(bit_reversal(16), 4), parts) << set->name;
    EXPECT_FALSE(crowds(bit_reversal(16), 8));
    EXPECT_FALSE(crowds(rotation(16, 8), 4));
    for (const int width : {14, 16, 18}) {
      ASSERT_TRUE(moves_right(bit_reversal(width), {.element_bytes = 4}, options));
      ASSERT_TRUE(moves_right(rotation(width, 5), {.element_bytes = 4}, options, {16, 48}));
    }
  }
}

// Loads at fixed distances would be right for whole groups in a row only: neither for runs of fewer
// vectors, nor in a stage whose lines are folded.
TEST(Kernels, groups_are_right_whether_they_are_read_in_a_row_or_not) {
  Random random(5);
  int seen[2][2] = {};  // in a row or not, of memory or of a stage
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (int unit_log2 = 0; unit_log2 <= 3; ++unit_log2) {
      const int lanes = set->vector_log2 - unit_log2;
      const int width = 15 - unit_log2;
      const auto from = numbered_bytes(bit(15));
      std::vector<std::byte> to(from.size());
      for (const BitMap& map : {of_one_register(width, lanes, random), gray(width),
                                vector_reversal(width), rotation(width - lanes, 2)}) {
        const BitMap units = beside(map, BitMap::identity(width - map.width()));
        const BitMatrix inverse = units.inverse().matrix();
        for (const int from_log2 : {6, 7, 8, 10}) {
          for (const int way : {0, 1, 2, 3}) {
            engine::Method method;
            method.from_run_bits = from_log2 - unit_log2;
            method.to_run_bits = 7 - unit_log2;
            method.copy_in = way == 1;
            method.stage_to = way == 2;
            method.interleaved = way == 3;
            engine::Pass pass;
            pass.kernels = set;
            engine::Section& section = pass.sections.emplace_back();
            section.bytes = from.size();
            section.pass.plan = engine::tile_plan(units, inverse, unit_log2, lanes, method);
            section.pass.tables = engine::tables_for(section.pass.plan, *set);
            const engine::TilePlan& plan = section.pass.plan;
            ASSERT_EQ(plan.network.register_bits, 0);
            const bool whole = plan.kernels.size() % engine::group_kernels == 0;
            if (whole) ++seen[reads_on(plan) ? 1 : 0][method.copy_in ? 1 : 0];
            engine::run_pass(pass, from.data(), to.data(), {});
            ASSERT_FALSE(
                reference_compare(units, {.element_bytes = bit(unit_log2)}, from.data(), to.data())
                    .found)
                << words(units, {.element_bytes = bit(unit_log2)}, {}) << ", way " << way;
          }
        }
      }
    }
  }
  for (const auto& row : seen) {
    for (const int count : row) EXPECT_GT(count, 10);
  }
}

TEST(Kernels, every_number_of_registers_occurs) {
  // From the identity (one register) to bit reversal of bytes (one a lane).
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (int unit_log2 = 0; unit_log2 <= 3; ++unit_log2) {
      const int lanes = set->vector_log2 - unit_log2;
      for (int m = 0; m <= lanes; ++m) {
        const BitMap map = rotation(2 * lanes + 4, m);
        const auto net = engine::lane_network(map.matrix(), map.inverse().matrix(), lanes);
        EXPECT_EQ(net.register_bits, m);
        EXPECT_TRUE(moves_right(map, {.element_bytes = bit(unit_log2)}, {.simd = set->simd}));
      }
    }
  }
}

TEST(Kernels, the_best_set_of_this_cpu_is_the_automatic_one) {
  EXPECT_EQ(engine::kernel_set(Simd::automatic).simd, engine::kernel_sets().back()->simd);
  EXPECT_EQ(engine::kernel_set(Simd::scalar).simd, Simd::scalar);
}

}  // namespace
}  // namespace faro
