// The jobs of a resharding, as disk::SharedJobs has them: job i makes file i of the output, so a
// host makes the files of its ranks, and reads what they hold of the input.
//
//   jobs = ReshardJobs::begin("tp4", "tp8", {.from = "llama:tp=4", .to = "llama:tp=8"})
//   ReshardJobs::find(folder, id).run(0, 5);     anywhere: the file of rank 5
//   jobs.finish("tp8", {});                      on one machine: digests compared, the name
//
//   .OUT.faro-shared/job-0-5               the digests of job 5, of each tensor in its file
//   .OUT.faro-shared/data/model-rank-5-..  its file, which has the name when it is whole
//
// What several ranks hold is noted with the first of them: the notes' sums are those of the whole
// tensors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checkpoints/reshard_plan.hpp"
#include "disk/shared_jobs.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/file_target.hpp"

namespace faro::inline v1::checkpoints {

class ReshardJobs : public disk::SharedJobs {
 public:
  // Writes the request, or finds the same one there. Throws Error(usage) where another one is, as
  // ReshardOptions::Unfinished::fresh forgets; else as plan_reshard() does.
  static ReshardJobs begin(const std::string& in, const std::string& out,
                           const ReshardOptions& options);
  // What is begun there with this id; Error(usage) for anything else.
  static ReshardJobs find(const std::string& folder, const std::string& id);
  // Whether a request, as SharedJobs::begun_request() returns it, is of a resharding.
  static bool is_request(const std::string& request);

  std::size_t passes() const override { return 1; }
  std::uint64_t jobs(std::size_t) const override { return plan_->made.size(); }
  std::uint64_t peak_bytes(std::size_t) const override { return plan_->peak_bytes; }
  const ReshardPlan& plan() const { return *plan_; }

  struct Finish {
    bool verify = false;
    Progress progress = {};
  };
  // All jobs are done; compares the digests of the notes; the output has its name. `out` as for
  // begin(). Throws Error(environment) where another process does it.
  ReshardReport finish(const std::string& out, const Finish& asked) const;

 private:
  ReshardJobs() = default;
  void complete(const std::string& request);
  std::string made_path(std::uint64_t job) const;
  Done do_job(std::size_t pass, std::uint64_t job) const override;
  std::vector<disk::BoxJournal::JobId> keys(std::size_t pass, std::uint64_t job) const override;
  bool needs_files(std::size_t pass) const override;
  bool has_file(std::size_t pass, std::uint64_t job) const override;
  void check_input() const override;
  // That what has the output's name already is what the jobs have made.
  void check_finished(const ReshardReport& report, const FileTarget& target) const;
  void remove_read(std::size_t) const override {}

  std::string in_;
  std::uint32_t held_ = 0, made_ = 0;  // identities
  std::shared_ptr<const ReshardPlan> plan_;
  std::vector<std::vector<std::size_t>> tensors_of_;  // of each file those with elements
};

// The files that worker i of n makes: those of its ranks, which are neighbours; of fewer ranks than
// workers, its files.
std::vector<std::uint64_t> files_of_worker(const ReshardPlan& plan, std::uint64_t worker,
                                           std::uint64_t workers);

}  // namespace faro::inline v1::checkpoints
