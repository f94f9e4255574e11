// What jobs of a plan of boxes have done. A job may be done in any order, so its journal is lines:
//
//   {"format": "faro-rechunk-journal/1", ...}  # crc32c 1a2b3c4d the request, the plan
//   job 0 17 READ BYTES WRITTEN BYTES FILES  # crc32c ...        job 17 of the first pass: digests,
//                                                                files of the output
//   complete  # crc32c ...                                       only the name is missing
//
// Each line is appended and synced when what it says is durable. A last line that is torn is not
// there; one that is followed by good ones is an Error(environment) that names it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "faro/disk/rechunk.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::disk {

struct BoxShare {
  Digest read;              // of what the first pass read, by its place in the output
  Digest written;           // of what the last pass wrote
  std::uint64_t files = 0;  // that it gave their names: a chunk of the fill value has none

  void add(const BoxShare& other);
};

class BoxJournal {
 public:
  using JobId = std::pair<std::size_t, std::uint64_t>;  // pass, number
  using Jobs = std::map<JobId, BoxShare>;

  explicit BoxJournal(RandomFile& file);
  bool is_blank() const { return header_.empty(); }
  const std::string& header() const { return header_; }
  const Jobs& done() const { return done_; }
  bool is_complete() const { return complete_; }

  // `jobs`: those that are done already, with the same sync.
  void begin(const std::string& header, std::span<const std::pair<JobId, BoxShare>> jobs = {});
  void note(const JobId& job, const BoxShare& share);
  // Several at once, with one sync: they stand in one line, so that all of them are there or none.
  void note(std::span<const std::pair<JobId, BoxShare>> jobs);
  void note_complete();
  // A job whose files are gone is to be done again.
  void forget(const JobId& job) { done_.erase(job); }

 private:
  void append(const std::string& lines);
  bool take(const std::string& line);

  RandomFile& file_;
  std::string header_;
  Jobs done_;
  bool complete_ = false;
  std::uint64_t end_ = 0;
};

BoxShare sum_of(const BoxJournal::Jobs& jobs);

}  // namespace faro::inline v1::disk
