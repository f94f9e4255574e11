// A condition says which operations of a walk an element has crossed.
#include "planners/cube/shuffle/rule_forms.hpp"

namespace faro::inline v1::shuffle {
namespace {

// Ahead: what operation j does to an element of the given label in the state after i operations.
// Returns the condition "e_j = value".
Parity ahead_form(const Walk& w, std::size_t i, std::size_t j, unsigned label, unsigned value) {
  const std::size_t length = w.length();
  Parity form;
  if (i == length)
    form = {.mask = w.d[j] | w.d[(j + 1) % length], .value = w.c[(j + 1) % length]};
  else if (i == 0 && j == 0)
    form = {.mask = w.d[length - 1] | w.d[0], .value = w.c[0]};
  else if (j > i)
    form = {.mask = w.d[j - 1] | w.d[j], .value = w.c[j]};
  else if (j == i)
    form = {.mask = w.own ^ w.d[i], .value = label ^ w.chi[i] ^ w.c[i]};
  else if (j + 1 == i)
    form = {.mask = w.own ^ w.d[j], .value = label ^ w.chi[i]};
  else
    form = {.mask = w.d[j] | w.d[j + 1], .value = w.c[j + 1]};
  form.value ^= value;
  return form;
}

// e_0..e_(end-1) = 1 in state i, after `head`.
std::vector<Parity> all_crossed(const Walk& w, std::size_t i, std::size_t end, unsigned label,
                                Parity head) {
  std::vector<Parity> where = {head};
  for (std::size_t j = 0; j < end; ++j) where.push_back(ahead_form(w, i, j, label, 1));
  return where;
}

}  // namespace

void add_rule(CubeStep& step, const std::vector<Parity>& where, Slot from, int across, Slot to) {
  Rule rule{.where = {}, .from = from, .across = across, .to = to};
  for (const Parity& c : where) {
    if (c.mask == 0 && c.value != 0) return;
    if (c.mask != 0) rule.where.push_back(c);
  }
  step.rules.push_back(std::move(rule));
}

void add_run_step(CubeStep& step, const Walk& w, std::size_t i, Slot slot, Slot transit) {
  const std::size_t last = w.length() - 1;
  for (unsigned label = 0; label < 2; ++label) {
    const Slot here = label == 0 ? slot : transit;
    const Slot from = i == 0 ? slot : here;
    const Slot to = i == last ? slot : here;
    const Parity crosses{.mask = w.own ^ w.d[i], .value = 1U ^ label ^ w.inv[i] ^ w.chi[i]};
    add_rule(step, {w.occupied(i, label), crosses}, from, w.across[i], to);
    if (i == 0 || i == last) {
      const Parity stays{.mask = crosses.mask, .value = crosses.value ^ 1U};
      add_rule(step, {w.occupied(i, label), stays}, from, inside, to);
    }
  }
}

void add_ahead_begin(CubeStep& step, const Walk& w, const AheadSlots& slots) {
  add_rule(step, {{w.own ^ w.d.back(), 1U ^ w.c[0]}}, slots.home, inside, slots.other);
}

void add_ahead_step(CubeStep& step, const Walk& w, std::size_t i, const AheadSlots& slots) {
  for (unsigned label = 0; label < 2; ++label) {
    const Slot behind = slots.behind(label);
    const Slot ahead = slots.ahead[label];
    const Parity occupied = w.occupied(i, label);
    add_rule(step, all_crossed(w, i, i + 1, label, occupied), behind, w.across[i], behind);
    std::vector<Parity> idle = all_crossed(w, i, i, label, occupied);
    idle.push_back(ahead_form(w, i, i, label, 0));
    idle.push_back(ahead_form(w, i + 1, i + 1, label, 1));
    add_rule(step, idle, behind, w.across[i + 1], ahead);
    idle.back().value ^= 1U;
    add_rule(step, idle, behind, inside, ahead);
    for (std::size_t h = 0; h < i; ++h) {
      std::vector<Parity> where = all_crossed(w, i + 1, h, label, w.occupied(i + 1, label));
      where.push_back(ahead_form(w, i + 1, h, label, 0));
      where.push_back(ahead_form(w, i + 1, i + 1, label, 1));
      add_rule(step, where, ahead, w.across[i + 1], ahead);
    }
  }
}

void add_ahead_end(CubeStep& step, const Walk& w, const AheadSlots& slots) {
  const std::size_t length = w.length();
  std::vector<Parity> where = all_crossed(w, length - 1, length - 1, 1, w.occupied(length - 1, 1));
  where.push_back(ahead_form(w, length - 1, length - 1, 1, 0));
  add_rule(step, where, slots.other, inside, slots.home);
  for (unsigned label = 0; label < 2; ++label)
    for (std::size_t h = 0; h + 1 < length; ++h) {
      const Parity arrived{.mask = w.own ^ w.d[0], .value = label ^ w.c[0] ^ w.chi[length]};
      std::vector<Parity> at = all_crossed(w, length, h, label, arrived);
      at.push_back(ahead_form(w, length, h, label, 0));
      add_rule(step, at, slots.ahead[label], inside, slots.home);
    }
}

}  // namespace faro::inline v1::shuffle
