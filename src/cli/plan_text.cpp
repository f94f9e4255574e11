#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json_numbers.hpp"
#include "cli/plan_words.hpp"
#include "faro/machines/model/machine_text.hpp"
#include "faro/machines/model/pops.hpp"
#include "faro/schedules/cost.hpp"

namespace faro::cli {
namespace {

using nlohmann::ordered_json;

PlanWords words_of(const PlanReport& report, const std::string& map_text) {
  const bool packed = report.packets && report.packets->prices.packet_elements > 1;
  return {.what = map_text.empty() ? "a list of destinations" : map_text,
          .machine = report.request.machine,
          .elements = report.request.elements,
          .element = packed ? "packet" : "element",
          .planner = report.planner->name,
          .title = report.planner->title,
          .citation = report.planner->citation,
          .cost = report.cost,
          .formula = report.estimate.cost,
          .paper = report.paper,
          .bound = report.bound};
}

std::string storage_text(const PlanReport& report) {
  if (!is_simd_mesh(report.request.machine)) return storage_line(report.slots_used);
  const Count elements = report.request.elements;
  std::string text =
      fmt::format("{} of one element in each processor", plural(report.slots_used, "register"));
  if (elements > 1)
    text += fmt::format(
        "; the program of {} runs {} times, once for each of its elements",
        in_units(cost_value(report.request.machine, report.listed_cost), report.request.machine),
        to_string(elements));
  return plan_line("storage", text);
}

// "packets of 8 elements, 6 start-ups with shuffle-ring".
std::string size_text(std::uint64_t packet, Count startups, const std::string& planner) {
  return fmt::format("packets of {}, {} with {}", plural(packet, "element"),
                     plural(startups, "start-up"), planner);
}

std::string packets_text(const PlanReport& report, const std::string& map_text) {
  const PacketReport& p = *report.packets;
  const auto& prices = p.prices;
  std::string text = plan_line("packets", size_text(prices.packet_elements, p.startups, p.planner));
  text +=
      plan_line("time", fmt::format("{:g}, where a start-up takes {:g} and an element {:g}; {:g} "
                                    "with packets of one",
                                    p.time, prices.startup, prices.transfer, p.time_unpacked));
  if (p.below)
    text += plan_line(
        "", fmt::format("for --startup below {:g}, in the unit of --transfer {:g}: {}",
                        p.below->startup, prices.transfer,
                        size_text(p.below->packet_elements, p.below->startups, p.below->planner)));
  if (p.above)
    text += plan_line(
        "", fmt::format("for --startup above {:g}, in the unit of --transfer {:g}: {}",
                        p.above->startup, prices.transfer,
                        size_text(p.above->packet_elements, p.above->startups, p.above->planner)));
  if (p.best_elements != 0)
    text += plan_line("", fmt::format("packets of {} would take {:g}",
                                      plural(p.best_elements, "element"), p.best_time));
  if (report.map_text != map_text)
    text += plan_line("schedule", fmt::format("of packets: {}", report.map_text));
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

}  // namespace

std::string plan_text(const PlanReport& report, const std::string& map_text, const Output& out) {
  const Request& request = report.request;
  std::string text = words_text(words_of(report, map_text), out);
  text += storage_text(report);
  if (const auto* network = std::get_if<Pops>(&request.machine)) {
    const pops::Hardware h = pops::hardware(*network);
    text += plan_line(
        "hardware", fmt::format("{} of degree {}, {}, {}", plural(h.couplers, "coupler"),
                                to_string(h.coupler_degree), plural(h.transmitters, "transmitter"),
                                plural(h.receivers, "receiver")));
  }
  if (report.packets) text += packets_text(report, map_text);
  text += verified_line(report.verdicts, request.machine, out);
  return text + link_bars(report.crossings, report.value(), out);
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
  add_words(words_of(report, map_text), j);
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
  j["verified"] = verified_json(report.verdicts);
  if (report.packets) j["packets"] = packets_json(report);
  return j.dump();
}

}  // namespace faro::cli
