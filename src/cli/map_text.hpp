// What several commands do with the text of a map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "faro/algebra/notation.hpp"
#include "faro/layouts/foreign.hpp"

namespace faro::cli {

// The sizes known when `width` bits make an index. Throws Error(limit) beyond 64.
KnownSizes known_total(std::optional<std::uint64_t> width);

// What the words of other systems leave out: --shape, else --width. Throws Error(usage) where
// the two disagree.
ForeignSizes foreign_sizes(const std::optional<std::string>& shape,
                           std::optional<std::uint64_t> width);

}  // namespace faro::cli
