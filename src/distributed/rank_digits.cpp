#include "distributed/rank_digits.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "algebra/digits.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

bool is_bit(const Digit& digit) {
  return digit.which == Digit::is_bit;
}

// Bits above lengths.
bool is_in_units(const std::vector<Digit>& digits) {
  bool lengths = false;
  for (const Digit& digit : digits) {
    if (is_bit(digit) && lengths) return false;
    lengths = lengths || !is_bit(digit);
  }
  return true;
}

// The same digits, bits above lengths, each in their order.
std::vector<Digit> in_units(const std::vector<Digit>& digits) {
  std::vector<Digit> sorted;
  for (const Digit& digit : digits)
    if (is_bit(digit)) sorted.push_back(digit);
  for (const Digit& digit : digits)
    if (!is_bit(digit)) sorted.push_back(digit);
  return sorted;
}

// Lengths of the first side numbered in its order, as digits of a source must be.
Map map_of(std::vector<Digit> from, std::vector<Digit> to, int bits) {
  std::vector<int> number(from.size() + to.size());
  int next = 0;
  for (Digit& digit : from)
    if (!is_bit(digit)) {
      number[static_cast<std::size_t>(digit.which)] = next;
      digit = {digit.length, next++, false};
    }
  for (Digit& digit : to)
    if (!is_bit(digit)) digit.which = number[static_cast<std::size_t>(digit.which)];
  return Map::from_digits({std::move(from), std::move(to), BitMap::identity(bits)});
}

void unreverse(std::vector<Digit>& digits) {
  for (Digit& digit : digits) digit.reversed = false;
}

// In so many slices; nothing where the digits on either side cannot be cut so.
std::optional<RankDigits> in_slices(const RankDigits& digits, Word slices) {
  RankDigits result = digits;
  result.slices = slices;
  result.unit = digits.unit / slices;
  const std::array<Word, 3> lengths{bit(digits.local_bits()), slices, result.unit};
  const std::array<int, 3> order{1, 0, 2};
  const Map cut = Map::from_axes(lengths, order);
  try {
    result.before = then(digits.before, cut);
    result.after = then(cut.inverse(), digits.after);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible) throw;
    return std::nullopt;
  }
  return result;
}

}  // namespace

bool RankDigits::moves_whole_ranks() const {
  return bits.matrix().block(local_bits(), rank_bits, 0, local_bits()).rank() == 0;
}

BitMap RankDigits::of_ranks() const {
  const BitMatrix matrix = bits.matrix().block(local_bits(), rank_bits, local_bits(), rank_bits);
  const Word complement =
      rank_bits == 0 ? 0 : bits.complement() >> static_cast<unsigned>(local_bits());
  return BitMap::from_matrix(matrix, complement);
}

RankDigits rank_digits(const Map& map, Word ranks) {
  const auto impossible = [](const std::string& why) { throw Error(ErrorCode::impossible, why); };
  if (!is_power_of_two(ranks))
    impossible(
        fmt::format("{} ranks; between ranks bits are moved, so a power of two is needed", ranks));
  radix::refuse_rolled(map, "arrays on ranks");
  const Count elements = map.elements();
  if (elements > bit(limits::tensor_elements_log2_max) || elements % ranks != 0)
    impossible(
        fmt::format("{} elements are not divisible among {} ranks", to_string(elements), ranks));
  const std::array<Word, 2> shape{ranks, static_cast<Word>(elements / ranks)};
  Digits digits;
  try {
    digits = map.digits_of(shape, shape);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::impossible) throw;
    impossible(fmt::format(
        "a cut between {} ranks goes through a digit that is not divisible so ({}); axes whose "
        "first lengths on either side are multiples of {} can be cut",
        ranks, to_string(elements), ranks));
  }
  RankDigits result;
  result.bits = digits.bits;
  result.rank_bits = log2_exact(ranks);
  const auto p = result.rank_bits;
  const int local_bits = result.local_bits();
  std::vector<Digit> from(digits.from.begin() + p, digits.from.end());
  std::vector<Digit> to(digits.to.begin() + p, digits.to.end());
  for (const Digit& digit : from)
    if (!is_bit(digit)) result.unit *= digit.length;
  // Between: as the destination has the lengths where that spares a pass, else as the source has.
  if (is_in_units(to) && !is_in_units(from)) {
    result.before = map_of(from, in_units(to), local_bits);
    result.after = Map::identity(shape[1]);
    return result;
  }
  std::vector<Digit> middle = in_units(from);
  unreverse(middle);
  result.before = map_of(from, middle, local_bits);
  result.after = map_of(middle, to, local_bits);
  return result;
}

RankDigits sliced(const RankDigits& digits, Word unit_max) {
  if (digits.unit <= unit_max) return digits;
  for (Word slices = 2; unit_max != 0 && slices <= limits::rank_slices_max; ++slices) {
    if (digits.unit % slices != 0 || digits.unit / slices > unit_max) continue;
    if (auto result = in_slices(digits, slices)) return *result;
  }
  throw Error(
      ErrorCode::impossible,
      fmt::format("{} elements move as one between ranks, and a buffer has room for {} of them; "
                  "they cannot be cut into {} parts or fewer: give a larger buffer",
                  digits.unit, unit_max, limits::rank_slices_max));
}

}  // namespace faro::inline v1
