// How many threads a plan takes: as many as the data is worth, and no more than there are cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/cores.hpp"
#include "engine/moves.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/engine/permute_plan.hpp"
#include "forked.hpp"

namespace faro {
namespace {

using namespace testing;

TEST(Threads, no_more_threads_than_are_worth_their_start) {
  const auto threads = [](int width, int asked) {
    const PermuteOptions options{.threads = asked};
    return PermutePlan::out_of_place(BitMap::identity(width), {.element_bytes = 8}, options)
        .facts()
        .threads;
  };
  EXPECT_EQ(threads(10, 16), 1);
  EXPECT_EQ(threads(16, 16), 1);  // 512 KiB
  const int cores = cores_available();
  EXPECT_EQ(threads(17, 16), std::min(2, cores));
  EXPECT_EQ(threads(20, 64), std::min(16, cores));
  EXPECT_EQ(threads(20, 2), std::min(2, cores));
  EXPECT_THROW(threads(10, limits::threads_max + 1), Error);
  EXPECT_TRUE(works_in_child(10, [&] {
    ::setenv("OMP_NUM_THREADS", "1", 1);
    return threads(24, 0) == 1;
  }));
}

// Nobody waits for a thread that has no core.
TEST(Threads, no_more_threads_are_used_than_there_are_cores) {
  const int cores = cores_available();
  const Map odd = Map::from_axes(std::array<Word, 2>{3001, 2003}, std::array{1, 0});
  const Map squares = Map::from_axes(std::array<Word, 2>{2003, 2003}, std::array{1, 0});
  const BitMap bits = bit_reversal(22);
  const Map rolled = beside(Map::turn(5, {false, 2}), Map::identity(1000003));
  for (const int threads : {0, cores, cores + 1, 64}) {
    const PermuteOptions asked{.threads = threads};
    for (const PermutePlan& plan : {PermutePlan::out_of_place(bits, {.element_bytes = 8}, asked),
                                    PermutePlan::out_of_place(odd, {8, {}, {}}, asked),
                                    PermutePlan::in_place(bits, {.element_bytes = 8}, asked),
                                    PermutePlan::in_place(squares, {8, {}, {}}, asked),
                                    PermutePlan::in_place(rolled, {8, {}, {}}, asked)}) {
      EXPECT_LE(plan.facts().threads, cores) << plan.describe();
      if (threads >= cores) {
        EXPECT_EQ(plan.facts().threads, std::min(cores, 61)) << plan.describe();
      }
    }
  }
}

}  // namespace
}  // namespace faro
