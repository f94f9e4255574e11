// Axes of any length through files: plans of one pass, judged by walking every element, performed
// against the obvious loop, stopped and gone on with.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "algebra/digit_walk.hpp"
#include "algebra/every_map.hpp"
#include "base/random.hpp"
#include "disk/digit_plan.hpp"
#include "disk/job_case.hpp"
#include "disk/numbered.hpp"
#include "disk/plan_state.hpp"
#include "disk/verify.hpp"
#include "engine/shapes.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/words/say.hpp"
#include "files/scratch.hpp"
#include "full.hpp"

namespace faro {
namespace {

Map map_of(const char* text) {
  return say(text).map;
}

bool holds(const MemoryFile& file, const std::vector<std::byte>& wanted) {
  return std::equal(file.bytes().begin(), file.bytes().end(), wanted.begin(), wanted.end());
}

Map random_tensor(Random& random) {
  static constexpr Word lengths[] = {2, 3, 4, 5, 7, 8, 12, 16, 30, 32, 45};
  std::vector<Word> shape;
  Word left = 20000;
  for (Word k = 0, axes = 1 + random.below(5); k < axes; ++k) {
    const Word length = testing::one_of(random, lengths);
    if (length > left) break;
    shape.push_back(length);
    left /= length;
  }
  shape.push_back(3 + 2 * random.below(4));  // one at least that is no power of two
  random.mix(shape);
  std::vector<Word> to_shape;
  return testing::random_map(shape, random.below(2) == 0, random, to_shape);
}

// Every tile, by its requests: each element is read once and written once, and a request lies
// within a run of at least the claimed length unless it is at the end of a length.
void walk(const FilePermutePlan& plan, std::uint64_t element) {
  const disk::DigitTiles& tiles = *plan.state().digit_tiles;
  const FilePassFacts& pass = plan.facts().passes.front();
  const auto bytes = static_cast<std::uint64_t>(plan.facts().data_bytes);
  std::vector<char> read(bytes);
  std::vector<char> written(bytes);
  Count reads = 0;
  Count writes = 0;
  for (std::uint64_t i = 0; i < pass.tiles; ++i) {
    const disk::TilePlace place = tiles.place(i);
    ASSERT_LE(place.bytes, pass.tile_bytes);
    std::vector<char> in_buffer(place.bytes);
    const auto mark = [](std::vector<char>& where, std::uint64_t at, std::uint64_t count) {
      ASSERT_LE(at + count, where.size());
      for (std::uint64_t b = at; b < at + count; ++b) ASSERT_EQ(where[b]++, 0) << b;
    };
    for (std::uint64_t r = 0, n = tiles.reads_of(place).count; r < n; ++r, ++reads) {
      const disk::Request request = tiles.read(place, r);
      ASSERT_EQ(request.bytes % element, 0U);
      ASSERT_LE(request.bytes, pass.read_run_bytes);
      mark(read, request.file_offset, request.bytes);
      mark(in_buffer, request.buffer_offset, request.bytes);
    }
    for (std::uint64_t w = 0, n = tiles.writes_of(place).count; w < n; ++w, ++writes) {
      const disk::Request request = tiles.write(place, w);
      ASSERT_LE(request.bytes, pass.write_run_bytes);
      mark(written, request.file_offset, request.bytes);
    }
  }
  EXPECT_EQ(reads, pass.reads);
  EXPECT_EQ(writes, pass.writes);
  EXPECT_EQ(std::count(read.begin(), read.end(), 1), static_cast<std::ptrdiff_t>(bytes));
  EXPECT_EQ(std::count(written.begin(), written.end(), 1), static_cast<std::ptrdiff_t>(bytes));
}

TEST(DiskDigits, random_arrays_move_right_in_tiles_of_any_size) {
  Random random(22);
  const int cases = testing::full_run() ? 4000 : testing::sanitized() ? 60 : 400;
  int rolled = 0;
  for (int n = 0; n < cases; ++n) {
    const Map map = n % 3 == 0 ? testing::random_turned(1 + random.below(20000), random)
                               : random_tensor(random);
    if (map.bits()) continue;
    for (const Digit& digit : map.digits().to) rolled += digit.roll != 0 ? 1 : 0;
    static constexpr std::uint64_t elements[] = {1, 2, 3, 4, 8, 12, 16};
    const std::uint64_t element = testing::one_of(random, elements);
    const auto bytes = static_cast<std::uint64_t>(map.elements() * element);
    const auto plan = FilePermutePlan::out_of_place(
        map, {.element_bytes = element},
        {.memory_bytes = bit(30), .tile_bytes_max = element + random.below(bytes + bytes / 4)});
    ASSERT_NO_FATAL_FAILURE(walk(plan, element)) << to_notation(map) << ", " << plan.json();
    std::vector<std::byte> data(bytes);
    for (std::byte& b : data) b = static_cast<std::byte>(random.below(256));
    std::vector<std::byte> wanted(bytes);
    reference_permute(map, {element, {}, {}}, data.data(), wanted.data());
    MemoryFile from("in", data);
    MemoryFile to("out", std::vector<std::byte>(bytes));
    const FileCounts counts = plan.execute({.from = from, .to = to, .io_threads = 0});
    ASSERT_TRUE(holds(to, wanted)) << to_notation(map) << ", " << plan.json();
    EXPECT_EQ(counts.bytes_read, bytes);
    EXPECT_EQ(counts.reads, plan.facts().passes.front().reads);
    // Tiles alone, the last first.
    MemoryFile again("again", std::vector<std::byte>(bytes));
    for (auto i = static_cast<std::uint64_t>(plan.facts().passes.front().tiles); i-- > 0;)
      plan.execute_tiles({.pass = 0, .first = i, .count = 1},
                         {.from = from, .to = again, .io_threads = 0});
    ASSERT_TRUE(holds(again, wanted));
  }
  EXPECT_GT(rolled, cases / 12);
}

TEST(DiskDigits, walks_of_the_source_agree_with_the_map) {
  Random random(23);
  for (int n = 0; n < 200; ++n) {
    const Map map =
        n % 2 == 0 ? random_tensor(random) : testing::random_turned(1 + random.below(700), random);
    const radix::DigitPlaces places(map);
    const auto all = static_cast<Word>(map.elements());
    const Word first = random.below(all);
    radix::DigitWalk walk(places, first);
    for (Word x = first; x < std::min(all, first + 300); ++x, walk.next())
      ASSERT_EQ(walk.place(), map(x)) << to_notation(map) << " at " << x;
  }
}

// A length is cut where it wraps, so that a tile arrives in one piece.
TEST(DiskDigits, rolled_digits_are_cut_at_their_seam) {
  for (const bool reversed : {false, true})
    for (Word length = 1; length < 12; ++length)
      for (Word roll = 0; roll < length; ++roll)
        for (std::uint64_t tile = 3; tile < 3 * length; tile += 2) {
          const Map map = beside(Map::turn(length, {reversed, roll}), Map::identity(3));
          if (map.bits()) continue;
          const auto plan = FilePermutePlan::out_of_place(
              map, {}, {.memory_bytes = bit(30), .tile_bytes_max = tile});
          ASSERT_NO_FATAL_FAILURE(walk(plan, 1)) << to_notation(map) << ", " << plan.json();
        }
  Digits many;
  for (int k = 0; k < 9; ++k) {
    many.from.push_back({3, k});
    many.to.push_back({3, k, false, 1});
  }
  EXPECT_THROW(FilePermutePlan::out_of_place(Map::from_digits(many), {}, {}), Error);
}

TEST(DiskDigits, a_matrix_of_a_terabyte_has_runs_of_tens_of_kibibytes) {
  const auto plan = FilePermutePlan::out_of_place(map_of("r=360000 c=360001 -> c r"),
                                                  {.element_bytes = 8}, {.memory_bytes = bit(31)});
  const FilePassFacts& pass = plan.facts().passes.front();
  EXPECT_EQ(plan.facts().passes.size(), 1U);
  EXPECT_GT(std::min(pass.read_run_bytes, pass.write_run_bytes), 32 * 1024U);
  EXPECT_LE(pass.tile_bytes, (bit(31) - 48 * testing::mebibyte) / 3);
  EXPECT_GT(pass.tile_bytes, (bit(31) - 48 * testing::mebibyte) / 12);
  // A unit that stays together is read and written whole.
  const auto rows = FilePermutePlan::out_of_place(map_of("a=3000 b=5000 c=700000 -> b a c"), {},
                                                  {.memory_bytes = 64 * testing::mebibyte});
  EXPECT_GE(rows.facts().passes.front().read_run_bytes, 700000U);
  EXPECT_GE(rows.facts().passes.front().write_run_bytes, 700000U);
}

TEST(DiskDigits, maps_of_bits_alone_are_planned_as_ever) {
  const auto as_lengths =
      FilePermutePlan::out_of_place(map_of("r=4096 c=65536 -> c r"), {.element_bytes = 8},
                                    {.memory_bytes = 64 * testing::mebibyte});
  const auto as_bits =
      FilePermutePlan::out_of_place(say("r:12 c:16 -> c r").map.as_bits(), {.element_bytes = 8},
                                    {.memory_bytes = 64 * testing::mebibyte});
  EXPECT_EQ(as_lengths.json(), as_bits.json());
}

TEST(DiskDigits, what_one_pass_cannot_do_is_refused_with_what_would_do) {
  const Map map = map_of("r=6000 c=6001 -> c r");
  const auto refusal = [&](FilePlanOptions options) {
    try {
      FilePermutePlan::out_of_place(map, {.element_bytes = 8}, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::impossible);
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_NE(refusal({.memory_bytes = 64 * testing::mebibyte, .passes = 2}).find("one pass"),
            std::string::npos);
  EXPECT_NE(refusal({.memory_bytes = 48 * testing::mebibyte}).find("51 MiB would do"),
            std::string::npos);
  const std::string runs =
      refusal({.memory_bytes = 60 * testing::mebibyte, .run_bytes_min = 32 * 1024});
  EXPECT_NE(runs.find("432 MiB would do"), std::string::npos) << runs;
  // And it does.
  EXPECT_EQ(refusal({.memory_bytes = 432 * testing::mebibyte, .run_bytes_min = 32 * 1024}), "none");
  EXPECT_THROW(FilePermutePlan::out_of_place(map, {.element_bytes = 0}, {}), Error);
}

TEST(DiskDigits, tampered_blocks_are_refused) {
  const auto plan = FilePermutePlan::out_of_place(
      map_of("r=60 b:6 c=50 -> rev(b) c r"), {}, {.memory_bytes = bit(30), .tile_bytes_max = 4000});
  const disk::DigitPass good = *plan.state().digits;
  const FilePassFacts& pass = plan.facts().passes.front();
  const disk::ClaimedRuns runs{.read = pass.read_run_bytes, .write = pass.write_run_bytes};
  EXPECT_EQ(disk::wrong_blocks(good, runs, 4000), std::nullopt);
  EXPECT_NE(disk::wrong_blocks(good, {.read = runs.read + 1, .write = runs.write}, 4000),
            std::nullopt);
  EXPECT_NE(disk::wrong_blocks(good, {.read = runs.read, .write = runs.write * 2}, 4000),
            std::nullopt);
  EXPECT_NE(disk::wrong_blocks(good, runs, pass.tile_bytes - 1), std::nullopt);
  disk::DigitPass bad = good;
  bad.blocks.front() = 61;
  EXPECT_NE(disk::wrong_blocks(bad, runs, bit(40)), std::nullopt);
  bad = good;
  bad.blocks.front() = 0;
  EXPECT_NE(disk::wrong_blocks(bad, runs, bit(40)), std::nullopt);
  bad = good;
  bad.tile.push_back(bad.tile.empty() ? bit(6) : bad.tile.front());
  EXPECT_NE(disk::wrong_blocks(bad, runs, bit(40)), std::nullopt);
}

// By definition: unit u goes to one place whatever x is, and x whatever u is.
bool has_units(const Map& map, Word all, Word unit) {
  for (Word u = 0; u < all / unit; ++u)
    for (Word x = 0; x < unit; ++x)
      if (map(u * unit + x) != map(u * unit) / unit * unit + map(x) % unit) return false;
  return true;
}

TEST(DiskDigits, units_in_place_are_the_largest_that_the_map_has) {
  Random random(29);
  const int cases = testing::full_run() ? 20000 : testing::sanitized() ? 200 : 2000;
  std::size_t found = 0;
  for (int n = 0; n < cases; ++n) {
    const Map high = testing::random_turned(1 + random.below(40), random);
    const Map map = beside(high, testing::random_turned(1 + random.below(40), random));
    const auto all = static_cast<Word>(map.elements());
    const Word most = 1 + random.below(all + 1);
    Word wanted = 1;
    for (Word unit = 1; unit <= std::min(all, most); ++unit)
      if (all % unit == 0 && has_units(map, all, unit)) wanted = unit;
    const disk::TileUnits units = disk::largest_units(map, most);
    ASSERT_EQ(units.within.elements(), wanted) << to_notation(map) << ", at most " << most;
    ASSERT_EQ(disk::wrong_units(units, map), std::nullopt);
    if (wanted > 1 && wanted < all) ++found;
    const Map still = Map::identity(all / wanted);
    if (units.among != still) {
      ASSERT_NE(disk::wrong_units({still, units.within}, map), std::nullopt);
    }
  }
  EXPECT_GT(found, static_cast<std::size_t>(cases) / 4);
}

TEST(DiskDigits, random_arrays_move_right_in_place) {
  Random random(31);
  const int cases = testing::full_run() ? 4000 : testing::sanitized() ? 60 : 400;
  for (int n = 0; n < cases; ++n) {
    const Map map = beside(testing::random_turned(1 + random.below(200), random),
                           testing::random_turned(1 + random.below(50), random));
    if (map.bits()) continue;
    static constexpr std::uint64_t elements[] = {1, 2, 3, 4, 8, 12, 16};
    const std::uint64_t element = testing::one_of(random, elements);
    const auto bytes = static_cast<std::uint64_t>(map.elements() * element);
    const auto plan =
        FilePermutePlan::in_place(map, {.element_bytes = element},
                                  {.memory_bytes = bit(30),
                                   .run_bytes_min = 1,
                                   .tile_bytes_max = element + random.below(bytes + bytes / 4)});
    std::vector<std::byte> data(bytes);
    for (std::byte& b : data) b = static_cast<std::byte>(random.below(256));
    std::vector<std::byte> wanted(bytes);
    reference_permute(map, {element, {}, {}}, data.data(), wanted.data());
    MemoryFile file("array", data);
    const FileCounts counts = plan.execute({.from = file, .to = file, .io_threads = 0});
    ASSERT_TRUE(holds(file, wanted)) << to_notation(map) << ", " << plan.json();
    const FilePassFacts& pass = plan.facts().passes.front();
    EXPECT_EQ(counts, (FileCounts{pass.reads, pass.writes, bytes, bytes}));
    EXPECT_LE(pass.tile_bytes, element + bytes + bytes / 4);
  }
  // Units of 8 bytes, where a block of the disk is the least.
  EXPECT_THROW(FilePermutePlan::in_place(map_of("r=721 c=1440 -> c r"), {.element_bytes = 8},
                                         {.memory_bytes = bit(30), .tile_bytes_max = bit(20)}),
               Error);
}

TEST(DiskDigits, a_stopped_run_goes_on_with_what_its_journal_says) {
  const testing::Scratch scratch;
  const Map map = map_of("r=60 b:5 c=50 -> gray(b) ~c r");
  std::string data(60 * 32 * 50 * 4, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 0x9e3779b9U >> 11U);
  testing::write_all(scratch.path("in"), "123" + data);
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bit(30), .tile_bytes_max = 20000};
  options.input_start_byte = 3;
  options.output_start = "HEAD";
  options.verify = true;
  options.checkpoint_seconds = 0;
  int tiles = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    return ++tiles > 4 ? Continue::no : Continue::yes;
  };
  EXPECT_THROW(
      permute_file(scratch.path("in"), scratch.path("out"), map, {.element_bytes = 4}, options),
      Error);
  options.progress = {};
  EXPECT_THROW(
      permute_file(scratch.path("in"), scratch.path("out"), map, {.element_bytes = 4}, options),
      Error);
  const PermuteFileReport report = resume_file(scratch.path("out"), options);
  EXPECT_TRUE(report.verified);
  EXPECT_GT(report.resumed_bytes, 0U);
  EXPECT_LT(report.counts.bytes_read, data.size());
  std::string wanted(data.size(), '\0');
  reference_permute(map, {4, {}, {}}, data.data(), wanted.data());
  EXPECT_EQ(testing::read_all(scratch.path("out")), "HEAD" + wanted);
}

TEST(DiskDigits, a_power_cut_anywhere_leaves_all_or_nothing) {
  const Map map = map_of("r=6 b:4 c=10 -> rev(b) c ~r");
  testing::JobCase test(map, {.element_bytes = 2}, {.memory_bytes = bit(30), .tile_bytes_max = 500},
                        true);
  EXPECT_GT(testing::cut_every_operation(test, testing::full_run() ? 20 : 1), 20U);
  testing::fail_every_operation(test);
}

}  // namespace
}  // namespace faro
