// A rank sends what it does not keep: the bound is what one sends that keeps fewest.
#include "machines/ranks/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/keepers.hpp"

namespace faro::inline v1::ranks {

// Those that stay in one processor p are the memory places x with (A + I)(p, x) = c in the
// processor bits: none, or one for each member of the kernel on memory bits, as many wherever there
// are some.
Bound lower_bound(const Crossbar& machine, const MapGoal& goal, std::uint64_t elements) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  const BitMatrix& matrix = goal.map.matrix();
  const int width = goal.map.width();
  std::vector<Parity> stays;
  for (int b = memory; b < width; ++b)
    stays.push_back({matrix.row(b) ^ bit(b), unsigned{has_bit(goal.map.complement(), b)}});
  const int spread = matrix.block(memory, width - memory, 0, memory).rank();
  const Count all = goal.cut ? Count{1} << memory : Count{elements};
  const Count kept = all >> spread;
  const AffineSpace staying = AffineSpace::where(width, stays);
  // Whether every processor keeps some.
  bool everybody = !staying.empty();
  if (everybody) {
    std::vector<Word> keepers;
    for (const Word d : staying.directions()) keepers.push_back(d & ~low_mask(memory));
    everybody = reduced_basis(keepers).size() == static_cast<std::size_t>(machine.bits);
  }
  if (everybody && kept == all) return {.value = 0, .reason = "nothing moves"};
  if (everybody)
    return {.value = all - kept,
            .reason = fmt::format("every processor sends all but 1 in 2^{} of its {} elements",
                                  spread, to_string(all)),
            .certificate = certificate::Port{0}};
  return {.value = all,
          .reason = fmt::format("some processor sends all its {} elements", to_string(all)),
          .certificate = certificate::Port{keeps_least(goal)}};
}

Bound lower_bound(const Crossbar&, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements) {
  for (std::size_t p = 0; p < destinations.size(); ++p)
    if (destinations[p] != p)
      return {.value = elements,
              .reason = "some processor sends all its elements",
              .certificate = certificate::Port{p}};
  return {.value = 0, .reason = "nothing moves"};
}

}  // namespace faro::inline v1::ranks
