// Colouring the edges of a bipartite multigraph, no two of one colour at a node, with exactly as
// many colours as the largest degree (König).
//
//   edges 0-0, 0-1, 1-0, 1-1 (nodes of both sides numbered from 0):   colours 0, 1, 1, 0
//
// Regular graphs of even degree are halved along Euler cycles, of odd degree lose one perfect
// matching first; near linear time. Others are padded to regular ones.
#pragma once

#include <cstdint>
#include <vector>

namespace faro::inline v1::search {

struct Edge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

// One colour in 0..degree-1 an edge. Requires that every node of both sides, 0..nodes-1, has at
// most `degree` edges. If it has exactly that many everywhere, each colour is a perfect matching.
std::vector<std::uint32_t> edge_colours(const std::vector<Edge>& edges, std::uint32_t nodes,
                                        std::uint32_t degree);

// The largest degree of a node.
std::uint32_t largest_degree(const std::vector<Edge>& edges, std::uint32_t nodes);

}  // namespace faro::inline v1::search
