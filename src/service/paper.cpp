#include "faro/service/paper.hpp"

#include <vector>

#include "faro/service/paper_butterfly.hpp"
#include "faro/service/paper_conversion.hpp"
#include "faro/service/paper_mesh.hpp"
#include "faro/service/paper_pops.hpp"
#include "faro/service/paper_shuffle.hpp"

namespace faro {

std::span<const Paper* const> papers() {
  // A page is one line here.
  static const std::vector<const Paper*> table = {
      &butterfly_paper, &conversion_paper, &mesh_paper, &shuffle_paper, &pops_paper,
  };
  return table;
}

}  // namespace faro
