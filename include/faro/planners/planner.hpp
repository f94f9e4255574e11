// A planner: an algorithm that makes schedules. It says who it is, whether it applies or why not,
// and offers a schedule with its exact cost.
//
//   const Offer offer = planner.offer(request);      searches, if it has to, once
//   offer.estimate.cost.value                        what the schedule costs
//   offer.push(sink);  offer.push(another);          the same schedule as often as wanted
//
// It never verifies: the service does that with verifiers that share no code with it. An own one
// derives from Planner and is given to plan(): examples/own_planner.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "faro/base/count.hpp"
#include "faro/planners/request.hpp"
#include "faro/schedules/estimate.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class CompiledSink;

// Who a planner is, in words that outlive it.
struct About {
  std::string_view name;      // what --algorithm takes
  std::string_view machine;   // begins with the word of the machine: "cube", "mesh all links"
  std::string_view title;     // a line of what it does
  std::string_view needs;     // a line of what it applies to
  std::string_view cost;      // a line: its cost in words and symbols
  std::string_view citation;  // paper and theorem, or "faro" where the construction is ours
};

struct Offer {
  // Exact: the schedule that is pushed has this cost.
  Estimate estimate;
  // Pushes begin, steps and finish, the same ones every time. The header carries goal, elements,
  // slots and planner; the caller adds cost and bound.
  std::function<void(ScheduleSink&)> push;
  // What the plan is made of, "phases(lanes(2), ring(3))"; empty: the planner's name.
  std::string expression = {};
  // Of butterfly networks and sorts: the same schedule with what a processor must know to compute.
  std::function<void(CompiledSink&)> compiled = {};
};

class Planner {
 public:
  constexpr Planner() = default;
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  virtual ~Planner() = default;

  virtual const About& about() const = 0;
  std::string_view name() const { return about().name; }

  // Nothing if the planner applies, else why not: completes "does not apply: ...".
  virtual std::optional<std::string> refusal(const Request& request) const = 0;

  // A planner that searches is asked after those that do not, and only while `at_least`, or the
  // machine's lower bound if that is more, is below the best offer so far.
  virtual bool searches() const { return false; }
  virtual Count at_least(const Request&) const { return 0; }
  // One that asks all others for fewer elements is asked before those that search, and wins ties:
  // where it answers, nobody searches for all elements.
  virtual bool asks_for_fewer() const { return false; }

  // Requires no refusal. A search that finds nothing throws Error(impossible) or Error(limit): then
  // the planner has refused.
  virtual Offer offer(const Request& request) const = 0;
};

// The header of a schedule for the request: machine, goal, elements, and what is given.
ScheduleHeader header_of(const Request& request, std::string_view planner, std::uint64_t slots);

}  // namespace faro::inline v1
