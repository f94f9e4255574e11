// Where the tile lies in shared memory: a linear placement without bank conflicts on either side.
//
// Lemma. Two subspaces F, G of a space X over GF(2), dim G <= dim F, have a subspace K with
// K + F = X directly and K meeting G in 0 alone. With I what they share, F = I + <a_1..a_k>, G = I
// + <b_1..b_m>, m <= k, and R a complement of F + G: K = R + <a_i + b_i>. (A sum r + s_i (a_i +
// b_i) in G has r = 0 and s_i a_i in G, so s = 0; dimensions do the rest.)
//
// F are the lanes that store at once, G those that load at once. K becomes the row of shared
// memory, the coordinates on F the bank: both sides meet each bank once.
#pragma once

#include <optional>

#include "faro/gpu/plan.hpp"
#include "gpu/frame.hpp"

namespace faro::inline v1::gpu {

// The K of the lemma, in the span of x, modulo `word`: lanes that share a word do not conflict. F
// is independent of `word`.
Words common_complement(const Words& x, const Words& word, const Words& f, const Words& g);

// Gives both sides their places in shared memory and their widths; it may put threads and steps of
// the side that writes into another order. Returns the frame whose coordinates are the places, in
// elements.
Frame place_in_shared_memory(Plan& plan, const BitMatrix& back);

}  // namespace faro::inline v1::gpu
