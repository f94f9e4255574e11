#include "cli/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/bit_labels.hpp"

namespace faro::cli {
namespace {

// Marks that need more columns are left out; the sums beside them say the same.
constexpr std::size_t marks_columns_max = 100;

// What stands in one place of the drawing: which sides the lines of that place reach.
struct Cell {
  bool up = false;
  bool down = false;
  bool left = false;
  bool right = false;
  bool inverts = false;
};

const char* glyph(const Cell& cell) {
  if (cell.inverts) return "○";
  const bool vertical = cell.up && cell.down;
  const bool horizontal = cell.left && cell.right;
  if (vertical && horizontal) return "┼";
  if (vertical) return "│";
  if (horizontal) return "─";
  if (cell.up && cell.right) return "└";
  if (cell.up && cell.left) return "┘";
  if (cell.left && cell.down) return "┐";
  if (cell.right && cell.down) return "┌";
  return " ";
}

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t width = 1;
  for (const std::string& label : labels) width = std::max(width, label.size());
  return width;
}

// Labels[b] of source bit b at columns step * k, k = 0 for the most significant.
std::string label_line(const std::vector<std::string>& labels, std::size_t step,
                       std::size_t offset) {
  std::string line(offset, ' ');
  for (std::size_t k = 0; k < labels.size(); ++k)
    line += fmt::format("{:<{}}", labels[labels.size() - 1 - k], step);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string trimmed(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

std::string wire_drawing(const std::vector<int>& place, Word complement,
                         const std::vector<std::string>& labels) {
  const std::size_t width = place.size();
  const std::size_t step = std::max<std::size_t>(4, (widest(labels) + 2) / 2 * 2);
  const std::size_t shift = step / 2;
  const std::size_t columns = step * width + shift;
  std::vector<std::vector<Cell>> cells(width, std::vector<Cell>(columns));
  std::vector<std::string> arrived(width);
  // The wire of the least significant bit turns first: then a shift draws as parallel steps.
  for (std::size_t row = 0; row < width; ++row) {
    const std::size_t from = step * (width - 1 - row);
    const auto to_bit = static_cast<std::size_t>(place[row]);
    const std::size_t to = step * (width - 1 - to_bit) + shift;
    for (std::size_t r = 0; r < row; ++r) cells[r][from].up = cells[r][from].down = true;
    for (std::size_t r = row + 1; r < width; ++r) cells[r][to].up = cells[r][to].down = true;
    cells[row][from].up = true;
    cells[row][to].down = true;
    for (std::size_t c = std::min(from, to); c <= std::max(from, to); ++c) {
      if (c > std::min(from, to)) cells[row][c].left = true;
      if (c < std::max(from, to)) cells[row][c].right = true;
    }
    const bool inverted = has_bit(complement, place[row]);
    if (inverted) cells[row][to].inverts = true;
    arrived[to_bit] = (inverted ? "~" : "") + labels[row];
  }
  std::string text = "  old index  " + label_line(labels, step, 0) + "\n";
  for (const auto& row : cells) {
    std::string line;
    for (const Cell& cell : row) line += glyph(cell);
    text += trimmed("             " + line) + "\n";
  }
  text += "  new index  " + label_line(arrived, step, shift) + "\n";
  return text;
}

std::string matrix_drawing(const BitMap& map, const std::vector<std::string>& labels,
                           DrawingCut cut) {
  const int width = map.width();
  const std::size_t step = widest(labels) + 1;
  const bool marks = step * static_cast<std::size_t>(width) <= marks_columns_max;
  std::string text = "  new bit";
  if (marks) text += "    ";
  for (int b = width - 1; b >= 0 && marks; --b) {
    text += fmt::format("{:>{}}", labels[static_cast<std::size_t>(b)], step);
    if (b == cut.below && b != 0) text += " |";
  }
  text += "\n";
  for (int row = width - 1; row >= 0; --row) {
    const Word mask = map.matrix().row(row);
    text += fmt::format("  {:>7}    ", row);
    for (int b = width - 1; b >= 0 && marks; --b) {
      text += std::string(step - 1, ' ') + (has_bit(mask, b) ? "●" : "·");
      if (b == cut.below && b != 0) text += " |";
    }
    text += "    " + row_text(map, row, labels) + "\n";
    if (row == cut.below && row != 0)
      text += "             " +
              std::string(marks ? step * static_cast<std::size_t>(width) + 2 : 8, '-') + "\n";
  }
  return text;
}

}  // namespace faro::cli
