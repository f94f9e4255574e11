// Lower bounds on a cube. What each rests on is said in its reason and proved by its certificate.
#include "machines/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/bit_bounds.hpp"
#include "machines/cube/cube_goal.hpp"
#include "machines/cube/ports.hpp"
#include "machines/keepers.hpp"

namespace faro::inline v1 {
namespace {

// An element that is far from its goal: its displacement lies in an affine space; every member
// gives a bound, all are tried when the space is small.
Word far_displacement(const CubeGoal& g) {
  std::vector<Word> columns;
  for (int i = 0; i < g.n + g.m; ++i) columns.push_back((g.goal.map.column(i) ^ bit(i)) >> g.m);
  const std::vector<Word> basis = reduced_basis(columns);
  Word x = g.goal.map.complement() >> g.m;
  Word farthest = x;
  const auto keep = [&] {
    if (std::popcount(x) > std::popcount(farthest)) farthest = x;
  };
  if (basis.size() <= 20) {
    for (Word k = 1; k < bit(static_cast<int>(basis.size())); ++k) {
      x ^= basis[static_cast<std::size_t>(lowest_bit(k))];
      keep();
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
  keep();
  return farthest;
}

std::string distance_reason(int distance) {
  return fmt::format("an element is {} link{} from its goal", distance, distance == 1 ? "" : "s");
}

Bound distance_bound(const CubeGoal& g) {
  const Word displacement = far_displacement(g);
  std::vector<Parity> from;
  for (int d = 0; d < g.n; ++d)
    from.push_back({g.row(d) ^ bit(g.m + d), unsigned{has_bit(displacement, d) != g.constant(d)}});
  const Word address = AffineSpace::where(g.n + g.m, from).first();
  const int distance = std::popcount(displacement);
  return {.value = static_cast<Count>(distance),
          .reason = distance_reason(distance),
          .certificate = certificate::Distance{g.m == word_bits ? 0 : address >> g.m,
                                               address & low_mask(g.m)}};
}

// The elements of the processor whose element goes farthest: those that go D links and more have
// left it after x + 1 of D + x steps, for x < 2 over links that lead nearer.
void add_departure_bound(const CubeGoal& g, std::uint64_t elements, const Hypercube& cube,
                         Word processor, std::vector<Bound>& out) {
  if (g.m > limits::bound_departures_log2_max) return;
  std::vector<Word> moves;
  for (Word slot = 0; slot < bit(g.m); ++slot)
    moves.push_back((g.goal.map((processor << g.m) | slot) >> g.m) ^ processor);
  const std::uint64_t each = g.goal.cut ? 1 : elements;
  std::sort(moves.begin(), moves.end(),
            [](Word a, Word b) { return std::popcount(a) > std::popcount(b); });
  const auto ports = static_cast<Count>(ports_of(cube));
  Bound best{.certificate = certificate::Port{processor}};
  Word nearer = 0;
  for (std::size_t i = 0; i < moves.size() && moves[i] != 0; ++i) {
    nearer |= moves[i];
    const int distance = std::popcount(moves[i]);
    if (i + 1 < moves.size() && std::popcount(moves[i + 1]) == distance) continue;
    const Count leaving = Count{each} * static_cast<Count>(i + 1);
    const auto links = std::min(ports, static_cast<Count>(std::popcount(nearer)));
    Count later = ceil_div(leaving, links) - 1;
    if (later > 2) later = std::max(Count{2}, ceil_div(leaving, ports) - 1);
    if (static_cast<Count>(distance) + later <= best.value) continue;
    best.value = static_cast<Count>(distance) + later;
    best.reason = fmt::format("{} elements of a processor go {} links and leave it over {}",
                              to_string(leaving), distance, to_string(later > 2 ? ports : links));
  }
  out.push_back(std::move(best));
}

constexpr int onto_max = limits::certificate_dual_bits_max;

// Processors that use the link: those with parity(p & mask) ^ value = 1; nothing: all.
using Half = std::optional<Parity>;

// Half of the processors where the elements to cross are told by processor bits alone.
Half half_of(const BitMap& map, int m, int d) {
  const Word crosses = map.matrix().row(m + d) ^ bit(m + d);
  if (crosses < bit(m) || (crosses & low_mask(m)) != 0) return {};
  return Parity{crosses >> m, has_bit(map.complement(), m + d) ? 1U : 0U};
}

Word mask_of(const Half& half) {
  return half ? half->mask : 0;
}

using Links = std::vector<std::vector<std::uint64_t>>;

// Weights of the links across onto[0]: 1 where `half` holds at the end that `across` says.
Links links_of(const std::vector<int>& onto, const Half& half, Word across) {
  Links links(onto.size(), std::vector<std::uint64_t>(bit(static_cast<int>(onto.size())), 0));
  Word mask = 0;
  for (std::size_t i = 0; i < onto.size(); ++i)
    if (half && has_bit(half->mask, onto[i])) mask |= bit(static_cast<int>(i));
  for (Word node = 0; node < links[0].size(); ++node)
    links[0][node] = !half || (parity((node ^ across) & mask) ^ half->value) == 1 ? 1 : 0;
  return links;
}

// Dimension d, which half of the elements cross. In the first step only those processors use their
// link that hold an element which must cross, in the last step only those where one ends that did.
// Where neither depends on memory, that is half of them:
//
//   a:2 -> a[0] a[0]+a[1], K = 64     32 steps for what crosses dimension 1, and one more because
//                                     half of its links stand still at first and half at last
// Adds a bound if it is more than half of the elements. Requires g.row(d) to be other than bit d.
void add_ends_bound(const CubeGoal& g, const BitMap& inverse, int d, std::uint64_t elements,
                    std::vector<Bound>& out) {
  Half first = half_of(g.goal.map, g.m, d);
  Half last = half_of(inverse, g.m, d);
  const auto depends = [&] { return bit(d) | mask_of(first) | mask_of(last); };
  if (std::popcount(depends()) > onto_max)
    (std::popcount(mask_of(first)) > std::popcount(mask_of(last)) ? first : last).reset();
  if ((!first && !last) || std::popcount(depends()) > onto_max) return;

  // In halves of the processors: what must cross, and what the first and the last step take.
  const std::uint64_t ends = (first ? 1U : 2U) + (last ? 1U : 2U);
  if (elements <= 1) return;
  const std::uint64_t refuted = elements > ends ? 2 + ((elements - ends - 1) / 2) : 1;
  if (refuted + 1 <= (elements + 1) / 2) return;

  certificate::Dual dual{.onto = {d}, .phases = {}};
  for (Word rest = depends() & ~bit(d); rest != 0; rest &= rest - 1)
    dual.onto.push_back(lowest_bit(rest));
  const Links at_first = links_of(dual.onto, first, 0);
  const Links at_last = links_of(dual.onto, last, 1);
  if (refuted == 1) {
    dual.phases.push_back({.steps = 1, .links = first ? at_first : at_last, .ports = {}});
  } else {
    dual.phases.push_back({.steps = 1, .links = at_first, .ports = {}});
    if (refuted > 2)
      dual.phases.push_back(
          {.steps = refuted - 2, .links = links_of(dual.onto, {}, 0), .ports = {}});
    dual.phases.push_back({.steps = 1, .links = at_last, .ports = {}});
  }
  out.push_back({.value = Count{refuted} + 1,
                 .reason = fmt::format("half of the elements cross dimension {}, half of whose "
                                       "links stand still in the {} step",
                                       d,
                                       first && last ? "first and in the last"
                                       : first       ? "first"
                                                     : "last"),
                 .certificate = std::move(dual)});
}

// Whose ports are fewer than its links: what all send.
std::string by_ports(int ports) {
  return ports == 1 ? "with one port a processor sends one element a step"
                    : fmt::format("with {0} ports a processor sends {0} elements a step", ports);
}

void add_crossings(const CubeGoal& g, std::uint64_t elements, const Hypercube& cube,
                   std::vector<Bound>& out) {
  std::uint64_t halves = 0;  // half a send of each processor's every element
  const BitMap back = g.goal.map.inverse();
  for (int d = 0; d < g.n; ++d) {
    const bool varies = g.row(d) != bit(g.m + d);
    const std::uint64_t h = varies ? 1 : g.constant(d) ? 2 : 0;
    halves += h;
    if (h == 0) continue;
    out.push_back({.value = ceil_of({h, 2}, elements),
                   .reason = fmt::format("{} of the elements cross dimension {}, which has one "
                                         "link a processor",
                                         h == 1 ? "half" : "all", d),
                   .certificate = certificate::Cut{{{bit(d), 0}}}});
    if (h == 1) add_ends_bound(g, back, d, elements, out);
  }
  const auto ports = static_cast<std::uint64_t>(ports_of(cube));
  if (cube.ports != Hypercube::Ports::all && halves != 0)
    out.push_back(
        {.value = ceil_of({halves, 2 * ports}, elements),
         .reason = fmt::format("{}, and each element is sent {}{} times on average",
                               by_ports(ports_of(cube)), halves / 2, halves % 2 == 0 ? "" : ".5"),
         .certificate = certificate::Traffic{}});
}

// Dimensions that the same elements cross, all that start in one half of the processors. What makes
// these crossings from the other half has come there over the dimensions between the halves, one
// element a link and step, so that links stand still in the first steps.
void add_arrivals(const CubeGoal& g, std::uint64_t elements, std::vector<Bound>& out) {
  std::map<std::pair<Word, bool>, Word> alike;
  for (int d = 0; d < g.n; ++d) {
    const Word crosses = g.row(d) ^ bit(g.m + d);
    if ((crosses & low_mask(g.m)) == 0 && crosses != 0)
      alike[{crosses >> g.m, g.constant(d)}] |= bit(d);
  }
  for (const auto& [half, over] : alike) {
    const auto dimensions = static_cast<Count>(std::popcount(over));
    const auto entries = static_cast<Count>(std::popcount(half.first));
    // In crossings of half of the processors.
    const Count needed = Count{elements} * dimensions;
    Count steps = 0;
    Count done = 0;
    for (; done < needed && entries * steps < dimensions; ++steps)
      done += dimensions + entries * steps;
    if (done < needed) steps += ceil_div(needed - done, 2 * dimensions);
    const auto text = [](Word those) {
      return std::has_single_bit(those) ? fmt::format("dimension {}", lowest_bit(those))
                                        : fmt::format("{} dimensions", std::popcount(those));
    };
    out.push_back(
        {.value = steps,
         .reason = fmt::format("half of the elements cross {}, half of whose links they reach over "
                               "{} alone",
                               text(over), text(half.first)),
         .certificate = certificate::Arrivals{{{half.first, half.second ? 1U : 0U}}, over}});
  }
}

// The data lie on the processors whose other bits are 0. Those dimensions bring links, not ways
// that are shorter: the distance holds, and what leaves a processor leaves over its links.
std::vector<Bound> subcube_bounds(const Hypercube& cube, const MapGoal& goal,
                                  std::uint64_t elements) {
  const CubeGoal g(goal);
  std::vector<Word> columns;
  for (int i = 0; i < g.n + g.m; ++i) columns.push_back((goal.map.column(i) ^ bit(i)) >> g.m);
  const std::vector<Word> basis = reduced_basis(columns);
  Word rest = goal.map.complement() >> g.m;
  for (const Word v : basis)
    if (has_bit(rest, highest_bit(v))) rest ^= v;
  // Of 2^r displacements one is none, or none is.
  const Word all = bit(static_cast<int>(basis.size()));
  const Word moving = rest == 0 ? all - 1 : all;
  const int links = ports_of(cube);
  std::vector<Bound> bounds;
  if (elements == 0 || moving == 0) return bounds;
  bounds.push_back(distance_bound(g));
  bounds.push_back(
      {.value = ceil_div(Count{elements} * Count{moving}, Count{all} * static_cast<Count>(links)),
       .reason = fmt::format("{} of {} elements leave their processor, over {} link{} a step",
                             moving, all, links, links == 1 ? "" : "s"),
       .certificate = certificate::Port{keeps_least(goal)}});
  return bounds;
}

}  // namespace

std::vector<Bound> cube_bounds(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements) {
  const int m = goal.cut ? goal.memory_bits : 0;
  if (goal.map.width() < cube.dimensions + m) return subcube_bounds(cube, goal, elements);
  FARO_CHECK(goal.map.width() == cube.dimensions + m);
  const CubeGoal g(goal);
  std::vector<Bound> bounds;
  if (elements == 0) return bounds;
  bounds.push_back(distance_bound(g));
  const auto farthest = std::get<certificate::Distance>(bounds.back().certificate).processor;
  add_departure_bound(g, elements, cube, farthest, bounds);
  add_conversion_bounds(cube, goal, elements, bounds);
  add_crossings(g, elements, cube, bounds);
  if (cube.ports == Hypercube::Ports::all) add_arrivals(g, elements, bounds);
  if (cube.ports != Hypercube::Ports::one) add_bit_permutation_bounds(goal, elements, bounds);
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
  Word farthest = 0;
  std::uint64_t total = 0;
  std::vector<std::array<std::uint64_t, 2>> crossing(static_cast<std::size_t>(cube.dimensions));
  for (std::uint64_t p = 0; p < destinations.size(); ++p) {
    Word x = p ^ destinations[p];
    if (std::popcount(x) > distance) farthest = p;
    distance = std::max(distance, std::popcount(x));
    total += static_cast<std::uint64_t>(std::popcount(x));
    for (; x != 0; x &= x - 1) {
      const int d = lowest_bit(x);
      ++crossing[static_cast<std::size_t>(d)][has_bit(p, d) ? 1 : 0];
    }
  }
  if (elements == 0 || distance == 0) return largest(bounds);
  bounds.push_back({.value = static_cast<Count>(distance),
                    .reason = distance_reason(distance),
                    .certificate = certificate::Distance{farthest, 0}});
  const std::uint64_t links = std::max<std::uint64_t>(destinations.size() / 2, 1);
  for (int d = 0; d < cube.dimensions; ++d)
    for (const unsigned side : {0U, 1U}) {
      const std::uint64_t moves = crossing[static_cast<std::size_t>(d)][side];
      bounds.push_back({.value = ceil_of({moves, links}, elements),
                        .reason = fmt::format("{} processors send across dimension {} from one "
                                              "side, over {} links",
                                              moves, d, links),
                        .certificate = certificate::Cut{{{bit(d), side}}}});
    }
  if (cube.ports != Hypercube::Ports::all) {
    const auto ports = static_cast<std::uint64_t>(ports_of(cube));
    bounds.push_back({.value = ceil_of({total, ports * destinations.size()}, elements),
                      .reason = by_ports(ports_of(cube)),
                      .certificate = certificate::Traffic{}});
    bounds.push_back({.value = ceil_div(elements, ports),
                      .reason = fmt::format(
                          "the elements of a processor leave over {}",
                          ports == 1 ? "one port, one by one" : fmt::format("{} ports", ports)),
                      .certificate = certificate::Port{farthest}});
  }
  return largest(bounds);
}

}  // namespace faro::inline v1
