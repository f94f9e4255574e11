#include "faro/algebra/tensor_map.hpp"

#include <fmt/format.h>

#include <array>

#include "algebra/tensor_digits.hpp"
#include "base/check.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

bool is_bit(const Digit& digit) {
  return digit.which == Digit::is_bit;
}

Count product(const std::vector<Digit>& digits) {
  Count result = 1;
  for (const Digit& digit : digits) result *= digit.length;
  return result;
}

tensor::Bounds bounds_of_shape(std::span<const Word> shape, Count elements, const char* side) {
  tensor::Bounds bounds;
  Count all = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    all *= shape[k];
    if (all > 1 && all <= bit(63)) bounds.insert(static_cast<Word>(all));
  }
  if (all != elements)
    throw Error(ErrorCode::usage,
                fmt::format("tensor map: the {} array has {} elements, the map {}", side,
                            to_string(all), to_string(elements)));
  return bounds;
}

}  // namespace

TensorMap TensorMap::identity(Word elements) {
  return from_digits({{{elements, 0, false}}, {{elements, 0, false}}, {}});
}

TensorMap TensorMap::from_bits(const BitMap& map) {
  const std::vector<Digit> side(static_cast<std::size_t>(map.width()));
  return TensorMap({side, side, map});
}

TensorMap TensorMap::from_axes(std::span<const Word> lengths, std::span<const int> order) {
  if (lengths.size() != order.size())
    throw Error(ErrorCode::usage, fmt::format("axes: an order of {} axes for an array of {}",
                                              order.size(), lengths.size()));
  TensorDigits digits;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    digits.from.push_back({lengths[k], static_cast<int>(k), false});
  std::vector<bool> seen(lengths.size());
  for (const int axis : order) {
    const auto k = static_cast<std::size_t>(axis);
    if (axis < 0 || k >= lengths.size() || seen[k])
      throw Error(ErrorCode::usage,
                  fmt::format("axes: {} in an order of {} axes; each of 0 to {} stands there once",
                              axis, lengths.size(), lengths.size() - 1));
    seen[k] = true;
    digits.to.push_back({lengths[k], axis, false});
  }
  return from_digits(digits);
}

TensorMap TensorMap::from_digits(const TensorDigits& digits) {
  tensor::check_digits(digits);
  return TensorMap(tensor::normal_form(digits));
}

Count TensorMap::elements() const {
  return product(digits_.from);
}

Word TensorMap::operator()(Word x) const {
  std::array<Word, word_bits> lengths{};  // 3^40 > 2^63: at most 39
  Word bits = 0;
  int bit_at = 0;
  for (std::size_t k = digits_.from.size(); k-- > 0;) {
    const Digit& digit = digits_.from[k];
    if (is_bit(digit))
      bits |= (x & 1U) << bit_at++;
    else
      lengths[static_cast<std::size_t>(digit.which)] = x % digit.length;
    x /= digit.length;
  }
  bits = digits_.bits(bits);
  Word y = 0;
  for (const Digit& digit : digits_.to) {
    Word value = 0;
    if (is_bit(digit)) {
      value = (bits >> --bit_at) & 1U;
    } else {
      value = lengths[static_cast<std::size_t>(digit.which)];
      if (digit.reversed) value = digit.length - 1 - value;
    }
    y = y * digit.length + value;
  }
  return y;
}

TensorMap TensorMap::inverse() const {
  TensorDigits result;
  std::vector<int> number(digits_.from.size());
  std::vector<bool> reversed(digits_.from.size());
  int numbers = 0;
  for (Digit digit : digits_.to) {
    if (!is_bit(digit)) {
      const auto which = static_cast<std::size_t>(digit.which);
      number[which] = numbers;
      reversed[which] = digit.reversed;
      digit = {digit.length, numbers++, false};
    }
    result.from.push_back(digit);
  }
  for (Digit digit : digits_.from) {
    if (!is_bit(digit)) {
      const auto which = static_cast<std::size_t>(digit.which);
      digit = {digit.length, number[which], reversed[which]};
    }
    result.to.push_back(digit);
  }
  result.bits = digits_.bits.inverse();
  return TensorMap(std::move(result));
}

std::optional<BitMap> TensorMap::bits() const {
  for (const Digit& digit : digits_.from)
    if (!is_bit(digit)) return std::nullopt;
  return digits_.bits;
}

BitMap TensorMap::as_bits() const {
  for (const Digit& digit : digits_.from)
    if (!is_bit(digit))
      throw Error(ErrorCode::usage,
                  fmt::format("no map of bits: an axis of length {} is moved, no power of two",
                              digit.length));
  return digits_.bits;
}

TensorDigits TensorMap::digits_of(std::span<const Word> from_shape,
                                  std::span<const Word> to_shape) const {
  const auto from = bounds_of_shape(from_shape, elements(), "source");
  const auto to = bounds_of_shape(to_shape, elements(), "destination");
  const auto fine = tensor::refined(digits_, from, to);
  if (!fine)
    throw Error(ErrorCode::impossible,
                fmt::format("the array's axes and the map's digits, {} to {}, have no common "
                            "digits; give an array whose axes they divide",
                            tensor::shown(digits_.from), tensor::shown(digits_.to)));
  return tensor::with_bits(*fine);
}

TensorMap then(const TensorMap& f, const TensorMap& g) {
  const TensorDigits& before = f.digits();
  const TensorDigits& after = g.digits();
  if (f.elements() != g.elements())
    throw Error(ErrorCode::usage, fmt::format("then: maps of {} and of {} elements",
                                              to_string(f.elements()), to_string(g.elements())));
  auto fine_before = tensor::refined(before, {}, tensor::bounds_of(after.from));
  auto fine_after = tensor::refined(after, tensor::bounds_of(before.to), {});
  if (!fine_before || !fine_after)
    throw Error(ErrorCode::impossible,
                fmt::format("these two maps have no common digits: {} against {}",
                            tensor::shown(before.to), tensor::shown(after.from)));
  // Between the two both now have the same digits; the lengths among them in the order of `middle`.
  const TensorDigits first = tensor::with_bits(*fine_before);
  const TensorDigits second = tensor::with_bits(*fine_after);
  FARO_CHECK(first.to.size() == second.from.size());
  std::vector<Digit> middle;
  for (const Digit& digit : first.to)
    if (!is_bit(digit)) middle.push_back(digit);
  TensorDigits result{first.from, second.to, then(first.bits, second.bits)};
  for (Digit& digit : result.to) {
    if (is_bit(digit)) continue;
    const Digit& met = middle[static_cast<std::size_t>(digit.which)];
    digit = {digit.length, met.which, digit.reversed != met.reversed};
  }
  return TensorMap(tensor::normal_form(result));
}

TensorMap beside(const TensorMap& high, const TensorMap& low) {
  const auto joined = [](const std::vector<Digit>& a, const std::vector<Digit>& b, int lengths) {
    std::vector<Digit> all = a;
    for (Digit digit : b) {
      if (!is_bit(digit)) digit.which += lengths;
      all.push_back(digit);
    }
    return all;
  };
  const TensorDigits& a = high.digits();
  const TensorDigits& b = low.digits();
  int lengths = 0;
  for (const Digit& digit : a.from) lengths += is_bit(digit) ? 0 : 1;
  return TensorMap::from_digits(
      {joined(a.from, b.from, lengths), joined(a.to, b.to, lengths), beside(a.bits, b.bits)});
}

}  // namespace faro::inline v1
