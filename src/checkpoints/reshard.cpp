// The doors of resharding: a folder that grows beside OUT, the plan, the run, the report.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/report.hpp"
#include "base/require.hpp"
#include "base/whole_json.hpp"
#include "checkpoints/index_file.hpp"
#include "checkpoints/reshard_output.hpp"
#include "disk/rechunk_files.hpp"
#include "disk/zarr_job.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/storage.hpp"

namespace faro::inline v1 {
namespace {

namespace fs = std::filesystem;
using checkpoints::FolderFiles;
using checkpoints::ReshardPlan;
using Unfinished = ReshardOptions::Unfinished;

// What a run that goes on must find as it was.
std::string journal_header(const ReshardPlan& plan) {
  return Report{{"format", "faro-reshard-journal/1"},
                {"from", plan.from.words},
                {"to", plan.to.words},
                {"held", checkpoints::held_identity(plan)},
                {"made", checkpoints::made_identity(plan)},
                {"jobs", plan.jobs.size()},
                {"slab_bytes", plan.slab_bytes}}
      .json();
}

// How an unfinished run cut its jobs: whoever goes on cuts them alike, with any memory that does.
std::uint64_t slab_of(const disk::BoxJournal& journal) {
  try {
    const auto bytes = whole_json(journal.header()).at("slab_bytes").get<std::uint64_t>();
    require(bytes >= checkpoints::slab_bytes_min, "a journal of jobs of {} bytes is none of ours",
            bytes);
    return bytes;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::usage, "what is unfinished there is no resharding; --fresh begins anew");
  }
}

// A job that has written to a file which was lost since is to be done again.
void forget_lost(const ReshardPlan& plan, const std::string& folder, disk::BoxJournal& journal) {
  const std::set<std::size_t> lost = checkpoints::lost_files(plan, folder);
  std::vector<disk::BoxJournal::JobId> again;
  for (const auto& [job, share] : journal.done()) {
    const checkpoints::TensorMove& move = plan.tensors[plan.jobs.at(job.second).tensor];
    if (std::any_of(move.to.begin(), move.to.end(),
                    [&](const checkpoints::Place& to) { return lost.contains(to.file); }))
      again.push_back(job);
  }
  for (const disk::BoxJournal::JobId& job : again) journal.forget(job);
}

// An earlier run gave OUT its name and was stopped before it said so: what it has left goes now,
// where OUT is what the run made. If its journal is gone too, IN and OUT are read and compared.
std::optional<ReshardReport> cleaned(const std::string& out, checkpoints::ReshardRequest request,
                                     const ReshardOptions& options) {
  const FileTarget target = disk::target_of(out);
  const std::string rest = files::unfinished_folder(target);
  if (!files::PosixFolder(target.target).exists() || files::PosixFolder(rest + "/data").exists())
    return std::nullopt;
  std::unique_ptr<files::Storage> storage;
  ReshardPlan plan = checkpoints::make_plan(request);
  bool verify = true;
  if (files::PosixFolder(rest).size_bytes("journal").value_or(0) != 0) {
    storage = files::open_storage(target, "", FileIo::buffered);
    const disk::BoxJournal journal(storage->journal());
    if (!journal.is_complete()) return std::nullopt;
    request.slab_bytes = slab_of(journal);
    plan = checkpoints::make_plan(request);
    if (journal.header() != journal_header(plan)) return std::nullopt;
    verify = options.verify;
  }
  ReshardReport report;
  report.plan = checkpoints::facts_of(plan);
  report.resumed_jobs = plan.jobs.size();
  report.verified = verify;
  if (!checkpoints::lost_files(plan, target.target).empty() ||
      !checkpoints::has_headers(plan, target.target))
    return std::nullopt;
  const auto digests = checkpoints::read_digests(target.target);
  for (const checkpoints::TensorMove& move : plan.tensors) {
    const auto found = digests.find(move.whole.name);
    if (found == digests.end()) return std::nullopt;
    report.tensors.push_back(
        {move.whole.name, std::string(move.whole.type->name), move.whole.shape, found->second});
  }
  FolderFiles files(plan.from_folder, target.target);
  if (verify) checkpoints::ReshardRun(plan, files).verify(options.progress);
  if (!storage && files::PosixFolder(rest).exists())
    storage = files::open_storage(target, "", FileIo::buffered);
  if (storage) storage->discard();
  return report;
}

}  // namespace

ReshardFacts plan_reshard(const std::string& in, const ReshardOptions& options) {
  return checkpoints::facts_of(checkpoints::make_plan(checkpoints::request_of(in, options)));
}

std::string explain_reshard(const std::string& in, const ReshardOptions& options) {
  return checkpoints::explain_plan(checkpoints::make_plan(checkpoints::request_of(in, options)));
}

ReshardReport reshard(const std::string& in, const std::string& out,
                      const ReshardOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  checkpoints::ReshardRequest request = checkpoints::request_of(in, options);
  // What does not fit is refused before anything is made.
  checkpoints::check_output(out);
  ReshardPlan plan = checkpoints::make_plan(request);
  if (options.unfinished == Unfinished::resume)
    if (auto report = cleaned(out, request, options)) return *report;
  disk::RechunkFolder folder(out);
  if (options.unfinished == Unfinished::fresh) folder.reset();
  disk::BoxJournal journal(folder.journal());
  const bool is_new = journal.is_blank();
  if (is_new) {
    if (options.unfinished == Unfinished::resume) {
      folder.discard();
      throw Error(ErrorCode::usage, fmt::format("{}: nothing is unfinished there", out));
    }
    checkpoints::check_space(plan, folder.folder());
    std::error_code error;
    fs::create_directory(folder.data(), error);
    if (error)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: cannot be made: {}", folder.data(), error.message()));
    folder.sync();
    journal.begin(journal_header(plan));
  } else {
    if (options.unfinished == Unfinished::refuse)
      throw Error(
          ErrorCode::usage,
          fmt::format("{}: a run is unfinished; --resume goes on, --fresh begins anew", out));
    request.slab_bytes = slab_of(journal);
    plan = checkpoints::make_plan(request);
    require(journal.header() == journal_header(plan),
            "{}: what is unfinished there is another request, or the input was changed; --fresh "
            "begins anew",
            out);
  }
  require(!journal.is_complete() || files::PosixFolder(folder.data()).exists(),
          "{}: was finished and has been taken away since; --fresh begins anew", out);
  if (!is_new) forget_lost(plan, folder.data(), journal);
  FolderFiles files(plan.from_folder, folder.data());
  checkpoints::ReshardRun run(plan, files);
  run.run(journal, options.progress);
  if (options.verify) run.verify(options.progress);
  ReshardReport report = checkpoints::report_of(plan, run.digests());
  run.counts().tell(report);
  report.resumed_jobs = run.resumed_jobs();
  checkpoints::write_beside(plan, run.digests(), folder.data());
  report.verified = options.verify;
  if (!journal.is_complete()) journal.note_complete();
  folder.publish();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace faro::inline v1
