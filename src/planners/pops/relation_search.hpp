// The fewest slots that a search finds for h-relations: the data are cut into parts, each part
// negotiates its routes for k slots, k from the lower bound up (relation_routes.hpp), and the parts
// follow one another. Never more slots than the classes of pops-relation, nor, where all K elements
// of a processor move alike, than K times the best plan for one.
//
//   POPS(9, 3), a permutation, K = 2:   7 slots, the bound; classes take 12, one after the other 8
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry pops_relation_search;

}  // namespace faro::inline v1
