// A part of a plan: a smaller question, answered by whoever answers it best.
//
//   cheapest_offer(Request::of(cube, map))     what plan() would take, unverified: the whole is
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

// Few: nobody searches where somebody has a formula, and else the first that finds something is
// taken.
enum class Searching { all, few };

// Throws Error(impossible) if no planner applies. Made by the service, which knows them all:
// service/asking.cpp.
Offer cheapest_offer(const Request& request, Searching searching = Searching::all);

// Nothing in place of the error.
std::optional<Offer> cheapest_if_any(const Request& request, Searching searching = Searching::all);

// The same with its planner, then those who need no search and are about as good: at most so many
// steps dearer. For plans of more elements that go on as these do: nobody is asked who would refuse
// `further`, a larger question of the same kind, or whose plans are found by luck; nor, unless it
// may take seconds, who asks others at length. Nor are those who ask for fewer elements.
enum class Patience { none, seconds };
struct Answer {
  const Planner* planner = nullptr;
  Offer offer;
};
std::vector<Answer> good_answers(const Request& request, Count dearer, const Request& further,
                                 Patience patience);
// What one planner answers.
Answer answer_of(const Request& request, const Planner& planner);

// The entries of which this holds, in the order of the catalogue: whom a rewrite asks beside, it
// finds by a property and never by name.
std::vector<const PlannerEntry*> entries_where(bool (*holds)(const PlannerEntry::Parts&));

// The header that comes with the schedule; no step of it is made.
ScheduleHeader header_of(const Offer& offer);

}  // namespace faro::inline v1
