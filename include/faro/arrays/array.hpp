// Arrays with a shape, read from and written to .npy files and rearranged along one axis.
//
//   Array a = read_npy("x.npy");                       // shape (3, 1024, 5), any type and order
//   permute(a, "i:10 -> gray(i)", {.axis = 1});        // refuses a length that is not 2^10
//   write_npy("y.npy", a);                             // appears when it is complete
//
// Without an axis the map acts on the whole array, flattened in logical C order (the last index
// runs fastest), however it is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1 {

struct Array {
  std::vector<std::uint64_t> shape;
  std::string type;  // NumPy's, a Python literal as in the file: "'<f8'"
  NpyHeader::Order order = NpyHeader::Order::c;
  std::vector<std::byte> bytes;

  // The header of its file; throws Error(usage) for a type that is none.
  NpyHeader header() const;
};

struct ArrayOptions {
  std::optional<std::int64_t> axis = {};  // negative: counted from the last; nothing: the whole
  int threads = 1;
};

// "-" is standard input and output. Throw Error: usage for wrong content, environment for what the
// system refuses.
Array read_npy(const std::string& path);
void write_npy(const std::string& path, const Array& array);

// Throws Error(usage), naming axis and lengths, where the length is not 2^(bits of the map), and
// where the bytes are not what shape and type say.
void permute(Array& array, const BitMap& map, const ArrayOptions& options = {});
// The same in words (docs/notation.md); widths that are left out follow from the length.
void permute(Array& array, std::string_view map, const ArrayOptions& options = {});

}  // namespace faro::inline v1
