#include "planners/pops/load_search.hpp"

#include <algorithm>

namespace faro::inline v1::pops {
namespace {

constexpr std::uint64_t samples = 6;  // data of a bad coupler that are tried for re-routing
// A move that adds excess is made one time in so many: where couplers are nearly full, more often
// drifts away, never gets stuck.
constexpr std::uint64_t worsening_one_in = 1000;
// The harm of what may not be a relay: more than any real one, and twice it fits a byte.
constexpr int never = 100;

}  // namespace

LoadSearch::LoadSearch(const PopsDemand& demand, std::uint32_t k, std::uint64_t seed)
    : g_(static_cast<std::uint32_t>(demand.groups())),
      k_(static_cast<Int>(k)),
      random_(seed * 0x9e3779b9U + k),
      load_(std::size_t{g_} * g_),
      first_harm_(load_.size()),
      second_harm_(load_.size()),
      first_room_(load_.size()),
      second_room_(load_.size()),
      where_bad_(load_.size(), 0) {
  routes_.reserve(static_cast<std::size_t>(demand.total()));
  for (std::uint32_t i = 0; i < g_; ++i)
    for (std::uint32_t j = 0; j < g_; ++j) {
      const auto data = static_cast<std::size_t>(demand(i, j));
      begin_.push_back(static_cast<std::uint32_t>(routes_.size()));
      for (std::size_t u = 0; u < data; ++u) routes_.push_back({i, j, straight});
      load_[at(i, j)].direct = static_cast<Int>(data);
      update(i, j);
    }
  begin_.push_back(static_cast<std::uint32_t>(routes_.size()));
}

void LoadSearch::follow_twice(const std::vector<Route>& routes) {
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (const Route& route : routes)
    for (int twice = 0; twice < 2; ++twice)
      reroute(routes_[next[at(route.from, route.to)]++], route.over);
}

void LoadSearch::relieve() {
  std::vector<std::uint32_t> over;
  for (std::uint32_t c = 0; c < load_.size(); ++c)
    if (load_[c].all() > k_) over.push_back(c);
  random_.mix(over);
  std::vector<std::uint32_t> end(begin_.begin() + 1, begin_.end());  // of what may be straight
  std::uint32_t turn = 0;
  while (!over.empty())
    std::erase_if(over, [&](std::uint32_t c) {
      if (load_[c].all() <= k_) return true;
      while (end[c] > begin_[c] && routes_[end[c] - 1].over != straight) --end[c];
      if (end[c] == begin_[c]) return true;
      Route& route = routes_[end[c] - 1];
      const std::uint32_t x = roomiest(route.from, route.to, turn);
      if (x == straight) return true;
      turn = x + 1 < g_ ? x + 1 : 0;
      reroute(route, x);
      return false;
    });
}

bool LoadSearch::solve(std::uint64_t moves, std::uint64_t patience) {
  crossing_.resize(load_.size());
  places_.resize(routes_.size());
  for (std::uint32_t c = 0; c < load_.size(); ++c)
    crossing_[c].reserve(static_cast<std::size_t>(load_[c].all()) + 8);
  for (std::uint32_t r = 0; r < routes_.size(); ++r) list(r);
  for (std::uint32_t c = 0; c < load_.size(); ++c) note(c);
  std::size_t fewest = bad_.size();
  std::uint64_t since = 0;
  for (; moves_ < moves && !bad_.empty() && since < patience; ++moves_) {
    step(moves_);
    since = bad_.size() < fewest ? 0 : since + 1;
    fewest = std::min(fewest, bad_.size());
  }
  return bad_.empty();
}

LoadSearch::Int LoadSearch::excess_of(const Load& l) const {
  return std::max(0, l.all() - k_) + std::max(0, l.first - (k_ - 1)) +
         std::max(0, l.second - (k_ - 1));
}

// What one more hop of either kind would do, after the load has changed.
void LoadSearch::update(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t c = at(from, to);
  const std::uint32_t turned = at(to, from);
  const Load& l = load_[c];
  if (from == to) {  // no relay is the group itself
    first_harm_[c] = second_harm_[c] = static_cast<std::uint8_t>(never);
    first_room_[c] = second_room_[c] = 0;
    return;
  }
  const Int left = k_ - l.all();
  const Int firsts = k_ - 1 - l.first;
  const Int seconds = k_ - 1 - l.second;
  const auto byte = [](Int room) { return static_cast<std::uint8_t>(std::clamp(room, 0, 255)); };
  first_harm_[c] = static_cast<std::uint8_t>((left <= 0) + (firsts <= 0));
  second_harm_[turned] = static_cast<std::uint8_t>((left <= 0) + (seconds <= 0));
  first_room_[c] = byte(std::min(left, firsts));
  second_room_[turned] = byte(std::min(left, seconds));
}

// Loads one datum more, or one less, along a route.
void LoadSearch::load(const Route& route, Int by) {
  if (route.over == straight) {
    load_[at(route.from, route.to)].direct += by;
    update(route.from, route.to);
    return;
  }
  load_[at(route.from, route.over)].first += by;
  load_[at(route.over, route.to)].second += by;
  update(route.from, route.over);
  update(route.over, route.to);
}

// Lists datum r at the couplers of its route.
void LoadSearch::list(std::uint32_t r) {
  const Route& route = routes_[r];
  const auto append = [&](std::uint32_t c) {
    crossing_[c].push_back(r);
    return static_cast<std::uint32_t>(crossing_[c].size() - 1);
  };
  if (route.over == straight) {
    places_[r].first = append(at(route.from, route.to));
    return;
  }
  places_[r].first = append(at(route.from, route.over));
  places_[r].second = append(at(route.over, route.to));
}

void LoadSearch::unlist(std::uint32_t r) {
  const Route& route = routes_[r];
  const auto remove = [&](std::uint32_t c, std::uint32_t place) {
    const std::uint32_t last = crossing_[c].back();
    crossing_[c][place] = last;
    crossing_[c].pop_back();
    const bool second =
        routes_[last].over != straight && routes_[last].from * g_ + routes_[last].over != c;
    (second ? places_[last].second : places_[last].first) = place;
  };
  if (route.over == straight) {
    remove(at(route.from, route.to), places_[r].first);
    return;
  }
  remove(at(route.from, route.over), places_[r].first);
  remove(at(route.over, route.to), places_[r].second);
}

void LoadSearch::reroute(Route& route, std::uint32_t over) {
  load(route, -1);
  route.over = over;
  load(route, 1);
}

// The relay group with most room on both its couplers, the first from `turn` on; `straight` if none
// has any.
std::uint32_t LoadSearch::roomiest(std::uint32_t from, std::uint32_t to, std::uint32_t turn) const {
  const std::uint8_t* first = first_room_.data() + at(from, 0);
  const std::uint8_t* second = second_room_.data() + at(to, 0);
  std::uint8_t most = 0;
  for (std::uint32_t x = 0; x < g_; ++x) most = std::max(most, std::min(first[x], second[x]));
  if (most == 0) return straight;
  std::uint32_t x = turn;
  while (std::min(first[x], second[x]) != most) x = x + 1 < g_ ? x + 1 : 0;
  return x;
}

// Keeps the list of bad couplers: where_bad_ is the place in it, plus 1.
void LoadSearch::note(std::uint32_t c) {
  const bool is_bad = excess_of(load_[c]) > 0;
  std::uint32_t& where = where_bad_[c];
  if (is_bad && where == 0) {
    bad_.push_back(c);
    where = static_cast<std::uint32_t>(bad_.size());
  } else if (!is_bad && where != 0) {
    bad_[where - 1] = bad_.back();
    where_bad_[bad_.back()] = where;
    bad_.pop_back();
    where = 0;
  }
}

// What one more datum along the route would add to the excess.
int LoadSearch::harm_of(const Route& route) const {
  if (route.over == straight) return load_[at(route.from, route.to)].all() >= k_ ? 1 : 0;
  return first_harm_[at(route.from, route.over)] + second_harm_[at(route.to, route.over)];
}

// All routes of a datum that is taken off its couplers.
LoadSearch::Choice LoadSearch::look(const Route& route) const {
  const std::uint8_t* first = first_harm_.data() + at(route.from, 0);
  const std::uint8_t* second = second_harm_.data() + at(route.to, 0);
  std::uint8_t least = 2 * never;
  for (std::uint32_t x = 0; x < g_; ++x)
    least = std::min(least, static_cast<std::uint8_t>(first[x] + second[x]));
  std::uint32_t ties = 0;
  if (least < never)
    for (std::uint32_t x = 0; x < g_; ++x)
      ties += static_cast<std::uint8_t>(first[x] + second[x]) == least;
  Choice choice{least, ties, false};
  if (straight_barred_) return choice;
  const std::uint32_t direct = load_[at(route.from, route.to)].all() >= k_;
  if (direct < choice.harm) choice = {direct, 0, false};
  if (direct == choice.harm) {
    ++choice.ties;
    choice.may_go_straight = true;
  }
  return choice;
}

// One of the ties, at random.
std::uint32_t LoadSearch::pick(const Route& route, const Choice& choice) {
  std::uint64_t number = random_.below(choice.ties);
  if (choice.may_go_straight && number-- == 0) return straight;
  const std::uint8_t* first = first_harm_.data() + at(route.from, 0);
  const std::uint8_t* second = second_harm_.data() + at(route.to, 0);
  std::uint32_t x = 0;
  while (first[x] + second[x] != static_cast<int>(choice.harm) || number-- > 0) ++x;
  return x;
}

// Takes a route's own relay and those that are tabu for its pair out of the tables.
void LoadSearch::bar(const Route& route, std::uint64_t move) {
  straight_barred_ = false;
  const auto out = [&](std::uint32_t x) {
    if (x == straight) {
      straight_barred_ = true;
      return;
    }
    std::uint8_t& harm = first_harm_[at(route.from, x)];
    barred_.emplace_back(at(route.from, x), harm);
    harm = never;
  };
  out(route.over);
  for (const Tabu& t : tabu_)
    if (t.until > move && t.route.from == route.from && t.route.to == route.to) out(t.route.over);
}

void LoadSearch::unbar() {
  for (; !barred_.empty(); barred_.pop_back())
    first_harm_[barred_.back().first] = barred_.back().second;
}

void LoadSearch::step(std::uint64_t move) {
  std::erase_if(tabu_, [move](const Tabu& t) { return t.until <= move; });
  const std::vector<std::uint32_t>& crossing = crossing_[bad_[random_.below(bad_.size())]];
  int least = never;
  std::uint64_t ties = 0;
  std::uint32_t datum = 0;
  std::uint32_t over = straight;
  for (std::uint64_t s = 0; s < samples; ++s) {
    const std::uint32_t r = crossing[random_.below(crossing.size())];
    const Route& route = routes_[r];
    load(route, -1);
    const int relief = harm_of(route);
    bar(route, move);
    const Choice choice = look(route);
    const int change = static_cast<int>(choice.harm) - relief;
    if (change < least) ties = 0;
    if (change <= least && choice.harm < never) {
      least = change;
      ties += choice.ties;
      if (random_.below(ties) < choice.ties) {
        datum = r;
        over = pick(route, choice);
      }
    }
    unbar();
    load(route, 1);
  }
  if (ties == 0 || (least > 0 && random_.below(worsening_one_in) != 0)) return;
  const Route old = routes_[datum];
  tabu_.push_back({old, move + tabu_min + random_.below(tabu_range)});
  unlist(datum);
  reroute(routes_[datum], over);
  list(datum);
  for (const Route& route : {old, routes_[datum]}) {
    if (route.over == straight) {
      note(at(route.from, route.to));
    } else {
      note(at(route.from, route.over));
      note(at(route.over, route.to));
    }
  }
}

}  // namespace faro::inline v1::pops
