#include "machines/cube/butterfly_pieces.hpp"

#include <optional>
#include <utility>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::butterfly_pieces {

Count size_of(const AffineSpace& space) {
  return Count{1} << static_cast<unsigned>(space.dimension());
}

Piece restricted(const Piece& piece, const AffineSpace& part) {
  Piece result{part, piece.rows, piece.done};
  for (Parity& row : result.rows) row = part.reduced(row);
  return result;
}

Cut cut(const Pieces& pieces, const AffineSpace& where) {
  Cut result;
  for (const Piece& piece : pieces) {
    const AffineSpace both = piece.space.meet(where);
    if (both.empty()) continue;
    result.covered += size_of(both);
    result.pieces.push_back(restricted(piece, both));
  }
  return result;
}

Pieces without(const Pieces& pieces, const AffineSpace& where) {
  Pieces result;
  for (const Piece& piece : pieces) {
    if (piece.space.disjoint(where)) {
      result.push_back(piece);
      continue;
    }
    for (const AffineSpace& part : piece.space.minus(where)) {
      result.push_back(restricted(piece, part));
    }
  }
  return result;
}

Pieces shifted(const Pieces& pieces, int dimension) {
  Pieces result;
  for (const Piece& piece : pieces) {
    Piece moved{piece.space.shifted(bit(dimension)), piece.rows, piece.done};
    for (Parity& row : moved.rows) {
      if (has_bit(row.mask, dimension)) row.value ^= 1U;
      row = moved.space.reduced(row);
    }
    result.push_back(std::move(moved));
  }
  return result;
}

namespace {

bool same_linear_part(const Piece& a, const Piece& b) {
  if (a.done != b.done || a.space.constraints().size() != b.space.constraints().size())
    return false;
  for (std::size_t i = 0; i < a.space.constraints().size(); ++i) {
    if (a.space.constraints()[i].mask != b.space.constraints()[i].mask) return false;
  }
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    if (a.rows[i].mask != b.rows[i].mask) return false;
  }
  return true;
}

std::optional<Piece> joined(const Piece& a, const Piece& b) {
  if (!same_linear_part(a, b)) return std::nullopt;
  const std::optional<AffineSpace> both = a.space.merged(b.space);
  if (!both) return std::nullopt;
  Parity differing;
  for (std::size_t i = 0; i < a.space.constraints().size(); ++i) {
    if (a.space.constraints()[i] != b.space.constraints()[i]) differing = a.space.constraints()[i];
  }
  // A row that differs between the halves follows the form that tells them apart.
  Piece result{*both, a.rows, a.done};
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    if (a.rows[i].value != b.rows[i].value) {
      result.rows[i].mask ^= differing.mask;
      result.rows[i].value ^= differing.value;
    }
    result.rows[i] = both->reduced(result.rows[i]);
  }
  return result;
}

}  // namespace

void merge(Pieces& pieces) {
  bool again = pieces.size() > 1;
  while (again) {
    again = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t j = i + 1; j < pieces.size(); ++j) {
        std::optional<Piece> both = joined(pieces[i], pieces[j]);
        if (!both) continue;
        pieces[i] = std::move(*both);
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(j));
        again = true;
        --j;
      }
    }
  }
}

Parity combine(const std::vector<Parity>& rows, Word mask) {
  Parity result;
  for (; mask != 0; mask &= mask - 1) {
    const Parity& row = rows[static_cast<std::size_t>(lowest_bit(mask))];
    result.mask ^= row.mask;
    result.value ^= row.value;
  }
  return result;
}

AffineSpace indices(const Piece& piece, int index_bits) {
  const auto image = [&](Word q, unsigned constants) {
    Word index = 0;
    for (int b = 0; b < index_bits; ++b) {
      const Parity& row = piece.rows[static_cast<std::size_t>(b)];
      if ((parity(q & row.mask) ^ (row.value & constants)) != 0) index |= bit(b);
    }
    return index;
  };
  std::vector<Word> directions;
  for (const Word d : piece.space.directions()) directions.push_back(image(d, 0));
  const Word first = image(piece.space.first(), 1);
  const std::vector<Word> masks = BitMatrix::from_rows(index_bits, directions).kernel();
  std::vector<Parity> constraints;
  for (const Word mask : masks) constraints.push_back({mask, parity(mask & first)});
  return AffineSpace::where(index_bits, constraints);
}

}  // namespace faro::inline v1::butterfly_pieces
