#include "algebra/tensor_digits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::tensor {
namespace {

constexpr Word elements_max = bit(limits::tensor_elements_log2_max);

bool is_bit(const Digit& digit) {
  return digit.which == Digit::is_bit;
}

int bits_in(const Digit& digit) {
  return is_bit(digit) ? 1 : is_power_of_two(digit.length) ? log2_exact(digit.length) : 0;
}

// The place among the destination's digits that each of the source's goes to, and whether it is
// reversed; nothing for a bit that others are added to or that is added to others.
struct Arrival {
  std::optional<std::size_t> at;
  bool reversed = false;
};

std::vector<Arrival> arrivals(const TensorDigits& digits) {
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
  void put_length(Word length, int which, bool reversed) {
    to_.push_back({length, which, reversed});
  }
  TensorDigits with(std::vector<Digit> from) && {
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

void check_side(const std::vector<Digit>& side, int width, std::size_t lengths) {
  int bits = 0;
  Word product = 1;
  std::vector<bool> seen(lengths);
  for (const Digit& digit : side) {
    if (is_bit(digit)) {
      ++bits;
      if (digit.length != 2)
        throw Error(ErrorCode::usage,
                    fmt::format("tensor map: a bit of length {}; it is 2", digit.length));
    } else {
      const auto which = static_cast<std::size_t>(digit.which);
      if (digit.which < 0 || which >= lengths || seen[which])
        throw Error(ErrorCode::usage,
                    fmt::format("tensor map: length number {} on a side of {} lengths; each stands "
                                "there once, numbered from 0",
                                digit.which, lengths));
      seen[which] = true;
      if (digit.length == 0) throw Error(ErrorCode::usage, "tensor map: a length of 0");
    }
    if (lengths > 0 && digit.length > elements_max / product)
      throw Error(ErrorCode::limit, "tensor map: lengths together beyond 2^63");
    product *= digit.length;
  }
  if (bits != width)
    throw Error(ErrorCode::usage,
                fmt::format("tensor map: a side of {} bits, a bit map of {}", bits, width));
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

void check_digits(const TensorDigits& digits) {
  std::vector<Word> lengths;
  for (const Digit& digit : digits.from) {
    if (is_bit(digit)) continue;
    if (digit.which != static_cast<int>(lengths.size()) || digit.reversed)
      throw Error(ErrorCode::usage,
                  "tensor map: the source numbers its lengths 0, 1, .. and reverses none");
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
          fmt::format("tensor map: length {} is {} at the source, {} at the destination",
                      digit.which, lengths[static_cast<std::size_t>(digit.which)], digit.length));
  }
  if (found != lengths.size())
    throw Error(ErrorCode::usage,
                fmt::format("tensor map: {} lengths at the source, {} at the destination",
                            lengths.size(), found));
}

TensorDigits with_bits(const TensorDigits& digits) {
  // The old bits' and the powers' places among the new bits.
  std::vector<int> bit_at(static_cast<std::size_t>(digits.bits.width()));
  std::vector<int> low_of(digits.from.size());
  int width = 0;
  int old_bit = 0;
  for (std::size_t k = digits.from.size(); k-- > 0;) {
    const Digit& digit = digits.from[k];
    if (is_bit(digit))
      bit_at[static_cast<std::size_t>(old_bit++)] = width;
    else
      low_of[static_cast<std::size_t>(digit.which)] = width;
    width += bits_in(digit);
  }
  std::vector<Digit> from;
  std::vector<int> number;  // of the lengths that stay
  int lengths = 0;
  for (const Digit& digit : digits.from) {
    const bool stays = !is_bit(digit) && !is_power_of_two(digit.length);
    if (!is_bit(digit)) number.push_back(stays ? lengths : -1);
    if (stays)
      from.push_back({digit.length, lengths++, false});
    else
      from.insert(from.end(), static_cast<std::size_t>(bits_in(digit)), Digit{});
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
    const auto which = static_cast<std::size_t>(digit.which);
    if (number[which] >= 0) builder.put_length(digit.length, number[which], digit.reversed);
    for (int b = bits_in(digit); b-- > 0;) builder.put_bit(bit(low_of[which] + b), digit.reversed);
  }
  return std::move(builder).with(std::move(from));
}

namespace {

// Source digits begin..end-1 that stay together, in order and alike reversed.
struct Chain {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool merges = false;  // some digit is a length: they become one
};

std::vector<Chain> chains_of(const TensorDigits& digits, const std::vector<Arrival>& arrivals) {
  std::vector<Chain> chains;
  for (std::size_t k = 0; k < digits.from.size(); ++k) {
    const bool linked = k > 0 && arrivals[k - 1].at && arrivals[k].at &&
                        *arrivals[k].at == *arrivals[k - 1].at + 1 &&
                        arrivals[k].reversed == arrivals[k - 1].reversed;
    if (linked)
      chains.back().end = k + 1;
    else
      chains.push_back({k, k + 1, false});
    if (!is_bit(digits.from[k])) chains.back().merges = true;
  }
  return chains;
}

}  // namespace

TensorDigits normal_form(const TensorDigits& any) {
  const TensorDigits digits = with_bits(any);
  const std::vector<Arrival> arrival = arrivals(digits);
  const std::vector<Chain> chains = chains_of(digits, arrival);
  std::vector<Digit> from;
  std::vector<std::optional<Digit>> merged(digits.to.size());  // where a chain's first digit goes
  std::vector<bool> gone(digits.to.size());
  std::vector<int> new_bit(static_cast<std::size_t>(digits.bits.width()), -1);
  int lengths = 0;
  int source_bit = digits.bits.width();
  std::vector<int> kept;  // source bits that stay, from the top
  for (const Chain& chain : chains) {
    Word length = 1;
    for (std::size_t k = chain.begin; k < chain.end; ++k) {
      length *= digits.from[k].length;
      if (is_bit(digits.from[k])) --source_bit;
      if (chain.merges)
        gone[*arrival[k].at] = true;
      else {
        from.push_back({});
        kept.push_back(source_bit);
      }
    }
    if (!chain.merges) continue;
    from.push_back({length, lengths, false});
    const Arrival& first = arrival[chain.begin];
    merged[*first.at] = Digit{length, lengths++, first.reversed};
  }
  const int width = static_cast<int>(kept.size());
  for (int k = 0; k < width; ++k)
    new_bit[static_cast<std::size_t>(kept[static_cast<std::size_t>(k)])] = width - 1 - k;
  Builder builder(width);
  int row_at = digits.bits.width();
  for (std::size_t k = 0; k < digits.to.size(); ++k) {
    if (is_bit(digits.to[k])) --row_at;
    if (merged[k]) builder.put_length(merged[k]->length, merged[k]->which, merged[k]->reversed);
    if (gone[k]) continue;
    Word row = 0;
    for (Word left = digits.bits.matrix().row(row_at); left != 0; left &= left - 1)
      row |= bit(new_bit[static_cast<std::size_t>(lowest_bit(left))]);
    builder.put_bit(row, has_bit(digits.bits.complement(), row_at));
  }
  return std::move(builder).with(std::move(from));
}

namespace {

// The places inside digit k where a bound cuts it, as products of its own parts. False if one cuts
// it unevenly.
bool cuts_of(const std::vector<Digit>& side, const Bounds& bounds,
             std::vector<std::set<Word>>& cuts) {
  Word low = 1;
  for (std::size_t k = side.size(); k-- > 0;) {
    const Digit& digit = side[k];
    const Word high = low * digit.length;  // 0 where it is 2^64
    const auto end = high == 0 ? bounds.end() : bounds.lower_bound(high);
    for (auto at = bounds.upper_bound(low); at != end; ++at) {
      if (is_bit(digit) || *at % low != 0 || digit.length % (*at / low) != 0) return false;
      cuts[static_cast<std::size_t>(digit.which)].insert(*at / low);
    }
    low = high;
  }
  return true;
}

}  // namespace

std::optional<TensorDigits> refined(const TensorDigits& digits, const Bounds& from,
                                    const Bounds& to) {
  std::size_t lengths = 0;
  for (const Digit& digit : digits.from) lengths += is_bit(digit) ? 0 : 1;
  std::vector<std::set<Word>> cuts(lengths);
  if (!cuts_of(digits.from, from, cuts) || !cuts_of(digits.to, to, cuts)) return std::nullopt;
  std::vector<std::vector<Word>> parts(lengths);  // most significant first
  std::vector<int> number(lengths);               // of a length's first part
  int numbers = 0;
  TensorDigits result;
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
    for (const Word part : parts[which]) result.from.push_back({part, numbers++, false});
  }
  for (const Digit& digit : digits.to) {
    if (is_bit(digit)) {
      result.to.push_back(digit);
      continue;
    }
    const auto which = static_cast<std::size_t>(digit.which);
    int n = number[which];
    for (const Word part : parts[which]) result.to.push_back({part, n++, digit.reversed});
  }
  return result;
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
  }
  put(power);
  return text.empty() ? "1" : text;
}

}  // namespace faro::inline v1::tensor
