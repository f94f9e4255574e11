// What a schedule has to achieve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/layout.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

// Every element goes where the map sends it. Without a cut the map is on processor numbers and
// slots move alike: slot s of p ends in slot s of map(p). With a cut the lowest `memory_bits` bits
// of an address are the slot.
struct MapGoal {
  BitMap map = {};
  bool cut = false;
  int memory_bits = 0;
  friend bool operator==(const MapGoal&, const MapGoal&) = default;
};

// Spelled out: the element at from must arrive at to. Slots are registers on mesh and POPS.
struct MovesGoal {
  std::vector<Move> moves;
  friend bool operator==(const MovesGoal&, const MovesGoal&) = default;
};

// A butterfly network of 2^p elements emulated on an n-cube (Johnsson, Ho 1990): stage s combines
// the two elements that differ in index bit p-1-s, and every result must end where the final rows
// say. The fields are those of a file's "problem".
//
//   n 1, p 2, cyclic, binary, final rows {0b10}:
//   index 0b10 starts at processor 0 in slot 1 and its result ends at processor 1, in any slot
//
// Rows are masks over the logical index, most significant row first: bit j of the place of index i
// is parity(i & row).
struct ButterflyGoal {
  enum class Order { most_significant_first, least_significant_first };  // "msb", "lsb"
  // A bitonic sort is p such networks one after the other: pass k is over the index bits k..0, and
  // of a pair the low index gets the smaller key where index bit k+1 is clear. Most significant bit
  // first.
  enum class Computation { network, sort };

  int processor_bits = 0;  // n
  int index_bits = 0;      // p >= n
  Allocation allocation = Allocation::consecutive;
  Encoding encoding = Encoding::binary;
  Order order = Order::most_significant_first;
  Computation computation = Computation::network;
  bool in_place = false;  // every butterfly exactly once; otherwise replicas are allowed
  std::vector<Word> final_processor_rows;              // n-1..0
  std::optional<std::vector<Word>> final_memory_rows;  // p-n-1..0 of the slot; nothing: any slot

  Layout layout() const {
    return {allocation, encoding, processor_bits, index_bits - processor_bits};
  }
  friend bool operator==(const ButterflyGoal&, const ButterflyGoal&) = default;
};

// C = A·B of order n x n, processor i·n + j holding A[i,j] in register a, B[i,j] in b, C[i,j] in c.
struct MatmulGoal {
  std::uint64_t order = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  friend bool operator==(const MatmulGoal&, const MatmulGoal&) = default;
};

// Everybody holds the datum of the root; without a root everybody holds everybody's.
struct BroadcastGoal {
  std::optional<Word> root;
  friend bool operator==(const BroadcastGoal&, const BroadcastGoal&) = default;
};

using Goal = std::variant<MapGoal, MovesGoal, ButterflyGoal, MatmulGoal, BroadcastGoal>;

}  // namespace faro::inline v1
