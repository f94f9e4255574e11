// Passes in place: how many, judged by ranks and by every element, performed, and cut off anywhere.
#include "disk/in_place.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "disk/job_case.hpp"
#include "disk/plan_state.hpp"
#include "disk/verify.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro::disk {
namespace {

using testing::JobCase;
using testing::SimulatedDisk;

bool is_local(const DiskPass& pass) {
  const auto tile = reduced_basis(pass.tile);
  for (int i = 0; i < pass.map.width(); ++i)
    if (reduce(pass.map.matrix().column(i) ^ bit(i), tile) != 0) return false;
  return reduce(pass.map.complement(), tile) == 0;
}

void judge_in_place(const BitMap& map, int tile, int run, std::map<int, int>& extra) {
  const AdaptedBasis basis = adapted_basis(map.matrix());
  const int bound = passes_bound(map.matrix(), tile, run).value();
  const auto passes = factor_in_place(map, basis, tile, run);
  ASSERT_EQ(wrong_by_ranks(map, passes, tile), std::nullopt);
  for (const DiskPass& pass : passes) {
    ASSERT_EQ(wrong_in_place(pass), std::nullopt);
    ASSERT_GE(pass.read_log2, run);
    ASSERT_GE(pass.write_log2, run);
  }
  for (std::size_t i = 0; i + 1 < passes.size(); ++i) ASSERT_TRUE(is_local(passes[i]));
  const auto count = static_cast<int>(passes.size());
  ASSERT_GE(count, bound);
  ASSERT_LE(count, bound + 1);
  ++extra[count - bound];
  const auto within = factor_within_output(map, basis, tile, run);
  ASSERT_EQ(static_cast<int>(within.size()), bound);
  ASSERT_EQ(wrong_by_ranks(map, within, tile), std::nullopt);
  for (std::size_t i = 1; i < within.size(); ++i) ASSERT_TRUE(is_local(within[i]));
  for (const DiskPass& pass : within) {
    ASSERT_GE(pass.read_log2, run);
    ASSERT_GE(pass.write_log2, run);
  }
  if (map.width() > 10) return;
  ASSERT_EQ(wrong_by_enumeration(map, passes, tile), std::nullopt);
  ASSERT_EQ(wrong_by_enumeration(map, within, tile), std::nullopt);
}

TEST(DiskInPlace, every_map_of_3_and_4_bits_takes_the_bound_or_one_pass_more) {
  std::map<int, int> extra;
  for (const int width : {3, 4}) {
    Word maps = 0;
    testing::for_every_matrix(width, [&](const BitMatrix& matrix) {
      if (width == 4 && !testing::full_run() && ++maps % 8 != 0) return;
      const BitMap map = BitMap::from_matrix(matrix, ++maps & low_mask(width));
      for (int tile = 1; tile <= width; ++tile)
        for (int run = 0; run < tile; ++run)
          ASSERT_NO_FATAL_FAILURE(judge_in_place(map, tile, run, extra));
    });
  }
  EXPECT_GT(extra[0], 1000);
  EXPECT_GT(extra[1], 100);
}

TEST(DiskInPlace, random_maps_to_60_bits_take_the_bound_or_one_pass_more) {
  Random random(29);
  std::map<int, int> extra;
  const int count = testing::sanitized() ? 300 : testing::full_run() ? 10000 : 3000;
  for (int n = 0; n < count; ++n) {
    const int width = 3 + static_cast<int>(random.below(58));
    const BitMap map = n % 3 == 0 ? BitMap::from_places(testing::random_places(width, random),
                                                        random.next() & low_mask(width))
                                  : testing::random_affine(width, random);
    const int tile = 1 + static_cast<int>(random.below(static_cast<Word>(width)));
    const int run = static_cast<int>(random.below(static_cast<Word>(tile)));
    ASSERT_NO_FATAL_FAILURE(judge_in_place(map, tile, run, extra)) << n;
  }
  EXPECT_GT(extra[0], count / 10);
}

TEST(DiskInPlace, the_judge_refuses_tiles_that_do_not_go_to_tiles) {
  const BitMap map = say("i:4 -> rev(i)").map.as_bits();
  EXPECT_TRUE(wrong_in_place({.map = map, .tile = {1, 2}}).has_value());
  EXPECT_FALSE(wrong_in_place({.map = map, .tile = {1, 8}}).has_value());
}

// What the order promises: a place is overwritten by the move right before the one that reads it,
// or by the last of its cycle, or later than it was read in any case.
TEST(DiskInPlace, no_tile_is_read_after_it_was_overwritten) {
  Random random(31);
  for (int n = 0; n < 200; ++n) {
    const BitMap map = testing::random_affine(1 + static_cast<int>(random.below(7)), random);
    const std::uint64_t tiles = bit(map.width());
    MoveOrder order(map);
    const auto moves = order.take(3 * tiles);  // three arrays
    std::set<Word> all(moves.begin(), moves.end());
    ASSERT_EQ(all.size(), 3 * tiles);
    ASSERT_EQ(*all.rbegin(), 3 * tiles - 1);
    std::map<Word, std::size_t> read_at;
    for (std::size_t i = 0; i < moves.size(); ++i) read_at[moves[i]] = i;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Word array = moves[i] / tiles * tiles;
      ASSERT_LE(read_at.at(array + map(moves[i] - array)), i + 1);
    }
    order.restart();
    ASSERT_EQ(order.take(tiles),
              std::vector<Word>(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(tiles)));
  }
}

FileCounts counts_of(const FilePlanFacts& facts, bool with_log) {
  FileCounts counts;
  for (const FilePassFacts& pass : facts.passes) {
    counts.reads += pass.reads;
    counts.writes += pass.writes;
    counts.bytes_read += facts.data_bytes;
    counts.bytes_written += facts.data_bytes;
    if (with_log && pass.from == pass.to) {
      counts.writes += pass.log_writes;
      counts.bytes_written += facts.data_bytes;
    }
  }
  return counts;
}

// In place, and out of place without a temporary file.
TEST(DiskInPlace, random_maps_shapes_and_tiles_are_performed_as_the_obvious_loop_does) {
  Random random(37);
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
    const FilePlanOptions options{
        .memory_bytes = bit(30),
        .run_bytes_min = random.below(2) * unit * 4,
        .tile_bytes_max = (unit << (4 + random.below(7))) + random.below(unit),
        .temporary = false};
    const std::uint64_t bytes = unit * shape.outer * bit(width);
    std::vector<std::byte> data(bytes);
    for (std::byte& b : data) b = static_cast<std::byte>(random.next());
    std::vector<std::byte> expected(bytes);
    reference_permute(map, shape, data.data(), expected.data());
    MemoryFile from("from", data);
    MemoryFile to("to");
    to.reserve(bytes);
    const int io_threads = n % 3 == 0 ? 2 : 0;
    const auto within = FilePermutePlan::out_of_place(map, shape, options);
    EXPECT_EQ(within.facts().temporary_bytes, 0U);
    EXPECT_EQ(within.execute(
                  {.from = from, .to = to, .permute = {.threads = 1}, .io_threads = io_threads}),
              counts_of(within.facts(), false));
    ASSERT_EQ(0, std::memcmp(expected.data(), to.bytes().data(), bytes)) << within.describe();
    const auto plan = FilePermutePlan::in_place(map, shape, options);
    EXPECT_EQ(plan.execute(
                  {.from = from, .to = from, .permute = {.threads = 1}, .io_threads = io_threads}),
              counts_of(plan.facts(), false));
    ASSERT_EQ(0, std::memcmp(expected.data(), from.bytes().data(), bytes)) << plan.describe();
    EXPECT_LE(static_cast<int>(plan.facts().passes.size()), plan.facts().passes_bound + 1);
    most = std::max(most, plan.facts().passes.size());
  }
  EXPECT_GE(most, 3U);
}

TEST(DiskInPlace, the_log_takes_two_tiles_and_a_plan_of_a_tebibyte_says_so) {
  const auto plan = FilePermutePlan::in_place(say("i:37 -> rev(i)").map.as_bits(),
                                              {.element_bytes = 8}, {.memory_bytes = bit(31)});
  EXPECT_EQ(plan.facts().log_bytes, bit(30));
  EXPECT_EQ(plan.facts().temporary_bytes, 0U);
  EXPECT_NE(plan.describe().find("array in place"), std::string::npos) << plan.describe();
  EXPECT_NE(plan.describe().find("1 GiB for the log"), std::string::npos) << plan.describe();
  EXPECT_THROW(plan.execute_tiles({.pass = 0, .first = 0, .count = 1},
                                  {.from = *std::make_unique<MemoryFile>("a"),
                                   .to = *std::make_unique<MemoryFile>("b")}),
               Error);
}

// Local passes and one of runs in cycles; tiles in cycles; a batch of small arrays; all that
// follows a first pass within the output.
std::vector<JobCase> cases(bool in_place) {
  const FilePlanOptions options{
      .memory_bytes = bit(30), .run_bytes_min = 16, .tile_bytes_max = 64, .temporary = false};
  std::vector<JobCase> cases;
  Random random(41);
  cases.emplace_back(say("i:7 -> rev(i)").map.as_bits(), PermuteShape{.element_bytes = 4}, options,
                     true, in_place);
  cases.emplace_back(testing::random_affine(6, random),
                     PermuteShape{.element_bytes = 3, .outer = 3, .inner = 2}, options, false,
                     in_place);
  cases.emplace_back(say("i:2 -> gray(i)").map.as_bits(),
                     PermuteShape{.element_bytes = 5, .outer = 13}, options, true, in_place);
  // Lengths: units of 60 bytes, turned within; of 20, three a step and one in the last.
  cases.emplace_back(beside(Map::turn(7, {true, 3}), Map::turn(30, {true, 0})),
                     PermuteShape{.element_bytes = 2}, options, true, in_place);
  cases.emplace_back(Map::turn(16, {false, 3}), PermuteShape{.element_bytes = 2, .inner = 10},
                     options, false, in_place);
  return cases;
}

TEST(DiskInPlace, every_operation_that_fails_is_an_error_and_leaves_a_state_to_go_on_from) {
  for (const bool in_place : {true, false})
    for (const JobCase& test : cases(in_place))
      ASSERT_NO_FATAL_FAILURE(testing::fail_every_operation(test)) << test.plan.describe();
}

TEST(DiskInPlace, the_power_may_be_cut_at_every_operation) {
  const std::uint64_t seeds = testing::full_run() ? 20 : 2;
  for (const bool in_place : {true, false})
    for (const JobCase& test : cases(in_place))
      EXPECT_GT(testing::cut_every_operation(test, seeds), 50U);
}

TEST(DiskInPlace, after_a_cut_two_tiles_at_most_are_written_again_and_the_counts_are_the_plans) {
  testing::count_after_every_cut(cases(true).front());
  testing::count_after_every_cut(cases(true)[1]);
}

TEST(DiskInPlace, stopping_on_request_repeats_two_steps_of_writing_and_no_reading) {
  JobCase test = std::move(cases(true).front());
  FileCounts whole;
  {
    SimulatedDisk disk;
    test.begin(disk);
    whole = test.go(disk).counts;
    EXPECT_EQ(whole, counts_of(test.plan.facts(), true));
  }
  const FilePassFacts& first = test.plan.facts().passes.front();
  for (std::uint64_t stop = 0; stop + 1 < first.tiles; ++stop) {
    SimulatedDisk disk;
    test.begin(disk);
    EXPECT_THROW(test.go(disk, stop), Error);
    EXPECT_EQ(disk.find("out"), nullptr);
    const JobOutcome rest = test.go(disk);
    EXPECT_EQ(disk.find("out")->now, test.wanted);
    // After stop + 1 steps are in their places, one more is in the log.
    const Count steps_read = stop + 2;
    EXPECT_EQ(rest.counts.bytes_read + steps_read * first.tile_bytes, whole.bytes_read);
    EXPECT_EQ(rest.counts.bytes_written + (2 * steps_read - 2) * first.tile_bytes,
              whole.bytes_written);
    EXPECT_EQ(rest.resumed_bytes, stop * first.tile_bytes);
  }
}

TEST(DiskInPlace, an_array_that_is_the_only_copy_is_never_begun_anew) {
  JobCase test = std::move(cases(true).front());
  SimulatedDisk disk;
  test.begin(disk);
  EXPECT_THROW(test.go(disk, 1), Error);
  testing::SimulatedStorage storage(disk);
  EXPECT_THROW(storage.reset(), Error);
  EXPECT_NE(disk.find("array"), nullptr);
}

}  // namespace
}  // namespace faro::disk
