// Which elements of a stored array a map acts on: one axis, or the whole array flattened in logical
// C order (the last index runs fastest), however it is stored.
//
//   shape (5, 1024, 3), axis 1, C order:    outer 5, 2^10, inner 3
//   the same in Fortran order:              outer 3, 2^10, inner 5
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "faro/algebra/bit_map.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1 {

struct ArrayAxis {
  int width = 0;       // the map's bits
  PermuteShape shape;  // of the stored array
  BitMap to_storage;   // logical index -> stored index along the axis
};

// A negative axis counts from the last. Throws Error(usage), naming the nearest possibilities,
// where the number of elements is no power of two.
ArrayAxis array_axis(const NpyHeader& header, std::optional<std::int64_t> axis,
                     const std::string& name);

// The map on stored indices that does what `map` does on logical ones.
BitMap stored_map(const ArrayAxis& axis, const BitMap& map);

// "x.npy, axis 1 of shape (8, 4), 4 elements", and which axes have index bits where that has none.
std::string array_text(const NpyHeader& header, std::optional<std::int64_t> axis,
                       const std::string& name);

// Throws Error(usage): "x.npy: message".
[[noreturn]] void refuse(const std::string& name, const std::string& message);

// "(8, 4)", for messages.
std::string shape_text(const NpyHeader& header);

}  // namespace faro::inline v1
