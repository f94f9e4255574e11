// What a resharding reads and writes: for each whole tensor its blocks in the files that are there
// and in those that are made, and jobs that cut it along its C order.
//
//   w [8, 6] from 2 ranks by columns to 2 by rows, a slab of 24 elements:
//     job 0  rows 0..4   reads [4, 3] of each file that is there, writes the file of rank 0
//     job 1  rows 4..8   likewise, and rank 1
//
// A job reads every byte of its part once, from the first place that holds it, and writes it to
// all places that are to hold it. Jobs meet in no byte: they run in any order, more than once too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoints/file_set.hpp"
#include "checkpoints/layout.hpp"

namespace faro::inline v1::checkpoints {

struct PlacedBlock {
  Box local;
  Box whole;
  bool is_first = true;  // else another place holds the same, and comes before
};

// A tensor in a file that holds blocks of a whole one.
struct Place {
  std::size_t file = 0;
  std::uint64_t start_byte = 0;  // in the file
  std::vector<std::uint64_t> lengths;
  std::vector<PlacedBlock> blocks;
};

struct TensorMove {
  SafeTensor whole;
  std::vector<Place> from;
  std::vector<Place> to;
  bool is_scale = false;  // what several ranks hold of it is compared in any case
};

struct MadeFile {
  std::string name;
  std::uint64_t rank = 0;
  std::uint64_t bytes = 0;
  SafeHeader header;
};

struct ReshardJob {
  std::size_t tensor = 0;
  Box box;
  std::uint64_t bytes = 0;
  // The one file that it writes to, where it is of that file alone; else all that hold the box.
  std::optional<std::size_t> file = std::nullopt;
  // Of a file alone: no file before has the same.
  bool is_first = true;
};

struct ReshardPlan {
  Layout from, to;
  std::string from_folder;
  std::vector<HeldFile> held;
  std::vector<MadeFile> made;
  std::vector<TensorMove> tensors;  // by natural_less
  std::vector<ReshardJob> jobs;
  std::map<std::string, std::string> index;  // of whole tensors in several files
  std::vector<std::string> dropped_metadata;
  std::uint64_t bytes = 0;          // of the whole tensors, each read once
  std::uint64_t written_bytes = 0;  // of all tensors of all files
  std::uint64_t slab_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t peak_bytes = 0;
  // Bytes of whole tensors after which files are synced and jobs noted: some seconds of work.
  std::uint64_t noted_bytes = 512ULL << 20U;
  int threads = 1;
};

// A buffer is no smaller than this where nobody asks for one.
inline constexpr std::uint64_t slab_bytes_min = 64ULL << 10U;

struct ReshardRequest {
  std::string in;
  std::string from, to;
  std::string from_names, to_names;
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_bytes = 0;  // a file is begun anew beyond this
  int threads = 1;
  std::uint64_t slab_bytes = 0;  // 0: as large as the memory takes
};

ReshardPlan make_plan(const ReshardRequest& request);

// What makes one of the made files: its blocks, cut so that a buffer holds each.
std::vector<ReshardJob> jobs_of_file(const ReshardPlan& plan, std::size_t file);

// The words of --explain: of each tensor where its pieces lie now, and then.
std::string explain_plan(const ReshardPlan& plan);
std::string plan_text(const ReshardPlan& plan);
std::string plan_json(const ReshardPlan& plan);

}  // namespace faro::inline v1::checkpoints
