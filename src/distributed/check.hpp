// What the figures of an exchange may be asked for.
#pragma once

#include <cstdint>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::distributed {

// Throws Error(usage) unless 0 <= node_bits <= rank_bits <= map.width() and elements have bytes.
void check_exchange(const BitMap& map, int rank_bits, std::uint64_t element_bytes, int node_bits);

}  // namespace faro::inline v1::distributed
