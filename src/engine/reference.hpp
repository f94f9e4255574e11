// The obvious loop: what every other path of the engine is compared with.
//
//   map i:2 -> i[0] ~i[1],  from = a b c d   ->   to = b d a c
//
// Element x of the axis goes to map(x); see PermuteShape for batches.
#pragma once

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/map.hpp"
#include "faro/base/progress.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1 {

// Requires buffers that do not overlap, each of outer * 2^width * inner * element_bytes bytes.
void reference_permute(const BitMap& map, const PermuteShape& shape, const void* from, void* to);

// Compares element by element, without any table: the first element of `to` that differs from
// what `from` says. Streams, and needs no memory; `progress` hears of the bytes compared.
struct Mismatch {
  bool found = false;
  std::uint64_t outer = 0;
  std::uint64_t from = 0;  // index along the axis in the source
  std::uint64_t to = 0;    // where it should have been
};
Mismatch reference_compare(const BitMap& map, const PermuteShape& shape, const void* from,
                           const void* to, const Progress& progress = {});

// The same for arrays of any shape and strides: `from` and `to` are the buffers' beginnings.
void reference_permute(const Map& map, const TensorShape& shape, const void* from, void* to);
Mismatch reference_compare(const Map& map, const TensorShape& shape, const void* from,
                           const void* to, const Progress& progress = {});

}  // namespace faro::inline v1
