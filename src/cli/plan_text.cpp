#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json_numbers.hpp"
#include "faro/machines/model/machine_text.hpp"
#include "faro/machines/model/pops.hpp"
#include "faro/schedules/cost.hpp"

namespace faro::cli {
namespace {

using nlohmann::ordered_json;

std::string line(std::string_view name, const std::string& text) {
  return fmt::format("  {:<12} {}\n", name, text);
}

// "1 step", "2 unit routes".
std::string in_units(Count count, const Machine& machine) {
  std::string unit = cost_unit(machine);
  if (count == 1) unit.pop_back();
  return to_string(count) + " " + unit;
}

// "proved for all 2^60 processors; replayed 96 moves".
std::string verified_text(const PlanReport& report) {
  if (report.verdicts.empty()) return "no, as you asked";
  std::string text;
  for (const Verdict& v : report.verdicts) {
    if (!text.empty()) text += "; ";
    if (v.answer == Verdict::Answer::no)
      text += fmt::format("REFUSED by {}: {}", v.by,
                          v.violations.empty() ? "" : v.violations.front().message);
    else if (v.answer == Verdict::Answer::unprovable)
      text += fmt::format("{} makes no claim: {}", v.by, v.limit);
    else if (v.by == "replay")
      text += v.cost.remote_moves == 0
                  ? fmt::format("replayed, {} delivered", plural(v.delivered, "element"))
                  : fmt::format("replayed {}", plural(v.cost.remote_moves, "move"));
    else if (const auto bits = address_bits(report.request.machine))
      text += fmt::format("proved for all 2^{} processors", *bits);
    else
      text += "proved for all processors";
  }
  return text;
}

std::string cost_text(const PlanReport& report) {
  std::string text = in_units(report.value(), report.request.machine);
  if (report.cost.remote_moves != 0)
    text += fmt::format(", {}", plural(report.cost.remote_moves, "move"));
  if (report.cost.unit_routes != 0 || report.cost.long_routes != 0)
    text += fmt::format(", {}, {}", plural(report.cost.long_routes, "long route"),
                        plural(report.cost.register_ops, "register operation"));
  return text;
}

std::string storage_text(const PlanReport& report) {
  if (!is_simd_mesh(report.request.machine))
    return fmt::format("{} in each processor", plural(report.slots_used, "slot"));
  const Count elements = report.request.elements;
  std::string text =
      fmt::format("{} of one element in each processor", plural(report.slots_used, "register"));
  if (elements > 1)
    text += fmt::format(
        "; the program of {} runs {} times, once for each of its elements",
        in_units(cost_value(report.request.machine, report.listed_cost), report.request.machine),
        to_string(elements));
  return text;
}

std::string bound_text(const PlanReport& report) {
  const Count gap = report.gap();
  return fmt::format("no plan takes fewer than {}: {}", to_string(report.bound.value),
                     report.bound.reason) +
         (gap == 0
              ? "\n" + line("gap", "none, this plan is optimal")
              : "\n" + line("gap", in_units(gap, report.request.machine) + " above the bound"));
}

std::string bars(const PlanReport& report, const Output& out) {
  if (report.crossings.empty() || report.value() == 0) return "";
  constexpr std::size_t bar_width = 30;
  const int n = static_cast<int>(report.crossings.size());
  const Count links = Count{1} << n;  // directed ones of a dimension
  std::string text = "  use of the links, dimension by dimension:\n";
  for (int d = n - 1; d >= 0; --d) {
    const double used = static_cast<double>(report.crossings[static_cast<std::size_t>(d)]) /
                        (static_cast<double>(links) * static_cast<double>(report.value()));
    const auto full = static_cast<std::size_t>(used * static_cast<double>(bar_width) + 0.5);
    std::string bar;
    for (std::size_t i = 0; i < bar_width; ++i) bar += i < full ? "█" : "░";
    text += fmt::format("  {:>12} {} {:3.0f}%\n", d, out.styled(Output::Style::accent, bar),
                        100 * used);
  }
  return text;
}

// "packets of 8 elements, 6 start-ups with shuffle-ring".
std::string size_text(std::uint64_t packet, Count startups, const std::string& planner) {
  return fmt::format("packets of {}, {} with {}", plural(packet, "element"),
                     plural(startups, "start-up"), planner);
}

std::string packets_text(const PlanReport& report, const std::string& map_text) {
  const PacketReport& p = *report.packets;
  const auto& prices = p.prices;
  std::string text = line("packets", size_text(prices.packet_elements, p.startups, p.planner));
  text += line("time", fmt::format("{:g}, where a start-up takes {:g} and an element {:g}; {:g} "
                                   "with packets of one",
                                   p.time, prices.startup, prices.transfer, p.time_unpacked));
  if (p.below)
    text += line(
        "", fmt::format("for --startup below {:g}, in the unit of --transfer {:g}: {}",
                        p.below->startup, prices.transfer,
                        size_text(p.below->packet_elements, p.below->startups, p.below->planner)));
  if (p.above)
    text += line(
        "", fmt::format("for --startup above {:g}, in the unit of --transfer {:g}: {}",
                        p.above->startup, prices.transfer,
                        size_text(p.above->packet_elements, p.above->startups, p.above->planner)));
  if (p.best_elements != 0)
    text += line("", fmt::format("packets of {} would take {:g}",
                                 plural(p.best_elements, "element"), p.best_time));
  if (report.map_text != map_text)
    text += line("schedule", fmt::format("of packets: {}", report.map_text));
  return text;
}

nlohmann::ordered_json packets_json(const PlanReport& report) {
  const PacketReport& p = *report.packets;
  ordered_json j = {{"elements", json_count(p.prices.packet_elements)},
                    {"map", nullptr},
                    {"startups", json_count(p.startups)},
                    {"planner", p.planner},
                    {"time", p.time},
                    {"time_unpacked", p.time_unpacked}};
  if (!report.map_text.empty()) j["map"] = report.map_text;
  const auto add = [&j](const char* key, const std::optional<PacketReport::Change>& change) {
    if (change)
      j[key] = {{"startup", change->startup},
                {"elements", json_count(change->packet_elements)},
                {"startups", json_count(change->startups)},
                {"planner", change->planner}};
  };
  add("below", p.below);
  add("above", p.above);
  return j;
}

const char* verifiers_json(const PlanReport& report) {
  bool proof = false;
  bool replay = false;
  for (const Verdict& v : report.verdicts) {
    if (v.answer == Verdict::Answer::unprovable) continue;
    (v.by == "proof" ? proof : replay) = true;
  }
  return proof && replay ? "both" : proof ? "proof" : replay ? "replay" : nullptr;
}

ordered_json cost_json(const PlanReport& report) {
  const Machine& machine = report.request.machine;
  const Cost& c = report.cost;
  if (std::holds_alternative<Pops>(machine)) return {{"slots", json_count(c.slots)}};
  if (std::string_view(cost_unit(machine)) == "unit routes")
    return {{"unit_routes", json_count(c.unit_routes)},
            {"long_routes", json_count(c.long_routes)},
            {"register_ops", json_count(c.register_ops)}};
  return {{"steps", json_count(c.steps)}, {"remote_moves", json_count(c.remote_moves)}};
}

}  // namespace

std::string plan_text(const PlanReport& report, const std::string& map_text, const Output& out) {
  const Request& request = report.request;
  std::string text = fmt::format(
      "{}\n",
      out.styled(Output::Style::strong, map_text.empty() ? "a list of destinations" : map_text));
  const bool packed = report.packets && report.packets->prices.packet_elements > 1;
  text += line("machine", fmt::format("{}, {} in each processor", to_string(request.machine),
                                      plural(request.elements, packed ? "packet" : "element")));
  text += line("algorithm", fmt::format("{}: {}", report.planner->name, report.planner->title));
  text += line("from", report.planner->citation);
  text += line("cost", cost_text(report));
  text += line("formula", fmt::format("{} = {}", report.estimate.cost.text,
                                      to_string(report.estimate.cost.value)));
  if (report.paper)
    text +=
        line("paper", fmt::format("{}: {} = {}", report.paper->citation, report.paper->formula.text,
                                  to_string(report.paper->formula.value)));
  text += line("bound", bound_text(report));
  if (text.ends_with("\n\n")) text.pop_back();
  text += line("storage", storage_text(report));
  if (const auto* network = std::get_if<Pops>(&request.machine)) {
    const pops::Hardware h = pops::hardware(*network);
    text += line("hardware", fmt::format("{} couplers of degree {}, {} transmitters, {} receivers",
                                         to_string(h.couplers), to_string(h.coupler_degree),
                                         to_string(h.transmitters), to_string(h.receivers)));
  }
  if (report.packets) text += packets_text(report, map_text);
  text += line("verified", out.styled(report.ok() ? Output::Style::good : Output::Style::bad,
                                      verified_text(report)));
  return text + bars(report, out);
}

std::string plan_json(const PlanReport& report, const std::string& map_text) {
  ordered_json j;
  j["format"] = "faro-plan/1";
  if (map_text.empty())
    j["map"] = nullptr;
  else
    j["map"] = map_text;
  j["machine"] = to_string(report.request.machine);
  j["elements"] = json_count(report.packets ? report.packets->elements : report.request.elements);
  j["planner"] = report.planner->name;
  j["cost"] = cost_json(report);
  j["formula"] = {{"text", report.estimate.cost.text},
                  {"value", json_count(report.estimate.cost.value)}};
  j["paper"] = nullptr;
  if (report.paper)
    j["paper"] = {{"citation", report.paper->citation},
                  {"text", report.paper->formula.text},
                  {"value", json_count(report.paper->formula.value)}};
  j["bound"] = {{"value", json_count(report.bound.value)}, {"reason", report.bound.reason}};
  j["gap"] = json_count(report.gap());
  j["slots_used"] = json_count(report.slots_used);
  j["crossings"] = ordered_json::array();
  for (const Count c : report.crossings) j["crossings"].push_back(json_count(c));
  if (const auto* network = std::get_if<Pops>(&report.request.machine)) {
    const pops::Hardware h = pops::hardware(*network);
    j["hardware"] = {{"couplers", json_count(h.couplers)},
                     {"coupler_degree", json_count(h.coupler_degree)},
                     {"transmitters", json_count(h.transmitters)},
                     {"receivers", json_count(h.receivers)}};
  }
  j["verified"] = nullptr;
  if (const char* by = verifiers_json(report)) j["verified"] = {{"by", by}, {"ok", report.ok()}};
  if (report.packets) j["packets"] = packets_json(report);
  return j.dump();
}

}  // namespace faro::cli
