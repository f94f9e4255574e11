// Performs the jobs of a resharding.
//
// A job fills a buffer with its part of the whole tensor, from the first place of each block, and
// writes it to all places that hold it. What was read and what is written are summed in digests by
// their places in the whole tensor, which is what shows at the end that each block went to its own
// place. Files grow at their full size; a journal says which jobs are durable.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checkpoints/reshard_plan.hpp"
#include "disk/box_journal.hpp"
#include "faro/base/progress.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::checkpoints {

// Where the files are: an interface, so that tests can cut the power at every operation.
class ReshardFiles {
 public:
  virtual ~ReshardFiles() = default;
  virtual std::unique_ptr<RandomFile> open_held(const std::string& name) = 0;
  // Made if it is not there.
  virtual std::unique_ptr<RandomFile> open_made(const std::string& name) = 0;
  virtual void sync_names() = 0;
};

// The digest of each tensor, by what the shares say of it. Throws Error(refused) where what was
// written is not what was read, and names the tensor.
std::vector<Digest> compared_digests(const ReshardPlan& plan,
                                     const std::vector<disk::BoxShare>& shares);

struct ReshardCounts {
  std::atomic<std::uint64_t> reads{0}, bytes_read{0}, writes{0}, bytes_written{0};

  template <class Report>
  void tell(Report& report) const {
    report.reads = reads;
    report.bytes_read = bytes_read;
    report.writes = writes;
    report.bytes_written = bytes_written;
  }
};

class ReshardRun {
 public:
  ReshardRun(const ReshardPlan& plan, ReshardFiles& files);
  ~ReshardRun();

  // All jobs that the journal does not have; then every made file is durable. Throws
  // Error(refused) where what was written is not what was read, and names the tensor.
  void run(disk::BoxJournal& journal, const Progress& progress);
  // One made file, whole and durable; of each of its tensors the share that no file before has.
  std::map<std::size_t, disk::BoxShare> make_file(std::size_t file);
  // Reads every made file again, and every place that holds what another has too, on both sides.
  void verify(const Progress& progress);

  // Of each tensor of the plan, after run().
  const std::vector<Digest>& digests() const { return digests_; }
  const ReshardCounts& counts() const { return counts_; }
  std::uint64_t resumed_jobs() const { return resumed_jobs_; }

 private:
  struct Worker;

  disk::BoxShare work(const ReshardJob& job, Worker& worker);
  void fetch(const ReshardJob& job, Worker& worker, Digest& digest);
  void put(const ReshardJob& job, Worker& worker, Digest& digest);
  Digest read_places(const ReshardJob& job, Worker& worker, bool is_made);
  void read_again(const ReshardJob& job, Worker& worker);
  void sync_and_note(disk::BoxJournal& journal);
  // Those of `jobs` that `numbers` name.
  void for_all_jobs(const std::vector<ReshardJob>& jobs, const std::vector<std::uint64_t>& numbers,
                    const Progress& progress,
                    const std::function<void(std::uint64_t, Worker&)>& work);
  // Closed when many others were opened after it: a process can hold only so many.
  using OpenFile = std::shared_ptr<RandomFile>;
  OpenFile held(std::size_t file);
  OpenFile made(std::size_t file);
  void remember(OpenFile& file);
  void mark_written(std::size_t file);

  const ReshardPlan& plan_;
  ReshardFiles& files_;
  std::vector<OpenFile> held_, made_;
  std::deque<OpenFile*> opened_;
  std::vector<bool> begun_, dirty_;  // of made files: have their header; are to be synced
  std::mutex open_mutex_, note_mutex_;
  std::vector<std::pair<disk::BoxJournal::JobId, disk::BoxShare>> pending_;
  std::uint64_t pending_bytes_ = 0;
  std::vector<Digest> digests_;
  ReshardCounts counts_;
  std::uint64_t resumed_jobs_ = 0;
};

}  // namespace faro::inline v1::checkpoints
