// Planners of butterfly networks: algorithms that emulate the p stages of a butterfly on 2^p
// elements by an n-cube with K = 2^(p-n) elements in each processor.
//
//   n 3, p 5, cyclic, binary||gray, most significant bit first:   bits 4 and 3 are memory bits,
//   their stages are local; stages of bits 2, 1, 0 need K/2 + n - 1 = 4 steps of communication
//
// They stand beside planners/planner.hpp, whose requests are maps: what is wanted here is a
// computation, and where its results end is part of the plan unless the request says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "faro/planners/request.hpp"
#include "faro/schedules/compiled.hpp"
#include "faro/schedules/estimate.hpp"
#include "faro/schedules/goal.hpp"

namespace faro::inline v1 {

struct ButterflyPlanner {
  // A closed plan has its cost in a formula; a search takes up to seconds to say what it costs.
  enum class Kind { closed, search };

  const char* name;
  const char* title;
  const char* needs;
  const char* cost;
  const char* citation;
  Kind kind = Kind::closed;

  // Nothing if the planner applies, else why not: completes "does not apply: ...".
  std::optional<std::string> (*refusal)(const ButterflyNetwork&);
  // Requires no refusal.
  Estimate (*estimate)(const ButterflyNetwork&);
  // Pushes begin, steps and finish; the header carries goal, planner name, elements and slots.
  // Requires no refusal.
  void (*build)(const ButterflyNetwork&, CompiledSink&);
};

// All of them, in the order in which ties are broken.
std::span<const ButterflyPlanner* const> butterfly_planners();
// Nothing if there is none of this name.
const ButterflyPlanner* find_butterfly_planner(std::string_view name);
// The cheapest that applies; throws Error(impossible) with every refusal if none does, and
// Error(usage) for a request that makes no sense. Searches are asked where no closed plan applies;
// with Effort::search also where none meets `bound`.
enum class Effort { closed, search };
const ButterflyPlanner& cheapest_butterfly_planner(const ButterflyNetwork& request,
                                                   Effort effort = Effort::closed, Count bound = 0);

// Throws Error(usage) unless 0 <= n <= p <= 64 and K fits a slot number.
void check_request(const ButterflyNetwork& request);

}  // namespace faro::inline v1
