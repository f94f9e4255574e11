#include "planners/cube/affine/router.hpp"

#include <fmt/format.h>

#include <bit>
#include <memory>

#include "faro/algebra/classify.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/flock_ways.hpp"
#include "planners/cube/affine/job_plan.hpp"

namespace faro::inline v1 {
namespace {

// Links of steps that a search looks at: up to a second, and up to four.
constexpr FlockEffort effort{.near = std::uint64_t{1} << 29U, .far = std::uint64_t{1} << 31U};

std::uint64_t bound_of(const Request& request) {
  return static_cast<std::uint64_t>(
      lower_bound(*cube_of(request), request.map(), request.elements()).value);
}

// Where shortest ways use links evenly, or nearly, and elements are few.
bool short_ways_do(const Request& request) {
  const jobs::Task task = jobs::moved(request).task;
  if ((task.to_do() & ~task.fed()) == 0) return true;
  const auto dimensions = static_cast<std::uint64_t>(std::popcount(task.to_do()));
  return bit_places(request.map().map).has_value() && request.elements() <= 4 * dimensions;
}

std::optional<std::string> refusal(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (processors(request.machine()) == 1) return "there is one processor alone";
  if (request.elements() < 2) return "it is for two elements a processor or more";
  if (request.elements() > limits::router_flocks_max)
    return fmt::format("{} elements a processor; it routes at most {}", request.elements(),
                       limits::router_flocks_max);
  if (jobs::moved(request).task.to_do() == 0) return "nothing moves between processors";
  if (!short_ways_do(request))
    return "memory does not reach all processor bits, and it is no bit permutation of few elements";
  const Flocks flocks(request);
  if (flocks.cosets() > limits::router_flocks_max / request.elements())
    return fmt::format("{} elements in each of 2^{} cosets; it routes at most {} of all",
                       request.elements(), flocks.coset_bits(), limits::router_flocks_max);
  if (looks_for_all(flocks, bound_of(request)) > effort.near / 2)
    return "elements cross so many dimensions that looking at their orders takes too long";
  return {};
}

Offer offer(const Request& request) {
  const auto flocks = std::make_shared<const Flocks>(request);
  const auto ways =
      std::make_shared<const FlockWays>(flock_ways(*flocks, bound_of(request), effort));
  return {.estimate = {.cost = {ways->steps, "counted, ways and times negotiated"}},
          .push = [request, flocks, ways](ScheduleSink& sink) {
            push_flocks(request, *flocks, *ways, affine_router.name(), sink);
          }};
}

}  // namespace

const PlannerEntry affine_router({
    .name = "affine-router",
    .machine = "cube",
    .title = "each element on a shortest way, elements in flocks, ways and times negotiated",
    .needs =
        "processor bits all fed from memory, at most 2^14 flocks; or a bit permutation, K <= 4n'",
    .cost = "counted: max(n', K/2, bound) + 0..2 for most",
    .citation = "faro, after McMurchie, Ebeling 1995",
    .refusal = refusal,
    .offer = offer,
    .searches = true,
});

}  // namespace faro::inline v1
