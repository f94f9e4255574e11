#include "words/forms.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "faro/base/limits.hpp"

namespace faro::inline v1::words {
namespace {

constexpr Word length_max = bit(limits::tensor_elements_log2_max);

Form sum_at(Word low, bool inverted) {
  Form form;
  form.is_sum = true;
  form.bits = {low};
  form.reversed = inverted;
  return form;
}

// A sum of one bit is a part too.
Form as_part(const Form& form) {
  if (!form.is_sum || form.bits.size() != 1) return form;
  Form result = part(form.bits[0], 2);
  result.reversed = form.reversed;
  return result;
}

struct Piece {
  Word length = 1;
  bool reversed = false;
  Word roll = 0;
};

// A rolled digit in its smallest parts, most significant first: what is rolled is rolled by a
// number without a common factor, what is below is only reversed.
std::vector<Piece> pieces_of(const Form& form) {
  const Word low = form.roll == 0 ? form.length : std::gcd(form.length, form.roll);
  std::vector<Piece> pieces;
  if (form.length / low > 1) pieces.push_back({form.length / low, form.reversed, form.roll / low});
  if (low > 1) pieces.push_back({low, form.reversed, 0});
  return pieces;
}

// 2 or 4 rolled by an odd number, at `low`: (h, l) -> (h^l, ~l) for 4 by 1 or 3; the sum of ~h and
// ~l is that of h and l.
void append_rolled(Forms& bits, Word low, const Piece& piece) {
  if (piece.length == 2) {
    bits.push_back(sum_at(low, !piece.reversed));
    return;
  }
  Form high = sum_at(low, piece.roll == 3);
  high.bits = {low, 2 * low};
  bits.push_back(std::move(high));
  bits.push_back(sum_at(low, !piece.reversed));
}

// Parts that are rolled in their smallest parts, as bits where they are 2 and 4.
Forms small(const Forms& forms) {
  Forms result;
  for (const Form& form : forms) {
    if (form.is_sum || form.roll == 0) {
      result.push_back(form);
      continue;
    }
    Word above = form.low * form.length;
    for (const Piece& piece : pieces_of(form)) {
      above /= piece.length;
      if (piece.roll != 0 && (piece.length == 2 || piece.length == 4))
        append_rolled(result, above, piece);
      else
        result.push_back({false, {}, above, piece.length, piece.reversed, piece.roll});
    }
  }
  return result;
}

// Plus 1 or 3 modulo 4, or plus 1 modulo 2, on these bits; nothing for more bits.
std::optional<Forms> rolled_bits(const Forms& top, Word shift) {
  Forms bits;
  for (const Form& form : top) {
    const auto more = bits_of(form);
    if (!more) return {};
    append(bits, *more);
  }
  if (bits.size() == 1) {
    bits[0].reversed = !bits[0].reversed;
    return bits;
  }
  if (bits.size() != 2) return {};
  const bool inverted = bits[0].reversed != bits[1].reversed;
  Form high = sum_of(bits[0], bits[1]);
  high.reversed = inverted != (shift % 4 == 3);
  bits[0] = std::move(high);
  bits[1].reversed = !bits[1].reversed;
  return bits;
}

}  // namespace

Form part(Word low, Word length) {
  return {false, {}, low, length, false, 0};
}

Forms bits_at(Word low, int width) {
  Forms bits;
  for (int b = width - 1; b >= 0; --b) bits.push_back(sum_at(low << b, false));
  return bits;
}

Forms digit_at(Word low, Word length) {
  if (is_power_of_two(length)) return bits_at(low, log2_exact(length));
  return {part(low, length)};
}

std::vector<Forms> axes_of(const std::vector<Word>& shape) {
  Word low = 1;
  for (const Word length : shape) low *= length;
  std::vector<Forms> axes;
  for (const Word length : shape) {
    low /= length;
    axes.emplace_back();
    if (length > 1) axes.back().push_back(part(low, length));
  }
  return axes;
}

Word length_of(const Form& form) {
  return form.is_sum ? 2 : form.length;
}

Count size_of(const Forms& forms) {
  Count size = 1;
  for (const Form& form : forms) size = size * length_of(form);
  return size;
}

void append(Forms& to, const Forms& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Form sum_of(const Form& a, const Form& b) {
  Form sum;
  sum.is_sum = true;
  std::set_symmetric_difference(a.bits.begin(), a.bits.end(), b.bits.begin(), b.bits.end(),
                                std::back_inserter(sum.bits));
  sum.reversed = a.reversed != b.reversed;
  return sum;
}

std::optional<Forms> bits_of(const Form& form) {
  if (form.is_sum) return Forms{form};
  if (!is_power_of_two(form.length)) return {};
  Forms bits;
  Word above = form.low * form.length;
  if (form.length == 1) return bits;
  for (const Piece& piece : pieces_of(form)) {
    above /= piece.length;
    if (piece.roll != 0) {
      if (piece.length > 4) return {};
      append_rolled(bits, above, piece);
      continue;
    }
    for (int b = log2_exact(piece.length) - 1; b >= 0; --b)
      bits.push_back(sum_at(above << b, piece.reversed));
  }
  return bits;
}

Forms complemented(Forms forms) {
  for (Form& form : forms) {
    form.reversed = !form.reversed;
    if (!form.is_sum && form.roll != 0) form.roll = form.length - form.roll;
  }
  return forms;
}

Forms joined(const Forms& forms) {
  Forms result;
  for (const Form& form : forms) {
    const Form next = as_part(form);
    if (!result.empty() && !result.back().is_sum && !next.is_sum && next.roll == 0) {
      Form& last = result.back();
      if (last.reversed == next.reversed && last.low == next.low * next.length &&
          last.length <= length_max / next.length) {
        last = {
            false, {}, next.low, last.length * next.length, next.reversed, last.roll * next.length};
        continue;
      }
    }
    result.push_back(next);
  }
  return result;
}

std::optional<std::vector<Forms>> dealt(const Forms& forms, const std::vector<Word>& shape) {
  Forms left = small(joined(forms));
  std::vector<Forms> axes(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    Word have = 1;
    while (have < shape[k]) {
      if (left.empty() || shape[k] % have != 0) return {};
      const Form form = as_part(left.back());
      const Word wanted = shape[k] / have;
      const Word length = length_of(form);
      left.pop_back();
      if (wanted % length == 0) {
        axes[k].insert(axes[k].begin(), form);
        have *= length;
        continue;
      }
      if (form.is_sum || form.roll != 0 || length % wanted != 0) return {};
      axes[k].insert(axes[k].begin(), {false, {}, form.low, wanted, form.reversed, 0});
      left.push_back({false, {}, form.low * wanted, length / wanted, form.reversed, 0});
      have *= wanted;
    }
  }
  if (!left.empty()) return {};
  return axes;
}

Word shift_on(const Forms& forms, Word by, Way way) {
  const Count size = size_of(forms);
  const Word remainder = size.high() == 0 ? by % size.low() : by;
  if (way == Way::forth || remainder == 0) return remainder;
  return static_cast<Word>(size - Count{remainder});
}

std::optional<Forms> rolled(const Forms& forms, Word shift) {
  if (shift == 0) return forms;
  Forms top = small(joined(forms));
  Forms low;  // what the shift does not touch, least significant first
  while (!top.empty() && shift != 0) {
    const Form form = as_part(top.back());
    const Word length = length_of(form);
    if (form.is_sum || form.roll != 0) {  // whole or not at all
      if (shift % length != 0) break;
      low.push_back(top.back());
      top.pop_back();
      shift /= length;
      continue;
    }
    const Word common = std::gcd(shift, length);
    if (common == 1) break;
    top.pop_back();
    low.push_back({false, {}, form.low, common, form.reversed, 0});
    if (common < length)
      top.push_back({false, {}, form.low * common, length / common, form.reversed, 0});
    shift /= common;
  }
  std::reverse(low.begin(), low.end());
  Forms one = joined(top);
  if (one.size() == 1 && !one[0].is_sum) {
    const Word by = shift % one[0].length;
    const Word room = one[0].length - one[0].roll;
    one[0].roll = by >= room ? by - room : one[0].roll + by;
    append(one, low);
    return one;
  }
  auto bits = rolled_bits(top, shift);
  if (bits) append(*bits, low);
  return bits;
}

}  // namespace faro::inline v1::words
