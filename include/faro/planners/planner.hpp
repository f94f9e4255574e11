// A planner: an algorithm that makes schedules. One file a family, one line in the catalogue each.
//
// A planner says who it is, whether it applies or why not, what it will cost in closed form, and
// builds the schedule into a sink. It never verifies: the service does that with verifiers that
// share no code with it. Planning enumerates no processors unless the entry says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"
#include "faro/planners/workings.hpp"
#include "faro/schedules/estimate.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro {

// What somebody wants moved. `destinations` (processor p sends to destinations[p]) stands for what
// no map says; then `map` is unused.
struct Request {
  Machine machine;
  MapGoal map = {};
  std::vector<std::uint64_t> destinations = {};
  std::uint64_t elements = 1;  // K per processor; equals 2^memory_bits where the map has a cut
  // Where planners that search keep what they found between estimate and build; none: they search
  // twice.
  std::shared_ptr<Workings> workings = {};
};

struct Planner {
  const char* name;      // what --algorithm takes
  const char* machine;   // "cube", "mesh", "mesh all links", "torus", "pops"
  const char* title;     // a line of what it does
  const char* needs;     // a line of what it applies to
  const char* cost;      // a line: its cost in words and symbols
  const char* citation;  // paper and theorem, or "faro" where the construction is ours

  // Nothing if the planner applies, else why not: completes "does not apply: ...".
  std::optional<std::string> (*refusal)(const Request&);
  // Requires no refusal.
  Estimate (*estimate)(const Request&);
  // Pushes begin, steps and finish. The header carries planner name, goal, elements and slots; the
  // caller adds cost and bound. Requires no refusal.
  void (*build)(const Request&, ScheduleSink&);
};

}  // namespace faro
