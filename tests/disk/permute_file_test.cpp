// Real files: small ones end to end, and places beyond 2^40 bytes by way of sparse files.
#include "faro/disk/permute_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

#include "disk/numbered.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "faro/words/say.hpp"
#include "files/posix_file.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

using testing::read_all;
using testing::Scratch;
using testing::write_all;

TEST(PermuteFile, a_file_is_replaced_by_the_result_behind_its_header) {
  const Scratch scratch;
  const BitMap map = say("i:15 -> rev(i)").map.as_bits();
  const std::string data = testing::numbered(8 * bit(15));
  write_all(scratch.path("in"), "12345" + data);
  write_all(scratch.path("out"), "old");
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bit(30), .passes = 2, .tile_bytes_max = 32768};
  options.input_start_byte = 5;
  options.output_start = "HEAD";
  options.verify = true;
  for (const FileIo io : {FileIo::automatic, FileIo::buffered}) {
    options.io = io;
    const PermuteFileReport report =
        permute_file(scratch.path("in"), scratch.path("out"), map, {.element_bytes = 8}, options);
    EXPECT_TRUE(report.verified);
    EXPECT_EQ(report.counts.bytes_written, 2 * data.size());
    EXPECT_EQ(report.counts.reads, report.plan.passes[0].reads + report.plan.passes[1].reads);
    EXPECT_EQ(read_all(scratch.path("out")), "HEAD" + testing::permuted(map, data, 8));
    EXPECT_EQ(read_all(scratch.path("in")), "12345" + data);
    EXPECT_EQ(scratch.count(), 2U);  // nothing else is left
  }
}

TEST(PermuteFile, a_stopped_run_is_refused_resumed_and_knows_a_changed_input) {
  const Scratch scratch;
  const BitMap map = say("i:15 -> gray(rev(i))").map.as_bits();
  const std::string data = testing::numbered(8 * bit(15));
  write_all(scratch.path("in"), data);
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bit(30), .passes = 2, .tile_bytes_max = 32768};
  options.checkpoint_seconds = 0;
  int calls = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    return ++calls < 10 ? Continue::yes : Continue::no;
  };
  const auto start = [&] {
    return permute_file(scratch.path("in"), scratch.path("out"), map, {.element_bytes = 8},
                        options);
  };
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code_of(start), ErrorCode::cancelled);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("out")));
  EXPECT_EQ(describe_unfinished(scratch.path("out")), "2 tiles of pass 2 are done");
  EXPECT_EQ(code_of(start), ErrorCode::usage);
  const auto resume = [&] { return resume_file(scratch.path("out")); };
  const auto written = std::filesystem::last_write_time(scratch.path("in"));
  std::string changed = data;
  changed[100] ^= 1;
  write_all(scratch.path("in"), changed);
  EXPECT_EQ(code_of(resume), ErrorCode::environment);
  // Again with the old time: the samples tell.
  std::filesystem::last_write_time(scratch.path("in"), written);
  EXPECT_EQ(code_of(resume), ErrorCode::environment);
  write_all(scratch.path("in"), data);
  std::filesystem::last_write_time(scratch.path("in"), written);
  const PermuteFileReport report = resume();
  EXPECT_EQ(report.resumed_bytes, 10U * 32768);
  EXPECT_EQ(report.counts.bytes_written, 6U * 32768);
  EXPECT_EQ(read_all(scratch.path("out")), testing::permuted(map, data, 8));
  EXPECT_EQ(scratch.count(), 2U);
  EXPECT_EQ(code_of(resume), ErrorCode::usage);
}

std::string what_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PermuteFile, a_copied_input_is_gone_on_with_by_who_vouches_for_it) {
  const Scratch scratch;
  const BitMap map = say("i:15 -> gray(rev(i))").map.as_bits();
  const std::string data = testing::numbered(8 * bit(15));
  write_all(scratch.path("in"), data);
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bit(30), .passes = 2, .tile_bytes_max = 32768};
  options.checkpoint_seconds = 0;
  int calls = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    return ++calls < 10 ? Continue::yes : Continue::no;
  };
  EXPECT_THROW(
      permute_file(scratch.path("in"), scratch.path("out"), map, {.element_bytes = 8}, options),
      Error);
  std::filesystem::rename(scratch.path("in"), scratch.path("old"));
  std::string changed = data;
  changed[100] ^= 1;
  write_all(scratch.path("in"), changed);
  const auto resume = [&](bool unchanged) {
    ResumeFileOptions again;
    again.unchanged = unchanged;
    resume_file(scratch.path("out"), again);
  };
  // Samples speak against what is vouched for.
  EXPECT_NE(what_of([&] { resume(true); }).find("what it holds is not what it was"),
            std::string::npos);
  write_all(scratch.path("in"), data);
  EXPECT_NE(what_of([&] { resume(false); }).find("--unchanged"), std::string::npos);
  resume(true);
  EXPECT_EQ(read_all(scratch.path("out")), testing::permuted(map, data, 8));
}

TEST(PermuteFile, a_stopped_run_in_place_says_where_the_array_is_also_when_it_was_copied) {
  const Scratch scratch;
  const BitMap map = say("i:15 -> gray(rev(i))").map.as_bits();
  const std::string data = testing::numbered(8 * bit(15));
  const std::string file = scratch.path("a");
  write_all(file, data);
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bit(30), .tile_bytes_max = 32768};
  options.checkpoint_seconds = 0;
  int calls = 0;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    return ++calls < 4 ? Continue::yes : Continue::no;
  };
  EXPECT_THROW(permute_in_place(file, map, {.element_bytes = 8}, options), Error);
  const std::string folder = scratch.path(".a.faro");
  const std::string why = what_of([&] { InputFile::open(file); });
  EXPECT_NE(why.find(folder + "/array"), std::string::npos) << why;
  EXPECT_NE(why.find("faro permute --resume " + file), std::string::npos) << why;
  EXPECT_NE(read_all(folder + "/README.txt").find("only copy"), std::string::npos);
  // As after a restored backup.
  std::filesystem::copy_file(folder + "/array", folder + "/copy");
  std::filesystem::rename(folder + "/copy", folder + "/array");
  const auto resume = [&](bool unchanged) {
    ResumeFileOptions again;
    again.unchanged = unchanged;
    resume_file(file, again);
  };
  EXPECT_NE(what_of([&] { resume(false); }).find("--unchanged"), std::string::npos);
  resume(true);
  EXPECT_EQ(read_all(file), testing::permuted(map, data, 8));
  EXPECT_EQ(scratch.count(), 1U);
}

// 4 TiB that are not there but for one run in the middle of each of three tiles.
TEST(PermuteFile, tiles_of_a_file_of_4_tebibytes_are_read_and_written_beyond_2_to_the_40) {
  const Scratch scratch;
  const BitMap map = say("i:39 -> rev(i)").map.as_bits();
  const auto plan = FilePermutePlan::out_of_place(
      map, {.element_bytes = 8}, {.memory_bytes = bit(30), .passes = 1, .tile_bytes_max = bit(22)});
  const FilePassFacts& pass = plan.facts().passes[0];
  ASSERT_EQ(pass.tiles, bit(20));
  for (const char* name : {"in", "out"}) write_all(scratch.path(name), "");
  try {
    for (const char* name : {"in", "out"})
      std::filesystem::resize_file(scratch.path(name), bit(42));
  } catch (const std::filesystem::filesystem_error&) {
    GTEST_SKIP() << "no sparse files of 4 TiB here";
  }
  const auto in = open_random_file(scratch.path("in"), {.access = FileAccess::write});
  const auto out = open_random_file(scratch.path("out"), {.access = FileAccess::write});
  for (const std::uint64_t tile : {std::uint64_t{0}, bit(19) + 12345, bit(20) - 1}) {
    const auto count = plan.execute_tiles({.pass = 0, .first = tile, .count = 1},
                                          {.from = *in, .to = *out, .io_threads = 2});
    EXPECT_EQ(count.bytes_written, bit(22));
  }
  // An element of the last tile: an address whose middle bits are all ones, read in runs of the
  // low.
  const Word address = low_mask(39) ^ 3;
  const std::uint64_t marker = 0x0123456789abcdefU;
  in->write(address * 8, std::as_bytes(std::span(&marker, 1)));
  plan.execute_tiles({.pass = 0, .first = bit(20) - 1, .count = 1},
                     {.from = *in, .to = *out, .io_threads = 2});
  std::uint64_t found = 0;
  out->read(map(address) * 8, std::as_writable_bytes(std::span(&found, 1)));
  EXPECT_EQ(found, marker);
}

TEST(PosixFile, what_is_not_aligned_goes_through_and_the_end_is_an_error) {
  const Scratch scratch;
  const std::string data = testing::numbered(300000);
  for (const FileIo io : {FileIo::automatic, FileIo::buffered}) {
    const auto file =
        open_random_file(scratch.path("file"), {.access = FileAccess::create, .io = io});
    file->reserve(data.size());
    EXPECT_EQ(file->size_bytes(), data.size());
    const auto bytes = std::as_bytes(std::span(data));
    for (std::size_t at = 0; at < data.size(); at += 70001)
      file->write(at, bytes.subspan(at, std::min<std::size_t>(70001, data.size() - at)));
    file->sync();
    EXPECT_EQ(read_all(scratch.path("file")), data);
    for (const std::size_t at : {0UL, 1UL, 4095UL, 4096UL, 250001UL, 299999UL}) {
      std::string part(std::min<std::size_t>(49999, data.size() - at), '\0');
      file->read(at, std::as_writable_bytes(std::span(part)));
      EXPECT_EQ(part, data.substr(at, part.size())) << at;
    }
    std::string beyond(10, '\0');
    EXPECT_THROW(file->read(data.size() - 5, std::as_writable_bytes(std::span(beyond))), Error);
  }
  EXPECT_THROW(open_random_file(scratch.path("none")), Error);
  EXPECT_THROW(open_random_file(scratch.path()), Error);
}

}  // namespace
}  // namespace faro
