// `faro matmul`: the product of two matrices, computed by a POPS network.
#include "simulation/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "cli/command.hpp"
#include "cli/schedule_file.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"
#include "machines/pops/model.hpp"
#include "service/reports.hpp"

namespace faro::cli {
namespace {

struct MatmulArguments {
  std::string a;
  std::string b;
  std::string c;
  std::string on;
  std::string algorithm = "best";
  std::optional<std::string> schedule;
  bool unverified = false;
};

std::string shape_text(const NpyHeader& header) {
  std::string text;
  for (const std::uint64_t side : header.shape)
    text += fmt::format("{}{}", text.empty() ? "" : "x", side);
  return text.empty() ? "a single number" : text;
}

// The order on the network: the longest side, shorter ones are filled up with zeros.
std::uint64_t order_of(const ArrayInput& a, const ArrayInput& b) {
  const auto& left = a.header().shape;
  const auto& right = b.header().shape;
  const bool some = std::find(left.begin(), left.end(), 0) == left.end() &&
                    std::find(right.begin(), right.end(), 0) == right.end();
  if (left.size() == 2 && right.size() == 2 && left[1] == right[0] && some)
    return std::max({left[0], left[1], right[1]});
  throw Error(ErrorCode::impossible,
              fmt::format("{} is {}, {} is {}: a product is of r x s and s x c, none of them 0",
                          a.name(), shape_text(a.header()), b.name(), shape_text(b.header())));
}

StoredMatrix stored(const ArrayInput& input) {
  std::string type = input.header().type;
  if (type.size() >= 2 && type.front() == '\'') type = type.substr(1, type.size() - 2);
  return {input.data(), type,
          input.header().order == NpyHeader::Order::c ? StoredMatrix::Order::rows
                                                      : StoredMatrix::Order::columns,
          input.header().shape[0], input.header().shape[1]};
}

void add_words(Report& report, const MachinePlan& plan, std::uint64_t order, const Output& out) {
  const Machine& machine = plan.request().machine();
  const pops::Hardware hardware = pops::hardware(std::get<Pops>(machine));
  report.say("{0}x{0} on {1}\n", order, to_string(machine));
  report.say("  slots       {}   {}\n", to_string(plan.cost().slots), plan.formula().text);
  report.say("  rounds      {}   of multiply-adds\n", to_string(plan.cost().compute_rounds));
  report.say("  registers   {}   of each processor\n", plan.slots());
  if (const auto& paper = plan.paper())
    report.say("  paper       {}   {} ({})\n", to_string(paper->formula.value), paper->formula.text,
               paper->citation);
  report.say("  bound       {}   {}\n", to_string(plan.bound().value), plan.bound().reason);
  report.say("  hardware    {}, {}, {}\n", plural(hardware.couplers, "coupler"),
             plural(hardware.transmitters, "transmitter"), plural(hardware.receivers, "receiver"));
  if (!plan.verdicts().empty())
    report.say(
        "  verified    by replay on integers and reals: {}\n",
        plan.ok() ? out.styled(Output::Style::good, "yes") : out.styled(Output::Style::bad, "no"));
}

Report report_of(const MatmulReport& done, std::uint64_t order, const Output& out) {
  const Report plan = plan_report(done.plan);
  Report report{{"format", "faro-matmul/1"},
                {"machine", plan.at("machine")},
                {"order", order},
                {"type", done.type},
                {"cost", plan.at("cost")},
                {"registers", plan.at("slots_used")}};
  for (const char* key : {"formula", "paper", "bound", "hardware", "verified"})
    report[key] = plan.at(key);
  add_words(report, done.plan, order, out);
  return report;
}

int run(const MatmulArguments& options, Output& out) {
  const Machine machine = machine_from(options.on);
  if (!std::holds_alternative<Pops>(machine))
    throw Error(ErrorCode::usage,
                fmt::format("--on {}: matrices are multiplied on POPS networks, such as pops:8,8",
                            options.on));
  const ArrayInput a = ArrayInput::npy(options.a);
  const ArrayInput b = ArrayInput::npy(options.b);
  const auto& pops = std::get<Pops>(machine);
  const std::uint64_t order = order_of(a, b);
  const Progress progress = out.progress("multiplying", Output::Unit::steps);
  const MatmulReport report =
      multiply(stored(a), stored(b),
               {.machine = pops,
                .order = order,
                .algorithm = options.algorithm == "paper" ? "pops-matmul-paper" : "",
                .verify = options.unverified ? VerifyBy::nobody : VerifyBy::replay,
                .progress = progress});
  if (options.schedule) {
    ScheduleFile file(*options.schedule, ScheduleFile::Rules::kept, out);
    report.plan.push(file.sink());
    file.commit();
  }
  const NpyHeader header = npy_header(report.type, {a.header().shape[0], b.header().shape[1]});
  if (options.c == "-") {
    if (out.is_json())
      throw Error(ErrorCode::usage, "--json and an output to - both want standard output");
    if (options.schedule == "-")
      throw Error(ErrorCode::usage, "the product and the schedule both want standard output");
    out.write(npy_header_bytes(header));
    out.write({reinterpret_cast<const char*>(report.data.data()), report.data.size()});
    return 0;
  }
  ArrayOutput file(options.c, header);
  std::memcpy(file.data().data(), report.data.data(), report.data.size());
  file.commit();
  if (options.schedule == "-") return 0;
  out.report(report_of(report, order, out));
  return 0;
}

}  // namespace

extern const Command matmul_command;
const Command matmul_command{
    .name = "matmul",
    .summary = "the product of two matrices on a POPS network",
    .details =
        "A and B are matrices of truth values, integers or reals; C is their product as\n"
        "NumPy forms it. N is the longest side, shorter ones are filled up with zeros.\n"
        "The machine has N*N processors or more; where it has N*N and d divides N or N\n"
        "divides d, N goes to 4096, else to 64. The schedule is replayed on integers and\n"
        "reals, then C is written.",
    .examples = "faro matmul a.npy b.npy c.npy --on pops:8,8",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<MatmulArguments>();
      arguments.positional("A", options->a, "the left matrix, .npy").completes(Completes::file);
      arguments.positional("B", options->b, "the right matrix, .npy").completes(Completes::file);
      arguments.positional("C", options->c, "the product, .npy; - for stdout")
          .completes(Completes::file);
      arguments.option("--on", "MACHINE", options->on, "pops:D,G")
          .completes(Completes::machine)
          .required();
      arguments.option("--algorithm", "NAME", options->algorithm, "whose schedule")
          .one_of({"best", "paper"});
      arguments
          .option("--schedule", "FILE", options->schedule,
                  "write the schedule as JSON, - for stdout")
          .completes(Completes::file);
      arguments.flag("--unverified", options->unverified, "do not replay the schedule");
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
