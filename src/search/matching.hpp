// Matching by augmenting paths, one left node after the other (Kuhn 1955): whoever came first keeps
// a partner, though perhaps another one.
//
//   0 wants a or b, 1 wants a:   0-a, then 1-a moves 0 to b
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace faro::inline v1::search {

class Matching {
 public:
  static constexpr std::size_t nobody = ~std::size_t{0};

  explicit Matching(std::size_t rights) : holder_(rights, nobody), seen_(rights) {}

  // Nobody is matched, as at first.
  void clear() { std::fill(holder_.begin(), holder_.end(), nobody); }

  // Matches `left`, if there is a way to. wants(left, ask) calls ask(right) for the partners that
  // `left` may have, best first, until it answers true.
  template <class Wants>
  bool add(std::size_t left, Wants&& wants) {
    std::fill(seen_.begin(), seen_.end(), false);
    return augment(left, wants);
  }
  std::size_t holder(std::size_t right) const { return holder_[right]; }

 private:
  template <class Wants>
  bool augment(std::size_t left, Wants& wants) {
    bool found = false;
    wants(left, [&](std::size_t right) {
      if (seen_[right]) return false;
      seen_[right] = true;
      if (holder_[right] != nobody && !augment(holder_[right], wants)) return false;
      holder_[right] = left;
      return found = true;
    });
    return found;
  }

  std::vector<std::size_t> holder_;  // of a right node
  std::vector<bool> seen_;
};

}  // namespace faro::inline v1::search
