// The rules of single operations: conditions on a processor's number, the slot, the dimension.
// How they compose to a schedule is emit.cpp's matter. Each form holds for all processors at once.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

// mask 0 and value 0 holds everywhere and is left out; mask 0 and value 1 nowhere: no rule.
void add_rule(CubeStep& step, const std::vector<Parity>& where, Slot from, int across, Slot to);

// The operations of one cycle as A2 counts them, from dimension number `first`.
struct Walk {
  std::vector<Word> d;      // one bit each
  std::vector<int> across;  // its dimension
  std::vector<unsigned> c;  // complement received
  std::vector<unsigned> inv;
  std::vector<unsigned> chi;  // chi[i]: inversions before operation i; one more at the end
  Word own = 0;

  Walk(const Cycle& cycle, int first) : own(cycle.mask()) {
    const auto length = static_cast<std::size_t>(cycle.length());
    chi.push_back(0);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = (static_cast<std::size_t>(first) + i) % length;
      across.push_back(cycle.dimensions[at]);
      d.push_back(bit(cycle.dimensions[at]));
      c.push_back(cycle.inverted[at]);
      inv.push_back(i == 0 ? 0 : c.back());
      chi.push_back(chi.back() ^ inv.back());
    }
  }
  std::size_t length() const { return d.size(); }
  Parity occupied(std::size_t i, unsigned label) const {
    if (i == 0) return {.mask = own ^ d.back(), .value = label ^ c[0]};
    return {.mask = d.back() | d[0], .value = c[0]};
  }
};

// Operation i of A2 on the element at home in `slot`.
void add_run_step(CubeStep& step, const Walk& w, std::size_t i, Slot slot, Slot transit);

struct AheadSlots {
  Slot home = 0;
  Slot other = 0;               // s_1; s_0 is home
  std::array<Slot, 2> ahead{};  // t_0, t_1
  Slot behind(unsigned label) const { return label == 0 ? home : other; }
};

// Local before the first step, operation i, local after the last.
void add_ahead_begin(CubeStep& step, const Walk& w, const AheadSlots& slots);
void add_ahead_step(CubeStep& step, const Walk& w, std::size_t i, const AheadSlots& slots);
void add_ahead_end(CubeStep& step, const Walk& w, const AheadSlots& slots);

// A lane: for each class the conditions on the source and the dimension it crosses in each step,
// `inside` where it waits.
struct LaneClass {
  std::vector<Parity> where;
  std::vector<int> across;
};

std::vector<LaneClass> lane_classes(const Cycle& cycle, LaneKind kind, int turn = 0);
// Slots an element in the lane needs between its first and its last hop.
std::size_t lane_transits(LaneKind kind);
void add_lane_hop(CubeStep& step, const std::vector<LaneClass>& classes, std::size_t hop, Slot slot,
                  std::span<const Slot> transits);

}  // namespace faro::inline v1::shuffle
