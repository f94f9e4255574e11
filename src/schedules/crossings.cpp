#include "schedules/crossings.hpp"

#include "faro/schedules/cost.hpp"

namespace faro::inline v1 {

void CrossingCounter::begin(const ScheduleHeader& header) {
  slots_ = header.slots;
  times_ = header.repeat.times;
  if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
    dimensions_ = cube->dimensions;
    crossings_.assign(static_cast<std::size_t>(dimensions_), 0);
  }
}

void CrossingCounter::step(const CubeStep& step) {
  for (const Rule& rule : step.rules) {
    const auto d = static_cast<std::size_t>(rule.across);
    if (rule.across != inside && d < crossings_.size())
      crossings_[d] += size_of(dimensions_, rule.where);
  }
  for (const Move& move : step.moves) {
    const Word crossed = move.from_processor ^ move.to_processor;
    if (crossed != 0 && static_cast<std::size_t>(highest_bit(crossed)) < crossings_.size())
      ++crossings_[static_cast<std::size_t>(highest_bit(crossed))];
  }
}

void CrossingCounter::loop(const CubeLoop& loop) {
  std::vector<Count> before(crossings_.size());
  before.swap(crossings_);
  for (const auto& entry : loop.body) step(entry.first);
  for (std::size_t d = 0; d < before.size(); ++d)
    crossings_[d] = before[d] + crossings_[d] * loop.laps;
}

void CrossingCounter::finish() {
  for (Count& crossing : crossings_) crossing *= times_;
}

}  // namespace faro::inline v1
