// A BPC permutation by its bits, as Nassimi and Sahni write it: bit i of the source goes to
// position target[i] of the destination, complemented where inverted[i].
//
//   [-0, 3, -1, -2]   target = {2, 1, 3, 0} by bit from 0 up, inverted = {yes, yes, no, yes}
//                     sends 0 to 7 and 15 to 8
//
// The sign stands apart from the number: -0 is not 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1 {

struct BpcVector {
  std::vector<int> target;
  std::vector<bool> inverted;

  // Nothing if the map is no permutation of bits with complements.
  static std::optional<BpcVector> from(const BitMap& map);
  BitMap map() const;
  // "[-0, 3, -1, -2]".
  std::string text() const;

  int bits() const { return static_cast<int>(target.size()); }
  int to(int i) const { return target[static_cast<std::size_t>(i)]; }
  bool negative(int i) const { return inverted[static_cast<std::size_t>(i)]; }
  friend bool operator==(const BpcVector&, const BpcVector&) = default;
};

}  // namespace faro::inline v1
