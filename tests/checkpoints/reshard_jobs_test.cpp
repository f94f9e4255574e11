// Jobs of a resharding by processes that know nothing of each other, beside what one process makes.
#include "checkpoints/reshard_jobs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "files/scratch.hpp"

namespace faro::checkpoints {
namespace {

using testing::Scratch;
namespace fs = std::filesystem;

std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(folder))
    all[entry.path().filename().string()] = testing::read_all(entry.path().string());
  return all;
}

struct SharedReshard {
  Scratch scratch;
  std::string in = scratch.path("in");
  std::string out = scratch.path("out");
  ReshardOptions options;
  std::map<std::string, std::string> wanted;

  explicit SharedReshard(const std::string& to = "llama:tp=4,pp=2,fused") {
    fs::create_directory(in);
    SafeHeader header;
    const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape) {
      header.tensors.push_back({name, find_type("BF16"), std::move(shape)});
    };
    add("model.embed_tokens.weight", {64, 40});
    add("model.norm.weight", {40});
    add("lm_head.weight", {64, 40});
    for (const char* layer : {"0", "1"}) {
      const std::string p = fmt::format("model.layers.{}.", layer);
      add(p + "self_attn.q_proj.weight", {40, 40});
      add(p + "self_attn.k_proj.weight", {10, 40});
      add(p + "self_attn.v_proj.weight", {10, 40});
      add(p + "self_attn.o_proj.weight", {40, 40});
      add(p + "mlp.gate_proj.weight", {96, 40});
      add(p + "mlp.up_proj.weight", {96, 40});
      add(p + "mlp.down_proj.weight", {40, 96});
    }
    lay_out(header.tensors, "in");
    std::ofstream file(in + "/model.safetensors", std::ios::binary);
    file << safetensors_bytes(header);
    Random random(41);
    for (std::uint64_t i = 0; i < header.tensors.back().end; ++i)
      file.put(static_cast<char>(random.below(256)));
    file.close();
    std::ofstream(in + "/config.json")
        << R"({"num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 64})";
    options.to = to;
    options.memory_bytes = 64ULL << 20U;
    options.threads = 2;
    options.file_bytes = 9000;  // several files a rank
    reshard(in, scratch.path("alone"), options);
    wanted = files_in(scratch.path("alone"));
  }
  ReshardJobs begin() const { return ReshardJobs::begin(in, out, options); }
  void check() const {
    EXPECT_TRUE(files_in(out) == wanted);
    EXPECT_EQ(scratch.count(), 3U);  // in, alone, out
  }
};

TEST(ReshardJobs, any_order_twice_and_by_strangers_is_what_one_process_makes) {
  const SharedReshard shared;
  const ReshardJobs jobs = shared.begin();
  EXPECT_EQ(shared.begin().id(), jobs.id());  // whoever comes later finds it
  ASSERT_EQ(jobs.passes(), 1U);
  ASSERT_GT(jobs.jobs(0), 8U);
  EXPECT_LE(jobs.peak_bytes(0), shared.options.memory_bytes);
  std::vector<std::uint64_t> order;
  for (std::uint64_t job = 0; job < jobs.jobs(0); ++job) order.push_back(job);
  Random random(7);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  EXPECT_THROW(jobs.finish(shared.out, {}), Error);
  for (const std::uint64_t job : order) {
    const ReshardJobs stranger = ReshardJobs::find(jobs.folder(), jobs.id());
    const disk::JobReport first = stranger.run(0, job);
    EXPECT_FALSE(first.was_done);
    const disk::JobReport noted = jobs.run(0, job);
    EXPECT_TRUE(noted.was_done);
    EXPECT_EQ(noted.share.written.value(), first.share.written.value());
    const disk::JobReport again = jobs.run(0, job, ReshardJobs::Repeat::always);
    EXPECT_FALSE(again.was_done);
    EXPECT_EQ(again.share.read.value(), first.share.read.value());
    EXPECT_EQ(again.bytes_written, first.bytes_written);
  }
  EXPECT_TRUE(jobs.remaining(0).empty());
  EXPECT_FALSE(fs::exists(shared.out));
  const ReshardReport report = jobs.finish(shared.out, {.verify = true});
  EXPECT_TRUE(report.verified);
  shared.check();
  EXPECT_THROW(jobs.run(0, 0), Error);  // it is finished
  EXPECT_THROW(ReshardJobs::find(jobs.folder(), jobs.id()), Error);
  shared.check();
}

TEST(ReshardJobs, the_same_job_many_times_at_once_is_one_file) {
  const SharedReshard shared;
  const ReshardJobs jobs = shared.begin();
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&jobs] {
      for (std::uint64_t job = 0; job < jobs.jobs(0); ++job)
        ReshardJobs::find(jobs.folder(), jobs.id()).run(0, job, ReshardJobs::Repeat::always);
    });
  for (std::thread& one : all) one.join();
  jobs.finish(shared.out, {});
  shared.check();
}

TEST(ReshardJobs, workers_make_the_files_of_their_ranks) {
  for (const std::uint64_t workers : {1U, 2U, 3U, 8U, 11U}) {
    const SharedReshard shared;
    std::vector<std::uint64_t> seen;
    const ReshardPlan plan = shared.begin().plan();
    for (std::uint64_t i = 0; i < workers; ++i)
      for (const std::uint64_t file : files_of_worker(plan, i, workers)) seen.push_back(file);
    ASSERT_EQ(seen.size(), plan.made.size());
    for (std::uint64_t file = 0; file < seen.size(); ++file) EXPECT_EQ(seen[file], file);
    // A worker that died once, and one that comes twice.
    std::vector<std::thread> all;
    const auto work = [&](std::uint64_t i) {
      reshard_share(shared.in, shared.out, {.worker = i, .workers = workers}, shared.options);
    };
    if (workers > 1) {
      work(workers - 1);
      work(workers - 1);
    }
    for (std::uint64_t i = 0; i + 1 < workers || i == 0; ++i) all.emplace_back(work, i);
    for (std::thread& one : all) one.join();
    shared.check();
    EXPECT_THROW(work(0), Error);  // it is there
    shared.check();
  }
}

TEST(ReshardJobs, what_is_lost_torn_or_changed_is_found) {
  SharedReshard shared;
  const ReshardJobs jobs = shared.begin();
  const fs::path folder = jobs.folder();
  for (std::uint64_t job = 0; job < jobs.jobs(0); ++job) jobs.run(0, job);
  // A file, a note, a part of one.
  const std::string first = jobs.plan().made[0].name;
  fs::remove(folder / "data" / first);
  EXPECT_EQ(jobs.remaining(0), std::vector<std::uint64_t>{0});
  EXPECT_FALSE(jobs.run(0, 0).was_done);
  fs::remove(folder / "job-0-1");
  EXPECT_THROW(jobs.finish(shared.out, {}), Error);
  jobs.run(0, 1);
  testing::write_all((folder / "job-0-2").string(), "torn");
  EXPECT_THROW(jobs.finish(shared.out, {}), Error);
  EXPECT_FALSE(jobs.run(0, 2).was_done);
  // What a job that died had begun is not of the output.
  testing::write_all((folder / "file-1.somebody.part").string(), "half of it");
  // Another request.
  shared.options.to = "llama:tp=2";
  EXPECT_THROW(shared.begin(), Error);
  // A byte that the disk has changed.
  const std::string kept = testing::read_all((folder / "data" / first).string());
  std::string wrong = kept;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  testing::write_all((folder / "data" / first).string(), wrong);
  EXPECT_THROW(jobs.finish(shared.out, {.verify = true}), Error);
  testing::write_all((folder / "data" / first).string(), kept);
  // The input is another one.
  const auto stamp = fs::last_write_time(shared.in + "/model.safetensors");
  fs::last_write_time(shared.in + "/model.safetensors", stamp + std::chrono::seconds(5));
  EXPECT_THROW(jobs.finish(shared.out, {}), Error);
  EXPECT_THROW(ReshardJobs::find(jobs.folder(), jobs.id()), Error);
  fs::last_write_time(shared.in + "/model.safetensors", stamp);
  jobs.finish(shared.out, {.verify = true});
  shared.check();
}

// Whoever gave the name and died before the rest was gone: whoever comes next removes it.
TEST(ReshardJobs, finishing_twice_cleans_and_harms_nothing) {
  const SharedReshard shared;
  const ReshardJobs jobs = shared.begin();
  for (std::uint64_t job = 0; job < jobs.jobs(0); ++job) jobs.run(0, job);
  const fs::path folder = jobs.folder();
  const fs::path kept = shared.scratch.path("kept");
  fs::copy(folder, kept);  // without data
  jobs.finish(shared.out, {});
  fs::rename(kept, folder);
  const ReshardJobs again = shared.begin();
  EXPECT_EQ(again.id(), jobs.id());
  EXPECT_TRUE(again.remaining(0).empty());
  again.finish(shared.out, {.verify = true});
  shared.check();
}

// As above, but something else has the name by then.
TEST(ReshardJobs, finishing_twice_believes_only_what_was_made) {
  const SharedReshard shared;
  const ReshardJobs jobs = shared.begin();
  for (std::uint64_t job = 0; job < jobs.jobs(0); ++job) jobs.run(0, job);
  const fs::path kept = shared.scratch.path("kept");
  fs::copy(jobs.folder(), kept);
  jobs.finish(shared.out, {});
  const auto refuses = [&] {
    fs::copy(kept, jobs.folder());
    EXPECT_THROW(shared.begin().finish(shared.out, {}), Error);
    EXPECT_THROW(reshard_share(shared.in, shared.out, {.worker = 0, .workers = 1}, shared.options),
                 Error);
    fs::remove_all(jobs.folder());
  };
  // A byte of a tensor.
  const std::string name = shared.out + "/" + jobs.plan().made[0].name;
  const std::string text = testing::read_all(name);
  std::string wrong = text;
  wrong.back() = static_cast<char>(~wrong.back());
  testing::write_all(name, wrong);
  refuses();
  // A byte of its header; a file that is gone.
  wrong = text;
  wrong[20] = static_cast<char>(wrong[20] ^ 1);
  testing::write_all(name, wrong);
  refuses();
  fs::remove(name);
  refuses();
  testing::write_all(name, text);
  // No digests beside it.
  fs::rename(shared.out + "/faro-digests.json", shared.scratch.path("digests"));
  refuses();
  // A folder of something else; none.
  fs::remove_all(shared.out);
  fs::create_directory(shared.out);
  testing::write_all(shared.out + "/notes.txt", "mine");
  refuses();
  EXPECT_EQ(files_in(shared.out).size(), 1U);
  fs::remove_all(shared.out);
  refuses();
}

// Killed when the output had its name and the journal was gone already: both sides are read.
TEST(Reshard, a_run_that_ended_unseen_says_so_when_it_is_to_go_on) {
  SharedReshard shared;
  const std::string out = shared.scratch.path("alone");
  const fs::path rest = shared.scratch.path(".alone.faro");
  ReshardOptions options = shared.options;
  options.unfinished = ReshardOptions::Unfinished::resume;
  fs::create_directory(rest);
  const ReshardReport report = reshard(shared.in, out, options);
  EXPECT_TRUE(report.verified);
  EXPECT_EQ(report.resumed_jobs, report.plan.jobs);
  EXPECT_FALSE(fs::exists(rest));
  EXPECT_EQ(reshard(shared.in, out, options).tensors.size(), report.tensors.size());
  EXPECT_TRUE(files_in(out) == shared.wanted);
  // What is not of this request, or does not hold what is read.
  options.to = "llama:tp=2";
  EXPECT_THROW(reshard(shared.in, out, options), Error);
  options.to = shared.options.to;
  const std::string name = shared.begin().plan().made[1].name;
  std::string wrong = shared.wanted.at(name);
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  testing::write_all(out + "/" + name, wrong);
  EXPECT_THROW(reshard(shared.in, out, options), Error);
  EXPECT_EQ(testing::read_all(out + "/" + name), wrong);
  fs::remove(out + "/" + name);
  EXPECT_THROW(reshard(shared.in, out, options), Error);
  EXPECT_FALSE(fs::exists(out + "/" + name));
}

TEST(ReshardJobs, jobs_that_are_forgotten_make_nothing) {
  const SharedReshard shared;
  const ReshardJobs jobs = shared.begin();
  jobs.run(0, 0);
  disk::discard_jobs(shared.out);
  EXPECT_THROW(jobs.run(0, 1), Error);
  EXPECT_THROW(jobs.finish(shared.out, {}), Error);
  EXPECT_EQ(shared.scratch.count(), 2U);
}

}  // namespace
}  // namespace faro::checkpoints
