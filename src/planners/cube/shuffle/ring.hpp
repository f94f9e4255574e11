// The ring: chains and even 2-cycles, all ports, in closed form.   [faro]
//
// All dimensions stand on a ring of L places: a chain of m dimensions is m places in its order, an
// even 2-cycle two places, then waiting places. Every job starts at a place of its own and moves on
// one place a step, exchanging what the place says. No two jobs ever meet at a place, so no link
// carries two elements: the schedule of any number of chains needs no search.
//
//   plain   walk idly to the next station's first place (w steps at most), then one lap
//   split   start in the middle of a chain with a spare storage bit, end there again: L + 1 steps
//           with one chain, L + 2 with several (jobs in pairs)
//
//   applies:  no real cycle but even ones of length two; K >= 2
//   cost:     T = min of  plain: min over w of w + max(N, P, P + N - sum of min(m, w + 1))
//                         one chain and a spare bit, P >= 2: max(N, P) + 1
//                         several chains and a spare bit: max(N, P) + 2
//             P = K/2, N = all dimensions; a 2-cycle counts as a chain of two in the sum
//   bound:    K/2, +1 where a chain has two dimensions; the largest distance N
//
// A single chain takes max(m, K/2) + 1 steps: the paper has K/2 + 2 and m + 3 (Theorem 1).
#pragma once

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

Count ring_steps(const Structure& s);

// Requires ring_only(), something remote and K >= 2.
Phase ring_phase(const Structure& s);

}  // namespace faro::inline v1::shuffle
