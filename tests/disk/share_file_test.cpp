// Tiles performed by several callers: what is refused, what is noted, who publishes.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <thread>

#include "disk/numbered.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/words/say.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using testing::read_all;
using testing::Scratch;
using testing::write_all;

constexpr std::uint64_t tile_bytes = 4096;

// 2^12 elements of 8 bytes: two passes of 8 tiles.
struct Work {
  Scratch scratch;
  BitMap map = say("i:12 -> gray(rev(i))").map.as_bits();
  std::string data = testing::numbered(8 * bit(12));
  PermuteFileOptions options;

  Work() {
    options.plan = {.memory_bytes = bit(30), .passes = 2, .tile_bytes_max = tile_bytes};
    options.input_start_byte = 3;
    options.output_start = "HEADER";
    write_all(scratch.path("in"), "abc" + data);
    write_all(scratch.path("out"), "old");
  }
  FileTilesReport tiles(int pass, std::uint64_t first, std::uint64_t count) const {
    return permute_file_tiles(scratch.path("in"), scratch.path("out"), map, {.element_bytes = 8},
                              {.pass = pass, .first = first, .count = count}, options);
  }
  template <class Call>
  static ErrorCode code_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  }
};

TEST(ShareFile, ranges_of_any_order_and_twice_make_the_file_and_the_last_gives_it_its_name) {
  const Work work;
  const FileTilesReport first = work.tiles(0, 4, 4);
  ASSERT_EQ(first.plan.passes.size(), 2U);
  ASSERT_EQ(first.plan.passes[0].tiles, 8U);
  ASSERT_EQ(first.missing.size(), 1U);
  EXPECT_EQ(first.missing[0].first, 0U);
  EXPECT_EQ(first.missing[0].end, 4U);
  EXPECT_EQ(first.counts.bytes_written, 4 * tile_bytes);
  // The second pass would read what is not there.
  EXPECT_EQ(Work::code_of([&] { work.tiles(1, 0, 8); }), ErrorCode::usage);
  work.tiles(0, 0, 3);
  const auto again = work.tiles(0, 2, 4);
  EXPECT_TRUE(again.missing.empty());
  EXPECT_FALSE(again.complete);
  EXPECT_EQ(read_all(work.scratch.path("out")), "old");
  EXPECT_EQ(work.tiles(1, 0, 1).missing.size(), 1U);
  EXPECT_EQ(work.tiles(1, 2, 6).missing[0].end, 2U);
  EXPECT_EQ(read_all(work.scratch.path("out")), "old");
  EXPECT_TRUE(work.tiles(1, 1, 1).complete);
  EXPECT_EQ(read_all(work.scratch.path("out")),
            "HEADER" + testing::permuted(work.map, work.data, 8));
  EXPECT_EQ(work.scratch.count(), 2U);  // nothing else is left
}

TEST(ShareFile, several_at_the_same_time_make_the_same_file) {
  for (int round = 0; round < 5; ++round) {
    const Work work;
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<std::thread> workers;
      for (std::uint64_t worker = 0; worker < 4; ++worker)
        workers.emplace_back([&, worker] { work.tiles(pass, 2 * worker, 2); });
      for (std::thread& worker : workers) worker.join();
    }
    EXPECT_EQ(read_all(work.scratch.path("out")),
              "HEADER" + testing::permuted(work.map, work.data, 8));
    EXPECT_EQ(work.scratch.count(), 2U);
  }
}

TEST(ShareFile, another_request_and_a_changed_input_are_refused_until_begun_anew) {
  Work work;
  work.tiles(0, 0, 4);
  Work other;
  other.map = say("i:12 -> rev(i)").map.as_bits();
  const auto asks_otherwise = [&] {
    permute_file_tiles(work.scratch.path("in"), work.scratch.path("out"), other.map,
                       {.element_bytes = 8}, {.pass = 0, .first = 4, .count = 4}, work.options);
  };
  EXPECT_EQ(Work::code_of(asks_otherwise), ErrorCode::usage);
  write_all(work.scratch.path("in"), "abd" + work.data);
  EXPECT_EQ(Work::code_of([&] { work.tiles(0, 4, 4); }), ErrorCode::usage);
  work.options.unfinished = PermuteFileOptions::Unfinished::fresh;
  EXPECT_EQ(work.tiles(0, 4, 4).missing.size(), 1U);
}

TEST(ShareFile, what_the_plan_does_not_have_is_refused) {
  Work work;
  for (const FilePermutePlan::Tiles& tiles :
       {FilePermutePlan::Tiles{2, 0, 1}, FilePermutePlan::Tiles{-1, 0, 1},
        FilePermutePlan::Tiles{0, 0, 9}, FilePermutePlan::Tiles{0, 9, UINT64_MAX},
        FilePermutePlan::Tiles{0, 3, 0}})
    EXPECT_EQ(Work::code_of([&] { work.tiles(tiles.pass, tiles.first, tiles.count); }),
              ErrorCode::usage);
  work.options.verify = true;
  EXPECT_EQ(Work::code_of([&] { work.tiles(0, 0, 8); }), ErrorCode::usage);
  EXPECT_EQ(work.scratch.count(), 2U);
}

// Whoever published may have been stopped before all was removed.
TEST(ShareFile, leftovers_of_a_published_file_are_no_work_done) {
  const Work work;
  work.tiles(0, 0, 8);
  const std::string folder = work.scratch.path(".out.faro-shared");
  ASSERT_TRUE(std::filesystem::exists(folder + "/done-1-0-8"));
  std::filesystem::remove(folder + "/data");
  EXPECT_EQ(Work::code_of([&] { work.tiles(1, 0, 8); }), ErrorCode::usage);
  work.tiles(0, 0, 8);
  EXPECT_TRUE(work.tiles(1, 0, 8).complete);
  EXPECT_EQ(read_all(work.scratch.path("out")),
            "HEADER" + testing::permuted(work.map, work.data, 8));
}

}  // namespace
}  // namespace faro
