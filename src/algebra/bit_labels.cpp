#include "algebra/bit_labels.hpp"

#include <fmt/format.h>

namespace faro::inline v1 {

std::vector<std::string> bit_labels(const Notation& notation) {
  std::vector<std::string> labels;
  for (auto field = notation.fields.rbegin(); field != notation.fields.rend(); ++field)
    for (int b = 0; b < field->width; ++b) {
      const char last = field->name.back();
      if (field->width == 1)
        labels.push_back(field->name);
      else if (last >= '0' && last <= '9')
        labels.push_back(fmt::format("{}[{}]", field->name, b));
      else
        labels.push_back(fmt::format("{}{}", field->name, b));
    }
  if (static_cast<int>(labels.size()) == notation.map.width()) return labels;
  labels.clear();
  for (int b = 0; b < notation.map.width(); ++b) labels.push_back(fmt::format("i{}", b));
  return labels;
}

std::string row_text(const BitMap& map, int row, const std::vector<std::string>& labels) {
  constexpr int run_shown_max = 4;
  const Word mask = map.matrix().row(row);
  std::string text;
  const auto add = [&](const std::string& term) { text += (text.empty() ? "" : " ^ ") + term; };
  for (Word left = mask; left != 0;) {
    const int high = highest_bit(left);
    int low = high;
    while (low > 0 && has_bit(left, low - 1)) --low;
    if (high - low + 1 > run_shown_max) {
      add(labels[static_cast<std::size_t>(high)]);
      add("..");
      add(labels[static_cast<std::size_t>(low)]);
    } else {
      for (int b = high; b >= low; --b) add(labels[static_cast<std::size_t>(b)]);
    }
    left &= ~bit_range(low, high);
  }
  if (!has_bit(map.complement(), row)) return text;
  return is_power_of_two(mask) ? "~" + text : fmt::format("~({})", text);
}

}  // namespace faro::inline v1
