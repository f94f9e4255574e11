#include "schedules/json_header_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1::json {
namespace {

// Machines whose elements start in one place of every processor, whatever K.
bool starts_in_one_place(const Machine& machine) {
  return kind_of(machine).steps != MachineKind::Steps::cube;
}

}  // namespace

bool HeaderReader::knows(std::string_view key) {
  constexpr std::string_view known[] = {"format",    "machine",  "map",   "goal",    "problem",
                                        "goal_spec", "elements", "slots", "planner", "cost",
                                        "bound",     "result",   "repeat"};
  return std::find(std::begin(known), std::end(known), key) != std::end(known);
}

void HeaderReader::take(std::string_view key, const Value& value, const Unknown& unknown) {
  if (key == "format") {
    if (value.text() != "faro-schedule/1" && value.text() != "faro-schedule/2")
      throw Error(ErrorCode::usage,
                  fmt::format("no schedule: format \"faro-schedule/1\" or \"faro-schedule/2\" "
                              "wanted, not '{}'",
                              value.text().substr(0, 60)));
    if (value.text().ends_with('2')) header_.entries = ScheduleHeader::Entries::loops;
    has_format_ = true;
  } else if (key == "machine") {
    machine_ = machine_from(value, unknown);
  } else if (key == "map") {
    if (value.kind() != Kind::text) throw Breach{"shape", "map: a string of notation wanted"};
    map_text_ = std::string(value.text());
  } else if (key == "problem") {
    special_goal_ = butterfly_goal_from(value, unknown);
  } else if (key == "goal_spec") {
    special_goal_ = goal_spec_from(value, unknown);
  } else if (key == "elements") {
    elements_ = value.number("elements");
    if (*elements_ == 0) throw Breach{"range", "elements: at least 1 wanted"};
  } else if (key == "slots") {
    slots_ = value.number("slots");
    if (*slots_ == 0) throw Breach{"range", "slots: at least 1 wanted"};
  } else if (key == "planner") {
    if (value.kind() != Kind::text) throw Breach{"shape", "planner: a string wanted"};
    header_.planner = std::string(value.text());
  } else if (key == "cost") {
    header_.cost = cost_from(value, unknown);
  } else if (key == "bound") {
    header_.bound = bound_from(value, unknown);
  } else if (key == "result") {
    header_.result = result_from(value);
  } else if (key == "repeat") {
    take_repeat(value, unknown);
  }
}

void HeaderReader::take_repeat(const Value& value, const Unknown& unknown) {
  only(value, {"times", "before", "after"}, "repeat", unknown);
  header_.repeat.times = required(value, "times", "repeat").number("repeat.times");
  if (header_.repeat.times == 0) throw Breach{"range", "repeat.times: at least 1 wanted"};
  for (const auto& [key, text] : {std::pair("before", &before_), std::pair("after", &after_)})
    if (const auto change = value.member(key)) {
      if (change->kind() != Kind::text)
        throw Breach{"shape", fmt::format("repeat.{}: a string of notation wanted", key)};
      *text = std::string(change->text());
    }
}

void HeaderReader::take_goal(const Value& entry) {
  if (goal_list_.moves.size() >= limits::step_items_max)
    throw Error(ErrorCode::limit, fmt::format("a goal of more than {} elements; say it as a map",
                                              limits::step_items_max));
  try {
    goal_list_.moves.push_back(move_from(entry, "goal"));
  } catch (const Breach& b) {
    throw Breach{"goal", b.message};
  }
}

std::optional<ScheduleHeader> HeaderReader::complete(const ReadOptions& options, const Tell& tell) {
  for (const char* name : {"machine", "elements", "slots"})
    if (!keys_.contains(name)) tell({"missing", fmt::format("key '{}' is missing", name)});
  if (!machine_ || elements_.value_or(0) == 0 || slots_.value_or(0) == 0) return {};
  header_.machine = *machine_;
  header_.elements = *elements_;
  header_.slots = *slots_;
  header_.map_text = options.map.value_or(map_text_.value_or(""));
  try {
    std::optional<Goal> goal = goal_of(header_, options);
    if (!goal) return {};
    header_.goal = std::move(*goal);
    read_changes(options);
  } catch (const Breach& b) {
    tell(b);
    return {};
  }
  return std::move(header_);
}

// A map in words, on the header's machine.
MapGoal HeaderReader::map_of(const std::string& text, const ScheduleHeader& header,
                             const ReadOptions& options) {
  if (!options.map_from) throw Breach{"map", "maps are not read here"};
  try {
    return options.map_from(text, header.machine, header.elements);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    throw Breach{"map", fmt::format("map '{}': {}", text.substr(0, 200), error.what())};
  }
}

// The changes of places of a schedule in turns.
void HeaderReader::read_changes(const ReadOptions& options) {
  for (const auto& [text, map] :
       {std::pair(&before_, &header_.repeat.before), std::pair(&after_, &header_.repeat.after)}) {
    if (!*text) continue;
    const MapGoal change = map_of(**text, header_, options);
    if (!change.cut)
      throw Breach{"map", fmt::format("'{}' changes no places: processor | slot bits wanted",
                                      (*text)->substr(0, 200))};
    *map = change.map;
  }
}

// The file's goal, or the one asked for; nothing where it is malformed, which has been told. A map
// and a list must say the same; a list says more where elements lie in registers.
std::optional<Goal> HeaderReader::goal_of(const ScheduleHeader& header,
                                          const ReadOptions& options) {
  if (options.map) return options.map_from(*options.map, header.machine, header.elements);
  if (special_goal_) {
    if (map_text_ || goal_listed_)
      throw Breach{"goal", "a problem beside a map or a goal; one of them wanted"};
    return special_goal_;
  }
  if (map_text_) {
    const MapGoal map = map_of(*map_text_, header, options);
    if (!goal_listed_) return map;
    check_agreement(map, header);
    if (!starts_in_one_place(header.machine)) return map;
  }
  if (goal_listed_) return std::move(goal_list_);
  for (const char* name : {"map", "goal", "problem", "goal_spec"})
    if (keys_.contains(name)) return {};
  throw Breach{"missing", "no goal: 'map', 'goal', 'problem' or 'goal_spec' wanted"};
}

void HeaderReader::check_agreement(const MapGoal& map, const ScheduleHeader& header) const {
  const std::optional<int> bits = address_bits(header.machine);
  const int memory = map.cut ? map.memory_bits : 0;
  if (!bits || map.map.width() != *bits + memory)
    throw Breach{"goal", "the map has another width than the machine"};
  const bool registers = starts_in_one_place(header.machine);
  std::set<std::pair<Word, Slot>> sources;
  for (const Move& m : goal_list_.moves) {
    bool same = m.from_processor < (Count{1} << *bits) && m.to_processor < (Count{1} << *bits);
    if (same && map.cut) {
      same = m.from_slot < (Count{1} << memory) && m.to_slot < (Count{1} << memory) &&
             map.map((m.from_processor << memory) | m.from_slot) ==
                 ((m.to_processor << memory) | m.to_slot);
    } else if (same) {
      same = map.map(m.from_processor) == m.to_processor && (registers || m.from_slot == m.to_slot);
    }
    if (!same || !sources.emplace(m.from_processor, m.from_slot).second)
      throw Breach{"goal", fmt::format("the goal [{}, {}, {}, {}] is not the map's",
                                       m.from_processor, m.from_slot, m.to_processor, m.to_slot)};
  }
  const Count elements = registers ? 1 : header.elements;
  if (Count{sources.size()} != (Count{1} << *bits) * elements)
    throw Breach{"goal", fmt::format("the goal lists {} elements, the map moves {}", sources.size(),
                                     to_string((Count{1} << *bits) * elements))};
}

}  // namespace faro::inline v1::json
