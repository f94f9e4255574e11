// Lower bounds on a cube. What each rests on is said in its reason; the rates of code conversion
// and of cycles are optima of linear programs over all fractional flows, whose weights are in
// data/bound_weights.json, and the one for three bits and more has a proof by hand:
//
//   Field of top bits x2 x1 x0. S: the links leaving processors 01* along the three top dimensions
//   and the links of dimension x1 leaving processors 1*; 5·2^(n-2) links. Every element starting in
//   1* must change x1 and every one starting in 01* must change x0, so each of these 3·2^(n-2)·K
//   elements uses S at least once. In the last step the links from 01* to 00* help none of them:
//   3·2^(n-2)·K <= 5·2^(n-2)·T - 2^(n-2), so T >= (3K + 1) / 5.
//
// Idle dimensions and other fields never help: identify the processors that agree on the field, and
// average.
#include "machines/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "faro/algebra/classify.hpp"
#include "machines/cube/bound_weights.hpp"
#include "machines/fraction.hpp"

namespace faro::inline v1 {
namespace {

// Bits of a goal: destination processor bit d is row(d) over source address bits, and constant(d).
struct CubeGoal {
  const MapGoal& goal;
  int n;
  int m;

  Word row(int d) const { return goal.map.matrix().row(m + d); }
  bool constant(int d) const { return has_bit(goal.map.complement(), m + d); }
  bool stays(int d) const { return row(d) == bit(m + d) && !constant(d); }
};

// An element that is far from its goal: its displacement lies in an affine space; every member
// gives a bound, all are tried when the space is small.
int far_displacement(const CubeGoal& g) {
  std::vector<Word> columns;
  for (int i = 0; i < g.n + g.m; ++i) columns.push_back((g.goal.map.column(i) ^ bit(i)) >> g.m);
  const std::vector<Word> basis = reduced_basis(columns);
  Word x = g.goal.map.complement() >> g.m;
  int farthest = std::popcount(x);
  if (basis.size() <= 20) {
    for (Word k = 1; k < bit(static_cast<int>(basis.size())); ++k) {
      x ^= basis[static_cast<std::size_t>(lowest_bit(k))];
      farthest = std::max(farthest, std::popcount(x));
    }
    return farthest;
  }
  // All leading bits set, then single changes for the better.
  for (const Word v : basis)
    if (!has_bit(x, highest_bit(v))) x ^= v;
  for (bool better = true; better;) {
    better = false;
    for (const Word v : basis)
      if (std::popcount(x ^ v) > std::popcount(x)) {
        x ^= v;
        better = true;
      }
  }
  return std::max(farthest, std::popcount(x));
}

void add_crossings(const CubeGoal& g, std::uint64_t elements, Hypercube::Ports ports,
                   std::vector<Bound>& out) {
  std::uint64_t halves = 0;  // half a send of each processor's every element
  for (int d = 0; d < g.n; ++d) {
    const bool varies = g.row(d) != bit(g.m + d);
    const std::uint64_t h = varies ? 1 : g.constant(d) ? 2 : 0;
    halves += h;
    if (h != 0)
      out.push_back({.value = ceil_of({h, 2}, elements),
                     .reason = fmt::format("{} of the elements cross dimension {}, which has one "
                                           "link a processor",
                                           h == 1 ? "half" : "all", d)});
  }
  if (ports == Hypercube::Ports::one && halves != 0)
    out.push_back({.value = ceil_of({halves, 2}, elements),
                   .reason = fmt::format("with one port a processor sends one element a step, and "
                                         "each element is sent {}{} times on average",
                                         halves / 2, halves % 2 == 0 ? "" : ".5")});
}

// Fields whose code the map converts, whatever the other bits do.
struct Field {
  int lo;
  int length;
  const char* kind;
};
std::vector<Field> conversion_fields(const CubeGoal& g) {
  std::vector<Field> fields;
  for (int top = g.n - 1; top > 0; --top) {
    if (!g.stays(top)) continue;
    Field best{top, 1, ""};
    for (const bool to_binary : {true, false}) {
      int d = top;
      const auto row = [&](int j) {
        return (to_binary ? bit_range(j, top) : bit_range(j, j + 1)) << g.m;
      };
      while (d > 0 && g.row(d - 1) == row(d - 1) && !g.constant(d - 1)) --d;
      if (top - d + 1 > best.length)
        best = {d, top - d + 1, to_binary ? "Gray to binary" : "binary to Gray"};
    }
    if (best.length < 2) continue;
    fields.push_back(best);
    top = best.lo;
  }
  return fields;
}

void add_conversions(const CubeGoal& g, std::uint64_t elements, Hypercube::Ports ports,
                     std::vector<Bound>& out) {
  for (const Field& f : conversion_fields(g))
    out.push_back(
        {.value = conversion_bound(f.length, elements, ports),
         .reason = fmt::format(
             "code conversion, {} on dimensions {}..{}: {}", f.kind, f.lo, f.lo + f.length - 1,
             ports == Hypercube::Ports::one ? "the best flow with one port"
             : f.length == 2                ? "K up to two elements, else K/2 + 1"
                                            : "(3K+1)/5, the links that the upper half must use")});
}

// A bit permutation as cycles and chains of processor bits. A chain begins where a memory bit moves
// into the processor number and ends where a processor bit moves into memory.
struct CycleShape {
  int length = 0;
  unsigned complements = 0;  // their parity
};
struct BitShape {
  std::vector<int> chains;         // lengths
  std::vector<CycleShape> cycles;  // two bits and more
};

std::optional<BitShape> bit_shape(const CubeGoal& g) {
  const int p = g.n + g.m;
  const auto place = bit_places(g.goal.map);
  if (!place) return {};
  const auto next = [&](int x) { return (*place)[static_cast<std::size_t>(x)]; };
  BitShape s;
  Word seen = 0;
  for (int d = g.m; d < p; ++d) {
    if (g.row(d - g.m) >= bit(g.m)) continue;  // the bit that arrives is a processor bit
    int length = 0;
    for (int x = d; x >= g.m; x = next(x)) {
      seen |= bit(x);
      ++length;
    }
    s.chains.push_back(length);
  }
  for (int d = g.m; d < p; ++d) {
    if (has_bit(seen, d)) continue;
    CycleShape cycle;
    for (int x = d; !has_bit(seen, x); x = next(x)) {
      seen |= bit(x);
      ++cycle.length;
      cycle.complements ^= has_bit(g.goal.map.complement(), x) ? 1U : 0U;
    }
    if (cycle.length > 1) s.cycles.push_back(cycle);
  }
  return s;
}

// All ports, steps an element: (L+1)/2L, without complement times (2^L - 2)/(2^L - 1).
Fraction cycle_rate(const CycleShape& cycle) {
  const auto length = static_cast<std::uint64_t>(cycle.length);
  if (cycle.complements == 1) return {length + 1, 2 * length};
  return {(length + 1) * (bit(cycle.length) - 2), 2 * length * (bit(cycle.length) - 1)};
}

void add_bit_permutation(const CubeGoal& g, std::uint64_t elements, std::vector<Bound>& out) {
  const std::optional<BitShape> s = bit_shape(g);
  if (!s) return;
  constexpr int lengths_solved = 8;  // linear programs were solved up to here
  for (const int length : s->chains)
    if (elements >= 2)
      out.push_back({.value = ceil_of({1, 2}, elements) + (length >= 2 ? 1 : 0),
                     .reason = fmt::format(
                         "a chain of {} dimensions: half of the elements cross "
                         "each{}",
                         length, length >= 2 ? ", and the first step cannot use all" : "")});
  for (const CycleShape& cycle : s->cycles) {
    const bool solved = cycle.length <= lengths_solved;
    const bool pair = cycle.length == 2 && cycle.complements == 0;
    Count value = ceil_of(solved ? cycle_rate(cycle) : Fraction{1, 2}, elements);
    if (pair || !solved) value = std::max(value, ceil_of({1, 2}, elements) + 1);
    out.push_back(
        {.value = value,
         .reason = fmt::format("a cycle of {} processor bits with {} parity of "
                               "complements: {}",
                               cycle.length, cycle.complements == 1 ? "odd" : "even",
                               solved && !pair
                                   ? "the best flow"
                                   : "half of the elements "
                                     "cross each dimension and the first step cannot use all")});
  }
}

// The data lie on the processors whose other bits are 0. Those dimensions bring links, not ways
// that are shorter: the distance holds, and what leaves a processor leaves over its links.
std::vector<Bound> subcube_bounds(const Hypercube& cube, const MapGoal& goal,
                                  std::uint64_t elements) {
  const int m = goal.cut ? goal.memory_bits : 0;
  const CubeGoal g{goal, goal.map.width() - m, m};
  std::vector<Word> columns;
  for (int i = 0; i < g.n + g.m; ++i) columns.push_back((goal.map.column(i) ^ bit(i)) >> g.m);
  const std::vector<Word> basis = reduced_basis(columns);
  Word rest = goal.map.complement() >> g.m;
  for (const Word v : basis)
    if (has_bit(rest, highest_bit(v))) rest ^= v;
  // Of 2^r displacements one is none, or none is.
  const Word all = bit(static_cast<int>(basis.size()));
  const Word moving = rest == 0 ? all - 1 : all;
  const int links = cube.ports == Hypercube::Ports::one ? 1 : cube.dimensions;
  std::vector<Bound> bounds;
  if (elements == 0 || moving == 0) return bounds;
  const int distance = far_displacement(g);
  bounds.push_back({.value = static_cast<Count>(distance),
                    .reason = fmt::format("an element is {} links from its goal", distance)});
  bounds.push_back(
      {.value = ceil_div(Count{elements} * Count{moving}, Count{all} * static_cast<Count>(links)),
       .reason = fmt::format("{} of {} elements leave their processor, over {} link{} a step",
                             moving, all, links, links == 1 ? "" : "s")});
  return bounds;
}

}  // namespace

Count conversion_bound(int length, std::uint64_t elements, Hypercube::Ports ports) {
  if (length < 2 || elements == 0) return 0;
  if (ports == Hypercube::Ports::one) return ceil_of(one_port_conversion_rate(length), elements);
  const Count steps = elements <= 2 ? elements : ceil_of({1, 2}, elements) + 1;
  if (length == 2) return steps;
  return std::max({steps, ceil_div(3 * Count{elements} + 1, 5), Count{2},
                   conversion_steps(elements).value_or(0)});
}

std::vector<Bound> cube_bounds(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements) {
  const int m = goal.cut ? goal.memory_bits : 0;
  if (goal.map.width() < cube.dimensions + m) return subcube_bounds(cube, goal, elements);
  FARO_CHECK(goal.map.width() == cube.dimensions + m);
  const CubeGoal g{goal, cube.dimensions, m};
  std::vector<Bound> bounds;
  if (elements == 0) return bounds;
  const int distance = far_displacement(g);
  bounds.push_back({.value = static_cast<Count>(distance),
                    .reason = fmt::format("an element is {} links from its goal", distance)});
  add_conversions(g, elements, cube.ports, bounds);
  add_crossings(g, elements, cube.ports, bounds);
  if (cube.ports == Hypercube::Ports::all) add_bit_permutation(g, elements, bounds);
  std::erase_if(bounds, [](const Bound& b) { return b.value == 0; });
  return bounds;
}

Bound largest(std::span<const Bound> bounds) {
  const auto best =
      std::max_element(bounds.begin(), bounds.end(),
                       [](const Bound& a, const Bound& b) { return a.value < b.value; });
  if (best == bounds.end()) return {.value = 0, .reason = "nothing moves"};
  return *best;
}

Bound lower_bound(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements) {
  return largest(cube_bounds(cube, goal, elements));
}

Bound lower_bound(const Hypercube& cube, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements) {
  std::vector<Bound> bounds;
  int distance = 0;
  std::uint64_t total = 0;
  std::vector<std::array<std::uint64_t, 2>> crossing(static_cast<std::size_t>(cube.dimensions));
  for (std::uint64_t p = 0; p < destinations.size(); ++p) {
    Word x = p ^ destinations[p];
    distance = std::max(distance, std::popcount(x));
    total += static_cast<std::uint64_t>(std::popcount(x));
    for (; x != 0; x &= x - 1) {
      const int d = lowest_bit(x);
      ++crossing[static_cast<std::size_t>(d)][has_bit(p, d) ? 1 : 0];
    }
  }
  if (elements == 0 || distance == 0) return largest(bounds);
  bounds.push_back({.value = static_cast<Count>(distance),
                    .reason = fmt::format("an element is {} links from its goal", distance)});
  const std::uint64_t links = std::max<std::uint64_t>(destinations.size() / 2, 1);
  for (int d = 0; d < cube.dimensions; ++d)
    for (const std::uint64_t moves : crossing[static_cast<std::size_t>(d)])
      bounds.push_back({.value = ceil_of({moves, links}, elements),
                        .reason = fmt::format("{} processors send across dimension {} from one "
                                              "side, over {} links",
                                              moves, d, links)});
  if (cube.ports == Hypercube::Ports::one) {
    bounds.push_back({.value = ceil_of({total, destinations.size()}, elements),
                      .reason = "with one port a processor sends one element a step"});
    bounds.push_back({.value = elements,
                      .reason = "with one port the elements of a processor leave one by one"});
  }
  return largest(bounds);
}

}  // namespace faro::inline v1
