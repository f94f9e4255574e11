// Mirrors.   [faro]
//   applies:  maps of 2..7 processor bits, K <= 2^12; of n > 7 bits Kn <= 2^13
//   cost:     the least of 40 mirrors' plans by jobs and by row operations; of more bits the least
//             of 7 mirrors' plans by jobs
//   bound:    machines/bounds
#include "planners/cube/affine/mirrored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/request.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

using mirrors::Mirror;
using mirrors::Numbered;

constexpr std::uint64_t few_work_max = 1U << 13U;  // some tenth of a second

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
  Mirror mirror;
};

// Which mirrors are tried: those from `first` on, as many as the work, elements times dimensions of
// all together, allows, and up to a number between `least` and `most`.
struct MirrorChoice {
  std::uint64_t work;
  std::uint64_t first;
  std::uint64_t least;
  std::uint64_t most;
  Numbered::Names names;
  std::uint64_t OfMirrors::*asked;  // about how many a planner is
};
constexpr MirrorChoice all_orders{1U << 15U,       0, 2, 40, Numbered::Names::drawn_for_each,
                                  &OfMirrors::most};
// The request itself stands for all: it is asked about elsewhere. Its inverse has the same mirrors.
constexpr MirrorChoice few_orders{few_work_max,   1, 1, 8, Numbered::Names::drawn_for_two,
                                  &OfMirrors::few};

// Those whose counts depend on names, in their turns.
std::vector<const PlannerEntry*> asked_in_turn() {
  auto all = entries_where([](const PlannerEntry::Parts& parts) {
    const OfMirrors& of = parts.of_mirrors;
    return of.most != 0 || of.few != 0;
  });
  std::stable_sort(all.begin(), all.end(), [](const PlannerEntry* a, const PlannerEntry* b) {
    return a->parts().of_mirrors.turn < b->parts().of_mirrors.turn;
  });
  return all;
}

// The cheapest plan of a mirror of `whole`, which is one of the request.
std::optional<Found> best_of(const Request& request, const Mirror& whole,
                             const MirrorChoice& choice) {
  const auto n = static_cast<std::uint64_t>(processor_bits(request));
  const auto enough = lower_bound(*cube_of(request), request.map(), request.elements()).value;
  const std::uint64_t tried = std::clamp<std::uint64_t>(
      choice.first + choice.work / (request.elements() * n), choice.least, choice.most);
  const std::vector<const PlannerEntry*> planners = asked_in_turn();
  Numbered numbered(whole, 7, choice.names);
  std::optional<Found> best;
  const auto ask = [&best](const PlannerEntry& planner, const Mirror& mirror) {
    if (planner.refusal(mirror.question())) return;
    Offer offer = planner.offer(mirror.question());
    if (best && best->offer.estimate.cost.value <= offer.estimate.cost.value) return;
    if (offer.expression.empty()) offer.expression = planner.name();
    best.emplace(Found{std::move(offer), mirror});
  };
  for (std::uint64_t i = 0; i < tried; ++i) {
    const Mirror mirror = numbered.next();
    if (i < choice.first) continue;
    for (const PlannerEntry* planner : planners) {
      const OfMirrors& of = planner->parts().of_mirrors;
      if (i >= of.*choice.asked) continue;
      ask(*planner, of.pairs ? mirror.in_pairs() : mirror);
      if (best && best->offer.estimate.cost.value <= enough) return best;
    }
  }
  return best;
}

Offer offered(const Request& request, const Mirror& whole, const MirrorChoice& choice,
              const PlannerEntry& planner) {
  std::optional<Found> best = best_of(request, whole, choice);
  if (!best) throw Error(ErrorCode::impossible, "none of the planners asked takes its mirrors");
  return best->mirror.taken_back(std::move(best->offer), planner.name(),
                                 "the least of its mirrors' plans");
}

Offer offer_mirrored(const Request& request) {
  return offered(request, Mirror::representative(request), all_orders, affine_mirrored);
}

std::optional<std::string> refusal_few(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (processor_bits(request) <= limits::mirrored_dimensions_max)
    return fmt::format("{} tries more mirrors", affine_mirrored.name());
  const auto n = static_cast<std::uint64_t>(processor_bits(request));
  if (request.elements() > few_work_max / n)
    return fmt::format("planning {} elements again takes too long; of {} dimensions it takes {}",
                       request.elements(), n, few_work_max / n);
  std::optional<std::string> why = "nobody is asked about a few mirrors";
  for (const PlannerEntry* planner :
       entries_where([](const PlannerEntry::Parts& parts) { return parts.of_mirrors.few != 0; }))
    if (why) why = planner->refusal(request);
  return why;
}

Offer offer_few(const Request& request) {
  return offered(request, Mirror(request), few_orders, affine_few_mirrors);
}

}  // namespace

const PlannerEntry affine_mirrored({
    .name = "affine-mirrored",
    .machine = "cube",
    .title = "the least of the plans for the inverse, renamed dimensions and translations",
    .needs = "a map of 2..7 processor bits, K <= 2^12",
    .cost = "one count for a map and all its mirrors",
    .refusal = refusal_mirrored,
    .offer = offer_mirrored,
    .searches = true,
    .asks_often = true,
    .of_ports = true,
});

const PlannerEntry affine_few_mirrors({
    .name = "affine-few-mirrors",
    .machine = "cube",
    .title =
        "the least of the plans by jobs for the inverse and a few other names and translations",
    .needs = "a map of n >= 8 processor bits, K >= 2, Kn <= 2^13, all ports",
    .cost = "counted: the least of 7 mirrors'",
    .refusal = refusal_few,
    .offer = offer_few,
    .searches = true,
    .asks_often = true,
});

}  // namespace faro::inline v1
