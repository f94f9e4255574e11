// Mirrors.   [faro]
//   applies:  maps of 2..7 processor bits, K <= 2^12; of n > 7 bits Kn <= 2^13
//   cost:     the least of 40 mirrors' plans by jobs, by row operations and by the router; of more
//             bits the least of 7 mirrors' plans by jobs
//   bound:    machines/bounds
#include "planners/cube/affine/mirrored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/bits_in_turn.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/affine/router.hpp"
#include "planners/cube/affine/row_operations.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/planners.hpp"

namespace faro::inline v1 {
namespace {

using mirrors::Renaming;
using mirrors::Representative;

constexpr std::uint64_t mirrors_max = 40;
constexpr std::uint64_t few_mirrors_max = 8;
// Elements times dimensions that all mirrors together have.
constexpr std::uint64_t work_max = 1U << 15U;
constexpr std::uint64_t few_work_max = 1U << 13U;  // some tenth of a second

// Whose counts depend on names, and how many mirrors are shown to them at most.
struct Asked {
  const PlannerEntry* planner;
  std::uint64_t mirrors = mirrors_max;
  bool pairs = false;  // an odd number of elements is made even by a copy of one
  std::uint64_t elements = limits::mirrored_elements_max;  // of a processor, at most
};
const auto asked = std::to_array<Asked>({{&bits_in_turn},
                                         {&affine_ring, mirrors_max, true},
                                         {&affine_shop, mirrors_max, true},
                                         {&shuffle_mixture, 4},
                                         {&affine_router, 2, false, 64},
                                         {&bits_in_turn_one_port},
                                         {&shuffle_one_port, 4},
                                         {&affine_jobs_one_port, mirrors_max, true}});
const auto asked_of_few = std::to_array<Asked>(
    {{&affine_ring, few_mirrors_max, true}, {&affine_shop, few_mirrors_max, true}});

int memory_bits_of(const Request& request) {
  return request.map().cut ? request.map().memory_bits : 0;
}

std::optional<std::string> refusal_mirrored(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  if (processor_bits(request) < 2) return "a single dimension has no mirrors";
  if (processor_bits(request) > limits::mirrored_dimensions_max)
    return fmt::format("it tries all orders of dimensions, of {} at most",
                       limits::mirrored_dimensions_max);
  if (request.elements() > limits::mirrored_elements_max)
    return fmt::format("its steps for {} elements are kept in memory; it takes {}",
                       request.elements(), limits::mirrored_elements_max);
  return {};
}

struct Found {
  Offer offer;
  Renaming names;
  bool reversed = false;
  bool copied = false;  // planned for an element more
};

// Mirrors are numbered: 0 is the representative, odd ones are backwards, and from 2 on they have
// names of their own, or each two have. Those from `first` on are tried, as many as the work allows
// and up to a number between `least` and `most`.
struct MirrorChoice {
  std::span<const Asked> planners;
  std::uint64_t work;
  std::uint64_t first;
  std::uint64_t least;
  std::uint64_t most;
  bool two_each;
  const PlannerEntry* last;  // is asked about the best of them
};
const MirrorChoice all_orders{asked, work_max, 0, 2, mirrors_max, false, nullptr};
// The request itself stands for all: it is asked about elsewhere. Its inverse has the same mirrors.
const MirrorChoice few_orders{asked_of_few, few_work_max,  1, 1, few_mirrors_max,
                              true,         &affine_orders};

// The cheapest plan of a mirror of the representative, which the request's may be backwards.
std::optional<Found> best_of(const Request& request, const Representative& whole,
                             const MirrorChoice& choice) {
  const BitMap& map = whole.map;
  const int m = memory_bits_of(request);
  const int n = processor_bits(request);
  const auto enough = lower_bound(*cube_of(request), request.map(), request.elements()).value;
  std::optional<Found> best;
  std::optional<Request> best_mirror;
  Random random(7);
  const std::uint64_t affordable =
      choice.work / (request.elements() * static_cast<std::uint64_t>(n));
  const std::uint64_t tried =
      std::clamp<std::uint64_t>(choice.first + affordable, choice.least, choice.most);
  Renaming names = Renaming::none(n);
  for (std::uint64_t i = choice.first; i < tried; ++i) {
    if (i >= 2 && (!choice.two_each || i % 2 == 0)) {
      names = Renaming::none(n);
      random.mix(names.place);
      names.translation = random.next() & low_mask(n);
    }
    const bool reversed = i % 2 == 1;
    const BitMap mirror = renamed(reversed ? map.inverse() : map, m, names);
    const auto mirrored = [&](std::uint64_t elements) {
      return Request::of(request.machine(),
                         MapGoal{.map = mirror, .cut = request.map().cut, .memory_bits = m},
                         elements);
    };
    for (const Asked& ask : choice.planners) {
      if (i >= ask.mirrors || request.elements() > ask.elements) continue;
      // Of an odd number the last is moved twice, a copy with it: backwards both must be there.
      const bool copied =
          ask.pairs && request.elements() % 2 == 1 && m == 0 && reversed != whole.reversed;
      const Request question = mirrored(request.elements() + (copied ? 1 : 0));
      if (ask.planner->refusal(question)) continue;
      Offer offer = ask.planner->offer(question);
      if (best && best->offer.estimate.cost.value <= offer.estimate.cost.value) continue;
      if (offer.expression.empty()) offer.expression = ask.planner->name();
      best = Found{std::move(offer), names, reversed, copied};
      best_mirror = question;
      if (best->offer.estimate.cost.value <= enough) return best;
    }
  }
  if (best && choice.last != nullptr && !choice.last->refusal(*best_mirror)) {
    Offer offer = choice.last->offer(*best_mirror);
    if (offer.expression.empty()) offer.expression = choice.last->name();
    if (offer.estimate.cost.value < best->offer.estimate.cost.value) best->offer = std::move(offer);
  }
  return best;
}

void push(const Request& request, const Representative& whole, const Found& found,
          std::string_view planner, ScheduleSink& sink) {
  RecordingSink kept;
  found.offer.push(kept);
  std::vector<CubeStep> inner = std::move(kept.cube_steps);
  mirrors::rename(inner, found.names.back());
  if (found.reversed) mirrors::reverse(inner);
  const std::vector<CubeStep> steps =
      mirrors::taken_back(whole, std::move(inner), memory_bits_of(request));
  sink.begin(cube_header(request, planner, kept.header.slots));
  if (found.copied) {
    CubeStep copy;
    copy.rules.push_back(
        {.where = {}, .from = 0, .across = inside, .to = Slot(request.elements())});
    sink.step(copy);
  }
  for (const CubeStep& step : steps) sink.step(step);
  sink.finish();
}

Offer offered(const Request& request, Representative representative, const MirrorChoice& choice,
              std::string_view planner) {
  const auto whole = std::make_shared<const Representative>(std::move(representative));
  std::optional<Found> best = best_of(request, *whole, choice);
  if (!best) throw Error(ErrorCode::impossible, "none of the planners asked takes its mirrors");
  const auto found = std::make_shared<const Found>(std::move(*best));
  return {.estimate = {{found->offer.estimate.cost.value, "the least of its mirrors' plans"}},
          .push = [request, whole, found,
                   planner](ScheduleSink& sink) { push(request, *whole, *found, planner, sink); },
          .expression = fmt::format("mirror({})", found->offer.expression)};
}

Offer offer_mirrored(const Request& request) {
  return offered(request, mirrors::representative(request.map().map, memory_bits_of(request)),
                 all_orders, affine_mirrored.name());
}

std::optional<std::string> refusal_few(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (processor_bits(request) <= limits::mirrored_dimensions_max)
    return fmt::format("{} tries more mirrors", affine_mirrored.name());
  const auto n = static_cast<std::uint64_t>(processor_bits(request));
  if (request.elements() > few_work_max / n)
    return fmt::format("planning {} elements again takes too long; of {} dimensions it takes {}",
                       request.elements(), n, few_work_max / n);
  return affine_shop.refusal(request);
}

Offer offer_few(const Request& request) {
  const BitMap& map = request.map().map;
  const BitMap same = BitMap::identity(map.width());
  return offered(request, {map, false, same, Renaming::none(processor_bits(request)), same},
                 few_orders, affine_few_mirrors.name());
}

}  // namespace

const PlannerEntry affine_mirrored({
    .name = "affine-mirrored",
    .machine = "cube",
    .title = "the least of the plans for the inverse, renamed dimensions and translations",
    .needs = "a map of 2..7 processor bits, K <= 2^12",
    .cost = "one count for a map and all its mirrors",
    .citation = "faro",
    .refusal = refusal_mirrored,
    .offer = offer_mirrored,
    .searches = true,
    .asks_often = true,
});

const PlannerEntry affine_few_mirrors({
    .name = "affine-few-mirrors",
    .machine = "cube",
    .title =
        "the least of the plans by jobs for the inverse and a few other names and translations",
    .needs = "a map of n >= 8 processor bits, K >= 2, Kn <= 2^13, all ports",
    .cost = "counted: the least of 7 mirrors'",
    .citation = "faro",
    .refusal = refusal_few,
    .offer = offer_few,
    .searches = true,
    .asks_often = true,
});

}  // namespace faro::inline v1
