// Broadcasts on a Boolean cube.
//
//   one to all   K data of the root to everybody over n trees that share no link, tree j over
//                dimension j first, then j+1, j+2, .. and j at last for those on the root's side;
//                what leaves the root last over binomial trees, which save that step:
//                ceil(K/n) + n - 1 steps, K + n - 1 with one port, where step t is dimension
//                t mod n for all
//   all to all   everybody's datum to everybody: ceil((2^n-1)/n) steps, 2^n - 1 with one port
//   scatter      a relation, 2^n - 1 data of the root, one to each: as many steps, by a tree of
//                equal subtrees, what goes far first; with one port halves of halves
//   gather       scatter backwards
//
//   cube of 3 dimensions:   one to all 3, five data 4, all to all 3, scatter 3, one port 7
//
// All are optimal.   [Johnsson, Ho 1989: spanning graphs for broadcasting and personalized
// communication; one port with the last datum's tree: Träff, Ripke 2008]
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry cube_one_to_all;
extern const PlannerEntry cube_all_to_all;
extern const PlannerEntry cube_scatter;
extern const PlannerEntry cube_gather;

// No schedule takes fewer. A relation: what the busiest processor sends or receives.
Bound broadcast_bound(const Hypercube& cube, const Broadcast& broadcast, std::uint64_t elements);
Bound relation_bound(const Hypercube& cube, const Relation& relation, std::uint64_t elements);

}  // namespace faro::inline v1
