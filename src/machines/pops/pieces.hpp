// What the proof of a POPS schedule keeps of one register: which processors hold something, and
// where that started, as affine subspaces with affine maps.
//
//   POPS(2, 2), register 1 after everybody sent register 0 to the processor with its bits swapped:
//   one piece {everybody; origin bits (q_0, q_1) of processor q; element 0}
#pragma once

#include <cstddef>
#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::pops_pieces {

// On `where` the register holds element `element` of the processor whose bits, most significant
// first, are the rows' parities. The rows are reduced on `where`, so equal maps are equal rows.
struct Piece {
  AffineSpace where;
  std::vector<Parity> origin;
  std::size_t element = 0;
};

Word apply(const std::vector<Parity>& rows, Word x);

// {rows(x) : x in space}, and whether no two x share an image. Requires a space that is not empty
// and as many rows as address bits.
struct Image {
  AffineSpace space;
  bool injective = false;
};
Image image_of(const AffineSpace& space, const std::vector<Parity>& rows);

// The part of `piece` inside `where`, carried along by `to`. Requires `to` injective there.
// Appends nothing if that part is empty.
void carry(const Piece& piece, const AffineSpace& where, const std::vector<Parity>& to,
           std::vector<Piece>& out);

// Removes `region` from all pieces.
void erase(std::vector<Piece>& pieces, const AffineSpace& region);

// Adds a piece, joined with its neighbours as long as the union of two is one piece.
void add(std::vector<Piece>& pieces, Piece piece);

}  // namespace faro::inline v1::pops_pieces
