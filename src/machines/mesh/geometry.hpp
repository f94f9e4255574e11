// The shape of a mesh in address bits: which dimension a bit belongs to and what a route does.
//
//   shape 16x4, written [16, 4]:   address = i1·4 + i0, bits 5..2 are dimension 1, bits 1..0
//                                  dimension 0
//       bit            5  4  3  2  1  0
//       dimension_of   1  1  1  1  0  0
//       level          3  2  1  0  1  0
//       distance       8  4  2  1  2  1      = 2^level: how far flipping the bit moves
//
// Dimension 0 owns the lowest bits, though the shape is written with it last. Sides of 1 own no
// bits; they are legal. At most 62 address bits, so that every distance is an exact signed number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

class MeshGeometry {
 public:
  // Throws Error(usage) for a negative side, Error(limit) for more than 62 address bits.
  explicit MeshGeometry(const Mesh& mesh);

  const Mesh& mesh() const { return mesh_; }
  Mesh::Wrap wrap() const { return mesh_.wrap; }
  int dimensions() const { return static_cast<int>(low_.size()); }
  int bits() const { return bits_; }
  Word processors() const { return bit(bits_); }

  int side_log2(int dimension) const { return width_[at(dimension)]; }
  std::int64_t side(int dimension) const {
    return static_cast<std::int64_t>(bit(width_[at(dimension)]));
  }
  // The lowest address bit of a dimension.
  int low(int dimension) const { return low_[at(dimension)]; }
  // Dimensions with a side of 2 or more: q' of the theorems.
  int proper_dimensions() const;

  int dimension_of(int address_bit) const { return dimension_of_[at(address_bit)]; }
  int level(int address_bit) const { return address_bit - low(dimension_of(address_bit)); }
  std::int64_t distance(int address_bit) const {
    return static_cast<std::int64_t>(bit(level(address_bit)));
  }
  // The highest bit of its dimension: half a ring away in both directions.
  bool top(int address_bit) const {
    return level(address_bit) == side_log2(dimension_of(address_bit)) - 1;
  }

  std::int64_t coordinate(Word processor, int dimension) const {
    return static_cast<std::int64_t>((processor >> low(dimension)) &
                                     low_mask(side_log2(dimension)));
  }
  // Where ROUTE(dimension, by) brings what `processor` holds; nothing where it falls off an edge.
  // Requires |by| below the side.
  std::optional<Word> routed(Word processor, int dimension, std::int64_t by) const;

  // Links of the machine with all links: the processors one step away, ascending. On a wrapped side
  // of two there is one.
  std::vector<Word> neighbours(Word processor) const;
  // Steps between two processors of the machine with all links.
  std::int64_t hops(Word from, Word to) const;

  // "8x8", as the shape is written.
  std::string shape_text() const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Mesh mesh_;
  int bits_ = 0;
  std::vector<int> width_;  // by dimension
  std::vector<int> low_;
  std::vector<int> dimension_of_;  // by address bit
};

// What a goal asks of processors alone: its map without the memory bits, which must stay where they
// are. Nothing if they do not, or if the map has not `bits` processor bits.
std::optional<BitMap> on_processors(const MapGoal& goal, int bits);

// The number of a register: as schedule files count them.
constexpr unsigned register_bit(MeshRegister reg) {
  return 1U << static_cast<unsigned>(reg);
}

// "Rr", "Rs", "Rt".
const char* name_of(MeshRegister reg);

}  // namespace faro::inline v1
