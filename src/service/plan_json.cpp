#include <fmt/format.h>

#include <algorithm>

#include "base/buffered_sink.hpp"
#include "faro/base/error.hpp"
#include "faro/files/replacement.hpp"
#include "faro/machines/pops/model.hpp"
#include "faro/machines/text.hpp"
#include "faro/schedules/json_writer.hpp"
#include "schedules/json_certificate.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/json_words.hpp"
#include "service/json.hpp"

namespace faro::inline v1 {
namespace {

using nlohmann::ordered_json;

ordered_json formula_json(const Formula& formula) {
  return {{"text", formula.text}, {"value", json_count(formula.value)}};
}

ordered_json paper_json(const std::optional<PaperCount>& paper) {
  if (!paper) return nullptr;
  return {{"citation", paper->citation},
          {"text", paper->formula.text},
          {"value", json_count(paper->formula.value)}};
}

ordered_json change_json(const PacketReport::Change& change) {
  return {{"startup", change.startup},
          {"elements", json_count(change.packet_elements)},
          {"startups", json_count(change.startups)},
          {"planner", change.planner}};
}

ordered_json packets_json(const Plan& plan) {
  const PacketReport& p = *plan.packets();
  ordered_json j = {{"elements", json_count(p.prices.packet_elements)},
                    {"map", nullptr},
                    {"startups", json_count(p.startups)},
                    {"planner", p.planner},
                    {"time", p.time},
                    {"time_unpacked", p.time_unpacked}};
  if (plan.request().is_map()) j["map"] = plan.request().text();
  if (p.below) j["below"] = change_json(*p.below);
  if (p.above) j["above"] = change_json(*p.above);
  return j;
}

ordered_json hardware_json(const Pops& network) {
  const pops::Hardware h = pops::hardware(network);
  return {{"couplers", json_count(h.couplers)},
          {"coupler_degree", json_count(h.coupler_degree)},
          {"transmitters", json_count(h.transmitters)},
          {"receivers", json_count(h.receivers)}};
}

ordered_json rows_json(const std::vector<Word>& rows) {
  ordered_json list = ordered_json::array();
  for (const Word row : rows) list.push_back(fmt::format("{:#x}", row));
  return list;
}

ordered_json problem_json(const ButterflyGoal& goal) {
  return {{"kind", json_words::computations.text(goal.computation)},
          {"n", goal.processor_bits},
          {"p", goal.index_bits},
          {"layout", to_string(goal.layout())},
          {"order", json_words::orders.text(goal.order)},
          {"in_place", goal.in_place},
          {"final",
           {{"proc", rows_json(goal.final_processor_rows)},
            {"mem", rows_json(goal.final_memory_rows.value_or(std::vector<Word>{}))}}}};
}

ordered_json considered_json(const std::vector<Considered>& all) {
  ordered_json list = ordered_json::array();
  for (const Considered& c : all) {
    ordered_json one = {{"name", c.planner->name()}};
    if (c.estimate) {
      one["value"] = json_count(c.estimate->cost.value);
      one["formula"] = c.estimate->cost.text;
      one["paper"] = paper_json(c.estimate->paper);
    } else if (c.refusal) {
      one["refusal"] = *c.refusal;
    } else {
      one["not_asked"] = c.not_asked;
    }
    list.push_back(std::move(one));
  }
  return list;
}

// Why no verifier has checked the bound, nothing if one has.
std::string unchecked_bound(const std::vector<Verdict>& verdicts) {
  std::string why = "nobody has verified this plan";
  for (const Verdict& v : verdicts) {
    if (v.bound == Verdict::BoundAnswer::checked) return {};
    if (v.bound == Verdict::BoundAnswer::claimed) why = v.bound_limit;
  }
  return why;
}

std::string schedules_of_bound(const std::vector<Verdict>& verdicts) {
  for (const Verdict& v : verdicts)
    if (v.bound == Verdict::BoundAnswer::checked) return v.bound_limit;
  return {};
}

}  // namespace

Count Price::gap() const {
  const Count value = cost_value(machine, cost);
  return value > bound.value ? value - bound.value : 0;
}

Price price_of(const Plan& plan) {
  return {.machine = plan.request().machine(),
          .cost = plan.cost(),
          .formula = plan.formula(),
          .paper = plan.paper(),
          .bound = plan.bound(),
          .unchecked = unchecked_bound(plan.verdicts()),
          .of = schedules_of_bound(plan.verdicts())};
}

void add_price(const Price& price, ordered_json& object) {
  object["cost"] = json_cost(price.cost, price.machine);
  object["formula"] = formula_json(price.formula);
  object["paper"] = paper_json(price.paper);
  object["bound"] = ordered_json::parse(bound_text(price.bound));
  object["gap"] = json_count(price.gap());
}

bool was_refused(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& v) { return v.answer == Verdict::Answer::no; });
}

ordered_json verified_json(const std::vector<Verdict>& verdicts) {
  bool proof = false;
  bool replay = false;
  for (const Verdict& v : verdicts) {
    if (v.answer == Verdict::Answer::unprovable) continue;
    (v.by == "proof" ? proof : replay) = true;
  }
  if (!proof && !replay) return nullptr;
  const char* by = proof && replay ? "both" : proof ? "proof" : "replay";
  return {{"by", by}, {"ok", !was_refused(verdicts)}};
}

ordered_json plan_json(const Plan& plan) {
  const Machine& machine = plan.request().machine();
  ordered_json j;
  j["format"] = "faro-plan/1";
  j["map"] = nullptr;
  if (plan.asked().is_map()) j["map"] = plan.asked().text();
  if (const auto* goal = std::get_if<ButterflyGoal>(&plan.header().goal))
    j["problem"] = problem_json(*goal);
  j["machine"] = to_string(machine);
  j["elements"] = json_count(plan.asked().elements());
  j["planner"] = plan.planner();
  j["expression"] = plan.expression();
  add_price(price_of(plan), j);
  j["slots_used"] = json_count(plan.slots());
  j["crossings"] = ordered_json::array();
  for (const Count c : plan.crossings()) j["crossings"].push_back(json_count(c));
  if (const auto* network = std::get_if<Pops>(&machine)) j["hardware"] = hardware_json(*network);
  j["verified"] = verified_json(plan.verdicts());
  j["fingerprint"] = plan.fingerprint();
  if (plan.packets()) j["packets"] = packets_json(plan);
  j["considered"] = considered_json(plan.considered());
  return j;
}

std::string Plan::json() const {
  return plan_json(*this).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void Plan::write(const std::string& path) const {
  Replacement file(path);
  BufferedSink bytes([&file](std::string_view text) { file.write(text); });
  JsonWriter writer(bytes);
  push(writer);
  bytes.flush();
  file.commit();
}

}  // namespace faro::inline v1
