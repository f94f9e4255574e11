// The jobs of a rechunking, done by processes that know nothing of each other: any order, any
// machine that sees the same files, twice, or twice at once.
//
//   .OUT.faro-shared/request       what is asked for and its plan, by whoever came first
//   .OUT.faro-shared/job-0-17      one line: the digests of job 17 of the first pass
//   .OUT.faro-shared/data, pass1-0, ..
//
//   jobs = RechunkJobs::begin("in.zarr", "out.zarr", ..)   on one machine
//   RechunkJobs::find(folder, id).run(0, 17);           anywhere: all of pass 0, then all of 1
//   jobs.finish("out.zarr");                             on one machine: digests compared, the name
//
// The id is a digest of the request with its plan. A job that finds another one refuses: its folder
// was finished, forgotten or belongs to another request. What a job writes gets its name when it is
// whole, its note comes after that, so a job that dies leaves nothing that counts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "disk/box_journal.hpp"
#include "disk/box_plan.hpp"
#include "disk/rechunk_request.hpp"
#include "disk/stored_array.hpp"

namespace faro::inline v1::disk {

struct JobReport {
  BoxShare share;
  std::uint64_t reads = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t writes = 0;
  std::uint64_t buffer_bytes = 0;  // that it held
  bool was_done = false;           // its note stood there: nothing was read
};

class RechunkJobs {
 public:
  // Writes the request, or finds the same one there. Throws Error(usage) where another one is, as
  // RechunkOptions::Unfinished::fresh forgets; else as plan_rechunk() does.
  static RechunkJobs begin(const std::string& in, const std::string& out,
                           const RechunkOptions& options);
  // What is begun there with this id; Error(usage) for anything else.
  static RechunkJobs find(const std::string& folder, const std::string& id);

  const std::string& folder() const { return folder_; }
  const std::string& id() const { return id_; }
  std::size_t passes() const;
  std::uint64_t jobs(std::size_t pass) const;
  // That one job of the pass holds: tiles, buffers, and 48 MiB for all else.
  std::uint64_t peak_bytes(std::size_t pass) const;

  // Does a job, or reads its note; `again` does it in any case.
  enum class Repeat { if_not_noted, always };
  JobReport run(std::size_t pass, std::uint64_t job, Repeat repeat = Repeat::if_not_noted) const;
  // Those without a note, or whose file is gone while a later pass still has work.
  std::vector<std::uint64_t> remaining(std::size_t pass) const;
  // Throws Error(usage) where jobs of the pass are not done. Removes what the pass has read and
  // nobody reads any more.
  void finish_pass(std::size_t pass) const;
  // All passes; compares the digests of the notes; the output has its name. `out` as for begin().
  RechunkReport finish(const std::string& out) const;

 private:
  RechunkJobs() = default;
  void complete(const std::string& text);
  // The request that stands there; Error(usage) where it is not the one of this id.
  std::string check_begun() const;
  void check_begun_or_clear() const;
  void check_job(std::size_t pass, std::uint64_t job) const;
  JobReport do_job(std::size_t pass, std::uint64_t job) const;
  // Throws Error(usage) where jobs of the pass are not done, Error(environment) where the input was
  // changed.
  void check_done(std::size_t pass) const;
  // The files that the pass has read and nobody reads any more.
  void remove_read(std::size_t pass) const;
  bool has_file(std::size_t pass, std::uint64_t job) const;
  std::optional<BoxShare> note(std::size_t pass, std::uint64_t job) const;
  Digest digest_of_notes() const;

  std::string folder_;
  std::string id_;
  RechunkRequest request_;
  std::shared_ptr<StoredArray> from_;
  std::optional<BoxPlan> plan_;
};

// Forgets the unfinished jobs of an output; nothing where there are none.
void discard_jobs(const std::string& out);

}  // namespace faro::inline v1::disk
