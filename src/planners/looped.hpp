// What the planners of loops make: entries that are steps or loops, for all elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planners/part.hpp"
#include "schedules/rolled.hpp"

namespace faro::inline v1::looped {

struct Plan {
  ScheduleHeader header;
  std::vector<rolled::Entry> entries;
};

// A plan for all elements of a request.
struct Looped {
  Plan plan = {};
  Count cost = 0;
  std::string formula = {};
  std::string of = {};  // what it is made of
  rolled::Kinds kinds = {};
};

// Why neither loops nor turns are for a request of however many elements.
std::optional<std::string> not_for_many(const Request& request);

// The same question of fewer elements: of a power of two of them where a map has memory bits, those
// that stay where they are left out; of any number else.
Request of_few(const Request& request, std::uint64_t elements);

// The steps of an answer. Throws Error(impossible) where there are other things than rules and
// moves.
Plan recorded(const Answer& answer, rolled::Kinds& kinds);

// Slots are numbers of 32 bits. Throws Error(limit) for a plan that takes more.
void check_slots(const Plan& plan);

// Nearer to the bound than this share of it nothing else is looked for.
inline bool near(Count cost, Count bound) {
  return cost <= bound + bound / 64;
}

// Whether a plan with this expression was negotiated or drawn, or has a part that was: one for more
// elements is another then. Known to the service: service/asking.cpp.
bool found_by_luck(std::string_view expression);

// A plan for a few elements at a time that was found by luck, and for what is left at the end;
// nothing where there is none that is cheaper than `least`. See few_a_lap.cpp.
std::shared_ptr<const Looped> few_a_lap(const Request& request, Count bound,
                                        std::optional<Count> least);

// On a mesh with all links, elements one behind the other along one way for each processor; nothing
// where that is not cheaper than `least`. See streams.cpp.
std::shared_ptr<const Looped> streams(const Request& request, Count bound,
                                      std::optional<Count> least);

}  // namespace faro::inline v1::looped
