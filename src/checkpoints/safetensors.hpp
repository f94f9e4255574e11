// The header of a safetensors file, read strictly and written as the reference implementation does.
//
//   8 bytes N, little-endian | N bytes of JSON | the tensors, one behind the other
//
//   {"__metadata__": {"format": "pt"},
//    "w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}
//
// data_offsets count from the end of the header. Strict means: the JSON begins with {, a key stands
// once, a tensor says dtype, shape and data_offsets and nothing else, the offsets of each are the
// bytes that its type and shape make, and all tensors together fill the file without hole, overlap
// or rest. Every breach is an Error(usage) that names the file and the tensor, every exceeded
// maximum an Error(limit). Nothing is allocated by a number that the file claims before it was held
// against the size of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faro::inline v1::checkpoints {

// An element type by the name that safetensors has for it, and the one that NumPy or ml_dtypes has,
// under which its digest is published.
struct DataType {
  std::string_view name;
  std::string_view numpy;
  std::uint64_t bytes;
};
// Null where there is none.
const DataType* find_type(std::string_view name);

struct SafeTensor {
  std::string name;
  const DataType* type = nullptr;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  // counted from the end of the header
  std::uint64_t end = 0;

  friend bool operator==(const SafeTensor&, const SafeTensor&) = default;
};

using Metadata = std::map<std::string, std::string>;

struct SafeHeader {
  std::vector<SafeTensor> tensors;  // as they lie in the file
  Metadata metadata;
  std::uint64_t data_start = 0;  // in the file

  friend bool operator==(const SafeHeader&, const SafeHeader&) = default;
};

// The bytes of the header with the 8 before it, which `first` are; checked against the file's size.
std::uint64_t safetensors_data_start(std::span<const std::byte> first, std::uint64_t file_bytes,
                                     std::string_view name);
// `start` holds at least safetensors_data_start bytes.
SafeHeader parse_safetensors(std::span<const std::byte> start, std::uint64_t file_bytes,
                             std::string_view name);
// A pipe would be waited for: files of checkpoints are regular ones. Throws Error(usage) for what
// is there and is none.
void check_regular(const std::string& path);
// Throws Error(impossible) for a header that is longer than the memory allows.
SafeHeader read_safetensors(const std::string& path, std::uint64_t header_bytes_max = UINT64_MAX);
// What bytes of JSON take at most when they are parsed, held and made into tables.
inline constexpr std::uint64_t json_memory = 8;
[[noreturn]] void refuse_json_memory(std::string_view name, std::uint64_t bytes,
                                     std::uint64_t bytes_max);

// Throw Error(limit) for too many tensors, and a name that is too long.
void check_tensors(std::uint64_t count, std::string_view where);
void check_name(std::string_view name, std::string_view where);

// Bytes of a tensor of this shape; Error(limit) beyond limits::checkpoint_bytes_max.
std::uint64_t tensor_bytes(const DataType& type, std::span<const std::uint64_t> shape,
                           std::string_view name);

// Numbers in names by their value: layers.2 before layers.10.
bool natural_less(std::string_view a, std::string_view b);
// As they are to lie in a file: wide elements first, so that each lies at a multiple of its size,
// then by natural_less; gives them their offsets.
void lay_out(std::vector<SafeTensor>& tensors, std::string_view name);
// The file's bytes up to its data, a multiple of 8.
std::string safetensors_bytes(const SafeHeader& header);

}  // namespace faro::inline v1::checkpoints
