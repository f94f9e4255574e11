// What the groups of a POPS network must send each other, for an affine map in closed form, for a
// list by counting; bounds rest on it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/limits.hpp"
#include "machines/keepers.hpp"
#include "machines/pops/bounds.hpp"
#include "machines/pops/model.hpp"

namespace faro::inline v1 {
namespace {

Count processors_in(const AffineSpace& space) {
  return space.empty() ? 0 : Count{1} << static_cast<unsigned>(space.dimension());
}

// What the demand of an affine map is made of: every group sends c data to each of P groups; in
// `loops` groups one of these is the group itself; of those `fixed_groups` hold `fixed` data each
// that do not move.
struct AffineDemand {
  Count groups = 1;
  Count each = 1;     // c
  Count targets = 1;  // P
  Count loops = 0;
  Count fixed_groups = 0;
  Count fixed = 0;
};

AffineDemand affine_demand(const Pops& pops, const BitMap& map) {
  const int ld = pops::local_bits(pops);
  const int rank = map.matrix().block(ld, map.width() - ld, 0, ld).rank();
  AffineDemand d;
  d.groups = pops.groups;
  d.each = Count{1} << static_cast<unsigned>(ld - rank);
  d.targets = Count{1} << static_cast<unsigned>(rank);
  d.loops = processors_in(staying_elements({.map = map}, ld)) / d.each;
  const AffineSpace fixed = staying_elements({.map = map}, 0);
  if (fixed.empty()) return d;
  std::vector<Parity> inside = fixed.constraints();
  for (Parity& c : inside) c.value = 0;
  for (int b = ld; b < map.width(); ++b) inside.push_back({bit(b), 0});
  d.fixed = processors_in(AffineSpace::where(map.width(), inside));
  d.fixed_groups = processors_in(fixed) / d.fixed;
  return d;
}

Count above(Count a, Count b) {
  return a > b ? a - b : 0;
}

// The hops and group conditions in closed form.
bool possible(const AffineDemand& d, Count k) {
  const Count g = d.groups;
  const Count pairs = g * d.targets - d.loops;  // of different groups
  const Count moved = d.each - d.fixed;
  const Count hops =
      pairs * (2 * d.each - std::min(d.each, k)) +
      2 * ((d.loops - d.fixed_groups) * above(d.each, k) + d.fixed_groups * above(moved, k));
  if (hops > k * (g * g - g)) return false;
  const auto group_possible = [&](Count others, Count loop) {
    return others * d.each + above(loop, k) <= (k - 1) * (g - 1) + others;
  };
  if (d.loops < g && !group_possible(d.targets, 0)) return false;
  if (d.loops > d.fixed_groups && !group_possible(d.targets - 1, d.each)) return false;
  return d.fixed_groups == 0 || group_possible(d.targets - 1, moved);
}

Bound affine_bound(const Pops& pops, const BitMap& map) {
  if (map == BitMap::identity(map.width())) return {0, "nothing moves", {}};
  const AffineDemand d = affine_demand(pops, map);
  const bool all_loops_fixed = d.loops == d.fixed_groups && d.targets == 1 && d.loops == d.groups;
  const Count most = all_loops_fixed ? d.each - d.fixed : d.each;
  if (most <= 1) return {1, "something moves", {}};
  if (pops.group_size <= pops.groups) return {2, "two data share source and destination group", {}};
  // One slot is too few for two data of a pair.
  const Count slots = least_possible([&d](Count k) { return k > 1 && possible(d, k); });
  return {slots, "hops over couplers between groups, and what leaves or enters each group", {}};
}

// pops_senders_bound of a map, K elements a processor, without a table.
Bound affine_senders_bound(const Pops& pops, const BitMap& map, std::uint64_t elements) {
  if (map == BitMap::identity(map.width())) return {0, "nothing moves", {}};
  const AffineDemand d = affine_demand(pops, map);
  const auto possible = [&](Count k) {
    const auto sends = [&](Count data) { return 2 * data - std::min(data, k); };
    const Count pairs = d.groups * d.targets - d.fixed_groups;
    return pairs * sends(d.each * elements) +
               d.fixed_groups * sends((d.each - d.fixed) * elements) <=
           k * pops::processors(pops);
  };
  return {least_possible(possible), "what does not go straight is sent twice", certificate::Hops{}};
}

// The demand table of a map: group i's data go to the coset of groups that its local bits reach.
PopsDemand demand_table(const Pops& pops, const BitMap& map) {
  const int ld = pops::local_bits(pops);
  std::vector<Word> reach;
  for (int b = 0; b < ld; ++b) reach.push_back(map.column(b) >> ld);
  const std::vector<Word> basis = reduced_basis(reach);
  const auto each = static_cast<std::int64_t>(pops.group_size >> basis.size());
  const AffineSpace fixed = staying_elements({.map = map}, 0);
  PopsDemand demand(pops.groups);
  for (Word i = 0; i < pops.groups; ++i) {
    Word j = map(i << ld) >> ld;
    for (Word k = 0;;) {
      demand(i, j) = each;
      if (++k == bit(static_cast<int>(basis.size()))) break;
      j ^= basis[static_cast<std::size_t>(lowest_bit(k))];  // a Gray walk through the coset
    }
    AffineSpace here = fixed;
    for (int b = ld; b < map.width() && !here.empty(); ++b)
      here = here.meet(Parity{bit(b), unsigned{has_bit(i, b - ld)}});
    demand(i, i) -= static_cast<std::int64_t>(processors_in(here));
  }
  return demand;
}

// K elements a processor: each processor sends its K over couplers one a slot.
Bound scaled(Bound one, std::uint64_t elements, Word sender) {
  if (elements <= 1 || one.value == 0) return one;
  return {elements, "every processor that sends has K elements to send",
          certificate::Port{sender, certificate::Way::out}};
}

// Bounds of one and two slots have witnesses: something that moves, two data of one pair of groups.
// Where a processor has two of its own those are its two.
Bound with_witness(Bound bound, std::uint64_t elements, Word mover,
                   std::optional<certificate::Pair> pair) {
  if (bound.value == 1) bound.certificate = certificate::Distance{mover, 0};
  if (bound.value != 2 || !std::holds_alternative<std::monostate>(bound.certificate)) return bound;
  if (pair)
    bound.certificate = *pair;
  else if (elements > 1)
    bound.certificate = certificate::Port{mover, certificate::Way::out};
  return bound;
}

// Two processors of one group whose data move to one group.
std::optional<certificate::Pair> pair_of(const Pops& pops, const BitMap& map) {
  const int ld = pops::local_bits(pops);
  const AffineSpace fixed = staying_elements({.map = map}, 0);
  std::vector<Parity> alike;  // directions inside a group whose images are inside one
  for (int b = ld; b < map.width(); ++b) {
    alike.push_back({bit(b), 0});
    alike.push_back({map.matrix().row(b), 0});
  }
  const std::vector<Word> directions = AffineSpace::where(map.width(), alike).directions();
  for (int i = -1; i < map.width(); ++i)
    for (std::size_t a = 0; a < directions.size(); ++a)
      for (std::size_t b = a; b < directions.size(); ++b) {
        const Word x = i < 0 ? 0 : bit(i);
        const Word y = x ^ directions[a] ^ (a == b ? 0 : directions[b]);
        if (!fixed.contains(x) && !fixed.contains(y)) return certificate::Pair{x, y};
      }
  return {};
}

Bound better(const Bound& a, const Bound& b) {
  return b.value > a.value ? b : a;
}

// Of a list of destinations, `each` a processor: a processor whose datum moves, and two that share
// source and destination group.
struct Movers {
  std::optional<Word> first;
  std::optional<certificate::Pair> pair;
};

Movers movers_of(const Pops& pops, std::span<const std::uint64_t> destinations,
                 std::uint64_t each) {
  Movers movers;
  std::vector<std::array<std::uint64_t, 3>> moves;  // groups, processor
  const std::uint64_t n = pops::processors(pops);
  for (Word i = 0; i < destinations.size(); ++i) {
    const Word p = i / each;
    if (destinations[i] == p || destinations[i] >= n) continue;
    if (!movers.first) movers.first = p;
    moves.push_back({p / pops.group_size, destinations[i] / pops.group_size, p});
  }
  std::sort(moves.begin(), moves.end());
  for (std::size_t i = 1; i < moves.size() && !movers.pair; ++i)
    if (moves[i][0] == moves[i - 1][0] && moves[i][1] == moves[i - 1][1] &&
        moves[i][2] != moves[i - 1][2])
      movers.pair = certificate::Pair{moves[i - 1][2], moves[i][2]};
  return movers;
}

}  // namespace

std::int64_t PopsDemand::largest() const {
  return data_.empty() ? 0 : *std::max_element(data_.begin(), data_.end());
}

std::int64_t PopsDemand::total() const {
  return std::accumulate(data_.begin(), data_.end(), std::int64_t{0});
}

PopsDemand pops_demand(const Pops& machine, std::span<const std::uint64_t> to) {
  PopsDemand demand(machine.groups);
  for (Word p = 0; p < to.size(); ++p)
    if (to[p] != p) ++demand(p / machine.group_size, to[p] / machine.group_size);
  return demand;
}

Bound lower_bound(const Pops& pops, const MapGoal& goal, std::uint64_t elements) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  if (!pops::has_address_bits(pops) || goal.map.width() - memory != pops::address_bits(pops))
    return {0, "no bound is known for this map on this machine", {}};
  std::vector<Word> columns;
  for (int b = memory; b < goal.map.width(); ++b) {
    if ((goal.map.column(b) & low_mask(memory)) != 0)
      return {0, "no bound is known for maps that move memory bits", {}};
    columns.push_back(goal.map.column(b) >> memory);
  }
  const BitMap map =
      BitMap::from_columns(columns, memory == word_bits ? 0 : goal.map.complement() >> memory);
  const Word mover = a_mover({.map = map}).value_or(0);
  const bool closed = elements == 1 && pops.group_size <= pops.groups;
  if (closed || pops.groups > limits::bound_map_groups_max || pops.group_size > bit(40)) {
    const Bound one = with_witness(affine_bound(pops, map), elements, mover, pair_of(pops, map));
    return better(better(one, scaled(one, elements, mover)),
                  elements == 1 ? one : affine_senders_bound(pops, map, elements));
  }
  PopsDemand demand = demand_table(pops, map);
  const std::uint64_t times = std::min<std::uint64_t>(elements, bit(20));
  for (std::size_t i = 0; i < demand.groups(); ++i)
    for (std::size_t j = 0; j < demand.groups(); ++j)
      demand(i, j) *= static_cast<std::int64_t>(times);
  const Bound one = with_witness(pops_bound(demand), elements, mover, pair_of(pops, map));
  return better(better(one, scaled(one, elements, mover)),
                pops_senders_bound(demand, pops::processors(pops)));
}

Bound lower_bound(const Pops& pops, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements) {
  const std::uint64_t n = pops::processors(pops);
  const bool closed = elements == 1 && pops.group_size <= pops.groups;
  if (destinations.size() == n && (closed || pops.groups > limits::bound_list_groups_max)) {
    // 0, 1 or 2, without a table of pairs.
    const Movers movers = movers_of(pops, destinations, 1);
    if (!movers.first) return {0, "nothing moves", {}};
    const Bound one =
        with_witness(movers.pair ? Bound{2, "two data share source and destination group", {}}
                                 : Bound{1, "something moves", {}},
                     elements, *movers.first, movers.pair);
    return better(one, scaled(one, elements, *movers.first));
  }
  if (pops.groups > limits::bound_list_groups_max)
    return {0, "no bound is known for this request", {}};
  PopsDemand demand(pops.groups);
  // One entry a processor stands for all its elements.
  const std::uint64_t each = destinations.size() == n ? 1 : std::max<std::uint64_t>(elements, 1);
  const std::uint64_t times =
      destinations.size() == n ? std::min<std::uint64_t>(elements, bit(20)) : 1;
  std::vector<std::uint64_t> sent(n, 0);
  std::vector<std::uint64_t> received(n, 0);
  for (Word i = 0; i < destinations.size(); ++i) {
    const Word p = i / each;
    if (destinations[i] == p || destinations[i] >= n) continue;
    demand(p / pops.group_size, destinations[i] / pops.group_size) +=
        static_cast<std::int64_t>(times);
    sent[p] += times;
    received[destinations[i]] += times;
  }
  const Movers movers = movers_of(pops, destinations, each);
  const Bound one =
      with_witness(pops_bound(demand), elements, movers.first.value_or(0), movers.pair);
  const auto out = std::max_element(sent.begin(), sent.end());
  const auto in = std::max_element(received.begin(), received.end());
  const certificate::Port port =
      *out >= *in
          ? certificate::Port{static_cast<Word>(out - sent.begin()), certificate::Way::out}
          : certificate::Port{static_cast<Word>(in - received.begin()), certificate::Way::in};
  return better(
      better(one, {std::max(*out, *in), "some processor sends or receives that many", port}),
      pops_senders_bound(demand, n));
}

namespace {

// The operands that somebody in group s, which holds the places from..to-1, lacks.
Count operands_told(std::uint64_t order, std::uint64_t from, std::uint64_t to) {
  Count told = 0;
  for (std::uint64_t at = from; at < to;) {  // row by row: all A's, but the only one's own
    const std::uint64_t end = std::min(to, (at / order + 1) * order);
    told += end - at > 1 ? order : order - 1;
    at = end;
  }
  const std::uint64_t here = to - from;
  const std::uint64_t columns = std::min(here, order);
  const std::uint64_t several = here >= 2 * order ? order : here - columns;
  return told + Count{columns} * (order - 1) + several;
}

}  // namespace

Bound matmul_bound(const Pops& pops, std::uint64_t order) {
  const Count heard = ceil_div(2 * (Count{order} - 1), pops.multi_receive ? pops.groups : 1);
  const std::uint64_t places = order * order;
  Count told = 0;
  certificate::Group busiest{.way = certificate::Way::in};
  for (std::uint64_t from = 0; from < places; from += pops.group_size) {
    const Count here = operands_told(order, from, from + std::min(pops.group_size, places - from));
    if (here > told) busiest.group = from / pops.group_size;
    told = std::max(told, here);
  }
  told = ceil_div(told, pops.groups);
  if (told > heard)
    return {told,
            "where each C(i, j) is computed where it ends, every group is told its A's and "
            "all B's over g couplers",
            busiest};
  return {heard,
          pops.multi_receive
              ? "where each C(i, j) is computed where it ends, every processor hears 2(N-1) "
                "operands, one a slot from each group"
              : "where each C(i, j) is computed where it ends, every processor hears 2(N-1) "
                "operands, one a slot",
          certificate::Port{0, certificate::Way::in}};
}

}  // namespace faro::inline v1
