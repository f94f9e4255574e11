#include "cli/plan_butterfly.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/plan_words.hpp"
#include "cli/schedule_file.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/text.hpp"
#include "faro/service/butterfly_plan.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::cli {
namespace {

using nlohmann::ordered_json;

ButterflyNetwork request_of(const ButterflyPlanCommand& command) {
  const Machine machine = machine_from(command.on);
  if (command.index_bits > 64) {
    throw Error(ErrorCode::limit,
                fmt::format("--butterfly {}: at most 64 index bits", command.index_bits));
  }
  ButterflyNetwork request{.processor_bits = butterfly_cube(machine).dimensions,
                           .index_bits = static_cast<int>(command.index_bits),
                           .order = command.order == "lsb"
                                        ? ButterflyGoal::Order::least_significant_first
                                        : ButterflyGoal::Order::most_significant_first};
  check_request(request);
  const Layout layout = parse_layout(
      command.layout, {.total = request.index_bits, .processor = request.processor_bits});
  request.allocation = layout.allocation;
  request.encoding = layout.encoding;
  set_output(request, command.output == "natural" ? ButterflyOutput::natural
                      : command.output == "gray"  ? ButterflyOutput::gray
                                                  : ButterflyOutput::binary);
  return request;
}

std::string rows_text(const std::vector<Word>& rows) {
  std::string text;
  for (const Word row : rows) {
    std::string bits;
    for (int b = word_bits - 1; b >= 0; --b) {
      if (has_bit(row, b)) bits += fmt::format("{}b{}", bits.empty() ? "" : "^", b);
    }
    text += fmt::format("{}{}", text.empty() ? "" : " ", bits);
  }
  return text.empty() ? "none" : text;
}

ordered_json rows_json(const std::vector<Word>& rows) {
  ordered_json list = ordered_json::array();
  for (const Word row : rows) list.push_back(fmt::format("{:#x}", row));
  return list;
}

PlanWords words_of(const ButterflyPlanReport& report) {
  const ButterflyNetwork& request = report.request;
  return {.what = fmt::format("butterfly network of 2^{} elements", request.index_bits),
          .machine = Hypercube{.dimensions = request.processor_bits},
          .elements = request.elements(),
          .layout = layout_text(request),
          .planner = report.planner->name,
          .title = report.planner->title,
          .citation = report.planner->citation,
          .cost = report.cost,
          .formula = report.estimate.cost,
          .paper = report.estimate.paper,
          .bound = report.bound};
}

std::string text_of(const ButterflyPlanReport& report, const Output& out) {
  const PlanWords words = words_of(report);
  return words_text(words, out) + storage_line(report.slots_used) +
         plan_line(
             "results",
             fmt::format("index bits {} in the processor, {} in the slot",
                         rows_text(report.goal.final_processor_rows),
                         rows_text(report.goal.final_memory_rows.value_or(std::vector<Word>{})))) +
         verified_line(report.verdicts, words.machine, out) +
         link_bars(report.crossings, report.cost.steps, out);
}

std::string json_of(const ButterflyPlanReport& report) {
  const ButterflyNetwork& request = report.request;
  ordered_json j;
  j["format"] = "faro-plan/1";
  j["map"] = nullptr;
  j["problem"] = {
      {"kind", "butterfly"},
      {"n", request.processor_bits},
      {"p", request.index_bits},
      {"layout", to_string(request.layout())},
      {"order", order_word(request.order)},
      {"in_place", report.goal.in_place},
      {"final",
       {{"proc", rows_json(report.goal.final_processor_rows)},
        {"mem", rows_json(report.goal.final_memory_rows.value_or(std::vector<Word>{}))}}}};
  const PlanWords words = words_of(report);
  j["machine"] = to_string(words.machine);
  j["elements"] = json_count(words.elements);
  j["planner"] = words.planner;
  add_words(words, j);
  j["slots_used"] = report.slots_used;
  j["crossings"] = ordered_json::array();
  for (const Count c : report.crossings) j["crossings"].push_back(json_count(c));
  j["verified"] = verified_json(report.verdicts);
  return j.dump();
}

}  // namespace

const char* order_word(ButterflyGoal::Order order) {
  return order == ButterflyGoal::Order::most_significant_first ? "msb" : "lsb";
}

std::string layout_text(const ButterflyNetwork& request) {
  const bool msb = request.order == ButterflyGoal::Order::most_significant_first;
  return fmt::format("{}, {} significant bit first", to_string(request.layout()),
                     msb ? "most" : "least");
}

int plan_butterfly_command(const ButterflyPlanCommand& command, Output& out) {
  const ButterflyNetwork request = request_of(command);
  ButterflyPlanOptions options{.algorithm = command.algorithm, .verify = command.verify};
  std::optional<ScheduleFile> file;
  if (command.schedule) {
    file.emplace(*command.schedule, ScheduleFile::Rules::kept, out);
    options.sink = &file->sink();
  }
  const ButterflyPlanReport report = plan_butterfly(request, options);
  if (file && report.ok()) file->commit();
  const bool stdout_is_taken = command.schedule == "-";
  if (!stdout_is_taken) {
    if (out.is_json())
      out.json(json_of(report));
    else
      out.write(text_of(report, out));
  }
  return report.ok() ? 0 : 1;
}

}  // namespace faro::cli
