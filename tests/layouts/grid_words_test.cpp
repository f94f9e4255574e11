// Placements of any lengths in the words of JAX, DTensor, HPF and ScaLAPACK.
#include "layouts/grid_words.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "faro/layouts/placement.hpp"
#include "layouts/foreign.hpp"

namespace faro {
namespace {

using Sides = std::vector<std::uint64_t>;

Sides sizes_on(const AxisDeal& deal) {
  Sides list;
  for (std::uint64_t p = 0; p < deal.parts(); ++p) list.push_back(deal.size(p));
  return list;
}

// torch's own example: 9 over 4 by blocks of two halves.
TEST(GridWords, strided_cuts_are_uneven_as_torch_makes_them) {
  const std::vector<std::vector<std::uint64_t>> held = {{0, 1, 5}, {2, 3, 6}, {4, 7}, {8}};
  const GridPlacement p = read_grid_placement("dtensor:(4,) [_StridedShard(0, sf=2)]", {9});
  const AxisDeal& deal = p.axes()[0].deal;
  for (std::uint64_t r = 0; r < 4; ++r) {
    ASSERT_EQ(deal.size(r), held[r].size());
    for (std::uint64_t k = 0; k < held[r].size(); ++k) {
      EXPECT_EQ(deal.part_of(held[r][k]), r);
      EXPECT_EQ(deal.place_of(held[r][k]), k);
    }
  }
  // As many blocks as elements, and more.
  for (const char* words :
       {"dtensor:(2,) [_StridedShard(0, sf=5)]", "dtensor:(2,) [_S(0, sf=99)]"}) {
    const GridPlacement all = read_grid_placement(words, {5});
    EXPECT_EQ(all.axes()[0].deal.size(0), 5U);
    EXPECT_EQ(all.axes()[0].deal.size(1), 0U);
  }
}

TEST(GridWords, real_shapes_are_cut_as_their_systems_cut_them) {
  const GridPlacement torch =
      read_grid_placement("dtensor:(3,4) [Shard(0), Shard(1)]", {7168, 50257});
  EXPECT_EQ(sizes_on(torch.axes()[0].deal), (Sides{2390, 2390, 2388}));
  EXPECT_EQ(sizes_on(torch.axes()[1].deal), (Sides{12565, 12565, 12565, 12562}));
  EXPECT_EQ(torch.local_shape(11), (Sides{2388, 12562}));
  // torch.chunk(9, 4) has three chunks; of the chunk of 3 two chunks are 2 and 1.
  EXPECT_EQ(sizes_on(read_grid_placement("dtensor:(4,) [Shard(0)]", {9}).axes()[0].deal),
            (Sides{3, 3, 3, 0}));
  EXPECT_EQ(sizes_on(read_grid_placement("dtensor:(4,2) [Shard(0), Shard(0)]", {9}).axes()[0].deal),
            (Sides{2, 1, 2, 1, 2, 1, 0, 0}));
  const GridPlacement jax = read_grid_placement("jax:mesh x=2 y=7, P('y')", {7168, 14336});
  EXPECT_EQ(jax.copies(), 2U);
  EXPECT_EQ(jax.local_shape(9), (Sides{1024, 14336}));
  const GridPlacement xla = read_grid_placement("xla:{devices=[3,2]<=[2,3]T(1,0)}", {7168, 7});
  EXPECT_EQ(xla.local_shape(0), (Sides{2390, 4}));
  EXPECT_EQ(xla.local_shape(5), (Sides{2388, 3}));
  EXPECT_EQ(xla.part(3, 0), 0U);
  EXPECT_EQ(xla.part(3, 1), 1U);
  const GridPlacement hpf =
      read_grid_placement("hpf:DISTRIBUTE A(GEN_BLOCK(3, 0, 7), CYCLIC(2)) ONTO P(3, 2)", {10, 9});
  EXPECT_EQ(hpf.local_shape(4), (Sides{7, 5}));
  EXPECT_EQ(hpf.local_shape(5), (Sides{7, 4}));
  const GridPlacement descriptor =
      read_grid_placement("scalapack:M=10 N=9 MB=2 NB=3 RSRC=1 CSRC=0 grid=3x2 order=C", {});
  EXPECT_EQ(descriptor.part(1, 0), 1U);
  EXPECT_EQ(descriptor.part(3, 1), 1U);
  EXPECT_EQ(descriptor.axes()[0].deal.part_of(0), 1U);
}

TEST(GridWords, what_the_systems_refuse_is_refused) {
  EXPECT_THROW(read_grid_placement("jax:mesh x=3, P('x')", {7168}), NotExpressible);
  EXPECT_THROW(read_grid_placement("dtensor:(3,) [Partial()]", {9}), NotExpressible);
  EXPECT_THROW(read_grid_placement("dtensor:(3,) [_StridedShard(0, sf=1000000000)]",
                                   {std::uint64_t{1} << 40U}),
               Error);
  EXPECT_THROW(read_grid_placement("hpf:DISTRIBUTE A(BLOCK(2)) ONTO P(3)", {9}), NotExpressible);
  EXPECT_THROW(read_grid_placement("hpf:DISTRIBUTE A(GEN_BLOCK(2, 3)) ONTO P(3)", {5}), Error);
  EXPECT_THROW(read_grid_placement("hpf:DISTRIBUTE A(GEN_BLOCK(2, 3)) ONTO P(2)", {6}), Error);
  EXPECT_THROW(read_grid_placement("hpf:DISTRIBUTE A(*) ONTO P(2)", {6}), Error);
  EXPECT_THROW(read_grid_placement("hpf:DISTRIBUTE A(BLOCK, BLOCK) ONTO P(2)", {6, 6}), Error);
  EXPECT_THROW(read_grid_placement("xla:{devices=[3,2]0,1,2,3,4,4}", {6, 6}), Error);
  EXPECT_THROW(read_grid_placement("xla:{devices=[3]<=[3]}", {6, 6}), Error);
  EXPECT_THROW(read_grid_placement("xla:{unreduced}", {6, 6}), Error);
  EXPECT_THROW(read_grid_placement("cute:(4,8):(1,4)", {4, 8}), Error);
  EXPECT_THROW(read_grid_placement("", {4}), Error);
  EXPECT_THROW(read_grid_placement("jax:mesh x=3, P('x', 'x')", {3, 3}), Error);
  EXPECT_THROW(
      read_grid_placement("dtensor:(4096,4096,4096) [Replicate(), Shard(0), Shard(0)]", {9}),
      Error);
}

// Where lengths are powers of two the placements of bits say the same.
TEST(GridWords, powers_of_two_are_the_placements_of_bits) {
  const char* const words[] = {
      "jax:mesh x=4 y=2, P('y', 'x')",
      "jax:mesh x=4 y=2, P(None, ('y', 'x'))",
      "jax:mesh x=2 y=2 z=2, P('z'), devices=[1, 0, 3, 2, 5, 4, 7, 6]",
      "xla:{devices=[2,4]<=[8]}",
      "xla:{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
      "xla:{devices=[2,2]0,2,1,3}",
      "dtensor:(2,4) [Shard(1), Shard(0)]",
      "dtensor:(2,4) [Shard(0), Shard(0)]",
      "dtensor:(2,2) [_StridedShard(0, sf=2), Shard(0)]",
      "dtensor:(2,4) [Replicate(), Shard(1)]",
      "dtensor:[[0, 2], [1, 3]] [Shard(0), Shard(0)], shard_order={0: (1, 0)}",
      "hpf:DISTRIBUTE A(BLOCK, CYCLIC) ONTO P(2,4)",
      "hpf:DISTRIBUTE A(CYCLIC(2), BLOCK) ONTO P(2,4), order=F",
      "hpf:DISTRIBUTE A(GEN_BLOCK(8, 8), *) ONTO P(2)",
      "scalapack:M=16 N=16 MB=2 NB=4 RSRC=1 CSRC=0 grid=2x4",
      "scalapack:M=16 N=16 MB=1 NB=2 grid=4x2 order=C"};
  for (const char* text : words) {
    const Placement bits = read_foreign(text, {{16, 16}, {}, {}}).placement();
    const GridPlacement grid = read_grid_placement(text, {16, 16});
    ASSERT_EQ(grid.ranks(), bit(bits.device_bits())) << text;
    ASSERT_EQ(grid.copies(), bit(bits.replica_bits())) << text;
    for (std::uint64_t rank = 0; rank < grid.ranks(); ++rank) {
      const Sides local = grid.local_shape(rank);
      for (std::uint64_t r = 0; r < 16; ++r)
        for (std::uint64_t c = 0; c < 16; ++c) {
          const AxisDeal& rows = grid.axes()[0].deal;
          const AxisDeal& columns = grid.axes()[1].deal;
          if (rows.part_of(r) != grid.part(rank, 0) || columns.part_of(c) != grid.part(rank, 1))
            continue;
          const bool rows_first = grid.memory_order()[0] == 0;
          const std::uint64_t place = rows_first
                                          ? rows.place_of(r) * local[1] + columns.place_of(c)
                                          : columns.place_of(c) * local[0] + rows.place_of(r);
          ASSERT_EQ(bits.index_at(rank, place), r * 16 + c) << text << " rank " << rank;
        }
    }
  }
}

}  // namespace
}  // namespace faro
