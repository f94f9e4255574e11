// The paper's algorithms for its own rearrangements.   [Sahni 2000, sections 3 and 4, corrected]
//   cost:   simple      2 ceil(m/g), m the most data that move in a group; a slot in which nothing
//                       is sent is left out                               (tested d, g <= 12)
//           one group   ceil((m-1)/g) + 1, m >= 2 data that move; optimal (tested d, g <= 12)
//           Figure 6    2 ceil(d/g)                                       (d <= 30, g <= 9)
//           stay-go     2K max(1, d/g), permutations of bits with complements
// Figure 6 as printed is invalid for every 3 <= g < d tried, first on POPS(4, 3): a relay also
// sends its own datum or receives one. Here relays take the lowest local indices that do neither.
#include "papers/printed/pops.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "machines/pops/model.hpp"
#include "papers/printed/printed.hpp"
#include "planners/pops/affine.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/patterns.hpp"

namespace faro::inline v1 {
namespace pops {
namespace {

// Section 3.1 on all groups at once. The i-th datum of a batch in group h goes over processor i of
// group h + i: over a coupler of its own in both slots. The paper's relay is processor 0, of one
// group that moves alone.
std::vector<Packet> simple_hops(const Pops& machine, const std::vector<Word>& to) {
  const std::uint64_t d = machine.group_size;
  const std::uint64_t g = machine.groups;
  const std::uint64_t batch = std::min(d, g);
  std::vector<Packet> packets;
  for (std::uint64_t h = 0; h < g; ++h) {
    std::uint64_t moved = 0;
    for (Word p = h * d; p < (h + 1) * d; ++p) {
      if (to[p] == p) continue;
      const std::uint64_t i = moved % batch;
      Packet packet;
      packet.from = p;
      packet.to = to[p];
      packet.first = static_cast<std::uint32_t>(2 * (moved / batch));
      const Word relay = (h + i) % g * d + i;
      // A relay that is an end of the way is none: straight, in the slot that this end has.
      if (relay == p) {
        ++packet.first;
      } else if (relay != to[p]) {
        packet.relay = relay;
        packet.second = packet.first + 1;
      }
      packets.push_back(packet);
      ++moved;
    }
  }
  return packets;
}

std::vector<Packet> one_group_hops(const Pops& machine, const std::vector<Word>& to) {
  const std::uint64_t g = machine.groups;
  std::vector<Packet> packets;
  for (std::uint64_t group = 0; group < g; ++group) {
    const std::vector<Word> moved = moved_in_group(machine, to, group);
    for (std::uint64_t a = 0; a < moved.size(); ++a) {
      const auto slot = static_cast<std::uint32_t>(a / g);
      const std::uint64_t over = (group + a % g) % g;
      packets.push_back(a % g == 0
                            ? hop(moved[a], to[moved[a]], slot)
                            : hop_over(moved[a], over * machine.group_size, to[moved[a]], slot));
    }
  }
  return packets;
}

std::vector<Word> reversed(const Pops& machine) {
  std::vector<Word> to(processors(machine));
  for (Word p = 0; p < to.size(); ++p) to[p] = to.size() - 1 - p;
  return to;
}

// In round q, p(i, qg+s) goes straight if it is the first of the round (first slot) or if its relay
// group would be its destination group (second slot), else over group (i + s) mod g.
std::vector<Packet> figure6_hops(const Pops& machine) {
  const std::uint64_t g = machine.groups;
  const std::uint64_t d = machine.group_size;
  FARO_CHECK(d > g);
  const std::vector<Word> to = reversed(machine);
  std::vector<Packet> packets;
  for (std::uint64_t q = 0; q * g < d; ++q) {
    const auto slot = static_cast<std::uint32_t>(2 * q);
    std::vector<std::uint64_t> next(g, 0);
    for (std::uint64_t i = 0; i < g; ++i)
      for (std::uint64_t s = 0; s < g && q * g + s < d; ++s) {
        const Word from = i * d + q * g + s;
        if (to[from] == from) continue;
        const std::uint64_t t = (i + s) % g;
        if (s == 0 || t == g - 1 - i) {
          packets.push_back(hop(from, to[from], slot + (s == 0 ? 0 : 1)));
          continue;
        }
        const std::uint64_t receives = d - 1 - q * g;  // its own datum, in the first slot
        const std::uint64_t offset = (2 * g - 1 - 2 * t) % g;
        const std::uint64_t sends = offset == 0 ? d : q * g + offset;  // its own, in the second
        while (next[t] == receives || next[t] == sends) ++next[t];
        FARO_CHECK(next[t] < d);
        packets.push_back(hop_over(from, t * d + next[t]++, to[from], slot));
      }
  }
  return packets;
}

Relays stay_go_relays(const BitMap& map, const Pops& machine) {
  const int ld = local_bits(machine);
  const int lg = group_bits(machine);
  std::vector<Word> stay_i;
  std::vector<Word> go_i;
  std::vector<Word> stay_j;
  std::vector<Word> go_j;
  for (int b = map.width() - 1; b >= 0; --b) {
    const bool to_group = highest_bit(map.column(b)) >= ld;
    if (b >= ld)
      (to_group ? stay_i : go_i).push_back(bit(b));
    else
      (to_group ? go_j : stay_j).push_back(bit(b));
  }
  Relays relays;
  std::vector<Word> i = stay_i;
  i.insert(i.end(), go_i.begin(), go_i.end());
  const auto dropped = static_cast<std::ptrdiff_t>(ld > lg ? ld - lg : 0);
  relays.phase.assign(stay_j.begin(), stay_j.begin() + dropped);
  std::vector<Word> j(stay_j.begin() + dropped, stay_j.end());
  j.insert(j.end(), go_j.begin(), go_j.end());
  const std::size_t shift = i.size() - j.size();  // j is the shorter number for d < g
  for (std::size_t k = 0; k < j.size(); ++k) i[shift + k] ^= j[k];
  relays.group = i;
  for (int b = ld - 1; ld < lg && b >= 0; --b) relays.local.push_back(bit(b));
  for (int b = map.width() - 1; ld >= lg && b >= ld; --b) relays.local.push_back(bit(b));
  return relays;
}

PaperCount theorem_1(const Pops& machine) {
  return {"Sahni 2000, Theorem 1",
          {ceil_div(Count{machine.group_size} - 1, machine.groups) + 1, "ceil((d-1)/g) + 1"}};
}
PaperCount theorem_2(const Pops& machine) {
  return {"Sahni 2000, Theorem 2",
          {2 * ceil_div(machine.group_size, Count{machine.groups} + 1), "2 ceil(n/(g+g²))"}};
}
PaperCount section_3_2(const Pops& machine) {
  return {"Sahni 2000, section 3.2",
          {2 * ceil_div(machine.group_size, machine.groups), "2 ceil(d/g)"}};
}
PaperCount figure_6(const Pops& machine) {
  return {"Sahni 2000, Figure 6",
          {2 * ceil_div(machine.group_size, machine.groups), "2 ceil(d/g)"}};
}
PaperCount theorem_4(const Request& request) {
  const Pops& machine = machine_of(request);
  return {"Sahni 2000, Theorem 4",
          {ceil_div(machine.group_size, machine.groups) * request.elements(), "ceil(d/g)"}};
}
PaperCount section_4(const Request& request) {
  const Pops& machine = machine_of(request);
  const bool wide = machine.group_size <= machine.groups;
  const Count phases = wide ? 1 : machine.group_size / machine.groups;
  return {"Sahni 2000, section 4.3", {2 * phases * request.elements(), wide ? "2" : "2d/g"}};
}

std::optional<std::string> one_group_refusal(const Request& request) {
  if (auto why = inside_refusal(request)) return why;
  const std::vector<Word> to = destinations(request);
  std::uint64_t groups = 0;
  for (std::uint64_t i = 0; i < machine_of(request).groups; ++i)
    groups += !moved_in_group(machine_of(request), to, i).empty();
  if (groups > 1) return "data move in several groups";
  return std::nullopt;
}

Estimate one_group_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  const Count m = most_moved(machine, destinations(request));
  return {{m == 0 ? 0 : ceil_div(m - 1, machine.groups) + 1, "ceil((m-1)/g) + 1, m data move"},
          theorem_1(machine)};
}

void one_group_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-one-group",
                   one_group_hops(machine_of(request), destinations(request)), sink);
}

Estimate simple_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  return {{slots_of(simple_hops(machine, destinations(request))), "at most 2 ceil(m/g)"},
          section_3_2(machine)};
}

void simple_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, pops_simple.name(),
                   simple_hops(machine_of(request), destinations(request)), sink);
}

std::optional<std::string> reversal_refusal(const Request& request) {
  if (auto why = no_permutation(request)) return why;
  if (destinations(request) != reversed(machine_of(request))) return "it is no reversal";
  return std::nullopt;
}

std::optional<std::string> figure6_refusal(const Request& request) {
  if (auto why = reversal_refusal(request)) return why;
  if (machine_of(request).group_size <= machine_of(request).groups)
    return "d <= g: two slots suffice, and its relays do not exist";
  return std::nullopt;
}

Estimate figure6_estimate(const Request& request) {
  return {{slots_of(figure6_hops(machine_of(request))), "at most 2 ceil(d/g)"},
          figure_6(machine_of(request))};
}

void figure6_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-figure-6", figure6_hops(machine_of(request)), sink);
}

bool permutes_bits(const BitMap& map) {
  for (int b = 0; b < map.width(); ++b)
    if (!is_power_of_two(map.column(b))) return false;
  return true;
}

std::optional<std::string> stay_go_refusal(const Request& request) {
  if (auto why = no_two_hops(request)) return why;
  if (!permutes_bits(processor_map(request))) return "the map is no permutation of bits";
  return std::nullopt;
}

Estimate stay_go_estimate(const Request& request) {
  const Count slots = two_hop_slots(request);
  return {{slots, slots == 0 ? "0: nothing moves" : "2K max(1, d/g)"}, section_4(request)};
}

void stay_go_build(const Request& request, ScheduleSink& sink) {
  push_two_hops(request, stay_go_relays(processor_map(request), machine_of(request)),
                "pops-stay-go", sink);
}

// N for a list that transposes an N x N matrix, else 0.
std::uint64_t order_of(const std::vector<Word>& to) {
  std::uint64_t order = 0;
  while ((order + 1) * (order + 1) <= to.size()) ++order;
  if (order * order != to.size()) return 0;
  for (Word p = 0; p < to.size(); ++p)
    if (to[p] != p % order * order + p / order) return 0;
  return order;
}

bool transposes_bits(const BitMap& map) {
  for (int b = 0; b < map.width(); ++b)
    if (map.column(b) != bit((b + map.width() / 2) % map.width())) return false;
  return map.width() % 2 == 0 && map.complement() == 0;
}

}  // namespace

Count reversal_theorem3(const Pops& machine) {
  const Count d = machine.group_size;
  const Count g = machine.groups;
  return g % 2 == 0 ? ceil_div(2 * d, g) : ceil_div(2 * d * g, g * g + 1);
}

}  // namespace pops

const PlannerEntry pops_simple({
    "pops-simple",
    "pops",
    "data change places inside groups, g of each at a time over two hops",
    "a permutation that moves data inside groups only",
    "at most 2 ceil(m/g) slots, m the most data that move in a group",
    "Sahni 2000, sections 3.1 and 3.2",
    pops::inside_refusal,
    pops::simple_estimate,
    pops::simple_build,
});

const PlannerEntry pops_one_group({
    "pops-one-group",
    "pops",
    "data of one group change places, g at a time",
    "a permutation that moves data of one group inside it",
    "ceil((m-1)/g) + 1 slots, m data move; optimal",
    "Sahni 2000, Figure 4 and Theorem 1",
    pops::one_group_refusal,
    pops::one_group_estimate,
    pops::one_group_build,
});

const PlannerEntry pops_figure6({
    "pops-figure-6",
    "pops",
    "vector reversal, g data of each group at a time",
    "the reversal: p sends to n-1-p; d > g",
    "at most 2 ceil(d/g) slots",
    "Sahni 2000, Figure 6, repaired",
    pops::figure6_refusal,
    pops::figure6_estimate,
    pops::figure6_build,
});

const PlannerEntry pops_stay_go({
    "pops-stay-go",
    "pops",
    "the paper's two hops for permutations of bits with complements",
    "a BPC map on processor bits; d and g powers of two",
    "2K slots for d <= g, 2Kd/g for d > g",
    "Sahni 2000, section 4.3",
    pops::stay_go_refusal,
    pops::stay_go_estimate,
    pops::stay_go_build,
});

std::optional<PaperCount> printed_pops_count(const Request& request) {
  const Pops& machine = pops::machine_of(request);
  std::optional<PaperCount> least;
  const auto take = [&least](bool applies, const PaperCount& count) {
    if (applies) least = fewer(least, count);
  };
  if (!pops::no_rules(request)) {
    const BitMap map = pops::processor_map(request);
    take(pops::transposes_bits(map), pops::theorem_4(request));
    take(pops::permutes_bits(map), pops::section_4(request));
  }
  if (pops::no_permutation(request)) return least;
  if (!request.destinations().empty()) {
    const std::uint64_t order = pops::order_of(request.destinations());
    take(order != 0 && (order % machine.group_size == 0 || order % machine.groups == 0),
         pops::theorem_4(request));
  }
  take(!pops::one_group_refusal(request), pops::theorem_1(machine));
  take(!pops::inside_refusal(request), pops::theorem_2(machine));
  take(!pops::reversal_refusal(request), pops::figure_6(machine));
  return least;
}

}  // namespace faro::inline v1
