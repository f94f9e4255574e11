// Requests are checked where they are made, so that whoever takes one need not ask again.
#include <fmt/format.h>

#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "machines/cube/ports.hpp"
#include "planners/pops/matmul/matmul.hpp"
#include "schedules/map_goal.hpp"

namespace faro::inline v1 {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

// A machine is legal if it has a name that says it.
void check(const Machine& machine) {
  if (const auto* mesh = std::get_if<Mesh>(&machine))
    for (const int side : mesh->sides_log2)
      if (side < 0 || side > limits::machine_bits_max)
        refuse(fmt::format("a mesh has no side of 2^{} processors", side));
  if (const auto* ranks = std::get_if<Crossbar>(&machine)) {
    int above = ranks->bits;
    if (above < 0 || above > limits::machine_bits_max)
      refuse(fmt::format("there are no 2^{} ranks", above));
    for (const Crossbar::Tier& tier : ranks->tiers) {
      if (tier.processors_log2 < 0 || tier.processors_log2 >= above || tier.up_log2 < 0 ||
          tier.up_log2 > tier.processors_log2)
        refuse(fmt::format("no switch of 2^{} processors has 2^{} links upward below 2^{}",
                           tier.processors_log2, tier.up_log2, above));
      above = tier.processors_log2;
    }
  }
  if (!(machine_from(to_string(machine)) == machine))
    refuse(fmt::format("{} does not say this machine; its description contradicts itself",
                       to_string(machine)));
}

void check(const BitMap& map) {
  if (map.width() > limits::address_bits_max)
    throw Error(ErrorCode::limit, fmt::format("a map of {} bits", map.width()));
}

// K of a map; `bits` is what the machine has of processor bits, or the subcube.
std::uint64_t elements_of(const MapGoal& goal, int bits, std::optional<std::uint64_t> elements) {
  check(goal.map);
  if (!goal.cut && goal.memory_bits != 0)
    refuse(
        fmt::format("a map without a cut has no memory bits, and {} are given", goal.memory_bits));
  if (goal.memory_bits < 0 || goal.memory_bits > goal.map.width())
    refuse(fmt::format("{} of {} bits of a map cannot be memory bits", goal.memory_bits,
                       goal.map.width()));
  const int named = goal.map.width() - goal.memory_bits;
  if (named != bits)
    refuse(fmt::format("the map has {} processor bits, the machine {}", named, bits));
  if (!goal.cut) return elements.value_or(1);
  if (goal.memory_bits >= word_bits)
    throw Error(ErrorCode::limit, fmt::format("2^{} elements a processor", goal.memory_bits));
  const std::uint64_t count = bit(goal.memory_bits);
  if (elements && *elements != count)
    refuse(
        fmt::format("{} elements contradict the map, whose {} memory bits hold {} elements a "
                    "processor; leave the number out",
                    *elements, goal.memory_bits, count));
  return count;
}

// K where the question says it.
std::uint64_t only_elements(std::uint64_t count, std::optional<std::uint64_t> elements) {
  if (elements && *elements != count)
    refuse(fmt::format("{} elements in each processor; the question says {}", *elements, count));
  return count;
}

// Of a broadcast only one to all on a cube sends K data.
std::uint64_t broadcast_elements(const Broadcast& broadcast, const Machine& machine,
                                 std::uint64_t k) {
  const bool cube = std::holds_alternative<Hypercube>(machine);
  const bool to_all = broadcast.kind == Broadcast::Kind::one_to_all;
  if (k != 1 && !(cube && to_all)) {
    const char* moved = to_all ? "the root's one datum"
                        : broadcast.kind == Broadcast::Kind::all_to_all
                            ? "one datum of each processor"
                            : "one datum of each pair of processors";
    refuse(
        fmt::format("{} data: this broadcast moves {}; {} turns of its plan move {}, at {} times "
                    "the cost. One to all on a cube takes K data",
                    k, moved, k, k, k));
  }
  if (k > limits::cube_elements_max)
    throw Error(ErrorCode::limit,
                fmt::format("{} data; at most {} are broadcast", k, limits::cube_elements_max));
  return k;
}

int processor_bits_of(const Machine& machine) {
  if (const auto bits = address_bits(machine)) return *bits;
  throw Error(ErrorCode::impossible,
              fmt::format("a map names address bits, and {} has a number of processors that is no "
                          "power of two; a list of destinations takes any permutation",
                          to_string(machine)));
}

std::uint64_t listed_processors(const Machine& machine) {
  constexpr std::uint64_t most = std::uint64_t{1} << limits::replay_elements_log2_max;
  const Count count = processors(machine);
  if (count > most)
    throw Error(ErrorCode::limit, fmt::format("{} has more than {} processors; a list of "
                                              "destinations names every one",
                                              to_string(machine), most));
  return static_cast<std::uint64_t>(count);
}

void check_permutation(const std::vector<std::uint64_t>& to, const Machine& machine) {
  const std::uint64_t count = listed_processors(machine);
  if (to.size() != count)
    refuse(fmt::format("the list has {} destinations, {} has {} processors", to.size(),
                       to_string(machine), count));
  std::vector<bool> taken(count);
  for (std::uint64_t p = 0; p < count; ++p) {
    if (to[p] >= count || taken[to[p]])
      refuse(fmt::format("entry {} of the list is {}, {}; a permutation of 0..{} is needed", p,
                         to[p], to[p] >= count ? "which is no processor" : "which came before",
                         count - 1));
    taken[to[p]] = true;
  }
}

void check_relation(const std::vector<std::uint64_t>& to, const Machine& machine,
                    std::uint64_t elements) {
  if (!std::holds_alternative<Pops>(machine) && !std::holds_alternative<Hypercube>(machine))
    throw Error(ErrorCode::impossible,
                fmt::format("{}: elements with destinations of their own are planned on POPS "
                            "networks, pops:8,4, and scattered and gathered on cubes",
                            to_string(machine)));
  const std::uint64_t count = listed_processors(machine);
  if (Count{to.size()} != Count{count} * elements)
    refuse(fmt::format("the list has {} destinations; {} elements in each of {} processors have {}",
                       to.size(), elements, count, to_string(Count{count} * elements)));
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] >= count && to[i] != Relation::nowhere)
      refuse(fmt::format("entry {} of the list is {}; processors are 0..{}", i, to[i], count - 1));
}

void complete(ButterflyNetwork& network, const Machine& machine) {
  const auto* cube = std::get_if<Hypercube>(&machine);
  if (cube == nullptr || cube->ports != Hypercube::Ports::all)
    refuse(fmt::format("{}: butterfly networks run on cubes with all ports, cube:6",
                       to_string(machine)));
  if (network.processor_bits != 0 && network.processor_bits != cube->dimensions)
    refuse(fmt::format("a butterfly network of {} processor bits on {}", network.processor_bits,
                       to_string(machine)));
  network.processor_bits = cube->dimensions;
  const int n = network.processor_bits;
  const int p = network.index_bits;
  if (p < 0 || p > limits::address_bits_max)
    throw Error(ErrorCode::limit, fmt::format("a butterfly network has 0 to {} index bits, not {}",
                                              limits::address_bits_max, p));
  if (n > p)
    refuse(
        fmt::format("2^{} elements do not fill 2^{} processors; at least {} index bits are "
                    "needed, or a smaller cube",
                    p, n, n));
  if (network.memory_bits() > limits::butterfly_memory_log2_max)
    throw Error(ErrorCode::limit,
                fmt::format("2^{} elements a processor; a plan has rules for each of them, at most "
                            "2^{}: take a larger cube",
                            network.memory_bits(), limits::butterfly_memory_log2_max));
  if (network.section_bits < 0 || network.section_bits > p)
    refuse(fmt::format("sectioning by {} of {} index bits", network.section_bits, p));
}

const Pops& pops_of(const Machine& machine, const char* what) {
  if (const auto* network = std::get_if<Pops>(&machine)) return *network;
  throw Error(ErrorCode::usage,
              fmt::format("{}: {} POPS networks, such as pops:4,4", to_string(machine), what));
}

void check(const MatrixProduct& product, const Machine& machine) {
  if (const auto why = matmul_misfit(pops_of(machine, "matrices are multiplied on"), product.order))
    throw Error(ErrorCode::impossible, *why);
}

void check(const Broadcast& broadcast, const Machine& machine) {
  const bool cube = std::holds_alternative<Hypercube>(machine);
  if (!cube) (void)pops_of(machine, "broadcasts are for cubes and");
  if (cube && several_ports(std::get<Hypercube>(machine)))
    refuse(fmt::format("{}: broadcasts are planned for cubes with all ports or one",
                       to_string(machine)));
  if (cube && broadcast.kind == Broadcast::Kind::personalised)
    throw Error(ErrorCode::impossible,
                "each to each its own is a map on a cube: `faro plan 'p:n | m:n -> m | p'`");
  const Count count = processors(machine);
  if (broadcast.root >= count)
    refuse(fmt::format("the root is {}: processors are numbered 0 to {}", broadcast.root,
                       to_string(count - 1)));
}

// The bit map that sends p to to[p], nothing if there is none.
std::optional<BitMap> map_of(const std::vector<std::uint64_t>& to, int bits) {
  std::vector<Word> columns;
  for (int b = 0; b < bits; ++b) columns.push_back(to[bit(b)] ^ to[0]);
  if (BitMatrix::from_columns(bits, columns).rank() != bits) return {};
  const BitMap map = BitMap::from_columns(columns, to[0]);
  for (Word p = 0; p < to.size(); ++p)
    if (map(p) != to[p]) return {};
  return map;
}

}  // namespace

Request::Request(Content content) : content_(std::make_shared<const Content>(std::move(content))) {}

Request Request::of(const Machine& machine, Question question,
                    std::optional<std::uint64_t> elements) {
  check(machine);
  if (elements && *elements == 0) refuse("0 elements: a processor holds one element or more");
  std::uint64_t k = elements.value_or(1);
  if (auto* goal = std::get_if<MapGoal>(&question)) {
    k = elements_of(*goal, processor_bits_of(machine), elements);
    if (goal->memory_bits == 0) goal->cut = false;  // one element a processor: none to tell apart
  } else if (const auto* list = std::get_if<Destinations>(&question)) {
    check_permutation(list->to, machine);
    if (const auto bits = address_bits(machine))
      if (const auto map = map_of(list->to, *bits)) question = MapGoal{.map = *map};
  } else if (const auto* relation = std::get_if<Relation>(&question)) {
    check_relation(relation->to, machine, k);
  } else if (auto* network = std::get_if<ButterflyNetwork>(&question)) {
    complete(*network, machine);
    k = only_elements(bit(network->memory_bits()), elements);
  } else if (auto* sort = std::get_if<BitonicSort>(&question)) {
    complete(sort->network, machine);
    k = only_elements(bit(sort->network.memory_bits()), elements);
  } else if (const auto* product = std::get_if<MatrixProduct>(&question)) {
    check(*product, machine);
    k = only_elements(1, elements);
  } else if (const auto* broadcast = std::get_if<Broadcast>(&question)) {
    check(*broadcast, machine);
    k = broadcast_elements(*broadcast, machine, k);
  }
  return Request({.machine = machine, .question = std::move(question), .elements = k});
}

Said said_on(std::string_view map, const Machine& machine, std::optional<std::uint64_t> elements,
             const std::optional<std::vector<Word>>& shape) {
  const Sizes sizes = sizes_on(map, machine, elements, shape);
  try {
    return say(map, sizes);
  } catch (const NotationError& error) {
    if (shape || !error.is_of_sizes()) throw;
    throw error.told_of(
        fmt::format("{}, 2^{} processors", to_string(machine), address_bits(machine).value_or(0)));
  }
}

Request Request::of(std::string_view map, std::string_view machine,
                    std::optional<std::uint64_t> elements,
                    const std::optional<std::vector<Word>>& shape) {
  const Machine on = machine_from(machine);
  return of(on, goal_of(said_on(map, on, elements, shape), on, elements), elements);
}

Request Request::on_subcube(const Hypercube& cube, const MapGoal& map) {
  check(Machine{cube});
  const int named = map.map.width() - map.memory_bits;
  if (!map.cut || named < 0 || named > cube.dimensions)
    refuse(
        fmt::format("data on a subcube are moved by a map that names memory bits and at most {} "
                    "processor bits: p:2 | m:3 -> ...",
                    cube.dimensions));
  const std::uint64_t k = elements_of(map, named, {});
  return Request({.machine = cube, .question = map, .elements = k, .on_subcube = true});
}

const MapGoal& Request::map() const {
  static const MapGoal none;
  const auto* goal = std::get_if<MapGoal>(&content_->question);
  return goal != nullptr ? *goal : none;
}

const std::vector<std::uint64_t>& Request::destinations() const {
  static const std::vector<std::uint64_t> none;
  if (const auto* list = std::get_if<Destinations>(&content_->question)) return list->to;
  if (const auto* relation = std::get_if<Relation>(&content_->question)) return relation->to;
  return none;
}

std::string Request::text() const {
  if (!is_map()) return "";
  const MapGoal& goal = map();
  return to_notation(goal.map,
                     {.kind = goal.cut ? Cut::Kind::both : Cut::Kind::none,
                      .processor_bits = goal.cut ? goal.map.width() - goal.memory_bits : 0});
}

Request Request::with_elements(std::uint64_t elements) const {
  if (content_->on_subcube) refuse("the map of a subcube says how many elements there are");
  return of(content_->machine, content_->question, elements);
}

}  // namespace faro::inline v1
