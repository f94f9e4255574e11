// Trees on a cube for what one processor sends to all, or all to one.
//
//   cube of 3 dimensions, seen from the root 0: subtrees of 3, 2 and 2 processors behind its links
//
// Everything is seen from the root: node v stands for processor root ^ v.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/base/bits.hpp"

namespace faro::inline v1::collectives {

// A tree in which the subtrees behind the root's n links have ceil((2^n-1)/n) nodes at most, and
// every node its distance from the root.
struct BalancedTree {
  std::vector<int> parent;   // by node: across which dimension its parent is; the root: -1
  std::vector<int> subtree;  // by node: across which dimension of the root it hangs; the root: -1
};
BalancedTree balanced_tree(int dimensions);

// What each node learns its datum from, step after step: at most one node a dimension, its
// neighbour across it known before. All processors do so at once, each with itself as the root, and
// use every link at most once a step: ceil((2^n-1)/n) steps.
struct Learnt {
  Word node = 0;
  int across = 0;
};
std::vector<std::vector<Learnt>> learning_order(int dimensions);

}  // namespace faro::inline v1::collectives
