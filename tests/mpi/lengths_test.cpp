// Axes of any length on real processes: each rank judges its part, elements say their own index.
#include <gtest/gtest.h>
#include <mpi.h>

#include "distributed/numbered.hpp"
#include "engine/shapes.hpp"
#include "faro/base/error.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "faro/words/say.hpp"

namespace faro {
namespace {

struct World {
  Word rank = 0;
  Word size = 1;
  World() {
    int value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    rank = static_cast<Word>(value);
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    size = static_cast<Word>(value);
  }
};

void judge(const World& world, const Map& map, std::uint64_t element, MpiOptions options) {
  MpiPlan plan(MPI_COMM_WORLD, map, element, options);
  const auto elements = static_cast<Word>(map.elements()) / world.size;
  ASSERT_EQ(plan.local_bytes(), elements * element);
  std::vector<std::byte> from(plan.local_bytes());
  std::vector<std::byte> to(plan.local_bytes());
  const Word first = world.rank * elements;
  for (Word i = 0; i < elements; ++i)
    for (std::uint64_t b = 0; b < element; ++b)
      from[i * element + b] = testing::numbered_byte(first + i, element, b);
  const Map back = map.inverse();
  for (int round = 0; round < 2; ++round) {
    std::fill(to.begin(), to.end(), std::byte{0});
    plan.execute(from, to);
    for (Word i = 0; i < elements; ++i) {
      const Word index = back(first + i);
      for (std::uint64_t b = 0; b < element; ++b)
        ASSERT_EQ(to[i * element + b], testing::numbered_byte(index, element, b))
            << to_notation(map) << " at " << first + i;
    }
  }
  EXPECT_TRUE(verify_exchange(MPI_COMM_WORLD, map, element, from, to));
  if (world.rank == 0 && element >= 2) to[1] ^= std::byte{1};
  if (element >= 2) {
    EXPECT_FALSE(verify_exchange(MPI_COMM_WORLD, map, element, from, to));
  }
}

TEST(MpiPlanOfLengths, transposes_of_any_size) {
  const World world;
  const Map map = say("r=24 c=40 -> c r").map;
  judge(world, map, 8, {});
  judge(world, map, 3, {.exchange = {.buffer_bytes = 64}});
  const Map whole = say("b:3 r=25 -> gray(b) ~r").map;
  judge(world, whole, 4, {});
}

// Boxes, on any number of ranks that divide the rows.
TEST(MpiPlanOfLengths, rolled_axes_and_ranks_that_are_no_power_of_two) {
  const World world;
  const std::string r = "r=" + std::to_string(3 * world.size);
  const std::string k = std::to_string(2 * world.size - 1);
  for (const std::string& words :
       {r + " c=5 -> roll(r, " + k + ") c", r + " c=35 -> r roll(~c, 9)",
        r + " c=" + std::to_string(7 * world.size) + " -> c r", r + " c=8 -> roll(~r, 1) ~c"}) {
    const Map map = say(words).map;
    ASSERT_NO_FATAL_FAILURE(judge(world, map, 3, {})) << words;
    judge(world, map, 8, {.exchange = {.buffer_bytes = 256}});
  }
  const Map rolled = say(r + " c=5 -> roll(r, 1) c").map;
  MpiPlan plan(MPI_COMM_WORLD, rolled, 8);
  ASSERT_NE(plan.move(), nullptr);
  EXPECT_EQ(plan.move()->facts().moved_bytes, world.size == 1 ? 0 : world.size * 5 * 8);
  EXPECT_THROW(static_cast<void>(plan.plan()), Error);
  EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, rolled, 8, {.exchange = {.in_place = true}}), Error);
  EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, rolled, 8, {.exchange = {.ranks = Ranks::relabelled}}),
               Error);
}

TEST(MpiPlanOfLengths, random_maps) {
  const World world;
  Random random(41);
  int judged = 0;
  for (int n = 0; n < 120; ++n) {
    std::vector<Word> to_shape;
    const Map map = testing::random_map(testing::random_lengths(2000, random), random.below(2) == 0,
                                        random, to_shape);
    const std::uint64_t element = 1 + random.below(9);
    MpiOptions options;
    if (random.below(3) == 0) options.exchange.buffer_bytes = 64 + random.below(4000);
    try {
      ASSERT_NO_FATAL_FAILURE(judge(world, map, element, options));
      ++judged;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible) << error.what();
    }
  }
  EXPECT_GT(judged, 20);
}

TEST(MpiPlanOfLengths, what_progress_throws_is_thrown_by_all_ranks_and_the_plan_goes_on) {
  const World world;
  for (const char* words : {"r=24 c=40 -> c r", "i:12 -> rev(i)"}) {
    bool throws = true;
    MpiOptions options{.exchange = {.buffer_bytes = 4096}};
    if (world.rank + 1 == world.size)
      options.progress = [&](std::uint64_t, std::uint64_t) {
        if (throws) throw Error(ErrorCode::refused, "enough");
      };
    const Map map = say(words).map;
    MpiPlan plan(MPI_COMM_WORLD, map, 8, options);
    std::vector<std::byte> from(plan.local_bytes(), static_cast<std::byte>(world.rank + 1));
    std::vector<std::byte> to(from.size());
    if (!plan.plan().has_exchange()) continue;  // one rank: nobody is told
    try {
      plan.execute(from, to);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::refused);
      const std::string wanted = "rank " + std::to_string(world.size - 1) + ": enough";
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
    }
    throws = false;
    plan.execute(from, to);
    EXPECT_TRUE(verify_exchange(MPI_COMM_WORLD, map, 8, from, to));
  }
}

TEST(MpiPlanOfLengths, all_ranks_refuse_alike) {
  const World world;
  const Map map = say("r=24 c=40 -> c r").map;
  EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, map, 0), Error);
  EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, map, 8, {.exchange = {.in_place = true}}), Error);
  const Map odd = say("r=25 c=8 -> c r").map;
  if (world.size > 1) {
    EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, odd, 8), Error);
    const Map mine = world.rank == 1 ? map : map.inverse();
    EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, mine, 8), Error);
  }
  MpiPlan plan(MPI_COMM_WORLD, map, 8);
  std::vector<std::byte> data(plan.local_bytes());
  EXPECT_THROW(plan.execute(data, std::span(data).first(data.size() - (world.rank == 0 ? 1 : 0))),
               Error);
}

}  // namespace
}  // namespace faro
