// The layouts of Johnsson and Ho 1990, Table 1: how 2^(n+m) elements lie on 2^n processors.
//
//   consecutive  processor = the top n bits of the index, memory the rest: blocks
//   cyclic       processor = the lowest n bits, memory the rest: round robin
//
//   encoding       consecutive:2|3, element 30       cyclic:2|3, element 30
//   binary         processor 3, memory 6             processor 2, memory 7
//   gray           processor 2, memory 1             processor 1, memory 4
//   gray||gray     processor 2, memory 5             processor 3, memory 4
//   binary||gray   processor 2, memory 6             processor 3, memory 7
//
// Encodings are written memory||processor. A layout is used as the BitMap `place_of`: it sends an
// index to its place, processor · 2^m + memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1 {

enum class Allocation { consecutive, cyclic };

enum class Encoding {
  binary,       // the index bits as they are
  gray,         // the same bits of gray(index)
  gray_gray,    // each part a Gray code of its own
  binary_gray,  // memory binary, processor Gray
};

struct Layout {
  Allocation allocation = Allocation::consecutive;
  Encoding encoding = Encoding::binary;
  int processor_bits = 0;  // n
  int memory_bits = 0;     // m
  friend bool operator==(const Layout&, const Layout&) = default;
};

// Requires n, m >= 0 and n + m <= 64.
BitMap place_of(const Layout& layout);

// "cyclic:4|16 binary||gray"; the default encoding is left out.
std::string to_string(const Layout& layout);

const char* name_of(Allocation allocation);
const char* name_of(Encoding encoding);
std::optional<Encoding> encoding_named(std::string_view name);

}  // namespace faro::inline v1
