#include "schedules/json_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1 {
namespace {

using namespace certificate;
using nlohmann::ordered_json;

constexpr json_words::Words<Way, 2> ways{{{{Way::out, "out"}, {Way::in, "in"}}}};

ordered_json where_json(const std::vector<Parity>& where) {
  ordered_json list = ordered_json::array();
  for (const Parity& p : where) list.push_back({fmt::format("{:#x}", p.mask), p.value});
  return list;
}

ordered_json numbers_json(const std::vector<std::uint64_t>& numbers) {
  ordered_json list = ordered_json::array();
  for (const std::uint64_t n : numbers) list.push_back(json_count(n));
  return list;
}

ordered_json phase_json(const Dual::Phase& phase) {
  ordered_json object = {{"steps", json_count(phase.steps)}, {"links", ordered_json::array()}};
  for (const auto& dimension : phase.links) object["links"].push_back(numbers_json(dimension));
  if (!phase.ports.empty()) object["ports"] = numbers_json(phase.ports);
  return object;
}

struct Members {
  ordered_json operator()(const std::monostate&) const { return ordered_json::object(); }
  ordered_json operator()(const Distance& c) const {
    return {{"kind", "distance"}, {"from", {json_count(c.processor), json_count(c.slot)}}};
  }
  ordered_json operator()(const Cut& c) const {
    return {{"kind", "cut"}, {"if", where_json(c.where)}};
  }
  ordered_json operator()(const Slab& c) const {
    return {{"kind", "slab"},
            {"dimension", c.dimension},
            {"first", json_count(c.first)},
            {"last", json_count(c.last)}};
  }
  ordered_json operator()(const Port& c) const {
    return {{"kind", "port"}, {"processor", json_count(c.processor)}, {"way", ways.text(c.way)}};
  }
  ordered_json operator()(const Weights& c) const {
    ordered_json list = ordered_json::array();
    for (const Weights::Link& link : c.links)
      list.push_back({json_count(link.from), json_count(link.to), json_count(link.weight)});
    return {{"kind", "weights"}, {"weights", std::move(list)}};
  }
  ordered_json operator()(const Dual& c) const {
    ordered_json list = ordered_json::array();
    for (const Dual::Phase& phase : c.phases) list.push_back(phase_json(phase));
    return {{"kind", "dual"}, {"onto", c.onto}, {"phases", std::move(list)}};
  }
  ordered_json operator()(const Traffic&) const { return {{"kind", "traffic"}}; }
  ordered_json operator()(const Displacements& c) const {
    ordered_json list = ordered_json::array();
    for (const auto& sources : c.sources) {
      if (!sources) {
        list.push_back("all");
        continue;
      }
      list.push_back(numbers_json(*sources));
    }
    return {{"kind", "displacements"}, {"sources", std::move(list)}};
  }
  ordered_json operator()(const Pair& c) const {
    return {{"kind", "pair"}, {"from", {json_count(c.first), json_count(c.second)}}};
  }
  ordered_json operator()(const Group& c) const {
    return {{"kind", "group"}, {"group", json_count(c.group)}, {"way", ways.text(c.way)}};
  }
  ordered_json operator()(const Hops&) const { return {{"kind", "hops"}}; }
  ordered_json operator()(const Rank& c) const {
    return {{"kind", "rank"}, {"dimension", c.dimension}};
  }
};

}  // namespace

ordered_json certificate_json(const Certificate& certificate) {
  return std::visit(Members{}, certificate);
}

ordered_json bound_json(const Bound& bound) {
  ordered_json object = certificate_json(bound.certificate);
  object["value"] = json_count(bound.value);
  object["reason"] = bound.reason;
  return object;
}

namespace json {
namespace {

std::vector<Parity> where_from(const Value& object, const char* what) {
  const auto where = object.member("if");
  return where ? parities_from(*where, what) : std::vector<Parity>{};
}

std::vector<std::uint64_t> numbers_from(const Value& list, const char* what) {
  std::vector<std::uint64_t> numbers;
  for (const Value& value : list.array(what)) numbers.push_back(value.number(what));
  return numbers;
}

std::pair<std::uint64_t, std::uint64_t> two_from(const Value& bound) {
  const Value from = required(bound, "from", "bound");
  const auto numbers = numbers_from(from.array("bound.from", 2), "bound.from");
  return {numbers[0], numbers[1]};
}

std::uint64_t number_of(const Value& bound, const char* key) {
  return required(bound, key, "bound").number(key);
}

Way way_from(const Value& bound) {
  return word_from(ways, required(bound, "way", "bound"), "bound.way");
}

Weights weights_from(const Value& bound) {
  Weights weights;
  const Value list = required(bound, "weights", "bound");
  for (const Value& link : list.array("bound.weights")) {
    const auto part = numbers_from(link.array("bound.weights", 3), "bound.weights");
    weights.links.push_back({part[0], part[1], part[2]});
  }
  return weights;
}

int dimension_of(const Value& object, const char* key) {
  return small(required(object, key, "bound"), key, limits::address_bits_max);
}

Dual dual_from(const Value& bound, const Unknown& unknown) {
  Dual dual;
  const Value onto = required(bound, "onto", "bound");
  for (const Value& d : onto.array("bound.onto"))
    dual.onto.push_back(small(d, "bound.onto", limits::address_bits_max));
  const Value phases = required(bound, "phases", "bound");
  for (const Value& part : phases.array("bound.phases")) {
    Dual::Phase phase;
    phase.steps = required(part, "steps", "bound.phases").number("bound.phases.steps");
    only(part, {"steps", "links", "ports"}, "bound.phases", unknown);
    const Value links = required(part, "links", "bound.phases");
    for (const Value& dimension : links.array("bound.phases.links"))
      phase.links.push_back(numbers_from(dimension, "bound.phases.links"));
    if (const auto ports = part.member("ports"))
      phase.ports = numbers_from(*ports, "bound.phases.ports");
    dual.phases.push_back(std::move(phase));
  }
  return dual;
}

Displacements displacements_from(const Value& bound) {
  Displacements all;
  const Value list = required(bound, "sources", "bound");
  for (const Value& part : list.array("bound.sources")) {
    if (part.kind() == Kind::text && part.text() == "all")
      all.sources.emplace_back();
    else
      all.sources.emplace_back(numbers_from(part, "bound.sources"));
  }
  return all;
}

}  // namespace

Certificate certificate_from(const Value& bound, const Unknown& unknown) {
  const auto kind = bound.member("kind");
  const auto knows = [&](std::initializer_list<std::string_view> keys) {
    std::vector<std::string_view> all = {"value", "reason", "kind"};
    all.insert(all.end(), keys);
    for (const Value& child : bound)
      if (std::find(all.begin(), all.end(), child.key()) == all.end())
        unknown("bound", child.key());
  };
  const std::string_view name = kind ? kind->text() : "";
  if (!kind) return knows({}), Certificate{};
  if (name == "distance") {
    knows({"from"});
    const auto [processor, slot] = two_from(bound);
    return Distance{processor, slot};
  }
  if (name == "cut") return knows({"if"}), Cut{where_from(bound, "bound.if")};
  if (name == "slab") {
    knows({"dimension", "first", "last"});
    return Slab{dimension_of(bound, "dimension"), number_of(bound, "first"),
                number_of(bound, "last")};
  }
  if (name == "port")
    return knows({"processor", "way"}), Port{number_of(bound, "processor"), way_from(bound)};
  if (name == "weights") return knows({"weights"}), weights_from(bound);
  if (name == "dual") return knows({"onto", "phases"}), dual_from(bound, unknown);
  if (name == "traffic") return knows({}), Traffic{};
  if (name == "displacements") return knows({"sources"}), displacements_from(bound);
  if (name == "pair") {
    knows({"from"});
    const auto [first, second] = two_from(bound);
    return Pair{first, second};
  }
  if (name == "group")
    return knows({"group", "way"}), Group{number_of(bound, "group"), way_from(bound)};
  if (name == "hops") return knows({}), Hops{};
  if (name == "rank") return knows({"dimension"}), Rank{dimension_of(bound, "dimension")};
  throw Breach{
      "shape",
      "bound.kind: one of \"distance\", \"cut\", \"slab\", \"port\", \"weights\", \"dual\", "
      "\"traffic\", \"displacements\", \"pair\", \"group\", \"hops\", \"rank\" wanted, or the key "
      "left "
      "out"};
}

}  // namespace json
}  // namespace faro::inline v1
