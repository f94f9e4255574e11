// What a GridMove keeps: both sides with their axes matched, and which rank hosts which new one.
//
// Where the move has digits, `from` and `to` place them, and the given ones are what users see.
//
// Axes are the old side's throughout. `to_deal[a]` deals the old axis a as the new side does,
// turned where the axis is reversed; `new_axis[a]` is its number there.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/nest_copy.hpp"
#include "faro/distributed/grid_move.hpp"

namespace faro::inline v1 {

struct GridMove::State {
  State(const GridPlacement& from, const GridPlacement& to, const GridMoveOptions& options);

  std::size_t axes() const { return from.axes().size(); }
  const AxisDeal& from_deal(std::size_t a) const { return from.axes()[a].deal; }
  bool sends(std::uint64_t rank) const { return rank < from.ranks(); }
  bool receives(std::uint64_t rank) const {
    return rank < facts.ranks && hosted[rank] < to.ranks();
  }
  // Parts by old axis.
  std::vector<std::uint64_t> from_parts(std::uint64_t rank) const;
  std::vector<std::uint64_t> to_parts(std::uint64_t rank) const;
  // Among the old side's copies: whose a rank gets.
  std::uint64_t copy_for(std::uint64_t rank) const;
  // Whether what the two share is sent from one to the other; both may be one rank, which keeps.
  bool goes(std::uint64_t sender, std::uint64_t receiver) const;
  void check_rank(std::uint64_t rank) const;

  GridPlacement given_from;
  GridPlacement given_to;
  GridPlacement from;
  GridPlacement to;
  GridMoveOptions options;
  std::vector<AxisDeal> to_deal;
  std::vector<std::size_t> new_axis;
  std::vector<std::uint64_t> hosted;   // by rank, the new rank that it is
  std::vector<std::uint64_t> host_of;  // its inverse
  GridMoveFacts facts;
  NestCopier copier;  // of packing, unpacking and keeping
};

// Counts of what two parts share, asked for once each.
class SharedCounts {
 public:
  SharedCounts(const AxisDeal& a, const AxisDeal& b) : a_(a), b_(b) {}
  std::uint64_t operator()(std::uint64_t p, std::uint64_t q) {
    const auto found = known_.try_emplace(std::pair(p, q), 0);
    if (found.second) found.first->second = shared(a_, p, b_, q);
    return found.first->second;
  }

 private:
  const AxisDeal& a_;
  const AxisDeal& b_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> known_;
};

// Both sides as placements of a map's digits, and what the move does to these.
struct DigitMove {
  GridPlacement from;
  GridPlacement to;
  GridMoveOptions options;
};
DigitMove digits_placed(const GridPlacement& from, const GridPlacement& to, const Map& map,
                        const GridMoveOptions& options);

// hosted, for Relabel::least, and what facts say of it.
void relabel(const GridPlacement& from, const GridPlacement& to,
             const std::vector<AxisDeal>& to_deal, const std::vector<std::size_t>& new_axis,
             std::vector<std::uint64_t>& hosted, GridMoveFacts& facts);

}  // namespace faro::inline v1
