#include "faro/disk/rechunk.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "disk/box_run.hpp"
#include "disk/rechunk_files.hpp"
#include "disk/rechunk_request.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

using disk::RechunkRequest;

void check_unchanged(const disk::StoredArray& from, const RechunkRequest& request,
                     const char* when) {
  if (from.identity() == request.identity) return;
  throw Error(ErrorCode::environment,
              fmt::format("{}: was changed {}; the output would be of two arrays. --fresh begins "
                          "anew",
                          request.input, when));
}

// Whether what has the output's name is this run's: its data went there.
bool is_published(const disk::RechunkFolder& folder, const disk::BoxJournal& journal) {
  return journal.is_complete() && !std::filesystem::exists(folder.data());
}

// The journal's request, or the one that is begun now.
RechunkRequest begin_or_resume(const std::string& in, const std::string& out,
                               const RechunkOptions& options, disk::RechunkFolder& folder,
                               disk::BoxJournal& journal) {
  using Unfinished = RechunkOptions::Unfinished;
  if (!journal.is_blank() && options.unfinished == Unfinished::refuse)
    throw Error(ErrorCode::usage,
                fmt::format("{}: an unfinished run is in '{}'; --resume goes on with it, --fresh "
                            "begins anew",
                            out, folder.folder()));
  if (!journal.is_blank()) {
    RechunkRequest begun = RechunkRequest::parse(journal.header(), folder.folder());
    if (begun.outside != options.outside)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: the unfinished run in '{}' writes to another store: '{}'", out,
                              folder.folder(), begun.outside));
    if (begun.outside.empty() && !is_published(folder, journal))
      disk::refuse_existing(folder.target());
    return begun;
  }
  if (options.unfinished == Unfinished::resume)
    throw Error(ErrorCode::usage, fmt::format("{}: there is no unfinished run to go on with", out));
  disk::refuse_existing(folder.target());
  const auto from = disk::open_stored(in, options.raw);
  RechunkRequest request = disk::request_of(in, out, *from, options);
  if (disk::has_elements(from->grid()))
    request.plan = disk::plan_of(request, from->grid(), options.passes).json();
  request.identity = from->identity();
  folder.reset();
  journal.begin(request.json());
  folder.sync();
  return request;
}

// Jobs that are not done, the comparison, the name.
RechunkReport finish(disk::RechunkFolder& folder, disk::BoxJournal& journal,
                     const RechunkRequest& request, const RechunkOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  RechunkReport report;
  const auto from = disk::open_stored(request.input, request.raw);
  if (!journal.is_complete()) check_unchanged(*from, request, "since the run began");
  report.resumed_jobs = journal.done().size();
  Digest digest;
  const disk::StoredGrid to_grid = disk::read_grid(request.description);
  const bool is_outside = !request.outside.empty();
  const std::string data = is_outside ? request.outside : folder.data();
  const bool published = !is_outside && is_published(folder, journal);
  if (published && !std::filesystem::exists(folder.target().target))
    throw Error(ErrorCode::environment,
                fmt::format("{}: was finished, and has been taken away since; --fresh begins anew",
                            folder.target().path));
  std::unique_ptr<disk::StoredArray> to;
  if (!published) to = disk::create_stored(data, request.description);
  if (disk::has_elements(to_grid)) {
    const auto plan =
        disk::BoxPlan::from_json(disk::problem_of(request, from->grid()), request.plan);
    report.plan = disk::facts_of(plan);
    if (!journal.is_complete()) {
      disk::FolderBoxStorage storage(folder.folder());
      disk::BoxRun run(plan, *from, *to, storage, {.threads = request.threads});
      digest = disk::finish_run(
          run, plan, journal, [&] { check_unchanged(*from, request, "while it was read"); },
          options.progress);
      report.reads = run.counts().reads;
      report.bytes_read = run.counts().bytes_read;
      report.writes = run.counts().writes;
    } else {
      if (to) disk::refuse_lost(plan, *to, journal.done(), "--fresh begins anew");
      for (const auto& [job, share] : journal.done()) digest.add(share.written);
    }
  }
  if (!journal.is_complete()) journal.note_complete();
  if (to) {
    to->complete();
    if (request.verify && !disk::reads_as(data, request, from->data_type(), digest))
      throw Error(ErrorCode::refused,
                  "the finished output, read again, is not what was written: its digest differs; "
                  "it is not kept");
  }
  report.verified = request.verify && to;
  report.digest = digest.published(from->data_type(), to_grid.shape, to_grid.element_bytes);
  to.reset();
  is_outside ? folder.discard() : folder.publish();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace

RechunkFacts plan_rechunk(const std::string& in, const std::string& out,
                          const RechunkOptions& options) {
  const auto from = disk::open_stored(in, options.raw);
  const RechunkRequest request = disk::request_of(in, out, *from, options);
  if (!disk::has_elements(from->grid())) {
    return {.passes = {},
            .data_bytes = {},
            .temporary_bytes = {},
            .bound_reason = "the array has no element",
            .describe = "no element: only what the array says of itself is written\n",
            .json = R"({"format":"faro-box-plan/1","passes":[]})"};
  }
  return disk::facts_of(disk::plan_of(request, from->grid(), options.passes));
}

bool has_unfinished_rechunk(const std::string& out) {
  return files::has_unfinished(disk::target_of(out));
}

RechunkReport rechunk(const std::string& in, const std::string& out,
                      const RechunkOptions& options) {
  using Existing = disk::RechunkFolder::Existing;
  const bool goes_on = options.unfinished != RechunkOptions::Unfinished::fresh &&
                       files::has_unfinished(disk::target_of(out));
  disk::RechunkFolder folder(out, goes_on ? Existing::allowed : Existing::refused);
  bool keeps = false;
  try {
    if (options.unfinished == RechunkOptions::Unfinished::fresh) folder.reset();
    disk::BoxJournal journal(folder.journal());
    keeps = !journal.is_blank();
    const RechunkRequest request = begin_or_resume(in, out, options, folder, journal);
    keeps = true;
    try {
      RechunkReport report = finish(folder, journal, request, options);
      report.in = in;
      report.out = out;
      return report;
    } catch (const Error& error) {
      // What the digests refuse is no state to go on from; nor is one in which nothing was done.
      if (error.code() == ErrorCode::refused || journal.done().empty()) keeps = false;
      throw;
    }
  } catch (const Error&) {
    if (!keeps) {
      try {
        folder.discard();
      } catch (const Error&) {  // the first error is the one that is told
      }
    }
    throw;
  }
}

}  // namespace faro::inline v1
