// `faro transform`: FFT, NTT, Walsh-Hadamard, scans, merge and sort of an array file by a butterfly
// network on the emulated cube.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cli/array_axis.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/bounds/butterfly_bound.hpp"
#include "faro/machines/model/machine_text.hpp"
#include "faro/service/array_transform.hpp"
#include "faro/service/butterfly_layout.hpp"

namespace faro::cli {
namespace {

using butterfly::Performed;
using nlohmann::ordered_json;

struct Options {
  std::string kind;
  std::string in;
  std::string out;
  std::string on;
  std::string layout = "cyclic";
  std::optional<std::string> order;
  std::optional<std::string> algorithm;
  std::string modulus = "998244353";
  std::optional<std::int64_t> axis;
  bool sequency = false;
  bool exclusive = false;
};

constexpr std::array<std::pair<const char*, TransformKind>, 8> kinds = {{
    {"fft", TransformKind::fft},
    {"ifft", TransformKind::ifft},
    {"ntt", TransformKind::ntt},
    {"intt", TransformKind::intt},
    {"wht", TransformKind::wht},
    {"scan", TransformKind::scan},
    {"merge", TransformKind::merge},
    {"sort", TransformKind::sort},
}};

// The number type of a .npy header, whose text is a Python literal.
std::string number_type(const ArrayInput& input) {
  const std::string& type = input.header().type;
  if (type.size() >= 2 && type.front() == '\'') return type.substr(1, type.size() - 2);
  return type;
}

AxisShape lines_of(const NpyHeader& header, std::optional<std::int64_t> axis,
                   const std::string& name) {
  if (header.shape.empty()) {
    throw Error(ErrorCode::usage, name +
                                      ": it holds one number without an axis; a transform runs "
                                      "along one");
  }
  const ArrayAxis chosen = array_axis(header, axis.value_or(-1), name);
  const AxisShape shape{chosen.shape.outer, bit(chosen.width), chosen.shape.inner};
  if (shape.outer == 0 || shape.inner == 0) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: shape {} holds no line", name, shape_text(header)));
  }
  return shape;
}

ArrayTransform transform_of(const Options& options, const AxisShape& shape) {
  ArrayTransform transform;
  for (const auto& [name, kind] : kinds) {
    if (options.kind == name) transform.kind = kind;
  }
  const Machine machine = machine_from(options.on);
  const auto* cube = std::get_if<Hypercube>(&machine);
  if (cube == nullptr || cube->ports != Hypercube::Ports::all) {
    throw Error(
        ErrorCode::usage,
        fmt::format("--on {}: butterfly networks run on cubes with all ports, cube:6", options.on));
  }
  const ButterflyLayout layout = butterfly_layout(options.layout);
  const int p = log2_exact(shape.length);
  if (p >= cube->dimensions) check_bits(layout, cube->dimensions, p - cube->dimensions);
  transform.network = {cube->dimensions, layout.allocation, layout.encoding, std::nullopt, nullptr};
  if (options.order) {
    transform.network.order = *options.order == "msb"
                                  ? ButterflyGoal::Order::most_significant_first
                                  : ButterflyGoal::Order::least_significant_first;
  }
  if (options.algorithm) {
    transform.network.planner = find_butterfly_planner(*options.algorithm);
    if (transform.network.planner == nullptr) {
      throw Error(ErrorCode::usage, fmt::format("there is no planner of butterflies named '{}'; "
                                                "`faro algorithms` lists them",
                                                *options.algorithm));
    }
  }
  if (options.modulus == "goldilocks") transform.modulus = ArrayTransform::Modulus::goldilocks;
  if (options.sequency) transform.arrangement = butterfly::Arrangement::sequency;
  if (options.exclusive) transform.ends = ArrayTransform::Ends::exclusive;
  return transform;
}

void check_options(const Options& options, const Output& out) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::usage, message); };
  if (options.sequency && options.kind != "wht") refuse("--sequency is for wht");
  if (options.exclusive && options.kind != "scan") refuse("--exclusive is for scan");
  if (options.kind == "sort" && (options.order || options.algorithm)) {
    refuse(
        "sort runs its passes from the most significant bit on and by replication; leave --order "
        "and --algorithm out");
  }
  if (options.out == "-" && out.is_json()) {
    refuse("--json and OUT - both want standard output; give OUT a file name");
  }
}

Bound bound_of(const Options& options, const Performed& done) {
  const Hypercube cube{.dimensions = done.request.processor_bits};
  ButterflyGoal goal;
  goal.processor_bits = done.request.processor_bits;
  goal.index_bits = done.request.index_bits;
  goal.allocation = done.request.allocation;
  goal.order = done.request.order;
  if (options.kind != "sort") return lower_bound(cube, goal);
  // Keys that all belong on the other side of a dimension: K over each of its links.
  const Count n = static_cast<Count>(cube.dimensions);
  const Count k = done.request.elements();
  if (n == 0) return {0, "one processor: nothing moves", {}};
  if (k > n) return {k, "K: all keys may belong across one dimension", {}};
  return {n, "n: a key may belong at the other end", {}};
}

void report(const Options& options, const Performed& done, std::uint64_t lines, double seconds,
            Output& out) {
  const Bound bound = bound_of(options, done);
  const Count steps = done.traffic.steps;
  const bool msb = done.request.order == ButterflyGoal::Order::most_significant_first;
  std::string text = fmt::format(
      "{}: {} of {} {} of 2^{} values on cube:{}, layout {}, {} first, by {}\n"
      "  steps    {}\n  formula  {} = {}\n",
      options.out, options.kind, lines, lines == 1 ? "line" : "lines", done.request.index_bits,
      done.request.processor_bits, options.layout, msb ? "msb" : "lsb", done.planner,
      to_string(steps), done.estimate.cost.text, to_string(done.estimate.cost.value));
  if (done.estimate.paper) {
    text +=
        fmt::format("  paper    {} = {}   ({})\n", done.estimate.paper->formula.text,
                    to_string(done.estimate.paper->formula.value), done.estimate.paper->citation);
  }
  text += fmt::format("  bound    {}   ({})\n", to_string(bound.value), bound.reason);
  ordered_json links = ordered_json::array();
  for (std::size_t d = 0; d < done.traffic.across.size(); ++d) {
    text += fmt::format("  across {:<2} {} elements, at most {} over one link\n", d,
                        to_string(done.traffic.across[d]), done.traffic.busiest_link[d]);
    links.push_back({{"dimension", d},
                     {"elements", to_string(done.traffic.across[d])},
                     {"busiest_link", done.traffic.busiest_link[d]}});
  }
  text += fmt::format("  {:.3f} s\n", seconds);
  if (options.out == "-") {
    out.talk(text);
  } else {
    out.text("{}", text);
  }
  const auto number = [](Count count) -> ordered_json {
    if (count < bit(53)) return static_cast<std::uint64_t>(count);
    return to_string(count);
  };
  ordered_json object = {
      {"format", "faro-transform/1"},
      {"transform", options.kind},
      {"machine", to_string(Machine(Hypercube{.dimensions = done.request.processor_bits}))},
      {"layout", options.layout},
      {"order", msb ? "msb" : "lsb"},
      {"planner", done.planner},
      {"length", bit(done.request.index_bits)},
      {"lines", lines},
      {"cost", {{"steps", number(steps)}, {"remote_moves", number(done.traffic.elements)}}},
      {"formula", {{"text", done.estimate.cost.text}, {"value", number(done.estimate.cost.value)}}},
      {"paper", nullptr},
      {"bound", {{"value", number(bound.value)}, {"reason", bound.reason}}},
      {"gap", number(steps - bound.value)},
      {"links", links},
      {"seconds", seconds}};
  if (done.estimate.paper) {
    object["paper"] = {{"citation", done.estimate.paper->citation},
                       {"text", done.estimate.paper->formula.text},
                       {"value", number(done.estimate.paper->formula.value)}};
  }
  out.json(object.dump(2));
}

int run(const Options& options, Output& out) {
  const auto start = std::chrono::steady_clock::now();
  check_options(options, out);
  const ArrayInput input = ArrayInput::npy(options.in);
  const AxisShape shape = lines_of(input.header(), options.axis, input.name());
  const ArrayTransform transform = transform_of(options, shape);
  const std::string type = number_type(input);
  NpyHeader header = npy_header(result_type(transform, type), input.header().shape);
  header.order = input.header().order;
  // One line at least is in the machine, and copied beside it.
  need_memory(2 * shape.length * std::max<std::uint64_t>(header.element_bytes, 16) +
                  (options.out == "-" ? header.data_bytes() : 0),
              "a line in the emulated machine");

  std::optional<ArrayOutput> file;
  std::vector<std::byte> memory;
  std::span<std::byte> target;
  if (options.out == "-") {
    memory.resize(header.data_bytes());
    target = memory;
  } else {
    file.emplace(options.out, header);
    target = file->data();
  }
  const Performed done = transform_array(transform, type, input.data(), shape, target,
                                         out.progress("transforming", Output::Unit::bytes));
  if (file) {
    file->commit();
  } else {
    out.write(npy_header_bytes(header));
    out.write({reinterpret_cast<const char*>(memory.data()), memory.size()});
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  report(options, done, shape.outer * shape.inner, seconds.count(), out);
  return 0;
}

}  // namespace

extern const Command transform_command;
const Command transform_command{
    .name = "transform",
    .summary = "FFT, NTT, Walsh-Hadamard, scan, merge or sort on an emulated cube",
    .details =
        "Every line along the axis goes through a butterfly network on the cube, in\n"
        "the layout given; what the network leaves is read back in natural order:\n"
        "  fft, ifft   numpy.fft.fft, numpy.fft.ifft\n"
        "  ntt, intt   the same modulo a prime (--modulus), root g^((q-1)/length)\n"
        "  wht         Walsh-Hadamard, rows in natural order, or --sequency\n"
        "  scan        numpy.cumsum, or --exclusive: each sum without its own value\n"
        "  merge       both halves of a line are sorted; the line becomes sorted\n"
        "  sort        numpy.sort, not stable\n"
        "A line is a power of two long, at least as long as there are processors.\n"
        "Steps and traffic are those of one line.",
    .examples =
        "faro transform fft --on cube:6 --layout 'cyclic binary||gray' in.npy out.npy\n"
        "faro transform sort --on cube:4 --layout 'consecutive gray' in.npy out.npy",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<Options>();
      std::vector<std::string> names;
      for (const auto& entry : kinds) names.emplace_back(entry.first);
      arguments.positional("TRANSFORM", options->kind, "which transform").one_of(names);
      arguments.positional("IN", options->in, "the array, a .npy file or -")
          .completes(Completes::file);
      arguments.positional("OUT", options->out, "where the result goes, or -")
          .completes(Completes::file);
      arguments.option("--on", "MACHINE", options->on, "a cube, cube:6")
          .completes(Completes::machine)
          .required();
      arguments.option("--layout", "LAYOUT", options->layout,
                       "cyclic (default) or consecutive, then the code: binary (default), gray, "
                       "gray||gray, binary||gray");
      arguments
          .option("--order", "ORDER", options->order,
                  "which index bit the stages begin with; the cheaper one if left out")
          .one_of({"msb", "lsb"});
      arguments.option("--algorithm", "NAME", options->algorithm,
                       "the planner; the cheapest if left out");
      arguments.option("--axis", "A", options->axis, "along this axis; the last if left out");
      arguments.option("--modulus", "Q", options->modulus, "the prime of ntt and intt")
          .one_of({"998244353", "goldilocks"});
      arguments.flag("--sequency", options->sequency, "wht: order by number of sign changes");
      arguments.flag("--exclusive", options->exclusive, "scan: without the value itself");
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
