// Streams: on a mesh with all links every processor sends its elements one behind the other along
// one way, an element a lap.   [faro; ways by negotiation: McMurchie, Ebeling 1995]
//   applies:  maps of processors whose ways cross at most 2^18 links in all
//   cost:     L (K + D) steps, L the load of the busiest link and D the laps of an element under
//             way: tested on meshes and tori of 16 to 4096 processors
//   bound:    machines/bounds, of all elements together
//
//   i:12 -> rev(i) on torus:64x64,all-links: a way has 32 links on average, which loads each link 8
//   times an element if ways are spread well; so a lap has 9 steps, and an element takes 11 laps
//
// Ways are shortest ones, spread over links until none has more than L. Then the ways over a link
// share out the L steps of a lap, the longest way first: crossing h of a way is in step T_h of its
// own, T_h+1 - T_h <= L, so one slot of each processor on the way is all that is needed in between.
//
// Laps are all alike, the first and the last too: before its first element a way carries what lies
// in its slots, and after its last one what lies below it. Elements are moved up by S slots first
// and back in the end, which costs nothing inside a processor:
//
//   slots:   0 .. B-1 between     S-D .. S-1 carried for nothing     S .. S+K-1 elements
//   lap t:   element K-1-t leaves its slot, and one that arrives takes a slot that has been left
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/random.hpp"
#include "base/working.hpp"
#include "machines/mesh/geometry.hpp"
#include "planners/looped.hpp"
#include "search/route.hpp"

namespace faro::inline v1::looped {
namespace {

using search::Price;
using Way = std::vector<std::uint32_t>;  // links

// Crossings, which a body lists: a file of some megabytes. Cells of the boxes that a round of
// negotiation looks through: some hundredths of a second.
constexpr std::uint64_t crossings_max = std::uint64_t{1} << 18U;
constexpr std::uint64_t cells_max = std::uint64_t{1} << 22U;
constexpr std::uint64_t load_max = 1000;  // of the busiest link, an element: steps of a body
constexpr int rounds_max = 40;
constexpr std::uint64_t patience = 4;
constexpr std::size_t more_steps_max = 6;

// What a way has to go: links of each dimension, in one direction.
struct Leg {
  int dimension = 0;
  std::int64_t by = 1;
  std::size_t links = 0;
};

class Streams {
 public:
  explicit Streams(const Request& request)
      : request_(request),
        geometry_(std::get<Mesh>(request.machine())),
        ways_(geometry_.processors()),
        times_(geometry_.processors()) {}

  bool small();
  // Ways that load no link more than this.
  bool spread(std::size_t load);
  void share_steps();
  // Of a lap: those in which something moves, which are all where the busiest link is.
  std::uint64_t steps() const;
  std::uint64_t least_load() const { return (crossings_ + links() - 1) / links(); }
  std::uint64_t crossings() const { return crossings_; }
  std::uint64_t laps() const { return request_.elements() + depth_; }
  bool fits() const { return lift() < request_.elements(); }
  Plan plan(rolled::Kinds& kinds) const;

 private:
  std::uint64_t links() const {
    return geometry_.processors() * 2 * static_cast<std::uint64_t>(geometry_.dimensions());
  }
  Word target(Word p) const { return request_.map().map(p); }
  std::vector<Leg> legs(Word from) const;
  // A link by its number: processor, dimension, direction.
  std::uint32_t link(Word p, const Leg& leg) const {
    return static_cast<std::uint32_t>((p * static_cast<std::uint64_t>(geometry_.dimensions()) +
                                       static_cast<std::uint64_t>(leg.dimension)) *
                                          2 +
                                      (leg.by > 0 ? 1 : 0));
  }
  Word start_of(std::uint32_t link) const {
    return link / 2 / static_cast<std::uint64_t>(geometry_.dimensions());
  }
  Word routed(Word p, const Leg& leg) const { return *geometry_.routed(p, leg.dimension, leg.by); }
  void choose(Word from, const search::Router& router, search::Way& way);
  std::uint64_t lift() const { return between_ + depth_ + 1; }

  const Request& request_;
  MeshGeometry geometry_;
  std::uint64_t crossings_ = 0;
  std::uint64_t steps_ = 0;    // of a lap
  std::uint64_t depth_ = 0;    // laps that an element is on its way
  std::uint64_t between_ = 0;  // slots of a processor for what passes
  search::BoxWays finder_;
  std::vector<std::uint32_t> links_;  // that it found
  std::vector<Way> ways_;
  std::vector<std::vector<std::uint64_t>> times_;
};

// Of two ways round a ring that are equally long processors take turns.
std::vector<Leg> Streams::legs(Word from) const {
  const Word to = target(from);
  std::vector<Leg> legs;
  for (int k = 0; k < geometry_.dimensions(); ++k) {
    std::int64_t by = geometry_.coordinate(to, k) - geometry_.coordinate(from, k);
    const std::int64_t side = geometry_.side(k);
    if (geometry_.wrap() == Mesh::Wrap::orthogonal && 2 * std::abs(by) >= side) {
      if (2 * std::abs(by) > side) by += by > 0 ? -side : side;
      if (2 * std::abs(by) == side)
        by = side == 2 || parity(from ^ static_cast<Word>(k)) == 0 ? std::abs(by) : -std::abs(by);
    }
    if (by != 0) legs.push_back({k, by > 0 ? 1 : -1, static_cast<std::size_t>(std::abs(by))});
  }
  return legs;
}

bool Streams::small() {
  std::uint64_t cells = 0;
  for (Word p = 0; p < geometry_.processors(); ++p) {
    std::uint64_t box = 1;
    for (const Leg& leg : legs(p)) {
      box *= leg.links + 1;
      crossings_ += leg.links;
      if (box > cells_max || crossings_ > crossings_max) return false;
    }
    cells += box;
  }
  return cells <= cells_max && crossings_ > 0;
}

// The cheapest of the shortest ways, found cell by cell of the box between its ends.
void Streams::choose(Word from, const search::Router& router, search::Way& way) {
  const std::vector<Leg> legs = this->legs(from);
  std::vector<std::size_t> lengths;
  for (const Leg& leg : legs) lengths.push_back(leg.links);
  struct Box {
    const Streams& streams;
    const std::vector<Leg>& legs;
    const search::Router& router;
    std::uint32_t channel(Word p, std::size_t k) const { return streams.link(p, legs[k]); }
    Price price(std::uint32_t link) const { return router.price({0, link}); }
    Word across(Word p, std::size_t k) const { return streams.routed(p, legs[k]); }
  };
  finder_.find(lengths, from, Box{*this, legs, router}, links_);
  for (const std::uint32_t link : links_) way.push_back({0, link});
}

bool Streams::spread(std::size_t load) {
  steps_ = load;
  search::Router router(std::vector<std::uint16_t>(links(), static_cast<std::uint16_t>(load)), 1,
                        search::Router::Beside::channels,
                        {.pressure = 100,
                         .growth = 100,
                         .unit = 64,
                         .rounds = {.most = rounds_max, .patience = patience}});
  std::vector<search::Way> ways;
  std::vector<Word> of;
  for (Word p = 0; p < geometry_.processors(); ++p)
    if (target(p) != p) of.push_back(p);
  ways.resize(of.size());
  Random random(1995);
  const bool free = router.run(
      ways, [&](std::vector<std::size_t>& turn) { random.mix(turn); },
      [&](std::size_t i, search::Way& way) {
        still_working();
        choose(of[i], router, way);
        return true;
      });
  if (!free) return false;
  for (std::size_t i = 0; i < of.size(); ++i)
    for (const search::Place at : ways[i]) ways_[of[i]].push_back(at.channel);
  return true;
}

void Streams::share_steps() {
  std::vector<Word> order(ways_.size());
  std::iota(order.begin(), order.end(), Word{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](Word a, Word b) { return ways_[a].size() > ways_[b].size(); });
  std::vector<bool> busy(links() * steps_);
  const auto taken = [&](std::uint32_t link, std::uint64_t time) {
    return busy[link * steps_ + time % steps_];
  };
  // From this step on, each crossing as soon as its link is free.
  const auto times_from = [&](const Way& way, std::uint64_t time) {
    std::vector<std::uint64_t> times;
    for (const std::uint32_t link : way) {
      while (taken(link, time)) ++time;
      times.push_back(time++);
    }
    return times;
  };
  std::vector<std::uint64_t> passing(ways_.size(), 0);
  depth_ = 0;
  for (const Word p : order) {
    const Way& way = ways_[p];
    if (way.empty()) continue;
    std::vector<std::uint64_t> best;
    for (std::uint64_t first = 0; first < steps_; ++first) {
      if (taken(way[0], first)) continue;
      auto times = times_from(way, first);
      if (best.empty() || times.back() - times[0] < best.back() - best[0]) best = std::move(times);
    }
    for (std::size_t h = 0; h < way.size(); ++h) {
      busy[way[h] * steps_ + best[h] % steps_] = true;
      if (h > 0) ++passing[start_of(way[h])];
    }
    depth_ = std::max(depth_, best.back() / steps_);
    times_[p] = std::move(best);
  }
  between_ = *std::max_element(passing.begin(), passing.end());
}

std::uint64_t Streams::steps() const {
  std::vector<bool> used(steps_);
  for (const auto& times : times_)
    for (const std::uint64_t time : times) used[time % steps_] = true;
  return static_cast<std::uint64_t>(std::count(used.begin(), used.end(), true));
}

Plan Streams::plan(rolled::Kinds& kinds) const {
  const auto k = static_cast<std::int64_t>(request_.elements());
  const auto s = static_cast<std::int64_t>(lift());
  Plan plan;
  plan.header.machine = request_.machine();
  plan.header.slots = request_.elements() + lift() + 1;
  rolled::Step up;
  rolled::Step down;
  rolled::Entry lap{laps(), {}};
  lap.body.resize(steps_);
  std::vector<std::int64_t> passing(ways_.size(), 0);
  const auto kind = [&](Word from, Word to) { return kinds.of(Move{from, 0, to, 0}); };
  for (Word p = 0; p < ways_.size(); ++p) {
    still_working();
    up.push_back({kind(p, p), k - 1, k - 1 + s, -1, -1});
    const Way& way = ways_[p];
    if (way.empty()) down.push_back({kind(p, p), s, 0, 1, 1});
    std::int64_t slot = 0;
    for (std::size_t h = 0; h < way.size(); ++h) {
      const std::uint64_t time = times_[p][h];
      const bool last = h + 1 == way.size();
      const Word from = start_of(way[h]);
      const Word to = last ? target(p) : start_of(way[h + 1]);
      rolled::Item item{kind(from, to), slot, 0, 0, 0};
      if (h == 0) {
        item.from = s + k - 1;
        item.from_by = -1;
      }
      if (last) {
        // The slot that its own element has left in this lap or in the one before.
        const std::int64_t late = time % steps_ >= times_[to][0] ? 0 : 1;
        item.to = s + k - 1 + late;
        item.to_by = -1;
        down.push_back(
            {kind(to, to), s - static_cast<std::int64_t>(time / steps_) + late, 0, 1, 1});
      } else {
        item.to = slot = passing[to]++;
      }
      lap.body[time % steps_].push_back(item);
    }
  }
  std::erase_if(lap.body, [](const rolled::Step& step) { return step.empty(); });
  plan.entries = {{request_.elements(), {std::move(up)}},
                  std::move(lap),
                  {request_.elements(), {std::move(down)}}};
  return plan;
}

}  // namespace

std::shared_ptr<const Looped> streams(const Request& request, Count bound,
                                      std::optional<Count> least) {
  const auto* mesh = std::get_if<Mesh>(&request.machine());
  if (mesh == nullptr || request.map().cut || (least && near(*least, bound))) return {};
  if (processors(request.machine()) > Count{crossings_max}) return {};
  Streams streams(request);
  if (!streams.small()) return {};
  const auto least_load =
      static_cast<std::uint64_t>(std::max(Count{streams.least_load()}, bound / request.elements()));
  if (least_load > load_max) return {};
  for (std::uint64_t load = least_load; load <= least_load + more_steps_max; ++load) {
    if (least && Count{load} * request.elements() >= *least) return {};
    if (!streams.spread(load)) continue;
    streams.share_steps();
    auto looped = std::make_shared<Looped>();
    looped->cost = Count{streams.steps()} * streams.laps();
    if (!streams.fits() || (least && looped->cost >= *least)) return {};
    looped->formula = fmt::format("{} laps of {} steps", streams.laps(), streams.steps());
    looped->of = "streams";
    looped->plan = streams.plan(looped->kinds);
    check_slots(looped->plan);
    return looped;
  }
  return {};
}

}  // namespace faro::inline v1::looped
