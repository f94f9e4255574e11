#include "planners/cube/affine/flock_states.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

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
  FARO_CHECK(list.size() <= static_cast<std::size_t>(word_bits));
  int behind = std::max(static_cast<int>(list.size()) - 1, 0);
  while (!fill(list, behind)) --behind;
}

// States are subsets of the list's places, of a kind the first places first. False if they are too
// many; never without freedom, `behind` = 0.
bool FlockStates::fill(const std::vector<std::uint32_t>& list, int behind) {
  const int places = static_cast<int>(list.size());
  std::vector<Word> earlier(list.size(), 0);  // the place before it of the same kind
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (list[j] == list[i]) earlier[i] = bit(static_cast<int>(j));
  crossed_.assign(1, 0);
  first_.assign(2, 0);
  into_.clear();
  std::vector<std::pair<Word, std::uint32_t>> now{{0, 0}};
  for (int crossed = 1; crossed <= places; ++crossed) {
    std::map<Word, std::vector<Crossing>> next;
    for (const auto& [subset, state] : now)
      for (int i = 0; i < places; ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (has_bit(subset, i) || (earlier[place] & ~subset) != 0) continue;
        const Word larger = subset | bit(i);
        const int lacks = std::countr_one(larger);
        if (lacks < places && larger >> lacks >> 1U >> behind != 0) continue;
        next[larger].push_back({state, list[place]});
      }
    if (crossed_.size() + next.size() > states_max && behind > 0) return false;
    now.clear();
    for (auto& [subset, into] : next) {
      now.emplace_back(subset, static_cast<std::uint32_t>(crossed_.size()));
      std::sort(into.begin(), into.end(),
                [](const Crossing& a, const Crossing& b) { return a.kind < b.kind; });
      into_.insert(into_.end(), into.begin(), into.end());
      crossed_.push_back(static_cast<std::uint32_t>(crossed));
      first_.push_back(into_.size());
    }
  }
  return true;
}

}  // namespace faro::inline v1
