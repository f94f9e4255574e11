#include "planners/cube/affine/router.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <string>

#include "faro/algebra/classify.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/flock_ways.hpp"
#include "planners/cube/affine/job_line.hpp"
#include "planners/cube/affine/job_plan.hpp"

namespace faro::inline v1 {
namespace {

// Links of steps that a search looks at: up to two seconds, and up to ten; where shortest ways
// crowd some links, a tenth of one.
constexpr FlockEffort effort{.near = std::uint64_t{1} << 31U, .far_above = std::uint64_t{1} << 33U};
constexpr FlockEffort small_effort{.near = std::uint64_t{1} << 26U,
                                   .far_above = std::uint64_t{1} << 26U};

std::uint64_t bound_of(const Request& request) {
  return static_cast<std::uint64_t>(
      lower_bound(*cube_of(request), request.map(), request.elements()).value);
}

// Where memory does not reach, shortest ways do for few elements of bit permutations alone.
std::optional<std::string> refusal_unfed(const Request& request, const jobs::Task& task) {
  const std::optional<SplitMap> split = split_map(request);
  if (!bit_places(split ? split->processors : request.map().map))
    return fmt::format("memory does not reach processor bit {}, and it is no bit permutation",
                       lowest_bit(task.to_do() & ~task.fed()));
  const int dimensions = std::popcount(task.to_do());
  const std::uint64_t most =
      std::min(4 * static_cast<std::uint64_t>(dimensions),
               limits::router_alike_max >> static_cast<unsigned>(std::min(dimensions, 63)));
  if (request.elements() <= most) return {};
  return fmt::format(
      "{} elements a processor; where memory does not reach {} bits that change it "
      "routes at most {}",
      request.elements(), dimensions, most);
}

std::optional<std::string> refusal(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  if (processors(request.machine()) == 1) return "there is one processor alone";
  if (request.elements() < 2) return "it is for two elements a processor or more";
  if (request.elements() > limits::router_flocks_max)
    return fmt::format("{} elements a processor; it routes at most {}", request.elements(),
                       limits::router_flocks_max);
  const jobs::Task task = jobs::moved(request).task;
  if (task.to_do() == 0) return "nothing moves between processors";
  if (!jobs::all_fed(task))
    if (auto why = refusal_unfed(request, task)) return why;
  const Flocks flocks(request);
  if (flocks.cosets() > limits::router_flocks_max / request.elements())
    return fmt::format("{} elements in each of 2^{} cosets; it routes at most {} of all",
                       request.elements(), flocks.coset_bits(), limits::router_flocks_max);
  if (!within(effort, flocks))
    return "elements cross so many dimensions that looking at their orders takes too long";
  return {};
}

Offer offer(const Request& request) {
  const bool fed = jobs::all_fed(jobs::moved(request).task);
  const auto flocks = std::make_shared<const Flocks>(request);
  const auto ways = std::make_shared<const FlockWays>(
      flock_ways(*flocks, bound_of(request), fed ? effort : small_effort));
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
        "processor bits all fed from memory, at most 2^14 flocks; or a bit permutation, K <= 4n', "
        "2^n' K <= 2^12",
    .cost = "counted: max(n', K/2, bound) + 0..2 for most",
    .citation = "faro, after McMurchie, Ebeling 1995",
    .refusal = refusal,
    .offer = offer,
    .searches = true,
    .finds_by_luck = true,
    .of_mirrors = {.most = 2, .elements = 64, .turn = 2},
});

}  // namespace faro::inline v1
