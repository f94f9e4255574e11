#include "machines/pops/pieces.hpp"

#include <optional>
#include <utility>

#include "base/check.hpp"

namespace faro::inline v1::pops_pieces {
namespace {

// rows without their constants.
Word apply_linear(const std::vector<Parity>& rows, Word x) {
  Word y = 0;
  for (const Parity& row : rows) y = (y << 1U) | parity(x & row.mask);
  return y;
}

// The affine subspace through `point` with the directions of a reduced basis.
AffineSpace spanned(int width, Word point, const std::vector<Word>& basis) {
  Word leads = 0;
  for (const Word v : basis) leads |= bit(highest_bit(v));
  std::vector<Parity> constraints;
  for (int f = 0; f < width; ++f) {
    if (has_bit(leads, f)) continue;
    Word mask = bit(f);
    for (const Word v : basis)
      if (has_bit(v, f)) mask |= bit(highest_bit(v));
    constraints.push_back({mask, parity(mask & point)});
  }
  return AffineSpace::where(width, constraints);
}

std::vector<Parity> reduced(const AffineSpace& space, std::vector<Parity> rows) {
  for (Parity& row : rows) row = space.reduced(row);
  return rows;
}

// Images of directions under `to` with the origins they came with, made independent.
struct Pair {
  Word image = 0;
  Word origin = 0;
};

std::vector<Pair> solved(const std::vector<Word>& directions, const std::vector<Parity>& to,
                         const std::vector<Parity>& origin) {
  std::vector<Pair> pairs;
  for (const Word b : directions) {
    Pair pair{apply_linear(to, b), apply_linear(origin, b)};
    for (const Pair& p : pairs)
      if (has_bit(pair.image, highest_bit(p.image))) {
        pair.image ^= p.image;
        pair.origin ^= p.origin;
      }
    FARO_CHECK(pair.image != 0);
    const int lead = highest_bit(pair.image);
    for (Pair& p : pairs)
      if (has_bit(p.image, lead)) {
        p.image ^= pair.image;
        p.origin ^= pair.origin;
      }
    pairs.push_back(pair);
  }
  return pairs;
}

bool same_linear_part(const Piece& a, const Piece& b) {
  if (a.element != b.element || a.where.constraints().size() != b.where.constraints().size())
    return false;
  for (std::size_t i = 0; i < a.origin.size(); ++i)
    if (a.origin[i].mask != b.origin[i].mask) return false;
  return true;
}

// Cosets of one subspace, one reduced constraint apart, whose maps have one linear part: where the
// constants differ, the constraint that tells the two apart goes into the map.
std::optional<Piece> join(const Piece& a, const Piece& b) {
  if (!same_linear_part(a, b)) return std::nullopt;
  const auto both = a.where.merged(b.where);
  if (!both) return std::nullopt;
  Parity apart;
  for (std::size_t i = 0; i < a.where.constraints().size(); ++i)
    if (a.where.constraints()[i].value != b.where.constraints()[i].value)
      apart = a.where.constraints()[i];
  std::vector<Parity> rows = a.origin;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (a.origin[i].value != b.origin[i].value) {
      rows[i].mask ^= apart.mask;
      rows[i].value ^= apart.value;
    }
  return Piece{*both, reduced(*both, std::move(rows)), a.element};
}

}  // namespace

Word apply(const std::vector<Parity>& rows, Word x) {
  Word y = 0;
  for (const Parity& row : rows) y = (y << 1U) | (parity(x & row.mask) ^ row.value);
  return y;
}

Image image_of(const AffineSpace& space, const std::vector<Parity>& rows) {
  std::vector<Word> images;
  for (const Word b : space.directions()) images.push_back(apply_linear(rows, b));
  const std::vector<Word> basis = reduced_basis(images);
  return {spanned(space.width(), apply(rows, space.first()), basis), basis.size() == images.size()};
}

void carry(const Piece& piece, const AffineSpace& where, const std::vector<Parity>& to,
           std::vector<Piece>& out) {
  const AffineSpace both = piece.where.meet(where);
  if (both.empty()) return;
  const std::vector<Pair> pairs = solved(both.directions(), to, piece.origin);
  const Word x0 = both.first();
  const Word y0 = apply(to, x0);
  std::vector<Word> basis;
  for (const Pair& p : pairs) basis.push_back(p.image);
  const AffineSpace target = spanned(both.width(), y0, reduced_basis(basis));
  std::vector<Parity> rows;
  const auto top = static_cast<int>(piece.origin.size()) - 1;
  for (std::size_t i = 0; i < piece.origin.size(); ++i) {
    Word mask = 0;
    for (const Pair& p : pairs)
      if (has_bit(p.origin, top - static_cast<int>(i))) mask |= bit(highest_bit(p.image));
    const unsigned here = parity(piece.origin[i].mask & x0) ^ piece.origin[i].value;
    rows.push_back({mask, here ^ parity(mask & y0)});
  }
  out.push_back({target, reduced(target, std::move(rows)), piece.element});
}

void erase(std::vector<Piece>& pieces, const AffineSpace& region) {
  std::vector<Piece> left;
  for (Piece& piece : pieces) {
    if (piece.where.disjoint(region)) {
      left.push_back(std::move(piece));
      continue;
    }
    for (AffineSpace& part : piece.where.minus(region)) {
      std::vector<Parity> rows = reduced(part, piece.origin);
      left.push_back({std::move(part), std::move(rows), piece.element});
    }
  }
  pieces = std::move(left);
}

void add(std::vector<Piece>& pieces, Piece piece) {
  for (std::size_t i = 0; i < pieces.size();) {
    if (auto whole = join(pieces[i], piece)) {
      piece = std::move(*whole);
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    } else {
      ++i;
    }
  }
  pieces.push_back(std::move(piece));
}

}  // namespace faro::inline v1::pops_pieces
