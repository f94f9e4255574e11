// A rank sends what it does not keep, and so do the ranks below one switch of a tree: the bound is
// what those send that keep fewest, over their links.
#include <fmt/format.h>

#include <algorithm>

#include "machines/keepers.hpp"
#include "machines/ranks/model.hpp"

namespace faro::inline v1 {
namespace {

// What 2^size_log2 processors, those below one switch or a single one, may send in a step.
struct Switch {
  int size_log2 = 0;
  int room_log2 = 0;

  bool alone() const { return size_log2 == 0; }
  Count steps(Count leaving) const { return ceil_div(leaving, Count{1} << room_log2); }
};

std::vector<Switch> switches_of(const Crossbar& machine) {
  std::vector<Switch> all = {{}};
  for (auto tier = machine.tiers.rbegin(); tier != machine.tiers.rend(); ++tier)
    all.push_back({tier->processors_log2, tier->up_log2});
  return all;
}

Certificate certificate_of(const Crossbar& machine, const Switch& at, Word processor) {
  if (at.alone()) return certificate::Port{processor};
  certificate::Cut cut;
  for (int b = machine.bits - 1; b >= at.size_log2; --b)
    cut.where.push_back({bit(b), unsigned{has_bit(processor, b)}});
  return cut;
}

std::string over_links(const Switch& at) {
  return fmt::format("the {} processors below a switch, over {} link{}", bit(at.size_log2),
                     bit(at.room_log2), at.room_log2 == 0 ? "" : "s");
}

// Those that stay below one switch p are the places x below it with (A + I)(p, x) = c in the bits
// above: none, or one for each member of the kernel on the bits below, as many wherever there are
// some.
Bound bound_at(const Crossbar& machine, const Switch& at, const MapGoal& goal,
               std::uint64_t elements) {
  const int below = at.size_log2 + (goal.cut ? goal.memory_bits : 0);
  const int width = goal.map.width();
  const int spread = goal.map.matrix().block(below, width - below, 0, below).rank();
  const Count all = goal.cut ? Count{1} << below : Count{elements} << at.size_log2;
  const Count kept = all >> spread;
  const AffineSpace staying = staying_elements(goal, below);
  // Whether every processor keeps some.
  bool everybody = !staying.empty();
  if (everybody) {
    std::vector<Word> keepers;
    for (const Word d : staying.directions()) keepers.push_back(d & ~low_mask(below));
    everybody =
        reduced_basis(keepers).size() == static_cast<std::size_t>(machine.bits - at.size_log2);
  }
  if (everybody && kept == all) return {.value = 0, .reason = "nothing moves"};
  if (everybody)
    return {.value = at.steps(all - kept),
            .reason = at.alone() ? fmt::format("every processor sends all but 1 in 2^{} of its {} "
                                               "elements",
                                               spread, to_string(all))
                                 : fmt::format("all but 1 in 2^{} of {} elements leave {}", spread,
                                               to_string(all), over_links(at)),
            .certificate = certificate_of(machine, at, 0)};
  return {.value = at.steps(all),
          .reason = at.alone()
                        ? fmt::format("some processor sends all its {} elements", to_string(all))
                        : fmt::format("all {} elements leave {}", to_string(all), over_links(at)),
          .certificate = certificate_of(machine, at, keeps_least(goal, at.size_log2))};
}

}  // namespace

Bound lower_bound(const Crossbar& machine, const MapGoal& goal, std::uint64_t elements) {
  Bound best;
  for (const Switch& at : switches_of(machine)) {
    Bound bound = bound_at(machine, at, goal, elements);
    if (at.alone() || bound.value > best.value) best = std::move(bound);
  }
  return best;
}

Bound lower_bound(const Crossbar& machine, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements) {
  Bound best{.value = 0, .reason = "nothing moves"};
  for (const Switch& at : switches_of(machine)) {
    std::vector<Count> leaving(static_cast<std::size_t>(destinations.size() >> at.size_log2), 0);
    for (std::size_t p = 0; p < destinations.size(); ++p)
      if ((p ^ destinations[p]) >> at.size_log2 != 0) leaving[p >> at.size_log2] += elements;
    const auto most = std::max_element(leaving.begin(), leaving.end());
    if (most == leaving.end() || at.steps(*most) <= best.value) continue;
    best = {.value = at.steps(*most),
            .reason = at.alone()
                          ? "some processor sends all its elements"
                          : fmt::format("{} elements leave {}", to_string(*most), over_links(at)),
            .certificate = certificate_of(
                machine, at, static_cast<Word>(most - leaving.begin()) << at.size_log2)};
  }
  return best;
}

}  // namespace faro::inline v1
