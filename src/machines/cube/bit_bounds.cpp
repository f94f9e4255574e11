#include "machines/cube/bit_bounds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.hpp"
#include "faro/algebra/classify.hpp"
#include "machines/cube/cube_goal.hpp"

namespace faro::inline v1::tables {
extern const std::string_view bound_weights;
}

namespace faro::inline v1 {
namespace {

using certificate::Dual;

// --- Weights -----------------------------------------------------------------------------------

using Json = nlohmann::json;
using Numbers = std::vector<std::uint64_t>;

// Steps an element, and weights on a cube of `links.size()` dimensions that prove it.
struct RateWeights {
  Fraction rate;
  Dual::Phase step;
  int dimensions() const { return static_cast<int>(step.links.size()); }
};

RateWeights rate_weights(const Json& entry) {
  RateWeights weights;
  const auto rate = entry.at("rate").get<std::string>();
  const std::size_t slash = rate.find('/');
  weights.rate = {std::stoull(rate.substr(0, slash)), std::stoull(rate.substr(slash + 1))};
  weights.step.links = entry.at("links").get<std::vector<Numbers>>();
  if (entry.contains("ports")) weights.step.ports = entry.at("ports").get<Numbers>();
  return weights;
}

// data/bound_weights.json, made by tools/search/bound_weights.py; docs/bounds.md says what the
// weights prove and how.
struct Tables {
  std::map<int, RateWeights> one_port;
  std::map<std::uint64_t, std::vector<Dual::Phase>> steps;
  std::map<std::pair<int, bool>, RateWeights> cycles;

  Tables() {
    const Json file = Json::parse(tables::bound_weights);
    for (const Json& entry : file.at("conversion_one_port"))
      one_port.emplace(entry.at("length").get<int>(), rate_weights(entry));
    for (const Json& entry : file.at("conversion_steps")) {
      auto& phases = steps[entry.at("elements").get<std::uint64_t>()];
      for (const Json& step : entry.at("steps"))
        phases.push_back({.steps = 1, .links = step.get<std::vector<Numbers>>(), .ports = {}});
    }
    for (const Json& entry : file.at("cycles"))
      cycles.emplace(std::pair(entry.at("length").get<int>(), entry.at("odd").get<bool>()),
                     rate_weights(entry));
  }
};

const Tables& all() {
  static const Tables tables;
  return tables;
}

// Gray to binary code on a field of 2 to 6 bits, one port; of more bits, those of 6.
const RateWeights& one_port_conversion(int length) {
  const auto found = all().one_port.find(std::min(length, 6));
  FARO_CHECK(found != all().one_port.end());
  return found->second;
}

// Three bits, all ports, and a number of elements for which weights that change with the steps
// prove more than those that do not: one phase a step.
const std::vector<Dual::Phase>* conversion_in_steps(std::uint64_t elements) {
  const auto found = all().steps.find(elements);
  return found == all().steps.end() ? nullptr : &found->second;
}

// A cycle of bits, bit i to i + 1; of an odd one the bit that arrives at 0 is complemented. Nothing
// where no program was solved.
const RateWeights* cycle_weights(int length, bool odd) {
  const auto found = all().cycles.find({length, odd});
  return found == all().cycles.end() ? nullptr : &found->second;
}

// The same for the map that goes back, or for one with `t` added before and after.
Dual::Phase reversed(const Dual::Phase& phase) {
  Dual::Phase back = phase;
  for (std::size_t i = 0; i < back.links.size(); ++i)
    for (Word node = 0; node < back.links[i].size(); ++node)
      back.links[i][node] = phase.links[i][node ^ bit(static_cast<int>(i))];
  return back;
}

Dual::Phase translated(const Dual::Phase& phase, Word t) {
  Dual::Phase moved = phase;
  for (std::size_t i = 0; i < moved.links.size(); ++i)
    for (Word node = 0; node < moved.links[i].size(); ++node)
      moved.links[i][node] = phase.links[i][node ^ t];
  for (Word node = 0; node < moved.ports.size(); ++node) moved.ports[node] = phase.ports[node ^ t];
  return moved;
}

// --- Codes -------------------------------------------------------------------------------------

// A field whose code the map converts, whatever the other bits do: its dimensions in the order of
// the code, and what is added to processors before and after.
//
//   a:3 -> rev(ungray(rev(a)))   0, 1, 2     rows {0}, {0, 1}, {0, 1, 2}: each the one before and
//                                            its own bit
//   a:3 -> gray(a) ^ 1           2, 1, 0     rows {2}, {2, 1}, {1, 0}: its own bit and the one
//                                            before; translated by 2
struct Field {
  std::vector<int> dimensions = {};  // the highest bit of the code first
  bool to_binary = true;
  Word translation = 0;
  int length() const { return static_cast<int>(dimensions.size()); }
};

// The dimension that comes before each in a field, -1 if none does.
std::vector<int> predecessors(const CubeGoal& g, bool to_binary) {
  std::map<Word, int> dimension_of;  // by what must be left of a row without its own bit
  for (int d = 0; d < g.n; ++d) dimension_of[to_binary ? g.row(d) : bit(g.m + d)] = d;
  std::vector<int> before(static_cast<std::size_t>(g.n), -1);
  for (int d = 0; d < g.n; ++d) {
    const Word row = g.row(d);
    const auto found = dimension_of.find(row & ~bit(g.m + d));
    if (has_bit(row, g.m + d) && found != dimension_of.end())
      before[static_cast<std::size_t>(d)] = found->second;
  }
  return before;
}

// The longest field that begins at each dimension that stays. Rows in a circle would be dependent:
// walks up end.
std::vector<Field> fields_by_top(const CubeGoal& g, bool to_binary) {
  const std::vector<int> before = predecessors(g, to_binary);
  std::vector<Field> best(static_cast<std::size_t>(g.n));
  for (int low = g.n - 1; low >= 0; --low) {
    std::vector<int> walk{low};
    for (int d = low; (d = before[static_cast<std::size_t>(d)]) >= 0;) walk.push_back(d);
    Field& field = best[static_cast<std::size_t>(walk.back())];
    if (!g.stays(walk.back()) || walk.size() <= field.dimensions.size()) continue;
    field = {{walk.rbegin(), walk.rend()}, to_binary};
  }
  // (A + 1) t = c, from the top: row j of A + 1 is the bit before, or all bits before.
  for (Field& field : best)
    for (std::size_t j = 1; j < field.dimensions.size(); ++j) {
      const int above = field.dimensions[j - 1];
      if (g.constant(field.dimensions[j]) != (to_binary && g.constant(above)))
        field.translation |= bit(above);
    }
  return best;
}

std::vector<Field> conversion_fields(const CubeGoal& g) {
  const std::vector<Field> to_binary = fields_by_top(g, true);
  const std::vector<Field> to_gray = fields_by_top(g, false);
  std::vector<Field> fields;
  for (auto top = static_cast<std::size_t>(g.n); top-- > 0;) {
    const Field& longer =
        to_gray[top].length() > to_binary[top].length() ? to_gray[top] : to_binary[top];
    if (longer.length() >= 2) fields.push_back(longer);
  }
  return fields;
}

// The highest dimensions of a field, lowest first.
std::vector<int> top_dimensions(const Field& field, int count) {
  return {field.dimensions.rend() - count, field.dimensions.rend()};
}

// "0..59" from the lowest bit of the code up, where that is an order.
std::string dimensions_text(const Field& field) {
  const std::vector<int> up(field.dimensions.rbegin(), field.dimensions.rend());
  const int by = up[1] - up[0];
  bool even = by == 1 || by == -1;
  for (std::size_t j = 1; j < up.size(); ++j) even = even && up[j] - up[j - 1] == by;
  if (even) return fmt::format("dimensions {}..{}", up.front(), up.back());
  if (up.size() <= 8) return fmt::format("dimensions {}", fmt::join(up, ", "));
  return fmt::format("{} dimensions from {} up to {}", up.size(), up.front(), up.back());
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
  const RateWeights& weights = one_port_conversion(field.length());
  Dual dual{.onto = top_dimensions(field, weights.dimensions()), .phases = {}};
  if (steps == 0) return dual;
  dual.phases.push_back(field.to_binary ? weights.step : reversed(weights.step));
  dual.phases.front().steps = steps;
  return dual;
}

// The weights of the conversion become those of its translation.
void translate(Dual& dual, Word translation) {
  Word node = 0;
  for (std::size_t i = 0; i < dual.onto.size(); ++i)
    if (has_bit(translation, dual.onto[i])) node |= bit(static_cast<int>(i));
  if (node == 0) return;
  for (Dual::Phase& phase : dual.phases) phase = translated(phase, node);
}

Count two_bits_bound(std::uint64_t elements) {
  return elements <= 2 ? Count{elements} : ceil_of({1, 2}, elements) + 1;
}

Count three_bits_bound(std::uint64_t elements) {
  return std::max(ceil_div(3 * Count{elements} + 1, 5), Count{2});
}

Bound conversion_bound_of(const Field& field, std::uint64_t elements, Hypercube::Ports ports) {
  Bound bound{.value = conversion_bound(field.length(), elements, ports)};
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
  translate(std::get<Dual>(bound.certificate), field.translation);
  bound.reason = fmt::format("code conversion, {} on {}: {}",
                             field.to_binary ? "Gray to binary" : "binary to Gray",
                             dimensions_text(field), by);
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
