#include "checkpoints/reshard_jobs.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/require.hpp"
#include "base/whole_json.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/reshard_output.hpp"
#include "checkpoints/reshard_run.hpp"
#include "disk/rechunk_files.hpp"
#include "disk/zarr_job.hpp"
#include "files/claim.hpp"
#include "files/shared_folder.hpp"

namespace faro::inline v1 {
namespace checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr const char* request_format = "faro-reshard-jobs/1";
constexpr auto wait_between_looks = std::chrono::milliseconds(200);

// The file of one job grows under a name of its own, beside the others' notes.
class JobFiles : public ReshardFiles {
 public:
  JobFiles(std::string held, disk::FolderBoxStorage& storage, std::string own)
      : held_(std::move(held)), storage_(storage), own_(std::move(own)) {}
  std::unique_ptr<RandomFile> open_held(const std::string& name) override {
    return open_random_file(held_ + "/" + name,
                            {.access = FileAccess::read, .io = FileIo::buffered});
  }
  std::unique_ptr<RandomFile> open_made(const std::string&) override {
    if (!part_.empty())
      return open_random_file(part_, {.access = FileAccess::write, .io = FileIo::buffered});
    auto file = storage_.make(own_);
    part_ = file->name();
    return file;
  }
  void sync_names() override {}
  const std::string& part() const { return part_; }

 private:
  std::string held_;
  disk::FolderBoxStorage& storage_;
  std::string own_;
  std::string part_;
};

// Every machine finds a file of rules by the same name.
std::string whole_words(const std::string& words) {
  const std::size_t colon = words.rfind(':');
  const std::string name = words.substr(0, colon);
  if (name.find_first_of("./") == std::string::npos) return words;
  return fs::absolute(name).lexically_normal().string() +
         (colon == std::string::npos ? "" : words.substr(colon));
}

}  // namespace

bool ReshardJobs::is_request(const std::string& request) {
  const auto json = nlohmann::json::parse(request, nullptr, false);
  return json.is_object() && json.value("format", nlohmann::json()) == request_format;
}

ReshardJobs ReshardJobs::begin(const std::string& in, const std::string& out,
                               const ReshardOptions& options) {
  check_output(out);
  // What has its name and was stopped before the rest was removed, finish() removes.
  const FileTarget target = disk::target_of(out);
  const fs::path rest = disk::shared_path(target);
  if (!fs::exists(rest / "request") || fs::exists(rest / "data"))
    disk::refuse_existing(target, disk::Worker::of_several);
  ReshardRequest asked = request_of(fs::absolute(in).lexically_normal().string(), options);
  asked.from = whole_words(asked.from);
  asked.to = whole_words(asked.to);
  const ReshardPlan plan = make_plan(asked);
  const std::string request = nlohmann::ordered_json{
      {"format", request_format},
      {"in", asked.in},
      {"from", asked.from},
      {"to", asked.to},
      {"from_names", asked.from_names},
      {"to_names", asked.to_names},
      {"memory_bytes", asked.memory_bytes},
      {"file_bytes", asked.file_bytes},
      {"threads", asked.threads},
      {"slab_bytes", plan.slab_bytes},
      {"held", held_identity(plan)},
      {"made",
       made_identity(plan)}}.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  ReshardJobs jobs;
  jobs.SharedJobs::begin({.out = out,
                          .request = request,
                          .fresh = options.unfinished == ReshardOptions::Unfinished::fresh,
                          .make_data = [&](const std::string& data) {
                            check_space(plan, fs::path(data).parent_path().string());
                            std::error_code error;
                            fs::create_directory(data, error);
                            if (error)
                              throw Error(
                                  ErrorCode::environment,
                                  fmt::format("{}: cannot be made: {}", data, error.message()));
                          }});
  jobs.complete(request);
  return jobs;
}

ReshardJobs ReshardJobs::find(const std::string& folder, const std::string& id) {
  ReshardJobs jobs;
  jobs.SharedJobs::find(folder, id);
  jobs.complete(jobs.check_begun());
  return jobs;
}

void ReshardJobs::complete(const std::string& request) {
  try {
    const auto json = whole_json(request);
    require(json.at("format") == request_format, "{}: these are no jobs of a resharding", folder());
    in_ = json.at("in");
    held_ = json.at("held");
    made_ = json.at("made");
    plan_ = std::make_shared<const ReshardPlan>(make_plan({.in = in_,
                                                           .from = json.at("from"),
                                                           .to = json.at("to"),
                                                           .from_names = json.at("from_names"),
                                                           .to_names = json.at("to_names"),
                                                           .memory_bytes = json.at("memory_bytes"),
                                                           .file_bytes = json.at("file_bytes"),
                                                           .threads = json.at("threads"),
                                                           .slab_bytes = json.at("slab_bytes")}));
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorCode::environment,
        fmt::format("{}: the plan is of another version or damaged: {}", folder(), error.what()));
  }
  check_input();
  tensors_of_.resize(plan_->made.size());
  for (std::size_t i = 0; i < plan_->tensors.size(); ++i)
    for (const Place& place : plan_->tensors[i].to)
      if (tensors_of_[place.file].empty() || tensors_of_[place.file].back() != i)
        tensors_of_[place.file].push_back(i);
}

void ReshardJobs::check_input() const {
  if (held_identity(*plan_) != held_ || made_identity(*plan_) != made_)
    throw Error(ErrorCode::environment,
                fmt::format("{}: it or its layout was changed while it was read; the output would "
                            "be of two checkpoints. {}",
                            in_, disk::words_to_forget));
}

std::string ReshardJobs::made_path(std::uint64_t job) const {
  return folder() + "/data/" + plan_->made[job].name;
}

bool ReshardJobs::needs_files(std::size_t) const {
  return files::PosixFolder(folder() + "/data").exists();  // else the output has its name
}

bool ReshardJobs::has_file(std::size_t, std::uint64_t job) const {
  std::error_code none;
  return fs::file_size(made_path(job), none) == plan_->made[job].bytes && !none;
}

std::vector<disk::BoxJournal::JobId> ReshardJobs::keys(std::size_t, std::uint64_t job) const {
  std::vector<disk::BoxJournal::JobId> all;
  for (const std::size_t tensor : tensors_of_[job]) all.emplace_back(tensor, job);
  return all;
}

disk::SharedJobs::Done ReshardJobs::do_job(std::size_t, std::uint64_t job) const {
  disk::FolderBoxStorage storage(folder());
  JobFiles files(plan_->from_folder, storage, fmt::format("file-{}", job));
  ReshardRun run(*plan_, files);
  Done done;
  for (const auto& [tensor, share] : run.make_file(job)) done.shares[{tensor, job}] = share;
  check_begun();
  std::error_code error;
  fs::rename(files.part(), made_path(job), error);
  if (error)
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot be put in place: {}", made_path(job), error.message()));
  files::PosixFolder(folder() + "/data", files::PosixFolder::Root::must_be)
      .sync_names(std::array{plan_->made[job].name});
  run.counts().tell(done.counts);
  done.counts.buffer_bytes = plan_->peak_bytes;
  return done;
}

void ReshardJobs::check_finished(const ReshardReport& report, const FileTarget& target) const {
  require(files::PosixFolder(target.target).exists(),
          "{}: was finished and has been taken away since; {}", target.path, disk::words_to_forget);
  bool is_ours = lost_files(*plan_, target.target).empty() && has_headers(*plan_, target.target);
  if (is_ours) {
    const auto digests = read_digests(target.target);
    for (const TensorReport& tensor : report.tensors) {
      const auto found = digests.find(tensor.name);
      is_ours = is_ours && found != digests.end() && found->second == tensor.digest;
    }
  }
  require(is_ours, "{}: is not what these jobs have made; {}", target.path, disk::words_to_forget);
}

ReshardReport ReshardJobs::finish(const std::string& out, const Finish& asked) const {
  const auto start = std::chrono::steady_clock::now();
  check_begun();
  // Two at once would take the folder from each other.
  const Claim claim(folder() + "/request");
  check_done(0);
  std::vector<disk::BoxShare> shares(plan_->tensors.size());
  for (std::uint64_t job = 0; job < jobs(0); ++job)
    for (const auto& [key, share] : noted(0, job)) shares[key.first].add(share);
  const std::vector<Digest> digests = compared_digests(*plan_, shares);
  ReshardReport report = report_of(*plan_, digests);
  const FileTarget target = disk::target_of(out);
  files::SharedFolder shared(target);
  const bool has_name = !shared.has_data();
  const std::string made = has_name ? target.target : folder() + "/data";
  if (has_name) check_finished(report, target);
  // Of what had its name before nobody knows what was done to it since.
  if (asked.verify || has_name) {
    FolderFiles files(plan_->from_folder, made);
    ReshardRun(*plan_, files).verify(asked.progress);
    report.verified = true;
  }
  if (!has_name) write_beside(*plan_, digests, made);
  disk::publish_shared(shared, target);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::uint64_t> files_of_worker(const ReshardPlan& plan, std::uint64_t worker,
                                           std::uint64_t workers) {
  const bool by_rank = plan.to.ranks() >= workers;
  const Count all = by_rank ? plan.to.ranks() : plan.made.size();
  std::vector<std::uint64_t> files;
  for (std::uint64_t i = 0; i < plan.made.size(); ++i) {
    const Count at = by_rank ? plan.made[i].rank : i;
    if (at * workers / all == worker) files.push_back(i);
  }
  return files;
}

}  // namespace checkpoints

ReshardReport reshard_share(const std::string& in, const std::string& out,
                            const RechunkShare& share, const ReshardOptions& options) {
  require(share.workers > 0 && share.worker < share.workers,
          "worker {} of {}: they are numbered from 0", share.worker, share.workers);
  const auto start = std::chrono::steady_clock::now();
  ReshardOptions mine = options;
  if (share.worker != 0) mine.unfinished = ReshardOptions::Unfinished::refuse;
  const auto jobs = checkpoints::ReshardJobs::begin(in, out, mine);
  const auto tell = [&](std::uint64_t done, std::uint64_t all) {
    if (options.progress && options.progress(done, all) == Continue::no)
      throw Error(ErrorCode::cancelled, "stopped on request");
  };
  ReshardReport report;
  const auto add = [&](const disk::JobReport& job) {
    report.reads += job.reads;
    report.bytes_read += job.bytes_read;
    report.writes += job.writes;
    report.bytes_written += job.bytes_written;
    report.resumed_jobs += job.was_done ? 1 : 0;
  };
  const auto files = checkpoints::files_of_worker(jobs.plan(), share.worker, share.workers);
  for (std::size_t i = 0; i < files.size(); ++i) {
    tell(i, files.size());
    add(jobs.run(0, files[i]));
  }
  if (share.worker == 0) {
    for (;;) {
      const std::size_t left = jobs.remaining(0).size();
      tell(jobs.jobs(0) - left, jobs.jobs(0));
      if (left == 0) break;
      std::this_thread::sleep_for(checkpoints::wait_between_looks);
    }
    ReshardReport finished = jobs.finish(out, {.verify = options.verify, .progress = {}});
    report.tensors = std::move(finished.tensors);
    report.verified = finished.verified;
    report.known = finished.known;
  }
  report.plan = checkpoints::facts_of(jobs.plan());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace faro::inline v1
