#include "faro/service/butterfly_layout.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "faro/base/error.hpp"

namespace faro {
namespace {

using Allocation = ButterflyGoal::Allocation;
using Encoding = ButterflyGoal::Encoding;

constexpr std::array<std::pair<std::string_view, Allocation>, 2> allocations = {{
    {"consecutive", Allocation::consecutive},
    {"cyclic", Allocation::cyclic},
}};
constexpr std::array<std::pair<std::string_view, Encoding>, 4> encodings = {{
    {"binary", Encoding::binary},
    {"gray", Encoding::gray},
    {"gray||gray", Encoding::gray_gray},
    {"binary||gray", Encoding::binary_gray},
}};

[[noreturn]] void refuse(std::string_view text, std::string_view found) {
  throw Error(
      ErrorCode::usage,
      fmt::format("layout '{}': {} does not fit; wanted cyclic or consecutive, then binary, "
                  "gray, gray||gray or binary||gray, as in 'cyclic binary||gray' or "
                  "'cyclic:6|6 gray'",
                  text, found.empty() ? "its end" : fmt::format("'{}'", found)));
}

// The next word, without the blanks around it.
std::string_view word(std::string_view& rest) {
  const std::size_t from = rest.find_first_not_of(" \t\n");
  if (from == std::string_view::npos) return rest = {};
  const std::size_t to = std::min(rest.find_first_of(" \t\n", from), rest.size());
  const std::string_view found = rest.substr(from, to - from);
  rest = rest.substr(to);
  return found;
}

int number(std::string_view text, std::string_view digits) {
  int value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < 0 || value > 64) {
    refuse(text, digits);
  }
  return value;
}

}  // namespace

ButterflyLayout butterfly_layout(std::string_view text) {
  ButterflyLayout layout;
  std::string_view rest = text;
  std::string_view first = word(rest);
  const std::size_t colon = first.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view bits = first.substr(colon + 1);
    const std::size_t bar = bits.find('|');
    if (bar == std::string_view::npos) refuse(text, first);
    layout.processor_bits = number(text, bits.substr(0, bar));
    layout.memory_bits = number(text, bits.substr(bar + 1));
    first = first.substr(0, colon);
  }
  bool known = false;
  for (const auto& [name, allocation] : allocations) {
    if (first != name) continue;
    layout.allocation = allocation;
    known = true;
  }
  if (!known) refuse(text, first);
  const std::string_view second = word(rest);
  known = second.empty();
  for (const auto& [name, encoding] : encodings) {
    if (second != name) continue;
    layout.encoding = encoding;
    known = true;
  }
  if (!known) refuse(text, second);
  const std::string_view third = word(rest);
  if (!third.empty()) refuse(text, third);
  return layout;
}

void check_bits(const ButterflyLayout& layout, int processor_bits, int memory_bits) {
  if (layout.processor_bits.value_or(processor_bits) == processor_bits &&
      layout.memory_bits.value_or(memory_bits) == memory_bits) {
    return;
  }
  throw Error(ErrorCode::usage,
              fmt::format("layout '{}': the machine has {} processor bits and the data {} memory "
                          "bits; leave the bits out, or write {}:{}|{}",
                          to_string(layout), processor_bits, memory_bits,
                          layout.allocation == Allocation::cyclic ? "cyclic" : "consecutive",
                          processor_bits, memory_bits));
}

std::string to_string(const ButterflyLayout& layout) {
  std::string text = layout.allocation == Allocation::cyclic ? "cyclic" : "consecutive";
  if (layout.processor_bits && layout.memory_bits) {
    text += fmt::format(":{}|{}", *layout.processor_bits, *layout.memory_bits);
  }
  for (const auto& [name, encoding] : encodings) {
    if (encoding == layout.encoding && encoding != Encoding::binary)
      text += fmt::format(" {}", name);
  }
  return text;
}

}  // namespace faro
