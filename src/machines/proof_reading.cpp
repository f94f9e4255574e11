// Rules are named as the machine names them; on a machine that performs programs the slots of the
// header are registers of its own, and elements of a processor stay in their order.
#include "machines/proof_reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

class GoalCheck {
 public:
  GoalCheck(const ScheduleHeader& header, Judge& judge)
      : header_(header),
        judge_(judge),
        processors_(processors(header.machine)),
        steps_(kind_of(header.machine).steps) {}

  void operator()(const MapGoal& goal) const {
    const int memory = goal.cut ? goal.memory_bits : 0;
    if (memory < 0 || address_bits(header_.machine) != goal.map.width() - memory ||
        (goal.cut && Count{header_.elements} != Count{1} << memory))
      judge_.breach("goal", {},
                    "a map of {} bits, {} of them memory, for {} processors with {} elements",
                    goal.map.width(), memory, to_string(processors_), header_.elements);
  }

  void operator()(const MovesGoal& goal) const {
    const std::uint64_t starts = registers() ? header_.slots : header_.elements;
    const std::uint64_t ends =
        steps_ == MachineKind::Steps::program ? header_.elements : header_.slots;
    std::vector<std::pair<Word, Slot>> from;
    std::vector<std::pair<Word, Slot>> to;
    for (const Move& m : goal.moves) {
      if (std::max(m.from_processor, m.to_processor) >= processors_ || m.from_slot >= starts ||
          m.to_slot >= ends)
        return judge_.breach(
            "goal", {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot},
            "the goal [{}, {}, {}, {}] names a place that the machine does "
            "not have",
            m.from_processor, m.from_slot, m.to_processor, m.to_slot);
      from.emplace_back(m.from_processor, m.from_slot);
      to.emplace_back(m.to_processor, m.to_slot);
    }
    for (auto* places : {&from, &to}) {
      std::sort(places->begin(), places->end());
      const auto twice = std::adjacent_find(places->begin(), places->end());
      if (twice != places->end())
        judge_.breach("goal", {.processor = twice->first, .slot = twice->second},
                      "the goal names slot {} of processor {} twice", twice->second, twice->first);
    }
  }

  void operator()(const MatmulGoal& goal) const {
    if (!registers()) return foreign();
    if (goal.order == 0 || Count{goal.order} * goal.order > processors_)
      judge_.breach("goal", {}, "matrices of order {} on {} processors", goal.order,
                    to_string(processors_));
    if (goal.a == goal.b) judge_.breach("goal", {}, "A and B share register {}", goal.a);
    const Slot most = std::max({goal.a, goal.b, goal.c});
    if (most >= header_.slots) judge_.breach("R7", {}, "register {} of {}", most, header_.slots);
  }

  void operator()(const BroadcastGoal& goal) const {
    if (std::holds_alternative<Mesh>(header_.machine)) return foreign();
    if (goal.root && *goal.root >= processors_)
      judge_.breach(registers() ? "R8" : "goal", {.processor = *goal.root},
                    "there is no processor {}", *goal.root);
  }

  void operator()(const ButterflyGoal&) const { foreign(); }

  void room() const {
    if (header_.elements == 0 || header_.slots < header_.elements)
      judge_.breach(registers()                                          ? "R7"
                    : std::holds_alternative<Hypercube>(header_.machine) ? "slot-range"
                                                                         : "machine",
                    {},
                    "{} slots for {} elements a processor; at least as many are wanted, and "
                    "one element",
                    header_.slots, header_.elements);
    if (!registers()) return;
    const std::vector<Slot>& result = header_.result;
    if (result.size() > 1 && result.size() != processors_)
      judge_.breach("result", {}, "result registers for {} of {} processors", result.size(),
                    to_string(processors_));
    const auto most = std::max_element(result.begin(), result.end());
    if (most != result.end() && *most >= header_.slots)
      judge_.breach("R7", {}, "result register {} of {}", *most, header_.slots);
  }

 private:
  void foreign() const { judge_.breach("goal", {}, "a goal that this machine does not have"); }
  bool registers() const { return steps_ == MachineKind::Steps::slots; }

  const ScheduleHeader& header_;
  Judge& judge_;
  Count processors_;
  MachineKind::Steps steps_;
};

}  // namespace

void check_room(const ScheduleHeader& header, Judge& judge) {
  GoalCheck(header, judge).room();
}

void check_goal(const ScheduleHeader& header, Judge& judge) {
  std::visit(GoalCheck(header, judge), header.goal);
}

const Parity* misfit(const std::vector<Parity>& parities, int bits) {
  const auto found = std::find_if(parities.begin(), parities.end(), [bits](const Parity& c) {
    return (c.mask & ~low_mask(bits)) != 0 || c.value > 1;
  });
  return found == parities.end() ? nullptr : &*found;
}

bool fits(const PopsRule& rule, int bits) {
  return rule.to.size() == static_cast<std::size_t>(bits) && misfit(rule.where, bits) == nullptr &&
         misfit(rule.to, bits) == nullptr;
}

bool well_formed(const Rule& rule, int bits, Judge& judge) {
  if (rule.across != inside && (rule.across < 0 || rule.across >= bits))
    return judge.refuse("dimension-range", {.dimension = rule.across},
                        "a rule goes across dimension {} of a {}-cube", rule.across, bits);
  const Parity* c = misfit(rule.where, bits);
  return c == nullptr ||
         judge.refuse("mask-range", {}, "the condition [{:#x}, {}] does not fit {} address bits",
                      c->mask, c->value, bits);
}

bool well_formed(const PopsRule& rule, int bits, Judge& judge) {
  if (rule.to.size() != static_cast<std::size_t>(bits))
    return judge.refuse("R8", {}, "a rule with {} rows; a processor number has {} bits",
                        rule.to.size(), bits);
  return fits(rule, bits) ||
         judge.refuse("R8", {}, "a rule with a mask beyond the {} bits of a processor number",
                      bits);
}

}  // namespace faro::inline v1
