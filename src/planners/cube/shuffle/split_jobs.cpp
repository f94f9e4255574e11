// A search over pairs of jobs, depth first.
#include "planners/cube/shuffle/split_jobs.hpp"

#include "base/check.hpp"

namespace faro::inline v1::shuffle {
namespace {

// Smallest free job first, with a step back where a pair finds no partner.
class Edges {
 public:
  Edges(const Structure& s, const Phase& phase, std::span<const int> wanted)
      : s_(s), phase_(phase), wanted_(wanted), free_(s.elements(), false) {
    for (const Slot x : phase.jobs(s)) free_[x] = true;
  }

  SplitJobs find() {
    FARO_CHECK(extend());
    SplitJobs jobs{.pairs = std::move(chosen_), .left = {}};
    for (Word x = 0; x < s_.elements(); ++x)
      if (free_[x]) jobs.left.push_back(static_cast<Slot>(x));
    return jobs;
  }

 private:
  bool extend() {
    if (chosen_.size() == wanted_.size()) return true;
    const auto chain = static_cast<std::size_t>(wanted_[chosen_.size()]);
    const Word g = bit(phase_.spare) ^ bit(s_.chains[chain].control);
    for (Word x = 0; x < s_.elements(); ++x) {
      if (!free_[x]) continue;
      Word y = x ^ g;
      if (has_bit(y, phase_.controls.front())) y ^= phase_.control_mask();
      if (!free_[y]) continue;
      free_[x] = free_[y] = false;
      chosen_.push_back({static_cast<Slot>(x), static_cast<Slot>(y)});
      if (extend()) return true;
      chosen_.pop_back();
      free_[x] = free_[y] = true;
    }
    return false;
  }

  const Structure& s_;
  const Phase& phase_;
  std::span<const int> wanted_;
  std::vector<bool> free_;
  std::vector<std::array<Slot, 2>> chosen_;
};

}  // namespace

SplitJobs split_jobs(const Structure& s, const Phase& phase, std::span<const int> wanted) {
  return Edges(s, phase, wanted).find();
}

}  // namespace faro::inline v1::shuffle
