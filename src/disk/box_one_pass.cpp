// The cheapest plan of one pass. What it costs and needs is a product over the axes but for runs of
// plain files, so the search goes from axis to axis and keeps of all choices those that no other
// one beats in memory, units read and bytes read: it is exact over the steps that it tries.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "disk/box_steps.hpp"

namespace faro::inline v1::disk {
namespace {

struct Choice {
  AxisGrid tile;
  std::uint64_t held = 1;  // elements in memory
  std::uint64_t meets = 1;
  std::uint64_t cover = 1;
  std::uint64_t met = 1;  // units that a tile meets, at most
  bool nested = false;
};

struct Label {
  Units volume = 1;
  Units units = 1;
  Units cover = 1;
  Units met = 1;
  std::vector<std::uint16_t> chosen;
};

constexpr std::size_t labels_max = 20000;

// Labels that no other beats; thinned.
std::vector<Label> undominated(std::vector<Label> labels) {
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
    return std::tie(a.volume, a.units, a.cover, a.chosen) <
           std::tie(b.volume, b.units, b.cover, b.chosen);
  });
  std::vector<Label> kept;
  std::map<Units, Units> front;  // units -> cover, falling
  for (Label& label : labels) {
    auto above = front.upper_bound(label.units);
    if (above != front.begin() && std::prev(above)->second <= label.cover) continue;
    while (above != front.end() && above->second >= label.cover) above = front.erase(above);
    front[label.units] = label.cover;
    kept.push_back(std::move(label));
  }
  if (kept.size() <= labels_max) return kept;
  const std::size_t every = (kept.size() - 1) / labels_max + 1;
  std::vector<Label> some;
  for (std::size_t i = 0; i < kept.size(); i += every) some.push_back(std::move(kept[i]));
  return some;
}

class OnePass {
 public:
  OnePass(const BoxProblem& problem, const BoxGrids& grids, int copies)
      : problem_(problem), grids_(grids), copies_(copies), price_(problem, grids) {}

  std::optional<BoxFound> find() {
    const bool plain = is_plain(problem_.from) || is_plain(problem_.to);
    for (const TileOrder order : {TileOrder::read, TileOrder::write}) {
      if (order == TileOrder::write && is_plain(problem_.from)) continue;
      room_ = room_for(problem_, grids_, copies_, order, {});
      if (room_ == 0) continue;
      make_choices(order, plain);
      if (!problem_.only_walks) look(order, std::nullopt, plain);
      if (order != TileOrder::write) continue;
      for (std::size_t k = 0; k < choices_.size(); ++k)
        if (std::any_of(choices_[k].begin(), choices_[k].end(),
                        [](const Choice& c) { return !c.nested; }))
          look(order, k, plain);
    }
    if (!best_ && problem_.only_walks) {
      BoxProblem any = problem_;
      any.only_walks = false;
      return OnePass(any, grids_, copies_).find();
    }
    return std::move(best_);
  }

 private:
  void make_choices(TileOrder order, bool plain) {
    static constexpr std::array<std::size_t, 7> most_of_plain = {48, 48, 48, 28, 12, 8, 5};
    const std::size_t axes = grids_.shape.size();
    const std::size_t most = !plain ? 48 : axes < 7 ? most_of_plain[axes] : 3;
    choices_.assign(axes, {});
    for (std::size_t k = 0; k < axes; ++k)
      for (const AxisGrid& tile : target_tiles(problem_, grids_, k, most)) {
        const AxisGrid& units = grids_.units_from[k];
        Choice c{.tile = tile, .held = tile.step()};
        if (!is_plain(problem_.from)) {
          c.nested = is_nested(units, tile);
          if (order == TileOrder::read && !c.nested) continue;
          c.meets = meets(units, tile);
          c.cover = disk::cover(units, tile);
          c.met = most_met(units, tile).blocks;
          if (order == TileOrder::read) c.held = c.met * grids_.nominal_from[k];
        } else {
          c.nested = true;
          c.cover = tile.length();
        }
        if (order == TileOrder::write && !is_plain(problem_.to))
          c.held = padded(grids_.units_to[k], grids_.nominal_to[k], tile);
        choices_[k].push_back(std::move(c));
      }
  }

  void look(TileOrder order, std::optional<std::size_t> walked, bool plain) {
    std::vector<Label> labels{Label{}};
    for (std::size_t k = 0; k < choices_.size(); ++k) {
      std::vector<Label> next;
      for (const Label& label : labels)
        for (std::size_t i = 0; i < choices_[k].size(); ++i) {
          const Choice& c = choices_[k][i];
          if (label.volume * c.held > room_) continue;
          Label more = label;
          more.volume *= c.held;
          more.units *= walked == k ? grids_.units_from[k].count() : c.meets;
          more.cover *= walked == k ? grids_.shape[k] : c.cover;
          if (walked != k) more.met *= c.met;
          more.chosen.push_back(static_cast<std::uint16_t>(i));
          next.push_back(std::move(more));
        }
      labels = plain || walked ? std::move(next) : undominated(std::move(next));
      if (walked && labels.size() > labels_max) labels = undominated(std::move(labels));
    }
    for (const Label& label : labels) judge(label, order, walked);
  }

  void judge(const Label& label, TileOrder order, std::optional<std::size_t> walked) {
    BoxPass pass;
    pass.walked = walked;
    pass.order = order;
    for (std::size_t k = 0; k < choices_.size(); ++k)
      pass.tile.push_back(choices_[k][label.chosen[k]].tile);
    const bool plain_from = is_plain(problem_.from);
    const Units requests =
        plain_from
            ? units_of(run_requests(pass.tile, grids_.order_from, problem_.from.element_bytes))
            : label.units;
    const Units bytes = plain_from ? price_.bytes() : label.cover * problem_.from.element_bytes;
    const double cost =
        seconds_of(price_.input(requests, bytes, pass.tile) + price_.output(pass.tile));
    if (best_ && cost >= best_->seconds) return;
    std::vector<BoxPass> passes{std::move(pass)};
    if (!complete_pass(problem_, grids_, copies_, passes, 0)) return;
    best_ = BoxFound{.passes = std::move(passes), .seconds = cost};
  }

  const BoxProblem& problem_;
  const BoxGrids& grids_;
  int copies_;
  BoxPrice price_;
  Units room_ = 0;
  std::vector<std::vector<Choice>> choices_;
  std::optional<BoxFound> best_;
};

}  // namespace

std::optional<BoxFound> find_one_pass(const BoxProblem& problem, const BoxGrids& grids,
                                      int copies) {
  return OnePass(problem, grids, copies).find();
}

}  // namespace faro::inline v1::disk
