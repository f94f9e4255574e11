#include "papers/printed/embedding.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1::pops {
namespace {

// Nodes in order take the places of their groups in order.
std::vector<Word> spread(const Pops& machine, std::span<const std::uint64_t> group) {
  std::vector<std::uint64_t> taken(machine.groups, 0);
  std::vector<Word> processor;
  for (const std::uint64_t i : group) processor.push_back(i * machine.group_size + taken[i]++);
  return processor;
}

// The groups of a ring: an Euler circuit of the graph with ways from i to i+1, .., i+d modulo g.
std::vector<std::uint64_t> ring_groups(const Pops& machine) {
  const std::uint64_t d = machine.group_size;
  std::vector<std::uint64_t> left(machine.groups, 0);  // ways out already taken
  std::vector<std::uint64_t> open{0};
  std::vector<std::uint64_t> circuit;
  while (!open.empty()) {
    const std::uint64_t i = open.back();
    if (left[i] < d) {
      open.push_back((i + ++left[i]) % machine.groups);
    } else {
      circuit.push_back(i);
      open.pop_back();
    }
  }
  circuit.pop_back();  // where it began
  std::reverse(circuit.begin(), circuit.end());
  FARO_CHECK(circuit.size() == d * machine.groups);
  return circuit;
}

// Groups of the nodes of a torus, improved by exchanges of two nodes.
class TorusSearch {
 public:
  TorusSearch(const Pops& machine, std::span<const std::uint64_t> sides)
      : g_(machine.groups),
        fair_((machine.group_size + machine.groups - 1) / machine.groups),
        group_(ring_groups(machine)) {
    for (std::size_t side = 0; side < sides.size(); ++side) {
      next_.push_back(torus_step(sides, side));
      before_.emplace_back(group_.size());
      for (Word v = 0; v < group_.size(); ++v) before_.back()[next_.back()[v]] = v;
      load_.emplace_back(g_ * g_, 0);
      for (Word v = 0; v < group_.size(); ++v) excess_ += add(side, group_[v], to(side, v));
    }
  }

  std::vector<std::uint64_t> groups() {
    constexpr std::uint64_t effort = 400;  // exchanges tried, a node
    Random random(1998);
    const std::uint64_t n = group_.size();
    for (std::uint64_t t = 0; t < effort * n && excess_ > 0; ++t) {
      const Word u = random.below(n);
      const Word v = random.below(n);
      if (group_[u] == group_[v]) continue;
      const std::int64_t before = excess_;
      exchange(u, v);
      // Sideways always, and uphill the less the longer it takes.
      const std::int64_t worse = excess_ - before;
      if (worse > 0 && (worse > 2 || random.below(8 + t / n) != 0)) exchange(u, v);
      if (excess_ < best_excess_) {
        best_excess_ = excess_;
        best_ = group_;
      }
    }
    return best_.empty() || excess_ <= best_excess_ ? group_ : best_;
  }

 private:
  std::uint64_t to(std::size_t side, Word v) const { return group_[next_[side][v]]; }

  // What the excess over a fair share changes by.
  std::int64_t add(std::size_t side, std::uint64_t i, std::uint64_t j) {
    return ++load_[side][i * g_ + j] > fair_ ? 1 : 0;
  }
  std::int64_t remove(std::size_t side, std::uint64_t i, std::uint64_t j) {
    return load_[side][i * g_ + j]-- > fair_ ? -1 : 0;
  }

  void exchange(Word u, Word v) {
    for (std::size_t side = 0; side < next_.size(); ++side) {
      std::vector<Word> from{u, v, before_[side][u], before_[side][v]};
      std::sort(from.begin(), from.end());
      from.erase(std::unique(from.begin(), from.end()), from.end());
      for (const Word x : from) excess_ += remove(side, group_[x], to(side, x));
      std::swap(group_[u], group_[v]);
      for (const Word x : from) excess_ += add(side, group_[x], to(side, x));
      std::swap(group_[u], group_[v]);
    }
    std::swap(group_[u], group_[v]);
  }

  std::uint64_t g_;
  std::uint64_t fair_;
  std::vector<std::uint64_t> group_;
  std::vector<std::vector<Word>> next_;
  std::vector<std::vector<Word>> before_;
  std::vector<std::vector<std::uint64_t>> load_;  // data over each coupler, by side
  std::int64_t excess_ = 0;
  std::vector<std::uint64_t> best_;
  std::int64_t best_excess_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace

std::vector<Word> ring_placement(const Pops& machine) {
  return spread(machine, ring_groups(machine));
}

std::vector<Word> torus_placement(const Pops& machine, std::span<const std::uint64_t> sides) {
  return spread(machine, TorusSearch(machine, sides).groups());
}

std::vector<Word> de_bruijn_placement(const Pops& machine) {
  const std::uint64_t n = processors(machine);
  const int bits = std::countr_zero(n);
  FARO_CHECK(std::has_single_bit(n) && std::has_single_bit(machine.groups));
  // Every other bit from the top, then the others.
  std::vector<int> order;
  for (const int first : {1, 2})
    for (int b = bits - first; b >= 0; b -= 2) order.push_back(b);
  order.resize(static_cast<std::size_t>(std::countr_zero(machine.groups)));
  std::vector<std::uint64_t> group(n, 0);
  for (Word x = 0; x < n; ++x)
    for (const int b : order) group[x] = group[x] << 1U | (x >> static_cast<unsigned>(b) & 1U);
  return spread(machine, group);
}

std::vector<Word> torus_step(std::span<const std::uint64_t> sides, std::size_t side) {
  std::uint64_t stride = 1;
  for (std::size_t s = side + 1; s < sides.size(); ++s) stride *= sides[s];
  const std::uint64_t n =
      std::accumulate(sides.begin(), sides.end(), std::uint64_t{1}, std::multiplies<>());
  std::vector<Word> to(n);
  for (Word v = 0; v < n; ++v) {
    const std::uint64_t at = v / stride % sides[side];
    to[v] = v - at * stride + (at + 1) % sides[side] * stride;
  }
  return to;
}

std::vector<Word> de_bruijn_step(std::uint64_t nodes, bool complement) {
  std::vector<Word> to(nodes);
  for (Word x = 0; x < nodes; ++x) {
    const Word top = 2 * x / nodes;
    to[x] = 2 * x % nodes + (top ^ (complement ? 1U : 0U));
  }
  return to;
}

std::vector<Word> placed(std::span<const Word> processor, std::span<const Word> step) {
  FARO_CHECK(processor.size() == step.size());
  std::vector<Word> to(step.size());
  for (Word v = 0; v < step.size(); ++v) to[processor[v]] = processor[step[v]];
  return to;
}

}  // namespace faro::inline v1::pops
