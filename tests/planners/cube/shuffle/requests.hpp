// Requests for permutations of address bits, as the tests of shuffles say them.
#pragma once

#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/planners/planner.hpp"
#include "maps.hpp"

namespace faro::testing {

// Bit i of the destination = bit source[i] of the source, xor-ed with complement.
inline BitMap bit_permutation(const std::vector<int>& source, Word complement) {
  std::vector<int> place(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    place[static_cast<std::size_t>(source[i])] = static_cast<int>(i);
  return BitMap::from_places(place, complement);
}

inline Draft shuffle_request(int processor_bits, int slot_bits, const std::vector<int>& source,
                             Word complement, Hypercube::Ports ports = Hypercube::Ports::all) {
  return {
      .machine = Hypercube{.dimensions = processor_bits, .ports = ports},
      .map = {.map = bit_permutation(source, complement), .cut = true, .memory_bits = slot_bits},
      .destinations = {},
      .elements = bit(slot_bits)};
}

// Chains of the given lengths, chain j controlled by slot bit j and returning to it; then cycles.
inline std::vector<int> source_of(int slot_bits, const std::vector<int>& chains,
                                  const std::vector<int>& cycles) {
  std::vector<int> source(static_cast<std::size_t>(slot_bits));
  std::iota(source.begin(), source.end(), 0);
  for (std::size_t j = 0; j < chains.size(); ++j) {
    int last = static_cast<int>(j);
    for (int i = 0; i < chains[j]; ++i) {
      source.push_back(last);
      last = static_cast<int>(source.size()) - 1;
    }
    source[j] = last;
  }
  for (const int length : cycles) {
    const int first = static_cast<int>(source.size());
    for (int i = 0; i < length; ++i) source.push_back(first + (i + length - 1) % length);
  }
  return source;
}

inline int sum_of(const std::vector<int>& v) {
  return std::accumulate(v.begin(), v.end(), 0);
}

inline Draft structured_request(int slot_bits, const std::vector<int>& chains,
                                const std::vector<int>& cycles, Word complement,
                                Hypercube::Ports ports = Hypercube::Ports::all) {
  const int n = sum_of(chains) + sum_of(cycles);
  return shuffle_request(n, slot_bits, source_of(slot_bits, chains, cycles),
                         complement & low_mask(n + slot_bits), ports);
}

}  // namespace faro::testing
