// Periodic patterns found by search: how Q elements of every processor travel in P steps, over and
// over, on a small cube. A larger cube runs one in its bits of that cube; the others stay.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

struct Pattern {
  struct Hop {
    std::uint64_t time = 0;
    std::size_t from = 0;
    std::size_t to = 0;
  };
  using Unit = std::vector<Hop>;
  struct Source {
    std::size_t node = 0;
    std::vector<Unit> units;
  };

  std::string name;
  std::uint64_t period = 0;     // P steps, in which
  std::uint64_t elements = 0;   // Q elements of every source start
  BitMap map;                   // of the small cube's processors
  std::vector<Source> sources;  // the other processors keep their elements
};

// shuffle3 and shuffle4, rotations: data/cycle_patterns.json.
std::span<const Pattern> patterns();

// A pattern run in some bits: its bit i is dimensions[i] of the cube, processor x of the pattern
// stands for the processors whose bits there are x ^ flip.
struct PatternPlace {
  const Pattern* pattern = nullptr;
  std::vector<int> dimensions;
  Word flip = 0;
};
// The pattern that does this map, nothing if there is none.
std::optional<PatternPlace> find_pattern(const BitMap& map);

// Least T such that enough units of every source are finished; at most P(ceil(K/Q) - 1) + the
// longest unit.
Count pattern_cost(const Pattern& pattern, std::uint64_t elements);
StepSource pattern_steps(const PatternPlace& place, std::uint64_t elements);

extern const PlannerEntry periodic_pattern;

}  // namespace faro::inline v1
