// What a kernel does to its registers: 2^m vectors of 2^v lanes in, 2^m vectors out.
//
// The kernel works on one coset of K = S + B·S, where S is the span of the v lane bits and B the
// inverse of A: the smallest set of whole vectors, at the source and at the destination alike. With
// k = dim(S ∩ B·S) there are 2^m vectors on either side, m = v - k. The element in lane j of source
// register r goes to destination register s = sigma(j) ^ lambda(r), lane q, in three moves:
//
//   PRE       in register r, lane j moves to position p = (s, i): i the coordinates in S ∩ B·S
//   exchange  m stages, stage t swaps position bit k + t with register bit t: now register s,
//             position (r, i)
//   POST      in register s, position p moves to lane q = M(p) ^ beta(s) ^ shift,
//             where shift is what the tile and the kernel's place in it contribute
//
// For a permutation of bits PRE is the identity where m = v, and POST never shifts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::engine {

inline constexpr int lane_bits_max = 6;

struct LaneNetwork {
  int lane_bits = 0;      // v
  int common_bits = 0;    // k
  int register_bits = 0;  // m
  // Offsets of the registers in units: register r of the source is at the xor of from_basis over
  // the bits of r; alike at the destination. Their low v bits are zero.
  std::array<Word, lane_bits_max> from_basis{};
  std::array<Word, lane_bits_max> to_basis{};
  // lambda(r) and the columns of P (position -> lane): PRE moves lane P(p ^ lambda(r) << k) to p.
  std::array<Word, lane_bits_max> lambda{};
  std::array<Word, lane_bits_max> pre{};
  // Columns of M, and beta(s) by the bits of s.
  std::array<Word, lane_bits_max> post{};
  std::array<Word, lane_bits_max> beta{};

  int registers() const { return 1 << register_bits; }
  int lanes() const { return 1 << lane_bits; }
  bool pre_is_identity() const;
  // M is the identity and beta is 0: POST is then only the shift.
  bool post_is_identity() const;
};

// Requires the inverse pair of matrices and v of at most their width.
LaneNetwork lane_network(const BitMatrix& a, const BitMatrix& b, int lane_bits);

// The xor of columns[i] over the set bits i of x.
template <class Columns>
Word combine(const Columns& columns, Word x) {
  Word sum = 0;
  for (; x != 0; x &= x - 1) sum ^= columns[static_cast<std::size_t>(lowest_bit(x))];
  return sum;
}

}  // namespace faro::inline v1::engine
