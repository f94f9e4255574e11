// Elements without end, by plans with loops.   [faro]
//   applies:  maps of more than looped_elements_min elements a processor, whose best plans
//             for a few elements go on alike
//   cost:     linear in K: as far above the bound as the plans for a few
//   bound:    machines/bounds, of all elements together
//
// Planners know nothing of loops, but nearly all of them do the same thing again and again, with
// slots gone on, as often as there are elements. So the best plans for K1 and K1 + d elements, with
// K1 = K modulo d, are rolled up (schedules/rolled.hpp):
//
//   130 elements:   3 steps, 20 laps of {slot 0 into 131, advance (5, 0)}, 2 steps
//   190 elements:   3 steps, 32 laps of {slot 0 into 191, advance (5, 0)}, 2 steps
//   so 10^9 + 10:   3 steps, 199999996 laps of {slot 0 into 10^9 + 11, advance (5, 0)}, 2 steps
//
// Every number of it is linear in K, and a third plan has to be what the two say of it. This is a
// guess nevertheless, which the proof of loops judges like any other plan.
//
// Which d it is depends on who plans: several are tried, and the least number of steps wins. Of a
// map with memory bits K is a power of two; those bits that stay where they are are left out. Where
// that leaves a plan far above the bound, or none, a few elements a lap are tried: few_a_lap.cpp.
#include "planners/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/bounds.hpp"
#include "planners/looped.hpp"
#include "schedules/loops.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace looped {

namespace {

using rolled::Entry;

// Slots are numbers of 32 bits. Each value of the memory bits that a map moves has its own loops.
constexpr std::uint64_t slots_max = std::uint64_t{1} << 32U;
constexpr int memory_bits_max = 8;

// Loops are found where they have some laps: beyond what plans take to begin and to end, which on a
// cube of n dimensions is up to 6 n steps for 10 n elements.
constexpr std::uint64_t few_elements = 120;
constexpr std::uint64_t few_elements_a_bit = 14;

// Plans so many steps above the best one for a few elements are looked at too: where that does not
// go on alike, they are what is left.
constexpr Count dearer = 32;

// Where elements of all processors are routed one by one, so many at most: on meshes ways are
// negotiated, which takes seconds beyond.
constexpr Count mesh_elements_max = Count{1} << 12U;
constexpr Count pops_elements_max = Count{1} << 16U;

// Three numbers of elements: K is base + d j for an integer j.
struct Few {
  std::uint64_t base = 0;
  std::uint64_t d = 0;
  std::uint64_t third = 0;
};

// The map without the memory bits from `few` on, which stay.
MapGoal with_memory(const MapGoal& goal, int few) {
  const int more = goal.memory_bits - few;
  const auto narrowed = [&](Word x) {
    return (x & low_mask(few)) | (x >> goal.memory_bits << few);
  };
  std::vector<Word> columns;
  for (int b = 0; b < goal.map.width() - more; ++b)
    columns.push_back(narrowed(goal.map.column(b < few ? b : b + more)));
  MapGoal narrow = goal;
  narrow.map = BitMap::from_columns(columns, narrowed(goal.map.complement()));
  narrow.memory_bits = few;
  return narrow;
}

}  // namespace

std::optional<std::string> not_for_many(const Request& request) {
  if (is_simd_mesh(request.machine()))
    return "a mesh with one route at a time takes any number of elements by itself";
  if (!request.is_map()) return "it takes maps";
  return {};
}

Request of_few(const Request& request, std::uint64_t elements) {
  if (!request.map().cut) return request.with_elements(elements);
  return Request::of(request.machine(), with_memory(request.map(), log2_exact(elements)), elements);
}

Plan recorded(const Answer& answer, rolled::Kinds& kinds) {
  rolled::Recorded recorded(kinds, limits::loop_items_max);
  answer.offer.push(recorded);
  const ScheduleHeader& header = recorded.header;
  if (!recorded.rollable || header.repeat != Repeat{} || header.result.size() > 1)
    throw Error(ErrorCode::impossible, "its plan has other things than rules and moves");
  Plan plan{header, {}};
  for (rolled::Step& step : recorded.steps) plan.entries.push_back({1, {std::move(step)}});
  return plan;
}

void check_slots(const Plan& plan) {
  if (plan.header.slots > slots_max)
    throw Error(
        ErrorCode::limit,
        fmt::format("so many elements would take {} slots, and slots are numbers of 32 bits",
                    plan.header.slots));
}

namespace {

// Numbers of elements after which plans may go on alike: products of small ones, and those of the
// bits of a processor, whose orders planners go through.
std::vector<Few> numbers_of_few(const Request& request, int bits) {
  const std::uint64_t k = request.elements();
  std::vector<Few> all;
  if (request.map().cut) {
    const int low = moving_bits(request.map());
    const int least = std::max(low + 4, 6);
    for (const int base : {least, least + 1})
      for (const int pace : {1, 2}) {
        const int first = (request.map().memory_bits - base) % pace == 0 ? base : base + 1;
        all.push_back({bit(first), bit(first + pace) - bit(first), bit(first + 2 * pace)});
      }
    return all;
  }
  const auto n = static_cast<std::uint64_t>(std::max(bits, 1));
  const std::uint64_t least = std::max(few_elements, few_elements_a_bit * n);
  for (const std::uint64_t d :
       {std::uint64_t{60}, std::uint64_t{56}, std::lcm(n, 4), std::lcm(n, 60)})
    if (d <= looped_elements_min / 4 &&
        std::none_of(all.begin(), all.end(), [d](const Few& few) { return few.d == d; })) {
      const std::uint64_t base = least + (k - least) % d;
      all.push_back({base, d, base + 2 * d});
    }
  return all;
}

// What is linear in the number of elements, from two plans for few.
struct Line {
  std::int64_t at_base = 0;
  std::int64_t more = 0;  // for d more elements
  std::int64_t at(std::uint64_t j) const { return at_base + more * static_cast<std::int64_t>(j); }
};
Line line(std::uint64_t a, std::uint64_t b) {
  const auto base = static_cast<std::int64_t>(a);
  return {base, static_cast<std::int64_t>(b) - base};
}

// A plan for few elements, rolled up.
Plan rolled_up(const Answer& answer, rolled::Kinds& kinds) {
  Plan plan = recorded(answer, kinds);
  std::vector<rolled::Step> steps;
  for (Entry& entry : plan.entries) steps.push_back(std::move(entry.body[0]));
  plan.entries = rolled::roll(steps, kinds, plan.header.slots);
  return plan;
}

// The plan for j times d more elements than the first of two. Throws Error(impossible) where they
// do not go on alike.
Plan further(const Plan& a, const Plan& b, std::uint64_t j) {
  const auto differ = [](bool different) {
    if (different)
      throw Error(ErrorCode::impossible, "its plans for a few elements do not go on alike");
  };
  Plan result = a;
  differ(a.entries.size() != b.entries.size() || a.header.result.size() != b.header.result.size());
  result.header.slots = static_cast<std::uint64_t>(line(a.header.slots, b.header.slots).at(j));
  for (std::size_t i = 0; i < a.header.result.size(); ++i)
    result.header.result[i] = static_cast<Slot>(line(a.header.result[i], b.header.result[i]).at(j));
  for (std::size_t e = 0; e < a.entries.size(); ++e) {
    const Entry& there = b.entries[e];
    Entry& entry = result.entries[e];
    differ(entry.body.size() != there.body.size() || (entry.laps == 1) != (there.laps == 1));
    const std::int64_t laps = line(entry.laps, there.laps).at(j);
    differ(laps < 1);
    entry.laps = static_cast<std::uint64_t>(laps);
    for (std::size_t s = 0; s < entry.body.size(); ++s) {
      differ(entry.body[s].size() != there.body[s].size());
      for (std::size_t i = 0; i < entry.body[s].size(); ++i) {
        rolled::Item& item = entry.body[s][i];
        const rolled::Item& other = there.body[s][i];
        differ(item.kind != other.kind || item.from_by != other.from_by ||
               item.to_by != other.to_by);
        item.from += (other.from - item.from) * static_cast<std::int64_t>(j);
        item.to += (other.to - item.to) * static_cast<std::int64_t>(j);
      }
    }
  }
  return result;
}

// One planner's plans for the three numbers of elements, whose costs are linear, and the cost that
// they promise for all elements.
struct Promise {
  Few few;
  std::vector<Answer> answers = {};
  Count cost = 0;
  Count more = 0;  // for d more elements
};

Count bound_for(const Request& request) {
  return lower_bound(request.machine(), request.map(), request.elements()).value;
}

std::optional<Promise> promise_of(const Request& request, const Few& few, Answer first) {
  Promise promise{few};
  const Planner& planner = *first.planner;
  promise.answers.push_back(std::move(first));
  for (const std::uint64_t elements : {few.base + few.d, few.third}) {
    const Request small = of_few(request, elements);
    if (planner.refusal(small)) return {};
    promise.answers.push_back(answer_of(small, planner));
  }
  const auto cost = [&](std::size_t i) { return promise.answers[i].offer.estimate.cost.value; };
  if (cost(1) < cost(0)) return {};
  promise.more = cost(1) - cost(0);
  if (cost(2) != cost(0) + promise.more * ((few.third - few.base) / few.d)) return {};
  promise.cost = cost(0) + promise.more * ((request.elements() - few.base) / few.d);
  // Three costs may be linear by chance.
  if (promise.cost < bound_for(request)) return {};
  return promise;
}

// Throws Error(impossible) where the plans do not go on alike.
std::shared_ptr<const Looped> kept(const Request& request, const Promise& promise) {
  auto looped = std::make_shared<Looped>();
  const Few& few = promise.few;
  std::vector<Plan> plans;
  for (const Answer& answer : promise.answers) plans.push_back(rolled_up(answer, looped->kinds));
  const Plan third = further(plans[0], plans[1], (few.third - few.base) / few.d);
  if (third.entries != plans[2].entries || third.header.slots != plans[2].header.slots ||
      third.header.result != plans[2].header.result)
    throw Error(ErrorCode::impossible, "its plans for a few elements do not go on alike");
  looped->plan = further(plans[0], plans[1], (request.elements() - few.base) / few.d);
  check_slots(looped->plan);
  // Plans for a few that are those for the next power of two look as if they did.
  if (looped->plan.header.slots < request.elements())
    throw Error(ErrorCode::impossible, "its plans for a few elements have no room for more");
  const Answer& first = promise.answers[0];
  looped->cost = promise.cost;
  looped->formula =
      fmt::format("{} for {} elements, {} for {} more", to_string(first.offer.estimate.cost.value),
                  few.base, to_string(promise.more), few.d);
  looped->of = first.offer.expression.empty() ? first.planner->name() : first.offer.expression;
  return looped;
}

// The best plan that comes of planners' plans for a few: by those numbers of elements after which
// it is as near to the bound as the best plan for a few is, or by all of them. Then a few elements
// a lap; then those who ask others at length, of one number.
std::shared_ptr<const Looped> best_of(const Request& request) {
  const auto above = [](const Request& asked, Count value) {
    const Count bound = bound_for(asked);
    return value > bound ? value - bound : 0;
  };
  std::string why = "nobody plans a few elements";
  const auto attempt = [&why](auto&& what) {
    try {
      what();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::impossible && error.code() != ErrorCode::limit) throw;
      why = error.what();
    }
  };
  const int bits = address_bits(request.machine()).value_or(0);
  const bool mesh = std::holds_alternative<Mesh>(request.machine());
  const bool listed = mesh || std::holds_alternative<Pops>(request.machine());
  const Count most = mesh ? mesh_elements_max : pops_elements_max;
  std::shared_ptr<const Looped> best;
  const Count bound = bound_for(request);
  // Whether plans by this number of elements are as near as those for a few.
  const auto stretch = [&](const Few& few, Patience patience) {
    if (listed && processors(request.machine()) * few.third > most) {
      why = fmt::format("a few elements of all processors are more than {}, routed one by one",
                        to_string(most));
      return false;
    }
    std::vector<Promise> promises;
    Count near_few = 0;
    attempt([&] {
      still_working();
      const Request base = of_few(request, few.base);
      std::vector<Answer> answers =
          good_answers(base, dearer, of_few(request, few.third), patience);
      near_few = above(base, answers[0].offer.estimate.cost.value);
      for (Answer& answer : answers)
        attempt([&] {
          if (auto promise = promise_of(request, few, std::move(answer)))
            promises.push_back(std::move(*promise));
        });
    });
    std::stable_sort(promises.begin(), promises.end(),
                     [](const Promise& a, const Promise& b) { return a.cost < b.cost; });
    for (const Promise& promise : promises) {
      if (best && best->cost <= promise.cost) break;
      attempt([&] { best = kept(request, promise); });
      if (best && best->cost == promise.cost) break;
    }
    return best && above(request, best->cost) <= near_few;
  };
  const std::vector<Few> numbers = numbers_of_few(request, bits);
  for (const Few& few : numbers)
    if (stretch(few, Patience::none)) break;
  const auto least = [&] { return best ? std::optional(best->cost) : std::nullopt; };
  if (const auto parts = few_a_lap(request, bound, least())) best = parts;
  if (const auto alike = streams(request, bound, least())) best = alike;
  constexpr Count few_steps = 2;
  if (!best || best->cost > bound + few_steps) stretch(numbers[0], Patience::seconds);
  if (!best) throw Error(ErrorCode::impossible, why);
  return best;
}

std::optional<std::string> refusal(const Request& request) {
  if (auto why = not_for_many(request)) return why;
  if (request.elements() <= looped_elements_min)
    return "there are few elements: they need no loops";
  if (request.elements() > slots_max)
    return fmt::format("slots are numbers of 32 bits; {} elements have more", request.elements());
  if (request.map().cut && moving_bits(request.map()) > memory_bits_max)
    return fmt::format("the map moves {} memory bits; loops are for at most {}",
                       moving_bits(request.map()), memory_bits_max);
  return {};
}

template <const PlannerEntry& entry>
Offer offer(const Request& request) {
  const auto looped = best_of(request);
  const bool pops = has_registers(request.machine());
  return {.estimate = {.cost = {looped->cost, looped->formula}},
          .push =
              [looped, request, pops, name = entry.name()](ScheduleSink& sink) {
                ScheduleHeader header = looped->plan.header;
                header.goal = request.map();
                header.elements = request.elements();
                header.planner = name;
                header.entries = ScheduleHeader::Entries::loops;
                sink.begin(header);
                rolled::push(looped->plan.entries, looped->kinds, pops, sink);
                sink.finish();
              },
          .expression = fmt::format("loops({})", looped->of)};
}

template <const PlannerEntry& entry>
constexpr PlannerEntry::Parts parts(std::string_view name, std::string_view machine) {
  return {.name = name,
          .machine = machine,
          .title = "any number of elements: the plan of a few, with loops",
          .needs = "a map of more than 2^10 elements, whose plans for a few go on alike",
          .cost = "as far above the bound as for a few elements",
          .refusal = refusal,
          .offer = offer<entry>,
          .searches = true,
          .asks_for_fewer = true};
}

}  // namespace
}  // namespace looped

const PlannerEntry cube_loops(looped::parts<cube_loops>("cube-loops", "cube"));
const PlannerEntry links_loops(looped::parts<links_loops>("links-loops", "mesh all links"));
const PlannerEntry pops_loops(looped::parts<pops_loops>("pops-loops", "pops"));
const PlannerEntry ranks_loops(looped::parts<ranks_loops>("ranks-loops", "ranks"));

}  // namespace faro::inline v1
