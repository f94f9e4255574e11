// The cheapest plan of two or three passes: on each axis chains of steps, from units read by way of
// those between to what is written; from axis to axis the chains with the fewest meets for their
// tiles' sizes are kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "disk/box_steps.hpp"

namespace faro::inline v1::disk {
namespace {

struct Link {
  std::array<std::uint64_t, 3> held{1, 1, 1};
  std::array<std::uint64_t, 2> meets{1, 1};
  std::array<AxisGrid, 3> tiles;
};

struct Chain {
  std::array<Units, 3> held{1, 1, 1};
  std::array<Units, 2> meets{1, 1};
  std::vector<std::uint16_t> chosen;
};

// Four to a doubling.
unsigned coarse(Units x) {
  unsigned log2 = 0;
  for (Units y = x; y > 1; y >>= 1U) ++log2;
  return 4 * log2 + static_cast<unsigned>(((x << 2U) >> log2) & 3U);
}

// Links or chains that no other beats: the fewest meets of each coarse size first.
template <class Item>
std::vector<Item> thinned(std::vector<Item> items, std::size_t most) {
  const auto score = [](const Item& x) { return Units{x.meets[0]} + x.meets[1]; };
  std::map<std::array<unsigned, 3>, std::size_t> best;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& h = items[i].held;
    const auto [at, is_new] = best.try_emplace({coarse(h[0]), coarse(h[1]), coarse(h[2])}, i);
    if (!is_new && score(items[i]) < score(items[at->second])) at->second = i;
  }
  std::vector<std::size_t> order;
  for (const auto& [key, i] : best) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return score(items[a]) < score(items[b]); });
  std::vector<Item> kept;
  for (const std::size_t i : order) {
    const Item& item = items[i];
    const auto beats = [&](const Item& other) {
      for (std::size_t j = 0; j < 3; ++j)
        if (other.held[j] > item.held[j]) return false;
      return other.meets[0] <= item.meets[0] && other.meets[1] <= item.meets[1];
    };
    if (std::any_of(kept.begin(), kept.end(), beats)) continue;
    kept.push_back(item);
    if (kept.size() == most) break;
  }
  return kept;
}

class Passes {
 public:
  Passes(const BoxProblem& problem, const BoxGrids& grids, int copies, int passes)
      : problem_(problem),
        grids_(grids),
        copies_(copies),
        count_(static_cast<std::size_t>(passes)),
        price_(problem, grids) {
    Units nominal_from = 1, actual_from = 1, nominal_to = 1, actual_to = 1;
    for (std::size_t k = 0; k < grids.shape.size(); ++k) {
      nominal_from *= grids.nominal_from[k];
      actual_from *= grids.units_from[k].step();
      nominal_to *= grids.nominal_to[k];
      actual_to *= grids.units_to[k].step();
    }
    // Units lie in the tile where they are not mostly padding.
    first_ = is_plain(problem.from) || nominal_from <= 2 * actual_from ? TileOrder::read
                                                                       : TileOrder::write;
    last_ =
        is_plain(problem.to) || nominal_to <= 2 * actual_to ? TileOrder::write : TileOrder::read;
  }

  std::optional<BoxFound> find() {
    std::array<Units, 3> rooms{};
    for (std::size_t j = 0; j < count_; ++j) {
      rooms[j] =
          room_for(problem_, grids_, copies_, order(j), {.first = j == 0, .last = j + 1 == count_});
      if (rooms[j] == 0) return std::nullopt;
    }
    std::vector<Chain> chains{Chain{}};
    for (std::size_t k = 0; k < grids_.shape.size(); ++k) {
      links_.push_back(links_on(k));
      std::vector<Chain> next;
      for (const Chain& chain : chains)
        for (std::size_t i = 0; i < links_[k].size(); ++i) {
          const Link& link = links_[k][i];
          bool fits = true;
          for (std::size_t j = 0; j < count_; ++j)
            fits = fits && chain.held[j] * link.held[j] <= rooms[j];
          if (!fits) continue;
          Chain more = chain;
          for (std::size_t j = 0; j < count_; ++j) more.held[j] *= link.held[j];
          for (std::size_t j = 0; j + 1 < count_; ++j) more.meets[j] *= link.meets[j];
          more.chosen.push_back(static_cast<std::uint16_t>(i));
          next.push_back(std::move(more));
        }
      chains = thinned(std::move(next), count_ == 2 ? 1200 : 400);
    }
    for (const Chain& chain : chains) judge(chain);
    return std::move(best_);
  }

 private:
  TileOrder order(std::size_t j) const {
    return j == 0 ? first_ : j + 1 == count_ ? last_ : TileOrder::read;
  }

  std::vector<Link> links_on(std::size_t k) const {
    const std::size_t most = count_ == 2 ? 20 : 7;
    std::vector<Link> links;
    const auto reads = source_tiles(problem_, grids_, k, most);
    const auto writes = target_tiles(problem_, grids_, k, most);
    for (const AxisGrid& r : reads)
      for (const AxisGrid& w : writes) {
        Link link;
        link.tiles[0] = r;
        link.held[0] = first_ == TileOrder::read && !is_plain(problem_.from)
                           ? padded(grids_.units_from[k], grids_.nominal_from[k], r)
                           : r.step();
        link.tiles[count_ - 1] = w;
        link.held[count_ - 1] = last_ == TileOrder::write && !is_plain(problem_.to)
                                    ? padded(grids_.units_to[k], grids_.nominal_to[k], w)
                                    : w.step();
        if (count_ == 2) {
          link.meets[0] = meets(r, w);
          links.push_back(link);
          continue;
        }
        for (const AxisGrid& middle : between(r, w)) {
          link.tiles[1] = middle;
          link.held[1] = middle.step();
          link.meets = {meets(r, middle), meets(middle, w)};
          links.push_back(link);
        }
      }
    return thinned(std::move(links), count_ == 2 ? 400 : 250);
  }

  // Steps of a layout between: multiples of the shorter one.
  static std::vector<AxisGrid> between(const AxisGrid& r, const AxisGrid& w) {
    const std::uint64_t low = std::min(r.step(), w.step());
    const std::uint64_t high = std::max(r.step(), w.step());
    Steps steps{low, high};
    constexpr int parts = 12;
    for (int i = 1; i < parts; ++i) {
      const double wanted =
          static_cast<double>(low) * std::pow(static_cast<double>(high) / static_cast<double>(low),
                                              static_cast<double>(i) / parts);
      const auto step = static_cast<std::uint64_t>(wanted) / low * low;
      if (step > low && step < high) steps.insert(step);
    }
    std::vector<AxisGrid> tiles;
    for (const std::uint64_t step : spread(steps, 5))
      tiles.push_back(AxisGrid::regular(r.length(), step));
    return tiles;
  }

  void judge(const Chain& chain) {
    std::vector<BoxPass> passes(count_);
    for (std::size_t j = 0; j < count_; ++j) {
      passes[j].order = order(j);
      for (std::size_t k = 0; k < chain.chosen.size(); ++k)
        passes[j].tile.push_back(links_[k][chain.chosen[k]].tiles[j]);
    }
    Units requests = 1;
    if (is_plain(problem_.from))
      requests =
          units_of(run_requests(passes[0].tile, grids_.order_from, problem_.from.element_bytes));
    else
      for (const AxisGrid& units : grids_.units_from) requests *= units.count();
    Nanoseconds cost =
        price_.input(requests, price_.bytes(), passes[0].tile) + price_.output(passes.back().tile);
    for (std::size_t j = 0; j + 1 < count_; ++j) {
      Units files = 1;
      for (const AxisGrid& tile : passes[j].tile) files *= tile.count();
      cost += price_.between(files, chain.meets[j]);
    }
    if (best_ && seconds_of(cost) >= best_->seconds) return;
    for (std::size_t j = 0; j < count_; ++j)
      if (!complete_pass(problem_, grids_, copies_, passes, j)) return;
    best_ = BoxFound{.passes = std::move(passes), .seconds = seconds_of(cost)};
  }

  const BoxProblem& problem_;
  const BoxGrids& grids_;
  int copies_;
  std::size_t count_;
  BoxPrice price_;
  TileOrder first_ = TileOrder::read;
  TileOrder last_ = TileOrder::write;
  std::vector<std::vector<Link>> links_;
  std::optional<BoxFound> best_;
};

}  // namespace

std::optional<BoxFound> find_passes(const BoxProblem& problem, const BoxGrids& grids, int copies,
                                    int passes) {
  return Passes(problem, grids, copies, passes).find();
}

double least_seconds(const BoxProblem& problem, const BoxGrids& grids, int passes) {
  const BoxPrice price(problem, grids);
  const std::vector<AxisGrid>& files = grids.files_to;
  double least = seconds_of(price.input(0, price.bytes(), {}));
  // Files and encoding as in every plan; of a plain file the fewest requests.
  std::vector<AxisGrid> whole;
  for (const AxisGrid& axis : files)
    whole.push_back(AxisGrid::regular(axis.length(), axis.length()));
  least += seconds_of(price.output(whole));
  if (passes < 2) return least;
  const BoxBound bound = box_bound(problem, grids);
  const double elements = static_cast<double>(price.bytes() / problem.to.element_bytes);
  const double spare = (passes * bound.memory_log2 - bound.held_log2) / (passes - 1);
  const double pieces = (passes - 1) * std::max(1.0, elements * std::exp2(-spare));
  return least + (passes - 1) * seconds_of(price.between(0, 0)) +
         pieces * static_cast<double>(problem.profile.read_run_nanoseconds) * 1e-9;
}

}  // namespace faro::inline v1::disk
