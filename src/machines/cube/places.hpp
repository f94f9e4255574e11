// Where a breach of a cube's schedule is.
#pragma once

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

inline Violation::Place place_of(const Move& move) {
  return {.processor = move.from_processor, .to = move.to_processor, .slot = move.from_slot};
}

// How far a move goes.
inline Word flip_of(int across) {
  return across == inside ? 0 : bit(across);
}

// A processor's part in a rule.
inline Violation::Place crossing(Word from, int across, Slot slot) {
  if (across == inside) return {.processor = from, .slot = slot};
  return {.processor = from, .to = from ^ bit(across), .slot = slot, .dimension = across};
}

}  // namespace faro::inline v1
