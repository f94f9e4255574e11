// Steps happen to sets of processors, slot by slot: of a rule those senders are left that have an
// element.
#include "planners/cube/affine/absent.hpp"

#include <utility>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {
namespace {

using Spaces = std::vector<AffineSpace>;

// Subspaces compared: some tenths of a second.
constexpr std::uint64_t comparisons_max = std::uint64_t{1} << 19U;

// Joins what can be joined: pieces that differ in one value are one.
void add_piece(Spaces& pieces, AffineSpace more) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (std::optional<AffineSpace> whole = pieces[i].merged(more)) {
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
      return add_piece(pieces, *std::move(whole));
    }
  pieces.push_back(std::move(more));
}

// Which processors have an element in which slot.
class FilledSlots {
 public:
  FilledSlots(const FullPlan& plan, const std::vector<bool>& there)
      : dimensions_(plan.dimensions), filled_(plan.slots) {
    for (std::size_t s = 0; s < there.size() && s < filled_.size(); ++s)
      if (there[s]) filled_[s].push_back(AffineSpace::everything(dimensions_));
  }

  // What is left of a step; then it has happened.
  CubeStep after_leaving_out(const CubeStep& step) {
    still_working();
    CubeStep left;
    for (const Rule& rule : step.rules) {
      const AffineSpace all = AffineSpace::where(dimensions_, rule.where);
      if (all.empty()) continue;
      const Spaces senders = filled_among(rule.from, all);
      if (senders.size() == 1 && senders.front() == all)
        left.rules.push_back(rule);
      else
        for (const AffineSpace& some : senders)
          left.rules.push_back({some.constraints(), rule.from, rule.across, rule.to});
      arrive(rule.to, rule.across == inside ? 0 : bit(rule.across), all, senders);
    }
    for (const Move& move : step.moves) {
      const auto one = AffineSpace::where(dimensions_, only_at(move.from_processor, dimensions_));
      const Spaces senders = filled_among(move.from_slot, one);
      if (!senders.empty()) left.moves.push_back(move);
      arrive(move.to_slot, move.from_processor ^ move.to_processor, one, senders);
    }
    settle();
    return left;
  }

 private:
  struct Arrival {
    Slot slot;
    AffineSpace overwritten;
    Spaces filled;
  };

  Spaces filled_among(Slot slot, const AffineSpace& processors) {
    Spaces some;
    count(filled_[slot].size());
    for (const AffineSpace& piece : filled_[slot])
      if (AffineSpace both = piece.meet(processors); !both.empty())
        add_piece(some, std::move(both));
    return some;
  }

  void arrive(Slot slot, Word crossed, const AffineSpace& all, const Spaces& senders) {
    Arrival arrival{slot, all.shifted(crossed), {}};
    for (const AffineSpace& some : senders) arrival.filled.push_back(some.shifted(crossed));
    arrivals_.push_back(std::move(arrival));
  }

  // All reads happen before all writes. What an absent element would overwrite nobody needs.
  void settle() {
    for (const auto& [slot, overwritten, arrived] : arrivals_) {
      Spaces rest;
      count(filled_[slot].size() + 1);
      for (const AffineSpace& piece : filled_[slot]) {
        if (piece.disjoint(overwritten)) {
          rest.push_back(piece);
          continue;
        }
        for (AffineSpace& kept : piece.minus(overwritten)) rest.push_back(std::move(kept));
      }
      filled_[slot] = std::move(rest);
    }
    for (auto& [slot, overwritten, arrived] : arrivals_) {
      count(filled_[slot].size() * arrived.size());
      for (AffineSpace& piece : arrived) add_piece(filled_[slot], std::move(piece));
    }
    arrivals_.clear();
  }

  void count(std::uint64_t more) {
    comparisons_ += more;
    if (comparisons_ > comparisons_max)
      throw Error(ErrorCode::limit,
                  "too many subspaces of processors have elements to be followed");
  }

  int dimensions_;
  std::vector<Spaces> filled_;
  std::vector<Arrival> arrivals_;
  std::uint64_t comparisons_ = 0;
};

}  // namespace

std::vector<CubeStep> without_absent(const FullPlan& plan, const std::vector<bool>& there) {
  FilledSlots filled(plan, there);
  std::vector<CubeStep> left;
  for (const CubeStep& step : plan.steps) {
    CubeStep some = filled.after_leaving_out(step);
    if (!some.rules.empty() || !some.moves.empty()) left.push_back(std::move(some));
  }
  return left;
}

}  // namespace faro::inline v1
