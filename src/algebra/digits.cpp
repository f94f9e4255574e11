#include "algebra/digits.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::radix {
namespace {

constexpr Word elements_max = bit(limits::tensor_elements_log2_max);

void check_side(const std::vector<Digit>& side, int width, std::size_t lengths) {
  int bits = 0;
  Word product = 1;
  std::vector<bool> seen(lengths);
  for (const Digit& digit : side) {
    if (is_bit(digit)) {
      ++bits;
      if (digit != Digit{})
        throw Error(
            ErrorCode::usage,
            fmt::format("map: a bit of length {}, reversed or rolled; it is 2 long, and the "
                        "bit map says what happens to it",
                        digit.length));
    } else {
      const auto which = static_cast<std::size_t>(digit.which);
      if (digit.which < 0 || which >= lengths || seen[which])
        throw Error(ErrorCode::usage,
                    fmt::format("map: length number {} on a side of {} lengths; each stands "
                                "there once, numbered from 0",
                                digit.which, lengths));
      seen[which] = true;
      if (digit.length == 0) throw Error(ErrorCode::usage, "map: a length of 0");
      if (digit.roll >= digit.length)
        throw Error(ErrorCode::usage,
                    fmt::format("map: a length of {} rolled by {}; less than the length is wanted",
                                digit.length, digit.roll));
    }
    if (lengths > 0 && digit.length > elements_max / product)
      throw Error(ErrorCode::limit, "map: lengths together beyond 2^63");
    product *= digit.length;
  }
  if (bits != width)
    throw Error(ErrorCode::usage,
                fmt::format("map: a side of {} bits, a bit map of {}", bits, width));
}

// By the lengths' numbers.
std::vector<Word> rolls_of(const Digits& digits) {
  std::vector<Word> rolls(digits.to.size());
  for (const Digit& digit : digits.to)
    if (!is_bit(digit)) rolls[static_cast<std::size_t>(digit.which)] = digit.roll;
  return rolls;
}

}  // namespace

Bounds bounds_of(const std::vector<Digit>& digits) {
  Bounds bounds;
  Word product = 1;
  for (std::size_t k = digits.size(); k-- > 0;) {
    product *= digits[k].length;
    if (product > 1) bounds.insert(product);
  }
  return bounds;
}

void check_digits(const Digits& digits) {
  std::vector<Word> lengths;
  for (const Digit& digit : digits.from) {
    if (is_bit(digit)) continue;
    if (digit.which != static_cast<int>(lengths.size()) || digit.reversed || digit.roll != 0)
      throw Error(ErrorCode::usage, "map: the source numbers its lengths 0, 1, .. and turns none");
    lengths.push_back(digit.length);
  }
  check_side(digits.from, digits.bits.width(), lengths.size());
  check_side(digits.to, digits.bits.width(), lengths.size());
  std::size_t found = 0;
  for (const Digit& digit : digits.to) {
    if (is_bit(digit)) continue;
    ++found;
    if (lengths[static_cast<std::size_t>(digit.which)] != digit.length)
      throw Error(
          ErrorCode::usage,
          fmt::format("map: length {} is {} at the source, {} at the destination", digit.which,
                      lengths[static_cast<std::size_t>(digit.which)], digit.length));
  }
  if (found != lengths.size())
    throw Error(
        ErrorCode::usage,
        fmt::format("map: {} lengths at the source, {} at the destination", lengths.size(), found));
}

Digits inverse(const Digits& digits) {
  Digits result;
  std::vector<Digit> turned(digits.from.size());  // by their old numbers
  int numbers = 0;
  for (Digit digit : digits.to) {
    if (!is_bit(digit)) {
      const Word back = digit.reversed || digit.roll == 0 ? digit.roll : digit.length - digit.roll;
      turned[static_cast<std::size_t>(digit.which)] = {digit.length, numbers, digit.reversed, back};
      digit = {digit.length, numbers++};
    }
    result.from.push_back(digit);
  }
  for (const Digit& digit : digits.from)
    result.to.push_back(is_bit(digit) ? digit : turned[static_cast<std::size_t>(digit.which)]);
  result.bits = digits.bits.inverse();
  return result;
}

bool can_cut(const Digits& digits, Map::Side side, Word at) {
  const std::vector<Digit>& cut = side == Map::Side::from ? digits.from : digits.to;
  const std::vector<Word> rolls = rolls_of(digits);
  Word low = 1;
  for (std::size_t k = cut.size(); k-- > 0;) {
    const Digit& digit = cut[k];
    if (at <= low) return at == low;
    const Word high = low * digit.length;  // 0 where it is 2^64
    if (high == 0 || at < high)
      return !is_bit(digit) && rolls[static_cast<std::size_t>(digit.which)] == 0 && at % low == 0 &&
             digit.length % (at / low) == 0;
    low = high;
  }
  return at == low;
}

namespace {

// The places inside digit k where a bound cuts it, as products of its own parts. False if one cuts
// it unevenly.
bool cuts_of(const std::vector<Digit>& side, const std::vector<Word>& rolls, const Bounds& bounds,
             std::vector<std::set<Word>>& cuts) {
  Word low = 1;
  for (std::size_t k = side.size(); k-- > 0;) {
    const Digit& digit = side[k];
    const Word high = low * digit.length;  // 0 where it is 2^64
    const auto end = high == 0 ? bounds.end() : bounds.lower_bound(high);
    for (auto at = bounds.upper_bound(low); at != end; ++at) {
      if (is_bit(digit) || *at % low != 0 || digit.length % (*at / low) != 0) return false;
      const auto which = static_cast<std::size_t>(digit.which);
      if (rolls[which] != 0) return false;
      cuts[which].insert(*at / low);
    }
    low = high;
  }
  return true;
}

}  // namespace

std::optional<Digits> refined(const Digits& digits, const Bounds& from, const Bounds& to) {
  std::size_t lengths = 0;
  for (const Digit& digit : digits.from) lengths += is_bit(digit) ? 0 : 1;
  std::vector<std::set<Word>> cuts(lengths);
  const std::vector<Word> rolls = rolls_of(digits);
  if (!cuts_of(digits.from, rolls, from, cuts) || !cuts_of(digits.to, rolls, to, cuts))
    return std::nullopt;
  std::vector<std::vector<Word>> parts(lengths);  // most significant first
  std::vector<int> number(lengths);               // of a length's first part
  int numbers = 0;
  Digits result;
  result.bits = digits.bits;
  for (const Digit& digit : digits.from) {
    if (is_bit(digit)) {
      result.from.push_back(digit);
      continue;
    }
    const auto which = static_cast<std::size_t>(digit.which);
    Word low = 1;
    cuts[which].insert(digit.length);
    for (const Word cut : cuts[which]) {
      if (cut % low != 0) return std::nullopt;
      parts[which].insert(parts[which].begin(), cut / low);
      low = cut;
    }
    number[which] = numbers;
    for (const Word part : parts[which]) result.from.push_back({part, numbers++});
  }
  for (const Digit& digit : digits.to) {
    if (is_bit(digit)) {
      result.to.push_back(digit);
      continue;
    }
    const auto which = static_cast<std::size_t>(digit.which);
    int n = number[which];
    for (const Word part : parts[which])
      result.to.push_back({part, n++, digit.reversed, digit.roll});  // rolled: one part
  }
  return result;
}

void refuse_rolled(const Map& map, std::string_view place) {
  for (const Digit& digit : map.digits().to)
    if (digit.roll != 0)
      throw Error(ErrorCode::impossible,
                  fmt::format("{} move no digit that is rolled: this map rolls one of length {} by "
                              "{}; move the ranges before and after the seam each by a map of its "
                              "own",
                              place, digit.length, digit.roll));
}

Map on_middle_axis(Word outer, const Map& map, Word inner) {
  if (outer == 0 || inner == 0)
    throw Error(ErrorCode::usage, "an array of no elements: there is nothing to move");
  return beside(beside(Map::identity(outer), map), Map::identity(inner));
}

std::string shown(const std::vector<Digit>& digits) {
  std::string text;
  Word power = 1;
  const auto put = [&](Word length) {
    if (length > 1) text += fmt::format("{}{}", text.empty() ? "" : " x ", length);
  };
  for (const Digit& digit : digits) {
    if (is_bit(digit) && power < bit(62)) {
      power *= 2;
      continue;
    }
    put(power);
    power = 1;
    put(digit.length);
    if (digit.roll != 0) text += fmt::format(" rolled by {}", digit.roll);
  }
  put(power);
  return text.empty() ? "1" : text;
}

}  // namespace faro::inline v1::radix
