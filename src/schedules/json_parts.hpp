// The parts of a schedule file as the library's types. Each reading throws json::Breach for a value
// of the wrong form; what fits the types but not the machine is the verifiers' matter.
#pragma once

#include <functional>

#include "faro/schedules/schedule.hpp"
#include "schedules/json_item.hpp"

namespace faro::inline v1::json {

// Told of every member that a part does not know.
using Unknown = std::function<void(std::string_view part, std::string_view key)>;

Machine machine_from(const Value& value, const Unknown& unknown);
CostClaim cost_from(const Value& value, const Unknown& unknown);
Bound bound_from(const Value& value, const Unknown& unknown);
ButterflyGoal butterfly_goal_from(const Value& value, const Unknown& unknown);
Goal goal_spec_from(const Value& value, const Unknown& unknown);
std::vector<Slot> result_from(const Value& value);

// Whether a step of a schedule, or one of a loop, has a list of this name.
enum class Of { schedule, loop };
bool is_list_of_step(std::string_view key, bool slots, Of what);

// The parts of steps. A key that is not known there is a Breach: it could change what a step does.
void refuse_unknown(std::string_view part, std::string_view key);
// In a loop moves and rules may have an advance, which is read where a place for it is given.
Move move_from(const Value& value, const char* what, Advance* advance = nullptr);
// [[mask, parity], ...]
std::vector<Parity> parities_from(const Value& value, const char* what);
Rule rule_from(const Value& value, Advance* advance = nullptr);
Butterfly butterfly_from(const Value& value);
ButterflyRule butterfly_rule_from(const Value& value);
MeshInstruction instruction_from(const Value& value, int address_bits);
PopsSend send_from(const Value& value);
PopsReceive receive_from(const Value& value);
PopsRule pops_rule_from(const Value& value, Advance* advance = nullptr);
PopsOperation operation_from(const Value& value);

// Helpers of all readings.
Value required(const Value& object, const char* name, const char* what);
void only(const Value& object, std::initializer_list<std::string_view> known, const char* what,
          const Unknown& unknown);
Slot slot_from(const Value& value, const char* what);
bool boolean_from(const Value& value, const char* what);
int small(const Value& value, const char* what, std::uint64_t max, const char* rule = "range");

// The value that one of the words of json_words.hpp says.
template <class Words>
auto word_from(const Words& words, const Value& value, const char* what) {
  const auto found = words.value(value.text());
  if (value.kind() == Kind::text && found) return *found;
  std::string wanted;
  for (const auto& entry : words.entries)
    wanted += std::string(wanted.empty() ? "\"" : ", \"") + entry.text + '"';
  throw Breach{"shape", std::string(what) + ": one of " + wanted + " wanted"};
}

}  // namespace faro::inline v1::json
