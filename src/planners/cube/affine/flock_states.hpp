// What a flock has crossed of its dimensions. Dimensions of one kind (Flocks::kinds) are as good as
// each other: of those a state says how many.
//
//   one dimension and two of a kind: 0, then 1 of either kind, .. , six states and seven crossings
//
// Of few states all; of many those of a list of the dimensions, kinds spread over it, that lack
// none more than some places before the last one crossed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace faro::inline v1 {

class FlockStates {
 public:
  // How many dimensions of each kind; at most 64 in all.
  explicit FlockStates(const std::vector<int>& kinds);

  // State 0 has crossed nothing, the last everything; none comes before one that has crossed less.
  std::size_t size() const { return crossed_.size(); }
  std::size_t crossed(std::size_t state) const { return crossed_[state]; }
  // The last crossing: from which state, of which kind; ascending in kinds.
  struct Crossing {
    std::uint32_t from = 0;
    std::uint32_t kind = 0;
  };
  std::span<const Crossing> into(std::size_t state) const {
    return {into_.data() + first_[state], first_[state + 1] - first_[state]};
  }
  std::size_t crossings() const { return into_.size(); }

 private:
  bool fill(const std::vector<std::uint32_t>& list, int behind);

  std::vector<std::uint32_t> crossed_;
  std::vector<std::size_t> first_;  // in into_, by state
  std::vector<Crossing> into_;
};

}  // namespace faro::inline v1
