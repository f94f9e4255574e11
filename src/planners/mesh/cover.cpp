#include "planners/mesh/cover.hpp"

#include "base/check.hpp"

namespace faro::inline v1::mesh {
namespace {

// From here up one start is tried instead of all, or covers would take seconds.
constexpr std::size_t every_start_max = 256;

class Cover {
 public:
  Cover(std::vector<Wish> wishes, int bits) : wishes_(std::move(wishes)), bits_(bits) {}

  std::vector<TernaryMask> run() {
    std::vector<TernaryMask> masks;
    for (;;) {
      TernaryMask best;
      std::size_t best_gain = 0;
      for (std::size_t start = 0; start < wishes_.size(); ++start) {
        if (wishes_[start] != Wish::wanted) continue;
        for (const bool upward : {true, false}) {
          const TernaryMask mask = grown(start, upward);
          const std::size_t gain = wanted_in(mask);
          if (gain <= best_gain) continue;
          best = mask;
          best_gain = gain;
        }
        if (wishes_.size() > every_start_max) break;
      }
      if (best_gain == 0) return masks;
      for_each_in(best, [&](Word x) {
        // Covered twice would swap back.
        if (wishes_[x] == Wish::wanted) wishes_[x] = Wish::forbidden;
        return true;
      });
      masks.push_back(best);
    }
  }

 private:
  // Calls visit for all members until it says false.
  template <class Visit>
  bool for_each_in(const TernaryMask& mask, Visit&& visit) const {
    const Word free = low_mask(bits_) & ~mask.care;
    for (Word part = 0;; part = (part - free) & free) {
      if (!visit(mask.value | part)) return false;
      if (part == free) return true;
    }
  }

  std::size_t wanted_in(const TernaryMask& mask) const {
    std::size_t count = 0;
    for_each_in(mask, [&](Word x) {
      count += wishes_[x] == Wish::wanted ? 1 : 0;
      return true;
    });
    return count;
  }

  // Drops one bit after the other while nothing forbidden comes in.
  TernaryMask grown(Word start, bool upward) const {
    TernaryMask mask{low_mask(bits_), start};
    for (int step = 0; step < bits_; ++step) {
      const int b = upward ? step : bits_ - 1 - step;
      // The half that would join.
      const TernaryMask other{mask.care, mask.value ^ bit(b)};
      if (for_each_in(other, [&](Word x) { return wishes_[x] != Wish::forbidden; })) {
        mask.care &= ~bit(b);
        mask.value &= mask.care;
      }
    }
    return mask;
  }

  std::vector<Wish> wishes_;
  int bits_;
};

}  // namespace

std::vector<TernaryMask> cover(std::vector<Wish> wishes, const AddressBits& bits) {
  FARO_CHECK(bits.count() <= 12 && wishes.size() == bit(bits.count()));
  std::vector<TernaryMask> masks = Cover(std::move(wishes), bits.count()).run();
  for (TernaryMask& mask : masks) mask = {bits.spread(mask.care), bits.spread(mask.value)};
  return masks;
}

}  // namespace faro::inline v1::mesh
