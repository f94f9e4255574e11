#include "cli/map_text.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::cli {

KnownSizes known_total(std::optional<std::uint64_t> width) {
  if (!width) return {};
  if (*width > static_cast<std::uint64_t>(limits::address_bits_max))
    throw Error(ErrorCode::limit, fmt::format("--width: {} bits; an index has at most {}", *width,
                                              limits::address_bits_max));
  return {.total = static_cast<int>(*width), .processor = std::nullopt};
}

ForeignSizes foreign_sizes(const std::optional<std::string>& shape,
                           std::optional<std::uint64_t> width) {
  ForeignSizes sizes;
  if (shape) sizes.shape = shape_from(*shape);
  sizes.width = known_total(width).total;
  return sizes;
}

}  // namespace faro::cli
