// The parser's events go through a small machine of contexts:
//
//   root --"goal"--> goal_list            --any value--> building --> back
//   root --"steps"--> step_list --{--> step --"moves": [--> step_items --any value--> building
//   root --other known key--> building;   any unknown key --> skipping
//
// `building` collects one value in an Item and hands it to where it belongs.
#include "faro/schedules/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>

#include "faro/base/limits.hpp"
#include "json_parts.hpp"
#include "json_stream.hpp"

namespace faro {
namespace {

using json::Breach;
using json::Item;
using json::Kind;
using json::Value;

enum class Context { start, root, goal_list, step_list, step, step_items, building, skipping };

const char* const steps_keys[] = {"steps", "program", "slots_list"};

// The goal is there but was malformed, which has been told.
struct GoalAlreadyRefused {};

bool is_program(const Machine& machine) {
  const auto* mesh = std::get_if<Mesh>(&machine);
  return mesh != nullptr && mesh->links == Mesh::Links::one_route;
}

class Reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(ScheduleSink& sink, const ReadOptions& options, ReadListener& listener)
      : sink_(sink), options_(options), listener_(listener) {}

  ReadOutcome outcome();

  bool null() override {
    return scalar([&] { item_.null(); });
  }
  bool boolean(bool value) override {
    return scalar([&] { item_.boolean(value); });
  }
  bool number_integer(std::int64_t value) override {
    return scalar([&] { item_.integer(0 - static_cast<std::uint64_t>(value), true); });
  }
  bool number_unsigned(std::uint64_t value) override {
    return scalar([&] { item_.integer(value, false); });
  }
  bool number_float(double, const std::string&) override {
    return scalar([&] { item_.real(); });
  }
  bool string(std::string& value) override {
    return scalar([&] { item_.text(value); });
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override;
  bool end_array() override { return end(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override;

 private:
  template <class Add>
  bool scalar(Add&& add);
  // What the value that begins now is for; `opens` is null for a scalar.
  void begin_value(const Kind* opens);
  void begin_root_value(const Kind* opens);
  bool end();
  void build(Context back);
  void skip(Context back);
  void value_done();
  void item_done();
  void header_item(const Value& value);
  void step_item(const Value& value);
  void begin_schedule();
  void add_goal(ScheduleHeader& header);
  void check_agreement(const MapGoal& map, const ScheduleHeader& header);
  void step_done();
  void breach(const Breach& b) { listener_.breach(step_, b.rule, b.message); }
  void unknown(std::string_view part, std::string_view key);
  template <class Work>
  void guarded(Work&& work);

  ScheduleSink& sink_;
  const ReadOptions& options_;
  ReadListener& listener_;

  Context context_ = Context::start;
  Context back_ = Context::root;  // after building or skipping
  int depth_ = 0;
  int base_depth_ = 0;  // the depth at which building or skipping began
  std::vector<std::set<std::string, std::less<>>> keys_;
  std::string root_key_;
  std::string step_key_;
  Item item_;
  std::set<std::string> warned_;

  bool format_seen_ = false;
  bool steps_seen_ = false;
  bool begun_ = false;
  bool program_ = false;
  int address_bits_ = 0;
  std::set<std::string, std::less<>> header_keys_;
  std::optional<Machine> machine_;
  std::optional<std::uint64_t> elements_;
  std::optional<std::uint64_t> slots_;
  std::optional<std::string> map_text_;
  std::optional<Goal> goal_;  // of problem or goal_spec
  bool goal_listed_ = false;
  MovesGoal moves_goal_;
  ScheduleHeader header_;
  Count step_ = 0;

  bool known_list_ = false;
  bool malformed_ = false;
  std::size_t step_items_ = 0;
  CubeStep cube_;
  PopsSlot pops_;
};

template <class Work>
void Reader::guarded(Work&& work) {
  try {
    work();
  } catch (const Breach& b) {
    breach(b);
    if (context_ == Context::step_items && step_key_.ends_with("rules")) malformed_ = true;
  }
}

void Reader::unknown(std::string_view part, std::string_view key) {
  std::string text = fmt::format("{}: unknown key '{}' skipped", part, key.substr(0, 60));
  constexpr std::size_t warnings_max = 20;
  if (warned_.size() < warnings_max && warned_.insert(text).second) listener_.warning(text);
}

template <class Add>
bool Reader::scalar(Add&& add) {
  if (context_ != Context::building && context_ != Context::skipping) begin_value(nullptr);
  if (context_ == Context::building) add();
  value_done();
  return true;
}

bool Reader::start_object(std::size_t) {
  constexpr Kind kind = Kind::object;
  if (++depth_ > limits::json_depth_max)
    throw Error(ErrorCode::limit,
                fmt::format("values nested more than {} deep", limits::json_depth_max));
  keys_.emplace_back();
  if (context_ != Context::building && context_ != Context::skipping) begin_value(&kind);
  if (context_ == Context::building) item_.open(kind);
  return true;
}

bool Reader::start_array(std::size_t) {
  constexpr Kind kind = Kind::array;
  if (++depth_ > limits::json_depth_max)
    throw Error(ErrorCode::limit,
                fmt::format("values nested more than {} deep", limits::json_depth_max));
  keys_.emplace_back();
  if (context_ != Context::building && context_ != Context::skipping) begin_value(&kind);
  if (context_ == Context::building) item_.open(kind);
  return true;
}

bool Reader::end() {
  --depth_;
  keys_.pop_back();
  switch (context_) {
    case Context::building:
      item_.close();
      value_done();
      break;
    case Context::skipping:
      value_done();
      break;
    case Context::step_items:
      context_ = Context::step;
      break;
    case Context::step:
      step_done();
      break;
    case Context::goal_list:
    case Context::step_list:
      context_ = Context::root;
      break;
    case Context::root:
      context_ = Context::start;
      break;
    case Context::start:
      break;
  }
  return true;
}

bool Reader::key(std::string& name) {
  std::set<std::string, std::less<>>& seen = keys_.back();
  if (seen.size() >= limits::json_keys_max)
    throw Error(ErrorCode::limit,
                fmt::format("an object with more than {} keys", limits::json_keys_max));
  const bool twice = !seen.insert(name).second;
  if (twice)
    breach({"duplicate-key", fmt::format("key '{}' twice in one object", name.substr(0, 60))});
  if (context_ == Context::building) item_.key(name);
  // The second value of a key of the schedule itself is left out.
  if (context_ == Context::root) root_key_ = twice ? std::string() : name;
  if (context_ == Context::step) step_key_ = twice ? std::string() : name;
  return true;
}

bool Reader::parse_error(std::size_t position, const std::string&,
                         const nlohmann::json::exception& error) {
  throw Error(ErrorCode::usage,
              fmt::format("no JSON: byte {}: {}", position, std::string_view(error.what())));
}

void Reader::build(Context back) {
  item_.clear();
  back_ = back;
  context_ = Context::building;
}

void Reader::skip(Context back) {
  back_ = back;
  context_ = Context::skipping;
}

// Called before the value's own bracket is counted for scalars, after it for lists and objects.
void Reader::begin_value(const Kind* opens) {
  base_depth_ = opens == nullptr ? depth_ : depth_ - 1;
  switch (context_) {
    case Context::start:
      if (opens == nullptr || *opens != Kind::object)
        throw Error(ErrorCode::usage, "no schedule: an object with \"format\" wanted");
      context_ = Context::root;
      return;
    case Context::root:
      return begin_root_value(opens);
    case Context::goal_list:
      return build(Context::goal_list);
    case Context::step_list:
      if (program_) return build(Context::step_list);
      if (opens != nullptr && *opens == Kind::object) {
        cube_.clear();
        pops_.clear();
        known_list_ = malformed_ = false;
        step_items_ = 0;
        context_ = Context::step;
        return;
      }
      breach({"shape", "a step: an object wanted"});
      return skip(Context::step_list);
    case Context::step: {
      const bool pops = std::holds_alternative<Pops>(header_.machine);
      const auto is = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), step_key_) != names.end();
      };
      if (pops ? !is({"sends", "receives", "rules", "ops"})
               : !is({"rules", "moves", "butterflies", "butterfly_rules"})) {
        if (!step_key_.empty()) unknown("a step", step_key_);
        return skip(Context::step);
      }
      known_list_ = true;
      if (opens != nullptr && *opens == Kind::array) {
        context_ = Context::step_items;
        return;
      }
      breach({"shape", fmt::format("{}: a list wanted", step_key_)});
      malformed_ = true;
      return skip(Context::step);
    }
    case Context::step_items:
      if (++step_items_ > limits::step_items_max)
        throw Error(ErrorCode::limit, fmt::format("step {}: more than {} moves, rules and sends",
                                                  to_string(step_), limits::step_items_max));
      return build(Context::step_items);
    case Context::building:
    case Context::skipping:
      return;
  }
}

void Reader::begin_root_value(const Kind* opens) {
  if (root_key_.empty()) return skip(Context::root);  // a key twice
  const bool is_list = opens != nullptr && *opens == Kind::array;
  const bool is_steps =
      std::find(std::begin(steps_keys), std::end(steps_keys), root_key_) != std::end(steps_keys);
  static const std::set<std::string, std::less<>> header_keys = {
      "format",   "machine", "map",     "goal", "problem", "goal_spec",
      "elements", "slots",   "planner", "cost", "bound",   "result"};
  if (is_steps) {
    if (!steps_seen_) begin_schedule();
    const char* wanted = !begun_                                         ? nullptr
                         : std::holds_alternative<Pops>(header_.machine) ? "slots_list"
                         : program_                                      ? "program"
                                                                         : "steps";
    if (!begun_ || root_key_ != wanted) {
      if (begun_) unknown("the schedule", root_key_);
      return skip(Context::root);
    }
    if (is_list) {
      context_ = Context::step_list;
      return;
    }
    breach({"shape", fmt::format("{}: a list wanted", root_key_)});
    return skip(Context::root);
  }
  if (!header_keys.contains(root_key_)) {
    unknown("the schedule", root_key_);
    return skip(Context::root);
  }
  if (steps_seen_) {
    if (root_key_ == "format" && !format_seen_)
      throw Error(ErrorCode::usage, "no schedule: \"format\" must come before the steps");
    breach({"order", fmt::format("key '{}' comes after the steps", root_key_)});
    return skip(Context::root);
  }
  header_keys_.insert(root_key_);
  if (root_key_ == "goal") {
    goal_listed_ = is_list;
    if (is_list) {
      context_ = Context::goal_list;
      return;
    }
    breach({"shape", "goal: a list wanted"});
    return skip(Context::root);
  }
  build(Context::root);
}

// A scalar ended, or a list or object whose bracket is already counted off.
void Reader::value_done() {
  if ((context_ != Context::building && context_ != Context::skipping) || depth_ != base_depth_)
    return;
  const bool built = context_ == Context::building;
  context_ = back_;
  if (built) item_done();
}

void Reader::item_done() {
  const Value value = item_.root();
  if (context_ == Context::root) return guarded([&] { header_item(value); });
  if (context_ == Context::goal_list) {
    if (moves_goal_.moves.size() >= limits::step_items_max)
      throw Error(ErrorCode::limit, fmt::format("a goal of more than {} elements; say it as a map",
                                                limits::step_items_max));
    return guarded([&] {
      try {
        moves_goal_.moves.push_back(json::move_from(value, "goal"));
      } catch (const Breach& b) {
        throw Breach{"goal", b.message};
      }
    });
  }
  if (context_ == Context::step_items) return guarded([&] { step_item(value); });
  // An instruction of a program is a step of its own.
  guarded([&] {
    sink_.step(
        json::instruction_from(value, address_bits_, [&](auto part, auto k) { unknown(part, k); }));
  });
  step_ = add_checked(step_, 1);
}

void Reader::header_item(const Value& value) {
  const json::Unknown told = [&](auto part, auto k) { unknown(part, k); };
  if (root_key_ == "format") {
    if (value.text() != "faro-schedule/1")
      throw Error(ErrorCode::usage, fmt::format("no schedule: format \"faro-schedule/1\" wanted, "
                                                "not '{}'",
                                                value.text().substr(0, 60)));
    format_seen_ = true;
  } else if (root_key_ == "machine") {
    machine_ = json::machine_from(value, told);
  } else if (root_key_ == "map") {
    if (value.kind() != Kind::text) throw Breach{"shape", "map: a string of notation wanted"};
    map_text_ = std::string(value.text());
  } else if (root_key_ == "problem") {
    goal_ = json::butterfly_goal_from(value, told);
  } else if (root_key_ == "goal_spec") {
    goal_ = json::goal_spec_from(value, told);
  } else if (root_key_ == "elements") {
    elements_ = value.number("elements");
    if (*elements_ == 0) throw Breach{"range", "elements: at least 1 wanted"};
  } else if (root_key_ == "slots") {
    slots_ = value.number("slots");
    if (*slots_ == 0) throw Breach{"range", "slots: at least 1 wanted"};
  } else if (root_key_ == "planner") {
    if (value.kind() != Kind::text) throw Breach{"shape", "planner: a string wanted"};
    header_.planner = std::string(value.text());
  } else if (root_key_ == "cost") {
    header_.cost = json::cost_from(value, told);
  } else if (root_key_ == "bound") {
    header_.bound = json::bound_from(value, told);
  } else if (root_key_ == "result") {
    header_.result = json::result_from(value);
  }
}

void Reader::step_item(const Value& value) {
  const json::Unknown told = [&](auto part, auto k) { unknown(part, k); };
  const bool pops = std::holds_alternative<Pops>(header_.machine);
  if (step_key_ == "moves") {
    cube_.moves.push_back(json::move_from(value, "a move"));
  } else if (step_key_ == "butterflies") {
    cube_.butterflies.push_back(json::butterfly_from(value));
  } else if (step_key_ == "butterfly_rules") {
    cube_.butterfly_rules.push_back(json::butterfly_rule_from(value, told));
  } else if (step_key_ == "sends") {
    pops_.sends.push_back(json::send_from(value));
  } else if (step_key_ == "receives") {
    pops_.receives.push_back(json::receive_from(value));
  } else if (step_key_ == "ops") {
    pops_.operations.push_back(json::operation_from(value));
  } else if (pops) {
    pops_.rules.push_back(json::pops_rule_from(value, told));
  } else {
    cube_.rules.push_back(json::rule_from(value, told));
  }
}

void Reader::step_done() {
  context_ = Context::step_list;
  if (!known_list_)
    breach({"shape", "a step: none of the lists that a step of this machine may have"});
  if (malformed_) {
    cube_.clear();
    pops_.clear();
  }
  if (std::holds_alternative<Pops>(header_.machine)) {
    sink_.step(pops_);
  } else {
    sink_.step(cube_);
  }
  step_ = add_checked(step_, 1);
}

// The header is complete: everything that the schedule must say has been said, or is a breach.
void Reader::begin_schedule() {
  steps_seen_ = true;
  if (!format_seen_)
    throw Error(ErrorCode::usage,
                "no schedule: \"format\": \"faro-schedule/1\" must come before "
                "the steps");
  bool whole = true;
  for (const char* name : {"machine", "elements", "slots"}) {
    if (header_keys_.contains(name)) continue;
    breach({"missing", fmt::format("key '{}' is missing", name)});
  }
  whole = machine_ && elements_ && slots_ && *elements_ != 0 && *slots_ != 0;
  if (!whole) return;
  header_.machine = *machine_;
  header_.elements = *elements_;
  header_.slots = *slots_;
  program_ = is_program(*machine_);
  address_bits_ = address_bits(*machine_).value_or(0);
  try {
    add_goal(header_);
  } catch (const Breach& b) {
    return breach(b);
  } catch (const GoalAlreadyRefused&) {
    return;
  }
  begun_ = true;
  sink_.begin(header_);
}

// The file's goal, or the one asked for. A map and a list must say the same.
void Reader::add_goal(ScheduleHeader& header) {
  const auto map_goal = [&](const std::string& text) {
    if (!options_.map_from) throw Breach{"map", "maps are not read here"};
    try {
      return options_.map_from(text, header.machine, header.elements);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal) throw;
      throw Breach{"map", fmt::format("map '{}': {}", text.substr(0, 200), error.what())};
    }
  };
  if (options_.map) {
    header.map_text = *options_.map;
    header.goal = options_.map_from(*options_.map, header.machine, header.elements);
    return;
  }
  if (goal_) {
    if (map_text_ || goal_listed_)
      throw Breach{"goal", "a problem beside a map or a goal; one of them wanted"};
    header.goal = *goal_;
    return;
  }
  if (map_text_) {
    const MapGoal map = map_goal(*map_text_);
    if (goal_listed_) check_agreement(map, header);
    header.map_text = *map_text_;
    header.goal = map;
    // A list says more than the map on machines with registers: where the elements are.
    if (goal_listed_ && !std::holds_alternative<Hypercube>(header.machine))
      header.goal = std::move(moves_goal_);
    return;
  }
  if (!goal_listed_) {
    for (const char* name : {"map", "goal", "problem", "goal_spec"})
      if (header_keys_.contains(name)) throw GoalAlreadyRefused{};
    throw Breach{"missing", "no goal: 'map', 'goal', 'problem' or 'goal_spec' wanted"};
  }
  header.goal = std::move(moves_goal_);
}

void Reader::check_agreement(const MapGoal& map, const ScheduleHeader& header) {
  const std::optional<int> bits = address_bits(header.machine);
  const int memory = map.cut ? map.memory_bits : 0;
  if (!bits || map.map.width() != *bits + memory)
    throw Breach{"goal", "the map has another width than the machine"};
  const bool registers = !std::holds_alternative<Hypercube>(header.machine);
  std::set<std::pair<Word, Slot>> sources;
  for (const Move& m : moves_goal_.moves) {
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

ReadOutcome Reader::outcome() {
  if (!steps_seen_) {
    begin_schedule();
    breach({"missing", "the steps are missing"});
  }
  if (begun_) sink_.finish();
  return begun_ ? ReadOutcome::complete : ReadOutcome::no_schedule;
}

}  // namespace

ReadOutcome read_schedule(ByteSource& source, ScheduleSink& sink, const ReadOptions& options,
                          ReadListener& listener) {
  json::GuardedStream buffer(source);
  std::istream stream(&buffer);
  Reader reader(sink, options, listener);
  nlohmann::json::sax_parse(stream, &reader);
  return reader.outcome();
}

}  // namespace faro
