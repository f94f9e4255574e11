// Which device holds an element, and where in its memory: [replica | index] -> [device | memory].
//
//   rep:1 x:3 -> x[2] rep | x[1:0]      8 elements on 4 devices, every element on two of them:
//                                       element 5 is on devices 2 and 3, at place 1 of each
//
// A placement with 2^r copies of 2^p elements is one BitMap with r more source bits, the highest,
// which number the copies. Which numbering is used does not matter: placements that put the same
// elements at the same places are equal, because replica columns are kept as a reduced basis and
// index columns modulo it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/layouts/errors.hpp"

namespace faro::inline v1 {

class Placement {
 public:
  // `map` has replica_bits + log2(elements) source bits and as many places, of which the top
  // device_bits say the device. The shape's sides are powers of two; empty is one axis of all
  // elements. Throws Error(usage) where these do not agree.
  Placement(const BitMap& map, int device_bits, int replica_bits = 0,
            std::vector<std::uint64_t> shape = {});

  const BitMap& map() const { return map_; }  // in the reduced form
  int device_bits() const { return device_bits_; }
  int memory_bits() const { return map_.width() - device_bits_; }
  int replica_bits() const { return replica_bits_; }
  int index_bits() const { return map_.width() - replica_bits_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }

  // Of one copy, 0 the first.
  std::uint64_t device(std::uint64_t index, std::uint64_t replica = 0) const;
  std::uint64_t memory(std::uint64_t index, std::uint64_t replica = 0) const;
  // The index of the element at a place.
  std::uint64_t index_at(std::uint64_t device, std::uint64_t memory) const;

  // i:3 -> i[2] | i[1:0]; with copies rep:1 i:3 -> ... The fields are those of shape_fields().
  Notation notation() const;
  std::string text() const;

  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  BitMap map_;
  BitMap inverse_;
  int device_bits_ = 0;
  int replica_bits_ = 0;
  std::vector<std::uint64_t> shape_;
};

// The names that axes get in texts: i; r c; a b c d ...
std::vector<Field> shape_fields(const std::vector<std::uint64_t>& shape);

}  // namespace faro::inline v1
