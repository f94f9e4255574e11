#include "cli/plan_butterfly.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/schedule_file.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/model/machine_text.hpp"
#include "faro/service/butterfly_layout.hpp"
#include "faro/service/butterfly_plan.hpp"

namespace faro::cli {
namespace {

using nlohmann::ordered_json;

ButterflyRequest request_of(const ButterflyPlanCommand& command) {
  const Machine machine = machine_from(command.on);
  const auto* cube = std::get_if<Hypercube>(&machine);
  if (cube == nullptr || cube->ports != Hypercube::Ports::all) {
    throw Error(
        ErrorCode::usage,
        fmt::format("--on {}: butterfly networks run on cubes with all ports, cube:6", command.on));
  }
  const ButterflyLayout layout = butterfly_layout(command.layout);
  if (command.index_bits > 64) {
    throw Error(ErrorCode::limit,
                fmt::format("--butterfly {}: at most 64 index bits", command.index_bits));
  }
  ButterflyRequest request{.processor_bits = cube->dimensions,
                           .index_bits = static_cast<int>(command.index_bits),
                           .allocation = layout.allocation,
                           .encoding = layout.encoding,
                           .order = command.order == "lsb"
                                        ? ButterflyGoal::Order::least_significant_first
                                        : ButterflyGoal::Order::most_significant_first};
  check_request(request);
  check_bits(layout, request.processor_bits, request.memory_bits());
  set_output(request, command.output == "natural" ? ButterflyOutput::natural
                      : command.output == "gray"  ? ButterflyOutput::gray
                                                  : ButterflyOutput::binary);
  return request;
}

ordered_json number(Count count) {
  if (count < bit(53)) return static_cast<std::uint64_t>(count);
  return to_string(count);
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

std::string verified_text(const ButterflyPlanReport& report) {
  std::string by;
  for (const Verdict& v : report.verdicts) {
    if (v.answer == Verdict::Answer::unprovable) continue;
    by += fmt::format("{}{}", by.empty() ? "" : " and ", v.by);
  }
  return by;
}

void print_text(const ButterflyPlanCommand& command, const ButterflyPlanReport& report,
                Output& out) {
  out.text("butterfly of 2^{} elements on {}, layout {}, {} first, by {}\n", command.index_bits,
           command.on, command.layout, command.order,
           out.styled(Output::Style::strong, report.planner->name));
  out.text("  steps      {}\n  formula    {} = {}\n", to_string(report.cost.steps),
           report.estimate.cost.text, to_string(report.estimate.cost.value));
  if (report.estimate.paper) {
    out.text("  paper      {} = {}   ({})\n", report.estimate.paper->formula.text,
             to_string(report.estimate.paper->formula.value), report.estimate.paper->citation);
  }
  out.text("  bound      {}   ({}), gap {}\n", to_string(report.bound.value), report.bound.reason,
           to_string(report.gap()));
  out.text("  slots      {} a processor for {} elements\n", report.slots_used,
           to_string(report.request.elements()));
  out.text("  ends with  processor {} | slot {}\n", rows_text(report.goal.final_processor_rows),
           rows_text(report.goal.final_memory_rows.value_or(std::vector<Word>{})));
  const std::string by = verified_text(report);
  if (by.empty()) {
    out.text("  verified   no\n");
  } else {
    out.text("  verified   {} by {}\n",
             report.ok() ? out.styled(Output::Style::good, "right")
                         : out.styled(Output::Style::bad, "WRONG"),
             by);
  }
}

void print_json(const ButterflyPlanCommand& command, const ButterflyPlanReport& report,
                Output& out) {
  const std::string by = verified_text(report);
  ordered_json problem = {
      {"kind", "butterfly"},
      {"n", report.request.processor_bits},
      {"p", report.request.index_bits},
      {"layout", command.layout},
      {"order", command.order},
      {"in_place", report.goal.in_place},
      {"final",
       {{"proc", rows_json(report.goal.final_processor_rows)},
        {"mem", rows_json(report.goal.final_memory_rows.value_or(std::vector<Word>{}))}}}};
  ordered_json object = {
      {"format", "faro-plan/1"},
      {"map", nullptr},
      {"problem", std::move(problem)},
      {"machine", command.on},
      {"elements", number(report.request.elements())},
      {"planner", report.planner->name},
      {"cost",
       {{"steps", number(report.cost.steps)}, {"remote_moves", number(report.cost.remote_moves)}}},
      {"formula",
       {{"text", report.estimate.cost.text}, {"value", number(report.estimate.cost.value)}}},
      {"paper", nullptr},
      {"bound", {{"value", number(report.bound.value)}, {"reason", report.bound.reason}}},
      {"gap", number(report.gap())},
      {"slots_used", report.slots_used},
      {"verified", nullptr}};
  if (report.estimate.paper) {
    object["paper"] = {{"citation", report.estimate.paper->citation},
                       {"text", report.estimate.paper->formula.text},
                       {"value", number(report.estimate.paper->formula.value)}};
  }
  if (!by.empty()) object["verified"] = {{"by", by}, {"ok", report.ok()}};
  out.json(object.dump(2));
}

}  // namespace

int plan_butterfly_command(const ButterflyPlanCommand& command, Output& out) {
  const ButterflyRequest request = request_of(command);
  if (command.schedule == "-" && out.is_json()) {
    throw Error(ErrorCode::usage,
                "--json and --schedule - both want standard output; give the schedule a file name");
  }
  ButterflyPlanOptions options{.algorithm = command.algorithm, .verify = command.verify};
  std::optional<ScheduleFile> file;
  if (command.schedule) {
    file.emplace(*command.schedule, ScheduleFile::Rules::kept, out);
    options.sink = &file->sink();
  }
  const ButterflyPlanReport report = plan_butterfly(request, options);
  if (file && report.ok()) file->commit();
  if (command.schedule != "-") print_text(command, report, out);
  print_json(command, report, out);
  for (const Verdict& v : report.verdicts) {
    for (const Violation& violation : v.violations) {
      out.warn(fmt::format("{}: step {}: {}: {}", v.by, to_string(violation.step), violation.rule,
                           violation.message));
    }
  }
  return report.ok() ? 0 : 1;
}

}  // namespace faro::cli
