#include "planners/mesh/torus_digit_order.hpp"

#include <algorithm>

namespace faro::inline v1::mesh {

DigitOrder::DigitOrder(std::span<const Word> destinations, std::vector<Word> rings)
    : destinations_(destinations), rings_(std::move(rings)), held_(destinations.size()) {
  for (const Word ring : rings_) in_rings_ |= ring;
  for (Word m = 0; m < destinations.size(); ++m) {
    Word ridden = (destinations[m] ^ m) & ~in_rings_;
    for (const Word ring : rings_) ridden |= ((destinations[m] & ring) - (m & ring)) & ring;
    ridden_.push_back(ridden);
    used_ |= ridden;
  }
}

std::optional<std::vector<int>> DigitOrder::find(std::uint64_t& effort) {
  order_.clear();
  failed_.clear();
  effort_ = effort;
  const bool found = extend(0, -1);
  effort = effort_;
  if (!found) return {};
  return order_;
}

// Where the elements are when the routes in `done` are over.
std::vector<Word> DigitOrder::positions(Word done) const {
  std::vector<Word> at(destinations_.size());
  for (Word m = 0; m < at.size(); ++m) {
    const Word ridden = ridden_[m] & done;
    at[m] = (m ^ ridden) & ~in_rings_;
    for (const Word ring : rings_) at[m] |= ((m & ring) + (ridden & ring)) & ring;
  }
  return at;
}

bool DigitOrder::fits(const std::vector<Word>& at, int next) {
  std::fill(held_.begin(), held_.end(), std::uint8_t{0});
  for (Word m = 0; m < at.size(); ++m) {
    const std::uint8_t kind = rides(m, next) ? 1 : 2;
    if ((held_[at[m]] & kind) != 0) return false;
    held_[at[m]] |= kind;
  }
  return true;
}

// Depth first; positions depend on the set of routes done alone, so failed sets are remembered.
bool DigitOrder::extend(Word done, int last) {
  if (done == used_) return true;
  if (failed_.contains(done)) return false;
  const std::uint64_t price =
      destinations_.size() * (rings_.size() + static_cast<unsigned>(std::popcount(used_)));
  if (effort_ < price) {
    effort_ = 0;
    return false;
  }
  effort_ -= price;
  const std::vector<Word> at = positions(done);
  const auto follow = [&](int b) {
    if (has_bit(done, b) || !has_bit(used_, b) || !fits(at, b)) return false;
    order_.push_back(b);
    if (extend(done | bit(b), b)) return true;
    order_.pop_back();
    return false;
  };
  // Along bit cycles where the map has them: to the place of a unit vector's element.
  if (last >= 0) {
    const Word forward = destinations_[bit(last)] ^ destinations_[0];
    if (is_power_of_two(forward) && follow(log2_exact(forward))) return true;
  }
  for (Word rest = used_ & ~done; rest != 0; rest &= rest - 1)
    if (follow(lowest_bit(rest))) return true;
  failed_.insert(done);
  return false;
}

}  // namespace faro::inline v1::mesh
