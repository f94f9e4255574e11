// What lies around the tensors of a resharding: the files' folders, what a run must find as it was,
// what is written beside them, and the report.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "checkpoints/reshard_plan.hpp"
#include "checkpoints/reshard_run.hpp"
#include "faro/checkpoints/checkpoints.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::checkpoints {

// Both folders on the disk; that of the made files is there.
class FolderFiles : public ReshardFiles {
 public:
  FolderFiles(std::string held, std::string made)
      : held_(std::move(held)), made_(std::move(made), files::PosixFolder::Root::must_be) {}
  std::unique_ptr<RandomFile> open_held(const std::string& name) override;
  std::unique_ptr<RandomFile> open_made(const std::string& name) override;
  void sync_names() override;

 private:
  std::string held_;
  files::PosixFolder made_;
  std::mutex mutex_;  // files are opened while others are synced
  std::vector<std::string> names_;
};

ReshardRequest request_of(const std::string& in, const ReshardOptions& options);
ReshardFacts facts_of(const ReshardPlan& plan);

// Another text when a file of the input was changed, and when other files would be made of it.
std::uint32_t held_identity(const ReshardPlan& plan);
std::uint32_t made_identity(const ReshardPlan& plan);

// Throws Error(usage) where something that is no folder has the output's name.
void check_output(const std::string& out);
void check_space(const ReshardPlan& plan, const std::string& folder);
// Made files that are not there, or not whole.
std::set<std::size_t> lost_files(const ReshardPlan& plan, const std::string& folder);
// Whether the files there have the headers that the plan makes.
bool has_headers(const ReshardPlan& plan, const std::string& folder);
// Configuration and tokenizers that lie beside the input, an index, and the digests.
void write_beside(const ReshardPlan& plan, const std::vector<Digest>& digests,
                  const std::string& made);
// With the digests of the whole tensors, which must be those that an earlier resharding has left
// beside the input.
ReshardReport report_of(const ReshardPlan& plan, const std::vector<Digest>& digests);

}  // namespace faro::inline v1::checkpoints
