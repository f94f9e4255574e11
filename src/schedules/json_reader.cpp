// The parser's events go through a small machine of contexts:
//
//   root --"goal"--> goals           --any value--> building --> back
//   root --"steps"--> steps --{--> step --"moves": [--> items --any value--> building
//                                  step --"loop": {--> loop --"body": [--> body --{--> step
//   root --other known key--> building;   any unknown key --> skipping
//
// `building` collects one value in an Item and hands it to where it belongs.
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>

#include "faro/base/limits.hpp"
#include "faro/schedules/json.hpp"
#include "schedules/json_header_reader.hpp"
#include "schedules/json_loop.hpp"
#include "schedules/json_stream.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1 {
namespace {

using json::Breach;
using json::Item;
using json::Kind;
using json::Value;

enum class Context { start, root, goals, steps, step, items, loop, body, building, skipping };

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
  void begin_step_value(const Kind* opens);
  void begin_loop_value(const Kind* opens);
  void begin_step();
  bool start(Kind kind);
  bool end();
  void build(Context back);
  void skip(Context back);
  void value_done();
  void item_done();
  void step_item(const Value& value);
  void begin_schedule();
  void step_done();
  void loop_done();
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
  std::string loop_key_;
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

  json::LoopReader loop_;
  json::Advances advances_;  // of the step, in a loop
  bool knows_loops_ = false;
  bool in_loop_ = false;  // in its body
  bool is_loop_ = false;  // the step is one
  bool beside_ = false;   // and has lists too
  Count loop_step_ = 0;   // its first
};

template <class Work>
void Reader::guarded(Work&& work) {
  try {
    work();
  } catch (const Breach& b) {
    breach(b);
    if (context_ == Context::items && step_key_.ends_with("rules")) malformed_ = true;
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
    case Context::items:
      context_ = Context::step;
      break;
    case Context::step:
      step_done();
      break;
    case Context::body:
      context_ = Context::loop;
      break;
    case Context::loop:
      loop_done();
      break;
    case Context::goals:
    case Context::steps:
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
  if (context_ == Context::loop) loop_key_ = twice ? std::string() : name;
  return true;
}

bool Reader::parse_error(std::size_t position, const std::string&,
                         const nlohmann::json::exception& error) {
  throw Error(ErrorCode::usage, json::why_no_json(position, error.what()));
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
    case Context::goals:
      return build(Context::goals);
    case Context::steps:
      if (steps_ == MachineKind::Steps::program) return build(Context::steps);
      [[fallthrough]];
    case Context::body:
      if (opens != nullptr && *opens == Kind::object) return begin_step();
      breach({"shape", "a step: an object wanted"});
      return skip(context_);
    case Context::step:
      return begin_step_value(opens);
    case Context::loop:
      return begin_loop_value(opens);
    case Context::items:
      if (in_loop_) loop_.count_item();
      if (++step_items_ > limits::step_items_max)
        throw Error(ErrorCode::limit, fmt::format("step {}: more than {} moves, rules and sends",
                                                  to_string(step_), limits::step_items_max));
      return build(Context::items);
    case Context::building:
    case Context::skipping:
      return;
  }
}

void Reader::begin_step() {
  cube_.clear();
  pops_.clear();
  advances_ = {};
  known_list_ = malformed_ = false;
  if (in_loop_)
    loop_.count_step();
  else
    is_loop_ = beside_ = false;
  step_items_ = 0;
  context_ = Context::step;
}

void Reader::begin_step_value(const Kind* opens) {
  if (knows_loops_ && !in_loop_ && step_key_ == "loop") {
    is_loop_ = true;
    beside_ = known_list_;
    if (opens != nullptr && *opens == Kind::object) {
      loop_.begin();
      loop_step_ = step_;
      context_ = Context::loop;
      return;
    }
    breach({"shape", "loop: an object wanted"});
    return skip(Context::step);
  }
  if (!json::is_list_of_step(step_key_, slots(), in_loop_ ? json::Of::loop : json::Of::schedule)) {
    if (!step_key_.empty()) {
      guarded([&] { json::refuse_unknown(in_loop_ ? "a step of a loop" : "a step", step_key_); });
      known_list_ = malformed_ = true;
    }
    return skip(Context::step);
  }
  known_list_ = true;
  if (opens != nullptr && *opens == Kind::array) {
    context_ = Context::items;
    return;
  }
  breach({"shape", fmt::format("{}: a list wanted", step_key_)});
  malformed_ = true;
  return skip(Context::step);
}

void Reader::begin_loop_value(const Kind* opens) {
  if (loop_key_ == "laps") return build(Context::loop);
  if (loop_key_ == "body" && opens != nullptr && *opens == Kind::array) {
    in_loop_ = true;
    context_ = Context::body;
    return;
  }
  if (loop_key_ == "body") {
    breach({"shape", "body: a list wanted"});
  } else if (!loop_key_.empty()) {
    guarded([&] { json::refuse_unknown("a loop", loop_key_); });
  }
  return skip(Context::loop);
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
      context_ = Context::steps;
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
      context_ = Context::goals;
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
  if (context_ == Context::goals) return guarded([&] { header_reader_.take_goal(value); });
  if (context_ == Context::items) return guarded([&] { step_item(value); });
  if (context_ == Context::loop) return guarded([&] { loop_.take_laps(value); });
  // An instruction of a program is a step of its own.
  guarded([&] { sink_.step(json::instruction_from(value, address_bits_)); });
  ++step_;
}

void Reader::step_item(const Value& value) {
  Advance advance;
  Advance* advancing = in_loop_ ? &advance : nullptr;
  if (step_key_ == "moves") {
    cube_.moves.push_back(json::move_from(value, "a move", advancing));
    advances_.moves.push_back(advance);
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
    pops_.rules.push_back(json::pops_rule_from(value, advancing));
    advances_.rules.push_back(advance);
  } else {
    cube_.rules.push_back(json::rule_from(value, advancing));
    advances_.rules.push_back(advance);
  }
}

void Reader::step_done() {
  context_ = in_loop_ ? Context::body : Context::steps;
  if (is_loop_ && !in_loop_) {
    if (known_list_ || beside_) breach({"shape", "a loop beside lists; it is a step of its own"});
    return;
  }
  if (!known_list_)
    breach({"shape", "a step: none of the lists that a step of this machine may have"});
  if (malformed_) {
    cube_.clear();
    pops_.clear();
    advances_ = {};
  }
  if (in_loop_) {
    slots() ? loop_.add(pops_, advances_) : loop_.add(cube_, advances_);
  } else if (slots()) {
    sink_.step(pops_);
  } else {
    sink_.step(cube_);
  }
  ++step_;
}

// One that cannot be is left out, and the steps after it are numbered without it.
void Reader::loop_done() {
  context_ = Context::step;
  in_loop_ = false;
  known_list_ = false;
  step_ = loop_step_;
  guarded([&] { step_ += loop_.push_to(sink_, slots()); });
}

void Reader::begin_schedule() {
  steps_seen_ = true;
  if (!header_reader_.has_format())
    throw Error(ErrorCode::usage,
                "no schedule: \"format\": \"faro-schedule/1\" or \"faro-schedule/2\" must come "
                "before the steps");
  const auto header = header_reader_.complete(options_, [&](const Breach& b) { breach(b); });
  if (!header) return;
  begun_ = true;
  steps_ = kind_of(header->machine).steps;
  knows_loops_ = header->entries == ScheduleHeader::Entries::loops;
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
