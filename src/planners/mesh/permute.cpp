// PERMUTE and its blocks.   [Nassimi, Sahni 1980, sections 3 to 5]
//
// Corrections to the printed text, each with the smallest counterexample in docs/papers.md: the
// loop of RE-CYCLE starts from |A_i|; EXCHANGE's masks need -i, or undefined registers are moved;
// Rt stands where "R_i" and "R_l" are printed.
#include "planners/mesh/permute.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "machines/mesh/bounds.hpp"

namespace faro::inline v1::mesh {
namespace {

// The planner at work: A as it stands, the program so far.
class Permuter {
 public:
  Permuter(const MeshGeometry& geometry, BpcVector bits, Variant variant)
      : geometry_(geometry), a_(std::move(bits)), variant_(variant), program_(geometry) {}

  MeshProgram run() {
    for (int j = 0; j < a_.bits(); ++j) {
      if (!a_.negative(j) || !complemented_first(j)) continue;
      complement_bit(j);
      set_sign(j, false);
    }
    if (variant_ == Variant::any_pairs)
      while (exchange_any_pair()) continue;
    for (int j = 0; j < a_.bits(); ++j)
      while (a_.to(j) != j) shorten_cycle(j);
    // The former R- bits, arrived.
    for (int j = 0; j < a_.bits(); ++j)
      if (a_.negative(j)) complement_bit(j);
    return std::move(program_);
  }

  const std::vector<Interchange>& interchanges() const { return interchanges_; }
  Count asked() const { return asked_; }

 private:
  BitKind kind(int i) const {
    ++asked_;
    return kind_of(geometry_, a_, i);
  }
  bool is(BitKind wanted, int i) const { return kind(i) == wanted; }
  void set_sign(int i, bool inverted) { a_.inverted[static_cast<std::size_t>(i)] = inverted; }

  void swap_targets(int i, int j) {
    std::swap(a_.target[static_cast<std::size_t>(i)], a_.target[static_cast<std::size_t>(j)]);
  }

  // Before it moves, or where it arrives: S- and L- bits before, R- bits after; on a torus where it
  // is cheaper, with equal units where it is one route.
  bool complemented_first(int j) const {
    const BitKind its = kind(j);
    if (its == BitKind::exiting) return false;
    if (variant_ != Variant::torus) return its != BitKind::right;
    const Count before = torus_complement_units(geometry_, j);
    const Count after = torus_complement_units(geometry_, a_.to(j));
    return before != after ? before < after : geometry_.top(j);
  }

  void complement_bit(int j) {
    if (variant_ == Variant::torus)
      torus_complement(program_, j);
    else
      complement(program_, j);
  }

  // One interchange or one RE-cycle on the cycle of j.
  void shorten_cycle(int j) {
    int i = j;
    if (!is(BitKind::left, i)) {
      do i = a_.to(i);
      while (i != j && !is(BitKind::left, i));
    }
    if (is(BitKind::left, i))
      interchange_from(i);
    else
      exits(j);
  }

  // Case (i) of Theorem 4.2: after the last L bit seen comes one that reaches below it, or leaves.
  void interchange_from(int i) {
    int last_left = i;
    for (;; i = a_.to(i)) {
      if (is(BitKind::left, i)) {
        last_left = i;
      } else if (a_.to(i) <= last_left || is(BitKind::exiting, i)) {
        break;
      }
    }
    exchange_with_left(i, last_left);
  }

  void exchange_with_left(int i, int left) {
    apply({.i = i, .j = left});
    swap_targets(i, left);
    const bool sign = a_.negative(i);
    set_sign(i, a_.negative(left));
    set_sign(left, sign);
  }

  // Theorem 4.2 as it stands: the highest L bit of a dimension and the next bit that does not go
  // left; without L bits the lowest E bit of each dimension. False once all bits are in place.
  bool exchange_any_pair() {
    int left = -1;
    std::vector<int> exiting;
    for (int i = 0; i < a_.bits(); ++i) {
      const BitKind its = kind(i);
      if (its == BitKind::exiting) exiting.push_back(i);
      if (its == BitKind::left) left = i;
    }
    if (left < 0 && exiting.empty()) return false;
    if (left < 0) {
      lowest_of_both_dimensions(exiting);
      return true;
    }
    int i = left + 1;
    while (!is(BitKind::right, i) && !is(BitKind::exiting, i)) ++i;
    exchange_with_left(i, left);
    return true;
  }

  // An RE-cycle: only R and E bits. Its E bits in the order of the cycle, from j on.
  void exits(int j) {
    std::vector<int> exiting;
    int i = j;
    do {
      if (is(BitKind::exiting, i)) exiting.push_back(i);
      i = a_.to(i);
    } while (i != j);
    FARO_CHECK(exiting.size() >= 2);
    switch (variant_) {
      case Variant::two_dimensions:
      case Variant::any_pairs:
        lowest_of_both_dimensions(exiting);
        return;
      case Variant::general:
        fold_cycle(exiting);
        return;
      case Variant::plus:
        if (exiting.size() == 2)
          consume_pair(exiting[0], exiting[1]);
        else
          renaming_cycle(exiting);
        return;
      case Variant::torus:
        torus_cycle(std::move(exiting));
        return;
    }
  }

  void lowest_of_both_dimensions(const std::vector<int>& exiting) {
    const int e0 = *std::min_element(exiting.begin(), exiting.end());
    int e1 = std::numeric_limits<int>::max();
    for (const int e : exiting)
      if (geometry_.dimension_of(e) != geometry_.dimension_of(e0)) e1 = std::min(e1, e);
    consume_pair(e0, e1);
  }

  // The interchange takes the complements of both with it.
  void consume_pair(int i, int j) {
    apply({.i = i, .j = j, .i_inverted = a_.negative(i), .j_inverted = a_.negative(j)});
    swap_targets(i, j);
    set_sign(i, false);
    set_sign(j, false);
  }

  // Folded on a bit that is no top bit, which cost the same each; top bits alone need no fold.
  void torus_cycle(std::vector<int> exiting) {
    if (exiting.size() == 2) {
      consume_pair(exiting[0], exiting[1]);
      return;
    }
    const auto hub =
        std::find_if(exiting.begin(), exiting.end(), [&](int e) { return !geometry_.top(e); });
    if (hub != exiting.end()) {
      std::rotate(exiting.begin(), hub, exiting.end());
      renaming_cycle(exiting);
      return;
    }
    std::vector<bool> inverted;
    for (const int e : exiting) inverted.push_back(a_.negative(e));
    top_cycle(program_, exiting, inverted);
    for (std::size_t k = 1; k < exiting.size(); ++k) exchanged(exiting[0], exiting[k]);
  }

  void apply(const Interchange& bits) {
    if (variant_ == Variant::torus)
      torus_interchange(program_, bits);
    else
      interchange(program_, bits);
    interchanges_.push_back(bits);
  }

  // RE-CYCLE of section 5.
  void fold_cycle(const std::vector<int>& exiting) {
    const int i = exiting.front();
    program_.copy({Rr, Rs}, where_bits({{i, one}}));
    program_.route_bit(i, -1);
    program_.copy({Rt, Rr}, where_bits({{i, zero}}));
    for (std::size_t k = 1; k < exiting.size(); ++k) {
      const int j = exiting[k];
      if (a_.negative(i)) program_.swap({Rs, Rt}, where_bits({{i, zero}}));
      exchange(program_, {.hub = i}, j);
      if (a_.negative(j)) program_.swap({Rs, Rt}, where_bits({{i, zero}}));
      exchanged(i, j);
    }
    program_.copy({Rr, Rt}, where_bits({{i, zero}}));
    program_.route_bit(i, 1);
    program_.copy({Rs, Rr}, where_bits({{i, one}}));
  }

  // The same; instead of swapping Rs and Rt everywhere, their names change places.
  void renaming_cycle(const std::vector<int>& exiting) {
    const int i = exiting.front();
    MeshRegister stay = Rs;
    MeshRegister go = Rt;
    program_.copy({Rr, Rs}, where_bits({{i, one}}));
    program_.route_bit(i, -1);
    program_.copy({Rt, Rr}, where_bits({{i, zero}}));
    for (std::size_t k = 1; k < exiting.size(); ++k) {
      const int j = exiting[k];
      if (a_.negative(i)) std::swap(stay, go);
      if (variant_ == Variant::torus)
        torus_exchange(program_, {i, stay, go}, j);
      else
        exchange(program_, {i, stay, go}, j);
      if (a_.negative(j)) std::swap(stay, go);
      exchanged(i, j);
    }
    program_.copy({Rr, go}, where_bits({{i, zero}}));
    if (stay == Rt) program_.copy({Rs, Rt}, where_bits({{i, zero}}));
    program_.route_bit(i, 1);
    program_.copy({Rs, Rr}, where_bits({{i, one}}));
  }

  void exchanged(int i, int j) {
    swap_targets(i, j);
    set_sign(i, false);
    set_sign(j, false);
  }

  const MeshGeometry& geometry_;
  BpcVector a_;
  Variant variant_;
  MeshProgram program_;
  std::vector<Interchange> interchanges_;
  mutable Count asked_ = 0;  // how often what becomes of a bit
};

}  // namespace

MeshProgram permute(const MeshGeometry& geometry, const BpcVector& bits, Variant variant) {
  FARO_CHECK(bits.bits() == geometry.bits());
  FARO_CHECK((variant != Variant::two_dimensions && variant != Variant::any_pairs) ||
             geometry.proper_dimensions() <= 2);
  FARO_CHECK(variant != Variant::torus || geometry.wrap() == Mesh::Wrap::orthogonal);
  return Permuter(geometry, bits, variant).run();
}

std::vector<Interchange> interchanges_of(const MeshGeometry& geometry, const BpcVector& bits,
                                         Variant variant) {
  FARO_CHECK(geometry.proper_dimensions() <= 2);
  Permuter permuter(geometry, bits, variant);
  permuter.run();
  return permuter.interchanges();
}

Count control_time(const MeshGeometry& geometry, const BpcVector& bits) {
  Permuter permuter(geometry, bits,
                    geometry.proper_dimensions() <= 2 ? Variant::two_dimensions : Variant::general);
  permuter.run();
  return permuter.asked();
}

}  // namespace faro::inline v1::mesh
