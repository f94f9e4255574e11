// König's edge colouring by Euler splits and matchings (Cole, Hopcroft 1982, in the simple form:
// Hopcroft-Karp where the degree is odd).
#include "search/colouring.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "base/working.hpp"

namespace faro::inline v1::search {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
using Numbers = std::vector<std::uint32_t>;

// A perfect matching of a regular graph given by some of the edges. Hopcroft-Karp, greedy start.
class Matching {
 public:
  Matching(const std::vector<Edge>& edges, const Numbers& subset, std::uint32_t nodes)
      : edges_(edges), begin_(nodes + 1, 0), by_left_(nodes, none), by_right_(nodes, none) {
    for (const std::uint32_t e : subset) ++begin_[edges[e].left + 1];
    for (std::uint32_t v = 0; v < nodes; ++v) begin_[v + 1] += begin_[v];
    Numbers next(begin_.begin(), begin_.end() - 1);
    out_.resize(subset.size());
    for (const std::uint32_t e : subset) out_[next[edges[e].left]++] = e;
  }

  // The edge of each left node.
  Numbers find() {
    const auto nodes = static_cast<std::uint32_t>(by_left_.size());
    for (std::uint32_t v = 0; v < nodes; ++v)
      for (std::uint32_t k = begin_[v]; k < begin_[v + 1] && by_left_[v] == none; ++k)
        if (by_right_[edges_[out_[k]].right] == none) match(out_[k]);
    while (layer()) {
      next_.assign(begin_.begin(), begin_.end() - 1);
      for (std::uint32_t v = 0; v < nodes; ++v)
        if (by_left_[v] == none) augment(v);
    }
    for (const std::uint32_t e : by_left_) FARO_CHECK(e != none);
    return by_left_;
  }

 private:
  void match(std::uint32_t e) {
    by_left_[edges_[e].left] = e;
    by_right_[edges_[e].right] = e;
  }

  // Distances of left nodes from the unmatched ones; false if no unmatched right node is in reach.
  bool layer() {
    level_.assign(by_left_.size(), none);
    Numbers queue;
    for (std::uint32_t v = 0; v < by_left_.size(); ++v)
      if (by_left_[v] == none) {
        level_[v] = 0;
        queue.push_back(v);
      }
    bool reached = false;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::uint32_t v = queue[head];
      for (std::uint32_t k = begin_[v]; k < begin_[v + 1]; ++k) {
        const std::uint32_t back = by_right_[edges_[out_[k]].right];
        if (back == none) {
          reached = true;
        } else if (level_[edges_[back].left] == none) {
          level_[edges_[back].left] = level_[v] + 1;
          queue.push_back(edges_[back].left);
        }
      }
    }
    return reached;
  }

  // An alternating path from v along the layers, with a stack of its own: paths may be long.
  void augment(std::uint32_t start) {
    Numbers path{start};
    while (!path.empty()) {
      const std::uint32_t v = path.back();
      if (next_[v] == begin_[v + 1]) {
        level_[v] = none;
        path.pop_back();
        if (!path.empty()) ++next_[path.back()];
        continue;
      }
      const std::uint32_t back = by_right_[edges_[out_[next_[v]]].right];
      if (back == none) {
        for (auto at = path.rbegin(); at != path.rend(); ++at) match(out_[next_[*at]]);
        return;
      }
      const std::uint32_t w = edges_[back].left;
      if (level_[w] != none && level_[w] == level_[v] + 1)
        path.push_back(w);
      else
        ++next_[v];
    }
  }

  const std::vector<Edge>& edges_;
  Numbers begin_;  // of a left node's edges in out_
  Numbers out_;
  Numbers by_left_;
  Numbers by_right_;
  Numbers level_;
  Numbers next_;
};

class Colouring {
 public:
  Colouring(const std::vector<Edge>& edges, std::uint32_t nodes)
      : edges_(edges), nodes_(nodes), colour_(edges.size(), 0), pending_(2 * nodes, none) {}

  void colour(Numbers subset, std::uint32_t degree, std::uint32_t first) {
    if (degree == 0) return;
    still_working();
    if (degree % 2 != 0) {
      Numbers matched(subset.begin(), subset.end());
      if (degree > 1) matched = Matching(edges_, subset, nodes_).find();
      for (const std::uint32_t e : matched) colour_[e] = first + degree - 1;
      if (degree == 1) return;
      std::sort(matched.begin(), matched.end());
      std::erase_if(subset, [&](std::uint32_t e) {
        return std::binary_search(matched.begin(), matched.end(), e);
      });
    }
    Numbers halves[2];
    split(subset, halves);
    subset = {};
    colour(std::move(halves[0]), degree / 2, first);
    colour(std::move(halves[1]), degree / 2, first + degree / 2);
  }

  Numbers take() { return std::move(colour_); }

 private:
  // Pairs the edges at every node in twos and walks the cycles that the pairs form; neighbours on a
  // cycle go to different halves, so every node's edges are shared out evenly.
  void split(const Numbers& subset, Numbers (&halves)[2]) {
    Numbers mate(2 * subset.size());
    for (std::uint32_t k = 0; k < subset.size(); ++k) {
      const Edge& e = edges_[subset[k]];
      for (const std::uint32_t side : {0U, 1U}) {
        std::uint32_t& waiting = pending_[side == 0 ? e.left : nodes_ + e.right];
        if (waiting == none) {
          waiting = k;
        } else {
          mate[2 * k + side] = waiting;
          mate[2 * waiting + side] = k;
          waiting = none;
        }
      }
    }
    std::vector<bool> seen(subset.size(), false);
    for (auto& half : halves) half.reserve(subset.size() / 2);
    for (std::uint32_t start = 0; start < subset.size(); ++start) {
      std::uint32_t k = start;
      while (!seen[k]) {  // a cycle has as many edges as it has turns: an even number
        seen[k] = true;
        halves[0].push_back(subset[k]);
        k = mate[2 * k + 1];
        seen[k] = true;
        halves[1].push_back(subset[k]);
        k = mate[2 * k];
      }
    }
  }

  const std::vector<Edge>& edges_;
  std::uint32_t nodes_;
  Numbers colour_;
  Numbers pending_;
};

}  // namespace

std::uint32_t largest_degree(const std::vector<Edge>& edges, std::uint32_t nodes) {
  Numbers degree(2 * std::size_t{nodes}, 0);
  std::uint32_t most = 0;
  for (const Edge& e : edges) most = std::max({most, ++degree[e.left], ++degree[nodes + e.right]});
  return most;
}

std::vector<std::uint32_t> edge_colours(const std::vector<Edge>& edges, std::uint32_t nodes,
                                        std::uint32_t degree) {
  Numbers left(nodes, degree);  // edges missing
  Numbers right(nodes, degree);
  for (const Edge& e : edges) {
    FARO_CHECK(left[e.left] > 0 && right[e.right] > 0);
    --left[e.left];
    --right[e.right];
  }
  std::vector<Edge> all = edges;
  all.reserve(std::size_t{nodes} * degree);
  for (std::uint32_t v = 0, w = 0; v < nodes; ++v)
    for (; left[v] > 0; --left[v]) {
      while (right[w] == 0) ++w;
      all.push_back({v, w});
      --right[w];
    }
  Numbers subset(all.size());
  for (std::uint32_t e = 0; e < subset.size(); ++e) subset[e] = e;
  Colouring colouring(all, nodes);
  colouring.colour(std::move(subset), degree, 0);
  Numbers colours = colouring.take();
  colours.resize(edges.size());
  return colours;
}

}  // namespace faro::inline v1::search
