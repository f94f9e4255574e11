// Plans of files: their figures, and performed on files in memory against the obvious loop.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "disk/numbered.hpp"
#include "disk/plan_state.hpp"
#include "disk/verify.hpp"
#include "engine/reference.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

constexpr std::uint64_t everything_else = 48 * testing::mebibyte;  // docs/disk.md

FilePermutePlan planned(const char* map, const PermuteShape& shape,
                        const FilePlanOptions& options) {
  return FilePermutePlan::out_of_place(say(map).map.as_bits(), shape, options);
}

TEST(FilePermutePlan, a_tebibyte_reversed_within_2_gibibytes_takes_one_pass_of_64_kibibytes) {
  const auto plan = planned("i:37 -> rev(i)", {.element_bytes = 8}, {.memory_bytes = bit(31)});
  ASSERT_EQ(plan.facts().passes.size(), 1U);
  const FilePassFacts& pass = plan.facts().passes[0];
  EXPECT_EQ(pass.tile_bytes, 512 * testing::mebibyte);
  EXPECT_EQ(pass.tiles, 2048U);
  EXPECT_EQ(pass.read_run_bytes, 65536U);
  EXPECT_EQ(pass.write_run_bytes, 65536U);
  EXPECT_EQ(pass.reads, bit(24));
  EXPECT_EQ(pass.writes, bit(24));
  EXPECT_EQ(plan.facts().passes_bound, 1);
  EXPECT_EQ(plan.facts().temporary_bytes, 0U);
}

TEST(FilePermutePlan, two_to_the_60_elements_in_runs_of_a_mebibyte_take_two_passes) {
  const auto plan =
      planned("i:60 -> rev(i)", {.element_bytes = 8},
              {.memory_bytes = bit(31), .run_bytes_min = testing::mebibyte, .passes = 2});
  // Tiles of 2^26 elements, runs of 2^17, rank 17: ceil(17 / 9).
  EXPECT_EQ(plan.facts().passes.size(), 2U);
  EXPECT_EQ(plan.facts().passes_bound, 2);
  for (const FilePassFacts& pass : plan.facts().passes) {
    EXPECT_GE(pass.read_run_bytes, testing::mebibyte);
    EXPECT_GE(pass.write_run_bytes, testing::mebibyte);
    EXPECT_EQ(pass.reads, bit(63) / testing::mebibyte);
  }
  EXPECT_EQ(plan.facts().data_bytes, Count{1} << 63U);
}

// Passes are made and proved over bits, so that 2^60 elements ask for little memory.
TEST(FilePermutePlan, any_affine_map_of_60_bits_is_planned_and_proved_with_little_memory) {
  Random random(60);
  for (int n = 0; n < 20; ++n) {
    const BitMap map = testing::random_affine(60, random);
    const DiskProfile profile = n % 2 == 0 ? DiskProfile::ssd() : DiskProfile::hdd();
    const FilePlanOptions options{.memory_bytes = bit(31),
                                  .profile = profile,
                                  .run_bytes_min = n % 3 == 0 ? testing::mebibyte : 0};
    std::optional<FilePermutePlan> plan;
    const testing::MemoryAsked asked = testing::memory_asked(
        [&] { plan = FilePermutePlan::out_of_place(map, {.element_bytes = 8}, options); });
    EXPECT_LT(asked.times, 16000U);
    EXPECT_LT(asked.bytes, 512U << 10U);
    // The verifier's own bound, for the shortest run that the plan has.
    int run_log2 = 60;
    for (const disk::DiskPass& pass : plan->state().passes)
      run_log2 = std::min({run_log2, pass.read_log2, pass.write_log2});
    EXPECT_EQ(disk::passes_bound(map.matrix(), 26, run_log2), plan->facts().passes_bound);
    EXPECT_EQ(disk::wrong_by_ranks(map, plan->state().passes, 26), std::nullopt);
  }
}

TEST(FilePermutePlan,
     one_pass_with_runs_that_are_too_long_is_refused_with_the_memory_that_would_do) {
  try {
    planned("i:60 -> rev(i)", {.element_bytes = 8},
            {.memory_bytes = bit(31), .run_bytes_min = testing::mebibyte, .passes = 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::impossible);
    // 2^34 units of 8 bytes, three times, and 48 MiB.
    EXPECT_NE(std::string(error.what()).find("a memory of 384 GiB"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("17"), std::string::npos) << error.what();
  }
  EXPECT_THROW(
      planned("i:30 -> rev(i)", {.element_bytes = 8}, {.memory_bytes = 40 * testing::mebibyte}),
      Error);
  EXPECT_THROW(planned("i:30 -> rev(i)", {.element_bytes = 0}, {}), Error);
  EXPECT_THROW(planned("i:30 -> rev(i)", {.element_bytes = 3 * testing::mebibyte + 1},
                       {.memory_bytes = everything_else + testing::mebibyte}),
               Error);
}

TEST(FilePermutePlan, the_profile_decides_between_passes_and_runs) {
  const auto passes = [](const DiskProfile& profile) {
    return planned("i:37 -> rev(i)", {.element_bytes = 8},
                   {.memory_bytes = bit(31), .profile = profile})
        .facts()
        .passes.size();
  };
  EXPECT_EQ(passes(DiskProfile::ssd()), 1U);
  EXPECT_EQ(passes(DiskProfile::cloud()), 2U);
  EXPECT_EQ(passes(DiskProfile::network()), 2U);
  EXPECT_EQ(passes(DiskProfile::hdd()), 3U);
  EXPECT_THROW(DiskProfile::named("floppy"), Error);
}

std::vector<std::byte> random_bytes(std::uint64_t count, Random& random) {
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

// Performs on files in memory; the counts are those of the plan, the bytes those of the loop.
void perform(const BitMap& map, const PermuteShape& shape, const FilePlanOptions& options,
             Random& random) {
  const auto plan = FilePermutePlan::out_of_place(map, shape, options);
  const std::uint64_t bytes = shape.element_bytes * shape.outer * shape.inner * bit(map.width());
  ASSERT_EQ(plan.facts().data_bytes, bytes);
  MemoryFile from("from", random_bytes(bytes, random));
  MemoryFile to("to");
  MemoryFile temporary("temporary");
  to.reserve(bytes);
  temporary.reserve(static_cast<std::uint64_t>(plan.facts().temporary_bytes));
  const FileCounts counts = plan.execute({.from = from,
                                          .to = to,
                                          .temporary = &temporary,
                                          .permute = {.threads = 1},
                                          .io_threads = bytes % 3 == 0 ? 2 : 0});
  FileCounts wanted;
  for (const FilePassFacts& pass : plan.facts().passes) {
    wanted.reads += pass.reads;
    wanted.writes += pass.writes;
    wanted.bytes_read += bytes;
    wanted.bytes_written += bytes;
  }
  EXPECT_EQ(counts, wanted) << plan.describe();
  std::vector<std::byte> expected(bytes);
  reference_permute(map, shape, from.bytes().data(), expected.data());
  ASSERT_EQ(0, std::memcmp(expected.data(), to.bytes().data(), bytes)) << plan.describe();
}

TEST(FilePermutePlan, random_maps_shapes_and_tiles_are_performed_as_the_obvious_loop_does) {
  Random random(23);
  std::size_t most = 0;
  for (int n = 0; n < 250; ++n) {
    const int width = 1 + static_cast<int>(random.below(12));
    const BitMap map = n % 2 == 0 ? testing::random_affine(width, random)
                                  : BitMap::from_places(testing::random_places(width, random),
                                                        random.next() & low_mask(width));
    const PermuteShape shape{.element_bytes = 1 + random.below(12),
                             .outer = 1 + random.below(5),
                             .inner = 1 + random.below(4)};
    const std::uint64_t unit = shape.element_bytes * shape.inner;
    const std::uint64_t tile = unit << random.below(10);
    FilePlanOptions options{.memory_bytes = everything_else + 300 * testing::mebibyte,
                            .tile_bytes_max = tile + random.below(unit)};
    const auto natural = FilePermutePlan::out_of_place(map, shape, options);
    if (random.below(2) == 0)
      options.passes = static_cast<int>(natural.facts().passes.size() + random.below(3));
    if (natural.facts().passes[0].tiles == 1 ||
        natural.facts().passes[0].read_run_bytes == natural.facts().passes[0].tile_bytes)
      options.passes = 0;
    ASSERT_NO_FATAL_FAILURE(perform(map, shape, options, random)) << n;
    most = std::max(most, FilePermutePlan::out_of_place(map, shape, options).facts().passes.size());
  }
  EXPECT_GE(most, 3U);
}

TEST(FilePermutePlan, pieces_of_no_bytes_are_refused) {
  const BitMap map = say("i:20 -> rev(i)").map.as_bits();
  for (const auto& options :
       {FilePlanOptions{.input_piece_bytes = 0}, FilePlanOptions{.output_piece_bytes = 0}})
    EXPECT_THROW(
        static_cast<void>(FilePermutePlan::out_of_place(map, {.element_bytes = 8}, options)),
        Error);
}

// A journal may say so, and once nobody looked for an end.
TEST(FilePermutePlan, fewer_than_no_passes_are_refused) {
  const BitMap map = say("i:20 -> rev(i)").map.as_bits();
  const Map lengths = say("a:10 b=1000 -> b a").map;
  for (const int passes : {-1, -1000, std::numeric_limits<int>::min()}) {
    FilePlanOptions options;
    options.memory_bytes = std::uint64_t{52} << 20U;
    options.passes = passes;
    EXPECT_THROW(
        static_cast<void>(FilePermutePlan::out_of_place(map, {.element_bytes = 8}, options)),
        Error);
    EXPECT_THROW(static_cast<void>(FilePermutePlan::in_place(map, {.element_bytes = 8}, options)),
                 Error);
    EXPECT_THROW(
        static_cast<void>(FilePermutePlan::out_of_place(lengths, {.element_bytes = 8}, options)),
        Error);
  }
}

TEST(FilePermutePlan, elements_larger_than_a_tile_are_moved_in_parts) {
  Random random(4);
  perform(say("i:3 -> rev(i)").map.as_bits(), {.element_bytes = 3 * 4096},
          {.memory_bytes = bit(30), .tile_bytes_max = 4096}, random);
  perform(say("i:3 -> ~i").map.as_bits(), {.element_bytes = 6 * testing::mebibyte, .outer = 3},
          {.memory_bytes = bit(30), .tile_bytes_max = 4 * testing::mebibyte}, random);
}

TEST(FilePermutePlan, small_arrays_of_a_batch_are_moved_in_groups_in_one_pass) {
  Random random(6);
  const PermuteShape shape{.element_bytes = 8, .outer = 1000, .inner = 1};
  const FilePlanOptions options{.memory_bytes = bit(30), .tile_bytes_max = 70000};
  const auto plan = planned("i:7 -> rev(i)", shape, options);
  // 68 arrays of 1 KiB fit; whole blocks of the disk; the last of 15 tiles is short.
  EXPECT_EQ(plan.facts().passes[0].tile_bytes, 68U * 1024);
  EXPECT_EQ(plan.facts().passes[0].tiles, 15U);
  EXPECT_EQ(plan.facts().passes[0].reads, 15U);
  perform(say("i:7 -> rev(i)").map.as_bits(), shape, options, random);
}

TEST(FilePermutePlan, tiles_of_a_pass_can_be_performed_alone_and_in_any_order) {
  Random random(8);
  const BitMap map = say("i:12 -> rev(i)").map.as_bits();
  const auto plan = FilePermutePlan::out_of_place(
      map, {.element_bytes = 4}, {.memory_bytes = bit(30), .passes = 1, .tile_bytes_max = 1024});
  ASSERT_EQ(plan.facts().passes.size(), 1U);
  MemoryFile from("from", random_bytes(bit(14), random));
  MemoryFile to("to");
  to.reserve(bit(14));
  FileCounts counts;
  for (std::uint64_t tile = 16; tile-- > 0;)
    counts.reads +=
        plan.execute_tiles({.pass = 0, .first = tile, .count = 1}, {.from = from, .to = to}).reads;
  EXPECT_EQ(counts.reads, plan.facts().passes[0].reads);
  std::vector<std::byte> expected(bit(14));
  reference_permute(map, {.element_bytes = 4}, from.bytes().data(), expected.data());
  EXPECT_EQ(0, std::memcmp(expected.data(), to.bytes().data(), bit(14)));
  const FileExecution execution{.from = from, .to = to};
  EXPECT_THROW(plan.execute_tiles({.pass = 1, .first = 0, .count = 1}, execution), Error);
  EXPECT_THROW(plan.execute_tiles({.pass = 0, .first = 16, .count = 1}, execution), Error);
}

TEST(FilePermutePlan, progress_ends_at_everything_and_may_stop_the_work) {
  Random random(8);
  const auto plan = planned("i:12 -> rev(i)", {.element_bytes = 4},
                            {.memory_bytes = bit(30), .passes = 2, .tile_bytes_max = 1024});
  MemoryFile from("from", random_bytes(bit(14), random));
  MemoryFile to("to");
  MemoryFile temporary("temporary");
  to.reserve(bit(14));
  temporary.reserve(bit(14));
  std::uint64_t last = 0;
  FileExecution execution{.from = from, .to = to, .temporary = &temporary};
  execution.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, bit(15));
    last = done;
    return Continue::yes;
  };
  plan.execute(execution);
  EXPECT_EQ(last, bit(15));
  execution.progress = [](std::uint64_t, std::uint64_t) { return Continue::no; };
  EXPECT_THROW(plan.execute(execution), Error);
  execution.temporary = nullptr;
  EXPECT_THROW(plan.execute(execution), Error);
}

}  // namespace
}  // namespace faro
