// A few elements a lap: where no planner's plans go on alike, the best plan for a few elements is
// the body of a loop.   [faro]
//   applies:  machines of few processors, where a search finds plans for a few elements
//   cost:     laps times the cost of one, and the cost of what is left
//   bound:    machines/bounds, of all elements together
//
//   K = 1035, 32 elements in 44 steps, 11 in 16:
//   32 laps of {44 steps, slots below 32 go on by 32}, then 16 steps in slots from 1024 on
//
// Every lap moves elements of its own, in slots of its own; slots beyond those are of all laps. A
// lap takes a step or two to begin and to end, so more elements a lap are nearer to the bound; but
// a search for them takes longer, and finds less.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "planners/looped.hpp"
#include "schedules/loops.hpp"

namespace faro::inline v1::looped {
namespace {

// Elements of a lap that are tried, least first: not as many as take a search seconds, and again
// where there are too many for that search (of few ports by dimensions, of all ports by elements).
// And the rules that a proof of laps takes on.
constexpr std::uint64_t tried[] = {8, 16, 32, 48, 64, 128};
bool quick(const Request& request, std::uint64_t elements) {
  const auto* cube = std::get_if<Hypercube>(&request.machine());
  const Count all = processors(request.machine()) * elements;
  if (cube == nullptr)
    return all <= Count{1} << (processors(request.machine()) < Count{64} ? 10U : 9U);
  if (cube->ports == Hypercube::Ports::all)
    return all <= Count{1} << 10U || (all > limits::list_map_elements_max && all <= bit(14));
  return all <= bit(7) || (cube->dimensions > limits::list_map_few_ports_dimensions_max &&
                           elements <= 32 && all <= bit(12));
}
constexpr std::size_t items_max = std::size_t{1} << 13U;

// The slots of a part's plan: those of its own elements, from `first` on, and the others.
void place(Plan& plan, std::uint64_t elements, std::uint64_t first, std::uint64_t beyond,
           std::int64_t by) {
  const auto own = static_cast<std::int64_t>(elements);
  const auto moved = [&](std::int64_t& slot, std::int64_t& advance) {
    advance = slot < own ? by : 0;
    slot += static_cast<std::int64_t>(slot < own ? first : beyond - elements);
  };
  for (rolled::Entry& entry : plan.entries)
    for (rolled::Step& step : entry.body)
      for (rolled::Item& item : step) {
        moved(item.from, item.from_by);
        moved(item.to, item.to_by);
      }
}

struct Part {
  Plan plan;
  Count cost = 0;
  std::string of;
};
Part part_of(const Request& request, Searching searching, rolled::Kinds& kinds) {
  still_working();
  const Answer answer{nullptr, cheapest_offer(request, searching)};
  Part part{recorded(answer, kinds), answer.offer.estimate.cost.value, answer.offer.expression};
  if (!part.plan.header.result.empty() && part.plan.header.result != std::vector<Slot>{0})
    throw Error(ErrorCode::impossible, "its elements end in other registers");
  return part;
}

// Nothing where the part's plan is another's: those take more elements at once, and are better
// then.
std::shared_ptr<const Looped> in_parts(const Request& request, std::uint64_t elements) {
  auto looped = std::make_shared<Looped>();
  const std::uint64_t k = request.elements();
  const std::uint64_t laps = k / elements;
  const std::uint64_t left = k % elements;
  Part part = part_of(of_few(request, elements), Searching::all, looped->kinds);
  if (!found_by_luck(part.of)) return {};
  Plan& plan = looped->plan;
  plan.header = part.plan.header;
  std::size_t items = 0;
  rolled::Entry lap{laps, {}};
  place(part.plan, elements, 0, k, static_cast<std::int64_t>(elements));
  for (rolled::Entry& entry : part.plan.entries) {
    items += entry.body[0].size();
    lap.body.push_back(std::move(entry.body[0]));
  }
  if (items > items_max)
    throw Error(ErrorCode::limit, "a plan for a few elements has more rules than a loop is given");
  plan.entries.push_back(std::move(lap));
  plan.header.slots = part.plan.header.slots - elements + k;
  looped->cost = part.cost * laps;
  looped->formula =
      fmt::format("{} laps of {} elements, {} each", laps, elements, to_string(part.cost));
  looped->of = part.of;
  if (left > 0) {
    Part rest = part_of(request.with_elements(left), Searching::few, looped->kinds);
    place(rest.plan, left, k - left, k, 0);
    for (rolled::Entry& entry : rest.plan.entries) plan.entries.push_back(std::move(entry));
    plan.header.slots = std::max(plan.header.slots, rest.plan.header.slots - left + k);
    looped->cost += rest.cost;
    looped->formula += fmt::format(", and {} for the last {}", to_string(rest.cost), left);
  }
  check_slots(plan);
  return looped;
}

}  // namespace

std::shared_ptr<const Looped> few_a_lap(const Request& request, Count bound,
                                        std::optional<Count> least) {
  std::shared_ptr<const Looped> best;
  for (const std::uint64_t elements : tried) {
    if (least && near(*least, bound)) break;
    if (!quick(request, elements)) continue;
    if (request.map().cut &&
        (!std::has_single_bit(elements) || moving_bits(request.map()) > log2_exact(elements)))
      continue;
    try {
      const auto found = in_parts(request, elements);
      if (!found) {
        best = {};
        continue;
      }
      if (least && found->cost >= *least) continue;
      best = found;
      least = found->cost;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::impossible && error.code() != ErrorCode::limit) throw;
    }
  }
  return best;
}

}  // namespace faro::inline v1::looped
