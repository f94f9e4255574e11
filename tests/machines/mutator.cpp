#include "machines/mutator.hpp"

#include <algorithm>

namespace faro::testing {
namespace {

void append(CubeStep& to, const CubeStep& from) {
  const auto add = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  add(to.rules, from.rules);
  add(to.moves, from.moves);
  add(to.butterflies, from.butterflies);
  add(to.butterfly_rules, from.butterfly_rules);
}
void append(PopsSlot& to, const PopsSlot& from) {
  const auto add = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  add(to.sends, from.sends);
  add(to.receives, from.receives);
  add(to.rules, from.rules);
  add(to.operations, from.operations);
}
// Instructions do not merge: the second one replaces the first.
void append(MeshInstruction& to, const MeshInstruction& from) {
  to = from;
}

}  // namespace

// Whole steps: dropped, repeated, exchanged, merged.
template <class T>
std::string Mutator::mutate_order(std::vector<T>& steps) {
  if (steps.empty()) return {};
  const auto i = static_cast<std::ptrdiff_t>(below(steps.size()));
  const auto j = static_cast<std::ptrdiff_t>(below(steps.size()));
  switch (below(4)) {
    case 0:
      steps.erase(steps.begin() + i);
      return "step dropped";
    case 1:
      steps.insert(steps.begin() + i, T(steps[static_cast<std::size_t>(i)]));
      return "step repeated";
    case 2:
      if (i == j) return {};
      std::swap(steps[static_cast<std::size_t>(i)], steps[static_cast<std::size_t>(j)]);
      return "steps swapped";
    default:
      if (static_cast<std::size_t>(i) + 1 >= steps.size()) return {};
      append(steps[static_cast<std::size_t>(i)], T(steps[static_cast<std::size_t>(i) + 1]));
      steps.erase(steps.begin() + i + 1);
      return "steps merged";
  }
}

template <class T>
std::string Mutator::drop_or_duplicate(std::vector<T>& items, const char* what) {
  if (items.empty()) return {};
  const auto i = static_cast<std::ptrdiff_t>(below(items.size()));
  if (below(2) == 0) {
    items.erase(items.begin() + i);
    return std::string(what) + " dropped";
  }
  items.push_back(T(items[static_cast<std::size_t>(i)]));
  return std::string(what) + " duplicated";
}

std::string Mutator::mutate_conditions(std::vector<Parity>& where) {
  const int width = address_width();
  if (width == 0) return {};
  if (where.empty() || below(4) == 0) {
    where.push_back({below(bit(width)), static_cast<unsigned>(below(2))});
    return "condition added";
  }
  Parity& c = where[below(where.size())];
  switch (below(3)) {
    case 0:
      c.value ^= 1U;
      return "wrong parity";
    case 1:
      c.mask ^= bit(static_cast<int>(below(static_cast<std::uint64_t>(width))));
      return "wrong mask";
    default:
      where.erase(where.begin() + (&c - where.data()));
      return "condition dropped";
  }
}

std::string Mutator::nudge(Slot& slot) {
  const auto slots = static_cast<Slot>(std::min<std::uint64_t>(good_.header.slots, 1000));
  slot = static_cast<Slot>(below(slots + 1U));
  return "wrong slot";
}

Word Mutator::other_processor(Word p) {
  const Count all = processors(good_.header.machine);
  const int width = address_width();
  if (width > 0 && below(2) == 0)
    return p ^ bit(static_cast<int>(below(static_cast<std::uint64_t>(width))));
  return below(static_cast<std::uint64_t>(all) + (below(8) == 0 ? 1 : 0));
}

std::string Mutator::mutate(CubeStep& step) {
  if (below(6) == 0) return drop_or_duplicate(step.moves, "move");
  if (below(6) == 0) return drop_or_duplicate(step.rules, "rule");
  if (!step.moves.empty() && (step.rules.empty() || below(2) == 0)) {
    Move& m = step.moves[below(step.moves.size())];
    switch (below(5)) {
      case 0:
        return nudge(m.from_slot);
      case 1:
        return nudge(m.to_slot);
      case 2:
        m.to_processor = other_processor(m.to_processor);
        return "move redirected";
      case 3:
        m.from_processor = other_processor(m.from_processor);
        return "move from elsewhere";
      default: {
        Move& other = step.moves[below(step.moves.size())];
        if (&other == &m) return {};
        std::swap(m.to_processor, other.to_processor);
        std::swap(m.to_slot, other.to_slot);
        return "targets swapped";
      }
    }
  }
  if (!step.butterfly_rules.empty() && (step.rules.empty() || below(2) == 0))
    return below(4) == 0 ? drop_or_duplicate(step.butterfly_rules, "butterfly")
                         : mutate(step.butterfly_rules[below(step.butterfly_rules.size())]);
  if (step.rules.empty()) return {};
  Rule& r = step.rules[below(step.rules.size())];
  switch (below(8)) {
    case 0:
      return nudge(r.from);
    case 1:
      return nudge(r.to);
    case 3:
      std::swap(r.to, step.rules[below(step.rules.size())].to);
      return "targets swapped";
    case 4:
      std::swap(r.from, r.to);
      return "there and back";
    case 2:
      r.across = static_cast<int>(below(static_cast<std::uint64_t>(address_width()) + 1)) -
                 static_cast<int>(below(2));
      return "wrong port";
    default:
      return mutate_conditions(r.where);
  }
}

std::string Mutator::mutate(ButterflyRule& r) {
  switch (below(7)) {
    case 0:
      std::swap(r.low, r.high);
      return "operands swapped";
    case 1:
      return nudge(r.low);
    case 2:
      return nudge(r.high);
    case 3:
      return nudge(r.to);
    case 4:
      r.stage = static_cast<int>(
          below(static_cast<Word>(std::get<ButterflyGoal>(good_.header.goal).index_bits)));
      return "wrong stage";
    case 5:
      r.result = static_cast<ButterflyRule::Result>(below(3));
      return "wrong result";
    default:
      return mutate_conditions(r.where);
  }
}

std::string Mutator::mutate(ButterflyGoal& goal) {
  if (goal.final_processor_rows.empty()) return {};
  goal.final_processor_rows[below(goal.final_processor_rows.size())] ^=
      bit(static_cast<int>(below(static_cast<Word>(goal.index_bits))));
  return "wrong row";
}

std::string Mutator::mutate(MeshInstruction& instruction) {
  if (auto* route = std::get_if<MeshRoute>(&instruction)) {
    if (below(2) == 0) {
      route->by += below(2) == 0 ? 1 : -1;
      return "wrong distance";
    }
    route->by = -route->by;
    return "wrong direction";
  }
  const auto change = [&](TernaryMask& mask, std::vector<Parity>& where,
                          MeshRegister& reg) -> std::string {
    const int width = address_width();
    const std::uint64_t what = below(4);
    if (what == 0) {
      reg = static_cast<MeshRegister>(below(3));
      return "wrong register";
    }
    if (what == 1 || width == 0) return mutate_conditions(where);
    const Word b = bit(static_cast<int>(below(static_cast<std::uint64_t>(width))));
    mask.care ^= what == 2 ? b : 0;
    mask.value = (mask.value ^ b) & mask.care;
    return "wrong mask";
  };
  if (auto* copy = std::get_if<MeshCopy>(&instruction))
    return change(copy->mask, copy->where, below(2) == 0 ? copy->to : copy->from);
  auto& swap = std::get<MeshSwap>(instruction);
  return change(swap.mask, swap.where, below(2) == 0 ? swap.a : swap.b);
}

std::string Mutator::mutate(PopsSlot& slot) {
  const auto& pops = std::get<Pops>(good_.header.machine);
  switch (below(8)) {
    case 0:
      return drop_or_duplicate(slot.sends, "send");
    case 1:
      return drop_or_duplicate(slot.receives, "receive");
    case 2:
      return drop_or_duplicate(slot.rules, "rule");
    case 3:
      return drop_or_duplicate(slot.operations, "operation");
    case 4: {
      if (slot.sends.empty()) return {};
      PopsSend& s = slot.sends[below(slot.sends.size())];
      if (below(3) == 0) return nudge(s.reg);
      if (s.to_groups.empty() || below(2) == 0) {
        s.processor = other_processor(s.processor);
        return "other sender";
      }
      s.to_groups[below(s.to_groups.size())] = below(pops.groups + 1);
      return "send redirected";
    }
    case 5: {
      if (slot.receives.empty()) return {};
      PopsReceive& r = slot.receives[below(slot.receives.size())];
      if (below(3) == 0) return nudge(r.reg);
      if (below(2) == 0) {
        r.processor = other_processor(r.processor);
        return "other receiver";
      }
      r.from_group = below(pops.groups + 1);
      return "wrong coupler";
    }
    case 6: {
      if (slot.operations.empty()) return {};
      PopsOperation& o = slot.operations[below(slot.operations.size())];
      return nudge(below(2) == 0 ? o.to : o.a);
    }
    default: {
      if (slot.rules.empty()) return {};
      PopsRule& r = slot.rules[below(slot.rules.size())];
      const std::uint64_t what = below(4);
      if (what == 0) return nudge(below(2) == 0 ? r.reg : r.into);
      return mutate_conditions(what == 1 ? r.to : r.where);
    }
  }
}

RecordingSink Mutator::next() {
  for (;;) {
    RecordingSink mutant = good_;
    const bool whole_steps = below(4) == 0;
    const auto change = [&](auto& steps) -> std::string {
      if (steps.empty()) return "nothing";  // can be changed
      if (whole_steps) return mutate_order(steps);
      return mutate(steps[below(steps.size())]);
    };
    auto* const network = std::get_if<ButterflyGoal>(&mutant.header.goal);
    last_ = network != nullptr && below(20) == 0 ? mutate(*network)
            : !mutant.cube_steps.empty()         ? change(mutant.cube_steps)
            : !mutant.mesh_program.empty()       ? change(mutant.mesh_program)
                                                 : change(mutant.pops_slots);
    if (!last_.empty()) return mutant;
  }
}

}  // namespace faro::testing
