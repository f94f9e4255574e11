#include "planners/cube/affine/flock_states.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t states_max = 4096;

// The kinds in the order in which they are listed, each as often as it has dimensions.
std::vector<std::uint32_t> spread(const std::vector<int>& kinds) {
  struct Copy {
    std::uint64_t numerator;  // of where it stands between 0 and 1
    std::uint64_t denominator;
    std::uint32_t kind;
  };
  std::vector<Copy> copies;
  for (std::uint32_t kind = 0; kind < kinds.size(); ++kind) {
    const auto many = static_cast<std::uint64_t>(kinds[kind]);
    for (std::uint64_t i = 0; i < many; ++i)
      copies.push_back({i * (kinds.size() + 1) + kind + 1, many * (kinds.size() + 1), kind});
  }
  std::stable_sort(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  });
  std::vector<std::uint32_t> list;
  for (const Copy& copy : copies) list.push_back(copy.kind);
  return list;
}

}  // namespace

FlockStates::FlockStates(const std::vector<int>& kinds) {
  const std::vector<std::uint32_t> list = spread(kinds);
  const int places = static_cast<int>(list.size());
  FARO_CHECK(places <= word_bits);
  // All of one dimension each have (places - behind + 1)·2^behind states, larger kinds fewer.
  int behind = 0;
  while (behind + 1 < places && bit(behind + 1) * static_cast<Word>(places - behind) <= states_max)
    ++behind;
  const bool larger = kinds.size() < list.size();
  while (larger && behind + 1 < places && fill(list, behind + 1)) ++behind;
  fill(list, behind);
}

// States are subsets of the list's places, of a kind the first places first. False if they are too
// many.
bool FlockStates::fill(const std::vector<std::uint32_t>& list, int behind) {
  const int places = static_cast<int>(list.size());
  std::vector<Word> earlier(list.size(), 0);  // the place before it of the same kind
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (list[j] == list[i]) earlier[i] = bit(static_cast<int>(j));
  struct Next {
    Word subset;
    Crossing by;
  };
  crossed_.assign(1, 0);
  first_.assign(2, 0);
  into_.clear();
  std::vector<Word> now{0};  // those that have crossed one less, the last of all so far
  std::vector<Next> next;
  for (int crossed = 1; crossed <= places; ++crossed) {
    next.clear();
    const std::size_t first = crossed_.size() - now.size();
    for (std::size_t k = 0; k < now.size(); ++k)
      for (Word rest = low_mask(places) & ~now[k]; rest != 0; rest &= rest - 1) {
        const int i = lowest_bit(rest);
        const auto place = static_cast<std::size_t>(i);
        const Word subset = now[k] | bit(i);
        const int lacks = std::countr_one(subset);
        if ((earlier[place] & ~now[k]) != 0) continue;
        if (lacks < places && subset >> lacks >> 1U >> behind != 0) continue;
        next.push_back({subset, {static_cast<std::uint32_t>(first + k), list[place]}});
      }
    std::sort(next.begin(), next.end(), [](const Next& a, const Next& b) {
      return a.subset != b.subset ? a.subset < b.subset : a.by.kind < b.by.kind;
    });
    now.clear();
    for (const Next& n : next) {
      if (now.empty() || now.back() != n.subset) {
        now.push_back(n.subset);
        crossed_.push_back(static_cast<std::uint32_t>(crossed));
        first_.push_back(into_.size());
      }
      into_.push_back(n.by);
      first_.back() = into_.size();
    }
    if (crossed_.size() > states_max) return false;
  }
  return true;
}

}  // namespace faro::inline v1
