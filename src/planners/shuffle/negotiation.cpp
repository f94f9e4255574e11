#include "planners/shuffle/negotiation.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "faro/base/check.hpp"
#include "faro/base/random.hpp"

namespace faro::shuffle {
namespace {

using Price = std::uint32_t;
constexpr Price out_of_reach = std::numeric_limits<Price>::max() / 2;

class Negotiation {
 public:
  Negotiation(const SmallCube& cube, std::uint32_t steps)
      : cube_(cube), steps_(steps), random_(steps) {
    const std::size_t links = cube.nodes() * static_cast<Word>(cube.dimensions());
    users_.assign(links * steps, 0);
    history_.assign(links * steps, 0);
    for (Word e = 0; e < cube.to.size(); ++e)
      if (cube_.first_element(e) == e && away(e) != 0) classes_.push_back({e, {}});
  }

  bool run(std::uint64_t& work) {
    for (Price round = 1;; ++round) {
      random_.mix(classes_);
      for (Class& c : classes_) {
        const std::uint64_t cost = work_of(c.element);
        if (work < cost) return false;
        work -= cost;
        count_users(c, Change::less);
        c.path = cheapest(c.element, round);
        count_users(c, Change::more);
      }
      if (!remember_contention()) return true;
    }
  }

  std::vector<std::vector<Hop>> hops() const {
    std::vector<std::vector<Hop>> all(cube_.to.size());
    for (const Class& c : classes_) all[c.element] = c.path;
    return all;
  }

 private:
  enum class Change { less, more };
  struct Class {
    Word element = 0;
    std::vector<Hop> path;
  };

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

  void count_users(const Class& c, Change change) {
    Word node = cube_.node_of(c.element);
    for (const Hop& hop : c.path) {
      std::uint16_t& users = users_[link(node, hop.dimension, hop.step)];
      users = static_cast<std::uint16_t>(change == Change::more ? users + 1 : users - 1);
      node ^= bit(hop.dimension);
    }
  }

  // Whether a link has several users; each of those is dearer from now on.
  bool remember_contention() {
    bool contended = false;
    for (std::size_t l = 0; l < users_.size(); ++l)
      if (users_[l] > 1) {
        contended = true;
        history_[l] += users_[l] - 1U;
      }
    return contended;
  }

  Price price(std::size_t l, Price round) const { return history_[l] + round * users_[l]; }

  // Least prices of having crossed a subset of the dimensions after each step, then backwards.
  std::vector<Hop> cheapest(Word element, Price round) {
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
    for (std::uint32_t t = 0; t < steps_; ++t) advance(order, t, round);
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

  void advance(std::span<const int> order, std::uint32_t t, Price round) {
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
        const Price sum = so_far + price(link(nodes_[s], order[i], t), round);
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
  std::vector<Class> classes_;
  std::vector<std::uint16_t> users_;  // by link and step
  std::vector<Price> history_;
  std::vector<Word> nodes_;  // by subset of the dimensions of the element that chooses
  std::vector<Price> least_;
  std::vector<std::int8_t> came_;
};

}  // namespace

std::optional<std::vector<std::vector<Hop>>> negotiate(const SmallCube& cube, std::uint32_t steps,
                                                       std::uint64_t& work) {
  Negotiation negotiation(cube, steps);
  if (!negotiation.run(work)) return std::nullopt;
  return negotiation.hops();
}

}  // namespace faro::shuffle
