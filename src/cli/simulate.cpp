// `faro simulate`: an array rearranged by a simulated machine that performs a schedule.
#include "faro/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/axis.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/request.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"

namespace faro::cli {
namespace {

// Copies of the data while it is performed: read in logical order, the machine's memory with its
// transit places, and the result.
constexpr std::uint64_t copies = 4;

struct SimulateArguments {
  std::string in;
  std::string out;
  std::optional<std::string> map;
  std::optional<std::string> machine;
  std::optional<std::string> algorithm;
  std::optional<std::string> schedule;
};

void check_options(const SimulateArguments& options, const Output& out) {
  const auto refuse = [](const char* message) { throw Error(ErrorCode::usage, message); };
  if (options.out == "-" && out.is_json())
    refuse("--json and OUT - both want standard output; give OUT a file name");
  if (options.schedule && options.algorithm)
    refuse("--algorithm chooses a plan, and --schedule is one; give one of them");
  if (options.schedule) return;
  if (!options.map) refuse("say what to move: --map MAP or --schedule FILE");
  if (!options.machine) refuse("say on which machine: --on MACHINE");
}

// The elements in logical C order.
std::vector<std::byte> logical_data(const ArrayInput& input) {
  const NpyHeader& header = input.header();
  std::vector<std::byte> data(input.data().size());
  if (header.order == NpyHeader::Order::c) {
    std::copy(input.data().begin(), input.data().end(), data.begin());
    return data;
  }
  const auto bytes = static_cast<std::size_t>(header.element_bytes);
  for (std::uint64_t i = 0; i < header.elements(); ++i)
    std::copy_n(input.data().begin() + static_cast<std::ptrdiff_t>(stored_index(header, i) * bytes),
                bytes, data.begin() + static_cast<std::ptrdiff_t>(i * bytes));
  return data;
}

void store(const NpyHeader& header, std::span<const std::byte> data, std::span<std::byte> to) {
  if (header.order == NpyHeader::Order::c) {
    std::copy(data.begin(), data.end(), to.begin());
    return;
  }
  const auto bytes = static_cast<std::size_t>(header.element_bytes);
  for (std::uint64_t i = 0; i < header.elements(); ++i)
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes,
                to.begin() + static_cast<std::ptrdiff_t>(stored_index(header, i) * bytes));
}

Simulation performed_plan(const SimulateArguments& options, const NpyHeader& header,
                          std::span<const std::byte> data, const Progress& progress) {
  const Machine machine = machine_from(*options.machine);
  const Count processor_count = processors(machine);
  const std::uint64_t count = header.elements();
  if (count == 0 || Count{count} % processor_count != 0)
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} elements do not fill the {} processors of {} alike", options.in,
                            count, to_string(processor_count), to_string(machine)));
  RequestText text{.map = options.map,
                   .destinations = std::nullopt,
                   .machine = *options.machine,
                   .elements = static_cast<std::uint64_t>(Count{count} / processor_count)};
  if (options.map && speaks_of_an_array(*options.map)) text.shape = header.shape;
  const Request request = request_from(text);
  PlanOptions plan_options;
  plan_options.algorithm = options.algorithm.value_or("");
  plan_options.progress = progress;
  return simulate_plan(request, plan_options, data, static_cast<std::size_t>(header.element_bytes));
}

Simulation performed_schedule(const SimulateArguments& options, const NpyHeader& header,
                              std::span<const std::byte> data, const Progress& progress) {
  Simulation simulation =
      simulate_schedule(whole_file(*options.schedule, need_memory), options.map, data,
                        static_cast<std::size_t>(header.element_bytes), progress);
  if (options.machine && !(machine_from(*options.machine) == simulation.machine))
    throw Error(ErrorCode::usage, fmt::format("--on {}: the schedule is for {}", *options.machine,
                                              to_string(simulation.machine)));
  return simulation;
}

void report(const SimulateArguments& options, const NpyHeader& header, const Simulation& simulation,
            Output& out) {
  const Count cost = cost_value(simulation.machine, simulation.cost);
  const std::string unit = cost_unit(simulation.machine);
  Report row{{"in", options.in},
             {"out", options.out},
             {"map", nullptr},
             {"machine", to_string(simulation.machine)},
             {"elements", simulation.elements},
             {"element_bytes", header.element_bytes},
             {"planner", simulation.planner},
             {"cost", cost},
             {"unit", unit},
             {"verified_by", simulation.verified_by}};
  if (!simulation.map_text.empty()) row["map"] = simulation.map_text;
  row.say("{}: {} {} on {}, {} in each processor\n", options.out, header.elements(),
          header.elements() == 1 ? "element" : "elements", to_string(simulation.machine),
          simulation.elements);
  row.say("{}: performed in {} {} by {}, verified by {}\n", options.out, to_string(cost), unit,
          simulation.planner.empty() ? "a schedule" : simulation.planner,
          fmt::join(simulation.verified_by, " and "));
  out.tell(report_of_rows("faro-simulate/1", row), Report::Lines::many);
}

int run(const SimulateArguments& options, Output& out) {
  check_options(options, out);
  const ArrayInput input = ArrayInput::npy(options.in, memory_bytes() / copies);
  const NpyHeader& header = input.header();
  if (header.element_bytes == 0)
    throw Error(ErrorCode::usage, fmt::format("{}: its elements have no bytes", options.in));
  need_memory(size_product(header.data_bytes(), copies, "bytes"), "simulating on this array");
  const Progress progress = out.progress("simulating", Output::Unit::steps);
  const std::vector<std::byte> data = logical_data(input);
  const Simulation simulation = options.schedule
                                    ? performed_schedule(options, header, data, progress)
                                    : performed_plan(options, header, data, progress);
  faro::report(progress, 1, 1);
  if (options.out == "-") {
    std::vector<std::byte> stored(simulation.result.size());
    store(header, simulation.result, stored);
    out.write(npy_header_bytes(header));
    out.write({reinterpret_cast<const char*>(stored.data()), stored.size()});
  } else {
    ArrayOutput file(options.out, header);
    store(header, simulation.result, file.data());
    file.commit();
  }
  report(options, header, simulation, out);
  return 0;
}

}  // namespace

extern const Command simulate_command;
const Command simulate_command{
    .name = "simulate",
    .summary = "a plan performed on an array by the simulated machine, and its cost",
    .details =
        "The array in C order lies on the machine in equal blocks: with K elements in\n"
        "each processor, processor p holds elements p*K to p*K + K - 1. The plan, or the\n"
        "schedule of --schedule, is verified and then performed move by move. The result\n"
        "has the shape and type of IN. Its steps are drawn by `faro plan --export s.svg\n"
        "--figure steps` (or places, links) and played by `faro explorer`.",
    .examples =
        "faro simulate a.npy b.npy --map 'i -> rev(i)' --on torus:8x8\n"
        "faro plan 'p:4 -> gray(p)' --on cube:4 --schedule plan.json\n"
        "faro simulate a.npy b.npy --schedule plan.json",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<SimulateArguments>();
      arguments.positional("IN", options->in, "the array, a .npy file; - is standard input")
          .completes(Completes::file);
      arguments.positional("OUT", options->out, "the result; - is standard output")
          .completes(Completes::file);
      arguments.option("--map", "MAP", options->map, "what moves where (docs/notation.md)")
          .completes(Completes::map);
      arguments.option("--on", "MACHINE", options->machine, "the machine")
          .completes(Completes::machine);
      arguments.option("--algorithm", "NAME", options->algorithm, "this one, see `faro algorithms`")
          .completes(Completes::planner);
      arguments
          .option("--schedule", "FILE", options->schedule,
                  "perform this schedule; --map is then the goal to hold it to")
          .completes(Completes::file);
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
