// Which rank gets whose result, so that the most stays.
//
// What rank r keeps of the result of q is a product over axes of what their parts share. Up to some
// thousand ranks the best assignment on all pairs is exact. Beyond, where both sides have the same
// parts on every axis, each axis takes its own best assignment: that is not always the best of all
// (faro/distributed/grid_move.hpp has the example), so the sum over ranks of the most that each
// could keep stands beside it.
#include <algorithm>
#include <numeric>
#include <optional>

#include "distributed/assignment.hpp"
#include "distributed/grid_state.hpp"

namespace faro::inline v1 {
namespace {

// The table of an assignment is 32 MiB then, and it takes seconds at the worst.
constexpr std::uint64_t assigned_ranks_max = 2048;
// Pairs of parts of one axis.
constexpr std::uint64_t looked_at_max = 1'000'000;

struct Axes {
  const GridPlacement& from;
  const GridPlacement& to;
  const std::vector<AxisDeal>& to_deal;
  const std::vector<std::size_t>& new_axis;
};

// rows by parts of one deal, columns by those of the other
std::vector<std::uint64_t> shared_table(const AxisDeal& a, const AxisDeal& b, std::uint64_t side) {
  std::vector<std::uint64_t> table(side * side);
  for (std::uint64_t p = 0; p < a.parts(); ++p)
    for (const AxisMeet& meet : meets(a, p, b)) table[(p * side) + meet.part] = meet.elements;
  return table;
}

std::vector<std::uint64_t> kept_table(const Axes& axes, std::uint64_t ranks) {
  std::vector<std::uint64_t> table(ranks * ranks);
  for (std::uint64_t r = 0; r < axes.from.ranks(); ++r)
    std::fill_n(table.begin() + static_cast<std::ptrdiff_t>(r * ranks), axes.to.ranks(), 1);
  for (std::size_t a = 0; a < axes.to_deal.size(); ++a) {
    const AxisDeal& from = axes.from.axes()[a].deal;
    const AxisDeal& to = axes.to_deal[a];
    const std::uint64_t side = std::max(from.parts(), to.parts());
    const std::vector<std::uint64_t> both = shared_table(from, to, side);
    std::vector<std::uint64_t> new_part;
    for (std::uint64_t q = 0; q < axes.to.ranks(); ++q)
      new_part.push_back(axes.to.part(q, axes.new_axis[a]));
    for (std::uint64_t r = 0; r < axes.from.ranks(); ++r) {
      const std::uint64_t* row = both.data() + (axes.from.part(r, a) * side);
      for (std::uint64_t q = 0; q < axes.to.ranks(); ++q)
        table[(r * ranks) + q] *= row[new_part[q]];
    }
  }
  return table;
}

std::uint64_t kept(const std::vector<std::uint64_t>& table, std::uint64_t ranks,
                   const std::vector<std::uint64_t>& hosted) {
  std::uint64_t total = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) total += table[(r * ranks) + hosted[r]];
  return total;
}

// Of every axis the best assignment of its parts; nothing where the sides have other parts.
std::optional<std::vector<std::uint64_t>> by_axes(const Axes& axes) {
  if (axes.from.ranks() != axes.to.ranks() || axes.from.copies() != axes.to.copies()) return {};
  for (std::size_t a = 0; a < axes.to_deal.size(); ++a) {
    const std::uint64_t parts = axes.to_deal[a].parts();
    if (parts != axes.from.axes()[a].deal.parts() || parts > assigned_ranks_max) return {};
  }
  std::vector<std::vector<std::uint64_t>> order;
  for (std::size_t a = 0; a < axes.to_deal.size(); ++a) {
    const std::uint64_t parts = axes.to_deal[a].parts();
    const auto table = shared_table(axes.from.axes()[a].deal, axes.to_deal[a], parts);
    order.push_back(best_assignment(parts, table));
  }
  std::vector<std::uint64_t> hosted;
  std::vector<std::uint64_t> parts(order.size());
  for (std::uint64_t r = 0; r < axes.from.ranks(); ++r) {
    for (std::size_t a = 0; a < order.size(); ++a)
      parts[axes.new_axis[a]] = order[a][axes.from.part(r, a)];
    hosted.push_back(axes.to.rank_of(parts, axes.from.copy(r)));
  }
  return hosted;
}

std::uint64_t kept_of(const Axes& axes, const std::vector<std::uint64_t>& hosted) {
  std::uint64_t total = 0;
  std::vector<SharedCounts> counts;
  for (std::size_t a = 0; a < axes.to_deal.size(); ++a)
    counts.emplace_back(axes.from.axes()[a].deal, axes.to_deal[a]);
  for (std::uint64_t r = 0; r < axes.from.ranks(); ++r) {
    if (hosted[r] >= axes.to.ranks()) continue;
    std::uint64_t both = 1;
    for (std::size_t a = 0; both != 0 && a < counts.size(); ++a)
      both *= counts[a](axes.from.part(r, a), axes.to.part(hosted[r], axes.new_axis[a]));
    total += both;
  }
  return total;
}

// The most that a part shares with any part of `to`, or what that cannot exceed where there are too
// many to look at: the largest part.
std::vector<std::uint64_t> most_shared(const AxisDeal& from, const AxisDeal& to) {
  std::vector<std::uint64_t> most(from.parts());
  if (from.parts() > looked_at_max / to.parts()) {
    std::uint64_t largest = 0;
    for (std::uint64_t q = 0; q < to.parts(); ++q) largest = std::max(largest, to.size(q));
    for (std::uint64_t p = 0; p < from.parts(); ++p) most[p] = std::min(from.size(p), largest);
    return most;
  }
  for (std::uint64_t p = 0; p < from.parts(); ++p)
    for (const AxisMeet& meet : meets(from, p, to)) most[p] = std::max(most[p], meet.elements);
  return most;
}

// The sum over ranks of the most that each shares with any new one: on each axis by itself.
std::uint64_t kept_at_most(const Axes& axes) {
  std::vector<std::vector<std::uint64_t>> most;
  for (std::size_t a = 0; a < axes.to_deal.size(); ++a) {
    most.push_back(most_shared(axes.from.axes()[a].deal, axes.to_deal[a]));
  }
  std::uint64_t total = 0;
  for (std::uint64_t r = 0; r < axes.from.ranks(); ++r) {
    std::uint64_t both = 1;
    for (std::size_t a = 0; a < most.size(); ++a) both *= most[a][axes.from.part(r, a)];
    total += both;
  }
  return total;
}

}  // namespace

void relabel(const GridPlacement& from, const GridPlacement& to,
             const std::vector<AxisDeal>& to_deal, const std::vector<std::size_t>& new_axis,
             std::vector<std::uint64_t>& hosted, GridMoveFacts& facts) {
  const Axes axes{from, to, to_deal, new_axis};
  if (facts.ranks <= assigned_ranks_max) {
    facts.relabelled = GridMoveFacts::Relabelled::exactly;
    const std::vector<std::uint64_t> table = kept_table(axes, facts.ranks);
    std::vector<std::uint64_t> best = best_assignment(facts.ranks, table);
    // Nobody changes places for nothing.
    if (kept(table, facts.ranks, best) > kept(table, facts.ranks, hosted)) hosted.swap(best);
    return;
  }
  facts.relabelled = GridMoveFacts::Relabelled::by_axis;
  auto best = by_axes(axes);
  if (best && kept_of(axes, *best) > kept_of(axes, hosted)) hosted.swap(*best);
  facts.kept_bytes_at_most = kept_at_most(axes);
}

}  // namespace faro::inline v1
