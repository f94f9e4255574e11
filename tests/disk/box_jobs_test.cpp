// Jobs of a rechunking by processes that know nothing of each other, beside chunks made by hand.
#include "disk/box_jobs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "files/scratch.hpp"

namespace faro::disk {
namespace {

using testing::Scratch;

constexpr std::uint64_t rows = 1500, columns = 1100, chunk_rows = 400, chunk_columns = 300;

std::string element_bytes(std::uint64_t row, std::uint64_t column) {
  const auto value = static_cast<std::uint32_t>(row * columns + column + 1);
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

std::string array_text() {
  std::string header =
      fmt::format("{{'descr': '<u4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  header.resize(117, ' ');
  std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
  text += header + "\n";
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) text += element_bytes(r, c);
  return text;
}

// Whole chunks; what lies beyond the array is zero.
std::string chunk_text(std::uint64_t i, std::uint64_t j) {
  std::string text;
  for (std::uint64_t r = i * chunk_rows; r < (i + 1) * chunk_rows; ++r)
    for (std::uint64_t c = j * chunk_columns; c < (j + 1) * chunk_columns; ++c)
      text += r < rows && c < columns ? element_bytes(r, c) : std::string(4, '\0');
  return text;
}

struct Shared {
  explicit Shared(int passes) {
    testing::write_all(in, array_text());
    options.chunks = {chunk_rows, chunk_columns};
    options.codec = "none";
    options.memory_bytes = 50ULL << 20U;
    options.passes = passes;
    options.threads = 1;
  }
  RechunkJobs begin() const { return RechunkJobs::begin(in, out, options); }
  void check() const {
    for (std::uint64_t i = 0; i * chunk_rows < rows; ++i)
      for (std::uint64_t j = 0; j * chunk_columns < columns; ++j)
        ASSERT_TRUE(testing::read_all(fmt::format("{}/c/{}/{}", out, i, j)) == chunk_text(i, j))
            << i << ", " << j;
  }
  Scratch scratch;
  std::string in = scratch.path("in.npy");
  std::string out = scratch.path("out.zarr");
  RechunkOptions options;
};

TEST(RechunkJobs, any_order_twice_and_by_strangers_is_the_same_output) {
  for (int passes = 1; passes <= 2; ++passes) {
    const Shared shared(passes);
    const RechunkJobs jobs = shared.begin();
    EXPECT_EQ(shared.begin().id(), jobs.id());  // whoever comes later finds it
    ASSERT_EQ(jobs.passes(), static_cast<std::size_t>(passes));
    Random random(7);
    std::uint64_t all = 0;
    for (std::size_t pass = 0; pass < jobs.passes(); ++pass) {
      std::vector<std::uint64_t> order;
      for (std::uint64_t job = 0; job < jobs.jobs(pass); ++job) order.push_back(job);
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
      EXPECT_THROW(jobs.finish_pass(pass), Error);
      for (const std::uint64_t job : order) {
        const RechunkJobs stranger = RechunkJobs::find(jobs.folder(), jobs.id());
        const JobReport first = stranger.run(pass, job);
        EXPECT_FALSE(first.was_done);
        EXPECT_LE(first.buffer_bytes, jobs.peak_bytes(pass));
        const JobReport noted = jobs.run(pass, job);
        EXPECT_TRUE(noted.was_done);
        EXPECT_EQ(noted.reads, 0U);
        EXPECT_EQ(noted.share.written.value(), first.share.written.value());
        const JobReport again = jobs.run(pass, job, RechunkJobs::Repeat::always);
        EXPECT_FALSE(again.was_done);
        EXPECT_EQ(again.share.read.value(), first.share.read.value());
        ++all;
      }
      EXPECT_TRUE(jobs.remaining(pass).empty());
      jobs.finish_pass(pass);
    }
    EXPECT_GT(all, 2U);
    EXPECT_FALSE(std::filesystem::exists(shared.out));
    const RechunkReport report = jobs.finish(shared.out);
    EXPECT_TRUE(report.digest.starts_with("fd1:"));
    shared.check();
    EXPECT_EQ(shared.scratch.count(), 2U);
    EXPECT_THROW(jobs.run(0, 0), Error);  // it is finished
    EXPECT_THROW(RechunkJobs::find(jobs.folder(), jobs.id()), Error);
    EXPECT_EQ(shared.scratch.count(), 2U);
  }
}

// Of an array that was finished and moved away a job that comes late makes nothing anew.
TEST(RechunkJobs, what_must_be_begun_is_not_made) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("folder"));
  for (const char* const description :
       {R"({"npy": "<i4", "shape": [3, 4]})",
        R"({"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,)"
        R"("chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},)"
        R"("chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]})"}) {
    for (const char* const path : {"folder/data", "none/data"}) {
      EXPECT_THROW(create_stored(scratch.path(path), description, Begun::must_be), Error);
      EXPECT_FALSE(std::filesystem::exists(scratch.path(path))) << path;
    }
    const std::string begun = scratch.path("folder/begun");
    create_stored(begun, description);
    EXPECT_NO_THROW(create_stored(begun, description, Begun::must_be));
    // Gone while it is written.
    const auto late = create_stored(begun, description, Begun::must_be);
    std::filesystem::rename(begun, scratch.path("folder/named"));
    if (late->grid().encoding != StoredGrid::Encoding::run) {
      const std::uint64_t first = 0;
      const std::byte unit[2] = {std::byte{1}, std::byte{2}};
      const auto file = late->begin_file(std::span(&first, 1));
      EXPECT_THROW(file->append(std::span(&first, 1), unit), Error);
    }
    EXPECT_FALSE(std::filesystem::exists(begun));
    std::filesystem::remove_all(scratch.path("folder/named"));
  }
}

TEST(RechunkJobs, what_fits_no_plan_is_refused) {
  Shared shared(2);
  const RechunkJobs jobs = shared.begin();
  EXPECT_THROW(RechunkJobs::find(jobs.folder(), jobs.id() + "0"), Error);
  EXPECT_THROW(jobs.run(2, 0), Error);
  EXPECT_THROW(jobs.run(0, jobs.jobs(0)), Error);
  EXPECT_THROW(jobs.finish(shared.out), Error);
  shared.options.threads = 2;
  try {
    shared.begin();
    FAIL() << "another request";
  } catch (const Error& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("differs in "), std::string::npos) << words;
    EXPECT_NE(words.find("threads"), std::string::npos) << words;
    EXPECT_NE(words.find("--fresh"), std::string::npos) << words;
  }
  shared.options.threads = 1;
  shared.options.chunks = {100, 100};
  EXPECT_THROW(shared.begin(), Error);
  shared.options.unfinished = RechunkOptions::Unfinished::fresh;
  EXPECT_NE(shared.begin().id(), jobs.id());
  EXPECT_THROW(jobs.run(0, 0), Error);  // its plan was forgotten
  discard_jobs(shared.out);
  EXPECT_EQ(shared.scratch.count(), 1U);
}

TEST(RechunkJobs, a_tile_or_a_note_that_is_lost_is_made_again) {
  const Shared shared(2);
  const RechunkJobs jobs = shared.begin();
  for (std::uint64_t job = 0; job < jobs.jobs(0); ++job) jobs.run(0, job);
  const std::filesystem::path folder = jobs.folder();
  ASSERT_TRUE(std::filesystem::remove(folder / "pass1-0"));
  ASSERT_EQ(jobs.remaining(0), std::vector<std::uint64_t>{0});
  EXPECT_FALSE(jobs.run(0, 0).was_done);
  for (std::uint64_t job = 0; job < jobs.jobs(1); ++job) jobs.run(1, job);
  ASSERT_TRUE(std::filesystem::remove(folder / "job-1-0"));
  EXPECT_THROW(jobs.finish(shared.out), Error);
  jobs.run(1, 0);
  // A note that is torn counts as none.
  testing::write_all((folder / "job-1-0").string(), "torn");
  EXPECT_THROW(jobs.finish(shared.out), Error);
  std::filesystem::remove(folder / "job-1-0");
  // What the stage had read may be gone by now: then the stage before is to be done again.
  for (std::size_t pass = 0; pass < 2; ++pass)
    for (const std::uint64_t job : jobs.remaining(pass)) jobs.run(pass, job);
  jobs.finish(shared.out);
  shared.check();
}

void write_input(const Shared& shared, bool other) {
  std::string text = array_text();
  if (other)
    for (std::size_t i = text.size() / 2; i < text.size(); ++i)
      text[i] = static_cast<char>(~text[i]);
  testing::write_all(shared.in, text);
}

void run_remaining(const RechunkJobs& jobs) {
  for (std::size_t pass = 0; pass < jobs.passes(); ++pass)
    for (const std::uint64_t job : jobs.remaining(pass)) jobs.run(pass, job);
}

// Killed while it forgot the jobs of an input that is another one by now, at any place.
TEST(RechunkJobs, nothing_that_is_left_of_a_forgotten_request_counts) {
  for (const bool with_data : {true, false})
    for (int passes = 1; passes <= 2; ++passes) {
      const Shared shared(passes);
      write_input(shared, true);
      const RechunkJobs old = shared.begin();
      run_remaining(old);
      const std::filesystem::path folder = old.folder();
      std::filesystem::remove(folder / "request");
      if (!with_data) std::filesystem::remove_all(folder / "data");
      write_input(shared, false);
      const RechunkJobs jobs = shared.begin();
      for (std::size_t pass = 0; pass < jobs.passes(); ++pass)
        ASSERT_EQ(jobs.remaining(pass).size(), jobs.jobs(pass));
      EXPECT_EQ(shared.scratch.count(), 2U);
      run_remaining(jobs);
      jobs.finish(shared.out);
      shared.check();
      EXPECT_EQ(shared.scratch.count(), 2U);
    }
}

// Left by a job that was late, between looking for its request and naming its note.
TEST(RechunkJobs, a_note_of_another_request_is_none) {
  const Shared shared(1);
  write_input(shared, true);
  const RechunkJobs old = shared.begin();
  run_remaining(old);
  const std::filesystem::path kept = shared.scratch.path("kept");
  std::filesystem::copy(old.folder(), kept);
  discard_jobs(shared.out);
  write_input(shared, false);
  const RechunkJobs jobs = shared.begin();
  ASSERT_NE(jobs.id(), old.id());
  for (std::uint64_t job = 0; job < jobs.jobs(0); ++job) {
    const std::string note = fmt::format("job-0-{}", job);
    std::filesystem::copy(kept / note, std::filesystem::path(jobs.folder()) / note);
  }
  EXPECT_EQ(jobs.remaining(0).size(), jobs.jobs(0));
  EXPECT_THROW(jobs.finish(shared.out), Error);
  EXPECT_FALSE(jobs.run(0, 0).was_done);
  run_remaining(jobs);
  jobs.finish(shared.out);
  shared.check();
}

TEST(RechunkJobs, many_that_begin_and_forget_at_once_are_of_one_request) {
  const Shared shared(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> all;
    std::vector<std::string> ids(4);
    // The rest of a forgotten one, which each of them finds.
    std::filesystem::create_directory(shared.scratch.path(".out.zarr.faro-shared"));
    testing::write_all(shared.scratch.path(".out.zarr.faro-shared/job-0-0"), "old");
    for (std::string& id : ids) all.emplace_back([&] { id = shared.begin().id(); });
    for (std::thread& one : all) one.join();
    for (const std::string& id : ids) EXPECT_EQ(id, ids[0]);
    EXPECT_EQ(shared.begin().remaining(0).size(), shared.begin().jobs(0));
    discard_jobs(shared.out);
    EXPECT_EQ(shared.scratch.count(), 1U);
  }
}

// Between two runs, and by the time that the last job is done.
TEST(RechunkJobs, a_run_writes_again_what_was_taken_away) {
  for (int passes = 1; passes <= 2; ++passes)
    for (const bool at_the_end : {false, true}) {
      // Taken away, or only moved aside.
      const bool moved = passes == 2;
      const Shared shared(passes);
      const std::filesystem::path data = shared.scratch.path(".out.zarr.faro/data/c");
      RechunkOptions options = shared.options;
      std::uint64_t taken = 0;
      const auto take_one = [&] {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(data))
          if (taken == 0 && entry.is_regular_file()) {
            if (moved) std::filesystem::rename(entry, entry.path().string() + ".bak");
            taken += moved || std::filesystem::remove(entry) ? 1 : 0;
          }
      };
      options.progress = [&](std::uint64_t done, std::uint64_t total) {
        if (at_the_end && done == total) take_one();
        return at_the_end || !std::filesystem::exists(data) ? Continue::yes : Continue::no;
      };
      EXPECT_THROW(rechunk(shared.in, shared.out, options), Error);
      if (!at_the_end) take_one();
      ASSERT_EQ(taken, 1U);
      EXPECT_FALSE(std::filesystem::exists(shared.out));
      options.progress = {};
      options.unfinished = RechunkOptions::Unfinished::resume;
      rechunk(shared.in, shared.out, options);
      shared.check();
      EXPECT_EQ(shared.scratch.count(), 2U);
    }
}

// `rechunk --worker`, whose journals lie in such a folder too.
TEST(RechunkShare, a_journal_of_a_forgotten_request_is_none) {
  const Shared shared(1);
  const auto work = [&](std::uint64_t worker) {
    return rechunk_share(shared.in, shared.out, {.worker = worker, .workers = 2}, shared.options);
  };
  write_input(shared, true);
  work(1);
  EXPECT_GT(work(1).resumed_jobs, 0U);
  std::filesystem::remove(shared.scratch.path(".out.zarr.faro-shared/request"));
  write_input(shared, false);
  EXPECT_EQ(work(1).resumed_jobs, 0U);
  work(0);
  shared.check();
  EXPECT_EQ(shared.scratch.count(), 2U);
}

// Somebody emptied what the output grows in: notes alone are not the output.
TEST(RechunkJobs, what_was_written_and_is_gone_is_written_again) {
  for (int passes = 1; passes <= 2; ++passes) {
    const Shared shared(passes);
    const RechunkJobs jobs = shared.begin();
    run_remaining(jobs);
    const std::size_t last = jobs.passes() - 1;
    jobs.finish_pass(last);
    EXPECT_TRUE(jobs.remaining(last).empty());
    std::filesystem::remove_all(jobs.folder() + "/data/c");
    EXPECT_EQ(jobs.remaining(last).size(), jobs.jobs(last));
    EXPECT_THROW(jobs.finish(shared.out), Error);
    run_remaining(jobs);
    jobs.finish(shared.out);
    shared.check();
  }
}

// What is all fill value has no file, and none is missed.
TEST(RechunkJobs, what_need_not_be_there_is_not_missed) {
  const Shared shared(1);
  std::string text = array_text();
  std::fill(text.begin() + 128, text.end(), '\0');
  testing::write_all(shared.in, text);
  const RechunkJobs jobs = shared.begin();
  run_remaining(jobs);
  EXPECT_FALSE(std::filesystem::exists(jobs.folder() + "/data/c"));
  EXPECT_TRUE(jobs.remaining(0).empty());
  EXPECT_TRUE(jobs.run(0, 0).was_done);
  jobs.finish(shared.out);
}

TEST(Rechunk, what_was_written_and_is_gone_is_written_again_by_whoever_goes_on) {
  for (int passes = 1; passes <= 2; ++passes) {
    Shared shared(passes);
    std::uint64_t reached = 0;
    shared.options.progress = [&](std::uint64_t done, std::uint64_t all) {
      reached = done;
      return 4 * done >= 3 * all && done < all ? Continue::no : Continue::yes;
    };
    EXPECT_THROW(rechunk(shared.in, shared.out, shared.options), Error);
    EXPECT_GT(reached, 0U);
    std::filesystem::remove_all(shared.scratch.path(".out.zarr.faro/data/c"));
    shared.options.progress = {};
    shared.options.unfinished = RechunkOptions::Unfinished::resume;
    rechunk(shared.in, shared.out, shared.options);
    shared.check();
  }
}

// The output had its name, and the rest was not removed: what has the name now is looked at.
TEST(RechunkJobs, finishing_twice_believes_only_what_was_made) {
  const Shared shared(1);
  const RechunkJobs jobs = shared.begin();
  run_remaining(jobs);
  const std::filesystem::path kept = shared.scratch.path("kept");
  const auto finish_again = [&] {
    std::filesystem::copy(kept, jobs.folder());
    return RechunkJobs::find(jobs.folder(), jobs.id()).finish(shared.out).digest;
  };
  std::filesystem::copy(jobs.folder(), kept);  // without data
  const std::string digest = jobs.finish(shared.out).digest;
  EXPECT_EQ(finish_again(), digest);
  EXPECT_FALSE(std::filesystem::exists(jobs.folder()));
  const std::string chunk = shared.out + "/c/1/1";
  std::string text = testing::read_all(chunk);
  text[5] = static_cast<char>(~text[5]);
  testing::write_all(chunk, text);
  EXPECT_THROW(finish_again(), Error);
  std::filesystem::remove_all(jobs.folder());
  std::filesystem::remove_all(shared.out);
  EXPECT_THROW(finish_again(), Error);
  EXPECT_FALSE(std::filesystem::exists(shared.out));
}

}  // namespace
}  // namespace faro::disk
