// Edges of bipartite multigraphs in as few colours as the largest degree.
#include "search/colouring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.hpp"

namespace faro::search {
namespace {

// No two edges of one colour at a node, and no colour beyond the degree.
void expect_proper(const std::vector<Edge>& edges, std::uint32_t nodes, std::uint32_t degree) {
  const std::vector<std::uint32_t> colours = edge_colours(edges, nodes, degree);
  ASSERT_EQ(colours.size(), edges.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> left;
  std::set<std::pair<std::uint32_t, std::uint32_t>> right;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ASSERT_LT(colours[e], degree);
    ASSERT_TRUE(left.insert({edges[e].left, colours[e]}).second) << nodes << ' ' << degree;
    ASSERT_TRUE(right.insert({edges[e].right, colours[e]}).second) << nodes << ' ' << degree;
  }
}

std::vector<Edge> random_regular(std::uint32_t nodes, std::uint32_t degree, Random& random) {
  std::vector<Edge> edges;
  std::vector<std::uint32_t> to(nodes);
  std::iota(to.begin(), to.end(), 0U);
  for (std::uint32_t d = 0; d < degree; ++d) {
    for (std::size_t i = to.size(); i-- > 1;) std::swap(to[i], to[random.below(i + 1)]);
    for (std::uint32_t v = 0; v < nodes; ++v) edges.push_back({v, to[v]});
  }
  for (std::size_t i = edges.size(); i-- > 1;) std::swap(edges[i], edges[random.below(i + 1)]);
  return edges;
}

TEST(Colouring, regular_multigraphs_of_every_small_degree) {
  Random random(5);
  for (std::uint32_t nodes = 1; nodes <= 33; nodes += 2)
    for (std::uint32_t degree = 1; degree <= 12; ++degree)
      for (int round = 0; round < 4; ++round)
        ASSERT_NO_FATAL_FAILURE(
            expect_proper(random_regular(nodes, degree, random), nodes, degree));
}

TEST(Colouring, graphs_that_are_not_regular_take_their_largest_degree) {
  Random random(6);
  for (int round = 0; round < 300; ++round) {
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(40));
    std::vector<Edge> edges;
    for (std::uint64_t k = random.below(120); k > 0; --k)
      edges.push_back({static_cast<std::uint32_t>(random.below(nodes)),
                       static_cast<std::uint32_t>(random.below(1 + random.below(nodes)))});
    const std::uint32_t degree = largest_degree(edges, nodes);
    ASSERT_NO_FATAL_FAILURE(expect_proper(edges, nodes, degree));
    ASSERT_NO_FATAL_FAILURE(expect_proper(edges, nodes, degree + 3));
  }
}

// A greedy start takes 0-0, 1-1, .. and leaves the last node a path through all others.
TEST(Colouring, one_long_alternating_path) {
  constexpr std::uint32_t nodes = 2000;
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < nodes; ++v)
    for (const std::uint32_t step : {1U, 0U, 1U}) edges.push_back({v, (v + step) % nodes});
  expect_proper(edges, nodes, 3);
}

TEST(Colouring, the_largest_degree_counts_both_sides) {
  EXPECT_EQ(largest_degree({}, 3), 0U);
  EXPECT_EQ(largest_degree({{0, 1}, {1, 1}, {2, 1}}, 3), 3U);
  EXPECT_EQ(largest_degree({{2, 0}, {2, 1}, {0, 0}}, 3), 2U);
}

}  // namespace
}  // namespace faro::search
