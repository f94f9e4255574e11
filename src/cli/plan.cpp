// `faro plan`: the cheapest schedule that moves data as a map says, verified.
#include "faro/service/plan.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/sizes.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/map_text.hpp"
#include "cli/plan_butterfly.hpp"
#include "cli/plan_many.hpp"
#include "cli/plan_text.hpp"
#include "cli/plan_words.hpp"
#include "cli/rendering.hpp"
#include "cli/request.hpp"
#include "cli/schedule_file.hpp"
#include "faro/machines/verifier.hpp"
#include "places/placed_plan.hpp"
#include "places/rank_lengths.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"

namespace faro::cli {
namespace {

// Of an array in memory, in files or on ranks.
struct ArrayOptions {
  std::optional<std::uint64_t> element_bytes;
  std::optional<std::uint64_t> nodes;
  std::optional<std::string> buffer;
  bool relabel = false;
  bool in_place = false;
};

struct PlanArguments {
  RequestText request;
  std::optional<std::string> shape;
  std::vector<std::string> machines;
  bool traffic = false;
  std::optional<std::uint64_t> butterfly;
  std::optional<std::uint64_t> sort;
  ButterflyText butterfly_text;
  std::optional<std::string> algorithm;
  std::optional<std::string> dims;
  std::string verify = "auto";
  std::optional<std::string> schedule;
  bool expand = false;
  RenderingText rendering;
  std::optional<double> startup;
  std::optional<double> transfer;
  std::optional<double> operation;
  std::optional<std::uint64_t> packet;
  ArrayOptions array;
  bool computes() const { return butterfly || sort; }
};

VerifyBy verify_by(const std::string& text) {
  if (text == "replay") return VerifyBy::replay;
  if (text == "proof") return VerifyBy::proof;
  if (text == "both") return VerifyBy::both;
  if (text == "none") return VerifyBy::nobody;
  return VerifyBy::automatic;
}

std::optional<PacketPrices> packet_prices(const PlanArguments& options) {
  if (!options.startup && !options.transfer && !options.operation && !options.packet) return {};
  const PacketPrices prices{.startup = options.startup.value_or(0),
                            .transfer = options.transfer.value_or(1),
                            .operation = options.operation.value_or(0),
                            .packet_elements = options.packet.value_or(0)};
  if (!(prices.startup >= 0) || !(prices.transfer >= 0) || !(prices.operation >= 0) ||
      (options.packet && *options.packet == 0))
    throw Error(ErrorCode::usage,
                "--startup, --transfer and --operation are times of zero or more, --packet a "
                "number of elements");
  return prices;
}

// What is planned in other ways than a move in words: the rows beside the table of places.
using places::hold_to;
using places::Place;
using places::rank_lengths;
using places::RankLengths;

bool has_passes(std::string_view machine) {
  return machine == "disk" || machine.starts_with("disk:") || machine == "memory";
}

const Place& a_computation() {
  static const Place place{
      {},
      {},
      {"--butterfly", "--sort", "--layout", "--order", "--output", "--algorithm", "--verify",
       "--schedule", "--export", "--to", "--figure", "--traffic", "--dims"},
      "--butterfly and --sort plan a computation; they take no map, destinations, elements, "
      "--expand or packets",
      {}};
  return place;
}

const Place& several_machines() {
  static const Place place{
      {},
      {},
      {"--destinations", "MAP", "--elements", "--butterfly", "--sort", "--layout", "--order",
       "--output", "--algorithm", "--verify", "--startup", "--transfer", "--operation", "--packet"},
      "several --on make a table of what each machine takes; --schedule, --export, --traffic, "
      "--dims and --element-bytes are for one machine",
      {}};
  return place;
}

// The options that stand on the command line.
std::vector<std::string_view> given(const PlanArguments& o) {
  const std::pair<std::string_view, bool> all[] = {
      {"MAP", o.request.map.has_value()},
      {"--destinations", o.request.destinations.has_value()},
      {"--elements", o.request.elements.has_value()},
      {"--butterfly", o.butterfly.has_value()},
      {"--sort", o.sort.has_value()},
      {"--algorithm", o.algorithm.has_value()},
      {"--dims", o.dims.has_value()},
      {"--verify", o.verify != "auto"},
      {"--schedule", o.schedule.has_value()},
      {"--expand", o.expand},
      {"--export", o.rendering.file.has_value()},
      {"--traffic", o.traffic},
      {"--startup", o.startup.has_value()},
      {"--transfer", o.transfer.has_value()},
      {"--operation", o.operation.has_value()},
      {"--packet", o.packet.has_value()},
      {"--element-bytes", o.array.element_bytes.has_value()},
      {"--nodes", o.array.nodes.has_value()},
      {"--buffer", o.array.buffer.has_value()},
      {"--relabel", o.array.relabel},
      {"--in-place", o.array.in_place}};
  std::vector<std::string_view> names;
  for (const auto& [name, is_given] : all)
    if (is_given) names.push_back(name);
  return names;
}

Request butterfly_from(const PlanArguments& options) {
  if (options.butterfly && options.sort)
    throw Error(ErrorCode::usage, "--butterfly is a network, --sort passes of them; take one");
  hold_to(a_computation(), given(options));
  ButterflyText text = options.butterfly_text;
  text.index_bits = options.sort ? *options.sort : *options.butterfly;
  if (options.sort) text.computation = ButterflyGoal::Computation::sort;
  text.on = options.request.machine;
  return butterfly_request(text);
}

// Of a map with axes of any length on the machine.
std::optional<RankLengths> lengths_of(const PlanArguments& options) {
  const RequestText& text = options.request;
  if (!text.map || options.computes() || text.destinations) return std::nullopt;
  const Said said = said_on(*text.map, machine_from(text.machine), text.elements, text.shape);
  return rank_lengths(said, text.machine, text.elements);
}

Request request_of(const PlanArguments& options, const std::optional<RankLengths>& lengths) {
  if (options.computes()) return butterfly_from(options);
  if (lengths) return request_of(*lengths, options.request.machine);
  return request_from(options.request);
}

// Where no machine of processors is meant: memory, files, ranks that hold an array.
std::optional<int> run_elsewhere(const PlanArguments& options, Output& out) {
  const ArrayOptions& of_array = options.array;
  const MoveRequest request{.words = options.computes() ? "" : options.request.map.value_or(""),
                            .shape = options.request.shape,
                            .elements = options.request.elements,
                            .element_bytes = of_array.element_bytes};
  PlaceOptions how{.verify = verify_by(options.verify),
                   .in_place = of_array.in_place,
                   .relabel = of_array.relabel,
                   .nodes = of_array.nodes,
                   .startup_seconds = options.startup,
                   .byte_seconds = options.transfer};
  if (of_array.buffer) how.buffer_bytes = parse_bytes(*of_array.buffer, "--buffer");
  const places::Asked asked{request, options.request.machine, how};
  const Place& place = places::place_of(asked);
  if (place.name == "machine") return std::nullopt;
  hold_to(place, given(options));
  const PlacedPlan::Content made = place.make(asked);
  out.report(made.report);
  return made.judged == places::Judged::wrong ? exit_code(ErrorCode::refused) : 0;
}

// "1,0,2"
std::vector<int> dimensions_of(const std::string& text) {
  std::vector<int> order;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    int number = 0;
    const char* last = text.data() + end;
    const auto read = std::from_chars(text.data() + at, last, number);
    if (read.ec != std::errc() || read.ptr != last || number < 0)
      throw Error(ErrorCode::usage, "--dims takes dimensions with commas, --dims 1,0,2");
    order.push_back(number);
    at = end + 1;
  }
  return order;
}

PlanOptions plan_options_of(const PlanArguments& options, const Output& out) {
  end_within_a_second();
  PlanOptions plan_options;
  plan_options.algorithm = options.algorithm.value_or("");
  plan_options.verify = verify_by(options.verify);
  plan_options.packets = packet_prices(options);
  plan_options.progress = out.progress("planning", Output::Unit::steps);
  return plan_options;
}

int run_many(const PlanArguments& options, Output& out) {
  hold_to(several_machines(), given(options));
  // One that is no machine ends it; one that has no such plan is a row.
  for (const std::string& machine : options.machines)
    if (!has_passes(machine)) static_cast<void>(machine_from(machine));
  return plan_on_many(
      options.machines,
      [&](const std::string& machine) {
        if (has_passes(machine))
          throw Error(ErrorCode::usage, "passes are not steps; ask for it alone");
        PlanArguments one = options;
        one.request.machine = machine;
        return request_of(one, lengths_of(one));
      },
      plan_options_of(options, out), out);
}

int run(PlanArguments options, Output& out) {
  options.request.machine = options.machines.front();
  options.request.shape = sizes_from(options.shape, {}).shape;
  if (options.machines.size() > 1) return run_many(options, out);
  if (const auto done = run_elsewhere(options, out)) return *done;
  check_schedule_rendering(options.rendering);
  const auto lengths = lengths_of(options);
  const Request request = request_of(options, lengths);
  if (options.traffic) return report_traffic(request, lengths ? lengths->unit_elements() : 1, out);
  std::optional<ScheduleFile> file;
  if (options.schedule)
    file.emplace(*options.schedule,
                 options.expand ? ScheduleFile::Rules::expanded : ScheduleFile::Rules::kept, out);
  PlanOptions plan_options = plan_options_of(options, out);
  std::optional<ExchangeInOrder> in_order;
  if (options.dims) {
    if (options.algorithm)
      throw Error(ErrorCode::usage, "--dims is an algorithm of its own; leave --algorithm out");
    plan_options.planners.push_back(&in_order.emplace(dimensions_of(*options.dims)));
    plan_options.algorithm = in_order->name();
  }
  const MachinePlan planned = plan(request, plan_options);
  const bool good = planned.ok() || plan_options.verify == VerifyBy::nobody;
  if (file && good) {
    planned.push(file->sink());
    file->commit();
  }
  if (options.rendering.file && good)
    render_schedule([&](ScheduleSink& sink) { planned.push(sink); }, options.rendering, out);
  const bool stdout_is_taken = options.schedule == "-" || options.rendering.takes_stdout();
  if (!stdout_is_taken) {
    const std::string typed = options.request.map.value_or("");
    const bool told = lengths || speaks_of_an_array(typed);
    Report report = report_of(planned, told ? "" : typed, out);
    if (lengths) {
      report["lengths"] = lengths->report();
      report.set_words(lengths->report().words() + report.words());
    }
    out.report(report);
  }
  if (good) return 0;
  return exit_code(was_refused(planned.verdicts()) ? ErrorCode::refused : ErrorCode::limit);
}

}  // namespace

extern const Command plan_command;
const Command plan_command{
    .name = "plan",
    .summary = "the cheapest conflict-free schedule for a map on a model machine, verified",
    .details =
        "Asks every algorithm that applies, takes the cheapest, builds its schedule and\n"
        "verifies it: by proof for all processors at once, and by replay too up to 2^22\n"
        "elements. The report says the lower bound with its reason and the gap.\n"
        "Machines: cube:4 cube:4,one-port mesh:8x8 torus:8x8 pops:8,4 ranks:8\n"
        "fat-tree:4x8,up=2 (docs/program.md),\n"
        "and disk:memory=2GiB,run=1MiB: the fewest passes over a file (docs/disk.md),\n"
        "and memory: the passes of the engine over an array (docs/engine.md).\n"
        "On ranks: with --element-bytes they are MPI ranks that hold an array, --elements on "
        "each:\n"
        "the messages, bytes, rounds and memory of one exchange (docs/distributed.md).\n"
        "Placements in the words of jax, xla, dtensor, hpf and scalapack may be on any number of\n"
        "ranks and of any lengths: who sends how much to whom, without a schedule in steps.\n"
        "With --schedule - the schedule goes to stdout and the report is left out.",
    .examples =
        "faro plan 'a:6 -> ungray(a)' --on cube:6 --elements 100\n"
        "faro plan 'p:3 | m:2 -> m p[2] | p[1:0]' --on cube:3 --schedule plan.json\n"
        "faro plan 'a:6 -> ungray(a)' --on cube:6 --on mesh:8x8 --on pops:8,8\n"
        "faro plan 'a:3 | m:4 -> m[3:1] | m[0] a' --on cube:3 --traffic\n"
        "faro plan --destinations to.npy --on cube:8\n"
        "faro plan 'xla:{devices=[2,4]<=[8]} => xla:{devices=[8,1]<=[8]}' --shape 16x16 --on "
        "cube:3\n"
        "faro plan 'i -> rev(i)' --on ranks:8 --elements 2^23 --element-bytes 16 --nodes 2\n"
        "faro plan 'dtensor:(12,) [Shard(0)] => dtensor:(12,) [Shard(1)]' --shape 7168x50257 --on "
        "ranks:12\n"
        "faro plan 'i:60 -> rev(i)' --on disk:memory=2^31,run=2^20 --element-bytes 8\n"
        "faro plan 'r c -> c r' --on memory --shape 721x1440 --element-bytes 4\n"
        "faro plan 'i -> rev(i)' --on torus:8x8,all-links --export links.svg\n"
        "faro plan --butterfly 10 --on cube:6 --layout 'cyclic binary||gray'",
    .declare = [](Arguments& arguments) -> Action {
      auto o = std::make_shared<PlanArguments>();
      arguments.positional("MAP", o->request.map, "what moves where: see `faro explain`")
          .completes(Completes::map);
      arguments
          .option("--on", "MACHINE", o->machines,
                  "the machine; several make a table of what each takes")
          .completes(Completes::machine)
          .required();
      arguments.option("--shape", "SIDES", o->shape,
                       "shape of the array, 16x16, where MAP is in another system's words");
      arguments.option("--elements", "K", o->request.elements,
                       "elements in each processor, all moving alike");
      arguments
          .option("--destinations", "FILE.npy", o->request.destinations,
                  "instead of a map: processor p sends to the p-th number")
          .completes(Completes::file);
      arguments.option("--butterfly", "BITS", o->butterfly,
                       "instead of a map: a butterfly network over 2^BITS elements");
      arguments.option("--sort", "BITS", o->sort,
                       "instead of a map: a bitonic sort of 2^BITS keys");
      arguments.option(
          "--layout", "LAYOUT", o->butterfly_text.layout,
          "of the butterfly's elements or keys: cyclic (default) or consecutive, with a code");
      arguments.option("--order", "ORDER", o->butterfly_text.order, "of the butterfly's stages")
          .one_of({"msb", "lsb"});
      arguments.option("--output", "ORDER", o->butterfly_text.output, "of the butterfly's results")
          .one_of({"binary", "gray", "natural"});
      arguments.option("--algorithm", "NAME", o->algorithm, "this one, see `faro algorithms`")
          .completes(Completes::planner);
      arguments.option("--dims", "LIST", o->dims,
                       "convert a code by exchanges in this order of dimensions, 1,0,2");
      arguments.option("--verify", "HOW", o->verify, "who checks the schedule")
          .one_of({"auto", "proof", "replay", "both", "none"});
      arguments
          .option("--schedule", "FILE", o->schedule, "write the schedule as JSON, - for stdout")
          .completes(Completes::file);
      declare_schedule_rendering(arguments, o->rendering);
      arguments.flag("--traffic", o->traffic,
                     "instead of a plan: how much each processor has for whom");
      arguments.flag("--expand", o->expand, "spell rules out as moves in the file");
      arguments.option("--startup", "TIME", o->startup,
                       "price of sending one packet; of a message, in seconds");
      arguments.option("--transfer", "TIME", o->transfer,
                       "price of sending one element; of a byte, in seconds");
      arguments.option("--operation", "TIME", o->operation,
                       "price of a register operation of a mesh, for one element");
      arguments.option("--packet", "B", o->packet, "elements of a packet; the best if left out");
      arguments.option("--element-bytes", "B", o->array.element_bytes,
                       "on ranks: what moving an array of such elements costs; in memory and on "
                       "disk: 8");
      arguments.option("--nodes", "N", o->array.nodes,
                       "of how many nodes the ranks are, equally many");
      arguments.flag("--relabel", o->array.relabel,
                     "leave results on other ranks, where most data is");
      arguments.option("--buffer", "BYTES", o->array.buffer,
                       "what a rank may take for sending and receiving: 64MiB");
      arguments.flag("--in-place", o->array.in_place,
                     "in memory, and of an exchange: within the array");
      return [o](Output& out) { return run(*o, out); };
    }};

}  // namespace faro::cli
