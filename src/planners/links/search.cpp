#include "planners/links/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "base/check.hpp"
#include "base/working.hpp"
#include "planners/node_slots.hpp"

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

namespace {

constexpr std::uint64_t seats_patience = 100;

// For search::StepwiseWays: states are processors.
struct Steps {
  const LinkTable& links;
  const Price* prices;
  const std::uint32_t* from_source;
  const std::uint32_t* distance;  // from p times q
  std::size_t target;
  std::size_t steps;
  std::size_t farthest;

  struct Step {
    const Steps& all;
    const Link* links;
    const std::uint32_t* ends;
    const Price* prices;
    std::size_t t;
    bool near_an_end;

    bool reaches(std::size_t p) const {
      return !near_an_end ||
             (all.from_source[p] <= t &&
              all.distance[p * all.links.processors() + all.target] <= all.steps - t);
    }
    static Price rest(std::size_t) { return 0; }
    static std::optional<std::size_t> rests(std::size_t) { return {}; }
    std::size_t first(std::size_t p) const { return links[p]; }
    std::size_t end(std::size_t p) const { return links[p + 1]; }
    std::size_t to(std::size_t link) const { return ends[link]; }
    Price price(std::size_t link) const { return prices[link]; }
    static std::size_t channel(std::size_t link) { return link; }
  };
  Step in_step(std::size_t t) const {
    return {*this,
            links.first.data(),
            links.to.data(),
            prices + t * links.size(),
            t,
            t < farthest || steps - t < farthest};
  }
};

}  // namespace

TimedWays::TimedWays(const LinkTable& links, std::uint32_t steps)
    : links_(links), steps_(steps), finder_(links.processors(), steps) {
  for (Word p = 0; p < links.processors(); ++p) {
    const std::vector<std::uint32_t> from_p = links.distances_from(p);
    distance_.insert(distance_.end(), from_p.begin(), from_p.end());
  }
  farthest_ = *std::max_element(distance_.begin(), distance_.end());
}

bool TimedWays::find(const Price* prices, const Packet& packet, search::Way& way) {
  still_working();
  const Word source = packet.move.from_processor;
  const auto target = static_cast<std::size_t>(packet.move.to_processor);
  const Steps machine{links_,           prices, &distance_[source * links_.processors()],
                      distance_.data(), target, steps_,
                      farthest_};
  return finder_.find(machine, source, target, way);
}

std::vector<Move> moves_of(const Request& request) {
  std::vector<Move> moves;
  const std::vector<Word>& to = request.destinations();
  const int m = to.empty() && request.map().cut ? request.map().memory_bits : 0;
  const Word processors = to.empty() ? bit(request.map().map.width() - m) : to.size();
  for (Word p = 0; p < processors; ++p)
    for (Slot slot = 0; slot < request.elements(); ++slot) {
      const Word at = !to.empty() ? to[p] << m : request.map().map(m == 0 ? p : p << m | slot);
      moves.push_back({p, slot, at >> m, m == 0 ? slot : static_cast<Slot>(at & low_mask(m))});
    }
  return moves;
}

ListedSteps listed(const Request& request, const LinkTable& links,
                   const std::vector<Packet>& packets, const Timetable& times, OwnSlots own) {
  struct Crossing {
    std::size_t packet;
    Link link;
    Slot wanted;
  };
  std::vector<std::vector<Crossing>> crossings(times.steps);
  std::vector<std::pair<Word, Slot>> at;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    at.emplace_back(packets[i].move.from_processor, packets[i].move.from_slot);
    for (std::size_t h = 0; h < times.starts[i].size(); ++h) {
      const bool wants = own == OwnSlots::everywhere || h + 1 == packets[i].way.size();
      crossings[times.starts[i][h]].push_back(
          {i, packets[i].way[h], wants ? packets[i].move.to_slot : NodeSlots::any});
    }
  }
  const auto first = own == OwnSlots::everywhere ? NodeSlots::First::own : NodeSlots::First::nobody;
  NodeSlots slots(links.processors(), request.elements());
  ListedSteps listed;
  std::vector<NodeSlots::Hop> hops;
  for (const std::vector<Crossing>& now : crossings) {
    still_working();
    hops.clear();
    for (const Crossing& c : now)
      hops.push_back({at[c.packet].first, at[c.packet].second, links.to[c.link], c.wanted});
    std::vector<Move>& moves = listed.steps.emplace_back().moves;
    const auto arrive = [&](std::size_t k, Slot slot) {
      moves.push_back({hops[k].from, hops[k].slot, hops[k].to, slot});
      at[now[k].packet] = {hops[k].to, slot};
    };
    slots.hop(hops, arrive, first);
  }
  std::vector<Move>& home = listed.steps.emplace_back().moves;
  for (std::size_t i = 0; i < packets.size(); ++i)
    if (at[i].second != packets[i].move.to_slot)
      home.push_back({at[i].first, at[i].second, at[i].first, packets[i].move.to_slot});
  for (const Move& move : moves_of(request))
    if (move.from_processor == move.to_processor && move.from_slot != move.to_slot)
      home.push_back(move);
  listed.slots = slots.slots();
  return listed;
}

std::vector<search::Way> timed_ways(const std::vector<Packet>& packets, const Timetable& times) {
  std::vector<search::Way> ways(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i)
    for (std::size_t h = 0; h < packets[i].way.size(); ++h)
      ways[i].push_back({times.starts[i][h], packets[i].way[h]});
  return ways;
}

void keep(const std::vector<search::Way>& ways, std::uint32_t steps, std::vector<Packet>& packets,
          Timetable& times) {
  for (std::size_t i = 0; i < packets.size(); ++i) {
    packets[i].way.clear();
    times.starts[i].clear();
    for (const search::Place at : ways[i]) {
      packets[i].way.push_back(at.channel);
      times.starts[i].push_back(at.step);
    }
  }
  times.steps = steps;
}

// A link has room for one in every step. Those who are in time keep their seats to begin with.
bool negotiate_seats(const LinkTable& links, std::vector<Packet>& packets, Timetable& times,
                     std::uint32_t steps, std::uint64_t searches) {
  search::Router seats(std::vector<std::uint16_t>(links.size(), 1), steps,
                       search::Router::Beside::channels, {.rounds = {.patience = seats_patience}});
  TimedWays finder(links, steps);
  std::vector<search::Way> ways = timed_ways(packets, times);
  const bool found = seats.run(
      ways, [](auto&) {},
      [&](std::size_t i, search::Way& way) {
        return searches-- != 0 && finder.find(seats.prices({}), packets[i], way);
      });
  if (found) keep(ways, steps, packets, times);
  return found;
}

}  // namespace faro::inline v1::links
