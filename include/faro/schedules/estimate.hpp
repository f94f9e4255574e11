// What a planner promises: a number with the words that a report shows beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faro/base/count.hpp"

namespace faro::inline v1 {

struct Formula {
  Count value = 0;
  std::string text;  // "max(K, n-d)"
};

struct PaperCount {
  std::string citation;  // "Johnsson, Ho 1991 (codes), Theorem 6"
  Formula formula;
};

// `cost` is exact: the schedule that the planner builds has this cost, and tests compare the two.
// In the unit of the machine: steps, unit routes, slots.
struct Estimate {
  Formula cost;
  // What the paper says of its algorithm, where it says something.
  std::optional<PaperCount> paper = {};
  // What decides between equal costs, compared in order: long routes, register operations.
  std::vector<Count> ties = {};
};

}  // namespace faro::inline v1
