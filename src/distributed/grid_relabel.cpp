// Which rank gets whose result, so that the most stays.
//
// What rank r keeps of the result of q is a product over axes of what their parts share. Up to some
// thousand ranks the best assignment on all pairs is exact. Beyond, where both sides have the same
// parts on every axis, each axis takes its own best assignment: that is not always the best of all
// (faro/distributed/grid_move.hpp has the example), so the sum over ranks of the most that each
// could keep stands beside it. Where the sides have other parts, ranks choose, those first that
// would keep the most: each takes one of the two results that it shares most with, if it is free.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

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

// What a part of an axis shares with the two parts that it shares most with.
struct Share {
  std::uint64_t elements = 0;
  std::uint64_t part = 0;
};
using Best = std::array<Share, 2>;

void put(Best& best, Share share) {
  if (share.elements <= best[1].elements) return;
  best[1] = share;
  if (best[1].elements > best[0].elements) std::swap(best[0], best[1]);
}

// A rank's two best results are products of these: `second` has a bit for every axis whose second
// part it is. Nothing where parts are too many to look at.
std::optional<std::vector<std::uint64_t>> by_ranks(const Axes& axes) {
  const std::size_t count = axes.to_deal.size();
  if (count > 64) return {};
  std::vector<std::vector<Best>> best;
  std::uint64_t looked_at = 0;
  for (std::size_t a = 0; a < count; ++a) {
    const AxisDeal& from = axes.from.axes()[a].deal;
    best.emplace_back(from.parts());
    for (std::uint64_t p = 0; p < from.parts(); ++p)
      for (const AxisMeet& meet : meets(from, p, axes.to_deal[a])) {
        put(best[a][p], {meet.elements, meet.part});
        if (++looked_at > looked_at_max) return {};
      }
  }
  struct Choice {
    std::uint64_t elements;
    std::uint32_t rank, host;
  };
  std::vector<Choice> choices;
  choices.reserve(2 * axes.from.ranks());
  std::vector<std::uint64_t> parts(count);
  for (std::uint64_t r = 0; r < axes.from.ranks(); ++r) {
    Best products{Share{1, 0}, Share{}};
    for (std::size_t a = 0; a < count; ++a) {
      const Best& of_axis = best[a][axes.from.part(r, a)];
      Best next{};
      for (const Share& product : products)
        for (std::size_t k = 0; k < 2; ++k)
          put(next,
              {product.elements * of_axis[k].elements, product.part | (std::uint64_t{k} << a)});
      products = next;
    }
    for (const auto& [elements, second] : products) {
      if (elements == 0) continue;
      for (std::size_t a = 0; a < count; ++a)
        parts[axes.new_axis[a]] = best[a][axes.from.part(r, a)][second >> a & 1U].part;
      const std::uint64_t host = axes.to.rank_of(parts, axes.from.copy(r) % axes.to.copies());
      choices.push_back(
          {elements, static_cast<std::uint32_t>(r), static_cast<std::uint32_t>(host)});
    }
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
    return std::tuple(b.elements, a.rank, a.host) < std::tuple(a.elements, b.rank, b.host);
  });
  const std::uint64_t ranks = std::max(axes.from.ranks(), axes.to.ranks());
  const std::uint64_t none = ranks;
  std::vector<std::uint64_t> hosted(ranks, none);
  std::vector<bool> taken(ranks);
  const auto take = [&](std::uint64_t rank, std::uint64_t host) {
    if (hosted[rank] != none || taken[host]) return;
    hosted[rank] = host;
    taken[host] = true;
  };
  for (const Choice& choice : choices) take(choice.rank, choice.host);
  for (std::uint64_t r = 0; r < ranks; ++r) take(r, r);  // others stay, or take what is left
  std::uint64_t left = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    while (left < ranks && taken[left]) ++left;
    if (hosted[r] == none) take(r, left);
  }
  return hosted;
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
  if (!best) {
    facts.relabelled = GridMoveFacts::Relabelled::by_rank;
    best = by_ranks(axes);
  }
  if (best && kept_of(axes, *best) > kept_of(axes, hosted)) hosted.swap(*best);
  facts.kept_bytes_at_most = kept_at_most(axes);
}

}  // namespace faro::inline v1
