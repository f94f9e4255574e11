// How an exchange is cut into steps of equal messages, and in which order a step lies in a buffer.
//
// Positions are (slice | v high | v low | within), most significant first, of 2^m elements:
//
//   within   w bits: one message has 2^w elements
//   v        rho bits: which partner. The high ones, if the buffer holds no whole slice, are part
//            of the step; the low ones are xor-ed so that messages lie in the order of places
//   slice    functionals that are independent of the partner, so that every slice has messages for
//            every partner, and that vanish on low address bits of both sides, so that a slice has
//            whole runs of memory on both sides
//
// S takes y to its position, T a position to the destination's address; both are invertible, and
// both are passes of the engine unless messages lie in memory as they are sent.
#pragma once

#include <cstdint>

#include "distributed/canonical.hpp"
#include "faro/distributed/exchange_plan.hpp"

namespace faro::inline v1::distributed {

// Where the exchange puts what has address y: D y + C r'' + complement.
struct Destination {
  BitMatrix d, c;
  Word complement = 0;
};
Destination destination_of(const CanonicalForm& form, bool in_place);

struct StepLayout {
  int message_bits = 0;  // w
  int slice_bits = 0;
  int batch_bits = 0;  // of v, that are part of the step
  bool packs = true;
  bool unpacks = true;
  bool own_apart = false;   // a step has one partner, which may be the rank itself
  BitMatrix to_position;    // S
  BitMatrix from_position;  // T
  std::vector<Word> v;      // by the bits of a block's number: vectors of the image of W
  BitMatrix place;          // of a rank, rho x p: the coordinates of v on the image of W
};

// Whether what a rank keeps can be left out of the buffers: where there is a choice of rho = 1
// partner, so that it is half of the data, and both sides have it in runs.
bool may_keep_own_apart(const CanonicalForm& form, const Destination& to,
                        std::uint64_t element_bytes);

StepLayout step_layout(const CanonicalForm& form, const Destination& to,
                       std::uint64_t element_bytes, const ExchangeOptions& options, bool own_apart);

}  // namespace faro::inline v1::distributed
