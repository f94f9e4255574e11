// Certificates on a cube: distances, cuts, single processors.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"
#include "machines/cube/ports.hpp"

namespace faro::inline v1::certificates {
namespace {

using namespace certificate;

Count of_cut(const Hypercube& cube, const Demand& demand, const Cut& cut) {
  const AffineSpace inside = AffineSpace::where(cube.dimensions, cut.where);
  if (inside.empty()) return 0;
  // A link leaves the set where its dimension is in one of the parities.
  Word crossed = 0;
  for (const Parity& p : cut.where) crossed |= p.mask;
  const int links = std::min(std::popcount(crossed), ports_of(cube));
  if (links == 0) return 0;
  const Count leaving = demand.count(cut.where, {}) - demand.count(cut.where, cut.where);
  return ceil_div(leaving, (Count{1} << inside.dimension()) * static_cast<Count>(links));
}

// Crossings of these dimensions that must be made, by elements that start where all parities hold.
Count crossings_over(const Demand& demand, Word dimensions, const std::vector<Parity>& where = {}) {
  Count crossings = 0;
  for (Word rest = dimensions; rest != 0; rest &= rest - 1)
    for (const unsigned side : {0U, 1U}) {
      const Word dimension = bit(lowest_bit(rest));
      std::vector<Parity> from = where;
      from.push_back({dimension, side});
      const Parity to{dimension, 1 - side};
      crossings += demand.count(from, {&to, 1});
    }
  return crossings;
}

Count of_traffic(const Hypercube& cube, const Demand& demand) {
  const Count crossings = crossings_over(demand, low_mask(cube.dimensions));
  const int links = ports_of(cube);
  if (cube.dimensions == 0) return 0;
  return ceil_div(crossings, (Count{1} << cube.dimensions) * static_cast<Count>(links));
}

// Elements that cross a dimension of `over` from these processors started there or have come in
// over the dimensions of the parities, one a link and step.
Count of_arrivals(const Hypercube& cube, const Demand& demand, const Arrivals& c) {
  const AffineSpace inside = AffineSpace::where(cube.dimensions, c.where);
  const Count crossings = crossings_over(demand, c.over);
  const Count early = crossings_over(demand, c.over, c.where);
  Word crossed = 0;
  for (const Parity& p : c.where) crossed |= p.mask;
  const Count all = Count{1} << cube.dimensions;
  const Count within = inside.empty() ? 0 : Count{1} << inside.dimension();
  const auto links = [&](Word dimensions) {
    return static_cast<Count>(std::min(std::popcount(dimensions), ports_of(cube)));
  };
  const Count coming = within * links(crossed);
  Count done = 0;
  for (Count steps = 0;; ++steps) {
    if (done >= crossings) return steps;
    const Count from_inside = std::min(within * links(c.over), early + coming * steps);
    const Count a_step = (all - within) * links(c.over) + from_inside;
    if (coming == 0 || from_inside == within * links(c.over))  // so it remains
      return a_step == 0 ? 0 : steps + ceil_div(crossings - done, a_step);
    done += a_step;
  }
}

// What leaves a processor for goals that are D links away and more has D + x steps only if it is
// gone after x + 1: with x < 2 over links that lead nearer, since a way round takes two more.
Count of_departures(const Hypercube& cube, const Demand& demand, Word processor) {
  const auto n = static_cast<std::size_t>(cube.dimensions);
  std::vector<Count> elements(n + 1, Count{0});  // by distance
  std::vector<Word> nearer(n + 1, 0);            // over these dimensions
  const bool listed = demand.spell_out(
      processor, limits::certificate_departures_log2_max, [&](Word to, Count count) {
        const auto distance = static_cast<std::size_t>(std::popcount(processor ^ to));
        elements[distance] += count;
        nearer[distance] |= processor ^ to;
      });
  if (!listed)
    throw Unchecked{fmt::format("2^{} elements of a processor are looked at one by one at most",
                                limits::certificate_departures_log2_max)};
  const auto ports = static_cast<Count>(ports_of(cube));
  Count value = 0;
  Count leaving = 0;
  Word dimensions = 0;
  for (std::size_t d = n; d > 0; --d) {
    leaving += elements[d];
    dimensions |= nearer[d];
    if (leaving == 0) continue;
    const Count straight = std::min(ports, static_cast<Count>(std::popcount(dimensions)));
    Count later = ceil_div(leaving, straight) - 1;
    if (later > 2) later = std::max(Count{2}, ceil_div(leaving, ports) - 1);
    value = std::max(value, static_cast<Count>(d) + later);
  }
  return value;
}

// --- Weights ------------------------------------------------------------------------------------
//
// The dual of the linear program "move everything in T steps", checked on any cube.
//
// Weights w(t, link) >= 0. Step t pays at most W(t), the sum over all links; an element on its way
// from where it starts to where it belongs pays at least its cheapest way in time, waiting being
// free. If the elements pay more than all T steps can, T steps are not enough.
//
// The weights depend on few bits: a way through the cube is one through the small cube of these
// bits, over whose links 2^(n-bits) links of the cube lie. So 2^60 processors are checked on a cube
// of eight dimensions.

std::optional<std::string> form_fault(const Dual& dual, int n) {
  Word seen = 0;
  for (const int d : dual.onto) {
    if (d < 0 || d >= n || has_bit(seen, d))
      return "the certificate's dimensions are none of the cube, or one stands twice";
    seen |= bit(d);
  }
  const std::size_t nodes = bit(static_cast<int>(dual.onto.size()));
  const auto too_large = [](std::uint64_t w) { return w > limits::certificate_weight_max; };
  const auto misfits = [&](const std::vector<std::uint64_t>& weights) {
    return weights.size() != nodes || std::any_of(weights.begin(), weights.end(), too_large);
  };
  for (const Dual::Phase& phase : dual.phases)
    if (phase.links.size() != dual.onto.size() ||
        std::any_of(phase.links.begin(), phase.links.end(), misfits) ||
        (!phase.ports.empty() && misfits(phase.ports)))
      return fmt::format("the certificate wants {} weights up to 2^53 for each of {} dimensions",
                         nodes, dual.onto.size());
  return {};
}

// Whether two neighbours' ports weigh no less than the links between them.
bool ports_cover(const Dual::Phase& phase) {
  const auto port = [&](Word node) { return Count{phase.ports.empty() ? 0 : phase.ports[node]}; };
  for (std::size_t i = 0; i < phase.links.size(); ++i)
    for (Word node = 0; node < phase.links[i].size(); ++node) {
      const Word other = node ^ bit(static_cast<int>(i));
      if (Count{phase.links[i][node]} + phase.links[i][other] > port(node) + port(other))
        return false;
    }
  return true;
}

// What a way from `source` to each node costs at least; nothing where the steps do not suffice.
std::vector<std::optional<Count>> cheapest(const Dual& dual, Word source) {
  std::vector<std::optional<Count>> cost(bit(static_cast<int>(dual.onto.size())));
  cost[source] = Count{0};
  for (const Dual::Phase& phase : dual.phases) {
    bool changed = true;
    for (std::uint64_t t = 0; t < phase.steps && changed; ++t) {
      changed = false;
      const std::vector<std::optional<Count>> before = cost;
      for (Word p = 0; p < cost.size(); ++p) {
        if (!before[p]) continue;
        for (std::size_t i = 0; i < phase.links.size(); ++i) {
          auto& there = cost[p ^ bit(static_cast<int>(i))];
          const Count by = *before[p] + phase.links[i][p];
          if (there && *there <= by) continue;
          there = by;
          changed = true;
        }
      }
    }
  }
  return cost;
}

// What all steps can pay on the small cube.
Count capacity(const Dual& dual, bool one_port) {
  Count sum = 0;
  for (const Dual::Phase& phase : dual.phases) {
    Count step = 0;
    if (one_port)
      for (const std::uint64_t w : phase.ports) step += w;
    else
      for (const auto& dimension : phase.links)
        for (const std::uint64_t w : dimension) step += w;
    sum += step * phase.steps;
  }
  return sum;
}

Proved dual_proves(const Hypercube& cube, const Demand& demand, const Dual& dual) {
  if (dual.onto.size() > limits::certificate_dual_bits_max)
    throw Unchecked{
        fmt::format("its weights depend on more than {} bits", limits::certificate_dual_bits_max)};
  if (auto wrong = form_fault(dual, cube.dimensions)) return fault("{}", std::move(*wrong));
  Count steps = 0;
  bool ports = false;
  for (const Dual::Phase& phase : dual.phases) {
    steps += phase.steps;
    ports |= !phase.ports.empty();
  }
  ports &= cube.ports == Hypercube::Ports::one;
  if (ports && !std::all_of(dual.phases.begin(), dual.phases.end(), ports_cover))
    return fault("the certificate's links weigh more than the ports at their ends");
  std::vector<Word> forms;
  for (const int d : dual.onto) forms.push_back(bit(d));
  std::vector<std::vector<std::optional<Count>>> costs(bit(static_cast<int>(forms.size())));
  Count paid = 0;
  bool in_time = true;
  demand.project(forms, [&](Word from, Word to, Count elements) {
    if (costs[from].empty()) costs[from] = cheapest(dual, from);
    const std::optional<Count>& cost = costs[from][to];
    in_time &= cost.has_value();
    if (cost) paid += *cost * elements;
  });
  const Count can = capacity(dual, ports) << (cube.dimensions - static_cast<int>(dual.onto.size()));
  if (!in_time || paid > can) return {steps + 1};
  return fault(
      "the certificate's elements pay {} in {} steps, which can pay {}: that "
      "refutes nothing",
      to_string(paid), to_string(steps), to_string(can));
}

}  // namespace

Proved cube_proves(const Hypercube& cube, const Demand& demand, const Bound& bound) {
  const Word top = low_mask(cube.dimensions);
  if (const auto* c = std::get_if<Distance>(&bound.certificate)) {
    const std::optional<Word> to = demand.goal_of(c->processor, c->slot);
    if (!to) return no_goal(*c);
    return {static_cast<std::uint64_t>(std::popcount(c->processor ^ *to))};
  }
  if (const auto* c = std::get_if<Cut>(&bound.certificate)) {
    for (const Parity& p : c->where)
      if ((p.mask & ~top) != 0) return fault("the certificate's cut names a bit beyond the cube");
    return {of_cut(cube, demand, *c)};
  }
  if (const auto* c = std::get_if<Port>(&bound.certificate)) {
    if ((c->processor & ~top) != 0)
      return fault("the certificate names a processor beyond the cube");
    const int links = ports_of(cube);
    if (links == 0) return {0};
    const Count all =
        ceil_div(c->way == Way::out ? demand.leaving(c->processor) : demand.coming(c->processor),
                 static_cast<Count>(links));
    if (c->way == Way::in || bound.value <= all) return {all};
    return {std::max(all, of_departures(cube, demand, c->processor))};
  }
  if (std::holds_alternative<Traffic>(bound.certificate)) return {of_traffic(cube, demand)};
  if (const auto* c = std::get_if<Arrivals>(&bound.certificate)) {
    for (const Parity& p : c->where)
      if ((p.mask & ~top) != 0)
        return fault("the certificate names processors by a bit beyond the cube");
    if ((c->over & ~top) != 0) return fault("the certificate names a dimension beyond the cube");
    return {of_arrivals(cube, demand, *c)};
  }
  if (const auto* c = std::get_if<Dual>(&bound.certificate)) return dual_proves(cube, demand, *c);
  return other_machine();
}

// With a root: all leave it, the last one no sooner than the links allow, and has n links to go to
// the far corner. Without one: everybody's come to everybody.
Proved broadcast_proves(const Hypercube& cube, const BroadcastGoal& goal, std::uint64_t elements,
                        const Bound& bound) {
  const auto* c = std::get_if<Port>(&bound.certificate);
  if (c == nullptr) return other_machine();
  const Word top = low_mask(cube.dimensions);
  if ((c->processor & ~top) != 0 || (goal.root && (*goal.root & ~top) != 0))
    return fault("the certificate names a processor beyond the cube");
  if (cube.dimensions == 0) return {0};
  const Count n = static_cast<Count>(cube.dimensions);
  const Count links = static_cast<Count>(ports_of(cube));
  if (!goal.root)
    return {c->way == Way::out ? n
                               : ceil_div(((Count{1} << cube.dimensions) - 1) * elements, links)};
  if (c->way == Way::in || c->processor != *goal.root) return {n};
  return {ceil_div(Count{elements}, links) + n - 1};
}

}  // namespace faro::inline v1::certificates
