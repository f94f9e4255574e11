// The map that digits say: the source is cut where they are.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/count_format.hpp"
#include "words/forms.hpp"

namespace faro::inline v1::words {
namespace {

using Span = std::pair<Word, Word>;  // where a digit stands, and its length

// All that can be bits as bits, if there is any sum; else neighbours joined.
Forms alike(const Forms& forms) {
  const bool sums = std::any_of(forms.begin(), forms.end(), [](const Form& f) { return f.is_sum; });
  if (!sums) return joined(forms);
  Forms result;
  for (const Form& form : forms) {
    if (const auto bits = bits_of(form))
      append(result, *bits);
    else
      result.push_back(form);
  }
  return result;
}

bool within_one(Word low, const std::set<Span>& spans) {
  return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
    return span.first < low && low - span.first < span.first * (span.second - 1);
  });
}

Made refused(NotationFault fault, std::string reason) {
  return {std::nullopt, fault, std::move(reason)};
}

// The spans must follow one another from 1 to the number of elements.
Made check_source(Count elements, const std::set<Span>& spans) {
  Count at = 1;
  for (const auto& [low, length] : spans) {
    if (Count{low} > at)
      return refused(NotationFault::singular,
                     fmt::format("the digits from {} to {} are lost", at, low));
    if (Count{low} < at)
      return refused(within_one(low, spans) ? NotationFault::singular : NotationFault::impossible,
                     "a digit is there twice");
    at = at * length;
  }
  if (at != elements)
    return refused(NotationFault::singular, fmt::format("the digits from {} on are lost", at));
  return {};
}

}  // namespace

Made map_of(Count elements, const Forms& given) {
  const Forms forms = alike(given);
  std::set<Span> spans;
  std::set<Word> bits;
  for (const Form& form : forms)
    for (const Word low : form.bits)
      if (form.is_sum) bits.insert(low);
  for (const Word low : bits) spans.emplace(low, 2);
  for (const Form& form : forms)
    if (!form.is_sum && form.length > 1 && !spans.emplace(form.low, form.length).second)
      return refused(NotationFault::singular, "a digit is there twice");
  if (Made source = check_source(elements, spans); !source.reason.empty()) return source;
  Digits digits;
  std::map<Word, int> number;  // of bits from the last one up, of lengths from the first one down
  int next_bit = static_cast<int>(bits.size());
  int next_length = 0;
  for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
    const bool is_bit = bits.count(span->first) > 0;
    number[span->first] = is_bit ? --next_bit : next_length++;
    digits.from.push_back(is_bit ? Digit{} : Digit{span->second, number[span->first], false, 0});
  }
  std::vector<Word> rows;
  Word complement = 0;
  for (const Form& form : forms) {
    if (!form.is_sum) {
      if (form.length > 1)
        digits.to.push_back({form.length, number[form.low], form.reversed, form.roll});
      continue;
    }
    Word row = 0;
    for (const Word low : form.bits) row |= bit(number[low]);
    rows.push_back(row);
    digits.to.push_back({});
  }
  if (rows.size() != bits.size()) return refused(NotationFault::singular, "bits are lost");
  std::reverse(rows.begin(), rows.end());
  std::size_t place = rows.size();
  for (const Form& form : forms)
    if (form.is_sum && (--place, form.reversed)) complement |= bit(static_cast<int>(place));
  const BitMatrix matrix = BitMatrix::from_rows(static_cast<int>(rows.size()), rows);
  if (matrix.rank() != static_cast<int>(rows.size()))
    return refused(NotationFault::singular, "a bit is a sum of others");
  digits.bits = BitMap::from_matrix(matrix, complement);
  const bool all_bits = rows.size() == digits.to.size();
  if (all_bits) return {Map::from_bits(digits.bits), {}, {}};
  if (elements > Count{bit(63)})
    return refused(NotationFault::limit, "lengths together beyond 2^63");
  return {Map::from_digits(digits), {}, {}};
}

}  // namespace faro::inline v1::words
