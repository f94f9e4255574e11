// What a request asks of a cube, taken apart the way cube planners want it.
//
//   p:4 | m:3 -> ungray(p) | rev(m)     processors: ungray on 4 bits    slots: rev on 3 bits, K = 8
//
// A map falls apart like that when no processor bit depends on a memory bit; then the processors'
// part is planned as if K elements moved alike, and the slots' part is free local steps at the end:
//
//   p:4 | m:3 -> (gray(p m))[6:3] | (gray(p m))[2:0]    processors: gray; slots: gray, then the top
//                                                       slot bit is inverted where p is odd
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

// Nothing if the request is for another machine.
const Hypercube* cube_of(const Request& request);

// Processor bits of a request for a cube.
int processor_bits(const Request& request);

struct SplitMap {
  BitMap processors;
  BitMap slots;             // width 0: slots move alike
  std::vector<Word> after;  // then slot bit i ^= parity(p & after[i]), p the new processor
};

// Nothing if a processor bit depends on a memory bit, or if the request is a list of destinations.
std::optional<SplitMap> split_map(const Request& request);

// What every cube planner asks first: a cube, a map (no list), elements in
// 1..limits::cube_elements_max.
// Nothing if so.
std::optional<std::string> cube_refusal(const Request& request);
// The same, and a cube of these ports.
std::optional<std::string> cube_refusal(const Request& request, Hypercube::Ports ports);

}  // namespace faro::inline v1
