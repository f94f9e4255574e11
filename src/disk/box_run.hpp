// A plan of boxes performed: tile after tile through memory, jobs that may be done twice, and what
// survives a crash at any point.
//
//   BoxRun run(plan, *from, *to, storage, {.threads = 2});
//   run.finish();        every job that the journal does not have, then the comparison of digests
//
// Order of what becomes durable: the journal's first line; then for each job its files under their
// names, then its line; when all lines are there and both digests are equal, "complete"; then what
// makes an array of the output, and its name. A job reads what earlier passes wrote and nothing
// that its own pass writes, so it can be done again at any time with the same result.
//
// All buffers are made before the first read of a pass, and are those of the plan's account.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "disk/box_cells.hpp"
#include "disk/box_journal.hpp"
#include "disk/box_plan.hpp"
#include "disk/pipeline.hpp"
#include "disk/stored_array.hpp"
#include "faro/base/progress.hpp"

namespace faro::inline v1::disk {

// Files between passes, in the folder of an unfinished run.
class BoxStorage {
 public:
  virtual ~BoxStorage() = default;
  // A file that has no name yet: another process may make the same one.
  virtual std::unique_ptr<RandomFile> make(const std::string& name) = 0;
  // Its content durable, then its name.
  virtual void give_name(RandomFile& file, const std::string& name) = 0;
  virtual std::unique_ptr<RandomFile> open(const std::string& name) = 0;
  virtual bool exists(const std::string& name) = 0;
  virtual void remove(const std::string& name) = 0;
};

struct BoxRunOptions {
  int threads = 2;
  int io_threads = 8;  // of what is read straight into the tile
  Progress progress = {};
  // Called when a job is done but nothing of it has its name yet; may throw.
  std::function<void()> before_names = {};
};

struct BoxCounts {
  Count reads;
  Count bytes_read;
  Count writes;
  std::uint64_t peak_bytes = 0;  // of buffers, the store's part as the plan says
};

// Whether all files that a job of the last pass gave their names are there.
bool has_written(const BoxPlan& plan, const StoredArray& to, std::uint64_t job,
                 const BoxShare& share);
// Whether as many files of the output are there as jobs have written, or nobody can tell. Where it
// is not so, others may have put theirs there too: has_written() looks job by job.
bool has_files(const StoredArray& to, std::uint64_t files);
// Throws Error(environment) where files that these jobs wrote are gone; `way_out` ends the message.
void refuse_lost(const BoxPlan& plan, const StoredArray& to, const BoxJournal::Jobs& done,
                 std::string_view way_out);

class BoxRun {
 public:
  BoxRun(const BoxPlan& plan, StoredArray& from, StoredArray& to, BoxStorage& storage,
         const BoxRunOptions& options);
  ~BoxRun();

  std::uint64_t jobs(std::size_t pass) const;
  // Jobs of one pass, one after another, the next one read while one is written where the plan has
  // room for it. `done` is called for each when all that it wrote is durable.
  using Done = std::function<void(std::uint64_t job, const BoxShare& share)>;
  void run(std::size_t pass, const std::vector<std::uint64_t>& jobs, const Done& done);
  // Files between passes: whether that of a job is there, and the end of all those of a pass.
  bool has_file(std::size_t pass, std::uint64_t job);
  void remove_files(std::size_t pass);
  bool has_written(std::uint64_t job, const BoxShare& share) const {
    return disk::has_written(plan_, to_, job, share);
  }
  const StoredArray& to() const { return to_; }

  const BoxCounts& counts() const { return counts_; }

 private:
  class Pass;
  const BoxPlan& plan_;
  StoredArray& from_;
  StoredArray& to_;
  BoxStorage& storage_;
  BoxRunOptions options_;
  BoxCounts counts_;
};

// All jobs that the journal does not have; files of finished jobs that are gone are made again.
// `check_source` may throw: the input was changed. Throws Error(refused) where what was read and
// what was written are not the same; Error(cancelled) where progress says so, after a whole job.
// Returns the digest of the output.
Digest finish_run(BoxRun& run, const BoxPlan& plan, BoxJournal& journal,
                  const std::function<void()>& check_source, const Progress& progress);

// The digest of the output, of whose jobs these are the shares. Throws Error(refused) where what
// was read and what was written are not the same, or not all; the message ends in `what_becomes`
// of it.
Digest compared(const BoxShare& all, const BoxPlan& plan, std::string_view what_becomes);

std::string tile_name(std::size_t pass, std::uint64_t job);

}  // namespace faro::inline v1::disk
