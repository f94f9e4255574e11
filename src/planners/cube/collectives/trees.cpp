// A tree is built level by level: a node joins the smallest subtree that one of its parents is in,
// those with the fewest choices first.
#include "planners/cube/collectives/trees.hpp"

#include <algorithm>
#include <bit>

#include "search/matching.hpp"

namespace faro::inline v1::collectives {
namespace {

// Nodes but the root, nearest first.
std::vector<Word> by_distance(int dimensions) {
  std::vector<Word> nodes;
  for (Word v = 1; v < bit(dimensions); ++v) nodes.push_back(v);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](Word a, Word b) { return std::popcount(a) < std::popcount(b); });
  return nodes;
}

// The root's dimensions behind which a node can hang: those of its parents.
std::vector<int> choices(const BalancedTree& tree, Word v) {
  std::vector<int> all;
  for (Word rest = v; rest != 0; rest &= rest - 1) {
    const int d = lowest_bit(rest);
    const int s = std::popcount(v) == 1 ? d : tree.subtree[v ^ bit(d)];
    if (std::find(all.begin(), all.end(), s) == all.end()) all.push_back(s);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

BalancedTree balanced_tree(int dimensions) {
  BalancedTree tree{std::vector<int>(bit(dimensions), -1), std::vector<int>(bit(dimensions), -1)};
  std::vector<std::size_t> size(static_cast<std::size_t>(dimensions), 0);
  const std::vector<Word> nodes = by_distance(dimensions);
  for (auto level = nodes.begin(); level != nodes.end();) {
    const auto end = std::find_if(
        level, nodes.end(), [&](Word v) { return std::popcount(v) != std::popcount(*level); });
    // Those with the fewest choices first.
    std::vector<std::pair<Word, std::vector<int>>> open;
    for (; level != end; ++level) open.emplace_back(*level, choices(tree, *level));
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) {
      return a.second.size() < b.second.size();
    });
    for (const auto& [v, choice] : open) {
      const int least = *std::min_element(choice.begin(), choice.end(), [&](int a, int b) {
        return size[static_cast<std::size_t>(a)] < size[static_cast<std::size_t>(b)];
      });
      ++size[static_cast<std::size_t>(least)];
      tree.subtree[v] = least;
      for (Word rest = v; rest != 0 && tree.parent[v] < 0; rest &= rest - 1)
        if (std::popcount(v) == 1 || tree.subtree[v ^ bit(lowest_bit(rest))] == least)
          tree.parent[v] = lowest_bit(rest);
    }
  }
  return tree;
}

std::vector<std::vector<Learnt>> learning_order(int dimensions) {
  const std::vector<Word> nodes = by_distance(dimensions);
  std::vector<bool> knows(bit(dimensions), false);
  knows[0] = true;
  std::vector<std::vector<Learnt>> steps;
  for (std::size_t known = 1; known < knows.size();) {
    search::Matching learning(knows.size());  // nodes, by dimensions
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
      learning.add(d, [&](std::size_t across, auto&& ask) {
        for (const Word v : nodes)
          if (!knows[v] && knows[v ^ bit(static_cast<int>(across))] && ask(v)) return;
      });
    steps.emplace_back();
    for (const Word v : nodes)
      if (learning.holder(v) != search::Matching::nobody)
        steps.back().push_back({v, static_cast<int>(learning.holder(v))});
    for (const Learnt& learnt : steps.back()) knows[learnt.node] = true;
    known += steps.back().size();
  }
  return steps;
}

}  // namespace faro::inline v1::collectives
