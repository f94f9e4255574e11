// Any affine map of processor and memory bits.   [faro]
//   applies:  every map with a cut, all ports
//   cost:     the length of a list schedule, two slots with opposite constants on a link, about
//             K/2 + n; counted, no closed form             (tested n + m <= 9, random, 50 + 4)
//   bound:    machines/bounds
#include "planners/cube/affine/affine_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {

MemoryMap memory_map(const BitMap& map, int memory_bits) {
  const int m = memory_bits;
  const int n = map.width() - m;
  const BitMatrix& a = map.matrix();
  MemoryMap parts;
  parts.before.assign(static_cast<std::size_t>(m), 0);
  parts.carry = a.block(m, n, 0, m);
  parts.constant = map.complement() >> m;
  parts.processors = a.block(m, n, m, n);
  // A column of P that depends on those kept so far takes a column of the carry along: the rows of
  // the map that make processor bits are independent, so there is always one.
  std::vector<Word> kept;
  int next = 0;
  for (int j = 0; j < n; ++j) {
    Word column = parts.processors.column(j);
    for (; reduce(column, reduced_basis(kept)) == 0; ++next) {
      FARO_CHECK(next < m);
      const Word with = parts.processors.column(j) ^ parts.carry.column(next);
      if (reduce(with, reduced_basis(kept)) == 0) continue;
      column = with;
      parts.before[static_cast<std::size_t>(next)] |= bit(j);
    }
    parts.processors.set_column(j, column);
    kept.push_back(column);
  }
  const BitMatrix z = BitMatrix::from_rows(n, parts.before);
  const BitMatrix amm = a.block(0, m, 0, m);
  const BitMatrix amp = a.block(0, m, m, n);
  const std::optional<BitMatrix> back = parts.processors.inverse();
  FARO_CHECK(back.has_value());
  BitMatrix rest = then(z, amm);  // Amm·Z
  for (int j = 0; j < n; ++j) rest.set_column(j, rest.column(j) ^ amp.column(j));
  const BitMatrix x = then(*back, rest);
  for (int i = 0; i < m; ++i) parts.after.push_back(x.row(i));
  BitMatrix slots = then(parts.carry, x);
  for (int j = 0; j < m; ++j) slots.set_column(j, slots.column(j) ^ amm.column(j));
  parts.slots =
      BitMap::from_matrix(slots, x.apply(parts.constant) ^ (map.complement() & low_mask(m)));
  return parts;
}

namespace {

// What the slots from `first` on that are planned together end with.
std::vector<Word> complements_from(std::uint64_t first, const MemoryMap& parts,
                                   std::uint64_t slots) {
  std::vector<Word> complements;
  for (std::uint64_t s = first; s < std::min(first + exchange_group, slots); ++s)
    complements.push_back(parts.carry.apply(s) ^ parts.constant);
  return complements;
}

// Plans of more slots than this are made anew for every schedule: each slot takes some kilobytes.
constexpr std::uint64_t kept_slots_max = 4 * exchange_group;

using Kept = std::map<std::uint64_t, ExchangeOrder>;  // by the first slot of the group

// Group after group; `visit(first, plan)`. Neighbouring groups often want the same.
template <class Visit>
void for_each_group(const Request& request, const MemoryMap& parts, Kept& kept, Visit&& visit) {
  const std::uint64_t slots = request.elements();
  const Effort effort = slots <= 4 * exchange_group ? Effort::full : Effort::little;
  std::vector<Word> planned;
  std::uint64_t last = 0;
  for (std::uint64_t first = 0; first < slots; first += exchange_group) {
    std::vector<Word> complements = complements_from(first, parts, slots);
    if (complements != planned) {
      if (slots > kept_slots_max) kept.clear();
      if (!kept.contains(first))
        kept.emplace(first,
                     exchange_order(parts.processors, complements, Hypercube::Ports::all, effort));
      planned = std::move(complements);
      last = first;
    }
    visit(first, kept.at(last));
  }
}

MemoryMap memory_map_of(const Request& request) {
  return memory_map(request.map().map, request.map().memory_bits);
}

void build(const Request& request, Kept& kept, ScheduleSink& sink) {
  const MemoryMap parts = memory_map_of(request);
  const std::uint64_t slots = request.elements();
  sink.begin(cube_header(request, affine_memory.name(), slots));
  flip_slots(parts.before, slots, sink);
  for_each_group(request, parts, kept, [&sink](std::uint64_t first, const ExchangeOrder& plan) {
    push_exchanges(plan, first, sink);
  });
  push_slots({.processors = {}, .slots = parts.slots, .after = parts.after}, slots, sink);
  sink.finish();
}

std::optional<std::string> refusal_affine_memory(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (!request.map().cut) return "the map names no memory bits";
  if (request.elements() > limits::affine_memory_slots_max)
    return fmt::format("{} slots a processor; it plans at most {}", request.elements(),
                       limits::affine_memory_slots_max);
  return {};
}

Offer offer_affine_memory(const Request& request) {
  const MemoryMap parts = memory_map_of(request);
  const auto kept = std::make_shared<Kept>();
  Count steps = 0;
  for_each_group(request, parts, *kept,
                 [&steps](std::uint64_t, const ExchangeOrder& plan) { steps += plan.steps; });
  const int n = parts.processors.rows();
  return {
      .estimate = {.cost = {steps, fmt::format("counted, {} row operations of 2^{} slots",
                                               operations_in_turn(parts.processors, 0, n).size(),
                                               request.map().memory_bits)}},
      .push = [request, kept](ScheduleSink& sink) {
        Kept mine = *kept;
        build(request, mine, sink);
      }};
}

}  // namespace

const PlannerEntry affine_memory({
    .name = "affine-memory",
    .machine = "cube",
    .title =
        "any affine map of processor and memory bits, bits finished in turn, two slots on a link",
    .needs = "a map with a cut, processor | memory, all ports",
    .cost = "counted: about K/2 + n steps",
    .citation = "faro",
    .refusal = refusal_affine_memory,
    .offer = offer_affine_memory,
    .searches = true,
});

}  // namespace faro::inline v1
