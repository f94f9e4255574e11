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
bool Mutator::mutate_order(std::vector<T>& steps) {
  if (steps.empty()) return false;
  const auto i = static_cast<std::ptrdiff_t>(below(steps.size()));
  const auto j = static_cast<std::ptrdiff_t>(below(steps.size()));
  switch (below(4)) {
    case 0:
      steps.erase(steps.begin() + i);
      last_ = "step dropped";
      return true;
    case 1: {
      const T copy = steps[static_cast<std::size_t>(i)];
      steps.insert(steps.begin() + i, copy);
      last_ = "step repeated";
      return true;
    }
    case 2:
      if (i == j) return false;
      std::swap(steps[static_cast<std::size_t>(i)], steps[static_cast<std::size_t>(j)]);
      last_ = "steps swapped";
      return true;
    default:
      if (static_cast<std::size_t>(i) + 1 >= steps.size()) return false;
      append(steps[static_cast<std::size_t>(i)], T(steps[static_cast<std::size_t>(i) + 1]));
      steps.erase(steps.begin() + i + 1);
      last_ = "steps merged";
      return true;
  }
}

template <class T>
bool Mutator::drop_or_duplicate(std::vector<T>& items, const char* what) {
  if (items.empty()) return false;
  const auto i = static_cast<std::ptrdiff_t>(below(items.size()));
  if (below(2) == 0) {
    items.erase(items.begin() + i);
    last_ = std::string(what) + " dropped";
  } else {
    const T copy = items[static_cast<std::size_t>(i)];
    items.push_back(copy);
    last_ = std::string(what) + " duplicated";
  }
  return true;
}

bool Mutator::mutate_conditions(std::vector<Parity>& where) {
  const int width = address_width();
  if (width == 0) return false;
  if (where.empty() || below(4) == 0) {
    where.push_back({below(bit(width)), static_cast<unsigned>(below(2))});
    last_ = "condition added";
    return true;
  }
  Parity& c = where[below(where.size())];
  switch (below(3)) {
    case 0:
      c.value ^= 1U;
      last_ = "wrong parity";
      return true;
    case 1:
      c.mask ^= bit(static_cast<int>(below(static_cast<std::uint64_t>(width))));
      last_ = "wrong mask";
      return true;
    default:
      where.erase(where.begin() + (&c - where.data()));
      last_ = "condition dropped";
      return true;
  }
}

void Mutator::nudge(Slot& slot) {
  const auto slots = static_cast<Slot>(std::min<std::uint64_t>(good_.header.slots, 1000));
  slot = static_cast<Slot>(below(slots + 1U));
  last_ = "wrong slot";
}

Word Mutator::other_processor(Word p) {
  const Count all = processors(good_.header.machine);
  const int width = address_width();
  if (width > 0 && below(2) == 0)
    return p ^ bit(static_cast<int>(below(static_cast<std::uint64_t>(width))));
  return below(static_cast<std::uint64_t>(all) + (below(8) == 0 ? 1 : 0));
}

bool Mutator::mutate(CubeStep& step) {
  if (below(6) == 0) return drop_or_duplicate(step.moves, "move");
  if (below(6) == 0) return drop_or_duplicate(step.rules, "rule");
  if (!step.moves.empty() && (step.rules.empty() || below(2) == 0)) {
    Move& m = step.moves[below(step.moves.size())];
    switch (below(5)) {
      case 0:
        nudge(m.from_slot);
        return true;
      case 1:
        nudge(m.to_slot);
        return true;
      case 2:
        m.to_processor = other_processor(m.to_processor);
        last_ = "move redirected";
        return true;
      case 3:
        m.from_processor = other_processor(m.from_processor);
        last_ = "move from elsewhere";
        return true;
      default: {
        Move& other = step.moves[below(step.moves.size())];
        if (&other == &m) return false;
        std::swap(m.to_processor, other.to_processor);
        std::swap(m.to_slot, other.to_slot);
        last_ = "targets swapped";
        return true;
      }
    }
  }
  if (step.rules.empty()) return false;
  Rule& r = step.rules[below(step.rules.size())];
  switch (below(6)) {
    case 0:
      nudge(r.from);
      return true;
    case 1:
      nudge(r.to);
      return true;
    case 2:
      r.across = static_cast<int>(below(static_cast<std::uint64_t>(address_width()) + 1)) -
                 static_cast<int>(below(2));
      last_ = "wrong port";
      return true;
    default:
      return mutate_conditions(r.where);
  }
}

bool Mutator::mutate(MeshInstruction& instruction) {
  if (auto* route = std::get_if<MeshRoute>(&instruction)) {
    if (below(2) == 0) {
      route->by += below(2) == 0 ? 1 : -1;
      last_ = "wrong distance";
    } else {
      route->by = -route->by;
      last_ = "wrong direction";
    }
    return true;
  }
  const auto change = [&](TernaryMask& mask, std::vector<Parity>& where, MeshRegister& reg) {
    const int width = address_width();
    const std::uint64_t what = below(4);
    if (what == 0) {
      reg = static_cast<MeshRegister>(below(3));
      last_ = "wrong register";
      return true;
    }
    if (what == 1 || width == 0) return mutate_conditions(where);
    const Word b = bit(static_cast<int>(below(static_cast<std::uint64_t>(width))));
    mask.care ^= what == 2 ? b : 0;
    mask.value = (mask.value ^ b) & mask.care;
    last_ = "wrong mask";
    return true;
  };
  if (auto* copy = std::get_if<MeshCopy>(&instruction))
    return change(copy->mask, copy->where, below(2) == 0 ? copy->to : copy->from);
  auto& swap = std::get<MeshSwap>(instruction);
  return change(swap.mask, swap.where, below(2) == 0 ? swap.a : swap.b);
}

bool Mutator::mutate(PopsSlot& slot) {
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
      if (slot.sends.empty()) return false;
      PopsSend& s = slot.sends[below(slot.sends.size())];
      if (below(3) == 0) {
        nudge(s.reg);
      } else if (s.to_groups.empty() || below(2) == 0) {
        s.processor = other_processor(s.processor);
        last_ = "other sender";
      } else {
        s.to_groups[below(s.to_groups.size())] = below(pops.groups + 1);
        last_ = "send redirected";
      }
      return true;
    }
    case 5: {
      if (slot.receives.empty()) return false;
      PopsReceive& r = slot.receives[below(slot.receives.size())];
      if (below(3) == 0) {
        nudge(r.reg);
      } else if (below(2) == 0) {
        r.processor = other_processor(r.processor);
        last_ = "other receiver";
      } else {
        r.from_group = below(pops.groups + 1);
        last_ = "wrong coupler";
      }
      return true;
    }
    case 6: {
      if (slot.operations.empty()) return false;
      PopsOperation& o = slot.operations[below(slot.operations.size())];
      nudge(below(2) == 0 ? o.to : o.a);
      return true;
    }
    default: {
      if (slot.rules.empty()) return false;
      PopsRule& r = slot.rules[below(slot.rules.size())];
      const std::uint64_t what = below(4);
      if (what == 0) {
        nudge(below(2) == 0 ? r.reg : r.into);
        return true;
      }
      return mutate_conditions(what == 1 ? r.to : r.where);
    }
  }
}

RecordingSink Mutator::next() {
  for (;;) {
    RecordingSink mutant = good_;
    const bool whole_steps = below(4) == 0;
    const auto change = [&](auto& steps) {
      if (steps.empty()) return true;  // nothing can be changed
      if (whole_steps) return mutate_order(steps);
      return mutate(steps[below(steps.size())]);
    };
    last_ = "nothing";
    const bool changed = !mutant.cube_steps.empty()     ? change(mutant.cube_steps)
                         : !mutant.mesh_program.empty() ? change(mutant.mesh_program)
                                                        : change(mutant.pops_slots);
    if (changed) return mutant;
  }
}

}  // namespace faro::testing
