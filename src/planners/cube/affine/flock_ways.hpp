// Ways for all flocks (flocks.hpp) within a number of steps: each crosses its dimensions once, in
// any order and with any waits.
//
//   complement of one dimension beside a chain of one, K = 2: two steps; element 0 of processor 0
//   goes over the chain's dimension first, element 1 over the other first
//
// A greedy start (each coset matches its flocks, those with most left first, to dimensions), then
// fewer steps by negotiation (search/route.hpp): a flock takes the cheapest way over the
// states of what it has crossed (flock_states.hpp) and the steps, and links of a step that two want
// become dearer. Of many slots alike a part is planned first, then as many slots again that go the
// same ways later, where those choose anew that meet in the middle; and so on, twice as many.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "planners/cube/affine/flocks.hpp"

namespace faro::inline v1 {

struct FlockWays {
  struct Hop {
    std::uint32_t step = 0;
    int dimension = 0;
  };
  std::vector<std::vector<Hop>> hops;  // by coset * K + slot, steps ascending
  std::uint32_t steps = 0;
};

// Looks at links of steps: while three steps or more above what is enough, in all, and else.
struct FlockEffort {
  std::uint64_t near = 0;
  std::uint64_t far_above = 0;
};
// Whether that is enough for the flocks that are planned first to look for ways a few times.
bool within(const FlockEffort& effort, const Flocks& flocks);
// Stops at `enough` steps, or when the effort is spent.
FlockWays flock_ways(const Flocks& flocks, std::uint64_t enough, const FlockEffort& effort);

// All steps from begin to finish.
void push_flocks(const Request& request, const Flocks& flocks, const FlockWays& ways,
                 std::string_view planner, ScheduleSink& sink);

}  // namespace faro::inline v1
