#include "faro/algebra/bit_map.hpp"

#include <fmt/format.h>

#include <array>

#include "base/check.hpp"
#include "base/require.hpp"

namespace faro::inline v1 {
namespace {

std::string name_inputs(Word inputs) {
  std::string names;
  for (int i = word_bits - 1; i >= 0; --i)
    if (has_bit(inputs, i)) names += fmt::format("{}{}", names.empty() ? "" : ", ", i);
  return names;
}

}  // namespace

BitMap BitMap::identity(int width) {
  return {BitMatrix::identity(width), 0};
}

BitMap BitMap::from_columns(std::span<const Word> columns, Word complement) {
  const auto width = columns.size();
  if (width > word_bits)
    throw Error(ErrorCode::limit, fmt::format("a map of {} bits; at most 64 are possible", width));
  const Word valid = low_mask(static_cast<int>(width));
  for (std::size_t i = 0; i < width; ++i)
    if ((columns[i] & ~valid) != 0)
      throw Error(ErrorCode::usage,
                  fmt::format("the image of bit {}, {:#x}, does not fit a map of {} bits", i,
                              columns[i], width));
  if ((complement & ~valid) != 0)
    throw Error(ErrorCode::usage, fmt::format("the complement {:#x} does not fit a map of {} bits",
                                              complement, width));
  return from_matrix(BitMatrix::from_columns(static_cast<int>(width), columns), complement);
}

BitMap BitMap::from_matrix(const BitMatrix& matrix, Word complement) {
  require(matrix.rows() == matrix.columns(),
          "a matrix of {} rows and {} columns: a map's is square", matrix.rows(), matrix.columns());
  require((complement & ~low_mask(matrix.rows())) == 0,
          "the complement {:#x} does not fit a map of {} bits", complement, matrix.rows());
  const std::vector<Word> kernel = matrix.kernel();
  if (!kernel.empty())
    throw NotInvertible(
        fmt::format("not invertible: the images of bits {} xor to zero, so that several "
                    "elements would go to one place",
                    name_inputs(kernel.front())),
        kernel.front());
  return {matrix, complement};
}

BitMap BitMap::from_places(std::span<const int> place, Word complement) {
  std::array<Word, word_bits> columns{};
  if (place.size() > columns.size())
    throw Error(ErrorCode::limit,
                fmt::format("a map of {} bits; at most 64 are possible", place.size()));
  Word taken = 0;
  for (std::size_t b = 0; b < place.size(); ++b) {
    const int to = place[b];
    if (to < 0 || to >= static_cast<int>(place.size()) || has_bit(taken, to))
      throw Error(
          ErrorCode::usage,
          fmt::format("bit {} goes to position {}: every position from 0 to {} must be named once",
                      b, to, place.size() - 1));
    taken |= bit(to);
    columns[b] = bit(to);
  }
  return from_columns(std::span(columns.data(), place.size()), complement);
}

BitMap BitMap::inverse() const {
  const std::optional<BitMatrix> inverse = matrix_.inverse();
  FARO_CHECK(inverse.has_value());
  return {*inverse, inverse->apply(complement_)};
}

BitMap then(const BitMap& f, const BitMap& g) {
  require(f.width() == g.width(), "a map of {} bits cannot follow one of {}", g.width(), f.width());
  return BitMap::from_matrix(then(f.matrix(), g.matrix()), g(f.complement()));
}

BitMap beside(const BitMap& high, const BitMap& low) {
  require(high.width() + low.width() <= word_bits,
          "maps of {} and {} bits beside each other: together at most {}", high.width(),
          low.width(), word_bits);
  const int m = low.width();
  std::array<Word, word_bits> columns{};
  const auto width = static_cast<std::size_t>(high.width() + m);
  for (int i = 0; i < m; ++i) columns[static_cast<std::size_t>(i)] = low.column(i);
  for (int i = 0; i < high.width(); ++i)
    columns[static_cast<std::size_t>(m + i)] = high.column(i) << m;
  const Word complement = (high.width() == 0 ? 0 : high.complement() << m) | low.complement();
  return BitMap::from_columns(std::span(columns.data(), width), complement);
}

void apply_consecutive(const BitMap& map, Word first, std::span<Word> out) {
  // Counting up flips bits 0..t, t = ones at the end of the index: one xor with the sum of those
  // columns.
  std::array<Word, word_bits> prefix{};
  Word sum = 0;
  for (int i = 0; i < map.width(); ++i) prefix[static_cast<std::size_t>(i)] = sum ^= map.column(i);
  Word index = first;
  Word value = out.empty() ? 0 : map(first);
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = value;
    ++index;
    if (k + 1 < out.size()) value ^= prefix[static_cast<std::size_t>(lowest_bit(index))];
  }
}

std::size_t hash_of(const BitMap& map) {
  // FNV-1a over the words; stable across runs, as everything in a plan must be.
  std::uint64_t h = 0xcbf29ce484222325U;
  const auto mix = [&h](Word w) { h = (h ^ w) * 0x100000001b3U; };
  mix(static_cast<Word>(map.width()));
  for (int i = 0; i < map.width(); ++i) mix(map.column(i));
  mix(map.complement());
  return h;
}

}  // namespace faro::inline v1
