// The structure of a stable dimension permutation with complements, as Johnsson and Ho 1991 name
// it.
//
// An address is processor | slot, n bits and k bits. Bit i of the destination is bit source(i) of
// the source, xor-ed with its complement. Follow a bit forward, from the bit that is read to the
// bit that receives it, and each processor dimension is in one of these:
//
//   chain       begins at a storage bit (the control) and runs through processor dimensions until a
//               storage bit (the target) receives the last one: a constituting mixed shuffle
//   real cycle  processor dimensions only, with the parity of its complements: a real shuffle;
//               a complemented dimension that stays where it is counts as a cycle of length 1
//   idle        receives itself, without complement
//
//   a:2 | m:1 -> a[0] m | a[1]     (a1 a0 | m) <- (a0 m | a1):   one chain, control 0, dimensions
//                                  0, 1, target 0; the perfect shuffle
//
// What storage bits do among themselves, and all complements of storage bits, is one local
// permutation at the end. Dimensions are processor dimensions, 0..n-1; slot bits are 0..k-1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/planners/planner.hpp"

namespace faro::inline v1::shuffle {

struct Chain {
  int control = 0;                 // the slot bit that the first dimension receives
  int target = 0;                  // the slot bit that receives the last dimension
  std::vector<int> dimensions;     // in the order in which they receive
  std::vector<unsigned> inverted;  // inverted[i]: dimensions[i] receives a complement
  int length() const { return static_cast<int>(dimensions.size()); }
  friend bool operator==(const Chain&, const Chain&) = default;
};

struct Cycle {
  std::vector<int> dimensions;     // dimensions[i] receives dimensions[i-1], the first the last
  std::vector<unsigned> inverted;  // inverted[i]: dimensions[i] receives a complement
  int length() const { return static_cast<int>(dimensions.size()); }
  // Only the parity matters: the cycle is the uncomplemented one, relabelled, where it is even.
  unsigned parity() const;
  bool even_pair() const { return length() == 2 && parity() == 0; }
  // The largest distance of an element: the length, or one less where parities forbid it.
  int distance() const {
    return static_cast<unsigned>(length()) % 2 == parity() ? length() : length() - 1;
  }
  Word mask() const;
  friend bool operator==(const Cycle&, const Cycle&) = default;
};

struct Structure {
  int processor_bits = 0;     // n
  int slot_bits = 0;          // k
  std::vector<int> source;    // address bit i receives address bit source[i]
  Word complement = 0;        // on address bits, of the receiver
  std::vector<Chain> chains;  // in the order of their first dimension
  std::vector<Cycle> cycles;  // each from its lowest dimension, in that order

  std::uint64_t elements() const { return bit(slot_bits); }
  Word slot_mask() const { return low_mask(slot_bits); }
  bool nothing_remote() const { return chains.empty() && cycles.empty(); }
  // No real cycle but even ones of length two: what the ring planner takes.
  bool ring_only() const;
  std::vector<int> chain_lengths() const;
  // A slot bit that controls no chain, the lowest.
  std::optional<int> spare() const;
  // Where a slot number ends, given that no processor bit enters: the last local permutation.
  Word final_slot(Word slot) const;

  // Of the paper: the address bits that move, how many, how many of them processor bits, and the
  // largest distance of an element.
  std::vector<int> index_set() const;
  int order() const { return static_cast<int>(index_set().size()); }
  int real_order() const;
  int distance() const;
};

// Nothing if the map is no permutation of bits. memory_bits of the address are the slot.
std::optional<Structure> structure_of(const BitMap& map, int memory_bits);

// The same for a request on a cube: without a cut the slots move alike and K is a power of two.
// `refusal` tells why there is none.
std::optional<std::string> refusal(const Request& request);
Structure structure_of(const Request& request);

// One line a chain and cycle, for people.
std::vector<std::string> describe(const Structure& structure);

}  // namespace faro::inline v1::shuffle
