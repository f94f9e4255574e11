// The rules of thumb that the list schedule of mixtures tries, in this order.
#pragma once

#include <cstdint>
#include <vector>

namespace faro::inline v1::shuffle {

enum class First { critical, exchanges, lanes };

struct Variant {
  unsigned rotation = 0;
  bool pairs_instead = false;  // A1 where there are lanes
  bool contiguous = false;     // a job inside A1 does nothing else
  bool singles = false;        // A2 instead of A1
  bool ahead = false;          // of A2, one step ahead where it fits
  First first = First::critical;
  std::uint64_t seed = 0;  // of the order among equals and of what walks in pairs; 0: by rotation
};

// The fixed ones, then those with a seed.
std::vector<Variant> variants(std::uint64_t elements);

}  // namespace faro::inline v1::shuffle
