// The C API of arrays in files.
#include "faro/c/files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "files/scratch.hpp"

namespace {

using faro::testing::read_all;
using faro::testing::Scratch;
using faro::testing::write_all;

struct Case {
  Scratch scratch;
  std::string in = scratch.path("in");
  std::string out = scratch.path("out");
  faro_map* map = nullptr;
  faro_file_options options = FARO_FILE_OPTIONS;
  std::string expected;

  Case() {
    // Bit reversal of 2^16 elements of 4 bytes.
    std::vector<int> places;
    for (int b = 15; b >= 0; --b) places.push_back(b);
    EXPECT_EQ(faro_map_from_places(16, places.data(), 0, &map), FARO_OK);
    std::string data(4U << 16U, '\0');
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<char>(i * 2654435761U >> 9U);
    expected.resize(data.size());
    for (std::uint64_t i = 0; i < 1U << 16U; ++i)
      data.copy(expected.data() + (faro_map_apply(map, i) * 4), 4, i * 4);
    write_all(in, data);
    options.element_bytes = 4;
    options.memory_bytes = (48U << 20U) + (3U << 15U);  // tiles of 32 KiB
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  ~Case() { faro_map_free(map); }
};

TEST(CFiles, a_map_with_lengths_moves_a_file_whole_and_in_tiles) {
  Case c;
  faro_map_free(c.map);
  c.map = nullptr;
  const uint64_t shape[] = {300, 218};
  ASSERT_EQ(faro_map_from_words("numpy:np.roll(a, 7, 1).T", 2, shape, &c.map), FARO_OK);
  const std::string data = read_all(c.in).substr(0, size_t{300} * 218 * 4);
  write_all(c.in, data);
  c.expected.resize(data.size());
  for (std::uint64_t i = 0; i < faro_map_elements(c.map); ++i)
    data.copy(c.expected.data() + (faro_map_apply(c.map, i) * 4), 4, i * 4);
  c.options.verify = 1;
  ASSERT_EQ(faro_permute_file(c.in.c_str(), c.out.c_str(), c.map, &c.options, nullptr), FARO_OK)
      << faro_last_error();
  EXPECT_EQ(read_all(c.out), c.expected);
  write_all(c.out, "old");
  c.options.verify = 0;
  faro_file_report report = FARO_FILE_REPORT;
  for (std::uint64_t tile = 0; report.complete == 0 && tile < 100; ++tile) {
    EXPECT_EQ(read_all(c.out), "old");
    ASSERT_EQ(faro_permute_file_tiles(c.in.c_str(), c.out.c_str(), c.map, &c.options, 0, tile, 1,
                                      &report),
              FARO_OK)
        << faro_last_error();
  }
  EXPECT_EQ(report.complete, 1);
  EXPECT_EQ(read_all(c.out), c.expected);
}

TEST(CFiles, plans_and_permutes_a_file) {
  Case c;
  c.options.passes = 2;
  faro_file_plan* plan = nullptr;
  ASSERT_EQ(faro_file_plan_create(c.map, &c.options, &plan), FARO_OK);
  faro_file_facts facts = FARO_FILE_FACTS;
  ASSERT_EQ(faro_file_plan_get_facts(plan, &facts), FARO_OK);
  EXPECT_EQ(facts.passes, 2);
  EXPECT_EQ(facts.data_bytes, 4U << 16U);
  EXPECT_EQ(facts.temporary_bytes, 4U << 16U);
  EXPECT_EQ(facts.tile_bytes, 1U << 15U);
  faro_file_pass pass = FARO_FILE_PASS;
  ASSERT_EQ(faro_file_plan_get_pass(plan, 1, &pass), FARO_OK);
  EXPECT_EQ(pass.from, 1);
  EXPECT_EQ(pass.to, 2);
  EXPECT_EQ(pass.tiles, 8U);
  EXPECT_EQ(pass.tiles * pass.tile_bytes, facts.data_bytes);
  EXPECT_EQ(faro_file_plan_get_pass(plan, 2, &pass), FARO_USAGE);
  EXPECT_NE(std::string(faro_file_plan_describe(plan)).find("2 passes"), std::string::npos);
  EXPECT_NE(std::string(faro_file_plan_json(plan)).find("faro-file-plan/1"), std::string::npos);
  faro_file_plan_free(plan);

  c.options.verify = 1;
  faro_file_report report = FARO_FILE_REPORT;
  ASSERT_EQ(faro_permute_file(c.in.c_str(), c.out.c_str(), c.map, &c.options, &report), FARO_OK)
      << faro_last_error();
  EXPECT_EQ(read_all(c.out), c.expected);
  EXPECT_EQ(report.complete, 1);
  EXPECT_EQ(report.reads, facts.reads);
  EXPECT_EQ(report.writes, facts.writes);
  EXPECT_EQ(report.bytes_written, 2 * facts.data_bytes);
}

TEST(CFiles, a_stopped_run_is_resumed) {
  Case c;
  c.options.checkpoint_seconds = 0;
  int calls = 0;
  c.options.context = &calls;
  c.options.progress = [](void* context, uint64_t, uint64_t) {
    return ++*static_cast<int*>(context) == 3 ? 1 : 0;
  };
  EXPECT_EQ(faro_permute_file(c.in.c_str(), c.out.c_str(), c.map, &c.options, nullptr),
            FARO_CANCELLED);
  EXPECT_EQ(faro_permute_file(c.in.c_str(), c.out.c_str(), c.map, &c.options, nullptr), FARO_USAGE);
  EXPECT_FALSE(std::filesystem::exists(c.out));
  faro_file_report report = FARO_FILE_REPORT;
  // A copy of the input has another time: whoever knows that it is the same says so.
  std::filesystem::last_write_time(c.in,
                                   std::filesystem::last_write_time(c.in) - std::chrono::hours(1));
  EXPECT_EQ(faro_resume_file(c.out.c_str(), nullptr, &report), FARO_ENVIRONMENT);
  faro_file_options again = FARO_FILE_OPTIONS;
  again.unchanged = 2;
  EXPECT_EQ(faro_resume_file(c.out.c_str(), &again, &report), FARO_USAGE);
  again.unchanged = 1;
  ASSERT_EQ(faro_resume_file(c.out.c_str(), &again, &report), FARO_OK) << faro_last_error();
  EXPECT_EQ(report.resumed_bytes, 3U << 15U);
  EXPECT_EQ(read_all(c.out), c.expected);
  EXPECT_EQ(faro_resume_file(c.out.c_str(), nullptr, nullptr), FARO_USAGE);
}

TEST(CFiles, ranges_of_tiles_make_the_file_together) {
  Case c;
  c.options.passes = 1;
  faro_file_report report = FARO_FILE_REPORT;
  const auto tiles = [&](uint64_t first, uint64_t count) {
    return faro_permute_file_tiles(c.in.c_str(), c.out.c_str(), c.map, &c.options, 0, first, count,
                                   &report);
  };
  ASSERT_EQ(tiles(5, 3), FARO_OK) << faro_last_error();
  EXPECT_EQ(report.complete, 0);
  EXPECT_EQ(report.tiles_missing, 5U);
  EXPECT_EQ(tiles(5, 4), FARO_USAGE);
  ASSERT_EQ(tiles(0, 5), FARO_OK) << faro_last_error();
  EXPECT_EQ(report.complete, 1);
  EXPECT_EQ(report.tiles_missing, 0U);
  EXPECT_EQ(read_all(c.out), c.expected);
}

TEST(CFiles, null_and_nonsense_are_refused_with_a_message) {
  Case c;
  const char* const in = c.in.c_str();
  const char* const out = c.out.c_str();
  faro_file_plan* plan = nullptr;
  EXPECT_EQ(faro_file_plan_create(nullptr, &c.options, &plan), FARO_USAGE);
  EXPECT_EQ(faro_file_plan_create(c.map, &c.options, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_file_plan_get_facts(nullptr, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_file_plan_get_pass(nullptr, 0, nullptr), FARO_USAGE);
  EXPECT_STREQ(faro_file_plan_describe(nullptr), "");
  EXPECT_STREQ(faro_file_plan_json(nullptr), "");
  faro_file_plan_free(nullptr);
  EXPECT_EQ(faro_permute_file(nullptr, out, c.map, &c.options, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_permute_file(in, nullptr, c.map, &c.options, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_permute_file(in, out, nullptr, &c.options, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_resume_file(nullptr, nullptr, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_permute_file_tiles(in, out, nullptr, nullptr, 0, 0, 1, nullptr), FARO_USAGE);
  EXPECT_EQ(faro_permute_file(c.scratch.path("none").c_str(), out, c.map, &c.options, nullptr),
            FARO_ENVIRONMENT);
  EXPECT_FALSE(std::string(faro_last_error()).empty());

  const auto refused = [&](auto change) {
    faro_file_options options = c.options;
    change(options);
    return faro_permute_file(in, out, c.map, &options, nullptr);
  };
  using Options = faro_file_options;
  EXPECT_EQ(refused([](Options& o) { o.io = 3; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.passes = -1; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.device = "floppy"; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.output_start_bytes = 4; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.struct_size = 3; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.version = 99; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.element_bytes = 8; }), FARO_USAGE);
  EXPECT_EQ(refused([](Options& o) { o.memory_bytes = 1; }), FARO_IMPOSSIBLE);
  // A report that cannot be filled is refused before anything is done.
  faro_file_report report = FARO_FILE_REPORT;
  report.version = 0;
  EXPECT_EQ(faro_permute_file(in, out, c.map, &c.options, &report), FARO_USAGE);
  EXPECT_EQ(c.scratch.count(), 1U);
}

// A program built against an earlier, shorter layout.
TEST(CFiles, a_shorter_struct_keeps_the_defaults_of_what_it_lacks) {
  Case c;
  c.options.struct_size = offsetof(faro_file_options, input_start_byte);
  c.options.input_start_byte = 12345;  // beyond what is said to be there
  ASSERT_EQ(faro_permute_file(c.in.c_str(), c.out.c_str(), c.map, &c.options, nullptr), FARO_OK)
      << faro_last_error();
  EXPECT_EQ(read_all(c.out), c.expected);
}

}  // namespace
