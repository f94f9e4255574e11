#include "cli/plan_text.hpp"

#include <fmt/format.h>

#include "cli/plan_butterfly.hpp"
#include "cli/plan_words.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/pops/model.hpp"

namespace faro::cli {
namespace {

std::string what_of(const Request& request) {
  if (const auto* network = request.get_if<ButterflyNetwork>())
    return fmt::format("butterfly network of 2^{} elements", network->index_bits);
  if (const auto* sort = request.get_if<BitonicSort>())
    return fmt::format("bitonic sort of 2^{} keys", sort->network.index_bits);
  return request.is_map() ? request.text() : "a list of destinations";
}

PlanWords words_of(const MachinePlan& plan, const std::string& typed) {
  const auto* network = plan.request().get_if<ButterflyNetwork>();
  if (const auto* sort = plan.request().get_if<BitonicSort>()) network = &sort->network;
  const bool packed = plan.packets() && plan.packets()->prices.packet_elements > 1;
  const std::string what = what_of(plan.asked());
  const bool said = !typed.empty() && plan.asked().is_map() && typed != what;
  return {.what = said ? typed : what,
          .canonical = said ? what : "",
          .elements = plan.request().elements(),
          .element = packed ? "packet" : "element",
          .layout = network == nullptr ? "" : layout_text(*network),
          .planner = std::string(plan.planner()),
          .expression = plan.expression(),
          .title = std::string(plan.about().title),
          .citation = std::string(plan.about().citation),
          .price = price_of(plan)};
}

std::string storage_text(const MachinePlan& plan) {
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

std::string packets_text(const MachinePlan& plan) {
  const PacketReport& p = *plan.packets();
  const auto& prices = p.prices;
  std::string text = plan_line("packets", size_text(prices.packet_elements, p.startups, p.planner));
  const std::string paid =
      is_simd_mesh(plan.request().machine())
          ? fmt::format(
                "the start-up of a route takes {:g}, an element {:g} a unit route and {:g} "
                "a register operation",
                prices.startup, prices.transfer, prices.operation)
          : fmt::format("a start-up takes {:g} and an element {:g}", prices.startup,
                        prices.transfer);
  text += plan_line("time", fmt::format("{:g}, where {}; {:g} with packets of one", p.time, paid,
                                        p.time_unpacked));
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

}  // namespace

Report report_of(const MachinePlan& plan, const std::string& typed, const Output& out) {
  Report report = plan_report(plan);
  report.add_words(words_text(words_of(plan, typed), out));
  report.add_words(storage_text(plan));
  if (const auto* network = std::get_if<Pops>(&plan.request().machine())) {
    const pops::Hardware h = pops::hardware(*network);
    report.add_words(plan_line(
        "hardware", fmt::format("{} of degree {}, {}, {}", plural(h.couplers, "coupler"),
                                to_string(h.coupler_degree), plural(h.transmitters, "transmitter"),
                                plural(h.receivers, "receiver"))));
  }
  if (plan.packets()) report.add_words(packets_text(plan));
  if (const auto* goal = std::get_if<ButterflyGoal>(&plan.header().goal))
    report.add_words(plan_line(
        "results", fmt::format("index bits {} in the processor, {} in the slot",
                               rows_text(goal->final_processor_rows),
                               rows_text(goal->final_memory_rows.value_or(std::vector<Word>{})))));
  report.add_words(verified_line(plan.verdicts(), plan.header(), out));
  report.add_words(link_bars(plan.crossings(), plan.value(), out));
  return report;
}

}  // namespace faro::cli
