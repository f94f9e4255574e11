#include "service/claimed_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/text.hpp"
#include "faro/service/plan.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

// Destinations of processors, where all elements of one go to the same slots of another.
std::optional<Destinations> destinations_of(const ScheduleHeader& header, const MovesGoal& goal) {
  const auto count = static_cast<std::size_t>(processors(header.machine));
  std::vector<std::uint64_t> to(count, count);
  if (Count{goal.moves.size()} != Count{count} * header.elements) return {};
  for (const Move& m : goal.moves) {
    if (m.from_processor >= count || m.from_slot != m.to_slot) return {};
    std::uint64_t& end = to[static_cast<std::size_t>(m.from_processor)];
    if (end != count && end != m.to_processor) return {};
    end = m.to_processor;
  }
  return Destinations{to};
}

std::optional<Request> request_of(const ScheduleHeader& header) {
  if (const auto* map = std::get_if<MapGoal>(&header.goal))
    return Request::of(header.machine, *map, header.elements);
  if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
    const auto destinations = destinations_of(header, *moves);
    if (!destinations) return {};
    return Request::of(header.machine, *destinations, header.elements);
  }
  if (const auto* broadcast = std::get_if<BroadcastGoal>(&header.goal)) {
    if (broadcast->root)
      return Request::of(header.machine, Broadcast{Broadcast::Kind::one_to_all, *broadcast->root},
                         header.elements);
    return Request::of(header.machine, Broadcast{.kind = Broadcast::Kind::all_to_all},
                       header.elements);
  }
  return {};
}

}  // namespace

bool claim_is_tried(const ScheduleHeader& header) {
  return header.bound && processors(header.machine) * std::max<std::uint64_t>(header.elements, 1) <=
                             Count{limits::claimed_bound_elements_max};
}

std::optional<std::string> disproof_of_bound(const ScheduleHeader& header) {
  try {
    const std::optional<Request> request = request_of(header);
    if (!request) return {};
    const Plan made = plan(*request, {.verify = VerifyBy::both});
    const MachineKind& kind = kind_of(header.machine);
    if (!made.ok() || kind.value(made.listed_cost()) >= header.bound->value) return {};
    return fmt::format("the header claims that {} {} are needed, and a plan of {} takes {}",
                       to_string(header.bound->value), kind.unit(), made.planner(),
                       to_string(kind.value(made.listed_cost())));
  } catch (const Error&) {
    return {};  // nothing is planned for this goal
  }
}

}  // namespace faro::inline v1
