// The canonical form of an affine map on 2^p ranks with 2^m elements each.
//
// An index is (rank r | address x), rank bits high. The map's blocks are A = [[A_pp, A_pm], [A_mp,
// A_mm]], rows and columns in that order. With matrices N (p x p), X (m x p), W (p x m), G (m x p)
// and H (m x m), N and H invertible, every map is
//
//   y = x + X r              where the element is counted from on its old rank
//   r'' = r + W y            the exchange
//   r' = N r'' + c_rank      a relabelling of ranks
//   x' = H y + G r'' + c_memory
//
// so the linear part of what is done to addresses is the same on all ranks, and the exchange has
// the 2^rho partners of the span of W, rho = rank A_pm. Exchanging a rank bit with memory bit t:
// N = I, W = e_t transposed, X = G = e_t, H = I.
//
// Of the many N that serve: the identity where it does, a permutation of bits for such maps, and
// else the identity on as many ranks as possible.
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::distributed {

struct Blocks {
  BitMatrix pp, pm, mp, mm;
};
Blocks blocks_of(const BitMatrix& matrix, int rank_bits);

BitMatrix sum(const BitMatrix& a, const BitMatrix& b);

struct CanonicalForm {
  int rank_bits = 0;
  int local_bits = 0;
  BitMatrix n, n_inverse, x, w, g, h;
  Word rank_complement = 0;    // c_rank
  Word memory_complement = 0;  // c_memory
  std::vector<Word> v;         // a reduced basis of the image of A_pm

  int rho() const { return static_cast<int>(v.size()); }
  Word virtual_rank(Word rank) const { return n_inverse.apply(rank ^ rank_complement); }
  Word rank_of(Word virtual_rank) const { return n.apply(virtual_rank) ^ rank_complement; }
};

// Requires 0 <= rank_bits <= map.width().
CanonicalForm canonical_form(const BitMap& map, int rank_bits);

}  // namespace faro::inline v1::distributed
