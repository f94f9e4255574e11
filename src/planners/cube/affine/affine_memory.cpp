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
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/affine/row_operations.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"

namespace faro::inline v1 {
namespace {

// p' = P·p ^ carry·s ^ constant, slots stay.
struct MemoryMap {
  BitMatrix processors;  // P, invertible
  BitMatrix carry;
  Word constant = 0;
};
MemoryMap memory_map(const BitMap& map, int m) {
  const int n = map.width() - m;
  return {map.matrix().block(m, n, m, n), map.matrix().block(m, n, 0, m), map.complement() >> m};
}

// The question is such a map. A column of P that depends on those kept so far takes a column of the
// carry along: the rows of the map that make processor bits are independent, so there is always
// one.
mirrors::Mirror without_slots(const Request& request) {
  const int m = request.map().memory_bits;
  const BitMap& map = request.map().map;
  const MemoryMap parts = memory_map(map, m);
  BitMatrix before = BitMatrix::identity(map.width());
  BitMatrix rest = before;
  for (int i = 0; i < m; ++i) rest.set_column(i, bit(i) | parts.carry.column(i) << m);
  std::vector<Word> kept;
  int next = 0;
  for (int j = 0; j < parts.processors.columns(); ++j) {
    Word column = parts.processors.column(j);
    for (; reduce(column, kept) == 0; ++next) {
      FARO_CHECK(next < m);
      const Word with = parts.processors.column(j) ^ parts.carry.column(next);
      if (reduce(with, kept) == 0) continue;
      column = with;
      before.set_column(m + j, bit(m + j) | bit(next));
    }
    rest.set_column(m + j, column << m);
    kept.push_back(column);
    kept = reduced_basis(kept);
  }
  return mirrors::Mirror::rearranged(request, BitMap::from_matrix(rest, parts.constant << m),
                                     BitMap::from_matrix(before));
}

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

std::optional<std::string> refusal_affine_memory(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (!request.map().cut) return "the map names no memory bits";
  if (request.elements() > limits::affine_memory_slots_max)
    return fmt::format("{} slots a processor; it plans at most {}", request.elements(),
                       limits::affine_memory_slots_max);
  return {};
}

Offer offer_affine_memory(const Request& request) {
  const mirrors::Mirror mirror = without_slots(request);
  const Request& rest = mirror.question();
  const MemoryMap parts = memory_map(rest.map().map, rest.map().memory_bits);
  const auto kept = std::make_shared<Kept>();
  Count steps = 0;
  for_each_group(rest, parts, *kept,
                 [&steps](std::uint64_t, const ExchangeOrder& plan) { steps += plan.steps; });
  const int n = parts.processors.rows();
  return mirror.taken_back(
      {.estimate = {.cost = {steps, fmt::format("counted, {} row operations of 2^{} slots",
                                                operations_in_turn(parts.processors, 0, n).size(),
                                                request.map().memory_bits)}},
       .push =
           [rest, parts, kept](ScheduleSink& sink) {
             Kept mine = *kept;
             sink.begin(cube_header(rest, affine_memory.name(), rest.elements()));
             for_each_group(rest, parts, mine,
                            [&sink](std::uint64_t first, const ExchangeOrder& plan) {
                              push_exchanges(plan, first, sink);
                            });
             sink.finish();
           }},
      affine_memory.name());
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
