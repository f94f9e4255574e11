#include "faro/algebra/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "algebra/digits.hpp"
#include "base/check.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

using radix::is_bit;

Count product(const std::vector<Digit>& digits) {
  Count result = 1;
  for (const Digit& digit : digits) result *= digit.length;
  return result;
}

radix::Bounds bounds_of_shape(std::span<const Word> shape, Count elements, const char* side) {
  radix::Bounds bounds;
  Count all = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    all *= shape[k];
    if (all > 1 && all <= bit(63)) bounds.insert(static_cast<Word>(all));
  }
  if (all != elements)
    throw Error(ErrorCode::usage, fmt::format("map: the {} array has {} elements, the map {}", side,
                                              to_string(all), to_string(elements)));
  return bounds;
}

}  // namespace

Map Map::of_normal(Digits&& digits) {
  Map map(digits.bits);
  if (!std::all_of(digits.from.begin(), digits.from.end(), is_bit))
    map.lengths_ =
        std::make_shared<const Lengths>(Lengths{std::move(digits.from), std::move(digits.to)});
  return map;
}

Map Map::turn(Word length, Turn turn) {
  const Word roll = length == 0 ? 0 : turn.roll % length;
  return from_digits({{{length, 0}}, {{length, 0, turn.reversed, roll}}, {}});
}

Map Map::from_axes(std::span<const Word> lengths, std::span<const int> order) {
  if (lengths.size() != order.size())
    throw Error(ErrorCode::usage, fmt::format("axes: an order of {} axes for an array of {}",
                                              order.size(), lengths.size()));
  Digits digits;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    digits.from.push_back({lengths[k], static_cast<int>(k)});
  std::vector<bool> seen(lengths.size());
  for (const int axis : order) {
    const auto k = static_cast<std::size_t>(axis);
    if (axis < 0 || k >= lengths.size() || seen[k])
      throw Error(ErrorCode::usage,
                  fmt::format("axes: {} in an order of {} axes; each of 0 to {} stands there once",
                              axis, lengths.size(), lengths.size() - 1));
    seen[k] = true;
    digits.to.push_back({lengths[k], axis});
  }
  return from_digits(digits);
}

Map Map::from_digits(const Digits& digits) {
  radix::check_digits(digits);
  return of_normal(radix::normal_form(digits));
}

Digits Map::digits() const {
  if (lengths_) return {lengths_->from, lengths_->to, bits_};
  const std::vector<Digit> side(static_cast<std::size_t>(bits_.width()));
  return {side, side, bits_};
}

Count Map::elements() const {
  return lengths_ ? product(lengths_->from) : Count{1} << bits_.width();
}

bool operator==(const Map& a, const Map& b) {
  if (!(a.bits_ == b.bits_) || (a.lengths_ == nullptr) != (b.lengths_ == nullptr)) return false;
  return a.lengths_ == b.lengths_ ||
         (a.lengths_->from == b.lengths_->from && a.lengths_->to == b.lengths_->to);
}

Word Map::operator()(Word x) const {
  if (!lengths_) return bits_(x);
  std::array<Word, word_bits> lengths{};  // 3^40 > 2^63: at most 39
  Word bits = 0;
  int bit_at = 0;
  for (std::size_t k = lengths_->from.size(); k-- > 0;) {
    const Digit& digit = lengths_->from[k];
    if (is_bit(digit))
      bits |= (x & 1U) << bit_at++;
    else
      lengths[static_cast<std::size_t>(digit.which)] = x % digit.length;
    x /= digit.length;
  }
  bits = bits_(bits);
  Word y = 0;
  for (const Digit& digit : lengths_->to) {
    Word value = 0;
    if (is_bit(digit)) {
      value = (bits >> --bit_at) & 1U;
    } else {
      value = lengths[static_cast<std::size_t>(digit.which)];
      if (digit.reversed) value = digit.length - 1 - value;
      value = (value + digit.roll) % digit.length;
    }
    y = y * digit.length + value;
  }
  return y;
}

Map Map::inverse() const {
  if (!lengths_) return bits_.inverse();
  return of_normal(radix::inverse(digits()));  // of a normal form it is one
}

BitMap Map::as_bits() const {
  if (!lengths_) return bits_;
  for (const Digit& digit : lengths_->to) {
    if (is_bit(digit)) continue;
    if (digit.roll != 0)
      throw Error(ErrorCode::usage,
                  fmt::format("no map of bits: a digit of length {} is rolled by {}, which carries",
                              digit.length, digit.roll));
    throw Error(ErrorCode::usage,
                fmt::format("no map of bits: an axis of length {} is moved, no power of two",
                            digit.length));
  }
  return bits_;
}

bool Map::can_cut(Side side, Word elements) const {
  return radix::can_cut(digits(), side, elements);
}

Digits Map::digits_of(std::span<const Word> from_shape, std::span<const Word> to_shape) const {
  const auto from = bounds_of_shape(from_shape, elements(), "source");
  const auto to = bounds_of_shape(to_shape, elements(), "destination");
  const Digits all = digits();
  const auto fine = radix::refined(all, from, to);
  if (!fine)
    throw Error(ErrorCode::impossible,
                fmt::format("the array's axes and the map's digits, {} to {}, have no common "
                            "digits; give an array whose axes they divide",
                            radix::shown(all.from), radix::shown(all.to)));
  return radix::with_bits(*fine);
}

Map then(const Map& f, const Map& g) {
  if (f.elements() != g.elements())
    throw Error(ErrorCode::usage, fmt::format("then: maps of {} and of {} elements",
                                              to_string(f.elements()), to_string(g.elements())));
  if (f.bits() != nullptr && g.bits() != nullptr) return then(*f.bits(), *g.bits());
  const Digits before = f.digits();
  const Digits after = g.digits();
  auto composed = radix::then(before, after);
  if (composed) return Map::of_normal(radix::normal_form(*composed));
  std::vector<Digit> met = after.from;  // with what happens to it
  for (Digit& digit : met)
    for (const Digit& turned : after.to)
      if (!is_bit(digit) && turned.which == digit.which) digit.roll = turned.roll;
  const auto rolled = [](const Digit& digit) { return digit.roll != 0; };
  const bool rolls = std::any_of(before.to.begin(), before.to.end(), rolled) ||
                     std::any_of(met.begin(), met.end(), rolled);
  throw Error(ErrorCode::impossible,
              fmt::format("these two maps have no common digits: {} against {}{}; two passes do it",
                          radix::shown(before.to), radix::shown(met),
                          rolls ? ", and a rolled digit goes on only as a whole" : ""));
}

Map beside(const Map& high, const Map& low) {
  if (high.bits() != nullptr && low.bits() != nullptr) {
    if (high.bits()->width() + low.bits()->width() > word_bits)
      throw Error(ErrorCode::limit, "map: more than 64 bits");
    return beside(*high.bits(), *low.bits());
  }
  const auto joined = [](const std::vector<Digit>& a, const std::vector<Digit>& b, int lengths) {
    std::vector<Digit> all = a;
    for (Digit digit : b) {
      if (!is_bit(digit)) digit.which += lengths;
      all.push_back(digit);
    }
    return all;
  };
  const Digits a = high.digits();
  const Digits b = low.digits();
  int lengths = 0;
  for (const Digit& digit : a.from) lengths += is_bit(digit) ? 0 : 1;
  return Map::from_digits(
      {joined(a.from, b.from, lengths), joined(a.to, b.to, lengths), beside(a.bits, b.bits)});
}

}  // namespace faro::inline v1
