// Arrays in files, one for all ranks or one for each: "x.%d.npy" is x.0.npy of rank 0, and so on.
//
// A rank has its part only. What is written appears under its name when all parts are complete, or
// not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "faro/files/array_file.hpp"
#include "files/file_part.hpp"
#include "mpi/communicator.hpp"

namespace faro::mpi_cli {

bool names_ranks(const std::string& path);
std::string of_rank(const std::string& path, int rank);

// What a file says of itself: a .npy header, or the size of raw elements. Throws Error; usage for
// arrays in Fortran order, unless any order will do.
enum class AnyOrder { no, yes };
struct ArrayHeader {
  NpyHeader npy;
  std::uint64_t start = 0;  // of the elements
};
ArrayHeader read_header(const std::string& path, const std::optional<std::uint64_t>& element_bytes,
                        AnyOrder any_order = AnyOrder::no);

// Parts get their names one by one, when all are on the disk. A hidden file beside part 0 tells of
// it meanwhile: where a kill leaves it, some parts are old and some new.
//
// Of IN, by rank 0: throws Error(environment) where its parts may be of two runs.
void refuse_mixed_parts(const std::string& path);
// Of OUT, a file a rank; `file` where the rank has one. Collective, throws AgreedError.
void commit_parts(const mpi::Communicator& ranks, const std::string& path,
                  std::optional<Replacement>& file);

// What a rank may hold of its arrays in memory: half of what is free, shared by the node's ranks.
// Collective.
std::uint64_t fair_memory_bytes(const mpi::Communicator& ranks);

// A file that ranks write together, or one each where the name has a %d, beside the one that it
// replaces when it is complete. Collective, all of it; throws AgreedError.
class SharedReplacement {
 public:
  // With room for `bytes`.
  SharedReplacement(const mpi::Communicator& ranks, const std::string& path, std::uint64_t bytes);

  // Of the unfinished file.
  const std::string& name() const { return name_; }
  // By whoever made the file.
  void write_front(const std::string& front) const;
  // What was written is on the disk already.
  void commit();

 private:
  const mpi::Communicator& ranks_;
  std::string path_;
  std::optional<Replacement> file_;  // on the ranks that make one
  std::string name_;
};

// A file to be written, each rank its part. Collective, all of it; throws AgreedError.
class ArrayTarget {
 public:
  ArrayTarget(const mpi::Communicator& ranks, const std::string& path, const NpyHeader& header,
              files::FilePart::Hold hold);

  std::span<std::byte> part() { return part_->writable(); }
  void commit();

 private:
  const mpi::Communicator& ranks_;
  std::string front_;
  SharedReplacement file_;
  std::optional<files::FilePart> part_;
};

}  // namespace faro::mpi_cli
