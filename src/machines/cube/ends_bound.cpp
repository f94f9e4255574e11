#include "machines/cube/ends_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

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

}  // namespace

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

}  // namespace faro::inline v1
