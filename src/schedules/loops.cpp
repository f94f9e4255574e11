// Steps of a loop in one of its laps.
#include "schedules/loops.hpp"

#include <fmt/format.h>

#include <limits>

#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

Slot slot_at(Slot first, std::int64_t by, std::uint64_t lap) {
  const std::optional<Slot> slot = advanced(first, by, lap);
  if (!slot)
    throw Error(ErrorCode::usage,
                fmt::format("slot {} of a loop, advanced {} times by {}, leaves the 32 bits of a "
                            "slot",
                            first, lap, by));
  return *slot;
}

// `more`: the step has what is neither rule nor move.
template <class Step>
void set_to_lap(const typename Loop<Step>::Entry& entry, bool more, std::uint64_t lap, Step& step) {
  if (more || entry.advances.size() != items_of(entry.first))
    throw Error(ErrorCode::usage,
                fmt::format("a step of a loop has {} advances for {} rules and moves; it has "
                            "nothing else, and one for each of them",
                            entry.advances.size(), items_of(entry.first)));
  step = entry.first;
  for_each_item(step, entry.advances, [lap](Slot& from, Slot& to, const Advance& advance) {
    from = slot_at(from, advance.from, lap);
    to = slot_at(to, advance.to, lap);
  });
}

}  // namespace

int moving_bits(const MapGoal& goal) {
  if (!goal.cut) return 0;
  int low = goal.memory_bits;
  const auto stays = [&goal](int b) {
    return goal.map.column(b) == bit(b) && goal.map.matrix().row(b) == bit(b) &&
           !has_bit(goal.map.complement(), b);
  };
  while (low > 0 && stays(low - 1)) --low;
  return low;
}

std::optional<Slot> advanced(Slot first, std::int64_t by, std::uint64_t laps) {
  if (by == 0 || laps == 0) return first;
  const std::uint64_t distance =
      by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
  const std::uint64_t room = by < 0 ? first : std::numeric_limits<Slot>::max() - first;
  if (distance > room / laps) return {};
  const std::uint64_t way = distance * laps;
  return static_cast<Slot>(by < 0 ? first - way : first + way);
}

void at_lap(const CubeLoop::Entry& entry, std::uint64_t lap, CubeStep& step) {
  const bool more = !entry.first.butterflies.empty() || !entry.first.butterfly_rules.empty();
  set_to_lap(entry, more, lap, step);
}

void at_lap(const PopsLoop::Entry& entry, std::uint64_t lap, PopsSlot& step) {
  const bool more = !entry.first.sends.empty() || !entry.first.receives.empty() ||
                    !entry.first.operations.empty();
  set_to_lap(entry, more, lap, step);
}

}  // namespace faro::inline v1
