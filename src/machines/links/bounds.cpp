#include "machines/links/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "base/check.hpp"
#include "base/working.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

// Rounds on 64 processors, half a second; a round costs processors squared.
constexpr int rounds_max = 2400;
constexpr std::uint64_t rounds_work = std::uint64_t{rounds_max} << 12U;
// Weights are rounded to 1/65536 of the heaviest: finer than the rounds converge.
constexpr double weight_scale = 65536;

// How the rounds step, found by trying on the tables of the tests: the share of the last rounds in
// the direction, the first step, and after how many rounds without gain it shrinks by how much.
constexpr double momentum = 0.97;
constexpr double first_step = 0.5;
constexpr int patience = 60;
constexpr double shrink = 0.8;

// Links in a fixed order, those of a processor together.
struct Links {
  std::vector<std::size_t> first;  // of a processor; one more at the end
  std::vector<Word> to;

  explicit Links(const MeshGeometry& geometry) {
    for (Word p = 0; p < geometry.processors(); ++p) {
      first.push_back(to.size());
      for (const Word q : geometry.neighbours(p)) to.push_back(q);
    }
    first.push_back(to.size());
  }
  std::size_t size() const { return to.size(); }
};

// What crosses `count` links that leave a slab of coordinates.
struct Cut {
  Count elements = 0;
  Count links = 1;
  int dimension = 0;
  std::int64_t first = 0;  // the slab's coordinates
  std::int64_t last = 0;
  Count value() const { return ceil_div(elements, links); }
};

Bound bound_of(const Cut& cut) {
  Bound bound;
  bound.value = cut.value();
  bound.reason = fmt::format(
      "{} elements must leave coordinates {} to {} of dimension {} over {} links",
      to_string(cut.elements), cut.first, cut.last, cut.dimension, to_string(cut.links));
  bound.certificate = certificate::Slab{cut.dimension, static_cast<std::uint64_t>(cut.first),
                                        static_cast<std::uint64_t>(cut.last)};
  return bound;
}

// Cheapest ways from one processor; `loads` gets what `traffic` (all from there) puts on links.
class CheapestWays {
 public:
  CheapestWays(const Links& links, std::size_t processors)
      : links_(links), cost_(processors), into_(processors), from_(processors) {}

  template <class Number>
  void run(Word source, const std::vector<Number>& weights) {
    still_working();
    std::fill(cost_.begin(), cost_.end(), infinity);
    using Entry = std::pair<double, Word>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    cost_[source] = 0;
    into_[source] = none;
    open.emplace(0, source);
    while (!open.empty()) {
      const auto [cost, p] = open.top();
      open.pop();
      if (cost > cost_[p]) continue;
      for (std::size_t link = links_.first[p]; link < links_.first[p + 1]; ++link) {
        const double there = cost + static_cast<double>(weights[link]);
        const Word q = links_.to[link];
        if (there >= cost_[q]) continue;
        cost_[q] = there;
        into_[q] = link;
        from_[q] = p;
        open.emplace(there, q);
      }
    }
  }

  double cost(Word p) const { return cost_[p]; }

  void load(Word to, double amount, std::vector<double>& loads) const {
    for (Word p = to; into_[p] != none; p = from_[p]) loads[into_[p]] += amount;
  }

 private:
  static constexpr double infinity = 1e300;
  static constexpr std::size_t none = ~std::size_t{0};

  const Links& links_;
  std::vector<double> cost_;
  std::vector<std::size_t> into_;
  std::vector<Word> from_;
};

// By source, those of a pair of processors as one, where the first of them stood.
std::vector<Shipment> by_source(std::span<const Shipment> traffic) {
  std::vector<Shipment> sorted(traffic.begin(), traffic.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Shipment& a, const Shipment& b) { return a.from < b.from; });
  std::vector<Shipment> merged;
  std::map<Word, std::size_t> known;  // of this source: where `to` is
  for (const Shipment& t : sorted) {
    if (merged.empty() || merged.back().from != t.from) known.clear();
    const auto [pair, is_new] = known.emplace(t.to, merged.size());
    if (is_new)
      merged.push_back(t);
    else
      merged[pair->second].count += t.count;
  }
  return merged;
}

// Integer weights up to 2^16 on ways of at most 2^10 links: their sums are exact in a double.
Count proven(const Links& links, const std::vector<Shipment>& traffic,
             const std::vector<std::uint64_t>& weights, std::size_t processors) {
  CheapestWays ways(links, processors);
  Count need = 0;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    if (i == 0 || traffic[i].from != traffic[i - 1].from) ways.run(traffic[i].from, weights);
    need += Count{static_cast<std::uint64_t>(ways.cost(traffic[i].to))} * traffic[i].count;
  }
  Count total = 0;
  for (const std::uint64_t w : weights) total += w;
  return total == 0 ? 0 : ceil_div(need, total);
}

}  // namespace

Bound distance_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic) {
  Bound bound{.value = 0, .reason = "nothing moves"};
  for (const Shipment& t : traffic) {
    const auto hops = static_cast<Count>(geometry.hops(t.from, t.to));
    if (hops <= bound.value) continue;
    bound.value = hops;
    bound.reason =
        fmt::format("distance: from {} to {} it is {} links", t.from, t.to, to_string(hops));
    bound.certificate = certificate::Distance{t.from, t.slot};
  }
  return bound;
}

Bound cut_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic) {
  Cut best{.elements = 0};
  for (int k = 0; k < geometry.dimensions(); ++k) {
    const std::int64_t side = geometry.side(k);
    // Elements by pair of coordinates; slabs by sums over them.
    if (side < 2 || side > 1024) continue;
    const auto n = static_cast<std::size_t>(side);
    // between[c][d]: from c to coordinates below d; into[c][d]: from coordinates below d to c.
    const std::size_t row = n + 1;
    std::vector<std::uint64_t> between(n * row, 0);
    std::vector<std::uint64_t> into(n * row, 0);
    for (const Shipment& t : traffic) {
      const auto from = static_cast<std::size_t>(geometry.coordinate(t.from, k));
      const auto to = static_cast<std::size_t>(geometry.coordinate(t.to, k));
      between[from * row + to + 1] += t.count;
      into[to * row + from + 1] += t.count;
    }
    for (std::vector<std::uint64_t>* sums : {&between, &into})
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t d = 0; d < n; ++d) (*sums)[c * row + d + 1] += (*sums)[c * row + d];
    const Count line = geometry.processors() >> geometry.side_log2(k);
    const bool ring = geometry.wrap() == Mesh::Wrap::orthogonal && side > 2;
    for (std::size_t first = 0; first < n; ++first) {
      Count leaving = 0;
      for (std::size_t last = first; last < n; ++last) {
        // Slab [first, last]: `last` joins.
        const std::uint64_t* to = between.data() + last * row;
        const std::uint64_t* from = into.data() + last * row;
        leaving += to[n] - (to[last + 1] - to[first]);
        leaving -= from[last] - from[first];
        if (first == 0 && last + 1 == n) continue;
        const Count doors = ring ? 2 : (first > 0 ? 1 : 0) + (last + 1 < n ? 1 : 0);
        const Cut cut{leaving, doors * line, k, static_cast<std::int64_t>(first),
                      static_cast<std::int64_t>(last)};
        if (cut.value() > best.value()) best = cut;
      }
    }
  }
  if (best.elements == 0) return {.value = 0, .reason = "nothing moves"};
  return bound_of(best);
}

namespace {

// Multiplicative weights with momentum: what carries more than the average direction grows. The
// best weights seen stand, whatever the rounds do, since any weights prove what they prove.
//
// The mean of the rounds' ways is a routing, and no weights prove more than its fullest link
// carries. It ends the rounds where they cannot gain a step, or one over `known`.
class Weights {
 public:
  Weights(const Links& links, const std::vector<Shipment>& traffic, std::size_t processors,
          Count known)
      : traffic_(traffic),
        ways_(links, processors),
        weights_(links.size(), 1.0),
        best_(weights_),
        direction_(links.size(), 0.0),
        loads_(links.size()),
        carried_(links.size(), 0.0),
        known_(static_cast<double>(known)) {}

  std::vector<double> run(int rounds) {
    int waited = 0;
    double step = first_step;
    for (int round = 0; round < rounds; ++round) {
      const double ratio = evaluate();
      if (ratio <= 0) break;
      if (ratio > best_ratio_ * 1.0002) {
        best_ratio_ = ratio;
        best_ = weights_;
        waited = 0;
      } else if (++waited > patience) {
        step *= shrink;
        waited = 0;
        weights_ = best_;
      }
      advance(step, ratio);
      if (nothing_to_gain(round + 1)) break;
    }
    return best_;
  }

 private:
  // Cheapest ways over all weights; fills the loads of these ways.
  double evaluate() {
    std::fill(loads_.begin(), loads_.end(), 0);
    double need = 0;
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      const Shipment& t = traffic_[i];
      if (i == 0 || t.from != traffic_[i - 1].from) ways_.run(t.from, weights_);
      const auto count = static_cast<double>(t.count);
      need += ways_.cost(t.to) * count;
      ways_.load(t.to, count, loads_);
    }
    double total = 0;
    for (const double w : weights_) total += w;
    return need / total;
  }

  void advance(double step, double ratio) {
    double heaviest = 0;
    for (std::size_t link = 0; link < weights_.size(); ++link) {
      direction_[link] = momentum * direction_[link] + (1 - momentum) * loads_[link];
      weights_[link] *= std::exp(std::min(1.0, step * (direction_[link] / ratio - 1)));
      heaviest = std::max(heaviest, weights_[link]);
    }
    for (double& w : weights_) w = std::max(1e-9, w / heaviest);
  }

  bool nothing_to_gain(int rounds) {
    kept_ *= momentum;
    double mean = 0;    // fullest link of the rounds so far, all alike
    double recent = 0;  // of the later rounds more than of the earlier
    for (std::size_t link = 0; link < loads_.size(); ++link) {
      carried_[link] += loads_[link];
      mean = std::max(mean, carried_[link]);
      recent = std::max(recent, direction_[link]);
    }
    fullest_ = std::min({fullest_, mean / rounds, recent / (1 - kept_)});
    const double most = std::ceil(fullest_ - tolerance);
    return most <= known_ || best_ratio_ > most - 1 + tolerance;
  }

  // Of doubles, and of weights that are rounded to integers in the end.
  static constexpr double tolerance = 0.001;

  const std::vector<Shipment>& traffic_;
  CheapestWays ways_;
  std::vector<double> weights_;
  std::vector<double> best_;
  double best_ratio_ = 0;
  std::vector<double> direction_;
  std::vector<double> loads_;
  std::vector<double> carried_;  // sum of the loads
  double fullest_ = 1e300;       // link of the best routing so far
  double kept_ = 1;              // of the first direction, nothing
  double known_;
};

}  // namespace

Bound congestion_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic, int rounds,
                       Count known) {
  const Links links(geometry);
  const auto processors = static_cast<std::size_t>(geometry.processors());
  const std::vector<Shipment> sorted = by_source(traffic);
  const std::vector<double> best = Weights(links, sorted, processors, known).run(rounds);
  const double heaviest = *std::max_element(best.begin(), best.end());
  std::vector<std::uint64_t> integers;
  for (const double w : best)
    integers.push_back(static_cast<std::uint64_t>(std::lround(w / heaviest * weight_scale)));
  Bound bound;
  certificate::Weights weights;
  bound.value = proven(links, sorted, integers, processors);
  bound.reason =
      "congestion: every element pays its cheapest way over the weighted links, a step "
      "pays all weights once";
  for (Word p = 0; p < geometry.processors(); ++p)
    for (std::size_t link = links.first[p]; link < links.first[p + 1]; ++link)
      if (integers[link] != 0) weights.links.push_back({p, links.to[link], integers[link]});
  bound.certificate = std::move(weights);
  return bound;
}

Bound links_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic, bool search) {
  Bound best = distance_bound(geometry, traffic);
  if (best.value == 0) return best;
  Bound cut = cut_bound(geometry, traffic);
  if (cut.value > best.value) best = std::move(cut);
  if (!search || geometry.bits() > limits::bound_weights_log2_max) return best;
  const auto rounds =
      static_cast<int>(std::min<std::uint64_t>(rounds_max, rounds_work >> (2 * geometry.bits())));
  Bound congestion = congestion_bound(geometry, traffic, rounds, best.value);
  if (congestion.value > best.value) best = std::move(congestion);
  return best;
}

}  // namespace faro::inline v1
