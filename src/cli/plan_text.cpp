#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/plan_words.hpp"
#include "faro/machines/pops/model.hpp"
#include "faro/machines/text.hpp"
#include "faro/schedules/cost.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::cli {
namespace {

using nlohmann::ordered_json;

PlanWords words_of(const Plan& plan) {
  const bool packed = plan.packets() && plan.packets()->prices.packet_elements > 1;
  return {.what = plan.asked().is_map() ? plan.asked().text() : "a list of destinations",
          .machine = plan.request().machine(),
          .elements = plan.request().elements(),
          .element = packed ? "packet" : "element",
          .planner = std::string(plan.planner()),
          .title = std::string(plan.about().title),
          .citation = std::string(plan.about().citation),
          .cost = plan.cost(),
          .formula = plan.formula(),
          .paper = plan.paper(),
          .bound = plan.bound()};
}

std::string storage_text(const Plan& plan) {
  if (!is_simd_mesh(plan.request().machine())) return storage_line(plan.slots());
  const Count elements = plan.request().elements();
  std::string text =
      fmt::format("{} of one element in each processor", plural(plan.slots(), "register"));
  if (elements > 1)
    text += fmt::format("; the program of {} runs {} times, once for each of its elements",
                        in_units(cost_value(plan.request().machine(), plan.listed_cost()),
                                 plan.request().machine()),
                        to_string(elements));
  return plan_line("storage", text);
}

// "packets of 8 elements, 6 start-ups with shuffle-ring".
std::string size_text(std::uint64_t packet, Count startups, const std::string& planner) {
  return fmt::format("packets of {}, {} with {}", plural(packet, "element"),
                     plural(startups, "start-up"), planner);
}

std::string packets_text(const Plan& plan) {
  const PacketReport& p = *plan.packets();
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
  if (const std::string packed = plan.request().text(); packed != plan.asked().text())
    text += plan_line("schedule", fmt::format("of packets: {}", packed));
  return text;
}

nlohmann::ordered_json packets_json(const Plan& plan) {
  const PacketReport& p = *plan.packets();
  ordered_json j = {{"elements", json_count(p.prices.packet_elements)},
                    {"map", nullptr},
                    {"startups", json_count(p.startups)},
                    {"planner", p.planner},
                    {"time", p.time},
                    {"time_unpacked", p.time_unpacked}};
  if (plan.request().is_map()) j["map"] = plan.request().text();
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

std::string plan_text(const Plan& plan, const Output& out) {
  std::string text = words_text(words_of(plan), out);
  text += storage_text(plan);
  if (const auto* network = std::get_if<Pops>(&plan.request().machine())) {
    const pops::Hardware h = pops::hardware(*network);
    text += plan_line(
        "hardware", fmt::format("{} of degree {}, {}, {}", plural(h.couplers, "coupler"),
                                to_string(h.coupler_degree), plural(h.transmitters, "transmitter"),
                                plural(h.receivers, "receiver")));
  }
  if (plan.packets()) text += packets_text(plan);
  text += verified_line(plan.verdicts(), plan.request().machine(), out);
  return text + link_bars(plan.crossings(), plan.value(), out);
}

std::string plan_json(const Plan& plan) {
  ordered_json j;
  j["format"] = "faro-plan/1";
  j["map"] = nullptr;
  if (plan.asked().is_map()) j["map"] = plan.asked().text();
  j["machine"] = to_string(plan.request().machine());
  j["elements"] = json_count(plan.asked().elements());
  j["planner"] = plan.about().name;
  add_words(words_of(plan), j);
  j["slots_used"] = json_count(plan.slots());
  j["crossings"] = ordered_json::array();
  for (const Count c : plan.crossings()) j["crossings"].push_back(json_count(c));
  if (const auto* network = std::get_if<Pops>(&plan.request().machine())) {
    const pops::Hardware h = pops::hardware(*network);
    j["hardware"] = {{"couplers", json_count(h.couplers)},
                     {"coupler_degree", json_count(h.coupler_degree)},
                     {"transmitters", json_count(h.transmitters)},
                     {"receivers", json_count(h.receivers)}};
  }
  j["verified"] = verified_json(plan.verdicts());
  if (plan.packets()) j["packets"] = packets_json(plan);
  return j.dump();
}

}  // namespace faro::cli
