#include "planners/cube/butterfly/trajectories.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace faro::inline v1::butterfly {

Stages::Stages(const ButterflyNetwork& request)
    : bits_(request.index_bits),
      msb_(most_significant_first(request)),
      done_(bit(request.index_bits), 0),
      remaining_(bits_ == 0 ? 0 : static_cast<Word>(bits_) << (bits_ - 1)) {}

namespace {

Word place_of(const std::vector<Form>& rows, Word index) {
  Word place = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].holds(index) == (rows[j].value == 0)) continue;
    place |= Word{1} << j;
  }
  return place;
}

// The slots of all processors while elements move.
class Slots {
 public:
  Slots(const ButterflyNetwork& request, const std::vector<Form>& rows,
        const std::vector<Form>& memory)
      : taken_(bit(request.processor_bits)), slot_(bit(request.index_bits)) {
    const std::size_t elements = bit(request.memory_bits());
    for (auto& taken : taken_) taken.assign(elements, true);
    used_ = elements;
    for (Word v = 0; v < slot_.size(); ++v) {
      slot_[v] = static_cast<Slot>(place_of(memory, v));
      FARO_CHECK(place_of(rows, v) < taken_.size());
    }
  }
  Slot of(Word v) const { return slot_[v]; }
  void leave(Word processor, Word v) { taken_[processor][slot_[v]] = false; }
  void arrive(Word processor, Word v) {
    std::vector<bool>& taken = taken_[processor];
    const auto free = std::find(taken.begin(), taken.end(), false);
    slot_[v] = static_cast<Slot>(free - taken.begin());
    if (free == taken.end()) {
      taken.push_back(true);
    } else {
      *free = true;
    }
    used_ = std::max(used_, taken.size());
  }
  std::size_t used() const { return used_; }

 private:
  std::vector<std::vector<bool>> taken_;
  std::vector<Slot> slot_;
  std::size_t used_ = 0;
};

void move_step(const Trajectories& plan, std::size_t t, Slots& slots, CubeStep& step) {
  const std::vector<Word>& before = plan.places[t - 1];
  const std::vector<Word>& after = plan.places[t];
  std::vector<Word> moving;
  for (Word v = 0; v < after.size(); ++v) {
    if (before[v] == after[v]) continue;
    moving.push_back(v);
    step.moves.push_back({before[v], slots.of(v), after[v], 0});
    slots.leave(before[v], v);
  }
  for (std::size_t i = 0; i < moving.size(); ++i) {
    slots.arrive(after[moving[i]], moving[i]);
    step.moves[i].to_slot = slots.of(moving[i]);
  }
}

}  // namespace

void emit(const Trajectories& plan, CompiledSink& sink) {
  const ButterflyNetwork& request = plan.request;
  const std::vector<Form> memory = completing_rows(plan.final_rows, request.index_bits);
  Slots slots(request, start_rows(request), start_memory_rows(request));
  Stages stages(request);
  std::vector<CompiledStep> steps;
  for (std::size_t t = 0; t < plan.places.size(); ++t) {
    CompiledStep compiled;
    if (t > 0) move_step(plan, t, slots, compiled.step);
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

  ScheduleHeader header;
  header.machine = Hypercube{.dimensions = request.processor_bits};
  ButterflyGoal goal = goal_of(request, plan.final_rows, memory);
  goal.in_place = true;
  header.goal = std::move(goal);
  header.elements = bit(request.memory_bits());
  header.slots = slots.used();
  header.planner = plan.planner;
  sink.begin(header);
  for (const CompiledStep& step : steps) sink.step(step);
  sink.finish();
}

}  // namespace faro::inline v1::butterfly
