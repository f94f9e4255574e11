// Elements in parts.   [faro]
//   applies:  maps of processor bits, all ports or one, K <= 1000 and no power of two, or more than
//             are listed one by one
//   cost:     counted; at most the least sum of the costs of parts of 2^i elements that hold K
//   bound:    machines/bounds
#include "planners/cube/affine/elements_in_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/absent.hpp"
#include "planners/cube/affine/parts.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/request.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

// Pairs of uses that are compared when later parts are begun early.
constexpr std::uint64_t comparisons_woven_max = std::uint64_t{1} << 14U;

// A plan for so many elements.
struct SizedPlan {
  Offer offer;
  FullPlan plan;  // made when wanted
};

// The processors that a rule keeps busy: with all ports those that send across one dimension, with
// one port all at either end.
struct BusySpace {
  int dimension;
  AffineSpace processors;
};

// The same on both ends of a dimension.
AffineSpace with_neighbours(const AffineSpace& senders, int dimension) {
  std::vector<Parity> both;
  std::optional<Parity> cut;
  for (Parity c : senders.constraints()) {
    if (has_bit(c.mask, dimension)) {
      if (!cut) {
        cut = c;
        continue;
      }
      c = {c.mask ^ cut->mask, c.value ^ cut->value};
    }
    both.push_back(c);
  }
  return AffineSpace::where(senders.width(), both);
}

// Steps of several plans, each in its order, those together that nothing forbids.
class WovenSteps {
 public:
  explicit WovenSteps(const Hypercube& cube) : cube_(cube) {}

  void add(std::vector<CubeStep> steps) {
    std::size_t at = 0;
    for (CubeStep& step : steps) {
      still_working();
      std::vector<BusySpace> busy = busy_in(step);
      while (at < steps_.size() && !fits(busy, busy_[at])) ++at;
      if (at == steps_.size()) {
        steps_.emplace_back();
        busy_.emplace_back();
      }
      std::move(step.rules.begin(), step.rules.end(), std::back_inserter(steps_[at].rules));
      std::move(step.moves.begin(), step.moves.end(), std::back_inserter(steps_[at].moves));
      std::move(busy.begin(), busy.end(), std::back_inserter(busy_[at]));
      ++at;
    }
  }
  // Those with a remote move.
  std::uint64_t cost() const {
    return static_cast<std::uint64_t>(
        std::count_if(busy_.begin(), busy_.end(), [](const auto& busy) { return !busy.empty(); }));
  }
  std::vector<CubeStep> take() && { return std::move(steps_); }

 private:
  bool one_port() const { return cube_.ports == Hypercube::Ports::one; }

  std::vector<BusySpace> busy_in(const CubeStep& step) const {
    std::vector<BusySpace> busy;
    const auto add_one = [&](int dimension, const AffineSpace& senders) {
      BusySpace more{dimension, one_port() ? with_neighbours(senders, dimension) : senders};
      if (!one_port() || busy.empty() || busy.back().processors != more.processors)
        busy.push_back(std::move(more));
    };
    for (const Rule& rule : step.rules)
      if (rule.across != inside)
        add_one(rule.across, AffineSpace::where(cube_.dimensions, rule.where));
    for (const Move& move : step.moves) {
      if (move.from_processor == move.to_processor) continue;
      add_one(lowest_bit(move.from_processor ^ move.to_processor),
              AffineSpace::where(cube_.dimensions, only_at(move.from_processor, cube_.dimensions)));
    }
    return busy;
  }

  bool fits(const std::vector<BusySpace>& more, const std::vector<BusySpace>& here) {
    for (const BusySpace& a : more)
      for (const BusySpace& b : here) {
        if (!one_port() && a.dimension != b.dimension) continue;
        if (++comparisons_ > comparisons_woven_max || !a.processors.disjoint(b.processors))
          return false;
      }
    return true;
  }

  Hypercube cube_;
  std::vector<CubeStep> steps_;
  std::vector<std::vector<BusySpace>> busy_;
  std::uint64_t comparisons_ = 0;
};

// How many elements each part's plan is for; together at least K. The last ones are absent.
using PartSizes = std::vector<std::uint64_t>;

struct WovenPlan {
  std::vector<CubeStep> steps;
  std::uint64_t slots = 0;
  std::uint64_t cost = 0;
  PartSizes sizes;
};

class PlansBySize {
 public:
  explicit PlansBySize(const Request& request) : request_(request) {}

  // Nothing where nobody plans so many.
  std::optional<Count> cost(std::uint64_t elements, Searching searching = Searching::few) {
    const auto known = plans_.find(elements);
    if (known != plans_.end()) return cost_of(known->second);
    std::optional<SizedPlan>& plan = plans_[elements];
    if (auto offer = cheapest_if_any(request_.with_elements(elements), searching))
      plan = SizedPlan{std::move(*offer), {}};
    return cost_of(plan);
  }

  const FullPlan& plan(std::uint64_t elements) {
    SizedPlan& sized = *plans_.at(elements);
    if (sized.plan.slots != 0) return sized.plan;
    RecordingSink kept;
    sized.offer.push(kept);
    sized.plan = {cube_of(request_)->dimensions, kept.header.slots, std::move(kept.cube_steps)};
    return sized.plan;
  }
  const std::string& expression(std::uint64_t elements) const {
    return plans_.at(elements)->offer.expression;
  }

 private:
  static std::optional<Count> cost_of(const std::optional<SizedPlan>& plan) {
    if (!plan) return {};
    return plan->offer.estimate.cost.value;
  }

  Request request_;
  std::map<std::uint64_t, std::optional<SizedPlan>> plans_;
};

// Parts that hold all elements, of the least sum of costs; of those the fewest.
PartSizes least_cover(std::uint64_t elements, const std::map<std::uint64_t, Count>& costs) {
  struct Least {
    Count cost = 0;
    std::uint64_t parts = 0;
    std::uint64_t last = 0;
  };
  std::vector<Least> least(elements + 1);
  for (std::uint64_t k = 1; k <= elements; ++k)
    for (const auto& [size, cost] : costs) {
      const Least& rest = least[k - std::min(k, size)];
      const Least mine{rest.cost + cost, rest.parts + 1, size};
      if (least[k].last == 0 || mine.cost < least[k].cost ||
          (mine.cost == least[k].cost && mine.parts < least[k].parts))
        least[k] = mine;
    }
  PartSizes sizes;
  for (std::uint64_t k = elements; k != 0; k -= std::min(k, sizes.back()))
    sizes.push_back(least[k].last);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  return sizes;
}

// Which of the slots of a part are there: the first ones, or those whose number backwards is low.
enum class Absent { last, scattered };

std::vector<bool> slots_there(std::uint64_t size, std::uint64_t count, Absent absent) {
  std::vector<bool> there(size, false);
  if (absent == Absent::last || !std::has_single_bit(size)) {
    std::fill_n(there.begin(), count, true);
    return there;
  }
  const int width = std::countr_zero(size);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t backwards = 0;
    for (int b = 0; b < width; ++b) backwards = (backwards << 1U) | ((i >> b) & 1U);
    there[backwards] = true;
  }
  return there;
}

WovenPlan woven(const Request& request, PlansBySize& plans, const PartSizes& sizes, Absent absent) {
  const std::uint64_t elements = request.elements();
  WovenSteps all(*cube_of(request));
  std::uint64_t first = 0;
  std::uint64_t slots = elements;
  for (const std::uint64_t size : sizes) {
    const FullPlan& plan = plans.plan(size);
    const std::uint64_t count = std::min(size, elements - first);
    const std::vector<bool> there = slots_there(size, count, absent);
    std::vector<CubeStep> steps = count == size ? plan.steps : without_absent(plan, there);
    std::vector<Slot> place;
    for (std::uint64_t s = 0; s < plan.slots; ++s)
      place.push_back(static_cast<Slot>(s < size && there[s] ? first++ : slots++));
    for (CubeStep& step : steps) place_slots(step, [&place](Slot slot) { return place[slot]; });
    all.add(std::move(steps));
  }
  const std::uint64_t cost = all.cost();
  return {std::move(all).take(), slots, cost, sizes};
}

// Of a power of two: as many as planners list one by one, if that is an eighth of all or more; else
// none. They are asked though others have a formula. Groups of dimensions are smaller questions.
std::uint64_t listed_part(const Request& request) {
  const int n = processor_bits(request);
  const std::uint64_t all = request.elements();
  if (!std::has_single_bit(all) || n > limits::list_map_dimensions_max ||
      cube_of(request)->ports != Hypercube::Ports::all || !parts_by_phases.refusal(request))
    return 0;
  const std::uint64_t part = limits::list_map_elements_max >> static_cast<unsigned>(n);
  return part < all && all <= 8 * part ? part : 0;
}

std::optional<std::string> refusal_in_parts(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  if (request.map().cut && request.map().memory_bits != 0)
    return "elements of a processor have destinations of their own";
  if (std::has_single_bit(request.elements()) && listed_part(request) == 0)
    return fmt::format(
        "{} elements are a power of two: of these it takes more than are listed one by one, {} of "
        "the whole machine, to eight times as many, with all ports and a map that does not fall "
        "apart",
        request.elements(), limits::list_map_elements_max);
  if (request.elements() > limits::in_parts_elements_max)
    return fmt::format("its steps for {} elements are kept in memory; it takes {}",
                       request.elements(), limits::in_parts_elements_max);
  return {};
}

std::vector<PartSizes> ways_to_part(const Request& request, PlansBySize& plans) {
  const std::uint64_t elements = request.elements();
  if (const std::uint64_t part = listed_part(request);
      part != 0 && plans.cost(part, Searching::all))
    return {PartSizes(elements / part, part)};
  std::map<std::uint64_t, Count> costs;
  const auto ask = [&](std::uint64_t size) {
    if (const auto cost = plans.cost(size)) costs[size] = *cost;
  };
  const std::uint64_t more = std::bit_ceil(elements);
  for (std::uint64_t size = 1; size <= more; size *= 2) ask(size);
  if (costs.empty()) throw Error(ErrorCode::impossible, "nobody plans a part");
  std::vector<PartSizes> ways{least_cover(elements, costs)};
  if (costs.contains(more)) ways.push_back({more});
  PartSizes binary;
  for (std::uint64_t size = more; size != 0; size /= 2)
    if ((elements & size) != 0) binary.push_back(size);
  if (std::all_of(binary.begin(), binary.end(), [&](auto s) { return costs.contains(s); }))
    ways.push_back(binary);
  return ways;
}

Offer offer_in_parts(const Request& request) {
  const Count enough = lower_bound(*cube_of(request), request.map(), request.elements()).value;
  PlansBySize plans(request);
  std::optional<WovenPlan> best;
  const auto consider = [&](const PartSizes& sizes, Absent absent) {
    if (best && best->cost <= enough) return;
    try {
      WovenPlan made = woven(request, plans, sizes, absent);
      if (!best || made.cost < best->cost) best = std::move(made);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::limit) throw;
    }
  };
  for (const PartSizes& sizes : ways_to_part(request, plans)) {
    consider(sizes, Absent::last);
    if (std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) != request.elements())
      consider(sizes, Absent::scattered);
  }
  if (!best) throw Error(ErrorCode::impossible, "absent elements could not be followed");
  std::vector<std::string> names;
  for (const std::uint64_t size : best->sizes)
    names.push_back(fmt::format("{} of {}", size, plans.expression(size)));
  return offer_of(request, elements_in_parts.name(),
                  node_of(fmt::format("in-parts({})", fmt::join(names, ", ")),
                          kept_steps(best->slots, std::move(best->steps)), best->cost),
                  "counted");
}

}  // namespace

const PlannerEntry elements_in_parts({
    .name = "elements-in-parts",
    .machine = "cube",
    .title = "plans for powers of two of elements, woven into one, the last with some absent",
    .needs = "a map of processor bits, K <= 1000, all ports or one; powers of two with all ports, "
             "beyond what balanced-maps takes, to eight times as many",
    .cost = "counted; at most the least sum of plans for 2^i elements that hold K",
    .refusal = refusal_in_parts,
    .offer = offer_in_parts,
    .searches = true,
});

}  // namespace faro::inline v1
