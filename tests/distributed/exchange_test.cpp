// Exchanges performed, every element looked at.
#include <gtest/gtest.h>

#include <numeric>

#include "distributed/numbered.hpp"
#include "engine/kernels/kernels.hpp"
#include "engine/reference.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro {
namespace {

// Whether packing and unpacking, step by step, are what the plan says of them as maps.
bool packs_as_mapped(const ExchangePlan& plan, Word rank) {
  const std::uint64_t bytes = plan.element_bytes();
  const std::vector<std::byte> data = testing::numbered(plan.local_bytes() / bytes, bytes);
  std::vector<std::byte> packed(data.size()), unpacked(data.size());
  for (Word step = 0; step < plan.steps(); ++step) {
    const std::uint64_t at = step * plan.step_bytes();
    if (plan.packs()) plan.pack(rank, step, data, std::span(packed).subspan(at, plan.step_bytes()));
    if (plan.unpacks())
      plan.unpack(rank, step, std::span(data).subspan(at, plan.step_bytes()), unpacked);
  }
  bool same = plan.steps() * plan.step_bytes() == data.size();
  const auto is_mapped = [&](const BitMap& map, const std::vector<std::byte>& moved) {
    std::vector<std::byte> wanted(data.size());
    reference_permute(map, {.element_bytes = bytes}, data.data(), wanted.data());
    return moved == wanted;
  };
  if (plan.packs()) same &= is_mapped(plan.pack_map(rank), packed);
  if (plan.unpacks()) same &= is_mapped(plan.unpack_map(rank), unpacked);
  return same;
}

// False, and a failure told, if elements are wrong, or messages are not those of the plan.
bool performs(const BitMap& map, int rank_bits, std::uint64_t element_bytes,
              const ExchangeOptions& options) {
  const ExchangePlan plan = ExchangePlan::make(map, rank_bits, element_bytes, options);
  std::vector<std::byte> from = testing::numbered(bit(map.width()), element_bytes);
  std::vector<std::byte> to(from.size());
  LoopbackCounts counts;
  if (options.in_place) {
    counts = exchange_in_process_in_place(plan, from);
    to = from;
  } else {
    counts = exchange_in_process(plan, from, to);
  }
  const std::uint64_t wrong = testing::wrong_elements(plan.executed_map(), element_bytes, to);
  EXPECT_EQ(wrong, 0U) << to_notation(map) << " on 2^" << rank_bits << " ranks, elements of "
                       << element_bytes << ", buffer " << options.buffer_bytes << ", in place "
                       << options.in_place << ": " << plan.describe();
  const ExchangeTraffic& ranks = plan.cost().ranks;
  EXPECT_EQ(Count{counts.bytes}, ranks.moved_bytes);
  EXPECT_EQ(counts.messages * plan.block_bytes(), counts.bytes);
  EXPECT_EQ(options.ranks == Ranks::fixed ? ranks.least_bytes : ranks.least_bytes_relabelled,
            ranks.moved_bytes);
  EXPECT_LE(plan.buffer_bytes(), options.buffer_bytes);
  for (Word rank = 0; plan.has_exchange() && rank < plan.ranks(); ++rank)
    EXPECT_TRUE(packs_as_mapped(plan, rank)) << to_notation(map) << ", rank " << rank;
  return wrong == 0 && Count{counts.bytes} == ranks.moved_bytes;
}

TEST(Exchange, every_affine_map_of_3_bits_on_1_to_8_ranks) {
  int judged = 0;
  testing::for_every_matrix(3, [&](const BitMatrix& matrix) {
    for (Word c = 0; c < 8; ++c) {
      const BitMap map = BitMap::from_matrix(matrix, c);
      for (int p = 0; p <= 3; ++p) {
        for (const bool in_place : {false, true}) {
          for (const Ranks ranks : {Ranks::fixed, Ranks::relabelled}) {
            ASSERT_TRUE(performs(map, p, 8, {.ranks = ranks, .in_place = in_place}));
            ASSERT_TRUE(
                performs(map, p, 8, {.ranks = ranks, .buffer_bytes = 32, .in_place = in_place}));
          }
        }
        ++judged;
      }
    }
  });
  EXPECT_EQ(judged, 4 * 1344);
}

TEST(Exchange, random_maps_sizes_and_buffers) {
  constexpr std::uint64_t element_sizes[] = {1, 2, 3, 4, 8, 16, 24};
  Random random(21);
  int judged = 0;
  for (int k = 0; k < (testing::full_run() ? 3000 : 300); ++k) {
    const int p = static_cast<int>(random.below(6));
    const int m = static_cast<int>(random.below(testing::sanitized() ? 9 : 12));
    const BitMap map = k % 2 == 0 ? testing::random_affine(p + m, random)
                                  : BitMap::from_places(testing::random_places(p + m, random),
                                                        random.next() & low_mask(p + m));
    const std::uint64_t element = element_sizes[random.below(std::size(element_sizes))];
    ExchangeOptions options;
    options.buffer_bytes =
        random.below(3) == 0
            ? std::uint64_t{64} << 20U
            : std::max<std::uint64_t>(4 * element, bit(static_cast<int>(random.below(16))));
    options.step_bytes = random.below(2) == 0 ? 0 : bit(static_cast<int>(6 + random.below(10)));
    if (options.step_bytes != 0 && options.step_bytes < element) options.step_bytes = 0;
    options.in_place = random.below(3) == 0;
    options.ranks = random.below(3) == 0 ? Ranks::relabelled : Ranks::fixed;
    ASSERT_TRUE(performs(map, p, element, options));
    ++judged;
  }
  EXPECT_GE(judged, 300);
}

// Every kernel set, with sizes where vectors are used on both sides, and rank constants that shift
// lanes.
TEST(Exchange, every_instruction_set) {
  Random random(22);
  const char* const maps[] = {"i:16 -> rev(i)",       "r:8 c:8 -> c r", "i:16 -> rot(i,2)",
                              "i:16 -> gray(rev(i))", "i:16 -> ~i",     "i:16 -> rot(i,14)"};
  int judged = 0;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U, 64U}) {
      std::vector<BitMap> all;
      for (const char* text : maps) all.push_back(say(text).map.as_bits());
      all.push_back(testing::random_affine(16, random));
      for (const BitMap& map : all) {
        ASSERT_TRUE(performs(map, 2, element, {.step_bytes = 1 << 14, .simd = set->simd}));
        ASSERT_TRUE(performs(map, 2, element,
                             {.buffer_bytes = 1 << 15, .in_place = true, .simd = set->simd}));
        judged += 2;
      }
    }
  }
  EXPECT_GE(judged, 6 * 7 * 2);
}

// With two partners what a rank keeps is half of its data: no buffer, where it lies in runs.
TEST(Exchange, what_is_kept_takes_no_buffer) {
  Random random(25);
  int apart = 0;
  int nothing_kept = 0;
  for (int k = 0; k < 60; ++k) {
    const int p = 1 + static_cast<int>(random.below(3));
    const int m = 13;
    // Long runs on both sides: maps of high and of low memory bits around one that mixes two ranks.
    constexpr int low = 6;
    const auto mixed = [&](int width) {
      return k % 2 == 0 ? testing::random_affine(width, random)
                        : BitMap::from_places(testing::random_places(width, random),
                                              random.next() & low_mask(width));
    };
    const BitMap old_side = beside(BitMap::identity(p), mixed(m));
    std::vector<int> swap(static_cast<std::size_t>(p + m));
    std::iota(swap.begin(), swap.end(), 0);
    std::swap(swap[static_cast<std::size_t>(m)], swap[static_cast<std::size_t>(m - 1)]);
    const BitMap across = then(BitMap::from_places(swap), beside(mixed(p), BitMap::identity(m)));
    const BitMap new_side = beside(BitMap::identity(p + m - low), mixed(low));
    const BitMap map = then(then(k % 3 == 0 ? old_side : new_side, across), new_side);
    ExchangeOptions options;
    options.in_place = random.below(3) == 0;
    options.ranks = random.below(2) == 0 ? Ranks::relabelled : Ranks::fixed;
    options.step_bytes = bit(10 + static_cast<int>(random.below(4)));
    const std::uint64_t element = std::uint64_t{4} << random.below(3);
    ASSERT_TRUE(performs(map, p, element, options));
    const ExchangePlan plan = ExchangePlan::make(map, p, element, options);
    for (Word rank = 0; rank < plan.ranks(); ++rank) {
      if (plan.keeps_apart(rank)) ++apart;
      if (plan.has_exchange() && plan.steps() != plan.slices() && !plan.keeps_apart(rank)) {
        ++nothing_kept;
      }
    }
    options.whole_slices = true;
    const ExchangePlan whole = ExchangePlan::make(map, p, element, options);
    for (Word rank = 0; rank < whole.ranks(); ++rank) EXPECT_FALSE(whole.keeps_apart(rank));
    ASSERT_TRUE(performs(map, p, element, options));
  }
  EXPECT_GE(apart, 30);
  EXPECT_GE(nothing_kept, 5);
  for (const char* text : {"r:10 c:11 -> c ~r", "r:1 h:9 t:1 x:10 -> t h r x"}) {
    const BitMap map = say(text).map.as_bits();
    EXPECT_TRUE(ExchangePlan::make(map, 1, 8).keeps_apart(0)) << text;
    for (const engine::KernelSet* set : engine::kernel_sets()) {
      ASSERT_TRUE(performs(map, 1, 8, {.buffer_bytes = 1 << 20, .simd = set->simd}));
    }
  }
  // Of elements that alternate between ranks no line is kept whole.
  for (const char* text : {"a:1 b:19 c:1 -> c b a", "i:21 -> rev(i)"}) {
    EXPECT_FALSE(ExchangePlan::make(say(text).map.as_bits(), 1, 8).keeps_apart(0)) << text;
  }
}

// Above 4 MiB a rank what is unpacked is streamed.
TEST(Exchange, large_arrays_are_streamed) {
  for (const char* text : {"i:21 -> rev(i)", "i:21 -> rot(i,1)", "r:10 c:11 -> c ~r"}) {
    ASSERT_TRUE(performs(say(text).map.as_bits(), 1, 8, {}));
  }
}

TEST(Exchange, two_to_the_10_ranks_in_one_process) {
  Random random(23);
  for (const BitMap& map :
       {say("i:16 -> rev(i)").map.as_bits(), testing::random_affine(16, random),
        say("r:10 m:6 -> gray(r) m").map.as_bits(), testing::random_affine(10, random)}) {
    ASSERT_TRUE(performs(map, 10, 8, {}));
    ASSERT_TRUE(performs(map, 10, 8, {.ranks = Ranks::relabelled, .buffer_bytes = 4096}));
  }
}

TEST(Exchange, swaps_need_no_local_pass_in_place) {
  const ExchangePlan plan = ExchangePlan::make(say("a:2 x:5 b:2 y:9 -> b x a y").map.as_bits(), 2,
                                               16, {.in_place = true});
  EXPECT_FALSE(plan.has_local_map());
  EXPECT_TRUE(plan.has_exchange());
}

TEST(Exchange, long_runs_are_sent_and_received_where_they_lie) {
  const auto sides = [](const char* text) {
    const ExchangePlan plan = ExchangePlan::make(say(text).map.as_bits(), 2, 16);
    return std::pair(plan.packs(), plan.unpacks());
  };
  EXPECT_EQ(sides("a:2 b:2 x:20 -> b a x"), std::pair(false, false));
  EXPECT_EQ(sides("i:24 -> rot(i,2)"), std::pair(false, true));   // block to cyclic
  EXPECT_EQ(sides("i:24 -> rot(i,22)"), std::pair(true, false));  // cyclic to block
  EXPECT_EQ(sides("i:24 -> rev(i)"), std::pair(true, true));
}

// Rows of 2^11 doubles could be sent as they lie, but every element would arrive in another row.
TEST(Exchange, rows_that_would_arrive_as_columns_are_packed) {
  const auto plan = [](const std::string& map) {
    return ExchangePlan::make(say(map).map.as_bits(), 1, 8);
  };
  const ExchangePlan transpose = plan("r:11 c:12 -> c r");
  EXPECT_TRUE(transpose.packs() && transpose.unpacks());
  const ExchangePlan to_cyclic = plan("i:23 -> rot(i,1)");
  EXPECT_TRUE(!to_cyclic.packs() && to_cyclic.unpacks());
  const ExchangePlan to_block = plan("i:23 -> rot(i,22)");
  EXPECT_TRUE(to_block.packs() && !to_block.unpacks());
}

TEST(Exchange, groups_are_those_that_talk) {
  Random random(24);
  int judged = 0;
  for (int k = 0; k < 100; ++k) {
    const BitMap map = testing::random_affine(9, random);
    const ExchangePlan plan = ExchangePlan::make(map, 4, 8, {.ranks = Ranks::relabelled});
    if (!plan.has_groups()) continue;
    ++judged;
    for (Word rank = 0; rank < 16; ++rank) {
      for (Word block = 0; block < plan.blocks(); ++block) {
        const Word target = plan.target(rank, 0, block);
        EXPECT_EQ(plan.group_of(target), plan.group_of(rank));
        EXPECT_EQ(plan.origin(target, 0, block), rank);
        if (plan.packs()) {
          EXPECT_EQ(plan.send_offset(rank, 0, block),
                    plan.place_in_group(target) * plan.block_bytes());
        }
        if (plan.unpacks()) {
          EXPECT_EQ(plan.receive_offset(target, 0, block),
                    plan.place_in_group(rank) * plan.block_bytes());
        }
      }
    }
  }
  EXPECT_EQ(judged, 100);
}

}  // namespace
}  // namespace faro
