// Counts in fmt's texts: fmt::format("{:>8}", count), with the fields that texts have.
#pragma once

#include <fmt/format.h>

#include "faro/base/count.hpp"

template <>
struct fmt::formatter<faro::Count> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const faro::Count& count, Context& context) const {
    return fmt::formatter<std::string_view>::format(faro::to_string(count), context);
  }
};
