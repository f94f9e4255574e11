// Schedules with loops as entries that can be changed, and their mutants.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "schedules/rolled.hpp"

namespace faro::testing {

struct Looped {
  ScheduleHeader header;
  std::vector<rolled::Entry> entries;
  bool pops = false;
};

inline Verdict judged(std::unique_ptr<Verifier> judge, const Looped& schedule,
                      const rolled::Kinds& kinds) {
  judge->begin(schedule.header);
  rolled::push(schedule.entries, kinds, schedule.pops, *judge);
  judge->finish();
  return judge->verdict();
}

// Whether all slots are numbers that a step can have.
inline bool has_slots(const Looped& schedule) {
  for (const rolled::Entry& entry : schedule.entries)
    for (const rolled::Step& step : entry.body)
      for (const rolled::Item& item : step) {
        const auto last = static_cast<std::int64_t>(entry.laps) - 1;
        for (const std::int64_t slot :
             {item.from, item.to, item.from + item.from_by * last, item.to + item.to_by * last})
          if (slot < 0) return false;
      }
  return true;
}

// What a planner makes, rolled up; nothing if it makes nothing, or what is not rolled up.
inline std::optional<Looped> rolled_up(const Planner& planner, const Request& request,
                                       rolled::Kinds& kinds) {
  if (planner.refusal(request)) return {};
  rolled::Recorded recorded(kinds, 100000);
  try {
    planner.offer(request).push(recorded);
  } catch (const Error&) {
    return {};
  }
  if (!recorded.rollable || recorded.header.repeat != Repeat{}) return {};
  std::uint64_t slots = recorded.header.slots;
  Looped schedule{recorded.header, rolled::roll(recorded.steps, kinds, slots),
                  std::holds_alternative<Pops>(request.machine()) ||
                      std::holds_alternative<Crossbar>(request.machine())};
  schedule.header.entries = ScheduleHeader::Entries::loops;
  schedule.header.slots = slots;
  return schedule;
}

// One small change of a schedule; false if there was nothing to change.
class LoopMutator {
 public:
  explicit LoopMutator(std::uint64_t seed) : random_(seed) {}
  bool change(Looped& schedule) {
    const std::size_t e = random_.below(schedule.entries.size());
    rolled::Entry& entry = schedule.entries[e];
    rolled::Step& step = entry.body[random_.below(entry.body.size())];
    const auto at = schedule.entries.begin() + static_cast<std::ptrdiff_t>(e);
    rolled::Item* item = step.empty() ? nullptr : &step[random_.below(step.size())];
    switch (kind_ = random_.below(12)) {
      case 0:  // laps
        if (entry.laps == 1) return false;
        entry.laps = static_cast<std::uint64_t>(
            std::max<std::int64_t>(1, static_cast<std::int64_t>(entry.laps) + nudge()));
        return true;
      case 1:
      case 2: {  // advance
        if (item == nullptr || entry.laps == 1) return false;
        (kind_ == 1 ? item->from_by : item->to_by) += nudge();
        return true;
      }
      case 3:
      case 4: {  // slot
        if (item == nullptr) return false;
        (kind_ == 3 ? item->from : item->to) += nudge();
        return true;
      }
      case 5: {  // condition or dimension: what another item has
        const rolled::Entry& other = schedule.entries[random_.below(schedule.entries.size())];
        const rolled::Step& there = other.body[random_.below(other.body.size())];
        if (item == nullptr || there.empty()) return false;
        item->kind = there[random_.below(there.size())].kind;
        return true;
      }
      case 6:  // item dropped
        if (item == nullptr) return false;
        step.erase(step.begin() + (item - step.data()));
        return true;
      case 7:  // step dropped
        if (entry.body.size() < 2) return false;
        entry.body.erase(entry.body.begin());
        return true;
      case 8:  // step doubled
        entry.body.insert(entry.body.begin(), entry.body[random_.below(entry.body.size())]);
        return true;
      case 9: {  // one lap written out, before
        if (entry.laps < 2) return false;
        rolled::Entry first{1, entry.body};
        for (rolled::Step& s : first.body)
          for (rolled::Item& i : s) i.from_by = i.to_by = 0;
        --entry.laps;
        for (rolled::Step& s : entry.body)
          for (rolled::Item& i : s) {
            i.from += i.from_by;
            i.to += i.to_by;
          }
        schedule.entries.insert(at, first);
        return true;
      }
      case 10:  // entries swapped
        if (e + 1 == schedule.entries.size()) return false;
        std::swap(entry, *(at + 1));
        return true;
      default:  // fewer slots
        schedule.header.slots -= std::min<std::uint64_t>(1, schedule.header.slots - 1);
        return true;
    }
  }
  std::uint64_t kind() const { return kind_; }

 private:
  std::int64_t nudge() {
    constexpr std::int64_t by[] = {1, -1, 2, -2};
    return by[random_.below(4)];
  }
  Random random_;
  std::uint64_t kind_ = 0;
};

}  // namespace faro::testing
