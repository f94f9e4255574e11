// Each entry is a way to make a job plan: ring, shop, one job after another.
#include "planners/cube/affine/affine_jobs.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/affine/job_line.hpp"
#include "planners/cube/affine/job_shop.hpp"

namespace faro::inline v1 {
namespace {

using jobs::JobPlan;
using jobs::Moved;

// Nothing if jobs can move what the request asks.
std::optional<std::string> refusal_of(const Request& request, Hypercube::Ports ports) {
  if (auto why = cube_refusal(request, ports)) return why;
  if (processors(request.machine()) == 1) return "there is one processor alone";
  if (request.elements() < 2) return "it moves two elements of a processor together";
  if (request.elements() > limits::affine_memory_slots_max)
    return fmt::format("{} elements a processor; it plans at most {}", request.elements(),
                       limits::affine_memory_slots_max);
  if (jobs::moved(request).task.to_do() == 0) return "nothing moves between processors";
  return {};
}

std::optional<std::string> refusal_unfed(const Request& request) {
  if (auto why = refusal_of(request, Hypercube::Ports::all)) return why;
  const jobs::Task task = jobs::moved(request).task;
  const Word unfed = task.to_do() & ~task.fed();
  if (unfed == 0) return {};
  return fmt::format("memory does not reach processor bit {}", lowest_bit(unfed));
}

std::optional<std::string> refusal_all(const Request& request) {
  return refusal_of(request, Hypercube::Ports::all);
}
std::optional<std::string> refusal_one(const Request& request) {
  return refusal_of(request, Hypercube::Ports::one);
}

JobPlan shop_for(const Request& request, const Moved& moved) {
  const Bound bound = lower_bound(*cube_of(request), request.map(), request.elements());
  return jobs::shop(moved, static_cast<std::uint64_t>(bound.value));
}
JobPlan ring_for(const Request&, const Moved& moved) {
  return jobs::ring(moved);
}
JobPlan one_for(const Request&, const Moved& moved) {
  return jobs::one_after_another(moved);
}

using Maker = JobPlan (*)(const Request&, const Moved&);

template <Maker make, const PlannerEntry& planner>
Offer offered(const Request& request) {
  const Moved moved = jobs::moved(request);
  const auto plan = std::make_shared<const JobPlan>(make(request, moved));
  return {.estimate = {.cost = {plan->steps(), std::string(planner.about().cost)}},
          .push = [request, moved, plan](ScheduleSink& sink) {
            push(request, moved, *plan, planner.name(), sink);
          }};
}

}  // namespace

const PlannerEntry affine_ring({
    .name = "affine-ring",
    .machine = "cube",
    .title = "jobs of two elements on a ring of dimensions, each begins at a place of its own",
    .needs = "a map whose processor bits are all fed from memory, all ports",
    .cost = "max(n', K/2) + the waits of the last place",
    .refusal = refusal_unfed,
    .offer = offered<ring_for, affine_ring>,
    .searches = true,
    .of_mirrors = {.most = 40, .few = 8, .pairs = true},
});

const PlannerEntry affine_shop({
    .name = "affine-shop",
    .machine = "cube",
    .title = "jobs of two elements in a job shop of dimensions, opened where memory does not reach",
    .needs = "any affine map, two elements or more, all ports",
    .cost = "counted: max(n', K/2) + 0..2 where all is fed",
    .refusal = refusal_all,
    .offer = offered<shop_for, affine_shop>,
    .searches = true,
    .finds_by_luck = true,
    .of_mirrors = {.most = 40, .few = 8, .pairs = true},
    .of_ports = true,
});

const PlannerEntry affine_jobs_one_port({
    .name = "affine-jobs-one-port",
    .machine = "cube",
    .title = "jobs of two elements one after the other",
    .needs = "any affine map, two elements or more, one port",
    .cost = "ceil(K/2)(n' + openings)",
    .refusal = refusal_one,
    .offer = offered<one_for, affine_jobs_one_port>,
    .searches = true,
    .of_mirrors = {.most = 40, .pairs = true, .turn = 2},
});

}  // namespace faro::inline v1
