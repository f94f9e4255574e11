// Elements that stay are an affine space of addresses; processors that it does not reach keep none.
#include "machines/keepers.hpp"

#include <algorithm>

namespace faro::inline v1 {

namespace {

int memory_of(const MapGoal& goal) {
  return goal.cut ? goal.memory_bits : 0;
}

AffineSpace staying_elements(const MapGoal& goal) {
  std::vector<Parity> stays;
  for (int b = memory_of(goal); b < goal.map.width(); ++b)
    stays.push_back(
        {goal.map.matrix().row(b) ^ bit(b), unsigned{has_bit(goal.map.complement(), b)}});
  return AffineSpace::where(goal.map.width(), stays);
}

}  // namespace

std::optional<Word> a_mover(const MapGoal& goal) {
  const AffineSpace staying = staying_elements(goal);
  if (!staying.contains(Word{0})) return Word{0};
  for (int i = 0; i < goal.map.width(); ++i)
    if (!staying.contains(bit(i))) return bit(i);
  return {};
}

Word keeps_least(const MapGoal& goal) {
  const int memory = memory_of(goal);
  const AffineSpace staying = staying_elements(goal);
  if (staying.empty() || memory == word_bits) return 0;
  std::vector<Word> keepers;
  for (const Word d : staying.directions()) keepers.push_back(d >> memory);
  const std::vector<Word> basis = reduced_basis(keepers);
  const Word keeper = staying.first() >> memory;
  for (int b = 0; b < goal.map.width() - memory; ++b) {
    std::vector<Word> with = basis;
    with.push_back(bit(b));
    if (reduced_basis(with).size() > basis.size()) return keeper ^ bit(b);
  }
  return keeper;
}

}  // namespace faro::inline v1
