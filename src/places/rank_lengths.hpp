// Maps of axes of any length on machines whose processors are a power of two: bits
// go between processors in units of all lengths, the rest is each one's own (rank_digits.hpp).
#pragma once

#include <optional>
#include <string>

#include "base/report.hpp"
#include "distributed/rank_digits.hpp"
#include "faro/planners/planner.hpp"

namespace faro::inline v1::places {

struct RankLengths {
  std::string text;  // canonical
  RankDigits digits;

  // Of the array, that an element of the schedule stands for.
  std::uint64_t unit_elements() const;
  // The lines and the members that a report begins with, or has besides.
  Report report() const;
};

// Nothing where the map is one of bits. Throws Error for processors that the cut, or the lengths,
// do not allow. `elements` must be what a processor then holds, if given.
std::optional<RankLengths> rank_lengths(const Said& said, const std::string& machine,
                                        std::optional<std::uint64_t> elements);

// What is asked of planners: a map of processors that move all that they hold, or of units.
Request request_of(const RankLengths& lengths, const std::string& machine);

}  // namespace faro::inline v1::places
