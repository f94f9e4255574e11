#include "disk/shared_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "disk/rechunk_files.hpp"
#include "disk/shared_aside.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::disk {
namespace {

namespace fs = std::filesystem;

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

// By the names that requests have for it; nothing of another kind of request.
std::string what_differs(const std::string& found, const std::string& asked) {
  if (!found.starts_with(jobs_word)) return "";
  const auto there = nlohmann::json::parse(found.substr(jobs_word.size()), nullptr, false);
  const auto here = nlohmann::json::parse(asked, nullptr, false);
  if (!there.is_object() || !here.is_object()) return "";
  std::string names;
  for (const auto& [name, value] : here.items())
    if (const auto other = there.find(name); other == there.end() || *other != value)
      names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "" : fmt::format(", which differs in {}", names);
}

[[noreturn]] void refuse_request(const std::string& folder, const std::string& why) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", folder, why));
}

// How the note of a job of this request begins. Notes of a forgotten one, which a job that was late
// or an interrupted removal has left, are none.
std::string header_of(const std::string& id) {
  return std::string(jobs_word) + id;
}

std::optional<std::string> request_in(const std::string& folder) {
  return files::PosixFolder(folder).text(request_name, limits::rechunk_journal_bytes_max);
}

// A folder without a request: of a removal that was interrupted, or of a job that was late.
void remove_rest_of_forgotten(const std::string& folder) {
  const fs::path aside = put_aside(folder);
  if (aside.empty()) return;
  std::error_code none;
  // Somebody has begun there since we looked, and perhaps the next one by now.
  if (request_in(aside.string())) {
    fs::rename(aside, folder, none);
    if (!none) return;
  }
  fs::remove_all(aside, none);
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

// Made aside with all that is in it and renamed, so that no folder is ever half begun: one without
// a request is the rest of a forgotten one, and nothing in it counts.
std::string SharedJobs::begin_or_find(const Begin& asked, const std::string& text) const {
  std::error_code error;
  for (int tries = 0; tries < aside_tries_max; ++tries) {
    if (auto found = request_in(folder_)) return *found;
    const fs::path made = make_aside(folder_);
    // False for the rest of a process that had the same number.
    if (!fs::create_directory(made, error)) continue;
    fs::permissions(made, fs::perms::owner_all, error);
    std::error_code none;
    try {
      asked.make_data((made / "data").string());
      files::PosixFolder(made.string()).put(request_name, text, "request.part");
    } catch (...) {
      fs::remove_all(made, none);
      fs::remove(aside_of(folder_), none);
      throw;
    }
    fs::rename(made, folder_, error);  // over an empty folder, and over no other
    if (error) fs::remove_all(made, none);
    fs::remove(aside_of(folder_), none);  // if nobody else has something in it
    if (!error) {
      target_of(asked.out).sync_folder();
      return text;
    }
    if (fs::exists(folder_, none) && !request_in(folder_)) remove_rest_of_forgotten(folder_);
  }
  throw Error(ErrorCode::environment,
              fmt::format("cannot make the folder '{}' for its unfinished state: {}", folder_,
                          error.message()));
}

void SharedJobs::begin(const Begin& asked) {
  folder_ = fs::absolute(shared_path(target_of(asked.out))).lexically_normal().string();
  if (asked.fresh) discard_jobs(asked.out);
  const std::string text = std::string(jobs_word) + asked.request;
  const std::string found = begin_or_find(asked, text);
  if (found != text)
    refuse_request(folder_,
                   fmt::format("another request for this output was begun{}: the input, the "
                               "options, the memory and the threads must be the same; {}",
                               what_differs(found, asked.request), words_to_forget));
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
  if (journal.header() != header_of(id_)) return std::nullopt;
  Shares shares;
  for (const BoxJournal::JobId& key : keys(pass, job)) {
    const auto found = journal.done().find(key);
    if (found == journal.done().end()) return std::nullopt;
    shares.insert(*found);
  }
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
    BoxJournal(*file).begin(header_of(id_), std::vector<std::pair<BoxJournal::JobId, BoxShare>>(
                                                done.shares.begin(), done.shares.end()));
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
    fs::remove(folder_, none);
    throw;
  }
}

// Enough of it to tell whose it is; a damaged one is found when it is read.
bool SharedJobs::has_note(std::size_t pass, std::uint64_t job) const {
  const std::string header = header_of(id_) + " ";
  std::string begins(header.size(), '\0');
  const files::PosixFolder folder(folder_);
  const std::string name = note_name(pass, job);
  const auto size = folder.size_bytes(name);
  return size && *size >= header.size() &&
         folder.read(name, 0, std::as_writable_bytes(std::span(begins))) && begins == header;
}

std::vector<std::uint64_t> SharedJobs::remaining(std::size_t pass) const {
  std::vector<std::uint64_t> missing;
  std::vector<std::uint64_t> noted;
  for (std::uint64_t job = 0; job < jobs(pass); ++job)
    (has_note(pass, job) ? noted : missing).push_back(job);
  if (noted.empty() || !needs_files(pass) || has_all_files(pass, noted)) return missing;
  for (const std::uint64_t job : noted)
    if (!has_file(pass, job)) missing.push_back(job);
  std::sort(missing.begin(), missing.end());
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
  forget_shared(target_of(out));
}

}  // namespace faro::inline v1::disk
