// The protocol of a run: every operation failing, and the power cut at every operation, must leave
// the old output, and going on must give the right bytes.
#include "disk/job.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.hpp"
#include "disk/journal.hpp"
#include "disk/plan_state.hpp"
#include "disk/simulated_storage.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/engine/reference.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro::disk {
namespace {

using testing::PowerCut;
using testing::SimulatedDisk;
using testing::SimulatedStorage;

struct Case {
  Case(const BitMap& map, const PermuteShape& shape, const FilePlanOptions& options, bool verify)
      : plan(FilePermutePlan::out_of_place(map, shape, options)), input("in") {
    request.map = map;
    request.shape = shape;
    request.plan = options;
    request.output_start = "HEADER..";
    request.verify = verify;
    Random random(1);
    const auto bytes = static_cast<std::uint64_t>(plan.facts().data_bytes);
    std::vector<std::byte> data(bytes);
    for (std::byte& b : data) b = static_cast<std::byte>(1 + random.below(255));
    wanted.resize(bytes);
    reference_permute(map, shape, data.data(), wanted.data());
    wanted.insert(wanted.begin(), request.output_start.size(), std::byte{});
    std::memcpy(wanted.data(), request.output_start.data(), request.output_start.size());
    input = MemoryFile("in", std::move(data));
  }

  JobOutcome go(SimulatedDisk& disk, std::uint64_t stop_after = UINT64_MAX) {
    SimulatedStorage storage(disk);
    ResumeFileOptions options{.io = FileIo::automatic, .threads = 1, .io_threads = 0};
    options.checkpoint_seconds = 0;
    std::uint64_t calls = 0;
    options.progress = [&](std::uint64_t, std::uint64_t) {
      return ++calls > stop_after ? Continue::no : Continue::yes;
    };
    return run_job(request, plan, storage, input, options);
  }

  JobRequest request;
  FilePermutePlan plan;
  MemoryFile input;
  std::vector<std::byte> wanted;
};

Case two_passes(bool verify) {
  return {parse_notation("i:8 -> rev(i)").map,
          {.element_bytes = 4},
          {.memory_bytes = bit(30), .run_bytes_min = 64, .passes = 2, .tile_bytes_max = 256},
          verify};
}

Case one_pass() {
  return {parse_notation("i:7 -> gray(rev(i))").map,
          {.element_bytes = 3, .outer = 3, .inner = 1},
          {.memory_bytes = bit(30), .passes = 1, .tile_bytes_max = 64},
          false};
}

Case three_passes() {
  return {parse_notation("i:9 -> rev(i)").map,
          {.element_bytes = 1},
          {.memory_bytes = bit(30), .run_bytes_min = 8, .passes = 3, .tile_bytes_max = 32},
          true};
}

bool is_old_or_absent(const SimulatedDisk& disk, const std::vector<std::byte>& old) {
  const auto out = disk.find("out");
  return !out || out->now == old;
}

std::uint64_t operations_of(Case& test) {
  SimulatedDisk disk;
  test.go(disk);
  EXPECT_EQ(disk.find("out")->durable, test.wanted);
  EXPECT_EQ(disk.find("data"), nullptr);
  EXPECT_EQ(disk.find("journal"), nullptr);
  return disk.operations();
}

void fail_every_operation(Case test) {
  const std::uint64_t total = operations_of(test);
  ASSERT_GT(total, 30U);
  const std::vector<std::byte> old{std::byte{42}};
  for (std::uint64_t k = 1; k <= total; ++k) {
    SimulatedDisk disk;
    disk.make("out")->now = disk.make("out")->durable = old;
    disk.arm(SimulatedDisk::Fault::error, k);
    try {
      test.go(disk);
      // Only what remains to be removed may fail without failing the run.
      ADD_FAILURE() << "operation " << k << " failed and the run did not";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::environment);
    }
    const auto out = disk.find("out");
    ASSERT_TRUE(out->now == old || out->now == test.wanted) << k;
    disk.disarm();
    if (out->now == test.wanted && disk.find("journal") == nullptr) continue;
    test.go(disk);
    ASSERT_EQ(disk.find("out")->now, test.wanted) << k;
    ASSERT_EQ(disk.find("journal"), nullptr);
  }
}

TEST(DiskJob, every_operation_that_fails_is_an_error_and_leaves_a_state_to_go_on_from) {
  fail_every_operation(one_pass());
  fail_every_operation(two_passes(true));
}

// Power cuts at the k-th operation, and again during recovery now and then.
std::uint64_t cut_every_operation(Case test, std::uint64_t seeds) {
  const std::uint64_t total = operations_of(test);
  const std::vector<std::byte> old{std::byte{42}};
  std::uint64_t cuts = 0;
  for (std::uint64_t k = 1; k <= total; ++k)
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Random random(k * 1000 + seed);
      SimulatedDisk disk;
      disk.make("out")->now = disk.make("out")->durable = old;
      disk.sync_names();
      disk.arm(SimulatedDisk::Fault::power, k);
      for (;;) {
        try {
          test.go(disk);
          break;
        } catch (const PowerCut&) {
          ++cuts;
          disk.restart(random);
          if (disk.find("out")->now == test.wanted && !disk.find("journal")) break;
          if (disk.find("data")) {
            EXPECT_TRUE(is_old_or_absent(disk, old)) << k;
          }
          if (random.below(10) < 3) disk.arm(SimulatedDisk::Fault::power, 1 + random.below(total));
        }
      }
      const auto out = disk.find("out");
      EXPECT_EQ(out->now, test.wanted) << "cut at operation " << k << ", seed " << seed;
      if (out->now != test.wanted) return cuts;
    }
  return cuts;
}

TEST(DiskJob, the_power_may_be_cut_at_every_operation) {
  const std::uint64_t seeds = testing::full_run() ? 20 : 1;
  EXPECT_GT(cut_every_operation(one_pass(), seeds), 50U);
  EXPECT_GT(cut_every_operation(two_passes(true), seeds), 50U);
  EXPECT_GT(cut_every_operation(three_passes(), seeds), 50U);
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
