// Arrays of any lengths on any number of real processes, each judging its part by the one-process
// performance of the same move, which tests/distributed holds against lists of every element.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "memory_asked.hpp"
#include "mpi/counted.hpp"

namespace faro {
namespace {

struct Ranks {
  std::uint64_t rank = 0;
  std::uint64_t size = 1;
  Ranks() {
    int value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    rank = static_cast<std::uint64_t>(value);
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    size = static_cast<std::uint64_t>(value);
  }
};

AxisDeal random_deal(Random& random, std::uint64_t length, std::uint64_t parts) {
  if (random.below(2) == 0) return AxisDeal::block(length, parts);
  if (random.below(2) == 0) return AxisDeal::cyclic(length, parts, 1 + random.below(4));
  std::vector<std::uint64_t> sizes(parts);
  for (std::uint64_t k = 0; k < length; ++k) ++sizes[random.below(parts)];
  return AxisDeal::listed(length, sizes);
}

// Two axes on a grid of two dimensions, either of which may hold copies.
GridPlacement random_placement(Random& random, std::uint64_t rows, std::uint64_t columns,
                               std::uint64_t ranks) {
  const std::uint64_t p = 1 + random.below(ranks);
  const std::uint64_t q = 1 + random.below(ranks / p);
  std::vector<GridAxis> axes = {{AxisDeal::whole(rows), {}}, {AxisDeal::whole(columns), {}}};
  const std::size_t first = random.below(2);
  if (random.below(4) != 0)
    axes[first] = {random_deal(random, first == 0 ? rows : columns, p), {0}};
  if (random.below(4) != 0)
    axes[1 - first] = {random_deal(random, first == 0 ? columns : rows, q), {1}};
  return {{p, q}, axes};
}

TEST(MpiGridPlan, random_moves) {
  const Ranks world;
  Random random(17);
  std::uint64_t moved = 0;
  for (int round = 0; round < 60; ++round) {
    const std::uint64_t rows = 1 + random.below(40);
    const std::uint64_t columns = 1 + random.below(40);
    const GridPlacement from = random_placement(random, rows, columns, world.size);
    const bool turned = random.below(2) == 1;
    const GridPlacement to =
        random_placement(random, turned ? columns : rows, turned ? rows : columns, world.size);
    GridMoveOptions options;
    options.element_bytes = 1 + random.below(17);
    if (turned) options.order = {1, 0};
    options.reversed = {random.below(2) == 1, random.below(2) == 1};
    options.roll = {random.below(turned ? columns : rows), random.below(turned ? rows : columns)};
    if (random.below(3) == 0) options.relabel = Relabel::least;
    const GridMove move(from, to, options);
    std::vector<std::vector<std::byte>> parts(move.facts().ranks);
    for (std::uint64_t r = 0; r < parts.size(); ++r) {
      // Copies hold the same: what a place holds is a matter of its index alone.
      parts[r].resize(move.from_bytes(r));
      const auto local = move.from_shape(r);
      const AxisDeal& down = from.axes()[0].deal;
      const AxisDeal& across = from.axes()[1].deal;
      if (r >= from.ranks()) continue;
      for (std::uint64_t i = 0; i < rows; ++i)
        for (std::uint64_t j = 0; j < columns; ++j) {
          if (down.part_of(i) != from.part(r, 0) || across.part_of(j) != from.part(r, 1)) continue;
          const std::uint64_t place = down.place_of(i) * local[1] + across.place_of(j);
          for (std::uint64_t b = 0; b < options.element_bytes; ++b)
            parts[r][place * options.element_bytes + b] =
                static_cast<std::byte>((i * columns + j) * 31 + b * 7);
        }
    }
    std::vector<std::vector<std::byte>> wanted;
    move_in_process(move, parts, wanted);
    parts.resize(world.size);
    wanted.resize(world.size);
    MpiGridOptions how;
    how.buffer_bytes = options.element_bytes * (4 + random.below(100));
    MpiGridPlan plan(MPI_COMM_WORLD, move, how);
    for (int again = 0; again < 2; ++again) {
      std::vector<std::byte> to_bytes(plan.to_bytes());
      plan.execute(parts[world.rank], to_bytes);
      ASSERT_EQ(to_bytes, wanted[world.rank]) << move.describe();
    }
    moved += move.facts().moved_bytes;
  }
  if (world.size > 1) {
    EXPECT_GT(moved, 0U);
  }
}

// Buffers for the slices under way, and lists of messages, which are short; whatever the arrays.
TEST(MpiGridPlan, memory_beside_the_arrays_is_what_was_stated) {
  const Ranks world;
  const std::string ranks = std::to_string(world.size);
  const std::string rows = "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(" + ranks + ")";
  const std::string columns = "hpf:DISTRIBUTE A(*, BLOCK) ONTO P(" + ranks + ")";
  const std::string cyclic = "hpf:DISTRIBUTE A(CYCLIC(3), *) ONTO P(" + ranks + ")";
  for (const std::string& words : {rows + " => " + columns, rows + " => r c -> c r => " + rows,
                                   cyclic + " => " + rows, columns + " => " + cyclic})
    for (const std::uint64_t buffer_bytes : {std::uint64_t{4096}, std::uint64_t{1} << 18U}) {
      const std::vector<std::uint64_t> shape = {997, 1009};
      std::vector<std::byte> from, to;
      {
        const MpiGridPlan sizes(MPI_COMM_WORLD, words, shape, 8);
        from.resize(sizes.from_bytes());
        to.resize(sizes.to_bytes());
      }
      testing::take_sent();
      testing::take_aligned_bytes();
      std::uint64_t stated = 0;
      const testing::MemoryAsked asked = testing::memory_asked([&] {
        MpiGridPlan plan(MPI_COMM_WORLD, words, shape, 8, {.buffer_bytes = buffer_bytes});
        for (const GridMessage& m : plan.move().sends(world.rank)) stated += m.elements * 8;
        const std::uint64_t planned = testing::memory_asked_so_far().bytes;
        plan.execute(from, to);
        // What is asked for while packing comes and goes: it grows with slices, not with the array.
        EXPECT_LT(testing::memory_asked_so_far().bytes - planned,
                  (from.size() / buffer_bytes + world.size) * (std::uint64_t{64} << 10U))
            << words;
      });
      EXPECT_GT(asked.times, 0U);
      // What stays is moved at once, by the engine, which has a stage of its own.
      EXPECT_LE(testing::take_aligned_bytes(), buffer_bytes + (128U << 10U)) << words;
      EXPECT_EQ(testing::take_sent().bytes, stated) << words;
    }
}

TEST(MpiGridPlan, ranks_agree_on_what_is_wrong) {
  const Ranks world;
  const std::string rows = "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(" + std::to_string(world.size) + ")";
  const std::string words = rows + " => " + rows;
  const bool last = world.rank + 1 == world.size;
  EXPECT_THROW(MpiGridPlan(MPI_COMM_WORLD, last ? rows : words, {9, 9}, 4), Error);
  EXPECT_THROW(MpiGridPlan(MPI_COMM_WORLD, words, {9, 9}, 4, {.buffer_bytes = 15}), Error);
  if (world.size > 1) {
    EXPECT_THROW(MpiGridPlan(MPI_COMM_WORLD, words, {9, last ? 9U : 8U}, 4), Error);
  }
  const std::string more =
      "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(" + std::to_string(world.size + 1) + ")";
  EXPECT_THROW(MpiGridPlan(MPI_COMM_WORLD, rows + " => " + more, {9, 9}, 4), Error);
  MpiGridPlan plan(MPI_COMM_WORLD, words, {9, 9}, 4);
  std::vector<std::byte> from(plan.from_bytes());
  std::vector<std::byte> to(plan.to_bytes() + (last ? 1 : 0));
  EXPECT_THROW(plan.execute(from, to), Error);
  to.resize(plan.to_bytes());
  EXPECT_NO_THROW(plan.execute(from, to));
}

TEST(MpiGridPlan, what_progress_throws_is_thrown_by_all_ranks_and_the_plan_goes_on) {
  const Ranks world;
  const std::string count = std::to_string(world.size);
  const std::string words = "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(" + count +
                            ") => hpf:DISTRIBUTE A(*, BLOCK) ONTO P(" + count + ")";
  bool throws = true;
  MpiGridOptions options;
  options.buffer_bytes = 64;  // many slices are under way when it throws
  if (world.rank + 1 == world.size)
    options.progress = [&](std::uint64_t, std::uint64_t) {
      if (throws) throw Error(ErrorCode::refused, "enough");
    };
  MpiGridPlan plan(MPI_COMM_WORLD, words, {40, 40}, 4, options);
  std::vector<std::byte> from(plan.from_bytes(), std::byte{5});
  std::vector<std::byte> to(plan.to_bytes());
  if (world.size == 1) return;  // nothing is received, nobody is told
  try {
    plan.execute(from, to);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
    EXPECT_NE(std::string(error.what()).find("rank " + std::to_string(world.size - 1) + ": enough"),
              std::string::npos);
  }
  throws = false;
  std::fill(to.begin(), to.end(), std::byte{0});
  plan.execute(from, to);
  EXPECT_EQ(to, std::vector<std::byte>(plan.to_bytes(), std::byte{5}));
}

}  // namespace
}  // namespace faro
