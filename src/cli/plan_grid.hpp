// `faro plan 'PLACEMENT => PLACEMENT' --on ranks:12 --shape 7168x50257`: what moving an array of
// any lengths between any number of ranks costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "faro/base/bits.hpp"

namespace faro::cli {

struct GridCommand {
  std::string words;
  std::string machine;
  std::optional<std::vector<Word>> shape;
  std::uint64_t element_bytes = 1;
  bool relabel = false;
};

// Whether the words are of placements on ranks, and ranks or lengths are no powers of two, or a map
// stands between: what placements of bits do not say.
bool is_grid_command(const std::string& words, const std::string& machine,
                     const std::optional<std::vector<Word>>& shape);

// Returns the exit code.
int plan_grid_command(const GridCommand& command, Output& out);

}  // namespace faro::cli
