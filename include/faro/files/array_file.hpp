// Arrays in files: .npy, or raw elements of a size that the caller knows.
//
//   ArrayInput in = ArrayInput::npy("a.npy");         in.header().shape, in.data()
//   ArrayOutput out("b.npy", in.header());            space reserved, header written
//   fill(out.data());                                 data_bytes() bytes
//   out.commit();                                     now it is there, complete (replacement.hpp)
//
// A regular file is mapped. From a pipe the array is read into memory, which grows with what
// arrives, never with what a header claims. A .npy file whose data is shorter or longer than its
// header says is refused: longer ones hold several arrays, and replacing such a file would lose
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "faro/files/input.hpp"
#include "faro/files/npy.hpp"
#include "faro/files/replacement.hpp"

namespace faro::inline v1 {

class ArrayInput {
 public:
  // "-" is standard input. Throw Error(usage) for wrong content, Error(environment) for what the
  // system refuses.
  // What is read from a pipe may take `memory_bytes_max` of memory, else Error(environment); an
  // array whose header already says more is refused before it is read.
  static ArrayInput npy(const std::string& path, std::uint64_t memory_bytes_max = UINT64_MAX);
  // The shape is the number of elements; the type is empty. Requires element_bytes > 0.
  static ArrayInput raw(const std::string& path, std::uint64_t element_bytes,
                        std::uint64_t memory_bytes_max = UINT64_MAX);

  const std::string& name() const { return name_; }
  const NpyHeader& header() const { return header_; }
  bool is_mapped() const { return mapped_; }
  std::span<const std::byte> data() const { return data_; }
  // See Mapping::prefault().
  void prefault() const { mapping_.prefault(); }

 private:
  std::string name_;
  NpyHeader header_;
  bool mapped_ = false;
  Mapping mapping_;
  std::vector<std::byte> memory_;
  std::span<const std::byte> data_;
};

class ArrayOutput {
 public:
  // An empty type writes raw elements.
  ArrayOutput(const std::string& path, const NpyHeader& header);

  std::span<std::byte> data() { return data_; }
  void commit(Replacement::Durability durability = Replacement::Durability::all);

 private:
  Replacement file_;
  Mapping mapping_;
  std::span<std::byte> data_;
};

// Where the element of an index in logical C order (the last index runs fastest) is stored.
// Requires an index below header.elements().
std::uint64_t stored_index(const NpyHeader& header, std::uint64_t logical);

// The numbers of an array of integers, in logical C order whatever its order, byte order and width
// are; at most `count_max` of them, else Error(limit). Negative ones throw Error(usage).
std::vector<std::uint64_t> read_whole_numbers(const ArrayInput& array, std::uint64_t count_max);

}  // namespace faro::inline v1
