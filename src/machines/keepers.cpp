// Elements that stay are an affine space of addresses; processors that it does not reach keep none.
#include "machines/keepers.hpp"

#include <algorithm>

namespace faro::inline v1 {

namespace {

int memory_of(const MapGoal& goal) {
  return goal.cut ? goal.memory_bits : 0;
}

}  // namespace

AffineSpace staying_elements(const MapGoal& goal, int below) {
  std::vector<Parity> stays;
  for (int b = below; b < goal.map.width(); ++b)
    stays.push_back(
        {goal.map.matrix().row(b) ^ bit(b), unsigned{has_bit(goal.map.complement(), b)}});
  return AffineSpace::where(goal.map.width(), stays);
}

std::optional<Word> a_mover(const MapGoal& goal) {
  const AffineSpace staying = staying_elements(goal, memory_of(goal));
  if (!staying.contains(Word{0})) return Word{0};
  for (int i = 0; i < goal.map.width(); ++i)
    if (!staying.contains(bit(i))) return bit(i);
  return {};
}

Word keeps_least(const MapGoal& goal, int group_log2) {
  const int below = memory_of(goal) + group_log2;
  const AffineSpace staying = staying_elements(goal, below);
  if (staying.empty() || below == word_bits) return 0;
  std::vector<Word> keepers;
  for (const Word d : staying.directions()) keepers.push_back(d >> below);
  const std::vector<Word> basis = reduced_basis(keepers);
  const Word keeper = staying.first() >> below;
  for (int b = 0; b < goal.map.width() - below; ++b) {
    std::vector<Word> with = basis;
    with.push_back(bit(b));
    if (reduced_basis(with).size() > basis.size()) return (keeper ^ bit(b)) << group_log2;
  }
  return keeper << group_log2;
}

}  // namespace faro::inline v1
