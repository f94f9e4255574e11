// Layouts of butterfly networks as a user types them: allocation, encoding, and, where the machine
// does not say them, the bits.
//
//   cyclic binary||gray      consecutive gray      cyclic:6|6 gray||gray
//
// The default encoding is binary. Encodings are written memory||processor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "faro/schedules/goal.hpp"

namespace faro {

struct ButterflyLayout {
  ButterflyGoal::Allocation allocation = ButterflyGoal::Allocation::cyclic;
  ButterflyGoal::Encoding encoding = ButterflyGoal::Encoding::binary;
  std::optional<int> processor_bits = {};
  std::optional<int> memory_bits = {};
};

// Throws Error(usage), saying what would fit.
ButterflyLayout butterfly_layout(std::string_view text);

// Throws Error(usage) if the layout says other bits than these.
void check_bits(const ButterflyLayout& layout, int processor_bits, int memory_bits);

std::string to_string(const ButterflyLayout& layout);

}  // namespace faro
