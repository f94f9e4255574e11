// Ranks that were given different things all hear of it, and none hangs.
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "faro/mpi/mpi_plan.hpp"
#include "faro/words/say.hpp"
#include "mpi/counted.hpp"

namespace faro {
namespace {

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int size_here() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
bool last() {
  return rank_here() == size_here() - 1;
}

// All ranks throw an error of this code whose words hold `words`, after the few reductions that
// telling it takes; a rank that waits for ever is ended by who started it.
void expect_all_throw(ErrorCode code, const std::string& words, const std::function<void()>& work) {
  constexpr std::uint64_t reductions_max = 16;
  testing::take_sent();
  int right = 0;
  std::string said = "nothing";
  try {
    work();
  } catch (const Error& error) {
    said = error.what();
    right = error.code() == code && said.find(words) != std::string::npos ? 1 : 0;
  }
  const std::uint64_t reductions = testing::take_sent().reductions;
  int all = 0;
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  EXPECT_EQ(all, 1) << "rank " << rank_here() << " was told: " << said;
  EXPECT_LE(reductions, reductions_max);
}

TEST(Agreement, other_maps_sizes_and_options) {
  if (size_here() == 1) GTEST_SKIP();
  const BitMap rev = say("i:12 -> rev(i)").map.as_bits();
  const BitMap other = say("i:12 -> ~rev(i)").map.as_bits();
  const BitMap wider = say("i:13 -> rev(i)").map.as_bits();
  const std::string name = "rank " + std::to_string(size_here() - 1);
  expect_all_throw(ErrorCode::usage, name,
                   [&] { MpiPlan(MPI_COMM_WORLD, last() ? other : rev, 8); });
  expect_all_throw(ErrorCode::usage, name,
                   [&] { MpiPlan(MPI_COMM_WORLD, last() ? wider : rev, 8); });
  expect_all_throw(ErrorCode::usage, name, [&] { MpiPlan(MPI_COMM_WORLD, rev, last() ? 4 : 8); });
  expect_all_throw(ErrorCode::usage, name, [&] {
    MpiOptions options;
    if (last()) options.exchange.buffer_bytes = 4096;
    MpiPlan(MPI_COMM_WORLD, rev, 8, options);
  });
  expect_all_throw(ErrorCode::usage, "another",
                   [&] { mpi::allocate(MPI_COMM_WORLD, last() ? 4096 : 8192); });
}

TEST(Agreement, wrong_arrays_on_one_rank) {
  const BitMap rev = say("i:12 -> rev(i)").map.as_bits();
  MpiPlan plan(MPI_COMM_WORLD, rev, 8);
  const std::uint64_t bytes = plan.plan().local_bytes();
  std::vector<std::byte> from(bytes), to(bytes);
  const std::span<const std::byte> nothing(static_cast<const std::byte*>(nullptr), bytes);
  expect_all_throw(ErrorCode::usage, "null",
                   [&] { plan.execute(last() ? nothing : std::span<const std::byte>(from), to); });
  expect_all_throw(ErrorCode::usage, "bytes", [&] {
    plan.execute(from, last() ? std::span(to).first(bytes / 2) : std::span(to));
  });
  expect_all_throw(ErrorCode::usage, "overlap", [&] {
    if (last()) {
      plan.execute(to, to);
    } else {
      plan.execute(from, to);
    }
  });
  expect_all_throw(ErrorCode::usage, "another array", [&] { plan.execute_in_place(to); });
  plan.execute(from, to);  // and the plan still works
}

// Bytes of address space that this process has.
std::uint64_t address_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(Agreement, a_rank_without_memory) {
  if (size_here() == 1) GTEST_SKIP();
  const BitMap map = say("i:28 -> rev(i)").map.as_bits();
  MpiOptions options;
  options.exchange.buffer_bytes = 64 << 20;
  options.exchange.step_bytes = 16 << 20;
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  expect_all_throw(ErrorCode::environment, "memory", [&] {
    if (last()) {
      rlimit little = before;
      little.rlim_cur = address_bytes() + (std::uint64_t{8} << 20U);
      setrlimit(RLIMIT_AS, &little);
    }
    MpiPlan(MPI_COMM_WORLD, map, 8, options);
  });
  setrlimit(RLIMIT_AS, &before);
  MpiPlan(MPI_COMM_WORLD, map, 8, options);  // with memory it is made
}

TEST(Agreement, three_of_the_ranks_are_no_power_of_two) {
  if (size_here() < 4) GTEST_SKIP();
  MPI_Comm three = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_here() < 3 ? 0 : 1, 0, &three);
  if (rank_here() < 3) {
    try {
      MpiPlan(three, BitMap::identity(12), 8);
      ADD_FAILURE() << "three ranks were taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::impossible);
      EXPECT_NE(std::string(error.what()).find("start 2"), std::string::npos) << error.what();
    }
  }
  MPI_Comm_free(&three);
}

TEST(Agreement, no_communicator) {
  EXPECT_THROW(MpiPlan(MPI_COMM_NULL, BitMap::identity(12), 8), Error);
  // More ranks than indices.
  if (size_here() > 1) {
    EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, BitMap::identity(0), 8), Error);
  }
}

// Destroyed after MPI_Finalize, by the end of the program.
TEST(Agreement, a_plan_outlives_mpi) {
  static const MpiPlan plan(MPI_COMM_WORLD, say("i:12 -> rev(i)").map.as_bits(), 8);
  static const SharedArray array = mpi::allocate(MPI_COMM_WORLD, 4096);
  EXPECT_EQ(plan.plan().local_bytes() * static_cast<std::uint64_t>(size_here()), 8U << 12U);
}

}  // namespace
}  // namespace faro
