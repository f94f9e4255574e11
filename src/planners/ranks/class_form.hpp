// The linear form by which a fat tree moves an affine map: what has one value of it goes in one
// step. A place x = (processor | memory) goes to A x + c.
//
// The 2^a processors below a switch hold 2^(m+a) places, a coset of W_a = {x : x >> (m+a) = 0};
// they receive from a coset of V_a, what A brings to W_a. By a form L they send at most 2^(m+a) /
// 2^(rank of L on W_a) elements in a step, and receive by its rank on V_a. With links for 2^u
// elements a rank of r_a = m + a - u is enough on both sides; a processor needs rank m. Where
// nothing leaves the switches of a tier, they need none.
//
//   Two chains of subspaces have a basis in common: every W_a and every V_a is spanned by a part of
//   it (the two intersect step by step; Bruhat). Choose r_a members of it in W_a for every a, k in
//   all, and likewise for V, and let L count the members of both choices by bits of its own, the
//   others of the first choice and of the second in pairs by one bit. Then L has the ranks wanted,
//   with k = max r_a bits: 2^k = max 2^(m+a-u) steps for any affine map.
//
// Elements that stay below a switch of tier a are D x = d for a linear D of rank rho. With the bits
// of D in L the steps with D x = d are those of what stays. Where they are all in their processor
// already, these steps cost nothing. Else they are performed in the other steps too, shifted by a
// constant: no processor and no switch below tier a meets both at once if the shift is not in
// L(W_b) or L(V_b), for the tiers b below a that have no room for both.
//
//   fat-tree:4x8,up=2, transposition of 32 elements each: u = 1, k = 5 + 3 - 1 = 7, rho = 2; 128
//   steps, and 96 if a quarter of what stays goes with the rest: the bound
#pragma once

#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1::ranks {

struct ClassForm {
  bool sets_apart = false;    // what stays below a switch of some tier
  int stay_bits = 0;          // rho
  std::vector<Parity> rows;   // of L, those of D first; on what stays D's hold
  std::optional<Word> shift;  // of the classes of what stays; nothing: they cost nothing

  int bits() const { return static_cast<int>(rows.size()); }
  Count steps() const;
};

// Of the map with `memory` memory bits below its processor bits.
ClassForm class_form(const Crossbar& tree, const BitMap& map, int memory);

}  // namespace faro::inline v1::ranks
