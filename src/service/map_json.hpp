// What `faro explain` and its JSON say of a map.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/notation.hpp"
#include "faro/schedules/schedule.hpp"
#include "planners/cube/shuffle/structure.hpp"

namespace faro::inline v1 {

// What the map costs at least on a machine of as many processors as it speaks of.
struct MachineBound {
  std::string machine;  // as --on takes it
  std::string unit;     // "steps", "unit routes", "slots"
  Bound bound;
};

// One row a machine for which a bound is known; none for layouts, which move nothing by themselves.
std::vector<MachineBound> map_bounds(const Notation& notation);

// Chains and cycles of a map that tells processor and memory apart; nothing if it is no permutation
// of bits.
std::optional<shuffle::Structure> structure_of(const Notation& notation);

// Canonical text of the inverse. That of a layout is a plain map.
std::string inverse_text(const Notation& notation);

// 1, 2, 3, as far as there are so many.
std::vector<Word> example_indices(int width);

// Format faro-map/1; `text` as it was typed.
nlohmann::ordered_json map_json(std::string_view text, const Notation& notation, int replica_bits);

}  // namespace faro::inline v1
