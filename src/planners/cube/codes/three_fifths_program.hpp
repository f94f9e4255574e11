// What the three-fifths algorithms do, before it becomes rules.
//
// A field of n >= 3 bits: u, its top three, and m = n-3 low ones. Every element walks a path of its
// u in the 3-cube and, somewhere on it, is served: crosses the low dimensions ascending where it
// must. All elements of one source u (and of u^1, mirrored) that carry the same number e act alike,
// so a program has four sources and does not grow with the cube:
//
//   entry {t, source, e, hop, d}       element e of the source crosses top dimension d in step t
//   entry {t, source, e, service, i}   it crosses low dimension i in step t, if it must
//
// Links are used evenly by the tables behind it, 5 elements in 3 steps, which no algorithm beats.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/base/count.hpp"

namespace faro::inline v1::three_fifths {

struct Entry {
  std::uint32_t step = 0;
  std::uint32_t element = 0;
  enum class Kind : std::uint8_t { hop, service } kind = Kind::hop;
  std::uint8_t source = 0;     // the top bits of the field but the last of them, at the start
  std::uint8_t dimension = 0;  // hop: the field's top dimensions from 0; service: 0..m-1
  std::uint8_t pivot = 0;      // of a service: 0, or s of a second part (services_ring.hpp)
};

struct Program {
  std::uint64_t steps = 0;
  std::vector<Entry> entries;  // by step, source, element
  int source_bits = 2;         // more where more top bits than three are routed
};

void sort(Program& program);
// Steps in which something happens.
std::uint64_t busy_steps(const Program& program);

}  // namespace faro::inline v1::three_fifths
