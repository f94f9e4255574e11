// Normal forms of digits and compositions: lengths into their parts and bits, neighbours into one
// length, and the pieces of two maps that meet.
#include <algorithm>
#include <numeric>
#include <utility>

#include "algebra/digits.hpp"
#include "base/check.hpp"

namespace faro::inline v1::radix {
namespace {

// The place among the destination's digits that each of the source's goes to, and whether it is
// reversed; nothing for what is rolled, for a bit that others are added to or that is added to
// others.
struct Arrival {
  std::optional<std::size_t> at;
  bool reversed = false;
};

std::vector<Arrival> arrivals(const Digits& digits) {
  std::vector<std::size_t> place_of_length;
  std::vector<std::size_t> place_of_bit(static_cast<std::size_t>(digits.bits.width()));
  int bit_at = digits.bits.width();
  for (std::size_t k = 0; k < digits.to.size(); ++k) {
    const Digit& digit = digits.to[k];
    if (is_bit(digit)) {
      place_of_bit[static_cast<std::size_t>(--bit_at)] = k;
    } else {
      const auto which = static_cast<std::size_t>(digit.which);
      place_of_length.resize(std::max(place_of_length.size(), which + 1));
      place_of_length[which] = k;
    }
  }
  std::vector<Arrival> result;
  int source_bit = digits.bits.width();
  for (const Digit& digit : digits.from) {
    if (!is_bit(digit)) {
      const std::size_t at = place_of_length[static_cast<std::size_t>(digit.which)];
      if (digits.to[at].roll != 0)
        result.emplace_back();
      else
        result.push_back({at, digits.to[at].reversed});
      continue;
    }
    const Word image = digits.bits.column(--source_bit);
    const int target = is_power_of_two(image) ? log2_exact(image) : -1;
    if (target < 0 || !is_power_of_two(digits.bits.matrix().row(target))) {
      result.emplace_back();
    } else {
      result.push_back({place_of_bit[static_cast<std::size_t>(target)],
                        has_bit(digits.bits.complement(), target)});
    }
  }
  return result;
}

// Destination digits and the rows of their bits, from the top.
class Builder {
 public:
  explicit Builder(int width) : width_(width) {}
  void put_bit(Word row, bool inverted) {
    to_.push_back({});
    rows_.push_back(row);
    complement_ = (complement_ << 1U) | Word{inverted};
  }
  void put_length(const Digit& digit) { to_.push_back(digit); }
  Digits with(std::vector<Digit> from) && {
    std::reverse(rows_.begin(), rows_.end());
    return {std::move(from), std::move(to_),
            BitMap::from_matrix(BitMatrix::from_rows(width_, rows_), complement_)};
  }

 private:
  int width_;
  std::vector<Digit> to_;
  std::vector<Word> rows_;
  Word complement_ = 0;
};

// A part of a length on its way to be a length or some bits of its own.
struct Part {
  Digit digit;
  int bits = 0;  // 0: it stays a length
  int low = 0;   // the lowest of its bits
};

using Parts = std::vector<Part>;

// What is rolled by a number without a common factor, above what is only reversed.
Parts smallest_parts(const Digit& digit) {
  const Word low = digit.roll == 0 ? digit.length : std::gcd(digit.length, digit.roll);
  const Word top = digit.length / low;
  Parts parts;
  if (top > 1)
    parts.push_back(
        {{top, 0, digit.reversed, digit.roll / low}, top == 2 || top == 4 ? log2_exact(top) : 0});
  if (low > 1)
    parts.push_back({{low, 0, digit.reversed}, is_power_of_two(low) ? log2_exact(low) : 0});
  return parts;
}

// The digit itself, a length of 2 as a bit.
Parts twos_as_bits(const Digit& digit) {
  return {{digit, digit.length == 2 ? 1 : 0}};
}

void put_bits(Builder& builder, const Part& part) {
  const auto& [length, which, reversed, roll] = part.digit;
  if (roll == 0) {
    for (int b = part.bits; b-- > 0;) builder.put_bit(bit(part.low + b), reversed);
    return;
  }
  // 4 by 1 or 3: (h, l) -> (h^l, ~l), the sum of ~h and ~l being that of h and l.
  if (length == 4) builder.put_bit(bit(part.low + 1) | bit(part.low), roll == 3);
  builder.put_bit(bit(part.low), !reversed);
}

// Every length as these parts of it.
template <class PartsOf>
Digits expanded(const Digits& digits, PartsOf parts_of) {
  std::vector<Parts> parts;  // by the length's number
  int width = digits.bits.width();
  for (const Digit& digit : digits.to) {
    if (is_bit(digit)) continue;
    const auto which = static_cast<std::size_t>(digit.which);
    parts.resize(std::max(parts.size(), which + 1));
    parts[which] = parts_of(digit);
    for (const Part& part : parts[which]) width += part.bits;
  }
  std::vector<int> bit_at(static_cast<std::size_t>(digits.bits.width()));  // of the old bits
  std::vector<Digit> from;
  int lengths = 0;
  int old_bit = digits.bits.width();
  int new_bit = width;
  for (const Digit& digit : digits.from) {
    if (is_bit(digit)) {
      bit_at[static_cast<std::size_t>(--old_bit)] = --new_bit;
      from.push_back({});
      continue;
    }
    for (Part& part : parts[static_cast<std::size_t>(digit.which)]) {
      part.low = new_bit -= part.bits;
      from.insert(from.end(), static_cast<std::size_t>(part.bits), Digit{});
      if (part.bits > 0) continue;
      part.digit.which = lengths++;
      from.push_back({part.digit.length, part.digit.which});
    }
  }
  Builder builder(width);
  int old_row = digits.bits.width();
  for (const Digit& digit : digits.to) {
    if (is_bit(digit)) {
      Word row = 0;
      for (Word left = digits.bits.matrix().row(--old_row); left != 0; left &= left - 1)
        row |= bit(bit_at[static_cast<std::size_t>(lowest_bit(left))]);
      builder.put_bit(row, has_bit(digits.bits.complement(), old_row));
      continue;
    }
    for (const Part& part : parts[static_cast<std::size_t>(digit.which)]) {
      if (part.bits > 0)
        put_bits(builder, part);
      else
        builder.put_length(part.digit);
    }
  }
  return std::move(builder).with(std::move(from));
}

// Digits that become one length: `count` of the source from `from` on, which are those of the
// destination from `to` on.
struct Joint {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t count = 1;
  Turn turn;
};

// The joints in the order of the source.
Digits joined(const Digits& digits, const std::vector<Joint>& joints) {
  std::vector<const Joint*> at_source(digits.from.size());
  std::vector<const Joint*> at_destination(digits.to.size());
  for (const Joint& joint : joints) {
    std::fill_n(at_source.begin() + static_cast<std::ptrdiff_t>(joint.from), joint.count, &joint);
    std::fill_n(at_destination.begin() + static_cast<std::ptrdiff_t>(joint.to), joint.count,
                &joint);
  }
  std::vector<Digit> from;
  std::vector<Digit> whole(joints.size());  // what they become
  std::vector<int> number(digits.from.size());
  std::vector<int> kept;  // source bits that stay, from the top
  int lengths = 0;
  int source_bit = digits.bits.width();
  for (std::size_t k = 0; k < digits.from.size(); ++k) {
    const Digit& digit = digits.from[k];
    if (is_bit(digit)) --source_bit;
    if (const Joint* joint = at_source[k]) {
      Digit& one = whole[static_cast<std::size_t>(joint - joints.data())];
      one.length = k == joint->from ? digit.length : one.length * digit.length;
      if (k + 1 < joint->from + joint->count) continue;
      one = {one.length, lengths++, joint->turn.reversed, joint->turn.roll};
      from.push_back({one.length, one.which});
    } else if (is_bit(digit)) {
      kept.push_back(source_bit);
      from.push_back({});
    } else {
      number[static_cast<std::size_t>(digit.which)] = lengths;
      from.push_back({digit.length, lengths++});
    }
  }
  const int width = static_cast<int>(kept.size());
  std::vector<int> new_bit(static_cast<std::size_t>(digits.bits.width()));
  for (int k = 0; k < width; ++k)
    new_bit[static_cast<std::size_t>(kept[static_cast<std::size_t>(k)])] = width - 1 - k;
  Builder builder(width);
  int row_at = digits.bits.width();
  for (std::size_t k = 0; k < digits.to.size(); ++k) {
    Digit digit = digits.to[k];
    if (is_bit(digit)) --row_at;
    if (const Joint* joint = at_destination[k]) {
      if (k == joint->to)
        builder.put_length(whole[static_cast<std::size_t>(joint - joints.data())]);
    } else if (is_bit(digit)) {
      Word row = 0;
      for (Word left = digits.bits.matrix().row(row_at); left != 0; left &= left - 1)
        row |= bit(new_bit[static_cast<std::size_t>(lowest_bit(left))]);
      builder.put_bit(row, has_bit(digits.bits.complement(), row_at));
    } else {
      digit.which = number[static_cast<std::size_t>(digit.which)];
      builder.put_length(digit);
    }
  }
  return std::move(builder).with(std::move(from));
}

}  // namespace

Digits with_bits(const Digits& digits) {
  return expanded(digits, smallest_parts);
}

Digits normal_form(const Digits& any) {
  const Digits digits = with_bits(any);
  const std::vector<Arrival> arrival = arrivals(digits);
  std::vector<Joint> joints;
  for (std::size_t k = 0; k < digits.from.size();) {
    const std::size_t begin = k++;
    bool has_length = !is_bit(digits.from[begin]);
    while (k < digits.from.size() && arrival[k - 1].at && arrival[k].at &&
           *arrival[k].at == *arrival[k - 1].at + 1 &&
           arrival[k].reversed == arrival[k - 1].reversed)
      has_length = !is_bit(digits.from[k++]) || has_length;
    if (has_length && k - begin > 1)
      joints.push_back({begin, *arrival[begin].at, k - begin, {arrival[begin].reversed, 0}});
  }
  return joints.empty() ? digits : joined(digits, joints);
}

namespace {

// Destination digits begin .. begin+count-1 as one digit: nothing where they are not all of some
// neighbours of the source, which are only reversed and rolled.
std::optional<Joint> as_turn(const Digits& digits, std::size_t begin, std::size_t count) {
  const std::size_t end = begin + count;
  Word mask = 0;    // the source bits in it
  Word others = 0;  // those that other rows take
  int row = digits.bits.width();
  int row_low = row;
  int rows = 0;
  std::vector<bool> lengths(digits.from.size());
  for (std::size_t k = 0; k < digits.to.size(); ++k) {
    const bool inside = begin <= k && k < end;
    if (is_bit(digits.to[k])) {
      (inside ? mask : others) |= digits.bits.matrix().row(--row);
      if (inside) row_low = row;
      rows += inside ? 1 : 0;
    } else if (inside) {
      lengths[static_cast<std::size_t>(digits.to[k].which)] = true;
    }
  }
  if ((mask & others) != 0) return std::nullopt;
  Joint joint{0, begin, count, {}};
  Digits local;
  std::vector<int> number(digits.from.size());
  std::size_t last = 0;
  int column = digits.bits.width();
  int column_low = column;
  int numbers = 0;
  for (std::size_t k = 0; k < digits.from.size(); ++k) {
    const Digit& digit = digits.from[k];
    const auto which = static_cast<std::size_t>(digit.which);
    if (is_bit(digit)) --column;
    if (is_bit(digit) ? !has_bit(mask, column) : !lengths[which]) continue;
    if (local.from.empty()) joint.from = k;
    last = k;
    if (is_bit(digit)) {
      column_low = column;
      local.from.push_back({});
    } else {
      number[which] = numbers;
      local.from.push_back({digit.length, numbers++});
    }
  }
  if (local.from.size() != count || last - joint.from + 1 != count) return std::nullopt;
  Word n = 1;
  for (std::size_t k = begin; k < end; ++k) {
    Digit digit = digits.to[k];
    if (!is_bit(digit)) digit.which = number[static_cast<std::size_t>(digit.which)];
    local.to.push_back(digit);
    n *= digit.length;
  }
  local.bits = BitMap::from_matrix(digits.bits.matrix().block(row_low, rows, column_low, rows),
                                   (digits.bits.complement() >> row_low) & low_mask(rows));
  const Map map = Map::from_digits(local);
  const Word zero = map(0);
  const Word one = map(1);
  joint.turn = one == (zero + 1) % n ? Turn{false, zero} : Turn{true, (zero + 1) % n};
  if (map != Map::turn(n, joint.turn)) return std::nullopt;
  return joint;
}

// The destination's digits between neighbouring places as one digit each. Nothing where that is not
// so.
std::optional<Digits> grouped(const Digits& digits, const Bounds& places) {
  std::vector<Joint> joints;
  Word low = 1;
  std::size_t end = digits.to.size();
  for (std::size_t k = end; k-- > 0;) {
    low *= digits.to[k].length;
    if (!places.contains(low)) continue;
    if (end - k > 1) {
      const auto joint = as_turn(digits, k, end - k);
      if (!joint) return std::nullopt;
      joints.push_back(*joint);
    }
    end = k;
  }
  std::sort(joints.begin(), joints.end(),
            [](const Joint& a, const Joint& b) { return a.from < b.from; });
  return joined(digits, joints);
}

}  // namespace

std::optional<Digits> then(const Digits& f, const Digits& g) {
  Bounds places;
  for (const Word at : bounds_of(f.to))
    if (can_cut(g, Map::Side::from, at)) places.insert(at);
  for (const Word at : bounds_of(g.from))
    if (can_cut(f, Map::Side::to, at)) places.insert(at);
  const auto fine_f = refined(f, {}, places);
  const auto fine_g = refined(g, places, {});
  FARO_CHECK(fine_f && fine_g);
  const auto before = grouped(*fine_f, places);
  const auto after = grouped(inverse(*fine_g), places);  // both arrive in the middle
  if (!before || !after) return std::nullopt;
  // Between the two both now have the same digits; the lengths among them in the order of `middle`.
  const Digits first = expanded(*before, twos_as_bits);
  const Digits second = inverse(expanded(*after, twos_as_bits));
  FARO_CHECK(first.to.size() == second.from.size());
  std::vector<Digit> middle;
  for (const Digit& digit : first.to)
    if (!is_bit(digit)) middle.push_back(digit);
  Digits result{first.from, second.to, then(first.bits, second.bits)};
  for (Digit& digit : result.to) {
    if (is_bit(digit)) continue;
    const Digit& met = middle[static_cast<std::size_t>(digit.which)];
    const Word roll = digit.reversed ? digit.length - met.roll : met.roll;
    digit = {digit.length, met.which, digit.reversed != met.reversed,
             (digit.roll + roll) % digit.length};
  }
  return result;
}

}  // namespace faro::inline v1::radix
