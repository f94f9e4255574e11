// Pieces of the processor space with the indices that lie there: the state of a proof of
// butterflies.
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1::butterfly_pieces {

// At processor q of `space` lies the element with index bit b = rows[b](q), kept reduced modulo the
// space; it has done `done` stages.
struct Piece {
  AffineSpace space;
  std::vector<Parity> rows;
  int done = 0;
};

using Pieces = std::vector<Piece>;

// The number of processors in a space; it may be 2^64.
Count size_of(const AffineSpace& space);

// The piece on a part of its space.
Piece restricted(const Piece& piece, const AffineSpace& part);

struct Cut {
  Pieces pieces;
  Count covered = 0;  // processors
};
// What lies inside `where`.
Cut cut(const Pieces& pieces, const AffineSpace& where);
// What lies outside.
Pieces without(const Pieces& pieces, const AffineSpace& where);
// The pieces after crossing `dimension`.
Pieces shifted(const Pieces& pieces, int dimension);
// Joins pieces with the same linear part and stage where exactly one constraint differs: joining
// diagonally would mix live elements with stale copies and never come back.
void merge(Pieces& pieces);

// The form `mask` over the index as an affine function of the processor.
Parity combine(const std::vector<Parity>& rows, Word mask);

// The set of indices of a piece, among 2^index_bits.
AffineSpace indices(const Piece& piece, int index_bits);

}  // namespace faro::inline v1::butterfly_pieces
