#include "pictures/map_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/bit_labels.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

constexpr double margin = 12;
constexpr double letter = 7.3;  // columns of the 12-pixel font, with room

using Ink = Figure::Ink;
using Anchor = Figure::Anchor;

double text_width(const std::string& text) {
  return letter * static_cast<double>(text.size());
}

double widest(const std::vector<std::string>& texts) {
  double width = letter;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

// Of the bits of an index, the hue that tells processor and memory bits apart.
int hue_of(const Notation& notation, int bit_index) {
  if (notation.cut.kind == Cut::Kind::none) return 0;
  return bit_index >= notation.map.width() - notation.cut.processor_bits ? 0 : 1;
}

Figure strands(const Notation& notation) {
  const BitMap& map = notation.map;
  const int width = map.width();
  const std::vector<std::string> labels = bit_labels(notation);
  const double step = std::max(28.0, widest(labels) + 10);
  const double left = margin + text_width("old index  ");
  const double top = 30;
  const double bottom = top + std::clamp(12.0 * width, 70.0, 220.0);
  Figure figure;
  figure.width = left + step * width + margin;
  figure.height = bottom + 34;
  const auto at = [&](int b) { return left + step * (width - 1 - b) + step / 2; };
  figure.words(margin, top - 10, "old index", Anchor::start);
  figure.words(margin, bottom + 26, "new index", Anchor::start);
  for (int row = 0; row < width; ++row) {
    const Word mask = map.matrix().row(row);
    for (int b = 0; b < width; ++b) {
      if (!has_bit(mask, b)) continue;
      Figure::Shape& strand = figure.curve(at(b), top, at(row), bottom - 7, Ink::hue);
      strand.level = hue_of(notation, b);
      strand.tip =
          fmt::format("old bit {} ({}) to new bit {}", b, labels[static_cast<std::size_t>(b)], row);
    }
  }
  for (int b = 0; b < width; ++b) {
    figure.words(at(b), top - 10, labels[static_cast<std::size_t>(b)]);
    figure.disc(at(b), top, 2).filled = true;
    const Word mask = map.matrix().row(b);
    Figure::Shape& end = figure.disc(at(b), bottom, is_power_of_two(mask) ? 3 : 7);
    end.filled = is_power_of_two(mask) && !has_bit(map.complement(), b);
    end.tip = fmt::format("new bit {} = {}", b, row_text(map, b, labels));
    if (!is_power_of_two(mask)) {
      figure.line(at(b) - 7, bottom, at(b) + 7, bottom);
      figure.line(at(b), bottom - 7, at(b), bottom + 7);
    }
    figure.words(at(b), bottom + 26, (has_bit(map.complement(), b) ? "~" : "") + std::to_string(b));
  }
  return figure;
}

Figure matrix(const Notation& notation) {
  const BitMap& map = notation.map;
  const int width = map.width();
  const std::vector<std::string> labels = bit_labels(notation);
  const double cell = std::max(18.0, widest(labels) + 4);
  const double left = margin + text_width("new bit 63 ");
  const double top = 28;
  const double right = left + cell * width;
  Figure figure;
  figure.height = top + 18.0 * width + margin;
  double sums = 0;
  figure.words(margin, top - 8, "new bit", Anchor::start);
  for (int b = 0; b < width; ++b)
    figure.words(left + cell * (width - 1 - b) + cell / 2, top - 8,
                 labels[static_cast<std::size_t>(b)]);
  for (int row = width - 1; row >= 0; --row) {
    const double y = top + 18.0 * (width - 1 - row);
    const std::string sum = row_text(map, row, labels);
    sums = std::max(sums, text_width(sum));
    figure.words(left - 10, y + 13, std::to_string(row), Anchor::end);
    figure.words(right + 10, y + 13, sum, Anchor::start);
    for (int b = width - 1; b >= 0; --b) {
      Figure::Shape& box = figure.box(left + cell * (width - 1 - b), y, cell, 18, Ink::faint);
      box.tip = fmt::format("row {}, column {}", row, labels[static_cast<std::size_t>(b)]);
      if (!has_bit(map.matrix().row(row), b)) continue;
      Figure::Shape& mark =
          figure.box(left + cell * (width - 1 - b) + 3, y + 3, cell - 6, 12, Ink::hue);
      mark.level = hue_of(notation, b);
      mark.filled = true;
    }
  }
  if (notation.cut.kind != Cut::Kind::none) {
    const int n = notation.cut.processor_bits;
    if (n > 0 && n < width) {
      figure.line(left + cell * n, top, left + cell * n, top + 18.0 * width, Ink::accent);
      figure.line(left, top + 18.0 * n, right, top + 18.0 * n, Ink::accent);
    }
  }
  figure.width = right + 10 + sums + margin;
  return figure;
}

// Elements keep the colour of the place that they came from: an eighth of the array a hue.
Figure array(const Notation& notation) {
  const BitMap& map = notation.map;
  const int width = map.width();
  if (width > limits::drawn_array_log2_max)
    throw Error(ErrorCode::limit,
                fmt::format("an array of 2^{} elements is too large to draw, 2^{} is the most; "
                            "ask for strands or matrix",
                            width, limits::drawn_array_log2_max));
  const int columns_log2 = std::min(width, 4);
  const int columns = 1 << columns_log2;
  const int rows = 1 << (width - columns_log2);
  const double cell = 30;
  const double left = margin;
  Figure figure;
  figure.width = left + cell * columns + margin;
  const BitMap inverse = map.inverse();
  double y = 0;
  for (const bool after : {false, true}) {
    figure.words(left, y + 14, after ? "after" : "before", Anchor::start);
    for (Word i = 0; i < bit(width); ++i) {
      const Word shown = after ? inverse(i) : i;
      const double x = left + cell * static_cast<double>(i & low_mask(columns_log2));
      const double top = y + 20 + 22.0 * static_cast<double>(i >> columns_log2);
      Figure::Shape& box = figure.box(x, top, cell, 22, Ink::hue);
      box.level = static_cast<int>(width > 3 ? shown >> (width - 3) : shown);
      box.tip = after ? fmt::format("index {} holds the element of index {}", i, shown)
                      : fmt::format("element {} goes to index {}", i, map(i));
      figure.words(x + cell / 2, top + 15, std::to_string(shown));
    }
    y += 20 + 22.0 * rows + 12;
  }
  figure.height = y;
  return figure;
}

}  // namespace

Figure map_figure(const Notation& notation, MapPicture what) {
  Figure figure;
  figure.title = to_notation(notation.map, notation.cut);
  figure.description = fmt::format("A map of {} bits: the element at index i goes to index map(i).",
                                   notation.map.width());
  for (const Field& field : notation.fields)
    figure.description += fmt::format(" Field {} has {} bits.", field.name, field.width);
  const bool all = what == MapPicture::all;
  if (all || what == MapPicture::standard || what == MapPicture::strands)
    figure.append_below(strands(notation));
  if (all || what == MapPicture::standard || what == MapPicture::matrix)
    figure.append_below(matrix(notation));
  if (what == MapPicture::array || (all && notation.map.width() <= limits::drawn_array_log2_max))
    figure.append_below(array(notation));
  return figure;
}

}  // namespace faro::inline v1
