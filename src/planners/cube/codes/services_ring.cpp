#include "planners/cube/codes/services_ring.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/working.hpp"
#include "faro/base/bits.hpp"
#include "machines/bounds.hpp"

namespace faro::inline v1::three_fifths {
namespace {

// What the elements of one bundle do. Zone -1: in the zone before the first, a ring element's.
struct Bundle {
  int source = 0;                 // three top bits, even; the odd ones do the mirror image
  std::vector<int> crossed = {};  // top dimensions
  std::size_t before = 0;         // hops before the service
  std::vector<int> zones = {};    // of the hops
  int served = 0;                 // zone of the service
};
using Pattern = std::vector<Bundle>;

// Exact covers, by an integer program over all walks of at most four hops; the one kept is the one
// whose plans were shortest on the range that the tests walk.
const std::array<Pattern, 3>& patterns() {
  static const std::array<Pattern, 3> all{Pattern{{0, {}, 0, {}, -1},
                                                  {2, {0}, 0, {0}, -1},
                                                  {4, {0, 1}, 0, {0, 0}, -1},
                                                  {6, {1}, 0, {0}, -1}},
                                          Pattern{{0, {}, 0, {}, -1},
                                                  {0, {}, 0, {}, 0},
                                                  {0, {2, 2}, 1, {0, 1}, 0},
                                                  {2, {0}, 0, {0}, -1},
                                                  {2, {0}, 0, {1}, 0},
                                                  {2, {1, 0, 1}, 1, {0, 1, 1}, 0},
                                                  {4, {0, 1}, 0, {1, 1}, 0},
                                                  {4, {1, 0}, 1, {0, 1}, 0},
                                                  {4, {2, 0, 1, 2}, 0, {0, 0, 0, 0}, -1},
                                                  {6, {1}, 0, {0}, -1},
                                                  {6, {1}, 0, {1}, 0},
                                                  {6, {2, 1, 2}, 1, {0, 1, 1}, 0}},
                                          Pattern{{0, {}, 0, {}, -1},
                                                  {0, {}, 0, {}, 0},
                                                  {0, {}, 0, {}, 1},
                                                  {0, {0, 0}, 1, {0, 2}, 1},
                                                  {0, {2, 2}, 1, {0, 2}, 1},
                                                  {2, {0}, 0, {0}, -1},
                                                  {2, {0}, 0, {1}, 0},
                                                  {2, {0}, 0, {2}, 1},
                                                  {2, {1, 0, 1}, 1, {0, 1, 2}, 0},
                                                  {2, {2, 0, 2}, 1, {0, 1, 2}, 0},
                                                  {4, {0, 1}, 0, {1, 1}, 0},
                                                  {4, {0, 1}, 0, {2, 2}, 1},
                                                  {4, {1, 0}, 0, {0, 0}, -1},
                                                  {4, {0, 2, 1, 2}, 3, {0, 1, 1, 2}, 1},
                                                  {4, {2, 1, 2, 0}, 3, {0, 0, 1, 2}, 1},
                                                  {6, {1}, 0, {1}, -1},
                                                  {6, {1}, 0, {2}, 1},
                                                  {6, {1}, 1, {0}, 0},
                                                  {6, {2, 1, 2}, 0, {1, 2, 2}, 0},
                                                  {6, {2, 1, 2}, 1, {0, 1, 1}, 0}}};
  return all;
}

// A pattern with zones of so many steps. The longer pattern of two comes first.
struct Layer {
  const Pattern* pattern;
  std::uint64_t zone_steps;
};
std::vector<Layer> layers_of(std::uint64_t m, std::uint64_t elements) {
  const auto& [p1, p2, p3] = patterns();
  if (elements >= 5 * m) return {{&p3, (elements + 4) / 5}};
  const bool many = elements >= 3 * m;
  const std::uint64_t least = (many ? 3 : 1) * m;  // what the shorter pattern carries alone
  const std::uint64_t longer = elements > least ? (elements - least + 1) / 2 : 0;
  return {{many ? &p3 : &p2, longer}, {many ? &p2 : &p1, m - longer}};
}

// Elements of a source that they carry.
std::uint64_t carried(const std::vector<Layer>& layers) {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers)
    sum += layer.zone_steps * layer.pattern->size() / 4;  // as many bundles for each source
  return sum;
}

// The order in which what happens in one place should happen.
struct Key {
  int zone = 0;
  int layer = 0;
  std::uint64_t member = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Element {
  const Bundle* bundle = nullptr;
  int layer = 0;
  std::uint64_t member = 0;
  std::uint64_t pivot = 0;  // of a ring element, else 0
  std::size_t first = 0;    // its events, in order
  std::size_t events = 0;
  Key served() const { return {bundle->served, layer, member}; }
};

struct Event {
  std::size_t element = 0;
  Key key;
  std::size_t resource = 0;
  int dimension = -1;  // of a hop; -1: the whole service
  std::int64_t at = 0;
  std::int64_t late = 0;
};

// Which steps of a resource are taken, both ways round: find() gives the first free step from `at`
// on in one direction. Steps far outside are never asked for.
class FreeSteps {
 public:
  explicit FreeSteps(std::size_t size) : next_(size) {
    std::iota(next_.begin(), next_.end(), std::uint32_t{0});
  }
  std::size_t take(std::size_t at) {
    auto free = static_cast<std::uint32_t>(at);
    while (next_[free] != free) free = next_[free];
    while (next_[at] != at) at = std::exchange(next_[at], free);
    FARO_CHECK(free + 1U < next_.size());
    next_[free] = free + 1;
    return free;
  }

 private:
  std::vector<std::uint32_t> next_;
};

// Places of the values from the least on, those of equal value in their own order.
std::vector<std::size_t> order_of(const std::vector<std::int64_t>& values) {
  std::vector<std::size_t> order(values.size());
  if (values.empty()) return order;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::vector<std::size_t> next(static_cast<std::size_t>(*most - *least) + 2);
  for (const std::int64_t value : values) ++next[static_cast<std::size_t>(value - *least) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (std::size_t i = 0; i < values.size(); ++i)
    order[next[static_cast<std::size_t>(values[i] - *least)]++] = i;
  return order;
}

class Plan {
 public:
  Plan(std::uint64_t m, std::uint64_t elements, std::uint64_t variant);
  void improve(std::uint64_t enough, int passes);
  std::uint64_t steps() const { return best_steps_; }
  Program program() const;

 private:
  static constexpr std::size_t hop_resources = 12;  // (position >> 1, dimension)
  static constexpr std::size_t resources = 20;      // (position >> 1, class) of services

  void add_source(int source, std::uint64_t elements, std::uint64_t variant);
  void add_events(Element& element);
  std::int64_t length(const Event& e) const { return e.dimension < 0 ? m_ : 1; }
  // When a ring element's first part ends, what its second part takes; 0 for others.
  std::int64_t begins(const Element& e) const {
    return e.pivot != 0 ? m_ - static_cast<std::int64_t>(e.pivot) : 0;
  }
  std::int64_t steps_now() const;
  void as_soon_as_possible();
  void move_late();
  void move_early();
  void keep_if_better();

  std::int64_t m_;
  std::vector<Element> elements_;
  std::array<std::size_t, 5> first_of_source_{};
  std::vector<Event> events_;
  std::uint64_t best_steps_ = ~std::uint64_t{0};
  std::vector<std::int64_t> best_;
};

Plan::Plan(std::uint64_t m, std::uint64_t elements, std::uint64_t variant)
    : m_(static_cast<std::int64_t>(m)) {
  for (int source = 0; source < 8; source += 2) {
    first_of_source_[static_cast<std::size_t>(source / 2)] = elements_.size();
    add_source(source, elements, variant);
  }
  first_of_source_[4] = elements_.size();
  for (Element& e : elements_) add_events(e);
  as_soon_as_possible();
  keep_if_better();
}

void Plan::add_source(int source, std::uint64_t elements, std::uint64_t variant) {
  struct Sized {
    const Bundle* bundle;
    int layer;
    std::uint64_t members;
  };
  std::vector<Sized> bundles;
  std::uint64_t all = 0;
  int number = 0;
  for (const Layer& layer : layers_of(static_cast<std::uint64_t>(m_), elements)) {
    for (const Bundle& b : *layer.pattern)
      if (b.source == source) {
        bundles.push_back({&b, number, layer.zone_steps});
        all += layer.zone_steps;
      }
    ++number;
  }
  FARO_CHECK(all >= elements);
  const auto skew = static_cast<std::int64_t>(variant / 5) * (source / 2);
  for (std::uint64_t i = 0; i < all - elements; ++i) {
    std::vector<Sized*> left;
    for (Sized& b : bundles)
      if (b.members > 0) left.push_back(&b);
    const auto count = static_cast<std::int64_t>(left.size());
    const auto at =
        static_cast<std::int64_t>(variant * (i + 1)) + skew - 1 - static_cast<std::int64_t>(i);
    --left[static_cast<std::size_t>(((at % count) + count) % count)]->members;
  }
  const std::size_t begin = elements_.size();
  for (const Sized& b : bundles)
    for (std::uint64_t j = 0; j < b.members; ++j)
      elements_.push_back({.bundle = b.bundle, .layer = b.layer, .member = j});
  std::vector<std::size_t> ring;
  for (std::size_t e = begin; e < elements_.size(); ++e)
    if (elements_[e].bundle->before == 0) ring.push_back(e);
  std::stable_sort(ring.begin(), ring.end(), [this](std::size_t a, std::size_t b) {
    return elements_[a].served() < elements_[b].served();
  });
  const auto pivots = static_cast<std::size_t>(m_ - 1);
  for (std::size_t h = 0; h < std::min(ring.size(), pivots); ++h)
    elements_[ring[h]].pivot = pivots - h;
}

void Plan::add_events(Element& element) {
  const Bundle& b = *element.bundle;
  element.first = events_.size();
  const auto index = static_cast<std::size_t>(&element - elements_.data());
  int position = b.source;
  const auto serve = [&] {
    if (element.pivot != 0) return;
    const unsigned group = parity(static_cast<Word>(b.source)) ^ (position & 1 ? 1U : 0U);
    events_.push_back(
        {.element = index,
         .key = element.served(),
         .resource = hop_resources + static_cast<std::size_t>(position & ~1) + group});
  };
  for (std::size_t k = 0; k < b.crossed.size(); ++k) {
    if (k == b.before) serve();
    events_.push_back({.element = index,
                       .key = {b.zones[k], element.layer, element.member},
                       .resource = static_cast<std::size_t>((position >> 1) * 3 + b.crossed[k]),
                       .dimension = b.crossed[k]});
    position ^= static_cast<int>(bit(b.crossed[k]));
  }
  if (b.before == b.crossed.size()) serve();
  element.events = events_.size() - element.first;
}

std::int64_t Plan::steps_now() const {
  std::int64_t steps = m_ + 2;
  for (const Event& e : events_)
    steps =
        std::max(steps, e.at + length(e) + static_cast<std::int64_t>(elements_[e.element].pivot));
  return steps;
}

// Every resource in the order of the keys, everything at its first possible step.
void Plan::as_soon_as_possible() {
  std::vector<std::size_t> order(events_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return events_[a].key < events_[b].key;
  });
  std::array<std::vector<std::size_t>, resources> queues;
  for (const std::size_t e : order) queues[events_[e].resource].push_back(e);
  std::array<std::size_t, resources> at{};
  std::array<std::int64_t, resources> free_from{};
  std::vector<std::size_t> done(elements_.size());
  std::vector<std::int64_t> ready;
  for (const Element& e : elements_) ready.push_back(begins(e));
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < resources; ++r)
      for (; at[r] < queues[r].size(); ++at[r]) {
        Event& e = events_[queues[r][at[r]]];
        const Element& owner = elements_[e.element];
        if (owner.first + done[e.element] != queues[r][at[r]]) break;
        e.at = std::max(ready[e.element], free_from[r]);
        free_from[r] = e.at + 1;
        ready[e.element] = e.at + length(e);
        ++done[e.element];
        moved = true;
      }
  }
  for (std::size_t e = 0; e < elements_.size(); ++e) FARO_CHECK(done[e] == elements_[e].events);
}

void Plan::keep_if_better() {
  const auto steps = static_cast<std::uint64_t>(steps_now());
  if (steps >= best_steps_) return;
  best_steps_ = steps;
  best_.clear();
  for (const Event& e : events_) best_.push_back(e.at);
}

// Everything as late as it may be for a plan of one step less; some events fall before step 0.
void Plan::move_late() {
  const auto goal = static_cast<std::int64_t>(best_steps_) - 1;
  std::vector<std::int64_t> when;
  for (const Event& e : events_) when.push_back((2 * e.at) + (e.dimension < 0 ? 1 : 0));
  std::vector<std::size_t> order = order_of(when);
  std::reverse(order.begin(), order.end());
  std::vector<std::int64_t> end;
  for (const Element& e : elements_) end.push_back(goal - static_cast<std::int64_t>(e.pivot));
  const auto size = events_.size() + static_cast<std::size_t>((6 * m_) + (2 * goal)) + 8;
  std::vector<FreeSteps> free(resources, FreeSteps(size));
  for (const std::size_t i : order) {
    Event& e = events_[i];
    const std::int64_t wanted = end[e.element] - length(e);
    e.late = goal - static_cast<std::int64_t>(
                        free[e.resource].take(static_cast<std::size_t>(goal - wanted)));
    end[e.element] = e.late;
  }
}

void Plan::move_early() {
  std::vector<std::int64_t> late;
  for (const Event& e : events_) late.push_back(e.late);
  const std::vector<std::size_t> order = order_of(late);
  std::vector<std::int64_t> ready;
  for (const Element& e : elements_) ready.push_back(begins(e));
  const auto size = events_.size() + static_cast<std::size_t>(8 * m_) + 8;
  std::vector<FreeSteps> free(resources, FreeSteps(size));
  for (const std::size_t i : order) {
    Event& e = events_[i];
    e.at = static_cast<std::int64_t>(
        free[e.resource].take(static_cast<std::size_t>(ready[e.element])));
    ready[e.element] = e.at + length(e);
  }
}

void Plan::improve(std::uint64_t enough, int passes) {
  for (int pass = 0; pass < passes && best_steps_ > enough; ++pass) {
    still_working();
    move_late();
    still_working();
    move_early();
    keep_if_better();
  }
}

Program Plan::program() const {
  Program made{.steps = best_steps_, .entries = {}};
  for (std::size_t source = 0; source < 4; ++source)
    for (std::size_t i = first_of_source_[source]; i < first_of_source_[source + 1]; ++i) {
      const Element& element = elements_[i];
      const auto add = [&](std::uint64_t step, Entry::Kind kind, int dimension,
                           std::uint64_t pivot) {
        made.entries.push_back({.step = static_cast<std::uint32_t>(step),
                                .element = static_cast<std::uint32_t>(i - first_of_source_[source]),
                                .kind = kind,
                                .source = static_cast<std::uint8_t>(source),
                                .dimension = static_cast<std::uint8_t>(dimension),
                                .pivot = static_cast<std::uint8_t>(pivot)});
      };
      const auto pivot = static_cast<int>(element.pivot);
      if (pivot != 0) {
        for (int stage = pivot; stage < m_; ++stage)
          add(static_cast<std::uint64_t>(stage - pivot), Entry::Kind::service, stage, 0);
        for (int stage = 0; stage < pivot; ++stage)
          add(best_steps_ - element.pivot + static_cast<std::uint64_t>(stage), Entry::Kind::service,
              stage, element.pivot);
      }
      for (std::size_t e = element.first; e < element.first + element.events; ++e) {
        const auto at = static_cast<std::uint64_t>(best_[e]);
        if (events_[e].dimension >= 0) {
          add(at, Entry::Kind::hop, events_[e].dimension, 0);
          continue;
        }
        for (int stage = 0; stage < m_; ++stage)
          add(at + static_cast<std::uint64_t>(stage), Entry::Kind::service, stage, 0);
      }
    }
  sort(made);
  return made;
}

}  // namespace

Program ring_program(int length, std::uint64_t elements) {
  FARO_CHECK(length >= 4 && elements >= 1);
  const auto m = static_cast<std::uint64_t>(length - 3);
  const auto enough =
      static_cast<std::uint64_t>(conversion_bound(length, elements, Hypercube::Ports::all));
  // Above a few thousand elements the first pass of the first variant is what there is time for.
  const bool many = elements > 4096;
  std::optional<Plan> best;
  for (std::uint64_t variant = 0; variant < (many ? 2U : 8U); ++variant) {
    Plan plan(m, elements, variant);
    plan.improve(enough, many ? 2 : 8);
    if (!best || plan.steps() < best->steps()) best = std::move(plan);
    if (best->steps() <= enough || carried(layers_of(m, elements)) == elements) break;
  }
  return best->program();
}

}  // namespace faro::inline v1::three_fifths
