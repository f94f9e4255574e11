#include "cli/request.hpp"

#include <fmt/format.h>

#include "faro/algebra/notation.hpp"
#include "faro/base/limits.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/model/machine_text.hpp"

namespace faro::cli {
namespace {

std::uint64_t processors_of(const Machine& machine) {
  if (const auto bits = address_bits(machine)) return bit(*bits);
  const auto& pops = std::get<Pops>(machine);
  return size_product(pops.group_size, pops.groups, "processors");
}

NamedRequest with_map(const RequestText& text, const Machine& machine) {
  const std::optional<int> processor_bits = address_bits(machine);
  if (!processor_bits)
    throw Error(ErrorCode::usage,
                fmt::format("a map names address bits, and {} has a number of processors that is "
                            "no power of two; --destinations takes any permutation",
                            to_string(machine)));
  KnownSizes known{.total = {}, .processor = processor_bits};
  if (text.map_names == MapNames::a_subcube)
    known = {};
  else if (text.elements && is_power_of_two(*text.elements) &&
           *processor_bits + log2_exact(*text.elements) <= word_bits)
    known.total = *processor_bits + log2_exact(*text.elements);
  const Notation notation = parse_notation(*text.map, known);
  if (notation.cut.kind == Cut::Kind::layout)
    throw Error(ErrorCode::usage,
                "this is a layout, which says where data is; a plan moves data from one layout to "
                "another: 'LAYOUT => LAYOUT'");
  Request request{.machine = machine, .map = {.map = notation.map}};
  if (notation.cut.kind == Cut::Kind::both) {
    request.map.cut = true;
    request.map.memory_bits = notation.map.width() - notation.cut.processor_bits;
    request.elements = bit(request.map.memory_bits);
    if (text.elements && *text.elements != request.elements)
      throw Error(ErrorCode::usage,
                  fmt::format("--elements {} contradicts the map, whose {} memory bits hold {} "
                              "elements a processor; leave --elements out",
                              *text.elements, request.map.memory_bits, request.elements));
  } else {
    request.elements = text.elements.value_or(1);
  }
  return {std::move(request), to_notation(notation.map, notation.cut)};
}

// The bit map that sends p to destinations[p], nothing if there is none.
std::optional<BitMap> map_of(const std::vector<std::uint64_t>& destinations, int bits) {
  std::vector<Word> columns;
  for (int b = 0; b < bits; ++b) columns.push_back(destinations[bit(b)] ^ destinations[0]);
  if (BitMatrix::from_columns(bits, columns).rank() != bits) return {};
  const BitMap map = BitMap::from_columns(columns, destinations[0]);
  for (Word p = 0; p < destinations.size(); ++p)
    if (map(p) != destinations[p]) return {};
  return map;
}

NamedRequest with_destinations(const RequestText& text, const Machine& machine) {
  const std::uint64_t processors = processors_of(machine);
  constexpr std::uint64_t most = std::uint64_t{1} << limits::replay_elements_log2_max;
  if (processors > most)
    throw Error(ErrorCode::limit,
                fmt::format("{} has more than {} processors; --destinations lists every one",
                            to_string(machine), most));
  const ArrayInput file = ArrayInput::npy(*text.destinations);
  Request request{.machine = machine};
  request.elements = text.elements.value_or(1);
  request.destinations = read_whole_numbers(file, most);
  if (request.destinations.size() != processors)
    throw Error(ErrorCode::usage,
                fmt::format("{} lists {} destinations, {} has {} processors", *text.destinations,
                            request.destinations.size(), to_string(machine), processors));
  std::vector<bool> taken(processors);
  for (std::uint64_t p = 0; p < processors; ++p) {
    const std::uint64_t to = request.destinations[p];
    if (to >= processors || taken[to])
      throw Error(ErrorCode::usage,
                  fmt::format("{}: entry {} is {}, {}; a permutation of 0..{} is needed",
                              *text.destinations, p, to,
                              to >= processors ? "which is no processor" : "which came before",
                              processors - 1));
    taken[to] = true;
  }
  // A list that a map says is planned as that map, on machines of any size.
  if (const auto bits = address_bits(machine))
    if (const auto map = map_of(request.destinations, *bits)) {
      request.destinations.clear();
      request.map.map = *map;
      return {std::move(request), to_notation(*map)};
    }
  return {std::move(request), ""};
}

}  // namespace

NamedRequest request_from(const RequestText& text) {
  if (text.map.has_value() == text.destinations.has_value())
    throw Error(ErrorCode::usage, text.map ? "give a map or --destinations, not both"
                                           : "say what to move: a map or --destinations FILE.npy");
  if (text.elements && *text.elements == 0)
    throw Error(ErrorCode::usage, "--elements 0: a processor holds one element or more");
  const Machine machine = machine_from(text.machine);
  return text.map ? with_map(text, machine) : with_destinations(text, machine);
}

}  // namespace faro::cli
