// Who waits where, while a table is run.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace faro::inline v1::three_fifths {

// Elements of one source that wait at (layer, position), in order of arrival. Those in one state
// are interchangeable; first come, first served makes the result unique.
class Waiting {
 public:
  struct State {
    int layer;
    int at;
    friend auto operator<=>(const State&, const State&) = default;
  };

  Waiting(int start, std::uint64_t elements) {
    for (std::uint64_t e = 0; e < elements; ++e) queue_[{0, start}].push_back(e);
  }
  void arrive(std::uint64_t step) {
    const auto due = due_.find(step);
    if (due == due_.end()) return;
    for (const auto& [state, element] : due->second) queue_[state].push_back(element);
    due_.erase(due);
  }
  std::uint64_t take(State state) {
    std::deque<std::uint64_t>& queue = queue_[state];
    FARO_CHECK(!queue.empty());
    const std::uint64_t element = queue.front();
    queue.pop_front();
    return element;
  }
  void schedule(std::uint64_t step, State state, std::uint64_t element) {
    due_[step].emplace_back(state, element);
  }

 private:
  std::map<State, std::deque<std::uint64_t>> queue_;
  std::map<std::uint64_t, std::vector<std::pair<State, std::uint64_t>>> due_;
};

}  // namespace faro::inline v1::three_fifths
