// Any affine map of processor bits as a sequence of row operations, each one exchange in place:
//
//   (d, mask, c):  bit d of the processor number ^= parity(p & mask) ^ c
//   as a rule:     [(mask, 1^c)]  slot k across d to slot k
//
//   a:2 -> (a[0]) (a[1])    three operations: bit 1 ^= bit 0, bit 0 ^= bit 1, bit 1 ^= bit 0
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

struct RowOperation {
  int dimension = 0;
  Word mask = 0;  // without bit `dimension`
  unsigned constant = 0;
  Word operator()(Word p) const { return p ^ (Word{parity(p & mask) ^ constant} << dimension); }
  Rule rule(Slot slot) const;
  friend bool operator==(const RowOperation&, const RowOperation&) = default;
};

// In order of application; their product is the map. At most 2n - 1 for n bits and a map without
// complement, the shortest of four eliminations: rows up or down, of the map or of its inverse.
std::vector<RowOperation> row_operations(const BitMap& map);

// The same masks with constants such that the product has this complement.
std::vector<RowOperation> with_complement(std::vector<RowOperation> operations, int width,
                                          Word complement);

}  // namespace faro::inline v1
