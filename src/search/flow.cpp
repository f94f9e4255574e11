#include "search/flow.hpp"

#include <algorithm>
#include <limits>

namespace faro::inline v1::search {

std::uint32_t Flow::arc(std::uint32_t from, std::uint32_t to, std::int32_t room) {
  const auto number = static_cast<std::uint32_t>(arcs_.size());
  arcs_.push_back({to, first_[from], room});
  first_[from] = number;
  arcs_.push_back({from, first_[to], 0});
  first_[to] = number + 1;
  return number;
}

std::uint32_t Flow::edge(std::uint32_t from, std::uint32_t to, Bounds bounds) {
  least_.push_back(bounds.least);
  needed_[to] += bounds.least;
  needed_[from] -= bounds.least;
  return arc(from, to, bounds.most - bounds.least);
}

bool Flow::circulate(std::uint32_t source, std::uint32_t sink) {
  const auto nodes = static_cast<std::uint32_t>(needed_.size());
  const std::uint32_t super_source = nodes;
  const std::uint32_t super_sink = nodes + 1;
  std::int64_t wanted = 0;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    if (needed_[v] > 0) {
      arc(super_source, v, static_cast<std::int32_t>(needed_[v]));
      wanted += needed_[v];
    } else if (needed_[v] < 0) {
      arc(v, super_sink, static_cast<std::int32_t>(-needed_[v]));
    }
  }
  arc(sink, source, std::numeric_limits<std::int32_t>::max());
  std::int64_t sent = 0;
  while (layer(super_source, super_sink)) sent += augment(super_source, super_sink);
  return sent == wanted;
}

bool Flow::layer(std::uint32_t source, std::uint32_t sink) {
  level_.assign(first_.size(), none);
  level_[source] = 0;
  std::vector<std::uint32_t> queue{source};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (std::uint32_t a = first_[queue[head]]; a != none; a = arcs_[a].next)
      if (arcs_[a].room > 0 && level_[arcs_[a].to] == none) {
        level_[arcs_[a].to] = level_[queue[head]] + 1;
        queue.push_back(arcs_[a].to);
      }
  return level_[sink] != none;
}

// A blocking flow, path by path, without recursion.
std::int64_t Flow::augment(std::uint32_t source, std::uint32_t sink) {
  next_ = first_;
  std::int64_t total = 0;
  std::vector<std::uint32_t> path;
  for (std::uint32_t v = source;;) {
    if (v == sink) {
      std::int32_t room = std::numeric_limits<std::int32_t>::max();
      for (const std::uint32_t a : path) room = std::min(room, arcs_[a].room);
      std::size_t cut = path.size();
      for (std::size_t i = path.size(); i-- > 0;) {
        arcs_[path[i]].room -= room;
        arcs_[path[i] ^ 1U].room += room;
        if (arcs_[path[i]].room == 0) cut = i;
      }
      total += room;
      v = arcs_[path[cut] ^ 1U].to;
      path.resize(cut);
      continue;
    }
    std::uint32_t& a = next_[v];
    while (a != none && (arcs_[a].room == 0 || level_[arcs_[a].to] != level_[v] + 1))
      a = arcs_[a].next;
    if (a != none) {
      path.push_back(a);
      v = arcs_[a].to;
      continue;
    }
    if (path.empty()) return total;
    level_[v] = none;
    v = arcs_[path.back() ^ 1U].to;
    path.pop_back();
  }
}

}  // namespace faro::inline v1::search
