// A configuration of BookSim 2 (Jiang et al. 2013): the machine as its topology and the map as one
// of its traffic patterns, in batch mode, where every node sends its K elements once. BookSim knows
// patterns by name only, so that few maps can be said; what cannot is refused.
#include <fmt/format.h>

#include <algorithm>

#include "exports/formats.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "schedules/quiet_sink.hpp"

namespace faro::inline v1::exports {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::impossible, "BookSim cannot be told this schedule: " + why);
}

struct Topology {
  const char* name;
  const char* routing;
  std::uint64_t k;
  std::size_t n;
};

Topology topology_of(const Machine& machine) {
  if (const auto* cube = std::get_if<Hypercube>(&machine))
    return {"mesh", "dim_order", 2, static_cast<std::size_t>(cube->dimensions)};
  if (const auto* switched = std::get_if<Crossbar>(&machine)) {
    if (switched->tiers.empty()) return {"fly", "dest_tag", bit(switched->bits), 1};
    const int side = switched->tiers.back().processors_log2;
    int size = switched->bits;
    for (const Crossbar::Tier& tier : switched->tiers) {
      if (size - tier.processors_log2 != side || tier.up_log2 != tier.processors_log2)
        refuse("its fat trees have switches of one size, and as many links up as down");
      size = tier.processors_log2;
    }
    return {"fattree", "nca", bit(side), switched->tiers.size() + 1};
  }
  const auto* mesh = std::get_if<Mesh>(&machine);
  if (mesh == nullptr) refuse("its topologies have links between two nodes, and no stars");
  if (mesh->wrap == Mesh::Wrap::propagating) refuse("its tori have no propagating wraparound");
  const std::vector<int>& sides = mesh->sides_log2;
  if (sides.empty() ||
      std::any_of(sides.begin(), sides.end(), [&](int side) { return side != sides.front(); }))
    refuse("all sides of its meshes are equal; these are of " + to_string(machine));
  return {mesh->wrap == Mesh::Wrap::orthogonal ? "torus" : "mesh", "dim_order", bit(sides.front()),
          sides.size()};
}

// BookSim's own words of these patterns, on 2^w nodes.
std::string traffic_of(const ScheduleHeader& header) {
  const auto* goal = std::get_if<MapGoal>(&header.goal);
  if (goal == nullptr) refuse("its patterns are maps of nodes, and the goal is none");
  if (goal->cut) refuse("its patterns send all elements of a node to one, and these are cut");
  const BitMap& map = goal->map;
  const int w = map.width();
  if (w == 0) refuse("it has one node");
  std::vector<Word> reversed, halves, rotated, same;
  for (int b = 0; b < w; ++b) {
    same.push_back(bit(b));
    reversed.push_back(bit(w - 1 - b));
    halves.push_back(bit((b + w / 2) % w));
    rotated.push_back(bit((b + 1) % w));
  }
  const auto is = [&](const std::vector<Word>& columns, Word complement) {
    return map == BitMap::from_columns(columns, complement);
  };
  if (is(same, low_mask(w))) return "bitcomp";
  if (is(reversed, 0)) return "bitrev";
  if (w % 2 == 0 && is(halves, 0)) return "transpose";
  if (is(rotated, 0)) return "shuffle";
  refuse("of affine maps it knows bitcomp, bitrev, shuffle and transpose");
}

class Configuration : public QuietSink {
 public:
  void begin(const ScheduleHeader& header) override {
    const Topology topology = topology_of(header.machine);
    text = fmt::format(
        "// {}{}{} elements a node, by faro\n"
        "topology = {};\nk = {};\nn = {};\nrouting_function = {};\ntraffic = {};\n"
        "sim_type = batch;\nbatch_size = {};\nbatch_count = 1;\nuse_read_write = 0;\n"
        "packet_size = 1;\nnum_vcs = 4;\nvc_buf_size = 4;\n",
        to_string(header.machine), ", ", header.elements, topology.name, topology.k, topology.n,
        topology.routing, traffic_of(header), header.elements);
  }
  std::string text;
};

}  // namespace

void booksim(const Push& push, ByteSink& to) {
  Configuration configuration;
  push(configuration);
  to.write(configuration.text);
}

}  // namespace faro::inline v1::exports
