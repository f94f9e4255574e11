// A small generator with a stated seed, for searches and tests whose results must be the same
// everywhere.
//
//   Random random(7);     const int side = random.below(2) == 0 ? left : right;
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/mixing.hpp"

namespace faro::inline v1 {

// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, equidistributed outputs.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    return mixed(state_);
  }

  // In 0..end-1. Requires end > 0. The modulo bias is below end / 2^64.
  std::uint64_t below(std::uint64_t end) { return next() % end; }

  // Puts the items of a vector or array into a random order, every order as likely (Fisher, Yates).
  template <class Items>
  void mix(Items& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace faro::inline v1
