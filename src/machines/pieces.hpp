// What a proof knows of one slot or register, on every machine: a partition of processors into
// affine subspaces, each with the affine map that says which element lies there.
//
//   after "everybody with bit 1 set sends slot 0 across dimension 0 into slot 0" on a 2-cube:
//     where bit 1 = 0:  origin = p            where bit 1 = 1:  origin = p ^ 1
//   which is one piece again, everybody: origin bit 1 = p1, origin bit 0 = p0 ^ p1
//
// Pieces are merged only where their reduced constraints differ in exactly one value. Merging any
// two cosets of one subspace is right too, but joins live elements with stale copies diagonally and
// does not come back: 1133 pieces instead of 4 on a schedule of the three-fifths algorithm.
#pragma once

#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1 {

// A row of `origin` is a bit of the origin of the element at p: parity(p & mask) ^ value, reduced
// on `where`, so that equal maps on equal spaces are equal values. `tag` is what else must agree
// before pieces merge: the stages a butterfly's element has done, an element's number; else 0.
struct Piece {
  AffineSpace where;
  std::vector<Parity> origin;
  int tag = 0;

  // The piece on a subspace of `where`.
  Piece on(const AffineSpace& part) const;
  // The piece after its elements crossed to p ^ by.
  Piece shifted(Word by) const;
  // The piece after its elements went to address_of(to, p). Requires `to` injective on `where`.
  Piece carried(const std::vector<Parity>& to) const;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// The rows as they read on `space`.
std::vector<Parity> reduced_on(const AffineSpace& space, const std::vector<Parity>& rows);

// The address whose bits, highest first, are the rows' parities at x.
Word address_of(const std::vector<Parity>& rows, Word x);

// {address_of(rows, x) : x in space}, and whether no two x share an image. Requires a space that is
// not empty.
struct Image {
  AffineSpace space;
  bool injective = false;
};
Image image_of(const AffineSpace& space, const std::vector<Parity>& rows);

// Whether one constraint alone tells two spaces apart, which costs less than meeting them.
bool told_apart(const AffineSpace& a, const AffineSpace& b);

// The number of processors of a space that is not empty.
inline Count size_of(const AffineSpace& space) {
  return space.empty() ? Count{0} : Count{1} << space.dimension();
}

// The number of processors of disjoint pieces.
Count size_of(const std::vector<Piece>& pieces);

// The one piece that two are parts of, where there is one by the rule above.
std::optional<Piece> merged(const Piece& a, const Piece& b);

// Disjoint pieces; processors that none covers hold nothing.
class Partition {
 public:
  const std::vector<Piece>& pieces() const { return pieces_; }

  // The pieces' parts inside `region`.
  std::vector<Piece> inside(const AffineSpace& region) const;
  // How many processors of `region` hold something.
  Count covered(const AffineSpace& region) const;
  // Nothing is left inside `region`.
  void erase(const AffineSpace& region);
  // Requires a piece disjoint from all others.
  void add(Piece piece) { pieces_.push_back(std::move(piece)); }
  // Joins what can be joined, until nothing can.
  void merge();
  // What lies at processor p, nothing if no piece covers it.
  const Piece* at(Word p) const;

 private:
  void merge_few();
  void merge_many();

  std::vector<Piece> pieces_;
};

}  // namespace faro::inline v1
