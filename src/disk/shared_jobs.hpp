// Jobs of a plan, done by processes that know nothing of each other: any order, any machine that
// sees the same files, twice, or twice at once.
//
//   .OUT.faro-shared/request       what is asked for and its plan, by whoever came first
//   .OUT.faro-shared/job-0-17      one line: the digests of job 17 of the first pass
//   .OUT.faro-shared/data, ..
//   .OUT.faro-shared-aside/..      folders on their way to that name, or from it
//
// The id is a digest of the request with its plan. A job that finds another one refuses: its folder
// was finished, forgotten or belongs to another request. What a job writes gets its name when it is
// whole, its note comes after that and begins with the id, so a job that dies leaves nothing that
// counts, and nothing that is forgotten does. What the jobs do is said by who derives from this:
// RechunkJobs, checkpoints::ReshardJobs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "disk/box_journal.hpp"

namespace faro::inline v1::disk {

constexpr const char* words_to_forget = "--fresh, in Python discard(), forgets its jobs";

struct JobReport {
  BoxShare share;
  std::uint64_t reads = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t writes = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t buffer_bytes = 0;  // that it held
  bool was_done = false;           // its note stood there: nothing was read
};

class SharedJobs {
 public:
  virtual ~SharedJobs() = default;

  // The request that stands there with this id; Error(usage) for anything else.
  static std::string begun_request(const std::string& folder, const std::string& id);

  const std::string& folder() const { return folder_; }
  const std::string& id() const { return id_; }
  virtual std::size_t passes() const = 0;
  virtual std::uint64_t jobs(std::size_t pass) const = 0;
  // That one job of the pass holds: tiles, buffers, and 48 MiB for all else.
  virtual std::uint64_t peak_bytes(std::size_t pass) const = 0;

  // Does a job, or reads its note; `again` does it in any case.
  enum class Repeat { if_not_noted, always };
  JobReport run(std::size_t pass, std::uint64_t job, Repeat repeat = Repeat::if_not_noted) const;
  // Those without a note, or whose file is gone while somebody still needs it.
  std::vector<std::uint64_t> remaining(std::size_t pass) const;
  // Throws Error(usage) where jobs of the pass are not done. Removes what the pass has read and
  // nobody reads any more.
  void finish_pass(std::size_t pass) const;

  // Notes and files of the jobs are there and the input is what it was; else Error.
  void check_done(std::size_t pass) const;

 protected:
  // What a job has noted: a share, or one of each array that it writes to.
  using Shares = std::map<BoxJournal::JobId, BoxShare>;
  struct Done {
    Shares shares;
    JobReport counts;
  };

  SharedJobs() = default;
  SharedJobs(const SharedJobs&) = default;
  SharedJobs& operator=(const SharedJobs&) = default;
  // Writes the request, or finds the same one there; Error(usage) where another one is. The data
  // come with it, so that no job makes them and a late one makes nothing anew.
  struct Begin {
    std::string out;
    std::string request;
    bool fresh = false;
    std::function<void(const std::string&)> make_data;
  };
  void begin(const Begin& asked);
  void find(const std::string& folder, const std::string& id);
  // Error(usage) where the request is gone, or is not the one of this id.
  std::string check_begun() const { return begun_request(folder_, id_); }
  void check_job(std::size_t pass, std::uint64_t job) const;
  // Nothing where there is no note, or no whole one.
  std::optional<Shares> note(std::size_t pass, std::uint64_t job) const;
  // The note of a job; Error(environment) where it is damaged.
  Shares noted(std::size_t pass, std::uint64_t job) const;

 private:
  // Its files have their names when this returns; none gets one after check_begun() refuses.
  virtual Done do_job(std::size_t pass, std::uint64_t job) const = 0;
  // The keys of the shares that a job notes.
  virtual std::vector<BoxJournal::JobId> keys(std::size_t pass, std::uint64_t job) const = 0;
  // Whether the files that a pass has made are needed still, and whether that of a job is there.
  virtual bool needs_files(std::size_t pass) const = 0;
  virtual bool has_file(std::size_t pass, std::uint64_t job) const = 0;
  // One look that tells of these noted jobs that all of their files are there; false: ask each.
  virtual bool has_all_files(std::size_t /*pass*/,
                             const std::vector<std::uint64_t>& /*jobs*/) const {
    return false;
  }
  // Throws Error(environment) where the input is not what the plan was made of.
  virtual void check_input() const = 0;
  // The files that the pass has read and nobody reads any more.
  virtual void remove_read(std::size_t pass) const = 0;

  bool has_note(std::size_t pass, std::uint64_t job) const;
  void check_begun_or_clear() const;
  // The request that stands there: this one, or that of whoever came first.
  std::string begin_or_find(const Begin& asked, const std::string& text) const;

  std::string folder_;
  std::string id_;
};

// Forgets the unfinished jobs of an output; nothing where there are none.
void discard_jobs(const std::string& out);

}  // namespace faro::inline v1::disk
