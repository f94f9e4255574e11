// The end of a loop: whether it has laps, a body, and slots that slots can be.
#include "schedules/json_loop.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "schedules/loops.hpp"

namespace faro::inline v1::json {
namespace {

void check(Slot first, std::int64_t by, std::uint64_t laps) {
  if (!advanced(first, by, laps - 1))
    throw Breach{"slot-range",
                 fmt::format("slot {} of a loop goes on by {} and is outside the 32 bits of a slot "
                             "before the last of {} laps",
                             first, by, laps)};
}

template <class Step>
Count push(Loop<Step>& loop, std::uint64_t laps, ScheduleSink& sink) {
  loop.laps = laps;
  if (laps == 0) throw Breach{"missing", "a loop: key 'laps' is missing or malformed"};
  if (loop.body.empty()) throw Breach{"missing", "a loop: a body of at least one step wanted"};
  for (auto& entry : loop.body)
    for_each_item(entry.first, entry.advances, [laps](Slot from, Slot to, const Advance& advance) {
      check(from, advance.from, laps);
      check(to, advance.to, laps);
    });
  sink.loop(loop);
  return Count{loop.body.size()} * laps;
}

}  // namespace

void LoopReader::begin() {
  laps_ = items_ = 0;
  cube_.body.clear();
  pops_.body.clear();
}

void LoopReader::take_laps(const Value& value) {
  const std::uint64_t laps = value.number("laps");
  if (laps == 0) throw Breach{"range", "laps: at least 1 wanted"};
  if (laps > limits::loop_laps_max)
    throw Error(ErrorCode::limit,
                fmt::format("a loop of {} laps; at most {}", laps, limits::loop_laps_max));
  laps_ = laps;
}

void LoopReader::count_step() {
  // A step takes as much memory as some rules, though it be empty.
  constexpr std::uint64_t as_many = 16;
  count_items(as_many);
}

void LoopReader::count_item() {
  count_items(1);
}

void LoopReader::count_items(std::uint64_t more) {
  items_ += more;
  if (items_ > limits::loop_items_max)
    throw Error(ErrorCode::limit,
                fmt::format("a loop of more than {} rules and moves, a step counting as 16 of them",
                            limits::loop_items_max));
}

void LoopReader::add(const CubeStep& step, const Advances& advances) {
  cube_.body.push_back({step, advances.rules});
  std::vector<Advance>& all = cube_.body.back().advances;
  all.insert(all.end(), advances.moves.begin(), advances.moves.end());
}

void LoopReader::add(const PopsSlot& slot, const Advances& advances) {
  pops_.body.push_back({slot, advances.rules});
}

Count LoopReader::push_to(ScheduleSink& sink, bool slots) {
  return slots ? push(pops_, laps_, sink) : push(cube_, laps_, sink);
}

}  // namespace faro::inline v1::json
