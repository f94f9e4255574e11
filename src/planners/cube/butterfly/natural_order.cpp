// Natural order by composition.   [faro]
//
//   applies:  results in the order of the start, K >= 2
//   cost:     the network's steps + the rearrangement's, both counted: about K/2 each, and
//             K/2 + max(n, K/2) = 64 with n 6 and K 64, whatever the code
//   bound:    max(n, K)
//
// Every network planner is asked, and plan() for the rearrangement that its layout leaves; what
// costs least together is taken.
//
// Where the processor stages come first, they are those of a network whose memory stages come
// first: the same bits, turned round so that the memory bits stand on the other side. Its memory
// stages are left out. The rearrangement brings every memory bit back into memory, where its stage
// is free. In the code of the whole index the top processor bit takes the lowest memory bit: where
// that is 1, a processor has the complement of the lower bits that it would have without, and the
// inner network works on these.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/paper_count.hpp"
#include "planners/cube/butterfly/places.hpp"
#include "planners/cube/butterfly/planners.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;

constexpr std::uint64_t elements_searched_max = 1U << 8U;
// Index bits of networks that are searched for too: some tenths of a second.
constexpr int listed_log2_max = 9;

std::optional<std::string> refusal_natural_order(const ButterflyNetwork& request) {
  if (request.finish != Finish::restored) return "it restores the dimensions";
  if (request.output == Output::gray_through) return "it has no control bits at the end";
  if (request.processor_bits < 1) return "there is one processor and nothing to send";
  if (request.memory_bits() < 1) return "it needs two elements in a processor";
  if (request.elements() > limits::affine_memory_slots_max)
    return fmt::format("{} elements a processor; it rearranges at most {}",
                       to_string(request.elements()), limits::affine_memory_slots_max);
  return {};
}

// The network that does the stages of the processors: the request's own, or one whose memory stages
// come first. Bit b of an index is bit b + turn of the inner one's, round the end; `tied` bits are
// complemented where the bit above them is set.
struct Inner {
  ButterflyNetwork network;
  int turn = 0;
  int tied = 0;

  Word outer(Word index) const {
    const Word turned = back(index);
    return tied > 0 && has_bit(turned, tied) ? turned ^ low_mask(tied) : turned;
  }
  std::vector<Form> outer(std::vector<Form> rows) const {
    for (Form& row : rows) {
      row.mask = back(row.mask);
      if (tied > 0 && parity(row.mask & low_mask(tied)) != 0) row.mask ^= bit(tied);
    }
    return rows;
  }

 private:
  Word back(Word inner) const {
    if (turn == 0) return inner;
    const int p = network.index_bits;
    return ((inner >> turn) | (inner << (p - turn))) & low_mask(p);
  }
};

Inner inner_of(const ButterflyNetwork& request) {
  Inner inner{request};
  inner.network.finish = Finish::as_planned;
  if (memory_first(request)) return inner;
  const bool cyclic = request.allocation == Allocation::cyclic;
  inner.turn = cyclic ? request.memory_bits() : request.processor_bits;
  inner.network.allocation = cyclic ? Allocation::consecutive : Allocation::cyclic;
  if (coded(request)) inner.network.encoding = Encoding::binary_gray;
  if (whole_cyclic(request)) inner.tied = request.processor_bits;
  return inner;
}

// The steps of an inner network as those of the request; without its memory stages if it is turned.
class Turned : public CompiledSink {
 public:
  Turned(const Inner& inner, CompiledSink& to) : inner_(inner), to_(to) {}
  void begin(const ScheduleHeader&) override {}
  void step(const CompiledStep& step) override;
  void finish() override {}

 private:
  // The stage of the request; nothing if it is left out.
  std::optional<int> stage(int inner_stage) const {
    if (inner_.turn == 0) return inner_stage;
    const int p = inner_.network.index_bits;
    const int b = p - 1 - inner_stage;
    const int base = base_of(inner_.network);
    if (b < base || b >= base + inner_.network.processor_bits) return {};
    return p - 1 - lowest_bit(inner_.outer(bit(b)));
  }
  void rule(const ButterflyRule& rule, const IndexMap& index, CompiledStep& mine) const;

  const Inner& inner_;
  CompiledSink& to_;
};

void exchange_operands(auto& butterfly) {
  using Result = ButterflyRule::Result;
  std::swap(butterfly.low, butterfly.high);
  if (butterfly.result != Result::both)
    butterfly.result = butterfly.result == Result::top ? Result::bottom : Result::top;
}

// The low slot has the index whose bit of the stage is clear: the other one where a tied bit is
// complemented.
void Turned::rule(const ButterflyRule& rule, const IndexMap& inner, CompiledStep& mine) const {
  IndexMap index{inner_.outer(inner.base), inner.columns};
  for (Word& column : index.columns) column = inner_.outer(column);
  Parity complemented{0, 1};
  if (inner_.tied > 0) {
    complemented.value = has_bit(index.base, inner_.tied) ? 0 : 1;
    for (std::size_t d = 0; d < index.columns.size(); ++d)
      if (has_bit(index.columns[d], inner_.tied)) complemented.mask |= bit(static_cast<int>(d));
  }
  const auto where = AffineSpace::where(static_cast<int>(index.columns.size()), rule.where);
  for (const bool swapped : {false, true}) {
    const AffineSpace part =
        where.meet(Parity{complemented.mask, complemented.value ^ (swapped ? 0U : 1U)});
    if (part.empty()) continue;
    ButterflyRule& one = mine.step.butterfly_rules.emplace_back(rule);
    one.where = part.constraints();
    if (swapped) {
      exchange_operands(one);
      index.base ^= bit(inner_.network.index_bits - 1 - rule.stage);
    }
    mine.rule_indices.push_back(index);
  }
}

void Turned::step(const CompiledStep& step) {
  CompiledStep mine;
  mine.step.rules = step.step.rules;
  mine.step.moves = step.step.moves;
  for (std::size_t i = 0; i < step.step.butterfly_rules.size(); ++i) {
    const ButterflyRule& rule = step.step.butterfly_rules[i];
    const std::optional<int> number = stage(rule.stage);
    if (!number) continue;
    ButterflyRule outer = rule;
    outer.stage = *number;
    this->rule(outer, step.rule_indices[i], mine);
  }
  for (std::size_t i = 0; i < step.step.butterflies.size(); ++i) {
    const Butterfly& one = step.step.butterflies[i];
    const std::optional<int> number = stage(one.stage);
    if (!number) continue;
    Butterfly& outer = mine.step.butterflies.emplace_back(one);
    outer.stage = *number;
    Word& index = mine.indices.emplace_back(inner_.outer(step.indices[i]));
    const int b = inner_.network.index_bits - 1 - *number;
    if (!has_bit(index, b)) continue;
    exchange_operands(outer);
    index ^= bit(b);
  }
  to_.step(mine);
}

// A rearrangement between stages.
class Moved : public ScheduleSink {
 public:
  explicit Moved(CompiledSink& to) : to_(to) {}
  void begin(const ScheduleHeader&) override {}
  void step(const CubeStep& step) override {
    now_.step = step;
    to_.step(now_);
  }
  void finish() override {}

 private:
  CompiledSink& to_;
  CompiledStep now_;
};

// Rows of a goal, bit 0 first.
std::vector<Form> forms_of(const std::vector<Word>& rows) {
  std::vector<Form> forms;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) forms.push_back({*row, 0});
  return forms;
}

// The places of indices: processor rows above memory rows.
BitMatrix places_of(const std::vector<Form>& processor, const std::vector<Form>& memory) {
  std::vector<Form> rows = memory;
  rows.insert(rows.end(), processor.begin(), processor.end());
  return BitMatrix::from_rows(static_cast<int>(rows.size()), masks_of(rows));
}

struct Composition {
  ButterflyNetwork request;
  Inner inner;
  Offer stages;
  Offer rearrangement;
  bool in_place = false;
  std::uint64_t slots = 0;
  std::string_view planner = {};  // of the stages

  Count steps() const { return stages.estimate.cost.value + rearrangement.estimate.cost.value; }
  void push(CompiledSink& sink) const;
};

void Composition::push(CompiledSink& sink) const {
  const std::vector<Form> processor = output_forms(request);
  const std::vector<Form> memory = completing_rows(processor, request.index_bits);
  sink.begin(header_of(request, natural_order.name(), {processor, memory, in_place, slots}));
  if (inner.turn != 0)  // the slots that the inner network expects
    relabel(start_rows(request), start_memory_rows(request),
            inner.outer(start_memory_rows(inner.network)), sink);
  Turned turned(inner, sink);
  stages.compiled(turned);
  Moved moved(sink);
  rearrangement.push(moved);
  if (inner.turn != 0)
    local_stages(request.index_bits, processor, memory,
                 in_stage_order(request, memory_index_bits(request)), sink);
  sink.finish();
}

// The networks that leave their results where they like, cheapest first.
std::vector<Composition> compositions(const ButterflyNetwork& request) {
  const std::array<const PlannerEntry*, 4> planners = {
      &local_memory_first, &inter_processor_conversion, &sectioning, &list_scheduler};
  std::vector<Composition> all;
  for (const Output output : {Output::binary, Output::gray})
    for (const PlannerEntry* planner : planners)
      for (int r = 0; r <= (planner == &sectioning ? request.processor_bits : 0); ++r) {
        Inner inner = inner_of(request);
        inner.network.output = output;
        inner.network.section_bits = r;
        const Request part =
            Request::of(Hypercube{.dimensions = request.processor_bits}, inner.network);
        if (planner == &list_scheduler && request.index_bits > listed_log2_max) continue;
        if (planner->refusal(part)) continue;
        all.push_back({.request = request,
                       .inner = inner,
                       .stages = planner->offer(part),
                       .rearrangement = {},
                       .planner = planner->name()});
      }
  std::stable_sort(all.begin(), all.end(), [](const Composition& a, const Composition& b) {
    return a.stages.estimate.cost.value < b.stages.estimate.cost.value;
  });
  return all;
}

// What takes the results from where the network leaves them to their order.
Request rearrangement_of(const Composition& part, const ButterflyGoal& goal) {
  const std::vector<Form> wanted = output_forms(part.request);
  const BitMatrix left = places_of(part.inner.outer(forms_of(goal.final_processor_rows)),
                                   part.inner.outer(forms_of(*goal.final_memory_rows)));
  const BitMatrix right = places_of(wanted, completing_rows(wanted, part.request.index_bits));
  const std::optional<BitMatrix> back = left.inverse();
  FARO_CHECK(back.has_value());
  return Request::of(Hypercube{.dimensions = part.request.processor_bits},
                     MapGoal{.map = BitMap::from_matrix(then(*back, right), 0),
                             .cut = true,
                             .memory_bits = part.request.memory_bits()});
}

Offer found_natural_order(const ButterflyNetwork& request) {
  // A search for a rearrangement takes a time that grows faster than the steps it could save.
  const bool many = request.elements() > elements_searched_max;
  std::optional<Composition> best;
  for (Composition& part : compositions(request)) {
    const Count before = part.stages.estimate.cost.value;
    if (best && before >= best->steps()) break;
    const ScheduleHeader header = header_of(part.stages);
    const auto& goal = std::get<ButterflyGoal>(header.goal);
    const Request map = rearrangement_of(part, goal);
    const Bound least = lower_bound(map.machine(), map.map(), map.elements());
    if (best && before + least.value >= best->steps()) continue;
    part.rearrangement = cheapest_offer(map, many ? Searching::few : Searching::all);
    part.in_place = goal.in_place;
    part.slots = std::max(header.slots, header_of(part.rearrangement).slots);
    if (!best || part.steps() < best->steps()) best = std::move(part);
  }
  if (!best) throw Error(ErrorCode::impossible, "no planner of networks applies");
  const std::string text =
      fmt::format("{} of {} + {} of the rearrangement", to_string(best->stages.estimate.cost.value),
                  best->planner, to_string(best->rearrangement.estimate.cost.value));
  const auto kept = std::make_shared<const Composition>(std::move(*best));
  return offer_of(
      {{kept->steps(), text}, paper_count(request)},
      [kept](CompiledSink& sink) { kept->push(sink); },
      fmt::format("sequence({}, {})", kept->planner, kept->rearrangement.expression));
}

}  // namespace

const PlannerEntry natural_order({
    .name = "butterfly-natural",
    .machine = networks,
    .title = "a network as it is cheapest, then its layout rearranged into natural order",
    .needs = "restored, K >= 2",
    .cost = "the network's + the rearrangement's: K/2 + max(n, K/2) where n <= log K",
    .refusal = refused<refusal_natural_order>,
    .offer = found<found_natural_order>,
    .searches = true,
    .computes = true,
});

}  // namespace faro::inline v1
