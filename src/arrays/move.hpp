// Whole arrays of any shape, moved by a map of axes of any length.
//
//   shape (100, 256, 64), 'r b c -> c rev(b) r'     shape (64, 256, 100)
//   shape (512, 512, 3), axes 2,0,1                 shape (3, 512, 512)
//   shape (6, 5), axis 0, 'i -> ~i'                 shape (6, 5), rows backwards
//
// A map whose fields are the array's axes, one by one, gives the shape of the result, one axis a
// term of its right side; any other acts on the array as it is, flattened in C order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/engine/options.hpp"
#include "faro/files/npy.hpp"

namespace faro::inline v1 {

struct ArrayMove {
  Map map;            // on logical indices
  TensorShape shape;  // of the stored arrays
  NpyHeader to;       // of the result
  std::string text;   // canonical
};

// Nothing where the text is one of index bits, for a length that is a power of two: the kernels of
// bits know that best, and the array keeps its shape. Throws NotationError, and Error(usage) for an
// axis that is not there; `name` begins its messages.
std::optional<ArrayMove> array_move(const NpyHeader& from, std::string_view text,
                                    std::optional<std::int64_t> axis, NpyHeader::Order order,
                                    const std::string& name);

// The map on each of these axes, all of them in one go; the shape stays. Throws as array_move.
ArrayMove array_move_along(const NpyHeader& from, std::string_view text,
                           const std::vector<std::int64_t>& axes, NpyHeader::Order order,
                           const std::string& name);

// The map on stored indices, of arrays without gaps. Throws Error(impossible) where axes and digits
// have nothing in common.
Map stored_map(const ArrayMove& move, const NpyHeader& from);

// Axis axes[k] becomes axis k; axes may be negative. Empty: they stay. Throws Error(usage).
ArrayMove array_axes_move(const NpyHeader& from, const std::vector<std::int64_t>& axes,
                          NpyHeader::Order order, const std::string& name);

}  // namespace faro::inline v1
