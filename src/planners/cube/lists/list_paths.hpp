// Ways of packets through a cube, chosen so that no link is used much more than others.
#pragma once

#include <vector>

#include "planners/links/search.hpp"

namespace faro::inline v1::links {

// The dimensions that differ, ascending.
std::vector<Link> ascending_way(int dimensions, Word from, Word to);

enum class Detours { none, one };

// Gives every packet the cheapest way in turn, prices rising steeply with the load of a link, and
// again to those on the busiest links; with a detour also over one dimension more than needed,
// there and back. Whole numbers throughout: the same ways everywhere.
void balance_on_cube(int dimensions, std::vector<Packet>& packets, Detours detours);

}  // namespace faro::inline v1::links
