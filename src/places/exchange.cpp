// The exchange of an array between 2^p ranks: messages, bytes, rounds and memory.

#include <fmt/format.h>

#include "distributed/report.hpp"
#include "faro/base/error.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/words/say.hpp"
#include "places/placed_plan.hpp"
#include "places/rank_lengths.hpp"

namespace faro::inline v1::places {
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
  if (const auto* ranks = std::get_if<Crossbar>(&machine); ranks != nullptr && ranks->tiers.empty())
    return ranks->bits;
  refuse(
      fmt::format("{}: --element-bytes, --nodes, --relabel, --buffer and --in-place are for "
                  "arrays on ranks, --on ranks:8",
                  text));
}

// The map of the whole array, ranks above memory. --elements says what a rank holds; a map that
// names its sizes may be that of an array of so many elements in all.
Said said_by(const Asked& asked, int rank_bits) {
  Sizes sizes;
  sizes.shape = asked.request.shape;
  if (sizes.shape) return say(asked.request.words, sizes);
  // Without '|' and without a layout's words the text names the array's digits alone.
  const bool cut = asked.request.words.find('|') != std::string::npos ||
                   asked.request.words.find("=>") != std::string::npos;
  if (cut) sizes.processors = bit(rank_bits);
  if (!asked.request.elements) return say(asked.request.words, sizes);
  sizes.elements = Count{*asked.request.elements} << static_cast<unsigned>(rank_bits);
  if (*sizes.elements > Count{1} << static_cast<unsigned>(word_bits))
    throw Error(ErrorCode::limit, fmt::format("2^{} ranks with {} elements each; an index has at "
                                              "most 64 bits",
                                              rank_bits, *asked.request.elements));
  try {
    return say(asked.request.words, sizes);
  } catch (const NotationError& error) {
    if (error.fault() != NotationFault::size || *asked.request.elements < bit(rank_bits)) throw;
    sizes.elements = Count{*asked.request.elements};
    try {
      return say(asked.request.words, sizes);
    } catch (const NotationError&) {
      throw error;
    }
  }
}

BitMap checked_map(const Asked& asked, const Said& said, int rank_bits) {
  const Notation notation = said.as_bits();
  const int width = notation.map.width();
  if (notation.cut.kind == Cut::Kind::layout)
    refuse(
        "this is a layout, which says where data is; a plan moves data from one layout to "
        "another: 'LAYOUT => LAYOUT'");
  if (notation.cut.kind == Cut::Kind::both && notation.cut.processor_bits != rank_bits)
    refuse(fmt::format("the map is cut at {} processor bits, {} has {}",
                       notation.cut.processor_bits, asked.place, rank_bits));
  if (width < rank_bits)
    refuse(
        fmt::format("the map has {} bits, which do not fill {}; it names the bits of the whole "
                    "array: i:{} -> ...",
                    width, asked.place, rank_bits + 20));
  if (asked.request.elements && notation.cut.kind == Cut::Kind::both &&
      bit(width - rank_bits) != *asked.request.elements)
    refuse(fmt::format("--elements {}: the map's {} memory bits hold {} elements a rank",
                       *asked.request.elements, width - rank_bits, bit(width - rank_bits)));
  return notation.map;
}

NetworkModel network_of(const Asked& asked) {
  NetworkModel network;
  network.startup_seconds = asked.options.startup_seconds.value_or(network.startup_seconds);
  network.byte_seconds = asked.options.byte_seconds.value_or(network.byte_seconds);
  if (!(network.startup_seconds >= 0) || !(network.byte_seconds >= 0))
    refuse("--startup and --transfer are times of zero or more, in seconds");
  return network;
}

ExchangeOptions options_of(const Asked& asked, int rank_bits) {
  ExchangeOptions options;
  if (asked.options.relabel) options.ranks = Ranks::relabelled;
  options.in_place = asked.options.in_place;
  if (asked.options.buffer_bytes) options.buffer_bytes = *asked.options.buffer_bytes;
  if (asked.options.nodes) {
    const int nodes = log2_of(*asked.options.nodes, "--nodes");
    if (nodes > rank_bits)
      refuse(fmt::format("--nodes {}: {} has fewer ranks", *asked.options.nodes, asked.place));
    options.node_bits = rank_bits - nodes;
  }
  return options;
}

}  // namespace

bool is_exchange(const Asked& asked) {
  const PlaceOptions& o = asked.options;
  return asked.request.element_bytes || o.nodes || o.buffer_bytes || o.relabel || o.in_place;
}

PlacedPlan::Content by_exchange(const Asked& asked) {
  if (!asked.request.element_bytes)
    refuse(
        "--nodes, --relabel, --buffer and --in-place say how an array is exchanged; give "
        "--element-bytes too");
  const int rank_bits = rank_bits_of(asked.place);
  const NetworkModel network = network_of(asked);
  const ExchangeOptions options = options_of(asked, rank_bits);
  const Said said = said_by(asked, rank_bits);
  auto lengths = rank_lengths(said, asked.place, asked.request.elements);
  std::uint64_t element_bytes = *asked.request.element_bytes;
  if (lengths) {
    if (options.in_place)
      refuse("--in-place: axes of any length are exchanged from one array to another");
    if (element_bytes == 0) refuse("--element-bytes: elements have at least 1 byte");
    lengths->digits =
        sliced(lengths->digits, options.buffer_bytes / exchange_units_min / element_bytes);
    element_bytes = size_product(element_bytes, lengths->digits.unit, "bytes of a unit");
  }
  const BitMap map = lengths ? lengths->digits.bits : checked_map(asked, said, rank_bits);
  const ExchangePlan plan = ExchangePlan::make(map, rank_bits, element_bytes, options);
  const bool counted = map.width() <= counted_bits_max;
  const bool agrees = plan.cost() == counted_cost(map, plan.relabelling(), rank_bits,
                                                  plan.element_bytes(), plan.cost().node_bits);
  Report report = report_of(plan, network);
  if (lengths) {
    report["lengths"] = lengths->report();
    report.set_words(lengths->report().words() + report.words());
  }
  const char* words = !agrees ? "NO: the map sends other amounts than the plan says"
                      : counted
                          ? "all figures, by counting where every element goes"
                          : "all figures, by where the map sends a rank's and a node's cosets";
  report.row("verified", {{"by", counted ? "counting" : "cosets"}, {"ok", agrees}}, "{}",
             plan_line("verified", words));
  const ExchangeTraffic& traffic = plan.cost().ranks;
  PlacedPlan::Content content{.plan = plan};
  content.cost = traffic.moved_bytes;
  content.bound =
      options.ranks == Ranks::relabelled ? traffic.least_bytes_relabelled : traffic.least_bytes;
  content.reason = options.ranks == Ranks::relabelled
                       ? "what no relabelling of the ranks leaves where it belongs"
                       : "what does not lie on its rank is sent";
  content.unit = "bytes moved";
  content.made_of =
      fmt::format("rho {}, {} slices", plan.cost().rho, plan.has_exchange() ? plan.slices() : 0);
  content.judged = agrees ? Judged::right : Judged::wrong;
  content.report = std::move(report);
  return content;
}

}  // namespace faro::inline v1::places
