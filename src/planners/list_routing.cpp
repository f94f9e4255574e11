// List scheduling over chosen paths.   [faro]
//   applies:  destinations of all processors of a cube of at most 10 dimensions, any ports
//   cost:     counted; on random permutations a few steps above the bound      (tested n <= 7)
//   bound:    distance and crossings of each dimension, machines/bounds
#include "faro/planners/list_routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "faro/base/check.hpp"
#include "faro/base/limits.hpp"
#include "faro/planners/cube_request.hpp"
#include "faro/planners/node_slots.hpp"

namespace faro {
namespace {

using Path = std::vector<std::uint8_t>;  // dimensions in the order of crossing

enum class Detours { none, one };

// How many elements cross each link so far.
class Loads {
 public:
  explicit Loads(int dimensions) : n_(static_cast<std::size_t>(dimensions)), load_(n_ << n_) {}

  void add(Word from, const Path& path) { change(from, path, 1); }
  void remove(Word from, const Path& path) { change(from, path, -1); }

  // What one more element on a link costs: exact, and steep enough to fill the emptiest first.
  std::uint64_t price(Word from, int dimension) const {
    constexpr std::int32_t load_max = 8191;  // its fourth power, 16 times, fits a word
    const std::int32_t load = load_[from * n_ + static_cast<std::size_t>(dimension)] + 1;
    const auto l = static_cast<std::uint64_t>(std::min(load, load_max));
    return l * l * l * l;
  }

 private:
  void change(Word from, const Path& path, std::int32_t by) {
    for (const std::uint8_t d : path) {
      load_[from * n_ + d] += by;
      from ^= bit(d);
    }
  }

  std::size_t n_;
  std::vector<std::int32_t> load_;
};

// Finds cheapest paths through the subcube of the dimensions that must be crossed.
class PathFinder {
 public:
  PathFinder(int dimensions, const Loads& loads) : n_(dimensions), loads_(loads) {}

  Path cheapest(Word from, Word to, Detours detours) {
    std::uint64_t best = 0;
    Path path = inside_subcube(from, from ^ to, best);
    if (detours == Detours::none || from == to) return path;
    for (int e = 0; e < n_; ++e) {
      if (has_bit(from ^ to, e)) continue;
      std::uint64_t price = loads_.price(from, e) + loads_.price(to ^ bit(e), e);
      if (price >= best) continue;
      std::uint64_t middle = 0;
      const Path around = inside_subcube(from ^ bit(e), from ^ to, middle);
      price += middle;
      if (price >= best) continue;
      best = price;
      path.assign(1, static_cast<std::uint8_t>(e));
      path.insert(path.end(), around.begin(), around.end());
      path.push_back(static_cast<std::uint8_t>(e));
    }
    return path;
  }

 private:
  // Every order of the dimensions in `crossed`, by dynamic programming over the subsets crossed.
  Path inside_subcube(Word from, Word crossed, std::uint64_t& price) {
    std::vector<int> dimensions;
    for (Word rest = crossed; rest != 0; rest &= rest - 1) dimensions.push_back(lowest_bit(rest));
    const std::size_t subsets = std::size_t{1} << dimensions.size();
    price_.assign(subsets, std::numeric_limits<std::uint64_t>::max());
    place_.assign(subsets, from);
    last_.assign(subsets, 0);
    price_[0] = 0;
    for (std::size_t s = 0; s < subsets; ++s)
      for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (has_bit(s, static_cast<int>(i))) continue;
        const std::size_t next = s | (std::size_t{1} << i);
        place_[next] = place_[s] ^ bit(dimensions[i]);
        const std::uint64_t p = price_[s] + loads_.price(place_[s], dimensions[i]);
        if (p >= price_[next]) continue;
        price_[next] = p;
        last_[next] = static_cast<std::uint8_t>(i);
      }
    price = price_.back();
    Path path;
    for (std::size_t s = subsets - 1; s != 0; s ^= std::size_t{1} << last_[s])
      path.push_back(static_cast<std::uint8_t>(dimensions[last_[s]]));
    std::reverse(path.begin(), path.end());
    return path;
  }

  int n_;
  const Loads& loads_;
  std::vector<std::uint64_t> price_;
  std::vector<Word> place_;
  std::vector<std::uint8_t> last_;
};

struct Traveller {
  Word at = 0;
  Word to = 0;
  Slot element = 0;
  Slot slot = 0;
  Path path;
  std::size_t crossed = 0;
  std::size_t left() const { return path.size() - crossed; }
};

std::vector<Traveller> travellers(const Request& request) {
  std::vector<Traveller> all;
  for (std::uint64_t e = 0; e < request.elements; ++e)
    for (Word p = 0; p < request.destinations.size(); ++p)
      all.push_back(
          {p, request.destinations[p], static_cast<Slot>(e), static_cast<Slot>(e), {}, 0});
  return all;
}

void take_ascending(std::vector<Traveller>& all) {
  for (Traveller& t : all)
    for (Word rest = t.at ^ t.to; rest != 0; rest &= rest - 1)
      t.path.push_back(static_cast<std::uint8_t>(lowest_bit(rest)));
}

void balance(std::vector<Traveller>& all, int dimensions, Detours detours) {
  constexpr int sweeps = 4;  // more change little
  Loads loads(dimensions);
  PathFinder finder(dimensions, loads);
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Traveller& t : all) {
      loads.remove(t.at, t.path);
      t.path = finder.cheapest(t.at, t.to, detours);
      loads.add(t.at, t.path);
    }
}

// What is taken in one step.
class Traffic {
 public:
  Traffic(const Hypercube& cube)
      : cube_(cube),
        n_(static_cast<std::size_t>(cube.dimensions)),
        links_(n_ << n_),
        port_(std::size_t{1} << n_, -1) {}

  bool take(Word from, int d) {
    const Word to = from ^ bit(d);
    if (links_[from * n_ + static_cast<std::size_t>(d)]) return false;
    if (cube_.ports == Hypercube::Ports::one) {
      if ((port_[from] >= 0 && port_[from] != d) || (port_[to] >= 0 && port_[to] != d))
        return false;
      port_[from] = port_[to] = d;
    }
    links_[from * n_ + static_cast<std::size_t>(d)] = true;
    return true;
  }
  void clear() {
    std::fill(links_.begin(), links_.end(), false);
    std::fill(port_.begin(), port_.end(), -1);
  }

 private:
  Hypercube cube_;
  std::size_t n_;
  std::vector<bool> links_;
  std::vector<int> port_;
};

struct ListPlan {
  std::vector<CubeStep> steps;  // the last one local
  std::uint64_t slots = 0;
  Count remote = 0;
};

// Arrivals of one step: own slots first, then whatever is free.
void arrive(const std::vector<Traveller*>& moving, NodeSlots& slots, CubeStep& out) {
  for (const Traveller* t : moving) slots.leave(t->at, t->slot);
  std::vector<Traveller*> without_own;
  const auto go = [&out](Traveller& t, Slot slot) {
    const Word next = t.at ^ bit(t.path[t.crossed]);
    out.moves.push_back({t.at, t.slot, next, slot});
    t.at = next;
    t.slot = slot;
    ++t.crossed;
  };
  for (Traveller* t : moving) {
    if (slots.take_own(t->at ^ bit(t->path[t->crossed]), t->element))
      go(*t, t->element);
    else
      without_own.push_back(t);
  }
  for (Traveller* t : without_own) go(*t, slots.take(t->at ^ bit(t->path[t->crossed])));
}

ListPlan schedule(const Hypercube& cube, std::vector<Traveller> all, std::uint64_t elements) {
  ListPlan plan;
  NodeSlots slots(std::size_t{1} << static_cast<unsigned>(cube.dimensions), elements,
                  NodeSlots::Use::shared);
  Traffic traffic(cube);
  std::vector<Traveller*> waiting;
  for (Traveller& t : all)
    if (t.left() != 0) waiting.push_back(&t);
  while (!waiting.empty()) {
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const Traveller* a, const Traveller* b) { return a->left() > b->left(); });
    traffic.clear();
    std::vector<Traveller*> moving;
    for (Traveller* t : waiting)
      if (traffic.take(t->at, t->path[t->crossed])) moving.push_back(t);
    arrive(moving, slots, plan.steps.emplace_back());
    std::erase_if(waiting, [](const Traveller* t) { return t->left() == 0; });
  }
  plan.remote = plan.steps.size();
  CubeStep& home = plan.steps.emplace_back();
  for (const Traveller& t : all)
    if (t.slot != t.element) home.moves.push_back({t.at, t.slot, t.at, t.element});
  plan.slots = slots.slots();
  return plan;
}

ListPlan shortest_plan(const Request& request) {
  std::vector<Traveller> all = travellers(request);
  take_ascending(all);
  return schedule(*cube_of(request), std::move(all), request.elements);
}

ListPlan balanced_plan(const Request& request) {
  std::optional<ListPlan> best;
  for (const Detours detours : {Detours::none, Detours::one}) {
    std::vector<Traveller> all = travellers(request);
    balance(all, processor_bits(request), detours);
    ListPlan plan = schedule(*cube_of(request), std::move(all), request.elements);
    if (!best || plan.remote < best->remote) best = std::move(plan);
  }
  return std::move(*best);
}

std::optional<std::string> refusal(const Request& request) {
  const Hypercube* cube = cube_of(request);
  if (cube == nullptr) return "it is for a Boolean cube";
  if (request.destinations.empty()) return "it plans lists of destinations";
  if (cube->dimensions > limits::list_routing_dimensions_max)
    return fmt::format("it lists every processor, of at most {} dimensions; this cube has {}",
                       limits::list_routing_dimensions_max, cube->dimensions);
  if (request.elements > limits::list_routing_elements_max >>
      static_cast<unsigned>(cube->dimensions))
    return fmt::format("it lists every element, at most {} of the whole machine",
                       limits::list_routing_elements_max);
  return {};
}

void emit_list(const Request& request, const char* name, const ListPlan& plan, ScheduleSink& sink) {
  ScheduleHeader header = cube_header(request, name, plan.slots);
  MovesGoal goal;
  for (std::uint64_t e = 0; e < request.elements; ++e)
    for (Word p = 0; p < request.destinations.size(); ++p)
      goal.moves.push_back(
          {p, static_cast<Slot>(e), request.destinations[p], static_cast<Slot>(e)});
  header.goal = std::move(goal);
  sink.begin(header);
  for (const CubeStep& step : plan.steps)
    if (!step.moves.empty()) sink.step(step);
  sink.finish();
}

Estimate estimate_shortest(const Request& request) {
  return {.cost = {shortest_plan(request).remote, "counted, ascending shortest paths"}};
}
Estimate estimate_balanced(const Request& request) {
  return {.cost = {balanced_plan(request).remote, "counted, balanced paths"}};
}
void build_shortest(const Request& request, ScheduleSink& sink) {
  emit_list(request, shortest_path_lists.name, shortest_plan(request), sink);
}
void build_balanced(const Request& request, ScheduleSink& sink) {
  emit_list(request, balanced_lists.name, balanced_plan(request), sink);
}

}  // namespace

const Planner shortest_path_lists{
    .name = "shortest-path-lists",
    .machine = "cube",
    .title = "any permutation of processors, list scheduling over shortest paths",
    .needs = "a list of destinations, at most 10 dimensions",
    .cost = "counted",
    .citation = "faro",
    .refusal = refusal,
    .estimate = estimate_shortest,
    .build = build_shortest,
};

const Planner balanced_lists{
    .name = "balanced-lists",
    .machine = "cube",
    .title = "any permutation of processors, list scheduling over paths chosen to balance links",
    .needs = "a list of destinations, at most 10 dimensions",
    .cost = "counted; no linear program is solved, paths are rerouted in sweeps",
    .citation = "faro",
    .refusal = refusal,
    .estimate = estimate_balanced,
    .build = build_balanced,
};

}  // namespace faro
