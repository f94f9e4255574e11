#include "disk/shared_jobs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "disk/rechunk_files.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "files/shared_folder.hpp"

namespace faro::inline v1::disk {
namespace {

// Of what `rechunk --worker` writes there the first word is a number.
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

[[noreturn]] void refuse_request(const std::string& folder, const std::string& why) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", folder, why));
}

BoxShare sum_of(const std::map<BoxJournal::JobId, BoxShare>& shares) {
  BoxShare all;
  for (const auto& [key, share] : shares) all.add(share);
  return all;
}

}  // namespace

std::string SharedJobs::begun_request(const std::string& folder, const std::string& id) {
  const auto text =
      files::PosixFolder(folder).text(request_name, limits::rechunk_journal_bytes_max);
  if (!text)
    refuse_request(folder,
                   "the plan of this job is not there: the output is finished, or its "
                   "jobs were forgotten");
  if (!text->starts_with(jobs_word) || id_of(*text) != id)
    refuse_request(
        folder, fmt::format("the plan there is not {}, which this job is of: another request for "
                            "this output was begun",
                            id));
  return text->substr(jobs_word.size());
}

void SharedJobs::begin(const Begin& asked) {
  const FileTarget target = target_of(asked.out);
  folder_ = std::filesystem::absolute(shared_path(target)).lexically_normal().string();
  if (asked.fresh) discard_jobs(asked.out);
  files::SharedFolder shared(target);
  const auto is_there = [&](const char* name) {
    return std::filesystem::exists(folder_ + "/" + name);
  };
  if (!is_there(request_name) && !is_there("data") && shared.notes().empty())
    asked.make_data(folder_ + "/data");
  const std::string text = std::string(jobs_word) + asked.request;
  if (shared.request(text) != text)
    refuse_request(folder_,
                   "another request for this output was begun: the input, the options, the memory "
                   "and the threads must be the same; or forget it with discard()");
  id_ = id_of(text);
}

void SharedJobs::find(const std::string& folder, const std::string& id) {
  folder_ = folder;
  id_ = id;
}

void SharedJobs::check_job(std::size_t pass, std::uint64_t job) const {
  if (pass >= passes())
    throw Error(ErrorCode::usage, fmt::format("stage {} of {}", pass, passes()));
  if (job >= jobs(pass))
    throw Error(ErrorCode::usage, fmt::format("job {} of {} in stage {}", job, jobs(pass), pass));
}

std::optional<SharedJobs::Shares> SharedJobs::note(std::size_t pass, std::uint64_t job) const {
  const std::string name = note_name(pass, job);
  if (!files::PosixFolder(folder_).size_bytes(name)) return std::nullopt;
  const auto file = FolderBoxStorage(folder_).open(name);
  const BoxJournal journal(*file);
  Shares shares;
  for (const BoxJournal::JobId& key : keys(pass, job)) {
    const auto found = journal.done().find(key);
    if (found == journal.done().end()) return std::nullopt;
    shares.insert(*found);
  }
  if (journal.is_blank()) return std::nullopt;
  return shares;
}

SharedJobs::Shares SharedJobs::noted(std::size_t pass, std::uint64_t job) const {
  if (auto shares = note(pass, job)) return *shares;
  throw Error(ErrorCode::environment,
              fmt::format("{}: the note '{}' is damaged; remove it and run its job again", folder_,
                          note_name(pass, job)));
}

JobReport SharedJobs::run(std::size_t pass, std::uint64_t job, Repeat repeat) const {
  check_job(pass, job);
  check_begun();
  if (repeat == Repeat::if_not_noted) {
    const auto shares = note(pass, job);
    if (shares && (has_file(pass, job) || !needs_files(pass)))
      return {.share = sum_of(*shares), .was_done = true};
  }
  try {
    Done done = do_job(pass, job);
    FolderBoxStorage storage(folder_);
    const auto file = storage.make(note_name(pass, job));
    {
      BoxJournal journal(*file);
      journal.begin("jobs");
      journal.note(std::vector<std::pair<BoxJournal::JobId, BoxShare>>(done.shares.begin(),
                                                                       done.shares.end()));
    }
    check_begun();
    storage.give_name(*file, note_name(pass, job));
    done.counts.share = sum_of(done.shares);
    return done.counts;
  } catch (const Error&) {
    // What failed may be that all was finished or forgotten meanwhile: then that is what is told.
    check_begun_or_clear();
    throw;
  }
}

void SharedJobs::check_begun_or_clear() const {
  try {
    check_begun();
  } catch (const Error&) {
    // Only what is empty goes: it is of a job that came late.
    std::error_code none;
    std::filesystem::remove(folder_, none);
    throw;
  }
}

std::vector<std::uint64_t> SharedJobs::remaining(std::size_t pass) const {
  const files::PosixFolder folder(folder_);
  const bool needed = needs_files(pass);
  std::vector<std::uint64_t> missing;
  for (std::uint64_t job = 0; job < jobs(pass); ++job)
    if (!folder.size_bytes(note_name(pass, job)) || (needed && !has_file(pass, job)))
      missing.push_back(job);
  return missing;
}

void SharedJobs::check_done(std::size_t pass) const {
  check_job(pass, 0);
  check_begun();
  const auto missing = remaining(pass);
  if (!missing.empty())
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: {} of {} jobs of stage {} are not done, number {} first; run them, "
                    "then go on",
                    folder_, missing.size(), jobs(pass), pass, missing.front()));
  if (pass == 0) check_input();
}

void SharedJobs::finish_pass(std::size_t pass) const {
  check_done(pass);
  remove_read(pass);
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
