// What a place says of its plan, and the rows of the table of places.
#pragma once

#include <string>
#include <string_view>

#include "base/report.hpp"
#include "faro/places/placed_plan.hpp"

namespace faro::inline v1 {

namespace places {
enum class Judged { nobody, right, wrong };
}

struct PlacedPlan::Content {
  PlacedPlan::Plan plan;
  std::string_view place = {};
  Count cost = 0;
  Count bound = 0;
  std::string reason = {};
  std::string unit = {};
  std::string made_of = {};
  places::Judged judged = places::Judged::nobody;
  Report report = {};
};

namespace places {

struct Asked {
  const MoveRequest& request;
  std::string place;  // as it was written
  const PlaceOptions& options;
};

// A row: whose words it takes, and what it makes of them. `knows` are the options by their names on
// the command line; `takes` says what is taken, after the names of those that are not.
struct Place {
  std::string_view name;
  bool (*is_meant)(const Asked& asked);
  std::vector<std::string_view> knows;
  std::string_view takes;
  PlacedPlan::Content (*make)(const Asked& asked);
};

const Place& place_of(const Asked& asked);
// Throws Error(usage) that names what of `given` the place does not know.
void hold_to(const Place& place, const std::vector<std::string_view>& given);

bool is_exchange(const Asked& asked);
bool is_grid(const Asked& asked);

PlacedPlan::Content in_memory(const Asked& asked);
PlacedPlan::Content on_disk(const Asked& asked);
PlacedPlan::Content by_exchange(const Asked& asked);
PlacedPlan::Content between_placements(const Asked& asked);
PlacedPlan::Content on_machine(const Asked& asked);

}  // namespace places
}  // namespace faro::inline v1
