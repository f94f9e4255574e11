// Mirrors.   [faro]
//   applies:  maps of 2..7 processor bits, K <= 2^12
//   cost:     the least of 40 mirrors' plans by jobs, by row operations and by the router
//   bound:    machines/bounds
#include "planners/cube/affine/mirrored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/bits_in_turn.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/affine/row_operations.hpp"
#include "planners/cube/request.hpp"
#include "planners/cube/shuffle/planners.hpp"

namespace faro::inline v1 {
namespace {

using mirrors::Renaming;
using mirrors::Representative;

constexpr std::uint64_t mirrors_max = 40;
// Elements times dimensions that all mirrors together have.
constexpr std::uint64_t work_max = 1U << 15U;

// Whose counts depend on names, and how many mirrors are shown to them at most.
struct Asked {
  const PlannerEntry* planner;
  std::uint64_t mirrors = mirrors_max;
  bool pairs = false;  // an odd number of elements is made even by a copy of one
};
const auto asked = std::to_array<Asked>({{&row_operation_pairs},
                                         {&bits_in_turn},
                                         {&affine_ring, mirrors_max, true},
                                         {&affine_shop, mirrors_max, true},
                                         {&shuffle_mixture, 4},
                                         {&shuffle_router, 4},
                                         {&bits_in_turn_one_port},
                                         {&shuffle_one_port, 4},
                                         {&affine_jobs_one_port, mirrors_max, true}});

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

// The cheapest plan of a mirror of the representative, which the request's may be backwards.
std::optional<Found> best_of(const Request& request, const Representative& whole) {
  const BitMap& map = whole.map;
  const int m = memory_bits_of(request);
  const int n = processor_bits(request);
  const auto enough = lower_bound(*cube_of(request), request.map(), request.elements()).value;
  std::optional<Found> best;
  Random random(7);
  const std::uint64_t tried = std::clamp<std::uint64_t>(
      work_max / (request.elements() * static_cast<std::uint64_t>(n)), 2, mirrors_max);
  for (std::uint64_t i = 0; i < tried; ++i) {
    Renaming names = Renaming::none(n);
    if (i >= 2) {
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
    for (const Asked& ask : asked) {
      if (i >= ask.mirrors) continue;
      // Of an odd number the last is moved twice, a copy with it: backwards both must be there.
      const bool copied =
          ask.pairs && request.elements() % 2 == 1 && m == 0 && reversed != whole.reversed;
      const Request question = mirrored(request.elements() + (copied ? 1 : 0));
      if (ask.planner->refusal(question)) continue;
      Offer offer = ask.planner->offer(question);
      if (best && best->offer.estimate.cost.value <= offer.estimate.cost.value) continue;
      if (offer.expression.empty()) offer.expression = ask.planner->name();
      best = Found{std::move(offer), names, reversed, copied};
      if (best->offer.estimate.cost.value <= enough) return best;
    }
  }
  return best;
}

void push(const Request& request, const Representative& whole, const Found& found,
          ScheduleSink& sink) {
  RecordingSink kept;
  found.offer.push(kept);
  std::vector<CubeStep> inner = std::move(kept.cube_steps);
  mirrors::rename(inner, found.names.back());
  if (found.reversed) mirrors::reverse(inner);
  const std::vector<CubeStep> steps =
      mirrors::taken_back(whole, std::move(inner), memory_bits_of(request));
  sink.begin(cube_header(request, affine_mirrored.name(), kept.header.slots));
  if (found.copied) {
    CubeStep copy;
    copy.rules.push_back(
        {.where = {}, .from = 0, .across = inside, .to = Slot(request.elements())});
    sink.step(copy);
  }
  for (const CubeStep& step : steps) sink.step(step);
  sink.finish();
}

Offer offer_mirrored(const Request& request) {
  const auto whole = std::make_shared<const Representative>(
      mirrors::representative(request.map().map, memory_bits_of(request)));
  std::optional<Found> best = best_of(request, *whole);
  if (!best) throw Error(ErrorCode::impossible, "none of the planners asked takes its mirrors");
  const auto found = std::make_shared<const Found>(std::move(*best));
  return {
      .estimate = {{found->offer.estimate.cost.value, "the least of its mirrors' plans"}},
      .push = [request, whole, found](ScheduleSink& sink) { push(request, *whole, *found, sink); },
      .expression = fmt::format("mirror({})", found->offer.expression)};
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
});

}  // namespace faro::inline v1
