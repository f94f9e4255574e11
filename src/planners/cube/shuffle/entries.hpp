// What the catalogue's entries of shuffle planners are made of: what they ask of a request, one
// question after another, what they promise and build from its structure.
//
//   .refusal = refused_unless<all_ports, only_cycles, one_cycle>,     the first that does not hold
//   .estimate = estimated<of_ring>,
//   .build = built<shuffle::ring_phase, shuffle_ring>,
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "planners/cube/shuffle/phase.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1::shuffle {

// What must hold of a structure, and the refusal if it does not.
struct Condition {
  bool (*holds)(const Structure&);
  const char* otherwise;
};

inline constexpr Hypercube::Ports all_ports = Hypercube::Ports::all;
inline constexpr Hypercube::Ports one_port = Hypercube::Ports::one;

inline constexpr Condition something_remote{[](const Structure& s) { return !s.nothing_remote(); },
                                            "nothing moves between processors"};
inline constexpr Condition two_elements{[](const Structure& s) { return s.elements() >= 2; },
                                        "it needs two elements in a processor"};
inline constexpr Condition only_cycles{[](const Structure& s) { return s.chains.empty(); },
                                       "storage bits take part"};
inline constexpr Condition has_chains{[](const Structure& s) { return !s.chains.empty(); },
                                      "no storage bit moves into a processor bit"};
inline constexpr Condition only_chains{[](const Structure& s) { return s.cycles.empty(); },
                                       "there is a real cycle"};

std::optional<std::string> first_refusal(const Request& request, Hypercube::Ports ports,
                                         std::initializer_list<const Condition*> conditions);

template <Hypercube::Ports ports, const Condition&... conditions>
std::optional<std::string> refused_unless(const Request& request) {
  return first_refusal(request, ports, {&conditions...});
}

template <Estimate (*of)(const Structure&)>
Estimate estimated(const Request& request) {
  return of(structure_of(request));
}

template <Phase (*make)(const Structure&), const PlannerEntry& planner>
void built(const Request& request, ScheduleSink& sink) {
  const Structure s = structure_of(request);
  emit(s, {{s, make(s)}}, request, planner.name(), sink);
}

template <Program (*make)(const Structure&), const PlannerEntry& planner>
void built(const Request& request, ScheduleSink& sink) {
  const Structure s = structure_of(request);
  emit(s, make(s), request, planner.name(), sink);
}

}  // namespace faro::inline v1::shuffle
