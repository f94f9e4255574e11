// Schedules written as the steps come, one step a line.
#include <fmt/format.h>

#include <iterator>

#include "faro/algebra/notation.hpp"
#include "faro/schedules/json.hpp"
#include "schedules/json_certificate.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/json_words.hpp"
#include "schedules/loops.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

std::string mask(Word m) {
  return fmt::format("\"{:#x}\"", m);
}

// Appends the parts with commas between.
template <class Range, class Write>
void list(std::string& out, const Range& range, Write&& write) {
  out += '[';
  bool first = true;
  for (const auto& item : range) {
    if (!first) out += ',';
    first = false;
    write(out, item);
  }
  out += ']';
}

void add_parities(std::string& out, const std::vector<Parity>& parities) {
  list(out, parities, [](std::string& o, const Parity& c) {
    fmt::format_to(std::back_inserter(o), "[{},{}]", mask(c.mask), c.value);
  });
}

void add_condition(std::string& out, const std::vector<Parity>& where) {
  out += "{\"if\":";
  add_parities(out, where);
}

void add_move(std::string& out, const Move& m) {
  fmt::format_to(std::back_inserter(out), "[{},{},{},{}]", json_number(m.from_processor),
                 m.from_slot, json_number(m.to_processor), m.to_slot);
}

std::string machine_text(const Machine& machine) {
  const MachineKind& kind = kind_of(machine);
  return fmt::format("{{\"kind\":\"{}\"{}}}", kind.json_name, kind.json(machine));
}

void add_rows(std::string& out, const std::vector<Word>& rows) {
  list(out, rows, [](std::string& o, Word row) { o += mask(row); });
}

// The map's matrix as notation, where the header brings no better words.
std::string literal(const MapGoal& goal) {
  const int width = goal.map.width();
  if (width == 0) return goal.cut ? "p:0 | m:0 -> p | m" : "i:0 -> i";
  std::string text;
  if (goal.cut) text = fmt::format("p:{} | m:{} -> ", width - goal.memory_bits, goal.memory_bits);
  text += "matrix(";
  for (int i = width - 1; i >= 0; --i)
    text += fmt::format("{:#x}{}", goal.map.column(i), i == 0 ? ")" : ", ");
  if (goal.cut) text += "(p m)";
  if (goal.map.complement() != 0) text += fmt::format(" ^ {:#x}", goal.map.complement());
  return text;
}

std::string problem_text(const ButterflyGoal& goal) {
  std::string text =
      fmt::format(R"({{"kind":"{}","n":{},"p":{},"allocation":"{}","encoding":"{}","order":"{}")",
                  json_words::computations.text(goal.computation), goal.processor_bits,
                  goal.index_bits, json_words::allocations.text(goal.allocation),
                  json_words::encodings.text(goal.encoding), json_words::orders.text(goal.order));
  if (goal.in_place) text += ",\"in_place\":true";
  text += ",\"final\":{\"proc\":";
  add_rows(text, goal.final_processor_rows);
  if (goal.final_memory_rows) {
    text += ",\"mem\":";
    add_rows(text, *goal.final_memory_rows);
  }
  return text + "}}";
}

void add_goal(std::string& out, const ScheduleHeader& header) {
  if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
    out += "\"map\":" + json_quoted(header.map_text.empty() ? literal(*map) : header.map_text);
  } else if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
    out += "\"goal\":";
    list(out, moves->moves, add_move);
  } else if (const auto* butterfly = std::get_if<ButterflyGoal>(&header.goal)) {
    out += "\"problem\":" + problem_text(*butterfly);
  } else if (const auto* product = std::get_if<MatmulGoal>(&header.goal)) {
    out += fmt::format(R"("goal_spec":{{"kind":"matmul","N":{},"a":{},"b":{},"c":{}}})",
                       json_number(product->order), product->a, product->b, product->c);
  } else if (const auto& broadcast = std::get<BroadcastGoal>(header.goal); broadcast.root) {
    out += fmt::format(R"("goal_spec":{{"kind":"one_to_all","root":{}}})",
                       json_number(*broadcast.root));
  } else {
    out += R"("goal_spec":{"kind":"all_to_all_broadcast"})";
  }
}

void add_repeat(std::string& out, const ScheduleHeader& header) {
  out += fmt::format("\"repeat\":{{\"times\":{}", json_number(header.repeat.times));
  const auto* goal = std::get_if<MapGoal>(&header.goal);
  const auto add = [&](const char* key, const BitMap& map) {
    if (map.width() == 0 || goal == nullptr) return;
    const int processors = map.width() - goal->memory_bits;
    out += fmt::format(
        ",\"{}\":{}", key,
        json_quoted(to_notation(map, {.kind = Cut::Kind::both, .processor_bits = processors})));
  };
  add("before", header.repeat.before);
  add("after", header.repeat.after);
  out += '}';
}

void add_cost(std::string& out, const CostClaim& claim, const Machine& machine) {
  std::string text;
  for (const CostPart& part : kind_of(machine).cost) {
    const std::optional<Count>& count = claim.*part.claim;
    if (!count || (part.left_out_if_zero && *count == 0)) continue;
    text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", part.key, json_number(*count));
  }
  out += "\"cost\":{" + text + "}";
}

void add_bound(std::string& out, const Bound& bound) {
  out += "\"bound\":" + bound_text(bound);
}

void add_butterfly(std::string& out, const Butterfly& b) {
  fmt::format_to(std::back_inserter(out), "[{},{},{},{}", json_number(b.processor), b.low, b.high,
                 b.stage);
  if (b.result != ButterflyRule::Result::both)
    fmt::format_to(std::back_inserter(out), ",\"{}\",{}", json_words::results.text(b.result), b.to);
  out += ']';
}

void add_butterfly_rule(std::string& out, const ButterflyRule& r) {
  add_condition(out, r.where);
  fmt::format_to(std::back_inserter(out), ",\"low\":{},\"high\":{},\"stage\":{}", r.low, r.high,
                 r.stage);
  if (r.result != ButterflyRule::Result::both)
    fmt::format_to(std::back_inserter(out), ",\"form\":\"{}\",\"to\":{}",
                   json_words::results.text(r.result), r.to);
  out += '}';
}

void add_rule(std::string& out, const Rule& r) {
  add_condition(out, r.where);
  fmt::format_to(std::back_inserter(out), ",\"slot\":{}", r.from);
  if (r.across != inside) fmt::format_to(std::back_inserter(out), ",\"across\":{}", r.across);
  fmt::format_to(std::back_inserter(out), ",\"to\":{}}}", r.to);
}

void add_pops_rule(std::string& out, const PopsRule& r) {
  add_condition(out, r.where);
  fmt::format_to(std::back_inserter(out), ",\"register\":{},\"to\":", r.reg);
  add_parities(out, r.to);
  fmt::format_to(std::back_inserter(out), ",\"into\":{}}}", r.into);
}

// Into the object or list that was just closed.
void add_advance(std::string& out, const Advance& advance, const char* key) {
  if (advance == Advance{}) return;
  const char bracket = out.back();
  out.pop_back();
  fmt::format_to(std::back_inserter(out), ",{}[{},{}]{}", key, advance.from, advance.to, bracket);
}

void add_operation(std::string& out, const PopsOperation& o) {
  fmt::format_to(std::back_inserter(out), "[\"{}\",{},{}", json_words::operations.text(o.kind),
                 json_number(o.processor), o.to);
  const int operands = json_words::operands(o.kind);
  if (operands >= 1) fmt::format_to(std::back_inserter(out), ",{}", o.a);
  if (operands >= 2) fmt::format_to(std::back_inserter(out), ",{}", o.b);
  out += ']';
}

// Members of an object, left out where they are empty.
class NonEmpty {
 public:
  explicit NonEmpty(std::string& out) : out_(out) { out_ += '{'; }
  template <class Range, class Write>
  void add(const char* name, const Range& range, Write&& write) {
    if (range.empty()) return;
    fmt::format_to(std::back_inserter(out_), "{}\"{}\":", first_ ? "" : ",", name);
    first_ = false;
    list(out_, range, write);
  }
  void close() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

// The lists of a step; `advances` of a loop's, else empty. A step without anything says so, because
// a step is an object with one of these members.
void add_step(std::string& out, const CubeStep& step, const std::vector<Advance>& advances) {
  if (step == CubeStep{}) {
    out += "{\"moves\":[]}";
    return;
  }
  auto advance = advances.begin();
  const auto advancing = [&](auto add, const char* key) {
    return [&, add, key](std::string& o, const auto& item) {
      add(o, item);
      if (advance != advances.end()) add_advance(o, *advance++, key);
    };
  };
  NonEmpty members(out);
  members.add("rules", step.rules, advancing(add_rule, "\"advance\":"));
  members.add("moves", step.moves, advancing(add_move, ""));
  members.add("butterflies", step.butterflies, add_butterfly);
  members.add("butterfly_rules", step.butterfly_rules, add_butterfly_rule);
  members.close();
}

void add_step(std::string& out, const PopsSlot& slot, const std::vector<Advance>& advances) {
  auto advance = advances.begin();
  NonEmpty members(out);
  members.add("sends", slot.sends, [](std::string& o, const PopsSend& s) {
    fmt::format_to(std::back_inserter(o), "[{},{},", json_number(s.processor), s.reg);
    list(o, s.to_groups, [](std::string& p, std::uint64_t group) { p += json_number(group); });
    o += ']';
  });
  members.add("receives", slot.receives, [](std::string& o, const PopsReceive& r) {
    fmt::format_to(std::back_inserter(o), "[{},{},{}]", json_number(r.processor),
                   json_number(r.from_group), r.reg);
  });
  members.add("rules", slot.rules, [&](std::string& o, const PopsRule& rule) {
    add_pops_rule(o, rule);
    if (advance != advances.end()) add_advance(o, *advance++, "\"advance\":");
  });
  members.add("ops", slot.operations, add_operation);
  members.close();
}

}  // namespace

void JsonWriter::begin(const ScheduleHeader& header) {
  first_step_ = true;
  width_ = address_bits(header.machine).value_or(0);
  entries_ = header.entries;
  line_ =
      fmt::format("{{\"format\":\"faro-schedule/{}\",\n\"machine\":{},\n",
                  entries_ == ScheduleHeader::Entries::steps ? 1 : 2, machine_text(header.machine));
  add_goal(line_, header);
  line_ += fmt::format(",\n\"elements\":{},\"slots\":{}", json_number(header.elements),
                       json_number(header.slots));
  if (takes_turns(header)) {
    line_ += ",\n";
    add_repeat(line_, header);
  }
  if (!header.planner.empty()) line_ += ",\n\"planner\":" + json_quoted(header.planner);
  if (header.cost) {
    line_ += ",\n";
    add_cost(line_, *header.cost, header.machine);
  }
  if (header.bound) {
    line_ += ",\n";
    add_bound(line_, *header.bound);
  }
  if (header.result.size() == 1) {
    line_ += fmt::format(",\n\"result\":{}", header.result.front());
  } else if (!header.result.empty()) {
    line_ += ",\n\"result\":";
    list(line_, header.result, [](std::string& o, Slot slot) { o += fmt::format("{}", slot); });
  }
  line_ += fmt::format(",\n\"{}\":[", json_words::steps.text(kind_of(header.machine).steps));
  out_.write(line_);
}

void JsonWriter::begin_step() {
  line_ = first_step_ ? "\n" : ",\n";
  first_step_ = false;
}

void JsonWriter::end_step() {
  out_.write(line_);
}

void JsonWriter::step(const CubeStep& step) {
  begin_step();
  add_step(line_, step, {});
  end_step();
}

void JsonWriter::step(const MeshInstruction& instruction) {
  begin_step();
  const auto condition = [&](const TernaryMask& ternary, const std::vector<Parity>& where) {
    line_ += ",\"mask\":\"";
    for (int i = width_ - 1; i >= 0; --i)
      line_ += !has_bit(ternary.care, i) ? 'x' : has_bit(ternary.value, i) ? '1' : '0';
    line_ += '"';
    if (!where.empty()) {
      line_ += ",\"if\":";
      add_parities(line_, where);
    }
    line_ += '}';
  };
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
    line_ += fmt::format(R"({{"op":"route","dim":{},"by":{}}})", route->dimension, route->by);
  } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
    line_ +=
        fmt::format(R"({{"op":"copy","to":"{}","from":"{}")", json_words::registers.text(copy->to),
                    json_words::registers.text(copy->from));
    condition(copy->mask, copy->where);
  } else if (const auto* swap = std::get_if<MeshSwap>(&instruction)) {
    line_ += fmt::format(R"({{"op":"swap","a":"{}","b":"{}")", json_words::registers.text(swap->a),
                         json_words::registers.text(swap->b));
    condition(swap->mask, swap->where);
  }
  end_step();
}

void JsonWriter::step(const PopsSlot& slot) {
  begin_step();
  add_step(line_, slot, {});
  end_step();
}

// One step of the body a line.
template <class Step>
void JsonWriter::write(const Loop<Step>& loop) {
  if (entries_ == ScheduleHeader::Entries::steps) return ScheduleSink::loop(loop);
  begin_step();
  line_ += fmt::format("{{\"loop\":{{\"laps\":{},\"body\":[", json_number(loop.laps));
  Step first;
  const char* before = "\n";
  for (const auto& entry : loop.body) {
    at_lap(entry, 0, first);  // refuses what a loop may not have
    line_ += before;
    add_step(line_, first, entry.advances);
    before = ",\n";
  }
  line_ += "]}}";
  end_step();
}

void JsonWriter::loop(const CubeLoop& loop) {
  write(loop);
}
void JsonWriter::loop(const PopsLoop& loop) {
  write(loop);
}

void JsonWriter::finish() {
  out_.write(first_step_ ? "]}\n" : "\n]}\n");
}

}  // namespace faro::inline v1
