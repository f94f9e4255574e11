// Checkpoints of models in safetensors files: what is in them, and how they become those of another
// number of ranks, within a cap of memory.
//
//   reshard("llama-tp4", "llama-tp8", {.from = "llama:tp=4", .to = "llama:tp=8",
//                                      .memory_bytes = bit(32)});
//
// A layout is a name with numbers (whole, llama, qwen, mixtral, gpt), or a file of rules; both are
// in docs/checkpoints.md. The tensors of all files are one plan: every byte is read once, in large
// requests, and written once to each file that is to hold it. The output grows in .OUT.faro beside
// it, with a journal, and takes its name when it is complete and the digest (faro/disk/rechunk.hpp)
// of every whole tensor that was read is that of what was written; the digests stand in
// OUT/faro-digests.json. After a crash, a kill or a power failure Unfinished::resume goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/base/progress.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::inline v1 {

struct CheckpointTensor {
  std::string name;
  std::string type;       // as safetensors calls it: "BF16"
  std::string data_type;  // as NumPy or ml_dtypes does: "bfloat16"
  std::uint64_t element_bytes = 0;
  std::vector<std::uint64_t> shape;
  std::string file;
  std::uint64_t start_byte = 0;  // in the file
};

// The tensors of a file, of an index, or of a folder with one file or a set of them, sorted by name
// with numbers by their value. Throws Error(usage) for what is no checkpoint.
std::vector<CheckpointTensor> checkpoint_tensors(const std::string& path);

// A block of a whole tensor, and where it lies in what a rank has of it.
struct CheckpointPart {
  std::vector<std::uint64_t> whole_start;
  std::vector<std::uint64_t> local_start;
  std::vector<std::uint64_t> extent;
};
struct CheckpointShare {
  std::vector<std::uint64_t> shape;  // zeros where no part is
  std::vector<CheckpointPart> parts;
};
// What a rank of a layout has of tensor `name` of the whole checkpoint at `path`, taken by itself
// where the layout makes one tensor of several; nothing where it has nothing.
std::optional<CheckpointShare> checkpoint_share(const std::string& path, const std::string& layout,
                                                std::uint64_t rank, const std::string& name);

struct ReshardOptions {
  std::string from = "whole";
  std::string to = "whole";
  // Names of files of ranks; {rank} and {part} are numbers.
  std::string from_names = "model-rank-{rank}-part-{part}.safetensors";
  std::string to_names = "model-rank-{rank}-part-{part}.safetensors";
  // A cap on all that the process holds, 48 MiB for the program included.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  std::uint64_t file_bytes = 5'000'000'000;  // beyond this a rank has another file
  int threads = 0;                           // jobs at a time; 0: one for each core, at most 8
  // An output that is there unfinished: refused, gone on with, or begun anew.
  enum class Unfinished { refuse, resume, fresh };
  Unfinished unfinished = Unfinished::refuse;
  // Reads the output again when it is written, and on both sides compares what several ranks hold.
  bool verify = false;
  Progress progress = {};  // bytes of whole tensors
};

struct ReshardFacts {
  std::uint64_t tensors = 0;
  std::uint64_t data_bytes = 0;     // of the whole tensors
  std::uint64_t written_bytes = 0;  // of all tensors of all files
  std::uint64_t files_read = 0;
  std::uint64_t files_made = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t peak_bytes = 0;  // that the process will hold at most
  std::uint64_t jobs = 0;
  std::string describe;  // words
  std::string json;
};

struct TensorReport {
  std::string name;
  std::string type;
  std::vector<std::uint64_t> shape;
  std::string digest;
};

struct ReshardReport {
  ReshardFacts plan;
  std::vector<TensorReport> tensors;  // whole ones
  std::uint64_t reads = 0, bytes_read = 0;
  std::uint64_t writes = 0, bytes_written = 0;
  std::uint64_t resumed_jobs = 0;
  bool verified = false;
  bool known = false;  // the digests that lay beside the input are those that were found
  double seconds = 0;
};

// Reads headers only.
ReshardFacts plan_reshard(const std::string& in, const ReshardOptions& options);
// Of each whole tensor where its pieces lie now, and then.
std::string explain_reshard(const std::string& in, const ReshardOptions& options);
// Throws Error(usage) for what does not fit a layout, with name, shape and rule.
ReshardReport reshard(const std::string& in, const std::string& out, const ReshardOptions& options);
// Makes the files of a share of the ranks, on a file system that all workers see; each is begun
// with the same input and options. Worker 0 waits for the others, compares the digests and gives
// OUT its name; the other's reports have no tensors. After a stop the same call goes on.
ReshardReport reshard_share(const std::string& in, const std::string& out,
                            const RechunkShare& share, const ReshardOptions& options);

}  // namespace faro::inline v1
