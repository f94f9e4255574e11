// The dual of the linear program "move everything in T steps", checked on any cube.
//
// Weights w(t, link) >= 0. Step t pays at most W(t), the sum over all links; an element on its way
// from where it starts to where it belongs pays at least its cheapest way in time, waiting being
// free. If the elements pay more than all T steps can, T steps are not enough.
//
// The weights depend on few bits: a way through the cube is one through the small cube of these
// bits, over whose links 2^(n-bits) links of the cube lie. So 2^60 processors are checked on a cube
// of eight dimensions.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"

namespace faro::inline v1::certificates {
namespace {

using certificate::Dual;

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

}  // namespace

Proved dual_proves(const Hypercube& cube, const Demand& demand, const Dual& dual) {
  if (dual.onto.size() > limits::certificate_dual_bits_max)
    throw Unchecked{
        fmt::format("its weights depend on more than {} bits", limits::certificate_dual_bits_max)};
  if (auto wrong = form_fault(dual, cube.dimensions)) return fault(std::move(*wrong));
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
      fmt::format("the certificate's elements pay {} in {} steps, which can pay {}: that "
                  "refutes nothing",
                  to_string(paid), to_string(steps), to_string(can)));
}

}  // namespace faro::inline v1::certificates
