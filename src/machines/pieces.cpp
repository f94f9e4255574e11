#include "machines/pieces.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "base/words_less.hpp"
#include "base/working.hpp"

namespace faro::inline v1 {
namespace {

// Up to here pieces are compared pair by pair; above, those of equal masks are looked up.
constexpr std::size_t few_max = 12;

// The place of the one constraint in which two pieces of the same masks and maps differ, nothing if
// they differ otherwise.
std::optional<std::size_t> difference(const Piece& a, const Piece& b) {
  const auto& left = a.where.constraints();
  const auto& right = b.where.constraints();
  if (left.size() != right.size() || a.tag != b.tag || a.origin.size() != b.origin.size())
    return {};
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].mask != right[i].mask) return {};
    if (left[i].value == right[i].value) continue;
    if (place) return {};
    place = i;
  }
  for (std::size_t i = 0; i < a.origin.size(); ++i)
    if (a.origin[i].mask != b.origin[i].mask) return {};
  return place;
}

// What reads bit = parity(p & m) ^ va where parity(p & mask) = value, and vb elsewhere, reads
// parity(p & (m ^ mask)) ^ va ^ value everywhere, if va and vb differ.
Piece join(const Piece& a, const Piece& b, std::size_t place) {
  const Parity removed = a.where.constraints()[place];
  Piece result{*a.where.merged(b.where), a.origin, a.tag};
  for (std::size_t i = 0; i < result.origin.size(); ++i) {
    if (a.origin[i].value == b.origin[i].value) continue;
    result.origin[i].mask ^= removed.mask;
    result.origin[i].value ^= removed.value;
  }
  return result;
}

// The masks of a piece: equal exactly for the pieces that may be cosets with one linear map.
std::vector<Word> masks_of(const Piece& piece) {
  std::vector<Word> masks = {static_cast<Word>(piece.tag), piece.where.constraints().size()};
  for (const Parity& c : piece.where.constraints()) masks.push_back(c.mask);
  for (const Parity& row : piece.origin) masks.push_back(row.mask);
  return masks;
}

// The constraints' values, the first one in the lowest bit.
Word values_of(const Piece& piece) {
  Word values = 0;
  for (std::size_t i = 0; i < piece.where.constraints().size(); ++i)
    values |= Word{piece.where.constraints()[i].value} << i;
  return values;
}

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

// Images of directions under `to` with the origins they came with, made independent.
struct Direction {
  Word image = 0;
  Word origin = 0;
};

std::vector<Direction> solved(const std::vector<Word>& directions, const std::vector<Parity>& to,
                              const std::vector<Parity>& origin) {
  std::vector<Direction> result;
  for (const Word b : directions) {
    Direction next{apply_linear(to, b), apply_linear(origin, b)};
    for (const Direction& d : result)
      if (has_bit(next.image, highest_bit(d.image))) {
        next.image ^= d.image;
        next.origin ^= d.origin;
      }
    FARO_CHECK(next.image != 0);
    const int lead = highest_bit(next.image);
    for (Direction& d : result)
      if (has_bit(d.image, lead)) {
        d.image ^= next.image;
        d.origin ^= next.origin;
      }
    result.push_back(next);
  }
  return result;
}

}  // namespace

bool told_apart(const AffineSpace& a, const AffineSpace& b) {
  auto left = a.constraints().begin();
  auto right = b.constraints().begin();
  while (left != a.constraints().end() && right != b.constraints().end()) {
    if (left->mask == right->mask && left->value != right->value) return true;
    const bool after = left->mask <= right->mask;  // masks fall
    if (left->mask >= right->mask) ++left;
    if (after) ++right;
  }
  return false;
}

Word address_of(const std::vector<Parity>& rows, Word x) {
  Word y = 0;
  for (const Parity& row : rows) y = (y << 1U) | (parity(x & row.mask) ^ row.value);
  return y;
}

Image image_of(const AffineSpace& space, const std::vector<Parity>& rows) {
  std::vector<Word> images;
  for (const Word b : space.directions()) images.push_back(apply_linear(rows, b));
  const std::vector<Word> basis = reduced_basis(images);
  return {spanned(static_cast<int>(rows.size()), address_of(rows, space.first()), basis),
          basis.size() == images.size()};
}

Count size_of(const std::vector<Piece>& pieces) {
  Count size = 0;
  for (const Piece& piece : pieces) size += size_of(piece.where);
  return size;
}

std::vector<Parity> reduced_on(const AffineSpace& space, const std::vector<Parity>& rows) {
  std::vector<Parity> result = rows;
  for (Parity& row : result) row = space.reduced(row);
  return result;
}

Piece Piece::on(const AffineSpace& part) const {
  return {part, reduced_on(part, origin), tag};
}

Piece Piece::shifted(Word by) const {
  Piece result{where.shifted(by), origin, tag};
  for (Parity& row : result.origin) row.value ^= parity(row.mask & by);
  return result;
}

Piece Piece::carried(const std::vector<Parity>& to) const {
  const std::vector<Direction> directions = solved(where.directions(), to, origin);
  const Word x0 = where.first();
  const Word y0 = address_of(to, x0);
  std::vector<Word> basis;
  for (const Direction& d : directions) basis.push_back(d.image);
  AffineSpace target = spanned(static_cast<int>(to.size()), y0, reduced_basis(basis));
  std::vector<Parity> rows;
  const auto top = static_cast<int>(origin.size()) - 1;
  for (std::size_t i = 0; i < origin.size(); ++i) {
    Word mask = 0;
    for (const Direction& d : directions)
      if (has_bit(d.origin, top - static_cast<int>(i))) mask |= bit(highest_bit(d.image));
    const unsigned here = parity(origin[i].mask & x0) ^ origin[i].value;
    rows.push_back(target.reduced({mask, here ^ parity(mask & y0)}));
  }
  return {std::move(target), std::move(rows), tag};
}

std::optional<Piece> merged(const Piece& a, const Piece& b) {
  const auto place = difference(a, b);
  if (!place) return {};
  return join(a, b, *place);
}

std::vector<Piece> Partition::inside(const AffineSpace& region) const {
  std::vector<Piece> result;
  for (const Piece& piece : pieces_) {
    if (told_apart(region, piece.where)) continue;
    if (region.contains(piece.where)) {
      result.push_back(piece);
      continue;
    }
    const AffineSpace part = piece.where.meet(region);
    if (!part.empty()) result.push_back(piece.on(part));
  }
  return result;
}

Count Partition::covered(const AffineSpace& region) const {
  Count sum = 0;
  for (const Piece& piece : pieces_)
    if (!told_apart(region, piece.where)) sum += size_of(piece.where.meet(region));
  return sum;
}

void Partition::erase(const AffineSpace& region) {
  still_working();
  std::vector<Piece> left;
  left.reserve(pieces_.size());
  for (Piece& piece : pieces_) {
    if (told_apart(region, piece.where) || piece.where.disjoint(region)) {
      left.push_back(std::move(piece));
      continue;
    }
    for (const AffineSpace& part : piece.where.minus(region)) left.push_back(piece.on(part));
  }
  pieces_ = std::move(left);
}

const Piece* Partition::at(Word p) const {
  for (const Piece& piece : pieces_)
    if (piece.where.contains(p)) return &piece;
  return nullptr;
}

void Partition::merge() {
  still_working();
  if (pieces_.size() < 2) return;
  if (pieces_.size() > few_max) merge_many();
  if (pieces_.size() <= few_max) merge_few();
}

// Always the pair that differs in the earliest constraint, so that the result does not depend on
// the order of the pieces more than it must.
void Partition::merge_few() {
  for (;;) {
    std::size_t best_place = static_cast<std::size_t>(-1);
    std::size_t first = 0;
    std::size_t second = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (std::size_t j = i + 1; j < pieces_.size(); ++j) {
        const auto place = difference(pieces_[i], pieces_[j]);
        if (!place || *place >= best_place) continue;
        best_place = *place;
        first = i;
        second = j;
      }
    }
    if (best_place == static_cast<std::size_t>(-1)) return;
    pieces_[first] = join(pieces_[first], pieces_[second], best_place);
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

// Rounds: in each, the pieces of equal masks are paired along the first constraint that pairs any.
void Partition::merge_many() {
  for (bool changed = true; changed;) {
    changed = false;
    std::map<std::vector<Word>, std::map<Word, Piece>, WordsLess> groups;
    for (Piece& piece : pieces_) {
      const Word values = values_of(piece);
      groups[masks_of(piece)].emplace(values, std::move(piece));
    }
    pieces_.clear();
    for (auto& entry_of_masks : groups) {
      auto& group = entry_of_masks.second;  // by name: clang 14 captures no structured bindings
      const auto constraints = static_cast<int>(entry_of_masks.first[1]);
      bool paired = false;
      for (int place = 0; place < constraints && !paired && group.size() > 1; ++place) {
        paired = std::any_of(group.begin(), group.end(), [&](const auto& entry) {
          return group.contains(entry.first ^ bit(place));
        });
        if (!paired) continue;
        changed = true;
        for (const auto& [values, piece] : group) {
          const auto other = group.find(values ^ bit(place));
          if (other == group.end()) {
            pieces_.push_back(piece);
          } else if (!has_bit(values, place)) {
            pieces_.push_back(join(piece, other->second, static_cast<std::size_t>(place)));
          }
        }
      }
      if (!paired)
        for (auto& [values, piece] : group) pieces_.push_back(std::move(piece));
    }
  }
}

}  // namespace faro::inline v1
