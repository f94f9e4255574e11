// A plan's report: what it was asked, what it costs, the bound with its judge, and who verified it.
#include <fmt/format.h>

#include <algorithm>

#include "base/buffered_sink.hpp"
#include "base/report.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/json.hpp"
#include "machines/pops/model.hpp"
#include "schedules/json_certificate.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/json_words.hpp"
#include "service/reports.hpp"

namespace faro::inline v1 {
namespace {

Report formula_report(const Formula& formula) {
  return {{"text", formula.text}, {"value", Count(formula.value)}};
}

Report paper_report(const std::optional<PaperCount>& paper) {
  if (!paper) return nullptr;
  return {{"citation", paper->citation},
          {"text", paper->formula.text},
          {"value", Count(paper->formula.value)}};
}

Report change_report(const PacketReport::Change& change) {
  return {{"startup", change.startup},
          {"elements", Count(change.packet_elements)},
          {"startups", Count(change.startups)},
          {"planner", change.planner}};
}

Report packets_report(const MachinePlan& plan) {
  const PacketReport& p = *plan.packets();
  Report j = {{"elements", Count(p.prices.packet_elements)},
              {"map", nullptr},
              {"startups", Count(p.startups)},
              {"planner", p.planner},
              {"time", p.time},
              {"time_unpacked", p.time_unpacked}};
  if (plan.request().is_map()) j["map"] = plan.request().text();
  if (p.below) j["below"] = change_report(*p.below);
  if (p.above) j["above"] = change_report(*p.above);
  return j;
}

Report hardware_report(const Pops& network) {
  const pops::Hardware h = pops::hardware(network);
  return {{"couplers", Count(h.couplers)},
          {"coupler_degree", Count(h.coupler_degree)},
          {"transmitters", Count(h.transmitters)},
          {"receivers", Count(h.receivers)}};
}

Report rows_report(const std::vector<Word>& rows) {
  Report list = Report::list();
  for (const Word row : rows) list.push_back(fmt::format("{:#x}", row));
  return list;
}

Report problem_report(const ButterflyGoal& goal) {
  return {{"kind", json_words::computations.text(goal.computation)},
          {"n", goal.processor_bits},
          {"p", goal.index_bits},
          {"layout", to_string(goal.layout())},
          {"order", json_words::orders.text(goal.order)},
          {"in_place", goal.in_place},
          {"final",
           {{"proc", rows_report(goal.final_processor_rows)},
            {"mem", rows_report(goal.final_memory_rows.value_or(std::vector<Word>{}))}}}};
}

Report considered_report(const std::vector<Considered>& all) {
  Report list = Report::list();
  for (const Considered& c : all) {
    Report one = {{"name", c.planner->name()}};
    if (c.estimate) {
      one["value"] = Count(c.estimate->cost.value);
      one["formula"] = c.estimate->cost.text;
      one["paper"] = paper_report(c.estimate->paper);
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

Price price_of(const MachinePlan& plan) {
  return {.machine = plan.request().machine(),
          .cost = plan.cost(),
          .formula = plan.formula(),
          .paper = plan.paper(),
          .bound = plan.bound(),
          .unchecked = unchecked_bound(plan.verdicts()),
          .of = schedules_of_bound(plan.verdicts())};
}

void add_price(const Price& price, Report& report) {
  report["cost"] = cost_report(price.cost, price.machine);
  report["formula"] = formula_report(price.formula);
  report["paper"] = paper_report(price.paper);
  report["bound"] = Report::of_json(bound_text(price.bound));
  report["gap"] = Count(price.gap());
}

bool was_refused(const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& v) { return v.answer == Verdict::Answer::no; });
}

Report verified_report(const std::vector<Verdict>& verdicts) {
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

Report plan_report(const MachinePlan& plan) {
  const Machine& machine = plan.request().machine();
  Report j;
  j["format"] = "faro-plan/1";
  j["map"] = nullptr;
  if (plan.asked().is_map()) j["map"] = plan.asked().text();
  if (const auto* goal = std::get_if<ButterflyGoal>(&plan.header().goal))
    j["problem"] = problem_report(*goal);
  j["machine"] = to_string(machine);
  j["elements"] = Count(plan.asked().elements());
  j["planner"] = plan.planner();
  j["expression"] = plan.expression();
  add_price(price_of(plan), j);
  j["slots_used"] = Count(plan.slots());
  j["crossings"] = Report::list();
  for (const Count c : plan.crossings()) j["crossings"].push_back(Count(c));
  if (const auto* network = std::get_if<Pops>(&machine)) j["hardware"] = hardware_report(*network);
  j["verified"] = verified_report(plan.verdicts());
  j["fingerprint"] = plan.fingerprint();
  if (plan.packets()) j["packets"] = packets_report(plan);
  j["considered"] = considered_report(plan.considered());
  return j;
}

std::string MachinePlan::json() const {
  return plan_report(*this).json();
}

void MachinePlan::write(const std::string& path) const {
  Replacement file(path);
  BufferedSink bytes([&file](std::string_view text) { file.write(text); });
  JsonWriter writer(bytes);
  push(writer);
  bytes.flush();
  file.commit();
}

}  // namespace faro::inline v1
