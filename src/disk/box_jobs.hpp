// The jobs of a rechunking, as SharedJobs has them.
//
//   jobs = RechunkJobs::begin("in.zarr", "out.zarr", ..)   on one machine
//   RechunkJobs::find(folder, id).run(0, 17);           anywhere: all of pass 0, then all of 1
//   jobs.finish("out.zarr");                             on one machine: digests compared, the name
//
// Between the passes tiles lie in the folder as pass1-0, ..
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "disk/box_plan.hpp"
#include "disk/rechunk_request.hpp"
#include "disk/shared_jobs.hpp"
#include "disk/stored_array.hpp"
#include "files/file_target.hpp"

namespace faro::inline v1::disk {

class RechunkJobs : public SharedJobs {
 public:
  // Writes the request, or finds the same one there. Throws Error(usage) where another one is, as
  // RechunkOptions::Unfinished::fresh forgets; else as plan_rechunk() does.
  static RechunkJobs begin(const std::string& in, const std::string& out,
                           const RechunkOptions& options);
  // What is begun there with this id; Error(usage) for anything else.
  static RechunkJobs find(const std::string& folder, const std::string& id);

  std::size_t passes() const override;
  std::uint64_t jobs(std::size_t pass) const override;
  std::uint64_t peak_bytes(std::size_t pass) const override;
  // All passes; compares the digests of the notes; the output has its name. `out` as for begin().
  RechunkReport finish(const std::string& out) const;

 private:
  RechunkJobs() = default;
  void complete(const std::string& request);
  // Where the output grows: beside the notes, or in a store.
  std::string data() const;
  Done do_job(std::size_t pass, std::uint64_t job) const override;
  std::vector<BoxJournal::JobId> keys(std::size_t pass, std::uint64_t job) const override {
    return {{pass, job}};
  }
  bool needs_files(std::size_t pass) const override;
  bool has_file(std::size_t pass, std::uint64_t job) const override;
  bool has_all_files(std::size_t pass, const std::vector<std::uint64_t>& jobs) const override;
  void check_input() const override;
  void remove_read(std::size_t pass) const override;
  Digest digest_of_notes() const;
  void check_finished(const FileTarget& target, const Digest& digest) const;

  RechunkRequest request_;
  std::shared_ptr<StoredArray> from_;
  std::optional<BoxPlan> plan_;
};

}  // namespace faro::inline v1::disk
