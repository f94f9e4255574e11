// The table of the pages, in the order in which they are listed.
#include "papers/paper.hpp"

#include <fmt/format.h>

#include <vector>

#include "papers/pages.hpp"

namespace faro::inline v1 {

Cell::Cell(double of) : text(fmt::format("{}", of)) {}

std::span<const Paper* const> papers() {
  // A page is one line here.
  static const std::vector<const Paper*> table = {
      &butterfly_paper, &conversion_paper, &mesh_paper, &shuffle_paper, &pops_paper,
  };
  return table;
}

}  // namespace faro::inline v1
