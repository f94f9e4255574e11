// Parts of work on several threads: each once, exceptions, nested calls, forks.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "forked.hpp"

namespace faro {
namespace {

std::uint64_t sum_of(int threads, std::uint64_t parts) {
  std::atomic<std::uint64_t> sum{0};
  in_parallel(threads, parts, [&](std::uint64_t part, int) { sum += part + 1; });
  return sum;
}

TEST(Parallel, every_part_is_done_once_and_no_worker_is_at_two) {
  for (const int threads : {1, 2, 3, 7, 16}) {
    for (const std::uint64_t parts : {0U, 1U, 2U, 5U, 64U, 1000U}) {
      std::vector<std::atomic<int>> done(parts);
      std::vector<std::atomic<bool>> busy(static_cast<std::size_t>(threads));
      std::atomic<int> clashes{0};
      in_parallel(threads, parts, [&](std::uint64_t part, int worker) {
        ASSERT_GE(worker, 0);
        ASSERT_LT(worker, threads);
        if (busy[static_cast<std::size_t>(worker)].exchange(true)) ++clashes;
        ++done[part];
        busy[static_cast<std::size_t>(worker)] = false;
      });
      EXPECT_EQ(clashes, 0);
      EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& n) { return n == 1; }));
    }
  }
}

// Waits until `count` parts are at work at once, which only that many threads can do; gives up
// after many turns, each of which lets others work.
TEST(Parallel, as_many_threads_as_asked_work_at_once) {
  for (const int threads : {2, 5}) {
    std::atomic<int> here{0};
    std::atomic<bool> met{false};
    in_parallel(threads, static_cast<std::uint64_t>(threads), [&](std::uint64_t, int) {
      ++here;
      for (int turn = 0; here < threads && turn < 20'000'000; ++turn) std::this_thread::yield();
      if (here >= threads) met = true;
    });
    EXPECT_TRUE(met) << threads;
  }
}

TEST(Parallel, an_exception_reaches_the_caller_and_stops_the_rest) {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> begun{0};
    const auto work = [&](std::uint64_t part, int) {
      ++begun;
      if (part == 3) throw std::runtime_error("part 3");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    };
    try {
      in_parallel(threads, 100000, work);
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "part 3");
    }
    EXPECT_LT(begun, 50000);
    EXPECT_EQ(sum_of(threads, 100), 5050U);
  }
  // Where all throw at once one of them is told.
  EXPECT_THROW(in_parallel(4, 64, [](std::uint64_t, int) { throw std::logic_error("all"); }),
               std::logic_error);
}

TEST(Parallel, calls_may_be_nested_and_come_from_many_threads) {
  std::atomic<std::uint64_t> sum{0};
  in_parallel(3, 10, [&](std::uint64_t, int) { sum += sum_of(3, 100); });
  EXPECT_EQ(sum, 50500U);

  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&right, i] {
      for (int round = 0; round < 200; ++round) right += sum_of(1 + i % 4, 50) == 1275 ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 8 * 200);
}

TEST(Parallel, a_forked_child_has_helpers_of_its_own) {
  if (!testing::follows_children()) GTEST_SKIP() << "the sanitizer follows no such child";
  EXPECT_EQ(sum_of(4, 100), 5050U);
  EXPECT_TRUE(testing::works_in_child(20, [] {
    if (sum_of(4, 100) != 5050U) return false;
    return testing::works_in_child(10, [] { return sum_of(3, 10) == 55U; });
  }));
  EXPECT_EQ(sum_of(4, 100), 5050U);
}

TEST(Parallel, a_child_forked_while_others_are_at_work_has_them_too) {
  if (!testing::follows_children()) GTEST_SKIP() << "the sanitizer follows no such child";
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&stop] {
      while (!stop) sum_of(4, 30);
    });
  }
  int right = 0;
  for (int i = 0; i < 30; ++i) {
    right += testing::works_in_child(20, [] { return sum_of(4, 100) == 5050U; }) ? 1 : 0;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, 30);
}

}  // namespace
}  // namespace faro
