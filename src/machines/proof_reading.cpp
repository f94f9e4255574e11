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
  GoalCheck(const ScheduleHeader& header, const Breached& breached)
      : header_(header),
        bad_(breached),
        processors_(processors(header.machine)),
        steps_(kind_of(header.machine).steps) {}

  void operator()(const MapGoal& goal) const {
    const int memory = goal.cut ? goal.memory_bits : 0;
    if (memory < 0 || address_bits(header_.machine) != goal.map.width() - memory ||
        (goal.cut && Count{header_.elements} != Count{1} << memory))
      bad_("goal",
           fmt::format("a map of {} bits, {} of them memory, for {} processors with {} elements",
                       goal.map.width(), memory, to_string(processors_), header_.elements),
           {});
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
        return bad_("goal",
                    fmt::format("the goal [{}, {}, {}, {}] names a place that the machine does "
                                "not have",
                                m.from_processor, m.from_slot, m.to_processor, m.to_slot),
                    {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot});
      from.emplace_back(m.from_processor, m.from_slot);
      to.emplace_back(m.to_processor, m.to_slot);
    }
    for (auto* places : {&from, &to}) {
      std::sort(places->begin(), places->end());
      const auto twice = std::adjacent_find(places->begin(), places->end());
      if (twice != places->end())
        bad_("goal",
             fmt::format("the goal names slot {} of processor {} twice", twice->second,
                         twice->first),
             {.processor = twice->first, .slot = twice->second});
    }
  }

  void operator()(const MatmulGoal& goal) const {
    if (!registers()) return foreign();
    if (goal.order == 0 || Count{goal.order} * goal.order > processors_)
      bad_("goal",
           fmt::format("matrices of order {} on {} processors", goal.order, to_string(processors_)),
           {});
    if (goal.a == goal.b) bad_("goal", fmt::format("A and B share register {}", goal.a), {});
    const Slot most = std::max({goal.a, goal.b, goal.c});
    if (most >= header_.slots)
      bad_("R7", fmt::format("register {} of {}", most, header_.slots), {});
  }

  void operator()(const BroadcastGoal& goal) const {
    if (std::holds_alternative<Mesh>(header_.machine)) return foreign();
    if (goal.root && *goal.root >= processors_)
      bad_(registers() ? "R8" : "goal", fmt::format("there is no processor {}", *goal.root),
           {.processor = *goal.root});
  }

  void operator()(const ButterflyGoal&) const { foreign(); }

  void room() const {
    if (header_.elements == 0 || header_.slots < header_.elements)
      bad_(registers()                                          ? "R7"
           : std::holds_alternative<Hypercube>(header_.machine) ? "slot-range"
                                                                : "machine",
           fmt::format("{} slots for {} elements a processor; at least as many are wanted, and "
                       "one element",
                       header_.slots, header_.elements),
           {});
    if (!registers()) return;
    const std::vector<Slot>& result = header_.result;
    if (result.size() > 1 && result.size() != processors_)
      bad_("result",
           fmt::format("result registers for {} of {} processors", result.size(),
                       to_string(processors_)),
           {});
    const auto most = std::max_element(result.begin(), result.end());
    if (most != result.end() && *most >= header_.slots)
      bad_("R7", fmt::format("result register {} of {}", *most, header_.slots), {});
  }

 private:
  void foreign() const { bad_("goal", "a goal that this machine does not have", {}); }
  bool registers() const { return steps_ == MachineKind::Steps::slots; }

  const ScheduleHeader& header_;
  const Breached& bad_;
  Count processors_;
  MachineKind::Steps steps_;
};

}  // namespace

void check_room(const ScheduleHeader& header, const Breached& breached) {
  GoalCheck(header, breached).room();
}

void check_goal(const ScheduleHeader& header, const Breached& breached) {
  std::visit(GoalCheck(header, breached), header.goal);
}

const Parity* misfit(const std::vector<Parity>& parities, int bits) {
  const auto found = std::find_if(parities.begin(), parities.end(), [bits](const Parity& c) {
    return (c.mask & ~low_mask(bits)) != 0 || c.value > 1;
  });
  return found == parities.end() ? nullptr : &*found;
}

bool well_formed(const Rule& rule, int bits, const Breached& breached) {
  if (rule.across != inside && (rule.across < 0 || rule.across >= bits)) {
    breached("dimension-range",
             fmt::format("a rule goes across dimension {} of a {}-cube", rule.across, bits),
             {.dimension = rule.across});
    return false;
  }
  const Parity* c = misfit(rule.where, bits);
  if (c != nullptr)
    breached("mask-range",
             fmt::format("the condition [{:#x}, {}] does not fit {} address bits", c->mask,
                         c->value, bits),
             {});
  return c == nullptr;
}

bool well_formed(const PopsRule& rule, int bits, const Breached& breached) {
  const bool rows = rule.to.size() == static_cast<std::size_t>(bits);
  const bool fits = rows && misfit(rule.where, bits) == nullptr && misfit(rule.to, bits) == nullptr;
  if (!rows)
    breached(
        "R8",
        fmt::format("a rule with {} rows; a processor number has {} bits", rule.to.size(), bits),
        {});
  else if (!fits)
    breached("R8", fmt::format("a rule with a mask beyond the {} bits of a processor number", bits),
             {});
  return fits;
}

MapBack::MapBack(const MapGoal& goal)
    : memory_(goal.cut ? goal.memory_bits : 0),
      cut_(goal.cut),
      back_(goal.map.width() == 0 ? goal.map : goal.map.inverse()) {}

std::pair<Word, std::uint64_t> MapBack::operator()(Word processor, std::uint64_t slot) const {
  if (back_.width() == 0) return {processor, slot};
  if (!cut_) return {back_(processor), slot};
  const Word start = back_(processor << memory_ | slot);
  return {start >> memory_, start & low_mask(memory_)};
}

}  // namespace faro::inline v1
