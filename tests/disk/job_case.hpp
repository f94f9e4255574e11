// A run on a simulated disk: what is wanted, and how it begins, goes on and is judged.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "algebra/digits.hpp"
#include "base/random.hpp"
#include "disk/job.hpp"
#include "disk/simulated_storage.hpp"
#include "engine/reference.hpp"

namespace faro::testing {

struct JobCase {
  JobCase(const Map& map, const PermuteShape& shape, const FilePlanOptions& options, bool verify,
          bool in_place = false)
      : plan(in_place ? FilePermutePlan::in_place(map, shape, options)
                      : FilePermutePlan::out_of_place(map, shape, options)) {
    request.map = map;
    request.shape = shape;
    request.in_place = in_place;
    const std::string start = "HEADER..";
    request.plan = options;
    request.output_start = start;
    request.verify = verify;
    Random random(1);
    const auto bytes = static_cast<std::uint64_t>(plan.facts().data_bytes);
    std::vector<std::byte> data(bytes);
    for (std::byte& b : data) b = static_cast<std::byte>(1 + random.below(255));
    const auto behind_start = [&](std::vector<std::byte> array) {
      array.insert(array.begin(), start.size(), std::byte{});
      std::memcpy(array.data(), start.data(), start.size());
      return array;
    };
    wanted.resize(bytes);
    reference_permute(radix::on_middle_axis(shape.outer, map, shape.inner),
                      TensorShape{shape.element_bytes, {}, {}}, data.data(), wanted.data());
    wanted = behind_start(wanted);
    old = {std::byte{42}};
    if (request.in_place) {
      request.input_start_byte = start.size();
      old = behind_start(data);
    }
    input = MemoryFile("in", std::move(data));
  }

  // What stands under the output's name before.
  void begin(SimulatedDisk& disk) const {
    disk.make("out")->now = disk.make("out")->durable = old;
    disk.sync_names();
  }

  disk::JobOutcome go(SimulatedDisk& disk, std::uint64_t stop_after = UINT64_MAX) {
    SimulatedStorage storage(disk);
    ResumeFileOptions options{.io = FileIo::automatic, .threads = 1, .io_threads = 0};
    options.checkpoint_seconds = 0;
    tiles_written = 0;
    options.progress = [&](std::uint64_t, std::uint64_t) {
      return ++tiles_written > stop_after ? Continue::no : Continue::yes;
    };
    return disk::run_job(request, plan, storage, input, options);
  }

  std::uint64_t operations() {
    SimulatedDisk disk;
    begin(disk);
    go(disk);
    EXPECT_EQ(disk.find("out")->durable, wanted);
    for (const char* name : {"data", "temporary", "redo", "array", "journal"})
      EXPECT_EQ(disk.find(name), nullptr);
    return disk.operations();
  }

  // Under the output's name stands all or nothing: what was there, or the whole result.
  bool is_old_whole_or_absent(const SimulatedDisk& disk) const {
    const auto out = disk.find("out");
    return !out || out->now == old || out->now == wanted;
  }

  disk::JobRequest request;
  FilePermutePlan plan;
  MemoryFile input = MemoryFile("in");
  std::vector<std::byte> wanted;
  std::vector<std::byte> old;
  std::uint64_t tiles_written = 0;  // in the last run, all passes together
};

// Every operation of a run fails once: an error, a state to go on from, and the right bytes.
inline void fail_every_operation(JobCase test) {
  const std::uint64_t total = test.operations();
  ASSERT_GT(total, 30U);
  for (std::uint64_t k = 1; k <= total; ++k) {
    SimulatedDisk disk;
    test.begin(disk);
    disk.arm(SimulatedDisk::Fault::error, k);
    try {
      test.go(disk);
      // Only what remains to be removed may fail without failing the run.
      ADD_FAILURE() << "operation " << k << " failed and the run did not";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::environment);
    }
    ASSERT_TRUE(test.is_old_whole_or_absent(disk)) << k;
    // Without a journal nothing was begun, or all is done.
    if (disk.find("journal") == nullptr) {
      ASSERT_NE(disk.find("out"), nullptr) << k;
    }
    disk.disarm();
    if (disk.find("out") && disk.find("out")->now == test.wanted && !disk.find("journal")) continue;
    test.go(disk);
    ASSERT_EQ(disk.find("out")->now, test.wanted) << k;
    ASSERT_EQ(disk.find("journal"), nullptr);
  }
}

// Power cuts at the k-th operation, and again during recovery now and then; how many there were.
inline std::uint64_t cut_every_operation(JobCase test, std::uint64_t seeds) {
  const std::uint64_t total = test.operations();
  std::uint64_t cuts = 0;
  for (std::uint64_t k = 1; k <= total; ++k)
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Random random(k * 1000 + seed);
      SimulatedDisk disk;
      test.begin(disk);
      disk.arm(SimulatedDisk::Fault::power, k);
      for (;;) {
        try {
          test.go(disk);
          break;
        } catch (const PowerCut&) {
          ++cuts;
          disk.restart(random);
          EXPECT_TRUE(test.is_old_whole_or_absent(disk)) << k;
          if (!disk.find("journal") && disk.find("out") && disk.find("out")->now == test.wanted)
            break;
          if (random.below(10) < 3) disk.arm(SimulatedDisk::Fault::power, 1 + random.below(total));
        }
      }
      const auto out = disk.find("out");
      EXPECT_TRUE(out && out->now == test.wanted) << "cut at operation " << k << ", seed " << seed;
      if (!out || out->now != test.wanted) return cuts;
    }
  return cuts;
}

// After a cut at the k-th operation at most the work of one checkpoint, a tile here, is done again
// (in place: two tiles are written again, out of the log), and what is counted is the plan without
// what was done before.
inline void count_after_every_cut(JobCase test) {
  const FilePlanFacts& facts = test.plan.facts();
  const std::uint64_t total = test.operations();
  std::uint64_t resumed = 0;
  for (std::uint64_t k = 1; k <= total; ++k) {
    Random random(k);
    SimulatedDisk disk;
    test.begin(disk);
    disk.arm(SimulatedDisk::Fault::power, k);
    EXPECT_THROW(test.go(disk), PowerCut);
    const std::uint64_t written = test.tiles_written;
    disk.restart(random);
    if (!disk.find("journal")) continue;
    const disk::JobOutcome rest = test.go(disk);
    if (rest.counts == FileCounts{}) continue;  // only the name was missing
    Count before = rest.resumed_bytes / facts.passes.front().tile_bytes;
    ASSERT_GE(before + (facts.log_bytes == 0 ? 1U : 2U), written) << k;
    FileCounts wanted;
    for (const FilePassFacts& pass : facts.passes) {
      const Count left = pass.tiles - std::min(before, pass.tiles);
      before -= pass.tiles - left;
      // In place one tile more was read and logged than stood in its place, or two.
      wanted.reads += pass.reads / pass.tiles * left;
      wanted.writes += (pass.writes + pass.log_writes) / pass.tiles * left;
      wanted.bytes_read += left * pass.tile_bytes;
      wanted.bytes_written += left * pass.tile_bytes * (pass.log_writes == 0 ? 1U : 2U);
    }
    if (facts.log_bytes == 0) {
      ASSERT_EQ(rest.counts, wanted) << k;
    } else {
      ASSERT_LE(rest.counts.bytes_written, wanted.bytes_written) << k;
      ASSERT_GE(rest.counts.bytes_written + facts.log_bytes, wanted.bytes_written) << k;
      ASSERT_LE(rest.counts.bytes_read, wanted.bytes_read) << k;
      ASSERT_GE(rest.counts.bytes_read + facts.log_bytes, wanted.bytes_read) << k;
    }
    resumed += rest.resumed_bytes;
  }
  EXPECT_GT(resumed, 0U);
}

}  // namespace faro::testing
