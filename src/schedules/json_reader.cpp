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
#include "schedules/json_header_reader.hpp"
#include "schedules/json_stream.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1 {
namespace {

using json::Breach;
using json::Item;
using json::Kind;
using json::Value;

enum class Context { start, root, goal_list, step_list, step, step_items, building, skipping };

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
  bool start_object(std::size_t) override { return start(Kind::object); }
  bool key(std::string& name) override;
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return start(Kind::array); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override;

 private:
  template <class Add>
  bool scalar(Add&& add);
  // What the value that begins now is for; `opens` is null for a scalar.
  void begin_value(const Kind* opens);
  void begin_root_value(const Kind* opens);
  bool start(Kind kind);
  bool end();
  void build(Context back);
  void skip(Context back);
  void value_done();
  void item_done();
  void step_item(const Value& value);
  void begin_schedule();
  void step_done();
  void breach(const Breach& b) { listener_.breach(step_, b.rule, b.message); }
  void unknown(std::string_view part, std::string_view key);
  void warn(const std::string& text);
  bool slots() const { return steps_ == MachineKind::Steps::slots; }
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

  json::HeaderReader header_reader_;
  bool steps_seen_ = false;
  bool begun_ = false;
  MachineKind::Steps steps_ = MachineKind::Steps::cube;
  int address_bits_ = 0;
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
  warn(fmt::format("{}: unknown key '{}' skipped", part, key.substr(0, 60)));
}

void Reader::warn(const std::string& text) {
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

bool Reader::start(Kind kind) {
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
  // "[name of the error] parse error at line 2, column 1: syntax error while parsing object key -
  // unexpected end of input; expected string literal": the line, the column and what was wanted.
  std::string_view what = error.what();
  if (const std::size_t end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
  std::string place = fmt::format("byte {}", position);
  constexpr std::string_view at = "parse error at ";
  if (const std::size_t end = what.find(": "); what.starts_with(at) && end != what.npos) {
    place += fmt::format(", {}", what.substr(at.size(), end - at.size()));
    what.remove_prefix(end + 2);
  }
  constexpr std::string_view parsing = "syntax error while parsing ";
  if (const std::size_t end = what.find(" - "); what.starts_with(parsing) && end != what.npos)
    what.remove_prefix(end + 3);
  throw Error(ErrorCode::usage, fmt::format("no JSON: {}: {}", place, what));
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
      if (steps_ == MachineKind::Steps::program) return build(Context::step_list);
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
      const auto is = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), step_key_) != names.end();
      };
      if (slots() ? !is({"sends", "receives", "rules", "ops"})
                  : !is({"rules", "moves", "butterflies", "butterfly_rules"})) {
        if (!step_key_.empty()) {
          guarded([&] { json::refuse_unknown("a step", step_key_); });
          known_list_ = malformed_ = true;
        }
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
  if (json_words::steps.value(root_key_)) {
    if (!steps_seen_) begin_schedule();
    if (!begun_ || root_key_ != json_words::steps.text(steps_)) {
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
  if (!json::HeaderReader::knows(root_key_)) {
    unknown("the schedule", root_key_);
    return skip(Context::root);
  }
  if (steps_seen_) {
    if (root_key_ == "format" && !header_reader_.has_format())
      throw Error(ErrorCode::usage, "no schedule: \"format\" must come before the steps");
    // Nothing that is moved depends on these.
    if (root_key_ == "planner" || root_key_ == "cost" || root_key_ == "bound")
      warn(
          fmt::format("key '{}' comes after the steps, where nobody reads it: nothing of it is "
                      "checked",
                      root_key_));
    else
      breach({"order", fmt::format("key '{}' comes after the steps; a file is read as a stream, "
                                   "with its header first",
                                   root_key_)});
    return skip(Context::root);
  }
  header_reader_.begin_key(root_key_);
  if (root_key_ == "goal") {
    if (is_list) {
      header_reader_.begin_goal();
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
  const json::Unknown told = [&](auto part, auto k) { unknown(part, k); };
  if (context_ == Context::root)
    return guarded([&] { header_reader_.take(root_key_, value, told); });
  if (context_ == Context::goal_list) return guarded([&] { header_reader_.take_goal(value); });
  if (context_ == Context::step_items) return guarded([&] { step_item(value); });
  // An instruction of a program is a step of its own.
  guarded([&] { sink_.step(json::instruction_from(value, address_bits_)); });
  ++step_;
}

void Reader::step_item(const Value& value) {
  if (step_key_ == "moves") {
    cube_.moves.push_back(json::move_from(value, "a move"));
  } else if (step_key_ == "butterflies") {
    cube_.butterflies.push_back(json::butterfly_from(value));
  } else if (step_key_ == "butterfly_rules") {
    cube_.butterfly_rules.push_back(json::butterfly_rule_from(value));
  } else if (step_key_ == "sends") {
    pops_.sends.push_back(json::send_from(value));
  } else if (step_key_ == "receives") {
    pops_.receives.push_back(json::receive_from(value));
  } else if (step_key_ == "ops") {
    pops_.operations.push_back(json::operation_from(value));
  } else if (slots()) {
    pops_.rules.push_back(json::pops_rule_from(value));
  } else {
    cube_.rules.push_back(json::rule_from(value));
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
  if (slots()) {
    sink_.step(pops_);
  } else {
    sink_.step(cube_);
  }
  ++step_;
}

void Reader::begin_schedule() {
  steps_seen_ = true;
  if (!header_reader_.has_format())
    throw Error(ErrorCode::usage,
                "no schedule: \"format\": \"faro-schedule/1\" must come before the steps");
  const auto header = header_reader_.complete(options_, [&](const Breach& b) { breach(b); });
  if (!header) return;
  begun_ = true;
  steps_ = kind_of(header->machine).steps;
  address_bits_ = address_bits(header->machine).value_or(0);
  sink_.begin(*header);
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

}  // namespace faro::inline v1
