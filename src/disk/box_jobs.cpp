#include "disk/box_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

#include "disk/box_run.hpp"
#include "disk/rechunk_files.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "files/shared_folder.hpp"

namespace faro::inline v1::disk {
namespace {

// Of what `--worker` writes there the first word is a number.
constexpr std::string_view jobs_word = "jobs ";
constexpr const char* request_name = "request";

std::string id_of(const std::string& text) {
  Digest digest;
  digest.run(0, std::as_bytes(std::span<const char>(text)));
  return digest.hex();
}

std::string note_name(std::size_t pass, std::uint64_t job) {
  return fmt::format("job-{}-{}", pass, job);
}

class JobStorage : public FolderBoxStorage {
 public:
  using FolderBoxStorage::FolderBoxStorage;
  std::unique_ptr<RandomFile> open(const std::string& name) override {
    if (!exists(name))
      throw Error(ErrorCode::usage,
                  fmt::format("'{}' is not there: all jobs of a stage are done before the first of "
                              "the next begins",
                              name));
    return FolderBoxStorage::open(name);
  }
};

[[noreturn]] void refuse_request(const std::string& folder, const std::string& why) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", folder, why));
}

}  // namespace

void RechunkJobs::complete(const std::string& text) {
  id_ = id_of(text);
  request_ = RechunkRequest::parse(text.substr(jobs_word.size()), folder_);
  from_ = open_source(request_.input, request_.raw);
  plan_ = BoxPlan::from_json(problem_of(request_, from_->grid()), request_.plan);
}

RechunkJobs RechunkJobs::begin(const std::string& in, const std::string& out,
                               const RechunkOptions& options) {
  const FileTarget target = target_of(out);
  refuse_existing(target);
  const auto from = open_source(in, options.raw);
  const RechunkRequest request = shared_request(in, out, *from, options);
  const std::string text = std::string(jobs_word) + request.json();
  RechunkJobs jobs;
  jobs.folder_ = std::filesystem::absolute(shared_path(target)).lexically_normal().string();
  if (options.unfinished == RechunkOptions::Unfinished::fresh) discard_jobs(out);
  files::SharedFolder shared(target);
  // Before the first job is done: none of them makes it, so that a late one makes nothing anew.
  if (!std::filesystem::exists(jobs.folder_ + "/data") && shared.notes().empty())
    create_stored(jobs.folder_ + "/data", request.description);
  if (shared.request(text) != text)
    refuse_request(jobs.folder_,
                   "another request for this output was begun: the input, the options, the memory "
                   "and the threads must be the same; or forget it with discard()");
  jobs.complete(text);
  return jobs;
}

RechunkJobs RechunkJobs::find(const std::string& folder, const std::string& id) {
  RechunkJobs jobs;
  jobs.folder_ = folder;
  jobs.id_ = id;
  jobs.complete(jobs.check_begun());
  return jobs;
}

std::string RechunkJobs::check_begun() const {
  const auto text =
      files::PosixFolder(folder_).text(request_name, limits::rechunk_journal_bytes_max);
  if (!text)
    refuse_request(folder_,
                   "the plan of this job is not there: the output is finished, or its "
                   "jobs were forgotten");
  if (!text->starts_with(jobs_word) || id_of(*text) != id_)
    refuse_request(
        folder_, fmt::format("the plan there is not {}, which this job is of: another request for "
                             "this output was begun",
                             id_));
  return *text;
}

std::size_t RechunkJobs::passes() const {
  return plan_->facts().passes.size();
}

std::uint64_t RechunkJobs::jobs(std::size_t pass) const {
  return static_cast<std::uint64_t>(plan_->facts().passes.at(pass).jobs);
}

std::uint64_t RechunkJobs::peak_bytes(std::size_t pass) const {
  return plan_->facts().passes.at(pass).peak_bytes;
}

void RechunkJobs::check_job(std::size_t pass, std::uint64_t job) const {
  if (pass >= passes())
    throw Error(ErrorCode::usage, fmt::format("stage {} of {}", pass, passes()));
  if (job >= jobs(pass))
    throw Error(ErrorCode::usage, fmt::format("job {} of {} in stage {}", job, jobs(pass), pass));
}

bool RechunkJobs::has_file(std::size_t pass, std::uint64_t job) const {
  return files::PosixFolder(folder_).size_bytes(tile_name(pass, job)).has_value();
}

std::optional<BoxShare> RechunkJobs::note(std::size_t pass, std::uint64_t job) const {
  const std::string name = note_name(pass, job);
  if (!files::PosixFolder(folder_).size_bytes(name)) return std::nullopt;
  const auto file = FolderBoxStorage(folder_).open(name);
  const BoxJournal journal(*file);
  const auto found = journal.done().find({pass, job});
  if (found == journal.done().end()) return std::nullopt;
  return found->second;
}

JobReport RechunkJobs::run(std::size_t pass, std::uint64_t job, Repeat repeat) const {
  check_job(pass, job);
  check_begun();
  const bool last = pass + 1 == passes();
  if (repeat == Repeat::if_not_noted) {
    const auto share = note(pass, job);
    if (share && (last || has_file(pass, job) || remaining(pass + 1).empty()))
      return {.share = *share, .was_done = true};
  }
  try {
    return do_job(pass, job);
  } catch (const Error&) {
    // What failed may be that all was finished or forgotten meanwhile: then that is what is told.
    check_begun_or_clear();
    throw;
  }
}

void RechunkJobs::check_begun_or_clear() const {
  try {
    check_begun();
  } catch (const Error&) {
    // Only what is empty goes: it is of a job that came late.
    std::error_code none;
    std::filesystem::remove(folder_, none);
    throw;
  }
}

JobReport RechunkJobs::do_job(std::size_t pass, std::uint64_t job) const {
  JobStorage storage(folder_);
  const auto to = create_stored(folder_ + "/data", request_.description, Begun::must_be);
  // Nothing gets a name once the request is gone.
  BoxRun run(*plan_, *from_, *to, storage,
             {.threads = request_.threads, .before_names = [this] { check_begun(); }});
  JobReport report;
  run.run(pass, {job}, [&](std::uint64_t, const BoxShare& share) { report.share = share; });
  const auto file = storage.make(note_name(pass, job));
  {
    BoxJournal journal(*file);
    journal.begin("jobs");
    journal.note({pass, job}, report.share);
  }
  check_begun();
  storage.give_name(*file, note_name(pass, job));
  report.reads = static_cast<std::uint64_t>(run.counts().reads);
  report.bytes_read = static_cast<std::uint64_t>(run.counts().bytes_read);
  report.writes = static_cast<std::uint64_t>(run.counts().writes);
  report.buffer_bytes = run.counts().peak_bytes;
  return report;
}

std::vector<std::uint64_t> RechunkJobs::remaining(std::size_t pass) const {
  const files::PosixFolder folder(folder_);
  // A pass after which nothing is to do is not asked for its files, which are gone by then.
  const bool reads_on = pass + 1 < passes() && !remaining(pass + 1).empty();
  std::vector<std::uint64_t> missing;
  for (std::uint64_t job = 0; job < jobs(pass); ++job)
    if (!folder.size_bytes(note_name(pass, job)) || (reads_on && !has_file(pass, job)))
      missing.push_back(job);
  return missing;
}

void RechunkJobs::check_done(std::size_t pass) const {
  check_job(pass, 0);
  check_begun();
  const auto missing = remaining(pass);
  if (!missing.empty())
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: {} of {} jobs of stage {} are not done, number {} first; run them, "
                    "then go on",
                    folder_, missing.size(), jobs(pass), pass, missing.front()));
  if (pass == 0 && from_->identity() != request_.identity)
    throw Error(ErrorCode::environment,
                fmt::format("{}: was changed while it was read; the output would be of two arrays. "
                            "discard() forgets what was done",
                            request_.input));
}

void RechunkJobs::finish_pass(std::size_t pass) const {
  check_done(pass);
  remove_read(pass);
}

void RechunkJobs::remove_read(std::size_t pass) const {
  if (pass == 0) return;
  FolderBoxStorage storage(folder_);
  for (std::uint64_t job = 0; job < jobs(pass - 1); ++job) storage.remove(tile_name(pass - 1, job));
}

Digest RechunkJobs::digest_of_notes() const {
  BoxShare all;
  for (std::size_t pass = 0; pass < passes(); ++pass)
    for (std::uint64_t job = 0; job < jobs(pass); ++job) {
      const auto share = note(pass, job);
      if (!share)
        throw Error(ErrorCode::environment, fmt::format("{}: the note '{}' is damaged; remove it "
                                                        "and run its job again",
                                                        folder_, note_name(pass, job)));
      all.add(*share);
    }
  return compared(all, *plan_, "has no name, discard() forgets it");
}

RechunkReport RechunkJobs::finish(const std::string& out) const {
  const auto start = std::chrono::steady_clock::now();
  check_begun();
  // A damaged note's job needs the files that are removed then.
  for (std::size_t pass = 0; pass < passes(); ++pass) check_done(pass);
  const Digest digest = digest_of_notes();
  for (std::size_t pass = 0; pass < passes(); ++pass) remove_read(pass);
  RechunkReport report;
  report.in = request_.input;
  report.out = out;
  report.plan = facts_of(*plan_);
  const FileTarget target = target_of(out);
  files::SharedFolder shared(target);
  if (shared.has_data()) {  // else it has its name, and the rest was not removed
    const auto to = create_stored(folder_ + "/data", request_.description);
    to->complete();
  }
  report.digest =
      digest.published(from_->data_type(), plan_->grids().shape, plan_->problem().to.element_bytes);
  publish_shared(shared, target);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

void discard_jobs(const std::string& out) {
  const std::string folder = shared_path(target_of(out));
  std::error_code error;
  // The request goes first, so that no job gives a name any more.
  std::filesystem::remove(std::filesystem::path(folder) / request_name, error);
  for (int tries = 0; tries < 3; ++tries) std::filesystem::remove_all(folder, error);
  if (std::filesystem::exists(folder))
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot be removed: {}", folder, error.message()));
}

}  // namespace faro::inline v1::disk
