// The header of a schedule file: machine, goals, claims.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "faro/base/limits.hpp"
#include "schedules/json_certificate.hpp"
#include "schedules/json_parts.hpp"
#include "schedules/json_words.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1::json {

Value required(const Value& object, const char* name, const char* what) {
  if (object.kind() != Kind::object)
    throw Breach{"shape", fmt::format("{}: an object wanted", what)};
  const std::optional<Value> value = object.member(name);
  if (!value) throw Breach{"shape", fmt::format("{}: '{}' is missing", what, name)};
  return *value;
}

void only(const Value& object, std::initializer_list<std::string_view> known, const char* what,
          const Unknown& unknown) {
  for (const Value& child : object)
    if (std::find(known.begin(), known.end(), child.key()) == known.end())
      unknown(what, child.key());
}

Slot slot_from(const Value& value, const char* what) {
  const std::uint64_t slot = value.number(what, "slot-range");
  if (slot > std::numeric_limits<Slot>::max())
    throw Breach{"slot-range", fmt::format("{}: slot {} does not fit 32 bits", what, slot)};
  return static_cast<Slot>(slot);
}

int small(const Value& value, const char* what, std::uint64_t max, const char* rule) {
  const std::uint64_t number = value.number(what, rule);
  if (number > max) throw Breach{rule, fmt::format("{}: {}, at most {}", what, number, max)};
  return static_cast<int>(number);
}

bool boolean_from(const Value& value, const char* what) {
  if (value.kind() != Kind::boolean)
    throw Breach{"shape", fmt::format("{}: true or false wanted", what)};
  return value.is_true();
}

namespace {

std::vector<Word> rows_from(const Value& value, const char* what) {
  std::vector<Word> rows;
  for (const Value& row : value.array(what)) rows.push_back(row.mask(what));
  if (rows.size() > limits::address_bits_max)
    throw Breach{"range", fmt::format("{}: more than {} rows", what, limits::address_bits_max)};
  return rows;
}

}  // namespace

Machine machine_from(const Value& value, const Unknown& unknown) {
  const Value kind = required(value, "kind", "machine");
  std::string wanted;
  std::string_view last;
  for (const MachineKind& known : machine_kinds()) {
    if (kind.text() == known.json_name) return known.from_json(value, unknown);
    if (known.json_name != last)
      wanted += fmt::format("{}\"{}\"", wanted.empty() ? "" : ", ", known.json_name);
    last = known.json_name;
  }
  throw Breach{"machine", fmt::format("machine.kind: one of {} wanted", wanted)};
}

CostClaim cost_from(const Value& value, const Unknown& unknown) {
  if (value.kind() != Kind::object) throw Breach{"shape", "cost: an object wanted"};
  CostClaim claim;
  for (const Value& child : value) {
    const auto* part =
        std::find_if(std::begin(cost_part::all), std::end(cost_part::all),
                     [&](const CostPart& known) { return child.key() == known.key; });
    if (part == std::end(cost_part::all)) {
      unknown("cost", child.key());
      continue;
    }
    try {
      claim.*part->claim = child.count("cost");
    } catch (const Breach& breach) {
      throw Breach{"cost-claim", breach.message};
    }
  }
  return claim;
}

Bound bound_from(const Value& value, const Unknown& unknown) {
  Bound bound;
  bound.value = required(value, "value", "bound").count("bound.value");
  if (const auto reason = value.member("reason")) {
    if (reason->kind() != Kind::text) throw Breach{"shape", "bound.reason: a string wanted"};
    bound.reason = std::string(reason->text());
  }
  bound.certificate = certificate_from(value, unknown);
  return bound;
}

ButterflyGoal butterfly_goal_from(const Value& value, const Unknown& unknown) {
  ButterflyGoal goal;
  goal.computation =
      word_from(json_words::computations, required(value, "kind", "problem"), "problem.kind");
  only(value, {"kind", "n", "p", "allocation", "encoding", "order", "in_place", "final"}, "problem",
       unknown);
  goal.processor_bits =
      small(required(value, "n", "problem"), "problem.n", limits::machine_bits_max);
  goal.index_bits = small(required(value, "p", "problem"), "problem.p", limits::address_bits_max);
  goal.allocation = word_from(json_words::allocations, required(value, "allocation", "problem"),
                              "problem.allocation");
  goal.encoding =
      word_from(json_words::encodings, required(value, "encoding", "problem"), "problem.encoding");
  if (const auto order = value.member("order"))
    goal.order = word_from(json_words::orders, *order, "problem.order");
  if (goal.computation == ButterflyGoal::Computation::sort &&
      goal.order != ButterflyGoal::Order::most_significant_first)
    throw Breach{"goal", "problem.order: the passes of a sort are \"msb\""};
  if (const auto in_place = value.member("in_place"))
    goal.in_place = boolean_from(*in_place, "problem.in_place");
  const Value final = required(value, "final", "problem");
  goal.final_processor_rows =
      rows_from(required(final, "proc", "problem.final"), "problem.final.proc");
  const auto memory = final.member("mem");
  if (memory && memory->kind() != Kind::null)
    goal.final_memory_rows = rows_from(*memory, "problem.final.mem");
  return goal;
}

Goal goal_spec_from(const Value& value, const Unknown& unknown) {
  const std::string_view kind = required(value, "kind", "goal_spec").text();
  if (kind == "matmul") {
    only(value, {"kind", "N", "a", "b", "c"}, "goal_spec", unknown);
    MatmulGoal goal;
    goal.order = required(value, "N", "goal_spec").number("goal_spec.N");
    if (const auto a = value.member("a")) goal.a = slot_from(*a, "goal_spec.a");
    goal.b = 1;
    if (const auto b = value.member("b")) goal.b = slot_from(*b, "goal_spec.b");
    goal.c = slot_from(required(value, "c", "goal_spec"), "goal_spec.c");
    return goal;
  }
  if (kind == "one_to_all") {
    only(value, {"kind", "root"}, "goal_spec", unknown);
    return BroadcastGoal{required(value, "root", "goal_spec").number("goal_spec.root")};
  }
  if (kind == "all_to_all_broadcast") {
    only(value, {"kind"}, "goal_spec", unknown);
    return BroadcastGoal{};
  }
  throw Breach{"shape",
               "goal_spec.kind: \"matmul\", \"one_to_all\" or \"all_to_all_broadcast\" wanted"};
}

std::vector<Slot> result_from(const Value& value) {
  if (value.kind() != Kind::array) return {slot_from(value, "result")};
  std::vector<Slot> result;
  for (const Value& slot : value) result.push_back(slot_from(slot, "result"));
  return result;
}

}  // namespace faro::inline v1::json
