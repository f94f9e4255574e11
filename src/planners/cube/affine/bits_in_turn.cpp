// Bits in turn.   [faro]
//   applies:  every map of processor bits but code conversions, which have algorithms of their own;
//             one variant a port model. With all ports any map of few elements: those of a slot
//             then share a complement
//   cost:     counted from the list schedule, about K + n and less for many bits; one port: the sum
//             over operations of the fuller lane               (tested n <= 10, 60; K <= 5000)
//   bound:    machines/bounds
#include "planners/cube/affine/bits_in_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"

namespace faro::inline v1 {
namespace {

template <Hypercube::Ports ports>
std::optional<std::string> refusal_bits_in_turn(const Request& request) {
  if (auto why = cube_refusal(request, ports)) return why;
  const auto split = split_map(request);
  if (!split && ports == Hypercube::Ports::one)
    return "a processor bit of the map depends on a memory bit";
  if (!split && request.elements() > limits::bits_in_turn_slots_max)
    return fmt::format("{} slots a processor, and processor bits that depend on them; it plans {}",
                       request.elements(), limits::bits_in_turn_slots_max);
  if (split && code_conversion(split->processors))
    return "code conversions have algorithms of their own";
  return {};
}

std::string words_of(const BitMatrix& matrix) {
  return fmt::format("counted, from {} row operations",
                     operations_in_turn(matrix, 0, matrix.rows()).size());
}

// p' = processors·p ^ carry·s ^ constant, where the matrix of processors is invertible.
struct SlotMap {
  BitMatrix processors;
  BitMatrix carry;
  Word constant = 0;

  SlotMap(const BitMap& map, int m)
      : processors(map.matrix().block(m, map.width() - m, m, map.width() - m)),
        carry(map.matrix().block(m, map.width() - m, 0, m)),
        constant(map.complement() >> m) {}
};

// The question is such a map, whose slots stay. A column of the processors that depends on those
// kept so far takes a column of the carry along: the rows of the map that make processor bits are
// independent, so there is always one.
mirrors::Mirror with_slots_that_stay(const Request& request) {
  const int m = request.map().memory_bits;
  const BitMap& map = request.map().map;
  const SlotMap parts(map, m);
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

Offer offer_with_slots(const Request& request, std::string_view name) {
  const mirrors::Mirror mirror = with_slots_that_stay(request);
  const Request& rest = mirror.question();
  const SlotMap parts(rest.map().map, rest.map().memory_bits);
  std::vector<Word> complements;
  for (Word s = 0; s < rest.elements(); ++s)
    complements.push_back(parts.carry.apply(s) ^ parts.constant);
  const auto order = std::make_shared<const ExchangeOrder>(
      exchange_order(parts.processors, complements, Hypercube::Ports::all));
  const auto push = [rest, order, name](ScheduleSink& sink) {
    sink.begin(header_of(rest, name, rest.elements()));
    CubeStep step;
    for (std::uint64_t t = 0; t < order->steps; ++t) {
      step.clear();
      add_exchanges(*order, t, 0, step);
      sink.step(step);
    }
    sink.finish();
  };
  return mirror.taken_back(
      {.estimate = {.cost = {order->steps, words_of(parts.processors)}}, .push = push}, name);
}

// Whole groups of elements are planned alike, and the rest of K; one group after the other.
Offer offer_bits_in_turn_as(const Request& request, std::string_view name) {
  const auto split = split_map(request);
  if (!split) return offer_with_slots(request, name);
  const BitMap map = split->processors;
  const auto planned = [&](std::uint64_t elements) {
    if (elements == 0) return std::make_shared<const ExchangeOrder>();
    return std::make_shared<const ExchangeOrder>(exchange_order(
        map.matrix(), std::vector<Word>(elements, map.complement()), cube_of(request)->ports));
  };
  const std::uint64_t whole = request.elements() / exchange_group;
  const auto each = planned(whole == 0 ? 0 : exchange_group);
  const auto rest = planned(request.elements() % exchange_group);
  const auto make = [=](std::uint64_t t, CubeStep& out) {
    const std::uint64_t group = each->steps == 0 ? whole : std::min(t / each->steps, whole);
    add_exchanges(group < whole ? *each : *rest, t - group * each->steps, group * exchange_group,
                  out);
  };
  return offer_of(request, name,
                  node_of(name, {.slots = request.elements(),
                                 .steps = whole * each->steps + rest->steps,
                                 .make = make}),
                  words_of(map.matrix()));
}

template <const PlannerEntry* planner>
Offer offer_bits_in_turn(const Request& request) {
  return offer_bits_in_turn_as(request, planner->name());
}

}  // namespace

const PlannerEntry bits_in_turn({
    .name = "bits-in-turn",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn, two elements on a link",
    .needs = "a map whose processor bits depend on processor bits alone, or of at most 64 "
             "elements; no code conversion; all ports",
    .cost = "counted: about K + n steps, fewer with many bits",
    .refusal = refusal_bits_in_turn<Hypercube::Ports::all>,
    .offer = offer_bits_in_turn<&bits_in_turn>,
    .searches = true,
    .of_mirrors = {.most = 40},
});

const PlannerEntry bits_in_turn_one_port({
    .name = "bits-in-turn-one-port",
    .machine = "cube",
    .title = "any affine map of processor bits, bits finished in turn on one dimension at a time",
    .needs = "a map whose processor bits depend on processor bits alone, no code conversion; "
             "one port",
    .cost = "counted: about nK steps, half of that where a bit serves all others",
    .refusal = refusal_bits_in_turn<Hypercube::Ports::one>,
    .offer = offer_bits_in_turn<&bits_in_turn_one_port>,
    .searches = true,
    .of_mirrors = {.most = 40},
});

}  // namespace faro::inline v1
