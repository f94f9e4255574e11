// Proof of schedules that list their moves, on a mesh with all links or a cube, which is the mesh
// whose sides are all 2. Each step is held against the links by what it uses, and the goal is
// followed back from the end (machines/backtrace.hpp): no place is ever filled. After the first
// step that breaks a rule only the cost is counted.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// Whether this machine has few enough places (processor, slot) and links for it.
bool is_listed(const ScheduleHeader& header);

// Of maps and lists of moves. Rules of a cube are spelled out. Answers unprovable beyond
// limits::proof_listed_places_log2_max and _moves_log2_max.
std::unique_ptr<Verifier> list_proof();

}  // namespace faro::inline v1
