// The first line of a journal: everything that is needed to go on.
#pragma once

#include <string>
#include <string_view>

#include "faro/disk/permute_file.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1::disk {

// How a file is known again. The checksum is of up to 64 blocks spread over it.
struct FileIdentity {
  std::uint64_t size_bytes = 0;
  std::int64_t changed_nanoseconds = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::uint32_t samples_crc32c = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

FileIdentity identity_of(files::PosixFile& file);

// Throws Error(usage) for a file that is not as long as the plan says.
void check_size(const std::string& in, std::uint64_t found, const FilePermutePlan& plan,
                std::uint64_t start);

struct JobRequest {
  Map map;
  PermuteShape shape;
  FilePlanOptions plan;
  std::string input;  // an absolute path
  std::uint64_t input_start_byte = 0;
  std::string output_start = {};
  std::string temporary_folder;
  bool verify = false;
  bool in_place = false;  // the input is the output
  FileIdentity identity;
  std::string output_metadata = {};  // the zarr.json of an output that is a Zarr array

  FilePermutePlan make_plan() const;
  std::string json(const FilePermutePlan& made) const;
  // Throws Error(environment), naming the journal, for what it does not understand.
  static JobRequest parse(std::string_view text, const std::string& journal);
};

// Of the plan that the journal was begun with; a later version may plan otherwise.
std::uint32_t plan_checksum(const FilePermutePlan& plan);
std::uint32_t plan_checksum_in(std::string_view text);

}  // namespace faro::inline v1::disk
