#include "planners/pops/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/working.hpp"
#include "faro/base/limits.hpp"
#include "machines/pops/model.hpp"
#include "search/colouring.hpp"

namespace faro::inline v1::pops {
namespace {

using search::Edge;
using search::edge_colours;
using search::largest_degree;

constexpr int attempts = 24;     // with data of every pair shuffled anew
constexpr int exchanges = 4000;  // of the routes of two data of a pair, before relays are placed
constexpr std::uint32_t free_mark = ~std::uint32_t{0};
constexpr std::uint32_t own_mark = free_mark - 1;  // the processor's own datum

struct Timed {
  Route route;
  std::uint32_t first = 0;
  std::uint32_t second = 0;  // the slot of arrival at the destination; first where straight
};

// For data of one coupler in ascending colour: their ranks.
void rank(std::vector<std::pair<std::uint32_t, std::uint32_t>>& colour_and_datum,
          const auto& assign) {
  std::sort(colour_and_datum.begin(), colour_and_datum.end());
  for (std::uint32_t r = 0; r < colour_and_datum.size(); ++r) assign(colour_and_datum[r].second, r);
}

// The slots of all routes.
std::vector<Timed> timed(const std::vector<Route>& routes, std::uint32_t g, std::uint32_t k) {
  std::vector<Timed> all(routes.size());
  std::vector<std::vector<std::uint32_t>> over(g);
  std::vector<std::uint32_t> firsts(std::size_t{g} * g, 0);
  for (std::uint32_t r = 0; r < routes.size(); ++r) {
    all[r].route = routes[r];
    if (routes[r].over == straight) continue;
    over[routes[r].over].push_back(r);
    ++firsts[std::size_t{routes[r].from} * g + routes[r].over];
  }
  using List = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  for (const auto& data : over) {
    std::vector<Edge> edges;
    for (const std::uint32_t r : data) edges.push_back({routes[r].from, routes[r].to});
    const std::uint32_t degree = largest_degree(edges, g);
    FARO_CHECK(degree < k);
    const auto colours = edge_colours(edges, g, degree);
    std::vector<List> there(g);
    std::vector<List> home(g);
    for (std::size_t e = 0; e < data.size(); ++e) {
      there[routes[data[e]].from].emplace_back(colours[e], data[e]);
      home[routes[data[e]].to].emplace_back(colours[e], data[e]);
    }
    for (std::uint32_t v = 0; v < g; ++v) {
      rank(there[v], [&](std::uint32_t r, std::uint32_t at) { all[r].first = at; });
      const auto last = static_cast<std::uint32_t>(home[v].size());
      rank(home[v], [&](std::uint32_t r, std::uint32_t at) { all[r].second = k - last + at; });
    }
  }
  for (Timed& t : all)
    if (t.route.over == straight)
      t.first = t.second = firsts[std::size_t{t.route.from} * g + t.route.to]++;
  return all;
}

class Placement {
 public:
  Placement(const Pops& machine, const std::vector<Word>& to, const std::vector<Timed>& routes,
            std::uint32_t k, std::uint64_t seed)
      : machine_(machine),
        to_(to),
        d_(static_cast<std::uint32_t>(machine.group_size)),
        g_(static_cast<std::uint32_t>(machine.groups)),
        k_(k),
        random_(seed + 1),
        routes_(routes) {
    std::vector<std::pair<std::uint64_t, Word>> data;
    for (Word p = 0; p < to.size(); ++p)
      if (to[p] != p) data.emplace_back(group_of(machine, p) * g_ + group_of(machine, to[p]), p);
    std::sort(data.begin(), data.end());
    for (const auto& [pair, p] : data) source_.push_back(p);
    std::sort(routes_.begin(), routes_.end(), [](const Timed& a, const Timed& b) {
      return std::tuple(a.route.from, a.route.to, a.route.over, a.first, a.second) <
             std::tuple(b.route.from, b.route.to, b.route.over, b.first, b.second);
    });
    FARO_CHECK(source_.size() == routes_.size());
    for (std::size_t r = 0; r < routes_.size(); ++r)
      if (r == 0 || routes_[r - 1].route.from != routes_[r].route.from ||
          routes_[r - 1].route.to != routes_[r].route.to)
        pairs_.push_back(r);
    pairs_.push_back(routes_.size());
  }

  std::optional<std::vector<Packet>> find() {
    const bool roomy = d_ >= 2 * g_ - 1;
    for (int attempt = 0; attempt < (roomy ? 1 : attempts); ++attempt) {
      shuffle();
      if (!roomy) exchange();
      if (place_all()) return packets();
    }
    return std::nullopt;
  }

 private:
  // Which datum of a pair takes which route: routes_[r] belongs to source_[r].
  void shuffle() {
    for (std::size_t p = 0; p + 1 < pairs_.size(); ++p)
      for (std::size_t size = pairs_[p + 1] - pairs_[p]; size > 1; --size)
        std::swap(source_[pairs_[p] + size - 1], source_[pairs_[p] + random_.below(size)]);
  }

  // Relays of group x with slots (t1, t2) need as many processors as there are of them, besides
  // those that get their own datum in t1 or whose own datum leaves in t2. Exchanging two data of a
  // pair makes these two sets overlap.
  struct Room {
    std::vector<std::uint32_t> relays;  // by t1, t2
    std::vector<std::uint32_t> own;     // processors by arrival t1 and departure t2; k: none
    std::uint64_t lacking = 0;
  };

  std::uint64_t lacking(const Room& room) const {
    std::uint64_t sum = 0;
    std::vector<std::uint32_t> in(k_, 0);
    std::vector<std::uint32_t> out(k_, 0);
    std::vector<std::uint32_t> arrive(k_ + 1, 0);
    std::vector<std::uint32_t> depart(k_ + 1, 0);
    for (std::uint32_t a = 0; a <= k_; ++a)
      for (std::uint32_t b = 0; b <= k_; ++b) {
        if (a < k_ && b < k_) in[a] += room.relays[a * k_ + b], out[b] += room.relays[a * k_ + b];
        arrive[a] += room.own[a * (k_ + 1) + b];
        depart[b] += room.own[a * (k_ + 1) + b];
      }
    for (std::uint32_t a = 0; a < k_; ++a)
      for (std::uint32_t b = a + 1; b < k_; ++b) {
        if (room.relays[a * k_ + b] == 0) continue;
        const std::uint64_t need = std::uint64_t{arrive[a]} + depart[b] -
                                   room.own[a * (k_ + 1) + b] + std::max(in[a], out[b]);
        if (need > d_) sum += need - d_;
      }
    return sum;
  }

  void times_of_processors() {
    arrival_.assign(to_.size(), k_);
    departure_.assign(to_.size(), k_);
    for (std::size_t r = 0; r < routes_.size(); ++r) {
      departure_[source_[r]] = routes_[r].first;
      arrival_[to_[source_[r]]] = routes_[r].second;
    }
  }

  void exchange() {
    times_of_processors();
    std::vector<Room> rooms(g_);
    for (Room& room : rooms) {
      room.relays.assign(std::size_t{k_} * k_, 0);
      room.own.assign((std::size_t{k_} + 1) * (k_ + 1), 0);
    }
    for (const Timed& t : routes_)
      if (t.route.over != straight) ++rooms[t.route.over].relays[t.first * k_ + t.second];
    const auto own = [&](Word p) -> std::uint32_t& {
      return rooms[p / d_].own[arrival_[p] * (k_ + 1) + departure_[p]];
    };
    for (Word p = 0; p < to_.size(); ++p) ++own(p);
    std::uint64_t total = 0;
    for (Room& room : rooms) total += room.lacking = lacking(room);
    if (source_.empty()) return;
    for (int e = 0; e < exchanges && total > 0; ++e) {
      const std::size_t a = random_.below(source_.size());
      const auto pair = std::upper_bound(pairs_.begin(), pairs_.end(), a);
      const std::size_t begin = *(pair - 1);
      const std::size_t b = begin + random_.below(*pair - begin);
      if (routes_[a].first == routes_[b].first && routes_[a].second == routes_[b].second) continue;
      const auto swap_times = [&] {
        for (const Word p : {source_[a], source_[b]}) --own(p);
        std::swap(departure_[source_[a]], departure_[source_[b]]);
        for (const Word p : {source_[a], source_[b]}) ++own(p);
        for (const Word p : {to_[source_[a]], to_[source_[b]]}) --own(p);
        std::swap(arrival_[to_[source_[a]]], arrival_[to_[source_[b]]]);
        for (const Word p : {to_[source_[a]], to_[source_[b]]}) ++own(p);
      };
      Room& from = rooms[routes_[a].route.from];
      Room& home = rooms[routes_[a].route.to];
      swap_times();
      const std::uint64_t from_now = lacking(from);
      const std::uint64_t home_now = lacking(home);
      const bool same = &from == &home;
      const std::uint64_t before = from.lacking + (same ? 0 : home.lacking);
      const std::uint64_t after = from_now + (same ? 0 : home_now);
      if (after > before) {
        swap_times();
        continue;
      }
      total = total - before + after;
      from.lacking = from_now;
      home.lacking = home_now;
      std::swap(source_[a], source_[b]);
    }
  }

  bool place_all() {
    times_of_processors();
    local_.assign(routes_.size(), 0);
    std::vector<std::vector<std::size_t>> by_group(g_);
    for (std::size_t r = 0; r < routes_.size(); ++r)
      if (routes_[r].route.over != straight) by_group[routes_[r].route.over].push_back(r);
    for (std::uint32_t x = 0; x < g_; ++x)
      if (!by_group[x].empty() && !place_group(x, by_group[x])) return false;
    return true;
  }

  // receives_[t·d + l]: the relayed datum that processor l of the group receives in slot t.
  bool place_group(std::uint32_t x, const std::vector<std::size_t>& data) {
    still_working();
    receives_.assign(std::size_t{k_} * d_, free_mark);
    sends_.assign(std::size_t{k_} * d_, free_mark);
    for (std::uint32_t l = 0; l < d_; ++l) {
      const Word p = Word{x} * d_ + l;
      if (arrival_[p] < k_) receives_[arrival_[p] * std::size_t{d_} + l] = own_mark;
      if (departure_[p] < k_) sends_[departure_[p] * std::size_t{d_} + l] = own_mark;
    }
    std::uint32_t start = 0;
    for (const std::size_t r : data) {
      const std::size_t in = std::size_t{routes_[r].first} * d_;
      const std::size_t out = std::size_t{routes_[r].second} * d_;
      std::uint32_t found = d_;
      for (std::uint32_t step = 0; step < d_ && found == d_; ++step) {
        const std::uint32_t l = start + step < d_ ? start + step : start + step - d_;
        if (receives_[in + l] == free_mark && sends_[out + l] == free_mark) found = l;
      }
      if (found == d_) found = make_room(in, out);
      if (found == d_) return false;
      put(r, found);
      start = found + 1 < d_ ? found + 1 : 0;
    }
    return true;
  }

  void put(std::size_t r, std::uint32_t l) {
    local_[r] = l;
    receives_[std::size_t{routes_[r].first} * d_ + l] = static_cast<std::uint32_t>(r);
    sends_[std::size_t{routes_[r].second} * d_ + l] = static_cast<std::uint32_t>(r);
  }

  // Some index b that only receives in the first slot is freed by exchanging relayed data with an
  // index a that only sends in the second, along the chain that starts there.
  std::uint32_t make_room(std::size_t in, std::size_t out) {
    for (std::uint32_t b = 0; b < d_; ++b) {
      if (sends_[out + b] != free_mark || receives_[in + b] == own_mark) continue;
      for (std::uint32_t a = 0; a < d_; ++a)
        if (receives_[in + a] == free_mark && exchange_chain(a, b, receives_[in + b])) return b;
    }
    return d_;
  }

  bool exchange_chain(std::uint32_t a, std::uint32_t b, std::uint32_t start) {
    std::vector<std::uint32_t> to_a{start};
    std::vector<std::uint32_t> to_b;
    for (;;) {
      const std::uint32_t hit = sends_[std::size_t{routes_[to_a.back()].second} * d_ + a];
      if (hit == own_mark) return false;
      if (hit == free_mark) break;
      to_b.push_back(hit);
      const std::uint32_t next = receives_[std::size_t{routes_[hit].first} * d_ + b];
      if (next == own_mark) return false;
      if (next == free_mark) break;
      to_a.push_back(next);
    }
    const auto clear = [&](const std::vector<std::uint32_t>& data) {
      for (const std::uint32_t r : data) {
        receives_[std::size_t{routes_[r].first} * d_ + local_[r]] = free_mark;
        sends_[std::size_t{routes_[r].second} * d_ + local_[r]] = free_mark;
      }
    };
    clear(to_a);
    clear(to_b);
    for (const std::uint32_t r : to_a) put(r, a);
    for (const std::uint32_t r : to_b) put(r, b);
    return true;
  }

  std::vector<Packet> packets() const {
    std::vector<Packet> all;
    for (std::size_t r = 0; r < routes_.size(); ++r) {
      Packet p;
      p.from = source_[r];
      p.to = to_[source_[r]];
      p.first = routes_[r].first;
      if (routes_[r].route.over != straight) {
        p.relay = Word{routes_[r].route.over} * machine_.group_size + local_[r];
        p.second = routes_[r].second;
      }
      all.push_back(p);
    }
    return all;
  }

  Pops machine_;
  const std::vector<Word>& to_;
  std::uint32_t d_;
  std::uint32_t g_;
  std::uint32_t k_;
  Random random_;
  std::vector<Timed> routes_;
  std::vector<Word> source_;
  std::vector<std::size_t> pairs_;  // where the data of a pair of groups begin
  std::vector<std::uint32_t> arrival_;
  std::vector<std::uint32_t> departure_;
  std::vector<std::uint32_t> local_;
  std::vector<std::uint32_t> receives_;
  std::vector<std::uint32_t> sends_;
};

}  // namespace

std::optional<std::string> too_large(const Pops& machine, Count slots) {
  const Count cells = std::max<Count>(machine.group_size, slots) * slots;
  if (cells <= limits::pops_cells_max) return std::nullopt;
  return fmt::format(
      "{} slots of groups of {} processors: a table of {} cells, and the limit is {}",
      to_string(slots), machine.group_size, to_string(cells), limits::pops_cells_max);
}

std::optional<std::vector<Packet>> place(const Pops& machine, const std::vector<Word>& to,
                                         const std::vector<Route>& routes, std::uint32_t k,
                                         std::uint64_t seed) {
  if (too_large(machine, k)) return std::nullopt;
  const auto slots = timed(routes, static_cast<std::uint32_t>(machine.groups), k);
  return Placement(machine, to, slots, k, seed).find();
}

}  // namespace faro::inline v1::pops
