// Sums, over elements in any order, of 128-bit hashes of each with its place.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "faro/base/bits.hpp"
#include "mpi/communicator.hpp"

namespace faro::inline v1::mpi {

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

// Collective, one reduction: whether both sides have the same sums over all ranks.
inline bool agree_sums(const Communicator& ranks, const Sums& from, const Sums& to) {
  const Sums mine{from[0] - to[0], from[1] - to[1]};
  Sums all{};
  check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_UINT64_T, MPI_SUM, ranks.handle()),
        "MPI_Allreduce");
  return all == Sums{};
}

}  // namespace faro::inline v1::mpi
