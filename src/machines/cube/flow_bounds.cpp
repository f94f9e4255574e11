#include "machines/cube/flow_bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "machines/cube/cube_goal.hpp"

namespace faro::inline v1 {
namespace {

constexpr int dimensions_max = 5;
constexpr std::size_t parts_max = 8;  // looked at
constexpr int address_bits_max = 12;  // sources and goals are counted one by one
constexpr int rounds = 240;
constexpr std::uint64_t largest_weight = 24;  // of the whole numbers tried

// Elements by source and goal processor, and what weights are looked at.
class Flow {
 public:
  // Of the dimensions `onto`, all of a map with memory bits, or a part of one that is by itself.
  Flow(const std::vector<int>& onto, bool one_port, const MapGoal& goal, std::uint64_t elements)
      : n_(static_cast<int>(onto.size())),
        nodes_(bit(n_)),
        one_port_(one_port),
        traffic_(nodes_ * nodes_, 0) {
    const int m = goal.cut ? goal.memory_bits : 0;
    const auto node_of = [&](Word processor) {
      Word node = 0;
      for (int i = 0; i < n_; ++i)
        if (has_bit(processor, onto[static_cast<std::size_t>(i)])) node |= bit(i);
      return node;
    };
    if (m != 0) {
      for (Word address = 0; address < bit(n_ + m); ++address)
        ++traffic_[((address >> m) * nodes_) + (goal.map(address) >> m)];
      return;
    }
    for (Word node = 0; node < nodes_; ++node) {
      Word processor = 0;
      for (int i = 0; i < n_; ++i)
        if (has_bit(node, i)) processor |= bit(onto[static_cast<std::size_t>(i)]);
      traffic_[(node * nodes_) + node_of(goal.map(processor))] += elements;
    }
  }

  template <class Number>
  struct Weights {
    std::vector<Number> links;  // [dimension * nodes + node]
    std::vector<Number> ports;  // one port: no link and its reverse together weigh more than both
  };

  // What all elements pay; the loads of their cheapest ways where they are asked for.
  template <class Number>
  Number paid(const Weights<Number>& weights, std::vector<double>* loads) const {
    Number sum = 0;
    std::vector<Number> cost(nodes_);
    std::vector<int> into(nodes_);
    for (Word source = 0; source < nodes_; ++source) {
      const std::uint64_t* wanted = &traffic_[source * nodes_];
      cheapest(weights, source, cost, into);
      for (Word goal = 0; goal < nodes_; ++goal) {
        if (wanted[goal] == 0 || goal == source) continue;
        sum += cost[goal] * static_cast<Number>(wanted[goal]);
        if (loads == nullptr) continue;
        for (Word p = goal; p != source;) {
          const int d = into[p];
          p ^= bit(d);
          (*loads)[static_cast<std::size_t>(d) * nodes_ + p] += static_cast<double>(wanted[goal]);
        }
      }
    }
    return sum;
  }

  template <class Number>
  Number capacity(const Weights<Number>& weights) const {
    Number sum = 0;
    for (const Number w : one_port_ ? weights.ports : weights.links) sum += w;
    return sum;
  }

  // The best weights found.
  Weights<double> search() const {
    Weights<double> now{std::vector<double>(links(), 1.0), std::vector<double>(nodes_, 1.0)};
    Weights<double> shown = now;
    Weights<double> best = now;
    double best_ratio = 0;
    std::vector<double> loads(links());
    std::vector<double> smooth(links(), 0.0);
    for (int round = 0; round < rounds; ++round) {
      if (one_port_) share(now, shown);
      const Weights<double>& weights = one_port_ ? shown : now;
      std::fill(loads.begin(), loads.end(), 0.0);
      const double ratio = paid(weights, &loads) / capacity(weights);
      if (ratio <= 0) break;
      if (ratio > best_ratio) {
        best_ratio = ratio;
        best = weights;
      }
      for (std::size_t i = 0; i < links(); ++i) smooth[i] = 0.7 * smooth[i] + 0.3 * loads[i];
      const double step = 0.5 / (1.0 + 0.05 * round);
      for (std::size_t i = 0; i < links(); ++i)
        now.links[i] *= std::exp(step * std::clamp(smooth[i] / ratio - 1, -1.0, 1.0));
      if (one_port_) heavier_ports(now, smooth, ratio, step);
      normalise(now.links);
      normalise(now.ports);
    }
    return best;
  }

  // The weights as whole numbers of at most `scale`.
  Weights<std::uint64_t> rounded(const Weights<double>& weights, std::uint64_t scale) const {
    Weights<std::uint64_t> whole{std::vector<std::uint64_t>(links(), 0), {}};
    const auto& measure = one_port_ ? weights.ports : weights.links;
    const double unit =
        static_cast<double>(scale) / *std::max_element(measure.begin(), measure.end());
    const auto round_of = [unit](double w) {
      return static_cast<std::uint64_t>(std::lround(w * unit));
    };
    if (!one_port_) {
      for (std::size_t i = 0; i < links(); ++i) whole.links[i] = round_of(weights.links[i]);
      return whole;
    }
    for (const double w : weights.ports) whole.ports.push_back(round_of(w));
    for (std::size_t i = 0; i < links(); ++i) {
      const std::size_t back = reverse(i);
      if (i > back) continue;
      const std::uint64_t both = whole.ports[i % nodes_] + whole.ports[back % nodes_];
      const double share =
          weights.links[i] / std::max(weights.links[i] + weights.links[back], 1e-12);
      whole.links[i] = static_cast<std::uint64_t>(std::lround(share * static_cast<double>(both)));
      whole.links[back] = both - whole.links[i];
    }
    return whole;
  }

  // Weights of the first step and of the last that are enough, all ports. In the first step what
  // leaves a processor is an element that begins there: a link need weigh no more than it takes off
  // the way of one of them. Then the same of the last step.
  struct Ends {
    Weights<std::uint64_t> first;
    Weights<std::uint64_t> last;
  };
  Ends ends(const Weights<std::uint64_t>& weights) const {
    std::vector<std::vector<std::uint64_t>> far(nodes_, std::vector<std::uint64_t>(nodes_));
    std::vector<int> into(nodes_);
    for (Word source = 0; source < nodes_; ++source) cheapest(weights, source, far[source], into);
    Ends ends{{std::vector<std::uint64_t>(links(), 0), {}},
              {std::vector<std::uint64_t>(links(), 0), {}}};
    each_goal([&](Word source, Word goal) {
      for (int d = 0; d < n_; ++d) {
        const std::uint64_t after = far[source ^ bit(d)][goal];
        std::uint64_t& w = ends.first.links[link(d, source)];
        if (far[source][goal] > after) w = std::max(w, far[source][goal] - after);
      }
    });
    // Ways that begin over these weights.
    std::vector<std::vector<std::uint64_t>> begun = far;
    for (Word source = 0; source < nodes_; ++source)
      for (int d = 0; d < n_; ++d)
        for (Word p = 0; p < nodes_; ++p)
          begun[source][p] = std::min(begun[source][p],
                                      ends.first.links[link(d, source)] + far[source ^ bit(d)][p]);
    each_goal([&](Word source, Word goal) {
      for (int d = 0; d < n_; ++d) {
        const Word p = goal ^ bit(d);
        std::uint64_t& w = ends.last.links[link(d, p)];
        if (begun[source][goal] > begun[source][p])
          w = std::max(w, begun[source][goal] - begun[source][p]);
      }
    });
    return ends;
  }
  bool one_port() const { return one_port_; }

  certificate::Dual::Phase phase_of(const Weights<std::uint64_t>& weights,
                                    std::uint64_t steps) const {
    certificate::Dual::Phase phase{.steps = steps, .links = {}, .ports = weights.ports};
    for (int d = 0; d < n_; ++d) {
      const auto first =
          weights.links.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(d) * nodes_);
      phase.links.emplace_back(first, first + static_cast<std::ptrdiff_t>(nodes_));
    }
    return phase;
  }

 private:
  std::size_t links() const { return static_cast<std::size_t>(n_) * nodes_; }
  std::size_t link(int d, Word from) const { return (static_cast<std::size_t>(d) * nodes_) + from; }
  template <class Visit>
  void each_goal(Visit&& visit) const {
    for (Word source = 0; source < nodes_; ++source)
      for (Word goal = 0; goal < nodes_; ++goal)
        if (goal != source && traffic_[(source * nodes_) + goal] != 0) visit(source, goal);
  }
  std::size_t reverse(std::size_t link) const {
    return link ^ bit(static_cast<int>(link / nodes_));
  }

  // Dijkstra's algorithm; nodes are few.
  template <class Number>
  void cheapest(const Weights<Number>& weights, Word source, std::vector<Number>& cost,
                std::vector<int>& into) const {
    constexpr Number never = std::numeric_limits<Number>::max();
    std::fill(cost.begin(), cost.end(), never);
    cost[source] = 0;
    Word open = low_mask(static_cast<int>(nodes_));
    while (open != 0) {
      Word p = static_cast<Word>(lowest_bit(open));
      for (Word rest = open; rest != 0; rest &= rest - 1)
        if (cost[static_cast<std::size_t>(lowest_bit(rest))] < cost[p])
          p = static_cast<Word>(lowest_bit(rest));
      open &= ~bit(static_cast<int>(p));
      for (int d = 0; d < n_; ++d) {
        const Word q = p ^ bit(d);
        const Number by = cost[p] + weights.links[static_cast<std::size_t>(d) * nodes_ + p];
        if (by >= cost[q]) continue;
        cost[q] = by;
        into[q] = d;
      }
    }
  }

  // The weight of two ports shared between the link that joins them and its reverse.
  void share(const Weights<double>& now, Weights<double>& shown) const {
    shown.ports = now.ports;
    for (std::size_t i = 0; i < links(); ++i) {
      const double both = now.ports[i % nodes_] + now.ports[reverse(i) % nodes_];
      shown.links[i] = both * now.links[i] / (now.links[i] + now.links[reverse(i)]);
    }
  }

  // A port is busy with a link as long as the busier of its directions.
  void heavier_ports(Weights<double>& now, const std::vector<double>& loads, double ratio,
                     double step) const {
    std::vector<double> busy(nodes_, 0.0);
    for (std::size_t i = 0; i < links(); ++i)
      busy[i % nodes_] += std::max(loads[i], loads[reverse(i)]);
    for (std::size_t p = 0; p < nodes_; ++p)
      now.ports[p] *= std::exp(step * std::clamp(busy[p] / ratio - 1, -1.0, 1.0));
  }

  static void normalise(std::vector<double>& weights) {
    const double heaviest = *std::max_element(weights.begin(), weights.end());
    for (double& w : weights) w = std::max(w / heaviest, 1e-6);
  }

  int n_;
  std::size_t nodes_;
  bool one_port_;
  std::vector<std::uint64_t> traffic_;
};

// Dimensions that depend on each other, of a map without memory bits; of one with, all or none. All
// too where they share ports and are few.
std::vector<std::vector<int>> parts_of(const CubeGoal& g, Hypercube::Ports ports) {
  std::vector<Word> parts;
  for (int d = 0; d < g.n; ++d) {
    Word part = (g.row(d) >> g.m) | bit(d);
    std::erase_if(parts, [&](Word other) {
      const bool met = (other & part) != 0;
      if (met) part |= other;
      return met;
    });
    parts.push_back(part);
  }
  if (g.m != 0 || (ports != Hypercube::Ports::all && g.n <= dimensions_max))
    parts = {low_mask(g.n)};
  std::vector<std::vector<int>> dimensions;
  for (const Word part : parts) {
    if (std::popcount(part) < 2 || std::popcount(part) > dimensions_max) continue;
    dimensions.emplace_back();
    for (Word rest = part; rest != 0; rest &= rest - 1)
      dimensions.back().push_back(lowest_bit(rest));
  }
  if (dimensions.size() > parts_max) dimensions.resize(parts_max);
  return dimensions;
}

std::optional<Bound> bound_of(const Flow& flow, std::vector<int> onto) {
  const auto found = flow.search();
  Count most = 0;
  certificate::Dual dual{.onto = std::move(onto), .phases = {}};
  for (std::uint64_t scale = 1; scale <= largest_weight; ++scale) {
    const auto weights = flow.rounded(found, scale);
    const std::uint64_t can = flow.capacity(weights);
    if (can == 0) continue;
    const Count paid{flow.paid(weights, nullptr)};
    Count value = ceil_div(paid, Count{can});
    if (value < 2) continue;
    std::vector<certificate::Dual::Phase> phases{
        flow.phase_of(weights, static_cast<std::uint64_t>(value - 1))};
    if (!flow.one_port()) {
      const Flow::Ends ends = flow.ends(weights);
      const Count at_ends = Count{flow.capacity(ends.first)} + flow.capacity(ends.last);
      const Count refuted = paid > at_ends ? 1 + ceil_div(paid - at_ends, Count{can}) : Count{0};
      if (refuted + 1 > value) {
        value = refuted + 1;
        phases = {flow.phase_of(ends.first, 1)};
        if (refuted > 2)
          phases.push_back(flow.phase_of(weights, static_cast<std::uint64_t>(refuted - 2)));
        phases.push_back(flow.phase_of(ends.last, 1));
      }
    }
    if (value <= most) continue;
    most = value;
    dual.phases = std::move(phases);
  }
  if (most == 0) return {};
  return Bound{most, "the best flow over weighted links", std::move(dual)};
}

}  // namespace

std::optional<Bound> flow_bound(const Hypercube& cube, const MapGoal& goal,
                                std::uint64_t elements) {
  const int m = goal.cut ? goal.memory_bits : 0;
  if (goal.map.width() != cube.dimensions + m || (m > 0 && goal.map.width() > address_bits_max))
    return {};
  std::optional<Bound> best;
  for (const std::vector<int>& onto : parts_of(CubeGoal(goal), cube.ports)) {
    const Flow flow(onto, cube.ports == Hypercube::Ports::one, goal, elements);
    auto bound = bound_of(flow, onto);
    if (bound && (!best || bound->value > best->value)) best = std::move(bound);
  }
  return best;
}

}  // namespace faro::inline v1
