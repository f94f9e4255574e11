#include "planners/links/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "base/check.hpp"
#include "base/working.hpp"
#include "search/negotiation.hpp"

namespace faro::inline v1::links {

using search::Price;

LinkTable::LinkTable(const MeshGeometry& geometry) {
  for (Word p = 0; p < geometry.processors(); ++p) {
    first.push_back(static_cast<Link>(to.size()));
    for (const Word q : geometry.neighbours(p)) {
      from.push_back(static_cast<std::uint32_t>(p));
      to.push_back(static_cast<std::uint32_t>(q));
    }
  }
  first.push_back(static_cast<Link>(to.size()));
}

LinkTable LinkTable::of_cube(int dimensions) {
  LinkTable table;
  for (Word p = 0; p < bit(dimensions); ++p) {
    table.first.push_back(static_cast<Link>(table.to.size()));
    for (int d = 0; d < dimensions; ++d) {
      table.from.push_back(static_cast<std::uint32_t>(p));
      table.to.push_back(static_cast<std::uint32_t>(p ^ bit(d)));
    }
  }
  table.first.push_back(static_cast<Link>(table.to.size()));
  return table;
}

std::vector<std::uint32_t> LinkTable::distances_from(Word start) const {
  constexpr std::uint32_t unseen = ~std::uint32_t{0};
  std::vector<std::uint32_t> distance(processors(), unseen);
  std::vector<std::uint32_t> reached{static_cast<std::uint32_t>(start)};
  distance[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (Link link = first[reached[i]]; link < first[reached[i] + 1]; ++link) {
      if (distance[to[link]] != unseen) continue;
      distance[to[link]] = distance[reached[i]] + 1;
      reached.push_back(to[link]);
    }
  return distance;
}

Link LinkTable::between(Word p, Word q) const {
  for (Link link = first[p]; link < first[p + 1]; ++link)
    if (to[link] == q) return link;
  FARO_CHECK(false);
  return 0;
}

std::vector<Link> way_by_order(const MeshGeometry& geometry, const LinkTable& links, Word from,
                               Word to, const DimensionOrder& order) {
  std::vector<Link> way;
  for (const int k : order.order) {
    std::int64_t by = geometry.coordinate(to, k) - geometry.coordinate(from, k);
    if (geometry.wrap() == Mesh::Wrap::orthogonal) {
      const std::int64_t side = geometry.side(k);
      if (2 * std::abs(by) > side) by += by > 0 ? -side : side;
      if (2 * std::abs(by) == side) by = order.upward ? std::abs(by) : -std::abs(by);
    }
    for (; by != 0; by += by > 0 ? -1 : 1) {
      const Word next = *geometry.routed(from, k, by > 0 ? 1 : -1);
      way.push_back(links.between(from, next));
      from = next;
    }
  }
  return way;
}

int rounds_for(const Rounds& rounds) {
  return static_cast<int>(std::min(rounds.work / std::max<std::uint64_t>(rounds.each, 1),
                                   static_cast<std::uint64_t>(rounds.most)));
}

void balance(const LinkTable& links, std::vector<Packet>& packets, int rounds, Random& random) {
  std::vector<Price> load(links.size(), 0);
  for (const Packet& packet : packets)
    for (const Link link : packet.way) ++load[link];
  std::vector<std::size_t> turn(packets.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  std::vector<Price> price(links.size());
  std::vector<Price> cost(links.processors());
  std::vector<Link> into(links.processors());
  // The eighth power of the load, one packet more, relative to the heaviest one, and a hundredth
  // for the link itself, in units of 2^-20.
  const auto price_of = [&](Link link, Price scale) {
    Price power = ((load[link] + 1) << 20U) / scale;
    for (int squaring = 0; squaring < 3; ++squaring) power = (power * power) >> 20U;
    return 10486 + power;
  };
  for (int round = 0; round < rounds; ++round) {
    random.mix(turn);
    const Price scale = std::max<Price>(1, *std::max_element(load.begin(), load.end()));
    for (Link link = 0; link < links.size(); ++link) price[link] = price_of(link, scale);
    for (const std::size_t i : turn) {
      still_working();
      Packet& packet = packets[i];
      for (const Link link : packet.way) {
        --load[link];
        price[link] = price_of(link, scale);
      }
      const Word source = packet.move.from_processor;
      const Word target = packet.move.to_processor;
      std::fill(cost.begin(), cost.end(), search::out_of_reach);
      using Entry = std::pair<Price, std::uint32_t>;
      std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
      cost[source] = 0;
      open.emplace(0, static_cast<std::uint32_t>(source));
      while (!open.empty()) {
        const auto [there, p] = open.top();
        open.pop();
        if (p == target) break;
        if (there > cost[p]) continue;
        for (Link link = links.first[p]; link < links.first[p + 1]; ++link) {
          const std::uint32_t q = links.to[link];
          if (there + price[link] >= cost[q]) continue;
          cost[q] = there + price[link];
          into[q] = link;
          open.emplace(cost[q], q);
        }
      }
      packet.way.clear();
      for (Word p = target; p != source; p = links.from[into[p]]) packet.way.push_back(into[p]);
      std::reverse(packet.way.begin(), packet.way.end());
      for (const Link link : packet.way) {
        ++load[link];
        price[link] = price_of(link, scale);
      }
    }
  }
}

Timetable first_come(const LinkTable& links, const std::vector<Packet>& packets,
                     const std::vector<std::uint64_t>& favour) {
  struct Waiting {
    std::uint64_t priority;
    std::uint32_t packet;
    bool operator<(const Waiting& other) const {
      return priority != other.priority ? priority < other.priority : packet > other.packet;
    }
  };
  Timetable times;
  times.starts.resize(packets.size());
  std::vector<std::vector<Waiting>> queue(links.size());  // heaps
  std::vector<Link> busy;                                 // links for which somebody waits
  const auto join = [&](std::uint32_t i) {
    const std::size_t done = times.starts[i].size();
    if (done == packets[i].way.size()) return;
    std::vector<Waiting>& here = queue[packets[i].way[done]];
    if (here.empty()) busy.push_back(packets[i].way[done]);
    here.push_back(
        {(packets[i].way.size() - done) * favour_of_a_link + (favour.empty() ? 0 : favour[i]), i});
    std::push_heap(here.begin(), here.end());
  };
  for (std::uint32_t i = 0; i < packets.size(); ++i) {
    times.starts[i].reserve(packets[i].way.size());
    join(i);
  }
  std::vector<std::uint32_t> moved;
  for (std::uint32_t t = 0; !busy.empty(); ++t) {
    still_working();
    moved.clear();
    std::size_t left = 0;
    for (const Link link : busy) {
      std::vector<Waiting>& here = queue[link];
      std::pop_heap(here.begin(), here.end());
      moved.push_back(here.back().packet);
      times.starts[here.back().packet].push_back(t);
      here.pop_back();
      if (!here.empty()) busy[left++] = link;
    }
    busy.resize(left);
    for (const std::uint32_t i : moved) join(i);
    times.steps = t + 1;
  }
  return times;
}

Timetable improve(const LinkTable& links, const std::vector<Packet>& packets, int rounds,
                  std::uint32_t enough, Random& random) {
  std::vector<std::uint64_t> favour(packets.size(), 0);
  Timetable best = first_come(links, packets, favour);
  for (int round = 0; round < rounds && best.steps > enough; ++round) {
    for (std::uint64_t& f : favour) f += random.below(1000);
    Timetable tried = first_come(links, packets, favour);
    for (std::size_t i = 0; i < packets.size(); ++i)
      if (!tried.starts[i].empty() && tried.starts[i].back() + 1 >= best.steps)
        favour[i] += favour_of_a_link;
    if (tried.steps < best.steps) best = std::move(tried);
  }
  return best;
}

TimedWays::TimedWays(const LinkTable& links, std::uint32_t steps)
    : links_(links), steps_(steps), cost_((steps + std::size_t{1}) * links.processors()) {
  for (Word p = 0; p < links.processors(); ++p) {
    const std::vector<std::uint32_t> from_p = links.distances_from(p);
    distance_.insert(distance_.end(), from_p.begin(), from_p.end());
  }
  farthest_ = *std::max_element(distance_.begin(), distance_.end());
}

// What is left to pay from (step, processor) on, backward from the target; then forward along it.
bool TimedWays::find(const Price* prices, Packet& packet, std::vector<std::uint32_t>& starts) {
  still_working();
  const auto n = links_.processors();
  const auto source = static_cast<std::uint32_t>(packet.move.from_processor);
  const auto target = static_cast<std::uint32_t>(packet.move.to_processor);
  constexpr Price never = search::out_of_reach;
  Price* last = &cost_[steps_ * n];
  std::fill(last, last + n, never);
  last[target] = 0;
  for (std::uint32_t t = steps_; t-- > 0;) {
    const Price* next = &cost_[(t + 1) * n];
    const Price* price = prices + t * links_.size();
    Price* now = &cost_[t * n];
    const bool near_an_end = t < farthest_ || steps_ - t < farthest_;
    const std::uint32_t* to = links_.to.data();
    for (std::uint32_t p = 0; p < n; ++p) {
      // Too far from either end to matter.
      if (near_an_end &&
          (distance_[source * n + p] > t || distance_[p * n + target] > steps_ - t)) {
        now[p] = never;
        continue;
      }
      Price best = next[p];
      for (Link link = links_.first[p], end = links_.first[p + 1]; link < end; ++link) {
        const Price rest = next[to[link]] + price[link];
        best = rest < best ? rest : best;
      }
      now[p] = best;
    }
  }
  if (cost_[source] >= never) return false;
  packet.way.clear();
  starts.clear();
  std::uint32_t p = source;
  for (std::uint32_t t = 0; t < steps_ && p != target; ++t) {
    const Price here = cost_[t * n + p];
    const Price* next = &cost_[(t + 1) * n];
    if (next[p] <= here) continue;
    Link link = links_.first[p];
    while (next[links_.to[link]] + prices[t * links_.size() + link] != here) ++link;
    packet.way.push_back(link);
    starts.push_back(t);
    p = links_.to[link];
  }
  return true;
}

namespace {

constexpr std::uint64_t seats_patience = 100;

// A seat is (step, link), a place for one. Waiting is free.
class Seats {
 public:
  Seats(const LinkTable& links, std::vector<Packet>& packets, std::uint32_t steps)
      : links_(links),
        packets_(packets),
        steps_(steps),
        seats_(std::vector<std::uint16_t>(steps * links.size(), 1),
               {.rounds = std::numeric_limits<int>::max(), .patience = seats_patience}),
        ways_(links, steps),
        starts_(packets.size()) {}

  bool run(const Timetable& before, std::uint64_t searches) {
    // Those who are in time keep their seats to begin with.
    std::vector<std::size_t> movers;
    std::vector<search::Way> ways;
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      if (packets_[i].way.empty()) continue;
      movers.push_back(i);
      ways.emplace_back();
      if (before.starts[i].back() >= steps_) continue;
      starts_[i] = before.starts[i];
      ways.back() = seats_of(i);
    }
    return seats_.run(
        ways, [](auto&) {},
        [&](std::size_t m, search::Way& way) {
          const std::size_t i = movers[m];
          if (searches-- == 0 || !ways_.find(seats_.prices(0), packets_[i], starts_[i]))
            return false;
          way = seats_of(i);
          return true;
        });
  }

  std::vector<std::vector<std::uint32_t>> take_starts() { return std::move(starts_); }

 private:
  std::size_t seat(std::uint32_t t, Link link) const { return t * links_.size() + link; }

  search::Way seats_of(std::size_t i) const {
    search::Way way;
    for (std::size_t h = 0; h < starts_[i].size(); ++h)
      way.push_back(static_cast<std::uint32_t>(seat(starts_[i][h], packets_[i].way[h])));
    return way;
  }

  const LinkTable& links_;
  std::vector<Packet>& packets_;
  std::uint32_t steps_;
  search::Negotiation seats_;
  TimedWays ways_;
  std::vector<std::vector<std::uint32_t>> starts_;
};

}  // namespace

bool negotiate_seats(const LinkTable& links, std::vector<Packet>& packets, Timetable& times,
                     std::uint32_t steps, std::uint64_t searches) {
  std::vector<Packet> moved = packets;
  Seats seats(links, moved, steps);
  if (!seats.run(times, searches)) return false;
  packets = std::move(moved);
  times = {seats.take_starts(), steps};
  return true;
}

}  // namespace faro::inline v1::links
