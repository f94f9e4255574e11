#include "machines/cube/bit_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/algebra/classify.hpp"
#include "machines/cube/bound_weights.hpp"
#include "machines/cube/cube_goal.hpp"
#include "machines/fraction.hpp"

namespace faro::inline v1 {
namespace {

using certificate::Dual;

// --- Codes -------------------------------------------------------------------------------------

// Fields whose code the map converts, whatever the other bits do.
struct Field {
  int lo;
  int length;
  bool to_binary;
  int top() const { return lo + length - 1; }
};
std::vector<Field> conversion_fields(const CubeGoal& g) {
  std::vector<Field> fields;
  for (int top = g.n - 1; top > 0; --top) {
    if (!g.stays(top)) continue;
    Field best{top, 1, true};
    for (const bool to_binary : {true, false}) {
      int d = top;
      const auto row = [&](int j) {
        return (to_binary ? bit_range(j, top) : bit_range(j, j + 1)) << g.m;
      };
      while (d > 0 && g.row(d - 1) == row(d - 1) && !g.constant(d - 1)) --d;
      if (top - d + 1 > best.length) best = {d, top - d + 1, to_binary};
    }
    if (best.length < 2) continue;
    fields.push_back(best);
    top = best.lo;
  }
  return fields;
}

// The highest dimensions of a field, lowest first.
std::vector<int> top_dimensions(const Field& field, int count) {
  std::vector<int> dimensions;
  for (int i = 0; i < count; ++i) dimensions.push_back(field.top() - count + 1 + i);
  return dimensions;
}

// Steps that the weights on the half of the field's links refute: `used` are the links across the
// lower of two bits that a step must pay for, all of them but in the first and last.
Dual two_bits(const Field& field, std::uint64_t steps) {
  const Dual::Phase half{.steps = 1, .links = {{0, 0, 1, 1}, {0, 0, 0, 0}}, .ports = {}};
  Dual dual{.onto = top_dimensions(field, 2), .phases = {}};
  if (steps >= 1) dual.phases.push_back(half);
  if (steps >= 3)
    dual.phases.push_back({.steps = steps - 2, .links = {{1, 1, 1, 1}, {0, 0, 0, 0}}, .ports = {}});
  if (steps >= 2) dual.phases.push_back(half);
  return dual;
}

// The links of S on the field's top three bits.
Dual three_bits(const Field& field, std::uint64_t steps) {
  const std::vector<std::vector<std::uint64_t>> s = {
      {0, 0, 1, 1, 0, 0, 0, 0}, {0, 0, 1, 1, 1, 1, 1, 1}, {0, 0, 1, 1, 0, 0, 0, 0}};
  Dual dual{.onto = top_dimensions(field, 3), .phases = {}};
  if (steps >= 2) dual.phases.push_back({.steps = steps - 1, .links = s, .ports = {}});
  Dual::Phase last{.steps = 1, .links = s, .ports = {}};
  last.links[1] = {0, 0, 0, 0, 1, 1, 1, 1};
  if (steps >= 1) dual.phases.push_back(std::move(last));
  return dual;
}

Dual changing_weights(const Field& field, std::uint64_t elements) {
  Dual dual{.onto = top_dimensions(field, 3), .phases = *conversion_in_steps(elements)};
  if (!field.to_binary) {
    std::reverse(dual.phases.begin(), dual.phases.end());
    for (Dual::Phase& phase : dual.phases) phase = reversed(phase);
  }
  return dual;
}

Dual one_port_weights(const Field& field, std::uint64_t steps) {
  const RateWeights& weights = one_port_conversion(field.length);
  Dual dual{.onto = top_dimensions(field, weights.dimensions()), .phases = {}};
  if (steps == 0) return dual;
  dual.phases.push_back(field.to_binary ? weights.step : reversed(weights.step));
  dual.phases.front().steps = steps;
  return dual;
}

Count two_bits_bound(std::uint64_t elements) {
  return elements <= 2 ? Count{elements} : ceil_of({1, 2}, elements) + 1;
}

Count three_bits_bound(std::uint64_t elements) {
  return std::max(ceil_div(3 * Count{elements} + 1, 5), Count{2});
}

Bound conversion_bound_of(const Field& field, std::uint64_t elements, Hypercube::Ports ports) {
  Bound bound{.value = conversion_bound(field.length, elements, ports)};
  const auto steps = static_cast<std::uint64_t>(bound.value - 1);
  const char* by;
  if (ports == Hypercube::Ports::one) {
    by = "the best flow with one port";
    bound.certificate = one_port_weights(field, steps);
  } else if (bound.value == two_bits_bound(elements)) {
    by = "K up to two elements, else K/2 + 1";
    bound.certificate = two_bits(field, steps);
  } else if (bound.value == three_bits_bound(elements)) {
    by = "(3K+1)/5, the links that the upper half must use";
    bound.certificate = three_bits(field, steps);
  } else {
    by = "the best flow in one step fewer";
    bound.certificate = changing_weights(field, elements);
  }
  bound.reason =
      fmt::format("code conversion, {} on dimensions {}..{}: {}",
                  field.to_binary ? "Gray to binary" : "binary to Gray", field.lo, field.top(), by);
  return bound;
}

// --- Cycles ------------------------------------------------------------------------------------

// The cycles of two processor bits and more of a bit permutation.
std::optional<std::vector<std::vector<int>>> cycles_of(const CubeGoal& g) {
  const auto place = bit_places(g.goal.map);
  if (!place) return {};
  const auto next = [&](int x) { return (*place)[static_cast<std::size_t>(x)]; };
  std::vector<std::vector<int>> cycles;
  Word seen = 0;
  for (int d = g.m; d < g.m + g.n; ++d) {
    if (has_bit(seen, d)) continue;
    std::vector<int> walk;
    int x = d;
    for (; x >= g.m && !has_bit(seen, x); x = next(x)) {
      seen |= bit(x);
      walk.push_back(x - g.m);
    }
    if (x == d && walk.size() > 1) cycles.push_back(std::move(walk));
  }
  return cycles;
}

// Nothing where no program was solved.
std::optional<Bound> cycle_bound(const CubeGoal& g, const std::vector<int>& cycle,
                                 std::uint64_t elements) {
  // Where the bit that arrives at cycle[i] is complemented, and what makes of all these one.
  unsigned odd = 0;
  Word translation = 0;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const unsigned here = g.constant(cycle[i]) ? 1U : 0U;
    odd ^= here;
    if (i > 0 && (here ^ unsigned{has_bit(translation, static_cast<int>(i) - 1)}) != 0)
      translation |= bit(static_cast<int>(i));
  }
  const RateWeights* weights = cycle_weights(static_cast<int>(cycle.size()), odd == 1);
  if (weights == nullptr) return {};
  Bound bound{.reason = fmt::format(
                  "a cycle of {} processor bits with {} parity of complements: the best flow",
                  cycle.size(), odd == 1 ? "odd" : "even")};
  bound.value = ceil_of(weights->rate, elements);
  Dual dual{.onto = cycle, .phases = {}};
  if (bound.value > 1) {
    dual.phases.push_back(translated(weights->step, translation));
    dual.phases.front().steps = static_cast<std::uint64_t>(bound.value - 1);
  }
  bound.certificate = std::move(dual);
  return bound;
}

}  // namespace

Count conversion_bound(int length, std::uint64_t elements, Hypercube::Ports ports) {
  if (length < 2 || elements == 0) return 0;
  if (ports == Hypercube::Ports::one) return ceil_of(one_port_conversion(length).rate, elements);
  const Count steps = two_bits_bound(elements);
  if (length == 2) return steps;
  const auto* changing = conversion_in_steps(elements);
  return std::max({steps, three_bits_bound(elements),
                   changing == nullptr ? Count{0} : Count{changing->size() + 1}});
}

void add_conversion_bounds(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements,
                           std::vector<Bound>& out) {
  const CubeGoal g(goal);
  for (const Field& f : conversion_fields(g))
    out.push_back(conversion_bound_of(f, elements, cube.ports));
}

void add_bit_permutation_bounds(const MapGoal& goal, std::uint64_t elements,
                                std::vector<Bound>& out) {
  const CubeGoal g(goal);
  const auto cycles = cycles_of(g);
  if (!cycles) return;
  for (const auto& cycle : *cycles)
    if (auto bound = cycle_bound(g, cycle, elements)) out.push_back(std::move(*bound));
}

}  // namespace faro::inline v1
