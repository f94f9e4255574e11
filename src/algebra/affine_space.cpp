// Affine subspaces: the constraints are kept reduced, so that equal spaces are equal values.
#include <fmt/format.h>

#include <algorithm>

#include "base/require.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1 {
namespace {

void require_width(int width, int other) {
  require(width == other, "addresses of {} bits beside addresses of {}", width, other);
}

}  // namespace

AffineSpace AffineSpace::everything(int width) {
  require(width >= 0 && width <= word_bits, "addresses of {} bits: from 0 to {}", width, word_bits);
  return {width, false};
}

AffineSpace AffineSpace::nothing(int width) {
  AffineSpace space = everything(width);
  space.empty_ = true;
  return space;
}

AffineSpace AffineSpace::where(int width, std::span<const Parity> constraints) {
  AffineSpace space = everything(width);
  for (const Parity& c : constraints) {
    if ((c.mask & ~low_mask(width)) != 0 || c.value > 1)
      throw Error(ErrorCode::usage,
                  fmt::format("the condition [{:#x}, {}] does not fit {} address bits", c.mask,
                              c.value, width));
    space.add(c);
  }
  return space;
}

Parity AffineSpace::reduced(Parity form) const {
  for (const Parity& c : constraints_) {
    if (!has_bit(form.mask, highest_bit(c.mask))) continue;
    form.mask ^= c.mask;
    form.value ^= c.value;
  }
  return form;
}

void AffineSpace::add(Parity constraint) {
  if (empty_) return;
  constraint = reduced(constraint);
  if (constraint.mask == 0) {
    if (constraint.value == 0) return;
    empty_ = true;
    constraints_.clear();
    return;
  }
  const int lead = highest_bit(constraint.mask);
  for (Parity& c : constraints_) {
    if (!has_bit(c.mask, lead)) continue;
    c.mask ^= constraint.mask;
    c.value ^= constraint.value;
  }
  const auto place = std::find_if(constraints_.begin(), constraints_.end(),
                                  [&](const Parity& c) { return c.mask < constraint.mask; });
  constraints_.insert(place, constraint);
}

bool AffineSpace::contains(Word x) const {
  return !empty_ && (x & ~low_mask(width_)) == 0 &&
         std::all_of(constraints_.begin(), constraints_.end(),
                     [x](const Parity& c) { return c.holds(x); });
}

bool AffineSpace::contains(const AffineSpace& other) const {
  require_width(width_, other.width_);
  if (other.empty_) return true;
  if (empty_) return false;
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Parity& c) { return other.reduced(c) == Parity{}; });
}

AffineSpace AffineSpace::meet(const AffineSpace& other) const {
  require_width(width_, other.width_);
  if (empty_ || other.empty_) return nothing(width_);
  AffineSpace result = *this;
  for (const Parity& c : other.constraints_) result.add(c);
  return result;
}

AffineSpace AffineSpace::meet(const Parity& constraint) const {
  require((constraint.mask & ~low_mask(width_)) == 0 && constraint.value <= 1,
          "the condition [{:#x}, {}] does not fit {} address bits", constraint.mask,
          constraint.value, width_);
  AffineSpace result = *this;
  result.add(constraint);
  return result;
}

AffineSpace AffineSpace::shifted(Word by) const {
  AffineSpace result = *this;
  for (Parity& c : result.constraints_) c.value ^= parity(by & c.mask);
  return result;
}

AffineSpace AffineSpace::image(const BitMap& map) const {
  require_width(width_, map.width());
  if (empty_) return *this;
  const BitMap back = map.inverse();
  const BitMatrix rows = back.matrix().transposed();  // row r of back as a column
  AffineSpace result = everything(width_);
  for (const Parity& c : constraints_)
    result.add({rows.apply(c.mask), c.value ^ parity(back.complement() & c.mask)});
  return result;
}

std::vector<AffineSpace> AffineSpace::minus(const AffineSpace& other) const {
  require_width(width_, other.width_);
  std::vector<AffineSpace> pieces;
  if (empty_) return pieces;
  if (other.empty_) return {*this};
  AffineSpace rest = *this;
  for (const Parity& c : other.constraints_) {
    AffineSpace outside = rest.meet(Parity{c.mask, c.value ^ 1U});
    if (!outside.empty_) pieces.push_back(std::move(outside));
    rest.add(c);
    if (rest.empty_) break;
  }
  return pieces;
}

std::optional<AffineSpace> AffineSpace::merged(const AffineSpace& other) const {
  require_width(width_, other.width_);
  if (empty_ || other.empty_ || constraints_.size() != other.constraints_.size()) return {};
  std::optional<std::size_t> differing;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    if (constraints_[i].mask != other.constraints_[i].mask) return {};
    if (constraints_[i].value == other.constraints_[i].value) continue;
    if (differing) return {};
    differing = i;
  }
  if (!differing) return {};
  AffineSpace result = *this;
  result.constraints_.erase(result.constraints_.begin() + static_cast<std::ptrdiff_t>(*differing));
  return result;
}

Word AffineSpace::first() const {
  require(!empty_, "the empty set has no first member");
  // One member: free bits zero, each leading bit its constraint's value. Modulo the directions, the
  // smallest.
  Word x = 0;
  for (const Parity& c : constraints_) x |= Word{c.value} << highest_bit(c.mask);
  return reduce(x, directions());
}

std::vector<Word> AffineSpace::directions() const {
  Word leading = 0;
  for (const Parity& c : constraints_) leading |= bit(highest_bit(c.mask));
  std::vector<Word> basis;
  for (int i = 0; i < width_; ++i) {
    if (has_bit(leading, i)) continue;
    Word v = bit(i);
    for (const Parity& c : constraints_)
      if (has_bit(c.mask, i)) v |= bit(highest_bit(c.mask));
    basis.push_back(v);
  }
  return reduced_basis(basis);
}

}  // namespace faro::inline v1
