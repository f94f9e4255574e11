// What is asked for: the first line of a rechunking's journal, from which it goes on.
#pragma once

#include <memory>
#include <string>

#include "disk/box_plan.hpp"
#include "disk/stored_array.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::inline v1::disk {

struct RechunkRequest {
  std::string input;  // an absolute path
  std::optional<RawArray> raw;
  std::string identity;     // of the input
  std::string description;  // of the output
  std::vector<std::size_t> axes;
  std::vector<bool> reversed;
  std::uint64_t memory_bytes = 0;
  int threads = 1;
  bool verify = false;
  DiskProfile profile;
  std::string outside;  // where the output's files go, if not beside the journal
  std::string plan;     // JSON; empty: the array has no element

  std::string json() const;
  // Throws Error(environment), naming the journal, for what it does not understand.
  static RechunkRequest parse(const std::string& text, const std::string& journal);
};

BoxProblem problem_of(const RechunkRequest& request, const StoredGrid& from);
// Without its plan and the input's identity.
RechunkRequest request_of(const std::string& in, const std::string& out, const StoredArray& from,
                          const RechunkOptions& options);
// In exactly so many passes; 0: what costs least.
BoxPlan plan_of(const RechunkRequest& request, const StoredGrid& from, int passes);
// Of several processes, which must have all of it in common. Throws Error(usage) where there is no
// element: no work to share.
RechunkRequest shared_request(const std::string& in, const std::string& out,
                              const StoredArray& from, const RechunkOptions& options);
RechunkFacts facts_of(const BoxPlan& plan);
// Reads a finished output: whether it has the digest of what was written.
bool reads_as(const std::string& path, const RechunkRequest& request, const std::string& data_type,
              const Digest& written);
bool has_elements(const StoredGrid& grid);

}  // namespace faro::inline v1::disk
