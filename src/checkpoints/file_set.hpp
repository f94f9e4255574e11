// The files of a checkpoint: whole tensors in one file or in several, or files of ranks.
//
//   model.safetensors                                 whole
//   model-00001-of-00002.safetensors, .., model.safetensors.index.json
//   model-rank-0-part-0.safetensors, ..               of rank 0, as vLLM's sharded state has them
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoints/safetensors.hpp"

namespace faro::inline v1::checkpoints {

struct HeldFile {
  std::string name;  // in the folder
  std::uint64_t bytes = 0;
  SafeHeader header;
};

struct FileSet {
  std::string folder;
  std::vector<HeldFile> files;
  // Of each rank: its tensors, and the files that they are in.
  std::vector<std::vector<SafeTensor>> ranks;
  std::vector<std::vector<std::size_t>> file_of;
  Metadata metadata;                   // what no two files say differently
  std::vector<std::string> differing;  // keys of the rest
  std::uint64_t json_bytes = 0;        // of headers and an index
};

inline constexpr std::string_view rank_file_names = "model-rank-{rank}-part-{part}.safetensors";

// A file, an index, or a folder: with an index, with one file, or with files that share no tensor.
// Throws Error(impossible) for more than json_bytes_max of headers and index.
FileSet open_whole_files(const std::string& path, std::uint64_t json_bytes_max = UINT64_MAX);
// Parts of a rank are counted from 0 without a gap. `pattern` has {rank}, and {part} where a rank
// may have several.
FileSet open_rank_files(const std::string& folder, const std::string& pattern, std::uint64_t ranks,
                        std::uint64_t json_bytes_max = UINT64_MAX);

// Throws Error(usage) for a pattern by which files of two ranks could have one name.
void check_rank_names(const std::string& pattern);
std::string rank_file_name(const std::string& pattern, std::uint64_t rank, std::uint64_t part);

}  // namespace faro::inline v1::checkpoints
