#include "disk/box_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "base/check.hpp"
#include "base/count_format.hpp"
#include "disk/box_pass.hpp"
#include "disk/box_runs.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

// The tiles of jobs, in the order in which they are done.
class TaskList {
 public:
  struct Task {
    std::uint64_t job = 0;
    std::vector<std::uint64_t> tile;
    bool begins_row = true;
    bool ends_job = false;
  };

  TaskList(const BoxPlan& plan, std::size_t pass, const std::vector<std::uint64_t>& jobs)
      : pass_(plan.facts().passes[pass]), job_grid_(plan.job_grid(pass)), jobs_(jobs) {}

  std::optional<Task> next() {
    while (at_ == tasks_.size()) {
      if (next_job_ == jobs_.size()) return std::nullopt;
      begin(jobs_[next_job_++]);
    }
    return tasks_[at_++];
  }

 private:
  void begin(std::uint64_t job) {
    const Box box = box_of(job_grid_, index_of(job_grid_, job));
    Box range(box.size());
    for (std::size_t k = 0; k < box.size(); ++k) range[k] = pass_.tile[k].meeting(box[k]);
    tasks_.clear();
    at_ = 0;
    if (!pass_.walked) {
      for_each_index(range, [&](const std::vector<std::uint64_t>& tile) {
        tasks_.push_back({.job = job, .tile = tile});
      });
    } else {
      Box rows = range;
      const Interval along = range[*pass_.walked];
      rows[*pass_.walked] = {0, 1};
      for_each_index(rows, [&](std::vector<std::uint64_t> tile) {
        for (std::uint64_t i = along.begin; i < along.end; ++i) {
          tile[*pass_.walked] = i;
          tasks_.push_back({.job = job, .tile = tile, .begins_row = i == along.begin});
        }
      });
    }
    tasks_.back().ends_job = true;
  }

  const BoxPass& pass_;
  std::vector<AxisGrid> job_grid_;
  const std::vector<std::uint64_t>& jobs_;
  std::size_t next_job_ = 0;
  std::vector<Task> tasks_;
  std::size_t at_ = 0;
};

Count elements_in(const BoxPlan& plan) {
  return plan.facts().data_bytes;
}

}  // namespace

std::string tile_name(std::size_t pass, std::uint64_t job) {
  return fmt::format("pass{}-{}", pass + 1, job);
}

BoxRun::BoxRun(const BoxPlan& plan, StoredArray& from, StoredArray& to, BoxStorage& storage,
               const BoxRunOptions& options)
    : plan_(plan), from_(from), to_(to), storage_(storage), options_(options) {}
BoxRun::~BoxRun() = default;

std::uint64_t BoxRun::jobs(std::size_t pass) const {
  return static_cast<std::uint64_t>(plan_.facts().passes[pass].jobs);
}

void BoxRun::run(std::size_t pass, const std::vector<std::uint64_t>& jobs, const Done& done) {
  const BoxPass& facts = plan_.facts().passes[pass];
  PassAtWork work(plan_, pass, from_, to_, storage_, options_);
  TaskList tasks(plan_, pass, jobs);
  const bool overlapped = plan_.facts().tiles_at_once > 1;
  std::array<HeldTile, 2> tiles;
  const auto read = [&](const TaskList::Task& task, std::size_t i) {
    tiles[i].index = task.tile;
    tiles[i].box = box_of(facts.tile, task.tile);
    tiles[i].bytes = work.tile_buffer(i);
    work.read(tiles[i], task.begins_row);
  };
  std::size_t now = 0;
  std::optional<TaskList::Task> task = tasks.next();
  if (task) read(*task, now);
  BoxShare share;
  while (task) {
    const std::optional<TaskList::Task> following = tasks.next();
    const std::size_t other = overlapped ? 1 - now : now;
    std::future<void> reading;
    if (following && overlapped)
      reading = std::async(std::launch::async, [&] { read(*following, other); });
    share.read.add(tiles[now].read);
    share.written.add(work.write(tiles[now]));
    if (task->ends_job) {
      share.files = work.finish_job(task->job);
      done(task->job, share);
      share = {};
    }
    if (reading.valid())
      reading.get();
    else if (following)
      read(*following, other);
    now = other;
    task = following;
  }
  counts_.reads += work.reads();
  counts_.bytes_read += work.bytes_read();
  counts_.writes += work.writes();
  counts_.peak_bytes = std::max(counts_.peak_bytes, work.buffer_bytes());
}

bool has_written(const BoxPlan& plan, const StoredArray& to, std::uint64_t job,
                 const BoxShare& share) {
  if (share.files == 0) return true;
  const std::vector<AxisGrid> job_grid = plan.job_grid(plan.facts().passes.size() - 1);
  const Box box = box_of(job_grid, index_of(job_grid, job));
  Box files(box.size());
  for (std::size_t k = 0; k < box.size(); ++k) files[k] = plan.grids().files_to[k].meeting(box[k]);
  std::uint64_t found = 0;
  for_each_index(files, [&](const std::vector<std::uint64_t>& file) {
    found += found < share.files && to.has_file(file) ? 1 : 0;
  });
  return found == share.files;
}

bool has_files(const StoredArray& to, std::uint64_t files) {
  return to.count_files().value_or(files) == files;
}

void refuse_lost(const BoxPlan& plan, const StoredArray& to, const BoxJournal::Jobs& done,
                 std::string_view way_out) {
  const std::uint64_t files = sum_of(done).files;
  if (has_files(to, files)) return;
  const std::size_t last = plan.facts().passes.size() - 1;
  for (const auto& [job, share] : done)
    if (job.first == last && !has_written(plan, to, job.second, share))
      throw Error(ErrorCode::environment,
                  fmt::format("{}: of {} files that were written some are gone: somebody takes "
                              "them away; {}",
                              to.name(), files, way_out));
}

bool BoxRun::has_file(std::size_t pass, std::uint64_t job) {
  return storage_.exists(tile_name(pass, job));
}

void BoxRun::remove_files(std::size_t pass) {
  for (std::uint64_t job = 0; job < jobs(pass); ++job) storage_.remove(tile_name(pass, job));
}

namespace {

std::vector<std::uint64_t> missing_jobs(const BoxRun& run, const BoxJournal& journal,
                                        std::size_t pass) {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t job = 0; job < run.jobs(pass); ++job)
    if (!journal.done().contains({pass, job})) missing.push_back(job);
  return missing;
}

// What the last pass wrote is where others can take it away: all of it, or single files.
void forget_taken(const BoxRun& run, BoxJournal& journal, std::size_t last) {
  if (has_files(run.to(), sum_of(journal.done()).files)) return;
  for (std::uint64_t job = 0; job < run.jobs(last); ++job) {
    const auto done = journal.done().find({last, job});
    if (done != journal.done().end() && !run.has_written(job, done->second))
      journal.forget({last, job});
  }
}

// A pass that has work to do needs all files of the one before.
void forget_lost(BoxRun& run, BoxJournal& journal, std::size_t passes) {
  for (std::size_t pass = passes; pass-- > 1;) {
    if (missing_jobs(run, journal, pass).empty()) continue;
    for (std::uint64_t job = 0; job < run.jobs(pass - 1); ++job)
      if (!run.has_file(pass - 1, job)) journal.forget({pass - 1, job});
  }
}

}  // namespace

Digest finish_run(BoxRun& run, const BoxPlan& plan, BoxJournal& journal,
                  const std::function<void()>& check_source, const Progress& progress) {
  const std::size_t passes = plan.facts().passes.size();
  forget_taken(run, journal, passes - 1);
  forget_lost(run, journal, passes);
  std::uint64_t total = 0;
  std::uint64_t finished = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    total += run.jobs(pass);
    finished += run.jobs(pass) - missing_jobs(run, journal, pass).size();
  }
  const auto bytes = static_cast<std::uint64_t>(elements_in(plan));
  const auto tell = [&] {
    const std::uint64_t all = bytes * passes;
    const auto part = static_cast<double>(finished) / static_cast<double>(total);
    const bool stop =
        progress &&
        progress(
            finished == total ? all : static_cast<std::uint64_t>(part * static_cast<double>(all)),
            all) == Continue::no;
    if (stop && finished != total) throw Error(ErrorCode::cancelled, "stopped on request");
  };
  for (std::size_t pass = 0; pass < passes; ++pass) {
    const auto missing = missing_jobs(run, journal, pass);
    if (!missing.empty())
      run.run(pass, missing, [&](std::uint64_t job, const BoxShare& share) {
        journal.note({pass, job}, share);
        ++finished;
        tell();
      });
    if (pass == 0 && check_source && !missing.empty()) check_source();
    if (pass > 0) run.remove_files(pass - 1);
  }
  refuse_lost(plan, run.to(), journal.done(), "--resume writes them again");
  return compared(sum_of(journal.done()), plan, "is not kept");
}

Digest compared(const BoxShare& all, const BoxPlan& plan, std::string_view what_becomes) {
  const Digest& read = all.read;
  const Digest& written = all.written;
  if (read.bytes() != plan.facts().data_bytes || read.bytes() != written.bytes() ||
      read.value() != written.value())
    throw Error(
        ErrorCode::refused,
        fmt::format("what was read and what was written are not the same: digests {} of {} "
                    "bytes and {} of {} bytes; the output {}",
                    read.hex(), read.bytes(), written.hex(), written.bytes(), what_becomes));
  return written;
}

}  // namespace faro::inline v1::disk
