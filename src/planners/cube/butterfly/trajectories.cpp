// Elements take slots as they come; a last free step brings them where the rows want them.
#include "planners/cube/butterfly/trajectories.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "planners/node_slots.hpp"

namespace faro::inline v1::butterfly {

Stages::Stages(const ButterflyNetwork& request)
    : request_(request),
      done_(bit(request.index_bits), 0),
      remaining_(static_cast<Word>(request.index_bits) * bit(request.index_bits) / 2) {}

namespace {

Word place_of(const std::vector<Form>& rows, Word index) {
  Word place = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].holds(index) == (rows[j].value == 0)) continue;
    place |= Word{1} << j;
  }
  return place;
}

// Elements where they are while they move: an arrival has no slot of its own.
class Slots {
 public:
  explicit Slots(const ButterflyNetwork& request)
      : slots_(bit(request.processor_bits), bit(request.memory_bits())) {
    const std::vector<Form> memory = start_memory_rows(request);
    for (Word v = 0; v < bit(request.index_bits); ++v)
      slot_.push_back(static_cast<Slot>(place_of(memory, v)));
  }
  Slot of(Word v) const { return slot_[v]; }
  std::uint64_t used() const { return slots_.slots(); }

  void step(const std::vector<Word>& before, const std::vector<Word>& after, CubeStep& out) {
    std::vector<NodeSlots::Hop> hops;
    std::vector<Word> moving;
    for (Word v = 0; v < after.size(); ++v) {
      if (before[v] == after[v]) continue;
      moving.push_back(v);
      hops.push_back({before[v], slot_[v], after[v]});
    }
    slots_.hop(hops, [&](std::size_t i, Slot slot) {
      out.moves.push_back({hops[i].from, hops[i].slot, hops[i].to, slot});
      slot_[moving[i]] = slot;
    });
  }

 private:
  NodeSlots slots_;
  std::vector<Slot> slot_;
};

}  // namespace

void emit(const Trajectories& plan, CompiledSink& sink) {
  const ButterflyNetwork& request = plan.request;
  const std::vector<Form> memory = completing_rows(plan.final_rows, request.index_bits);
  Slots slots(request);
  Stages stages(request);
  std::vector<CompiledStep> steps;
  for (std::size_t t = 0; t < plan.places.size(); ++t) {
    CompiledStep compiled;
    if (t > 0) slots.step(plan.places[t - 1], plan.places[t], compiled.step);
    const std::vector<Word>& place = plan.places[t];
    stages.advance(place, [&](Word low, int index_bit) {
      compiled.step.butterflies.push_back({.processor = place[low],
                                           .low = slots.of(low),
                                           .high = slots.of(low ^ bit(index_bit)),
                                           .stage = request.index_bits - 1 - index_bit});
      compiled.indices.push_back(low);
    });
    steps.push_back(std::move(compiled));
  }
  FARO_CHECK(stages.complete());
  CompiledStep last;
  for (Word v = 0; v < bit(request.index_bits); ++v) {
    const Word processor = plan.places.back()[v];
    FARO_CHECK(processor == place_of(plan.final_rows, v));
    const auto to = static_cast<Slot>(place_of(memory, v));
    if (slots.of(v) != to) last.step.moves.push_back({processor, slots.of(v), processor, to});
  }
  steps.push_back(std::move(last));

  sink.begin(header_of(
      request, plan.planner,
      {.processor = plan.final_rows, .memory = memory, .in_place = true, .slots = slots.used()}));
  for (const CompiledStep& step : steps) sink.step(step);
  sink.finish();
}

}  // namespace faro::inline v1::butterfly
