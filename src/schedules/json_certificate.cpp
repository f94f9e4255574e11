#include "schedules/json_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "faro/base/limits.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1 {
namespace {

using namespace certificate;

constexpr json_words::Words<Way, 2> ways{{{{Way::out, "out"}, {Way::in, "in"}}}};

using Out = std::string;

void add(Out& out, Count number) {
  out += json_number(number);
}

// The parts in brackets with commas between, each as `write` does it.
template <class Range, class Write>
void add_list(Out& out, const Range& range, Write&& write) {
  const char* before = "[";
  for (const auto& item : range) {
    out += std::exchange(before, ",");
    write(out, item);
  }
  out += range.empty() ? "[]" : "]";
}
template <class Range>
void add_numbers(Out& out, const Range& numbers) {
  add_list(out, numbers, [](Out& o, const auto n) { add(o, static_cast<Count>(n)); });
}

void add_phase(Out& out, const Dual::Phase& phase) {
  out += "{\"steps\":";
  add(out, phase.steps);
  out += ",\"links\":";
  add_list(out, phase.links, [](Out& o, const auto& dimension) { add_numbers(o, dimension); });
  if (!phase.ports.empty()) {
    out += ",\"ports\":";
    add_numbers(out, phase.ports);
  }
  out += '}';
}

void add_parities(Out& out, const std::vector<Parity>& where) {
  add_list(out, where,
           [](Out& o, const Parity& p) { o += fmt::format("[\"{:#x}\",{}]", p.mask, p.value); });
}

std::string two(std::uint64_t first, std::uint64_t second) {
  return fmt::format("[{},{}]", json_number(first), json_number(second));
}

// The members, each with a comma behind it.
struct Members {
  Out& out;

  void operator()(const std::monostate&) const {}
  void operator()(const Distance& c) const {
    out += R"("kind":"distance","from":)" + two(c.processor, c.slot) + ',';
  }
  void operator()(const Cut& c) const {
    out += R"("kind":"cut","if":)";
    add_parities(out, c.where);
    out += ',';
  }
  void operator()(const Slab& c) const {
    out += fmt::format(R"("kind":"slab","dimension":{},"first":{},"last":{},)", c.dimension,
                       json_number(c.first), json_number(c.last));
  }
  void operator()(const Port& c) const {
    out += fmt::format(R"("kind":"port","processor":{},"way":"{}",)", json_number(c.processor),
                       ways.text(c.way));
  }
  void operator()(const Weights& c) const {
    out += R"("kind":"weights","weights":)";
    add_list(out, c.links, [](Out& o, const Weights::Link& link) {
      add_numbers(o, std::array{link.from, link.to, link.weight});
    });
    out += ',';
  }
  void operator()(const Dual& c) const {
    out += R"("kind":"dual","onto":)";
    add_numbers(out, c.onto);
    out += ",\"phases\":";
    add_list(out, c.phases, add_phase);
    out += ',';
  }
  void operator()(const Traffic&) const { out += R"("kind":"traffic",)"; }
  void operator()(const Arrivals& c) const {
    out += R"("kind":"arrivals","if":)";
    add_parities(out, c.where);
    out += ",\"over\":";
    std::vector<int> over;
    for (Word rest = c.over; rest != 0; rest &= rest - 1) over.push_back(lowest_bit(rest));
    add_numbers(out, over);
    out += ',';
  }
  void operator()(const Displacements& c) const {
    out += R"("kind":"displacements","sources":)";
    add_list(out, c.sources, [](Out& o, const auto& sources) {
      if (sources)
        add_numbers(o, *sources);
      else
        o += "\"all\"";
    });
    out += ',';
  }
  void operator()(const Pair& c) const {
    out += R"("kind":"pair","from":)" + two(c.first, c.second) + ',';
  }
  void operator()(const Group& c) const {
    out += fmt::format(R"("kind":"group","group":{},"way":"{}",)", json_number(c.group),
                       ways.text(c.way));
  }
  void operator()(const Hops&) const { out += R"("kind":"hops",)"; }
  void operator()(const Rank& c) const {
    out += fmt::format(R"("kind":"rank","dimension":{},)", c.dimension);
  }
};

}  // namespace

std::string bound_text(const Bound& bound) {
  std::string text = "{";
  std::visit(Members{text}, bound.certificate);
  return text + "\"value\":" + json_number(bound.value) +
         ",\"reason\":" + json_quoted(bound.reason) + '}';
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

Word dimensions_from(const Value& bound) {
  Word dimensions = 0;
  const Value list = required(bound, "over", "bound");
  for (const Value& d : list.array("bound.over"))
    dimensions |= bit(small(d, "bound.over", limits::address_bits_max - 1));
  return dimensions;
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
  if (name == "arrivals")
    return knows({"if", "over"}), Arrivals{where_from(bound, "bound.if"), dimensions_from(bound)};
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
      "\"traffic\", \"arrivals\", \"displacements\", \"pair\", \"group\", \"hops\", \"rank\" "
      "wanted, or "
      "the key left out"};
}

}  // namespace json
}  // namespace faro::inline v1
