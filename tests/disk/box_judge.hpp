// Judges plans of boxes element by element, from the definition alone: every element has its unit
// in each layout and its tile in each pass, found by division, and all else is counting of these.
// Nothing of the planner is used but the steps that it says.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "disk/box_plan.hpp"

namespace faro::testing {

class BoxJudge {
 public:
  explicit BoxJudge(const disk::BoxPlan& plan) : plan_(plan) {
    for (const std::uint64_t n : plan.problem().to.shape) elements_ *= n;
    const auto& problem = plan.problem();
    for (std::uint64_t i = 0; i < elements_; ++i) {
      std::vector<std::uint64_t> place(problem.to.shape.size());
      std::uint64_t rest = i;
      for (std::size_t k = place.size(); k-- > 0; rest /= problem.to.shape[k])
        place[k] = rest % problem.to.shape[k];
      from_.push_back(unit_from(place));
      to_.push_back(unit_of(place, problem.to.chunks));
      file_.push_back(
          unit_of(place, problem.to.shards.empty() ? problem.to.chunks : problem.to.shards));
      for (std::size_t j = 0; j < plan.facts().passes.size(); ++j) {
        tiles_.resize(plan.facts().passes.size());
        tiles_[j].push_back(tile_of(place, plan.facts().passes[j].tile));
      }
    }
  }

  // What is wrong; empty if nothing.
  std::string wrong() const {
    const auto& problem = plan_.problem();
    const auto& facts = plan_.facts();
    const std::size_t last = tiles_.size() - 1;
    if (!plain(problem.to) && !is_coarser(tiles_[last], to_)) return "a tile cuts a unit written";
    if (last > 0 && !plain(problem.from) && !is_coarser(tiles_[0], from_))
      return "the first of several passes cuts a unit read";
    if (facts.peak_bytes() > problem.memory_bytes) return "the peak is over the memory";
    for (std::size_t j = 0; j <= last; ++j) {
      const auto& pass = facts.passes[j];
      std::uint64_t most = 0;
      for (const auto& [tile, count] : sizes(tiles_[j])) most = std::max(most, count);
      if (most * problem.to.element_bytes > pass.tile_bytes) return "a tile is larger than it says";
      if (sizes(tiles_[j]).size() != static_cast<std::uint64_t>(pass.tiles)) return "tiles";
      if (j == 0 && plain(problem.from)) continue;
      const Labels& read = j == 0 ? from_ : tiles_[j - 1];
      if (!pass.walked &&
          sizes(both(read, tiles_[j])).size() != static_cast<std::uint64_t>(pass.reads))
        return "reads";
      if (pass.walked && rows_of_units(*pass.walked) != static_cast<std::uint64_t>(pass.reads))
        return "reads of a walk";
      if (!pass.walked && j == 0 && bytes_met() != static_cast<std::uint64_t>(pass.bytes_read))
        return "bytes read";
    }
    if (!plain(problem.to) &&
        sizes(file_).size() != static_cast<std::uint64_t>(facts.passes[last].writes))
      return "files written";
    return against_theorems();
  }

 private:
  using Labels = std::vector<std::uint64_t>;

  static bool plain(const disk::StoredGrid& grid) {
    return grid.encoding == disk::StoredGrid::Encoding::run;
  }

  // Theorem 1, of this plan and as a bound; theorem 2 by joining units that meet.
  std::string against_theorems() const {
    const auto& facts = plan_.facts();
    const Labels& p = from_;
    const Labels& q = to_;
    if (plain(plan_.problem().from) || plain(plan_.problem().to)) return "";
    const double held = mean_log(p) + mean_log(q) - mean_log(both(p, q));
    if (std::abs(held - facts.bound.held_log2) > 1e-6) return "D";
    bool once = !facts.passes[0].walked && is_coarser(tiles_[0], p);
    double layouts = 0;
    double loads = 0;
    for (std::size_t j = 0; j < tiles_.size(); ++j) {
      loads += mean_log(tiles_[j]);
      if (j > 0) layouts += mean_log(both(tiles_[j - 1], tiles_[j]));
    }
    if (once && held + layouts > loads + 1e-6) return "theorem 1 is broken";
    const std::uint64_t component = largest_component(p, q) * plan_.problem().to.element_bytes;
    if (component != facts.bound.component_bytes) return "theorem 2: components";
    if (once && tiles_.size() < static_cast<std::size_t>(facts.bound.passes))
      return "fewer passes than the bound";
    return "";
  }

  std::uint64_t unit_from(const std::vector<std::uint64_t>& place) const {
    const auto& problem = plan_.problem();
    std::vector<std::uint64_t> at(place.size());
    for (std::size_t k = 0; k < place.size(); ++k) {
      const std::size_t axis = problem.axes.empty() ? k : problem.axes[k];
      const bool reversed = !problem.reversed.empty() && problem.reversed[k];
      at[axis] = reversed ? problem.to.shape[k] - 1 - place[k] : place[k];
    }
    return unit_of(at, problem.from.chunks);
  }
  static std::uint64_t unit_of(const std::vector<std::uint64_t>& place,
                               const std::vector<std::uint64_t>& lengths) {
    std::uint64_t label = 0;
    for (std::size_t k = 0; k < place.size(); ++k) label = label * 1009 + place[k] / lengths[k];
    return label;
  }
  static std::uint64_t tile_of(const std::vector<std::uint64_t>& place,
                               const std::vector<disk::AxisGrid>& tile) {
    std::uint64_t label = 0;
    for (std::size_t k = 0; k < place.size(); ++k) {
      const std::uint64_t x = place[k];
      const std::uint64_t first = tile[k].offset();
      label = label * 1009 + (x < first ? 0 : 1 + (x - first) / tile[k].step());
    }
    return label;
  }
  static Labels both(const Labels& a, const Labels& b) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> names;
    Labels labels;
    for (std::size_t i = 0; i < a.size(); ++i)
      labels.push_back(names.try_emplace({a[i], b[i]}, names.size()).first->second);
    return labels;
  }
  static std::map<std::uint64_t, std::uint64_t> sizes(const Labels& labels) {
    std::map<std::uint64_t, std::uint64_t> sizes;
    for (const std::uint64_t label : labels) ++sizes[label];
    return sizes;
  }
  static bool is_coarser(const Labels& coarse, const Labels& fine) {
    return sizes(both(coarse, fine)).size() == sizes(fine).size();
  }
  static double mean_log(const Labels& labels) {
    double total = 0;
    for (const auto& [label, count] : sizes(labels))
      total += static_cast<double>(count) * std::log2(static_cast<double>(count));
    return total / static_cast<double>(labels.size());
  }
  static std::uint64_t largest_component(const Labels& p, const Labels& q) {
    std::map<std::pair<int, std::uint64_t>, std::pair<int, std::uint64_t>> parent;
    const auto find = [&](std::pair<int, std::uint64_t> x) {
      while (parent.contains(x) && parent[x] != x) x = parent[x];
      return x;
    };
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto a = find({0, p[i]});
      const auto b = find({1, q[i]});
      parent.try_emplace(a, a);
      parent[b] = a;
    }
    std::map<std::pair<int, std::uint64_t>, std::uint64_t> sizes;
    std::uint64_t most = 0;
    for (const std::uint64_t unit : p) most = std::max(most, ++sizes[find({0, unit})]);
    return most;
  }
  // Units over all tiles, each counted by its length once for each tile.
  std::uint64_t bytes_met() const {
    const auto of_unit = sizes(from_);
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < from_.size(); ++i)
      if (seen.insert({from_[i], tiles_[0][i]}).second) total += of_unit.at(from_[i]);
    return total * plan_.problem().to.element_bytes;
  }
  // Units over rows of tiles along an axis.
  std::uint64_t rows_of_units(std::size_t walked) const {
    auto tile = plan_.facts().passes[0].tile;
    tile[walked] = disk::AxisGrid::regular(tile[walked].length(), tile[walked].length());
    Labels rows;
    for (std::uint64_t i = 0; i < elements_; ++i) {
      std::vector<std::uint64_t> place(tile.size());
      std::uint64_t rest = i;
      for (std::size_t k = place.size(); k-- > 0; rest /= tile[k].length())
        place[k] = rest % tile[k].length();
      rows.push_back(tile_of(place, tile));
    }
    return sizes(both(from_, rows)).size();
  }

  const disk::BoxPlan& plan_;
  std::uint64_t elements_ = 1;
  Labels from_;
  Labels to_;
  Labels file_;
  std::vector<Labels> tiles_;
};

}  // namespace faro::testing
