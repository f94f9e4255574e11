#include "planners/cube/shuffle/negotiation.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.hpp"
#include "base/random.hpp"
#include "search/negotiation.hpp"

namespace faro::inline v1::shuffle {
namespace {

using search::out_of_reach;
using search::Price;

class Paths {
 public:
  Paths(const SmallCube& cube, std::uint32_t steps)
      : cube_(cube),
        steps_(steps),
        random_(steps),
        places_(std::vector<std::uint16_t>(
                    cube.nodes() * static_cast<Word>(cube.dimensions()) * steps, 1),
                {.rise = search::Negotiation::Rise::sum,
                 .growth = 100,
                 .everybody = true,
                 .rounds = std::numeric_limits<int>::max()}) {
    for (Word e = 0; e < cube.to.size(); ++e)
      if (cube_.first_element(e) == e && away(e) != 0) classes_.push_back(e);
  }

  std::optional<std::vector<std::vector<Hop>>> find(std::uint64_t& work) {
    std::vector<search::Way> ways(classes_.size());
    std::vector<std::vector<Hop>> hops(cube_.to.size());
    const bool found = places_.run(
        ways, [&](auto& turn) { random_.mix(turn); },
        [&](std::size_t i, search::Way& way) {
          const Word element = classes_[i];
          const std::uint64_t cost = work_of(element);
          if (work < cost) return false;
          work -= cost;
          hops[element] = cheapest(element);
          Word node = cube_.node_of(element);
          for (const Hop& hop : hops[element]) {
            way.push_back(static_cast<std::uint32_t>(link(node, hop.dimension, hop.step)));
            node ^= bit(hop.dimension);
          }
          return true;
        });
    if (!found) return std::nullopt;
    return hops;
  }

 private:
  Word away(Word element) const { return cube_.away(cube_.node_of(element), element); }

  std::size_t link(Word node, int dimension, std::uint32_t step) const {
    const auto n = static_cast<std::size_t>(cube_.dimensions());
    return (step * cube_.nodes() + cube_.first_node(node)) * n +
           static_cast<std::size_t>(dimension);
  }

  // Subsets of its dimensions times steps times dimensions.
  std::uint64_t work_of(Word element) const {
    const int distance = std::popcount(away(element));
    return bit(distance) * steps_ * static_cast<std::uint64_t>(distance);
  }

  // Least prices of having crossed a subset of the dimensions after each step, then backwards.
  std::vector<Hop> cheapest(Word element) {
    std::vector<int> order;
    for (int d = 0; d < cube_.dimensions(); ++d)
      if (has_bit(away(element), d)) order.push_back(d);
    random_.mix(order);
    const std::size_t subsets = bit(static_cast<int>(order.size()));
    nodes_.resize(subsets);
    nodes_[0] = cube_.node_of(element);
    for (std::size_t s = 1; s < subsets; ++s)
      nodes_[s] = nodes_[s & (s - 1)] ^ bit(order[static_cast<std::size_t>(lowest_bit(s))]);
    least_.assign(subsets * (steps_ + 1), out_of_reach);
    came_.assign(subsets * (steps_ + 1), -1);
    least_[0] = 0;
    for (std::uint32_t t = 0; t < steps_; ++t) advance(order, t);
    FARO_CHECK(least_.back() < out_of_reach);
    std::vector<Hop> path;
    std::size_t subset = subsets - 1;
    for (std::uint32_t t = steps_; t-- > 0;) {
      const int by = came_[(t + 1) * subsets + subset];
      if (by < 0) continue;
      path.push_back({t, order[static_cast<std::size_t>(by)]});
      subset ^= bit(by);
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  void advance(std::span<const int> order, std::uint32_t t) {
    const std::size_t subsets = nodes_.size();
    const std::size_t now = t * subsets;
    const std::size_t then = now + subsets;
    for (std::size_t s = 0; s < subsets; ++s) {
      const Price so_far = least_[now + s];
      const std::size_t left = order.size() - static_cast<std::size_t>(std::popcount(s));
      if (so_far >= out_of_reach || left > steps_ - t) continue;
      if (so_far < least_[then + s]) {
        least_[then + s] = so_far;
        came_[then + s] = -1;
      }
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (has_bit(s, static_cast<int>(i))) continue;
        const Price sum = so_far + places_.price(link(nodes_[s], order[i], t));
        const std::size_t to = then + (s | bit(static_cast<int>(i)));
        if (sum < least_[to]) {
          least_[to] = sum;
          came_[to] = static_cast<std::int8_t>(i);
        }
      }
    }
  }

  const SmallCube& cube_;
  std::uint32_t steps_;
  Random random_;
  search::Negotiation places_;  // a link in a step
  std::vector<Word> classes_;   // by their first elements
  std::vector<Word> nodes_;     // by subset of the dimensions of the element that chooses
  std::vector<Price> least_;
  std::vector<std::int8_t> came_;
};

}  // namespace

std::optional<std::vector<std::vector<Hop>>> negotiate(const SmallCube& cube, std::uint32_t steps,
                                                       std::uint64_t& work) {
  return Paths(cube, steps).find(work);
}

}  // namespace faro::inline v1::shuffle
