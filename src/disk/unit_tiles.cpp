#include "disk/unit_tiles.hpp"

#include <algorithm>
#include <utility>

#include "algebra/digits.hpp"

namespace faro::inline v1::disk {
namespace {

// The digits of a side above `elements`, or those below, and how many of them are bits.
struct Half {
  std::vector<Digit> digits;
  int bits = 0;
};

Half half_of(const std::vector<Digit>& side, Word elements, bool above) {
  Half half;
  Word low = 1;
  std::vector<Digit> fastest_first;
  for (std::size_t k = side.size(); k-- > 0;) {
    if ((low >= elements) == above) {
      fastest_first.push_back(side[k]);
      if (radix::is_bit(side[k])) ++half.bits;
    }
    low *= side[k].length;
  }
  half.digits.assign(fastest_first.rbegin(), fastest_first.rend());
  return half;
}

// A map of the digits of two halves; nothing where they are not the same digits.
std::optional<Map> map_of(Half from, Half to, const BitMap& bits) {
  std::vector<int> numbers;  // old ones, in the order of the source
  for (Digit& digit : from.digits)
    if (!radix::is_bit(digit)) {
      numbers.push_back(digit.which);
      digit.which = static_cast<int>(numbers.size()) - 1;
    }
  if (from.bits != to.bits || from.digits.size() != to.digits.size()) return std::nullopt;
  for (Digit& digit : to.digits) {
    if (radix::is_bit(digit)) continue;
    const auto at = std::find(numbers.begin(), numbers.end(), digit.which);
    if (at == numbers.end()) return std::nullopt;
    digit.which = static_cast<int>(at - numbers.begin());
  }
  return Map::from_digits({from.digits, to.digits, bits});
}

// Units of so many elements, if the map has them.
std::optional<TileUnits> units_of(const Map& map, Word elements) {
  const radix::Bounds cut{elements};
  const auto cut_there = radix::refined(radix::with_bits(map.digits()), cut, cut);
  if (!cut_there) return std::nullopt;
  const Digits& digits = *cut_there;
  const Half low_from = half_of(digits.from, elements, false);
  const Half low_to = half_of(digits.to, elements, false);
  const int low = low_from.bits;
  const int width = digits.bits.width();
  const BitMatrix& matrix = digits.bits.matrix();
  if (low != low_to.bits || matrix.block(low, width - low, 0, low).rank() != 0 ||
      matrix.block(0, low, low, width - low).rank() != 0)
    return std::nullopt;
  const auto within = map_of(
      low_from, low_to,
      BitMap::from_matrix(matrix.block(0, low, 0, low), digits.bits.complement() & low_mask(low)));
  const auto among =
      map_of(half_of(digits.from, elements, true), half_of(digits.to, elements, true),
             BitMap::from_matrix(matrix.block(low, width - low, low, width - low),
                                 low == word_bits ? 0 : digits.bits.complement() >> low));
  if (!within || !among) return std::nullopt;
  return TileUnits{.among = *among, .within = *within};
}

// Where the source can be cut into blocks of at most so many elements, ascending: at its digits,
// and within them where they divide, into as few parts as can be.
std::vector<Word> places_of(const Map& map, Word most) {
  constexpr Word parts_max = Word{1} << 20U;
  std::vector<Word> places{1};
  Word low = 1;
  const Digits digits = map.digits();
  for (std::size_t k = digits.from.size(); k-- > 0 && low <= most;) {
    const Word length = digits.from[k].length;
    const Word room = most / low;
    for (Word parts = (length - 1) / room + 1; parts <= std::min(length, parts_max); ++parts)
      if (length % parts == 0) places.push_back(low * (length / parts));
    low *= length;
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

TileUnits largest_units(const Map& map, std::uint64_t elements_max) {
  const std::vector<Word> places = places_of(map, std::max<std::uint64_t>(elements_max, 1));
  for (std::size_t k = places.size(); k-- > 0;)
    if (auto units = units_of(map, places[k])) return *std::move(units);
  return {.among = map, .within = {}};
}

std::optional<std::string> wrong_units(const TileUnits& units, const Map& map) {
  if (beside(units.among, units.within) == map) return std::nullopt;
  return "what happens among the units and within them is not the map";
}

UnitTiles::UnitTiles(const TileUnits& units, std::uint64_t element_bytes)
    : units_(units),
      element_bytes_(element_bytes),
      tile_bytes_(static_cast<std::uint64_t>(units.within.elements()) * element_bytes) {}

TilePlace UnitTiles::place(std::uint64_t index) const {
  TilePlace place;
  place.index = place.from = index;
  place.to = units_.among(index);
  place.bytes = tile_bytes_;
  return place;
}

Pieces UnitTiles::reads_of(const TilePlace& tile) const {
  return {.count = static_cast<std::uint64_t>(ceil_div(tile.bytes, request_bytes_max)),
          .bytes = std::min(tile.bytes, request_bytes_max)};
}

Request UnitTiles::read(const TilePlace& tile, std::uint64_t i) const {
  const std::uint64_t within = i * request_bytes_max;
  return {.file_offset = (tile.from * tile_bytes_) + within,
          .buffer_offset = within,
          .bytes = std::min(request_bytes_max, tile_bytes_ - within)};
}

Request UnitTiles::write(const TilePlace& tile, std::uint64_t i) const {
  Request request = read(tile, i);
  request.file_offset += (tile.to - tile.from) * tile_bytes_;  // modulo 2^64
  return request;
}

PermutePlan UnitTiles::permuting(const TilePlace& /*tile*/, std::uint64_t alike,
                                 const PermuteOptions& options) const {
  return PermutePlan::out_of_place(radix::on_middle_axis(alike, units_.within, 1),
                                   TensorShape{element_bytes_, {}, {}}, options);
}

}  // namespace faro::inline v1::disk
