// What ranks compare: the digits of a map; sums, over elements in any order, of 128-bit hashes of
// each with its place.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/base/bits.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1::mpi {

// A map is its digits.
inline void add_map(Fingerprint& all, const Map& map) {
  const Digits digits = map.digits();
  for (const auto* side : {&digits.from, &digits.to})
    for (const Digit& digit : *side) {
      all.add(digit.length);
      all.add(static_cast<std::uint64_t>(digit.which + 1) * 2 + (digit.reversed ? 1 : 0));
      all.add(digit.roll);
    }
  all.add(hash_of(digits.bits));
}

using Sums = std::array<std::uint64_t, 2>;

inline void add_element(Sums& sums, Word place, const std::byte* element, std::uint64_t bytes) {
  std::uint64_t a = mixed(place + 0x9e3779b97f4a7c15U);
  std::uint64_t b = mixed(place ^ 0xd1342543de82ef95U);
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, element + at, std::min<std::uint64_t>(8, bytes - at));
    a = mixed(a ^ word) + 1;
    b = mixed(b + word) ^ 0x5851f42d4c957f2dU;
  }
  sums[0] += a;
  sums[1] += b;
}

// Consecutive elements, of which number i counts as one at map(first + i).
inline void add_elements(Sums& sums, const BitMap& map, Word first, std::uint64_t element_bytes,
                         std::span<const std::byte> data) {
  constexpr std::uint64_t piece = 4096;
  const std::uint64_t elements = data.size() / element_bytes;
  std::vector<Word> places(std::min(piece, elements));
  for (std::uint64_t i = 0; i < elements; i += piece) {
    const std::span<Word> now(places.data(), std::min(piece, elements - i));
    apply_consecutive(map, first + i, now);
    for (std::uint64_t k = 0; k < now.size(); ++k) {
      add_element(sums, now[k], data.data() + (i + k) * element_bytes, element_bytes);
    }
  }
}

// Collective, one reduction: whether both sides have the same sums over all ranks.
inline bool agree_sums(const Communicator& ranks, const Sums& from, const Sums& to) {
  const Sums mine{from[0] - to[0], from[1] - to[1]};
  Sums all{};
  check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_SUM, ranks.handle()),
        "MPI_Allreduce");
  return all == Sums{};
}

}  // namespace faro::inline v1::mpi
