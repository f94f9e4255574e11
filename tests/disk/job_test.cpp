// The protocol of a run: every operation failing, and the power cut at every operation, must leave
// the old output, and going on must give the right bytes.
#include "disk/job.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "base/random.hpp"
#include "disk/job_case.hpp"
#include "disk/journal.hpp"
#include "disk/plan_state.hpp"
#include "engine/reference.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "paths.hpp"

namespace faro::disk {
namespace {

using testing::cut_every_operation;
using testing::fail_every_operation;
using testing::SimulatedDisk;
using Case = testing::JobCase;

Case two_passes(bool verify) {
  return {say("i:8 -> rev(i)").map.as_bits(),
          {.element_bytes = 4},
          {.memory_bytes = bit(30), .run_bytes_min = 64, .passes = 2, .tile_bytes_max = 256},
          verify};
}

Case one_pass() {
  return {say("i:7 -> gray(rev(i))").map.as_bits(),
          {.element_bytes = 3, .outer = 3, .inner = 1},
          {.memory_bytes = bit(30), .passes = 1, .tile_bytes_max = 64},
          false};
}

Case three_passes() {
  return {say("i:9 -> rev(i)").map.as_bits(),
          {.element_bytes = 1},
          {.memory_bytes = bit(30), .run_bytes_min = 8, .passes = 3, .tile_bytes_max = 32},
          true};
}

TEST(DiskJob, every_operation_that_fails_is_an_error_and_leaves_a_state_to_go_on_from) {
  fail_every_operation(one_pass());
  fail_every_operation(two_passes(true));
}

TEST(DiskJob, the_power_may_be_cut_at_every_operation) {
  const std::uint64_t seeds = testing::full_run() ? 20 : 1;
  EXPECT_GT(cut_every_operation(one_pass(), seeds), 50U);
  EXPECT_GT(cut_every_operation(two_passes(true), seeds), 50U);
  EXPECT_GT(cut_every_operation(three_passes(), seeds), 50U);
}

TEST(DiskJob, after_a_cut_a_tile_at_most_is_done_again_and_the_counts_are_the_plans) {
  testing::count_after_every_cut(two_passes(true));
  testing::count_after_every_cut(three_passes());
}

TEST(DiskJob, stopping_on_request_keeps_what_was_done_and_repeats_nothing) {
  Case test = two_passes(true);
  FileCounts whole;
  {
    SimulatedDisk disk;
    whole = test.go(disk).counts;
    Count reads = 0;
    for (const FilePassFacts& pass : test.plan.facts().passes) reads += pass.reads;
    EXPECT_EQ(whole.reads, reads);
  }
  for (std::uint64_t stop = 0; stop < 7; ++stop) {
    SimulatedDisk disk;
    try {
      test.go(disk, stop);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
    const auto journal = disk.find("journal");
    ASSERT_NE(journal, nullptr);
    const JobOutcome rest = test.go(disk);
    EXPECT_EQ(disk.find("out")->now, test.wanted);
    // What the first run wrote the second does not.
    EXPECT_EQ(rest.resumed_bytes, (stop + 1) * 256);
    EXPECT_EQ(rest.counts.bytes_written + rest.resumed_bytes, whole.bytes_written);
  }
}

std::vector<std::byte> kept(const std::string& name) {
  std::ifstream in(testing::source_path("tests/data/journals/1/" + name), std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_FALSE(text.empty()) << name;
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Files as the first version of the format left them: they stay as they are.
TEST(DiskJob, an_unfinished_run_of_journal_format_1_is_gone_on_with) {
  Case test = two_passes(true);
  SimulatedDisk disk;
  test.begin(disk);
  for (const char* name : {"journal", "data", "temporary"})
    disk.make(name)->now = disk.make(name)->durable = kept(name);
  disk.sync_names();
  {
    testing::SimulatedFile file(disk, "journal");
    const Journal journal(file);
    ASSERT_TRUE(journal.last().has_value());
    EXPECT_EQ(*journal.last(), (Record{.kind = Record::Kind::tiles,
                                       .pass = 1,
                                       .count = 1,
                                       .fingerprint = journal.last()->fingerprint}));
    const JobRequest request = JobRequest::parse(journal.header(), "journal");
    EXPECT_EQ(request.map, test.request.map);
    EXPECT_EQ(request.shape.element_bytes, 4U);
    EXPECT_EQ(request.plan.passes, 2);
    EXPECT_EQ(request.output_start, "HEADER..");
    EXPECT_TRUE(request.verify);
    // The plan of today is the plan of then, or the run could not go on.
    EXPECT_EQ(request.json(test.plan), journal.header());
  }
  EXPECT_EQ(test.go(disk).resumed_bytes, 1024U + 256U);
  EXPECT_EQ(disk.find("out")->now, test.wanted);
  EXPECT_EQ(disk.find("journal"), nullptr);
}

TEST(DiskJob, the_check_refuses_a_byte_that_changed_on_the_way) {
  Case test = two_passes(true);
  SimulatedDisk disk;
  EXPECT_THROW(test.go(disk, 3), Error);
  disk.find("temporary")->now[300] ^= std::byte{1};  // of the pass that is not begun
  try {
    test.go(disk);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::refused);
  }
  EXPECT_EQ(disk.find("out"), nullptr);
  EXPECT_EQ(disk.find("journal"), nullptr);
}

TEST(DiskJournal, a_torn_end_is_not_there_and_damage_before_it_is_an_error) {
  SimulatedDisk disk;
  testing::SimulatedFile file(disk, "journal");
  const Record first{.kind = Record::Kind::tiles, .pass = 0, .count = 5, .fingerprint = 77};
  const Record second{.kind = Record::Kind::tiles, .pass = 1, .count = 9, .fingerprint = 78};
  {
    Journal journal(file);
    EXPECT_TRUE(journal.is_blank());
    journal.begin("{\"x\":1}");
    journal.append(first);
    journal.append(second);
  }
  const std::vector<std::byte> good = disk.find("journal")->now;
  ASSERT_EQ(good.size(), 7 + 11 + 8 + 1 + 64);
  EXPECT_EQ(Journal(file).last(), second);
  EXPECT_EQ(Journal(file).header(), "{\"x\":1}");
  for (std::size_t cut = good.size() - 31; cut < good.size(); ++cut) {
    disk.find("journal")->now.assign(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_EQ(Journal(file).last(), first);
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    disk.find("journal")->now = good;
    disk.find("journal")->now[at] ^= std::byte{4};
    if (at >= good.size() - 32) {
      EXPECT_EQ(Journal(file).last(), first) << at;
    } else {
      bool told = false;
      try {
        told = Journal(file).is_blank();
      } catch (const Error& error) {
        told = error.code() == ErrorCode::environment;
      }
      EXPECT_TRUE(told) << at;
    }
  }
}

}  // namespace
}  // namespace faro::disk
