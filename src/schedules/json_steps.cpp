// The parts of steps: rules, moves, butterflies, instructions, sends.
#include <fmt/format.h>

#include <limits>

#include "faro/base/limits.hpp"
#include "schedules/json_parts.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1::json {
namespace {

// What a step does must be known whole: a key passed over could say that it does something else.
void nothing_but(const Value& object, std::initializer_list<std::string_view> known,
                 const char* what) {
  only(object, known, what, refuse_unknown);
}

}  // namespace

bool is_list_of_step(std::string_view key, bool slots, Of what) {
  if (key == "rules") return true;
  if (what == Of::loop) return !slots && key == "moves";
  if (slots) return key == "sends" || key == "receives" || key == "ops";
  return key == "moves" || key == "butterflies" || key == "butterfly_rules";
}

void refuse_unknown(std::string_view part, std::string_view key) {
  throw Breach{"shape", fmt::format("{}: unknown key '{}'", part, key.substr(0, 60))};
}

std::vector<Parity> parities_from(const Value& value, const char* what) {
  std::vector<Parity> parities;
  for (const Value& pair : value.array(what)) {
    pair.array(what, 2);
    auto part = pair.begin();
    Parity parity;
    parity.mask = (*part).mask(what);
    const std::uint64_t number = (*++part).number(what, "mask-range");
    if (number > 1)
      throw Breach{"mask-range", fmt::format("{}: a parity of {}; it is 0 or 1", what, number)};
    parity.value = static_cast<unsigned>(number);
    parities.push_back(parity);
  }
  return parities;
}

namespace {

std::vector<Parity> condition_of(const Value& object, const char* what) {
  const auto condition = object.member("if");
  return condition ? parities_from(*condition, what) : std::vector<Parity>{};
}

// Numbers beyond the type are kept as the largest one, which no machine has.
int dimension_from(const Value& value, const char* what) {
  const std::uint64_t d = value.number(what, "dimension-range");
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  return static_cast<int>(d < max ? d : max);
}

int stage_from(const Value& value) {
  const std::uint64_t stage = value.number("stage");
  if (stage > limits::address_bits_max)
    throw Breach{"range",
                 fmt::format("stage {}: there are at most {}", stage, limits::address_bits_max)};
  return static_cast<int>(stage);
}

ButterflyRule::Result form_from(const Value& value) {
  const auto form = json_words::results.value(value.text());
  if (!form) throw Breach{"shape", "a butterfly's form is \"top\" or \"bottom\""};
  return *form;
}

MeshRegister register_from(const Value& value) {
  const auto reg = json_words::registers.value(value.text());
  if (!reg) throw Breach{"register", "a register is \"Rr\", \"Rs\" or \"Rt\""};
  return *reg;
}

TernaryMask ternary_from(const Value& object, int address_bits) {
  TernaryMask mask;
  const auto value = object.member("mask");
  if (!value) return mask;
  const std::string_view text = value->text();
  if (value->kind() != Kind::text || text.size() != static_cast<std::size_t>(address_bits))
    throw Breach{"mask-range", fmt::format("mask: {} characters 0, 1 or x wanted", address_bits)};
  for (const char c : text) {
    mask.care <<= 1U;
    mask.value <<= 1U;
    if (c == 'x') continue;
    if (c != '0' && c != '1')
      throw Breach{"mask-range", fmt::format("mask: '{}' is none of 0, 1, x", c)};
    mask.care |= 1U;
    mask.value |= c == '1' ? 1U : 0U;
  }
  return mask;
}

// [from, to], each exact in every reader of JSON.
Advance advance_from(const Value& value) {
  value.array("an advance", 2);
  auto part = value.begin();
  Advance advance;
  advance.from = (*part).integer("an advance");
  advance.to = (*++part).integer("an advance");
  constexpr auto max = static_cast<std::int64_t>(bit(53));
  for (const std::int64_t by : {advance.from, advance.to})
    if (by <= -max || by >= max)
      throw Breach{"range", fmt::format("an advance of {}: below 2^53 wanted", by)};
  return advance;
}

// The members of a rule, and its advance where it may have one.
void advances_of(const Value& rule, std::initializer_list<std::string_view> known,
                 Advance* advance) {
  only(rule, known, "a rule", [&](std::string_view part, std::string_view key) {
    if (advance == nullptr || key != "advance") refuse_unknown(part, key);
    *advance = advance_from(*rule.member("advance"));
  });
}

}  // namespace

Move move_from(const Value& value, const char* what, Advance* advance) {
  const bool advances = advance != nullptr && value.array(what).size() == 5;
  value.array(what, advances ? 5 : 4);
  auto part = value.begin();
  Move move;
  move.from_processor = (*part).number(what, "proc-range");
  move.from_slot = slot_from(*++part, what);
  move.to_processor = (*++part).number(what, "proc-range");
  move.to_slot = slot_from(*++part, what);
  if (advances) *advance = advance_from(*++part);
  return move;
}

Rule rule_from(const Value& value, Advance* advance) {
  Rule rule;
  rule.from = slot_from(required(value, "slot", "a rule"), "a rule's slot");
  rule.to = slot_from(required(value, "to", "a rule"), "a rule's target");
  advances_of(value, {"if", "slot", "across", "to"}, advance);
  rule.where = condition_of(value, "a rule's condition");
  const auto across = value.member("across");
  if (across && across->kind() != Kind::null)
    rule.across = dimension_from(*across, "a rule's dimension");
  return rule;
}

Butterfly butterfly_from(const Value& value) {
  value.array("a butterfly");
  const std::size_t size = value.size();
  if (size != 4 && size != 6)
    throw Breach{"shape",
                 "a butterfly: [processor, low, high, stage] wanted, or these with "
                 "\"top\" or \"bottom\" and a slot"};
  auto part = value.begin();
  Butterfly b;
  b.processor = (*part).number("a butterfly's processor", "proc-range");
  b.low = slot_from(*++part, "a butterfly's slot");
  b.high = slot_from(*++part, "a butterfly's slot");
  b.stage = stage_from(*++part);
  if (size == 4) return b;
  b.result = form_from(*++part);
  b.to = slot_from(*++part, "a butterfly's target");
  return b;
}

ButterflyRule butterfly_rule_from(const Value& value) {
  ButterflyRule rule;
  rule.low = slot_from(required(value, "low", "a butterfly rule"), "a butterfly's slot");
  rule.high = slot_from(required(value, "high", "a butterfly rule"), "a butterfly's slot");
  rule.stage = stage_from(required(value, "stage", "a butterfly rule"));
  nothing_but(value, {"if", "low", "high", "stage", "form", "to"}, "a butterfly rule");
  rule.where = condition_of(value, "a butterfly rule's condition");
  if (const auto form = value.member("form")) {
    rule.result = form_from(*form);
    rule.to = slot_from(required(value, "to", "a butterfly rule"), "a butterfly's target");
  }
  return rule;
}

MeshInstruction instruction_from(const Value& value, int address_bits) {
  const std::string_view op = required(value, "op", "an instruction").text();
  if (op == "route") {
    nothing_but(value, {"op", "dim", "by"}, "a route");
    MeshRoute route;
    route.dimension = dimension_from(required(value, "dim", "a route"), "a route's dimension");
    route.by = required(value, "by", "a route").integer("a route's distance");
    return route;
  }
  if (op == "copy") {
    nothing_but(value, {"op", "to", "from", "mask", "if"}, "a copy");
    return MeshCopy{register_from(required(value, "to", "a copy")),
                    register_from(required(value, "from", "a copy")),
                    ternary_from(value, address_bits), condition_of(value, "a copy's condition")};
  }
  if (op == "swap") {
    nothing_but(value, {"op", "a", "b", "mask", "if"}, "a swap");
    return MeshSwap{register_from(required(value, "a", "a swap")),
                    register_from(required(value, "b", "a swap")),
                    ternary_from(value, address_bits), condition_of(value, "a swap's condition")};
  }
  throw Breach{"shape", "an instruction's op is \"route\", \"copy\" or \"swap\""};
}

PopsSend send_from(const Value& value) {
  value.array("a send", 3);
  auto part = value.begin();
  PopsSend send;
  send.processor = (*part).number("a sender", "proc-range");
  send.reg = slot_from(*++part, "a sender's register");
  for (const Value& group : (*++part).array("a sender's groups"))
    send.to_groups.push_back(group.number("a sender's group", "group-range"));
  return send;
}

PopsReceive receive_from(const Value& value) {
  value.array("a receive", 3);
  auto part = value.begin();
  PopsReceive receive;
  receive.processor = (*part).number("a receiver", "proc-range");
  receive.from_group = (*++part).number("a receiver's group", "group-range");
  receive.reg = slot_from(*++part, "a receiver's register");
  return receive;
}

PopsRule pops_rule_from(const Value& value, Advance* advance) {
  PopsRule rule;
  rule.reg = slot_from(required(value, "register", "a rule"), "a rule's register");
  rule.into = slot_from(required(value, "into", "a rule"), "a rule's target");
  rule.to = parities_from(required(value, "to", "a rule"), "a rule's receiver");
  advances_of(value, {"if", "register", "to", "into"}, advance);
  rule.where = condition_of(value, "a rule's condition");
  return rule;
}

PopsOperation operation_from(const Value& value) {
  value.array("an operation");
  auto part = value.begin();
  if (part == value.end()) throw Breach{"shape", "an operation: an empty list"};
  const auto kind = json_words::operations.value((*part).text());
  if (!kind)
    throw Breach{"shape", "an operation is \"mul\", \"fma\", \"add\", \"copy\" or \"zero\""};
  const int operands = json_words::operands(*kind);
  value.array("an operation", static_cast<std::size_t>(3 + operands));
  PopsOperation operation;
  operation.kind = *kind;
  operation.processor = (*++part).number("an operation's processor", "proc-range");
  operation.to = slot_from(*++part, "an operation's register");
  if (operands >= 1) operation.a = slot_from(*++part, "an operation's register");
  if (operands >= 2) operation.b = slot_from(*++part, "an operation's register");
  return operation;
}

}  // namespace faro::inline v1::json
