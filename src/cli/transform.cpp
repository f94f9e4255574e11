// `faro transform`: FFT, NTT, Walsh-Hadamard, scans, merge and sort of an array file by a butterfly
// network on the emulated cube.
#include "faro/transforms/transform.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrays/axis.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/plan_butterfly.hpp"
#include "cli/plan_words.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {
namespace {

using butterfly::Performed;
struct TransformArguments {
  std::string kind;
  std::string in;
  std::string out;
  std::optional<std::string> on;
  std::string layout = "cyclic";
  std::optional<std::string> order;
  std::optional<std::string> algorithm;
  std::string modulus = "998244353";
  std::optional<std::int64_t> axis;
  std::optional<std::string> key;
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

// "<f8" of the Python literal "'<f8'".
std::string plain_type(const std::string& literal) {
  if (literal.size() >= 2 && literal.front() != '[') return literal.substr(1, literal.size() - 2);
  return literal;
}

// What a transform computes with: the numbers, or the keys of records.
struct Numbers {
  std::string type;
  std::optional<ArrayTransform::Record> record = {};
};

Numbers numbers_of(const TransformArguments& options, const ArrayInput& input) {
  const NpyHeader& header = input.header();
  const std::vector<NpyField> fields = npy_fields(header.type);
  const bool orders = options.kind == "sort" || options.kind == "merge";
  if (options.key && !orders) throw Error(ErrorCode::usage, "--key is for sort and merge");
  if (fields.empty() || !orders) {
    if (options.key)
      throw Error(ErrorCode::usage, fmt::format("--key {}: {} holds numbers of type {}, no records",
                                                *options.key, input.name(), header.type));
    return {plain_type(header.type)};
  }
  std::string names;
  for (const NpyField& field : fields)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", field.name);
  for (const NpyField& field : fields) {
    if (options.key && field.name != *options.key) continue;
    const std::string type = plain_type(field.type);
    if (!is_key_type(type))
      throw Error(
          ErrorCode::usage,
          fmt::format("{}: a key of records is an integer or a float of 4 or 8 bytes, which "
                      "field {} is not; --key takes another one of {}",
                      input.name(), field.name, names));
    return {type,
            ArrayTransform::Record{.bytes = header.element_bytes, .key_offset = field.offset}};
  }
  throw Error(ErrorCode::usage, fmt::format("--key {}: the records of {} have the fields {}",
                                            *options.key, input.name(), names));
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

ArrayTransform transform_of(const TransformArguments& options, const AxisShape& shape) {
  ArrayTransform transform;
  for (const auto& [name, kind] : kinds) {
    if (options.kind == name) transform.kind = kind;
  }
  const Machine machine = machine_from(options.on.value_or("cube:0"));
  transform.network.processor_bits = butterfly_cube(machine).dimensions;
  const ButterflyNetwork request = butterfly::request_for(transform.network, shape.length);
  const Layout layout = parse_layout(
      options.layout, {.total = request.index_bits, .processor = request.processor_bits});
  transform.network.allocation = layout.allocation;
  transform.network.encoding = layout.encoding;
  if (options.order) {
    transform.network.order = *options.order == "msb"
                                  ? ButterflyGoal::Order::most_significant_first
                                  : ButterflyGoal::Order::least_significant_first;
  }
  transform.network.algorithm = options.algorithm.value_or("");
  if (options.modulus == "goldilocks") transform.modulus = ArrayTransform::Modulus::goldilocks;
  if (options.sequency) transform.arrangement = butterfly::Arrangement::sequency;
  if (options.exclusive) transform.ends = ArrayTransform::Ends::exclusive;
  return transform;
}

void check_options(const TransformArguments& options, const Output& out) {
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

PlanWords words_of(const TransformArguments& options, const Performed& done, std::uint64_t lines) {
  const Hypercube cube{.dimensions = done.request.processor_bits};
  Cost cost;
  cost.steps = done.traffic.steps;
  cost.remote_moves = done.traffic.elements;
  return {.what = fmt::format("{} of {} of 2^{} values", options.kind, plural(lines, "line"),
                              done.request.index_bits),
          .elements = done.request.elements(),
          .layout = layout_text(done.request),
          .planner = done.planner,
          .title = done.title,
          .citation = done.citation,
          .price = {.machine = cube,
                    .cost = cost,
                    .formula = done.estimate.cost,
                    .paper = done.estimate.paper,
                    .bound = bound_of(options.kind == "sort"
                                          ? Request::of(cube, BitonicSort{done.request})
                                          : Request::of(cube, done.request)),
                    .unchecked = "what is performed is not judged; faro plan judges it"}};
}

std::string links_text(const butterfly::LinkTraffic& traffic, const Output& out) {
  std::string text = link_bars(traffic.across, traffic.steps, out);
  for (std::size_t d = traffic.across.size(); d-- > 0;) {
    text += plan_line(fmt::format("across {}", d),
                      fmt::format("{}, at most {} over one link",
                                  plural(traffic.across[d], "element"), traffic.busiest_link[d]));
  }
  return text;
}

Report report_of(const TransformArguments& options, const Performed& done, std::uint64_t lines,
                 double seconds, const Output& out) {
  const PlanWords words = words_of(options, done, lines);
  Report links = Report::list();
  for (std::size_t d = 0; d < done.traffic.across.size(); ++d) {
    links.push_back({{"dimension", d},
                     {"elements", Count(done.traffic.across[d])},
                     {"busiest_link", done.traffic.busiest_link[d]}});
  }
  Report report{{"format", "faro-transform/1"},
                {"transform", options.kind},
                {"machine", to_string(words.price.machine)},
                {"layout", to_string(done.request.layout())},
                {"order", order_word(done.request.order)},
                {"planner", done.planner},
                {"length", bit(done.request.index_bits)},
                {"lines", lines}};
  add_price(words.price, report);
  report["links"] = links;
  // Who names no machine wants the transform; what a machine takes for it is in the JSON.
  report.add_words(!options.on ? words.what + "\n"
                               : words_text(words, out) + links_text(done.traffic, out));
  report.row("seconds", seconds, "{}", plan_line("time", fmt::format("{:.3f} s", seconds)));
  return report;
}

int run(const TransformArguments& options, Output& out) {
  const auto start = std::chrono::steady_clock::now();
  check_options(options, out);
  const ArrayInput input = ArrayInput::npy(options.in);
  const AxisShape shape = lines_of(input.header(), options.axis, input.name());
  ArrayTransform transform = transform_of(options, shape);
  const Numbers numbers = numbers_of(options, input);
  transform.record = numbers.record;
  if (transform.kind == TransformKind::wht && numbers.type.substr(1, 1) == "u")
    throw Error(ErrorCode::usage,
                fmt::format("{}: wht subtracts, and integers of type {} have nothing below 0: make "
                            "them signed first, x.astype('i8')",
                            input.name(), numbers.type));
  const std::string result = result_type(transform, numbers.type);
  NpyHeader header = input.header();
  if (!transform.record) {
    header = npy_header(result, input.header().shape);
    header.order = input.header().order;
  }
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
  const Performed done = transform_array(transform, numbers.type, input.data(), shape, target,
                                         out.progress("transforming", Output::Unit::bytes));
  if (file) {
    file->commit();
  } else {
    out.write(npy_header_bytes(header));
    out.write({reinterpret_cast<const char*>(memory.data()), memory.size()});
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const Report report = report_of(options, done, shape.outer * shape.inner, seconds.count(), out);
  if (options.out == "-")
    out.tell(report);
  else
    out.report(report);
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
        "  sort        numpy.sort; records by a field (--key), equal keys in their order\n"
        "A line is a power of two long, at least as long as there are processors.\n"
        "Steps and traffic are those of one line.",
    .examples =
        "faro transform fft --on cube:6 --layout 'cyclic binary||gray' in.npy out.npy\n"
        "faro transform sort --on cube:4 --layout 'consecutive gray' in.npy out.npy",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<TransformArguments>();
      std::vector<std::string> names;
      for (const auto& entry : kinds) names.emplace_back(entry.first);
      arguments.positional("TRANSFORM", options->kind, "which transform").one_of(names);
      arguments.positional("IN", options->in, "the array, a .npy file or -")
          .completes(Completes::file);
      arguments.positional("OUT", options->out, "where the result goes, or -")
          .completes(Completes::file);
      arguments
          .option("--on", "MACHINE", options->on,
                  "a cube, cube:6; if left out cube:0, one processor that moves nothing")
          .completes(Completes::machine);
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
      arguments.option("--key", "FIELD", options->key,
                       "sort and merge of records: by this field; the first if left out");
      arguments.flag("--sequency", options->sequency, "wht: order by number of sign changes");
      arguments.flag("--exclusive", options->exclusive, "scan: without the value itself");
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
