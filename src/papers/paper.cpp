// The table of the pages, in the order in which they are listed.
#include "papers/paper.hpp"

#include <vector>

#include "papers/butterfly.hpp"
#include "papers/conversion.hpp"
#include "papers/mesh.hpp"
#include "papers/pops.hpp"
#include "papers/shuffle.hpp"

namespace faro::inline v1 {

std::span<const Paper* const> papers() {
  // A page is one line here.
  static const std::vector<const Paper*> table = {
      &butterfly_paper, &conversion_paper, &mesh_paper, &shuffle_paper, &pops_paper,
  };
  return table;
}

}  // namespace faro::inline v1
