#include "cli/plan_exchange.hpp"

#include <fmt/format.h>

#include "base/sizes.hpp"
#include "cli/arguments.hpp"
#include "cli/plan_words.hpp"
#include "cli/rank_lengths.hpp"
#include "distributed/report.hpp"
#include "faro/base/error.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/machines/text.hpp"
#include "faro/words/say.hpp"

namespace faro::cli {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

int log2_of(std::uint64_t count, const char* option) {
  if (!is_power_of_two(count))
    throw Error(
        ErrorCode::impossible,
        fmt::format("{} {}: index bits are exchanged, so a power of two is needed", option, count));
  return log2_exact(count);
}

int rank_bits_of(const std::string& text) {
  const Machine machine = machine_from(text);
  if (const auto* ranks = std::get_if<Crossbar>(&machine)) return ranks->bits;
  refuse(
      fmt::format("{}: --element-bytes, --nodes, --relabel, --buffer and --in-place are for "
                  "arrays on ranks, --on ranks:8",
                  text));
}

// The map of the whole array, ranks above memory. --elements says what a rank holds; a map that
// names its sizes may be that of an array of so many elements in all.
Said said_by(const ExchangeCommand& command, int rank_bits) {
  Sizes sizes;
  sizes.shape = command.shape;
  if (sizes.shape) return say(command.map, sizes);
  // Without '|' and without a layout's words the text names the array's digits alone.
  const bool cut =
      command.map.find('|') != std::string::npos || command.map.find("=>") != std::string::npos;
  if (cut) sizes.processors = bit(rank_bits);
  if (!command.elements) return say(command.map, sizes);
  sizes.elements = Count{*command.elements} << static_cast<unsigned>(rank_bits);
  if (*sizes.elements > Count{1} << static_cast<unsigned>(word_bits))
    throw Error(ErrorCode::limit, fmt::format("2^{} ranks with {} elements each; an index has at "
                                              "most 64 bits",
                                              rank_bits, *command.elements));
  try {
    return say(command.map, sizes);
  } catch (const NotationError& error) {
    if (error.fault() != NotationFault::size || *command.elements < bit(rank_bits)) throw;
    sizes.elements = Count{*command.elements};
    try {
      return say(command.map, sizes);
    } catch (const NotationError&) {
      throw error;
    }
  }
}

BitMap checked_map(const ExchangeCommand& command, const Said& said, int rank_bits) {
  const Notation notation = said.as_bits();
  const int width = notation.map.width();
  if (notation.cut.kind == Cut::Kind::layout)
    refuse(
        "this is a layout, which says where data is; a plan moves data from one layout to "
        "another: 'LAYOUT => LAYOUT'");
  if (notation.cut.kind == Cut::Kind::both && notation.cut.processor_bits != rank_bits)
    refuse(fmt::format("the map is cut at {} processor bits, {} has {}",
                       notation.cut.processor_bits, command.machine, rank_bits));
  if (width < rank_bits)
    refuse(
        fmt::format("the map has {} bits, which do not fill {}; it names the bits of the whole "
                    "array: i:{} -> ...",
                    width, command.machine, rank_bits + 20));
  if (command.elements && notation.cut.kind == Cut::Kind::both &&
      bit(width - rank_bits) != *command.elements)
    refuse(fmt::format("--elements {}: the map's {} memory bits hold {} elements a rank",
                       *command.elements, width - rank_bits, bit(width - rank_bits)));
  return notation.map;
}

NetworkModel network_of(const ExchangeCommand& command) {
  NetworkModel network;
  network.startup_seconds = command.startup.value_or(network.startup_seconds);
  network.byte_seconds = command.transfer.value_or(network.byte_seconds);
  if (!(network.startup_seconds >= 0) || !(network.byte_seconds >= 0))
    refuse("--startup and --transfer are times of zero or more, in seconds");
  return network;
}

ExchangeOptions options_of(const ExchangeCommand& command, int rank_bits) {
  ExchangeOptions options;
  if (command.options.relabel) options.ranks = Ranks::relabelled;
  options.in_place = command.options.in_place;
  if (command.options.buffer)
    options.buffer_bytes = parse_bytes(*command.options.buffer, "--buffer");
  if (command.options.nodes) {
    const int nodes = log2_of(*command.options.nodes, "--nodes");
    if (nodes > rank_bits)
      refuse(
          fmt::format("--nodes {}: {} has fewer ranks", *command.options.nodes, command.machine));
    options.node_bits = rank_bits - nodes;
  }
  return options;
}

}  // namespace

void declare_exchange_options(Arguments& arguments, ExchangeOptionsText& options) {
  arguments.option("--element-bytes", "B", options.element_bytes,
                   "on ranks: what moving an array of such elements costs; on disk: 8");
  arguments.option("--nodes", "N", options.nodes, "of how many nodes the ranks are, equally many");
  arguments.flag("--relabel", options.relabel, "leave results on other ranks, where most data is");
  arguments.option("--buffer", "BYTES", options.buffer,
                   "what a rank may take for sending and receiving: 64MiB");
  arguments.flag("--in-place", options.in_place, "of an exchange: within the rank's array");
}

int plan_exchange_command(const ExchangeCommand& command, Output& out) {
  if (!command.options.element_bytes)
    refuse(
        "--nodes, --relabel, --buffer and --in-place say how an array is exchanged; give "
        "--element-bytes too");
  const int rank_bits = rank_bits_of(command.machine);
  const NetworkModel network = network_of(command);
  const ExchangeOptions options = options_of(command, rank_bits);
  const Said said = said_by(command, rank_bits);
  auto lengths = rank_lengths(said, command.machine, command.elements);
  std::uint64_t element_bytes = *command.options.element_bytes;
  if (lengths) {
    if (options.in_place)
      refuse("--in-place: axes of any length are exchanged from one array to another");
    if (element_bytes == 0) refuse("--element-bytes: elements have at least 1 byte");
    lengths->digits =
        sliced(lengths->digits, options.buffer_bytes / exchange_units_min / element_bytes);
    element_bytes = size_product(element_bytes, lengths->digits.unit, "bytes of a unit");
  }
  const BitMap map = lengths ? lengths->digits.bits : checked_map(command, said, rank_bits);
  const ExchangePlan plan = ExchangePlan::make(map, rank_bits, element_bytes, options);
  const bool counted = map.width() <= counted_bits_max;
  const bool agrees = plan.cost() == counted_cost(map, plan.relabelling(), rank_bits,
                                                  plan.element_bytes(), plan.cost().node_bits);
  Report report = report_of(plan, network);
  if (lengths) {
    report["lengths"] = lengths->report();
    report.set_words(lengths->report().words() + report.words());
  }
  const auto style = agrees ? Output::Style::good : Output::Style::bad;
  const char* words = !agrees ? "NO: the map sends other amounts than the plan says"
                      : counted
                          ? "all figures, by counting where every element goes"
                          : "all figures, by where the map sends a rank's and a node's cosets";
  report.row("verified", {{"by", counted ? "counting" : "cosets"}, {"ok", agrees}}, "{}",
             plan_line("verified", out.styled(style, words)));
  out.report(report);
  return agrees ? 0 : exit_code(ErrorCode::refused);
}

}  // namespace faro::cli
