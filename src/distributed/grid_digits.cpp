// A map of an array between placements, as a move of digits that are axes of their own.
//
// Both arrays are cut at every digit of the map. Digits that are neighbours within an axis on both
// sides stay one, also where the first is rolled: (h + 1 mod 3, l) of 3 x 4 is 12 rolled by 4, and
// needs no parts that are products. Two bits are one digit where they roll 4. Then each axis of a
// placement is split at its digits, the last one first: a deal of an axis is one of its digits
// where its parts are a product of theirs (faro/layouts/placement.hpp). The grid has a dimension
// for each digit then, and one for the copies; ranks are listed, as these dimensions come in
// another order.
//
//   r=24 -> (4, 6) -> 6 4, blocks of 3 over 8 ranks       4 over 4 and 6 in blocks of 3 over 2
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "distributed/grid_state.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(
      ErrorCode::impossible,
      why +
          "; between ranks whole digits change places, are reversed and rolled. Do the rest "
          "on each rank before or after");
}

// A digit of both arrays.
struct Both {
  Word length = 1;
  std::size_t from_axis = 0;
  std::size_t to_axis = 0;
  std::size_t to_place = 0;    // among the new array's digits
  std::size_t last_place = 0;  // where its lower half is, of 4 that is rolled
  bool reversed = false;
  Word roll = 0;
};

// Of each digit of one side its axis. An axis of length 1 has none.
std::vector<std::size_t> axes_of(const std::vector<Digit>& digits, const std::vector<Word>& shape) {
  std::vector<std::size_t> axes;
  std::size_t a = 0;
  Word left = shape.empty() ? 1 : shape[0];
  for (const Digit& digit : digits) {
    while (left == 1) left = shape[++a];
    axes.push_back(a);
    left /= digit.length;
  }
  return axes;
}

// Where the digits of one side stand: bits from the last one up, lengths by their number.
struct Places {
  std::vector<std::size_t> bits;
  std::vector<std::size_t> lengths;
  explicit Places(const std::vector<Digit>& digits) : lengths(digits.size()) {
    for (std::size_t k = digits.size(); k-- > 0;) {
      if (digits[k].which == Digit::is_bit)
        bits.push_back(k);
      else
        lengths[static_cast<std::size_t>(digits[k].which)] = k;
    }
  }
};

// Where bits go. Of 4 rolled by 1 or 3, perhaps reversed, the lower bit is added to the upper one:
// the two become the upper one's digit, and the lower one has length 1 then.
//
//   rolled by 1: (h, l) -> (h^l, ~l)    by 3: (~h^l, ~l)    reversed first: the same with l for ~l
void read_bits(const BitMap& bits, const std::vector<std::size_t>& from,
               const std::vector<std::size_t>& to, std::vector<Both>& all) {
  for (std::size_t b = 0; b < from.size(); ++b) {
    Both& digit = all[from[b]];
    const Word column = bits.column(static_cast<int>(b));
    if (is_power_of_two(column)) {
      digit.to_place = digit.last_place = to[static_cast<std::size_t>(log2_exact(column))];
      digit.reversed = (bits.complement() & column) != 0;
      continue;
    }
    const auto low = static_cast<std::size_t>(lowest_bit(column));
    const Word low_bit = column & (~column + 1);
    const bool rolls = b + 1 < from.size() && low + 1 < to.size() && column == low_bit * 3 &&
                       bits.column(static_cast<int>(b + 1)) == low_bit * 2 &&
                       from[b + 1] + 1 == from[b] && to[low + 1] + 1 == to[low] &&
                       digit.from_axis == all[from[b + 1]].from_axis;
    if (!rolls) refuse("the map adds bits of the index to each other");
    digit.length = 1;
    Both& upper = all[from[++b]];
    upper.length = 4;
    upper.to_place = to[low + 1];
    upper.last_place = to[low];
    upper.reversed = (bits.complement() & low_bit) == 0;
    upper.roll = (bits.complement() & (low_bit * 2)) == 0 ? 1 : 3;
  }
}

// The map's digits in the order of the source.
std::vector<Both> digits_of_both(const Map& map, const std::vector<Word>& from_shape,
                                 const std::vector<Word>& to_shape) {
  Digits digits;
  try {
    digits = map.digits_of(from_shape, to_shape);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible) throw;
    refuse("the axes of the two arrays have no digits in common");
  }
  std::vector<Both> all(digits.from.size());
  const std::vector<std::size_t> from_axes = axes_of(digits.from, from_shape);
  const std::vector<std::size_t> to_axes = axes_of(digits.to, to_shape);
  const Places from(digits.from);
  const Places to(digits.to);
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].length = digits.from[k].length;
    all[k].from_axis = from_axes[k];
  }
  read_bits(digits.bits, from.bits, to.bits, all);
  for (std::size_t k = 0; k < digits.to.size(); ++k) {
    const Digit& digit = digits.to[k];
    if (digit.which == Digit::is_bit) continue;
    Both& old = all[from.lengths[static_cast<std::size_t>(digit.which)]];
    old.to_place = old.last_place = k;
    old.reversed = digit.reversed;
    old.roll = digit.roll;
  }
  for (Both& digit : all) {
    digit.to_axis = to_axes[digit.to_place];
    if (to_axes[digit.last_place] != digit.to_axis)
      refuse("the map adds bits of the index to each other");
  }
  std::erase_if(all, [](const Both& digit) { return digit.length == 1; });
  return all;
}

// Neighbours that stay neighbours within their axes are one: h and l of lengths m and n, the first
// rolled by s, are m n rolled by s n. Of length 2 reversed and rolled by 1 are the same.
std::vector<Both> joined(const std::vector<Both>& digits) {
  std::vector<Both> result;
  for (const Both& digit : digits) {
    Both* const before = result.empty() ? nullptr : &result.back();
    if (before == nullptr || digit.from_axis != before->from_axis ||
        digit.to_axis != before->to_axis || digit.to_place != before->last_place + 1 ||
        digit.roll != 0 || (digit.reversed != before->reversed && before->length != 2)) {
      result.push_back(digit);
      continue;
    }
    if (digit.reversed != before->reversed) {
      before->reversed = digit.reversed;
      before->roll = 1 - before->roll;
    }
    before->length *= digit.length;
    before->roll *= digit.length;
    before->last_place = digit.last_place;
  }
  return result;
}

// A side's digits, in its own order, dealt as its axes are.
struct Refined {
  std::vector<std::size_t> axis;  // of each digit
  std::vector<AxisDeal> deals;
};

Refined refine(const GridPlacement& side, const std::vector<std::vector<Word>>& lengths) {
  Refined result;
  for (std::size_t a = 0; a < side.axes().size(); ++a) {
    AxisDeal left = side.axes()[a].deal;
    std::vector<AxisDeal> deals;
    for (std::size_t k = lengths[a].size(); k-- > 1;) {
      auto both = left.split(lengths[a][k]);
      if (!both)
        refuse(fmt::format("axis {}, {}: the parts of its ranks are no boxes of its digits {}", a,
                           left.text(), fmt::join(lengths[a], ", ")));
      deals.push_back(both->second);
      left = both->first;
    }
    deals.push_back(left);
    result.axis.insert(result.axis.end(), deals.size(), a);
    result.deals.insert(result.deals.end(), deals.rbegin(), deals.rend());
  }
  return result;
}

// Ranks at the places of a grid with a dimension for each digit, in the side's order, and one for
// the copies.
std::vector<std::uint64_t> ranks_by_digits(const GridPlacement& side, const Refined& digits) {
  std::vector<std::uint64_t> ranks;
  std::vector<std::uint64_t> at(digits.deals.size());
  std::vector<std::uint64_t> parts(side.axes().size());
  while (true) {
    std::fill(parts.begin(), parts.end(), 0);
    for (std::size_t k = 0; k < at.size(); ++k) {
      std::uint64_t& part = parts[digits.axis[k]];
      part = part * digits.deals[k].parts() + at[k];
    }
    for (std::uint64_t copy = 0; copy < side.copies(); ++copy)
      ranks.push_back(side.rank_of(parts, copy));
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == digits.deals[k - 1].parts()) at[--k] = 0;
    if (k == 0) return ranks;
  }
}

// The placement of digits. `number[k]` is the axis that the side's k-th digit is to be; axes beyond
// them, the other side's of length 1, are whole.
GridPlacement placed(const GridPlacement& side, const Refined& digits,
                     const std::vector<std::size_t>& number, std::size_t axes) {
  std::vector<std::uint64_t> grid;
  std::vector<GridAxis> result(axes);
  GridOrder order;
  for (std::size_t k = 0; k < digits.deals.size(); ++k) {
    result[number[k]] = {digits.deals[k], {grid.size()}};
    grid.push_back(digits.deals[k].parts());
  }
  grid.push_back(side.copies());
  std::vector<bool> lies(axes);
  for (const std::size_t a : side.memory_order())
    for (std::size_t k = 0; k < digits.deals.size(); ++k) {
      if (digits.axis[k] != a) continue;
      order.memory_order.push_back(number[k]);
      lies[number[k]] = true;
    }
  for (std::size_t a = 0; a < axes; ++a)
    if (!lies[a]) order.memory_order.push_back(a);
  order.ranks = ranks_by_digits(side, digits);
  return {std::move(grid), std::move(result), order};
}

}  // namespace

DigitMove digits_placed(const GridPlacement& from, const GridPlacement& to, const Map& map,
                        const GridMoveOptions& options) {
  if (!options.order.empty() || !options.reversed.empty() || !options.roll.empty())
    throw Error(ErrorCode::usage, "the map says the order of axes; leave it out of the options");
  if (map.elements() != from.elements() || map.elements() != to.elements())
    throw Error(ErrorCode::usage,
                fmt::format("arrays of {} and {} elements, and a map of {}", from.elements(),
                            to.elements(), to_string(map.elements())));
  const std::vector<Both> digits = joined(digits_of_both(map, from.shape(), to.shape()));
  std::vector<std::size_t> by_place(digits.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::sort(by_place.begin(), by_place.end(),
            [&](std::size_t a, std::size_t b) { return digits[a].to_place < digits[b].to_place; });
  // Axes of length 1 come after the digits, those of the old side first.
  std::vector<std::vector<Word>> from_lengths(from.axes().size());
  std::vector<std::vector<Word>> to_lengths(to.axes().size());
  for (const Both& digit : digits) from_lengths[digit.from_axis].push_back(digit.length);
  for (const std::size_t k : by_place) to_lengths[digits[k].to_axis].push_back(digits[k].length);
  std::size_t ones = digits.size();
  const auto numbered = [&](std::vector<std::vector<Word>>& lengths) {
    std::vector<std::size_t> number;
    std::size_t next = 0;
    for (std::vector<Word>& of_axis : lengths) {
      for (std::size_t k = 0; k < of_axis.size(); ++k) number.push_back(next++);
      if (!of_axis.empty()) continue;
      of_axis.push_back(1);
      number.push_back(ones++);
    }
    return number;
  };
  const std::vector<std::size_t> from_number = numbered(from_lengths);
  const std::vector<std::size_t> to_number = numbered(to_lengths);
  DigitMove move{placed(from, refine(from, from_lengths), from_number, ones),
                 placed(to, refine(to, to_lengths), to_number, ones), options};
  for (const std::size_t k : by_place) {
    move.options.order.push_back(k);
    move.options.reversed.push_back(digits[k].reversed);
    move.options.roll.push_back(digits[k].roll);
  }
  for (std::size_t a = digits.size(); a < ones; ++a) {
    move.options.order.push_back(a);
    move.options.reversed.push_back(false);
    move.options.roll.push_back(0);
  }
  return move;
}

}  // namespace faro::inline v1
