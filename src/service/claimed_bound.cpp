#include "service/claimed_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t kept = 64;  // goals of at most 2^10 elements

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

const ClaimedBounds::Planned& ClaimedBounds::planned(const ScheduleHeader& header) {
  const auto known = std::find_if(planned_.begin(), planned_.end(), [&](const Planned& p) {
    return p.of.machine == header.machine && p.of.elements == header.elements &&
           p.of.goal == header.goal;
  });
  if (known != planned_.end()) {
    std::rotate(planned_.begin(), known, known + 1);
    return planned_.front();
  }
  Planned now;
  now.of.machine = header.machine;
  now.of.elements = header.elements;
  now.of.goal = header.goal;
  try {
    if (const std::optional<Request> request = request_of(header)) {
      const MachinePlan made = plan(*request, {.verify = VerifyBy::both});
      if (made.ok()) now.value = kind_of(header.machine).value(made.listed_cost());
      now.planner = made.planner();
    }
  } catch (const Error& error) {
    // Nothing is planned for this goal.
    if (error.code() == ErrorCode::cancelled) throw;
  }
  if (planned_.size() == kept) planned_.pop_back();
  planned_.push_front(std::move(now));
  return planned_.front();
}

std::optional<std::string> ClaimedBounds::disproof(const ScheduleHeader& header) {
  const Planned& best = planned(header);
  if (!best.value || *best.value >= header.bound->value) return {};
  return fmt::format("the header claims that {} {} are needed, and a plan of {} takes {}",
                     to_string(header.bound->value), kind_of(header.machine).unit(), best.planner,
                     to_string(*best.value));
}

}  // namespace faro::inline v1
