// The table of places, and what every plan says of itself wherever it is performed.
#include "places/placed_plan.hpp"

#include <algorithm>

#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace places {
namespace {

bool is_named(std::string_view text, std::string_view name) {
  return text == name || (text.starts_with(name) && text.substr(name.size()).starts_with(':'));
}

// The first row that is meant; a machine is what no other place is.
const std::vector<Place>& table() {
  static const std::vector<Place> rows = {
      {"memory",
       [](const Asked& a) { return is_named(a.place, "memory"); },
       {"MAP", "--element-bytes", "--in-place"},
       "--on memory takes a map, --shape, --element-bytes and --in-place",
       in_memory},
      {"disk",
       [](const Asked& a) { return is_named(a.place, "disk"); },
       {"MAP", "--element-bytes", "--verify"},
       "--on disk: takes a map, --element-bytes and --verify; what it plans are passes, which "
       "--json writes",
       on_disk},
      {"placements",
       is_grid,
       {"MAP", "--element-bytes", "--relabel"},
       "placements of any lengths on any number of ranks take a map, --shape, --element-bytes and "
       "--relabel",
       between_placements},
      {"exchange",
       is_exchange,
       {"MAP", "--elements", "--startup", "--transfer", "--element-bytes", "--nodes", "--buffer",
        "--relabel", "--in-place"},
       "--element-bytes asks for the exchange of an array, which a map says; for a schedule in "
       "steps leave --element-bytes out",
       by_exchange},
      {"machine",
       [](const Asked&) { return true; },
       {"MAP", "--elements", "--algorithm", "--verify"},
       "a machine of processors takes a map, --elements, --algorithm and --verify",
       on_machine}};
  return rows;
}

std::vector<std::string_view> given(const Asked& asked) {
  const MoveRequest& r = asked.request;
  const PlaceOptions& o = asked.options;
  const std::pair<std::string_view, bool> all[] = {{"--elements", r.elements.has_value()},
                                                   {"--element-bytes", r.element_bytes.has_value()},
                                                   {"--algorithm", !o.algorithm.empty()},
                                                   {"--verify", o.verify != VerifyBy::automatic},
                                                   {"--in-place", o.in_place},
                                                   {"--relabel", o.relabel},
                                                   {"--nodes", o.nodes.has_value()},
                                                   {"--buffer", o.buffer_bytes.has_value()},
                                                   {"--startup", o.startup_seconds.has_value()},
                                                   {"--transfer", o.byte_seconds.has_value()}};
  std::vector<std::string_view> names = {"MAP"};
  for (const auto& [name, is_given] : all)
    if (is_given) names.push_back(name);
  return names;
}

}  // namespace

const Place& place_of(const Asked& asked) {
  return *std::find_if(table().begin(), table().end(),
                       [&](const Place& place) { return place.is_meant(asked); });
}

void hold_to(const Place& place, const std::vector<std::string_view>& names) {
  const auto in = [](std::string_view name, const std::vector<std::string_view>& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::string unknown;
  for (const std::string_view name : names)
    if (!in(name, place.knows)) unknown += fmt::format("{}{}", unknown.empty() ? "" : ", ", name);
  if (unknown.empty() && in("MAP", place.knows) && !in("MAP", names)) unknown = "no MAP";
  if (!unknown.empty()) throw Error(ErrorCode::usage, fmt::format("{}: {}", unknown, place.takes));
}

}  // namespace places

const PlacedPlan::Plan& PlacedPlan::plan() const {
  return content_->plan;
}
std::string_view PlacedPlan::place() const {
  return content_->place;
}
Count PlacedPlan::cost() const {
  return content_->cost;
}
Count PlacedPlan::bound() const {
  return content_->bound;
}
const std::string& PlacedPlan::reason() const {
  return content_->reason;
}
const std::string& PlacedPlan::unit() const {
  return content_->unit;
}
const std::string& PlacedPlan::made_of() const {
  return content_->made_of;
}
bool PlacedPlan::ok() const {
  return content_->judged == places::Judged::right;
}
bool PlacedPlan::judged() const {
  return content_->judged != places::Judged::nobody;
}
const std::string& PlacedPlan::report() const {
  return content_->report.words();
}
std::string PlacedPlan::json() const {
  return content_->report.json();
}

PlacedPlan plan(const MoveRequest& request, std::string_view place, const PlaceOptions& options) {
  const places::Asked asked{request, std::string(place), options};
  const places::Place& row = places::place_of(asked);
  places::hold_to(row, places::given(asked));
  auto content = std::make_shared<PlacedPlan::Content>(row.make(asked));
  content->place = row.name;
  return PlacedPlan(std::move(content));
}

}  // namespace faro::inline v1
