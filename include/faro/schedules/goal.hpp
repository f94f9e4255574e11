// What a schedule has to achieve.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/steps.hpp"

namespace faro {

// Every element goes where the map sends it. Without a cut the map is on processor numbers and
// slots move alike: slot s of p ends in slot s of map(p). With a cut the lowest `memory_bits` bits
// of an address are the slot.
struct MapGoal {
  BitMap map;
  bool cut = false;
  int memory_bits = 0;
  friend bool operator==(const MapGoal&, const MapGoal&) = default;
};

// Spelled out: the element at from must arrive at to. Slots are registers on mesh and POPS.
struct MovesGoal {
  std::vector<Move> moves;
  friend bool operator==(const MovesGoal&, const MovesGoal&) = default;
};

// A butterfly network emulated on a cube: every stage must combine the right pairs in order and the
// results must end at the final rows. `theory`: Johnsson and Ho 1990; the fields are the file's.
struct ButterflyGoal {
  enum class Allocation { consecutive, cyclic };
  enum class Encoding { binary, gray, gray_gray, binary_gray };
  enum class Order { most_significant_first, least_significant_first };
  int index_bits = 0;
  int processor_bits = 0;
  Allocation allocation = Allocation::consecutive;
  Encoding encoding = Encoding::binary;
  Order order = Order::most_significant_first;
  bool in_place = true;  // every butterfly exactly once; otherwise declared replicas are allowed
  std::vector<Parity>
      final_processor_rows;  // rows n-1..0: processor bit = parity(index & mask) ^ value
  // Rows m-1..0 of the slot; empty: any slot.
  std::vector<Parity> final_memory_rows;
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

using Goal = std::variant<MapGoal, MovesGoal, ButterflyGoal, MatmulGoal>;

}  // namespace faro
