#include "disk/box_jobs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "disk/box_run.hpp"
#include "disk/rechunk_files.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "files/shared_folder.hpp"

namespace faro::inline v1::disk {
namespace {

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

}  // namespace

void RechunkJobs::complete(const std::string& request) {
  request_ = RechunkRequest::parse(request, folder());
  from_ = open_stored(request_.input, request_.raw);
  plan_ = BoxPlan::from_json(problem_of(request_, from_->grid()), request_.plan);
}

std::string RechunkJobs::data() const {
  return request_.outside.empty() ? folder() + "/data" : request_.outside;
}

RechunkJobs RechunkJobs::begin(const std::string& in, const std::string& out,
                               const RechunkOptions& options) {
  refuse_existing(target_of(out), Worker::of_several);
  const auto from = open_stored(in, options.raw);
  const RechunkRequest request = shared_request(in, out, *from, options);
  RechunkJobs jobs;
  jobs.SharedJobs::begin({.out = out,
                          .request = request.json(),
                          .fresh = options.unfinished == RechunkOptions::Unfinished::fresh,
                          .make_data = [&](const std::string& data) {
                            if (request.outside.empty()) create_stored(data, request.description);
                          }});
  jobs.complete(request.json());
  return jobs;
}

RechunkJobs RechunkJobs::find(const std::string& folder, const std::string& id) {
  RechunkJobs jobs;
  jobs.SharedJobs::find(folder, id);
  jobs.complete(jobs.check_begun());
  return jobs;
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

bool RechunkJobs::has_file(std::size_t pass, std::uint64_t job) const {
  if (pass + 1 < passes())
    return files::PosixFolder(folder()).size_bytes(tile_name(pass, job)).has_value();
  const auto shares = note(pass, job);
  const auto to = create_stored(data(), request_.description, Begun::must_be);
  return shares && has_written(*plan_, *to, job, shares->at({pass, job}));
}

// The output is listed and its files counted. A damaged note says nothing, and is told of later.
bool RechunkJobs::has_all_files(std::size_t pass, const std::vector<std::uint64_t>& jobs) const {
  if (pass + 1 < passes()) return false;
  std::uint64_t files = 0;
  for (const std::uint64_t job : jobs)
    if (const auto shares = note(pass, job)) files += shares->at({pass, job}).files;
  return has_files(*create_stored(data(), request_.description, Begun::must_be), files);
}

// A pass after which nothing is to do is not asked for its files, which are gone by then; the last
// one is until the output has its name.
bool RechunkJobs::needs_files(std::size_t pass) const {
  if (pass + 1 < passes()) return !remaining(pass + 1).empty();
  return !request_.outside.empty() || std::filesystem::exists(data());
}

SharedJobs::Done RechunkJobs::do_job(std::size_t pass, std::uint64_t job) const {
  JobStorage storage(folder());
  const auto to = create_stored(data(), request_.description, Begun::must_be);
  // Nothing gets a name once the request is gone.
  BoxRun run(*plan_, *from_, *to, storage,
             {.threads = request_.threads, .before_names = [this] { check_begun(); }});
  Done done;
  run.run(pass, {job}, [&](std::uint64_t, const BoxShare& share) {
    done.shares = {{{pass, job}, share}};
  });
  done.counts.reads = static_cast<std::uint64_t>(run.counts().reads);
  done.counts.bytes_read = static_cast<std::uint64_t>(run.counts().bytes_read);
  done.counts.writes = static_cast<std::uint64_t>(run.counts().writes);
  done.counts.bytes_written =
      static_cast<std::uint64_t>(done.shares.at({pass, job}).written.bytes());
  done.counts.buffer_bytes = run.counts().peak_bytes;
  return done;
}

void RechunkJobs::check_input() const {
  if (from_->identity() != request_.identity)
    throw Error(
        ErrorCode::environment,
        fmt::format("{}: was changed while it was read; the output would be of two arrays. {}",
                    request_.input, words_to_forget));
}

void RechunkJobs::remove_read(std::size_t pass) const {
  if (pass == 0) return;
  FolderBoxStorage storage(folder());
  for (std::uint64_t job = 0; job < jobs(pass - 1); ++job) storage.remove(tile_name(pass - 1, job));
}

Digest RechunkJobs::digest_of_notes() const {
  BoxShare all;
  for (std::size_t pass = 0; pass < passes(); ++pass)
    for (std::uint64_t job = 0; job < jobs(pass); ++job)
      for (const auto& [key, share] : noted(pass, job)) all.add(share);
  return compared(all, *plan_, std::string("has no name; ") + words_to_forget);
}

// The data have their name, and the rest was not removed; who knows since when.
void RechunkJobs::check_finished(const FileTarget& target, const Digest& digest) const {
  if (!std::filesystem::exists(target.target))
    throw Error(ErrorCode::environment,
                fmt::format("{}: was finished and has been taken away since; {}", target.path,
                            words_to_forget));
  if (!reads_as(target.target, request_, from_->data_type(), digest))
    throw Error(ErrorCode::refused, fmt::format("{}: is not what these jobs have made; {}",
                                                target.path, words_to_forget));
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
  if (!request_.outside.empty() || shared.has_data())
    create_stored(data(), request_.description)->complete();
  else
    check_finished(target, digest);
  report.digest = digest.published(from_->data_type(), plan_->problem().to.shape,
                                   plan_->problem().to.element_bytes);
  publish_shared(shared, target);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace faro::inline v1::disk
