// A schedule as the moves of its steps, and the machine as points and lines, for the page to draw.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::explorer {

class Player {
 public:
  // {"machine", "kind", "processors", "slots", "elements", "program": whether it is of a SIMD mesh,
  // "moves": whether data move and nothing is computed, "steps": [[number, start, length, moves]],
  // "channels": names, "layout": {...} where the machine is small, "cut": the words of what ended
  // the reading early}. Throws Error(limit) for what is too large to spell out.
  nlohmann::ordered_json read(const std::function<void(ScheduleSink&)>& push);

  const std::vector<std::uint32_t>& moves() const { return moves_; }

 private:
  std::vector<std::uint32_t> moves_;
};

}  // namespace faro::explorer
