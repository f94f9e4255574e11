// An affine subspace of the addresses of `width` bits, given by parity constraints: the predicate
// of every schedule rule and the piece of every proof.
//
//   width 3, constraints parity(x & 0b101) = 1, parity(x & 0b010) = 0:   {0b001, 0b100}
//
// Kept reduced: every constraint's mask has a leading bit that no other mask has, highest first, so
// equal sets are equal values. The empty set is a value too (`empty()`); its constraints are
// unstated.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1 {

// parity(x & mask) = value.
struct Parity {
  Word mask = 0;
  unsigned value = 0;

  bool holds(Word x) const { return parity(x & mask) == value; }
  friend bool operator==(const Parity&, const Parity&) = default;
};

class AffineSpace {
 public:
  // Every address of `width` bits, 0 to 64.
  static AffineSpace everything(int width);
  static AffineSpace nothing(int width);
  // The addresses that meet all constraints; possibly none. Mask 0 with value 0 is always true,
  // with value 1 never. Throws Error(usage) if a mask does not fit the width.
  static AffineSpace where(int width, std::span<const Parity> constraints);

  int width() const { return width_; }
  bool empty() const { return empty_; }
  // log2 of the number of addresses. Requires a set that is not empty.
  int dimension() const { return width_ - static_cast<int>(constraints_.size()); }
  const std::vector<Parity>& constraints() const { return constraints_; }

  bool contains(Word x) const;
  // Of one width, as all that follow; Error(usage) otherwise.
  bool contains(const AffineSpace& other) const;
  bool disjoint(const AffineSpace& other) const { return meet(other).empty(); }

  AffineSpace meet(const AffineSpace& other) const;
  AffineSpace meet(const Parity& constraint) const;
  // {x ^ by : x in this}.
  AffineSpace shifted(Word by) const;
  // {map(x) : x in this}.
  AffineSpace image(const BitMap& map) const;
  // This without `other`, as disjoint subspaces: at most one for each constraint of `other`.
  std::vector<AffineSpace> minus(const AffineSpace& other) const;
  // The union, where it is a subspace with one constraint less and the two differ in exactly one
  // value.
  std::optional<AffineSpace> merged(const AffineSpace& other) const;

  // The unique mask equal to `mask` on this set that has none of the constraints' leading bits,
  // with the constant to xor: parity(x & mask) = parity(x & result.mask) ^ result.value for all x
  // here.
  Parity reduced(Parity form) const;

  // Some address of the set; the smallest. Requires a set that is not empty.
  Word first() const;
  // Directions: a reduced basis of {x ^ y : x, y in this}, highest leading bit first.
  std::vector<Word> directions() const;
  // Calls visit(x) for all addresses, ascending. Requires a dimension below 64.
  template <class Visit>
  void for_each(Visit&& visit) const;

  friend bool operator==(const AffineSpace&, const AffineSpace&) = default;

 private:
  AffineSpace(int width, bool empty) : width_(width), empty_(empty) {}
  void add(Parity constraint);

  int width_ = 0;
  bool empty_ = false;
  std::vector<Parity> constraints_;
};

template <class Visit>
void AffineSpace::for_each(Visit&& visit) const {
  if (empty_) return;
  // directions() is reduced, so counting through its combinations in order walks addresses upward.
  const std::vector<Word> basis = directions();
  const auto free = static_cast<int>(basis.size());
  Word x = first();
  for (Word k = 0;;) {
    visit(x);
    if (++k == bit(free)) return;
    for (int i = 0; i <= lowest_bit(k); ++i) x ^= basis[static_cast<std::size_t>(free - 1 - i)];
  }
}

}  // namespace faro::inline v1
