// The mesh's two rows of the table of machines: one route at a time, and all links at once.
#include <fmt/format.h>

#include <numeric>

#include "faro/base/limits.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/kinds.hpp"
#include "machines/list_proof.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/text_reader.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/json_words.hpp"

namespace faro::inline v1 {
namespace {

const Mesh& mesh_of(const Machine& machine) {
  return std::get<Mesh>(machine);
}

int bits_of(const Machine& machine) {
  const std::vector<int>& sides = mesh_of(machine).sides_log2;
  return std::accumulate(sides.begin(), sides.end(), 0);
}

Machine read(MachineText& text, Mesh::Wrap wrap) {
  Mesh mesh;
  mesh.wrap = wrap;
  int bits = 0;
  do {
    mesh.sides_log2.push_back(text.size_log2("a side that is a power of two"));
    bits += mesh.sides_log2.back();
    if (bits > limits::machine_bits_max) text.too_large();
  } while (text.take("x"));
  if (text.take(",all-links")) {
    mesh.links = Mesh::Links::all;
  } else if (wrap == Mesh::Wrap::none && text.take(",propagating")) {
    mesh.wrap = Mesh::Wrap::propagating;
  }
  if (!text.done())
    text.fail(wrap == Mesh::Wrap::none
                  ? "'x' and a side, as in 2x4, ',propagating', ',all-links' or the end"
                  : "'x' and a side, as in 2x4, ',all-links' or the end");
  return mesh;
}

std::string text_of(const Machine& machine) {
  const Mesh& mesh = mesh_of(machine);
  std::string text = mesh.wrap == Mesh::Wrap::orthogonal ? "torus:" : "mesh:";
  text += listed(mesh.sides_log2, "x", size_text);
  if (mesh.wrap == Mesh::Wrap::propagating) text += ",propagating";
  if (mesh.links == Mesh::Links::all) text += ",all-links";
  return text;
}

std::string json_of(const Machine& machine) {
  const Mesh& mesh = mesh_of(machine);
  const auto number = [](std::uint64_t size) { return json_number(size); };
  return fmt::format(",\"shape\":[{}],\"wrap\":\"{}\"{}", listed(mesh.sides_log2, ",", number),
                     json_words::wraps.text(mesh.wrap),
                     mesh.links == Mesh::Links::all ? ",\"links\":\"all\"" : "");
}

Machine from_json(const json::Value& value, const json::Unknown& unknown) {
  using json::Breach;
  json::only(value, {"kind", "shape", "wrap", "links"}, "machine", unknown);
  Mesh mesh;
  int bits = 0;
  const json::Value shape = json::required(value, "shape", "machine");
  for (const json::Value& side : shape.array("machine.shape")) {
    const std::uint64_t size = side.number("machine.shape", "machine");
    if (!is_power_of_two(size))
      throw Breach{"machine",
                   fmt::format("machine.shape: a side of {}; sides are powers of two", size)};
    mesh.sides_log2.push_back(log2_exact(size));
    bits += mesh.sides_log2.back();
    if (bits > limits::machine_bits_max || mesh.sides_log2.size() > limits::address_bits_max)
      throw Breach{"machine", fmt::format("machine.shape: at most 2^{} processors and {} sides",
                                          limits::machine_bits_max, limits::address_bits_max)};
  }
  if (mesh.sides_log2.empty()) throw Breach{"machine", "machine.shape: at least one side wanted"};
  mesh.wrap =
      json::word_from(json_words::wraps, json::required(value, "wrap", "machine"), "machine.wrap");
  if (const auto links = value.member("links")) {
    if (links->text() != "all")
      throw Breach{"shape", "machine.links: \"all\" wanted, or the key left out"};
    mesh.links = Mesh::Links::all;
    if (mesh.wrap == Mesh::Wrap::propagating)
      throw Breach{"machine", "machine.wrap: with all links, \"none\" or \"orthogonal\""};
  }
  return mesh;
}

void absorb(const Machine& machine, const MachineKind::Absorb& absorb) {
  const Mesh& mesh = mesh_of(machine);
  absorb(mesh.sides_log2.size());
  for (const int side : mesh.sides_log2) absorb(static_cast<std::uint64_t>(side));
  absorb(mesh.wrap == Mesh::Wrap::none ? 0 : mesh.wrap == Mesh::Wrap::orthogonal ? 1 : 2);
  absorb(mesh.links == Mesh::Links::all ? 1 : 0);
}

constexpr MachineKind::Word words[] = {
    {"mesh", "mesh:8x8", [](MachineText& text) { return read(text, Mesh::Wrap::none); }},
    {"torus", "torus:8x8", [](MachineText& text) { return read(text, Mesh::Wrap::orthogonal); }}};
constexpr CostPart program_cost[] = {cost_part::unit_routes, cost_part::long_routes,
                                     cost_part::register_ops};
constexpr CostPart links_cost[] = {cost_part::steps, cost_part::remote_moves};

bool has(const Machine& machine, Mesh::Links links) {
  const auto* mesh = std::get_if<Mesh>(&machine);
  return mesh != nullptr && mesh->links == links;
}

}  // namespace

MachineKind mesh_kind() {
  return {
      .is = [](const Machine& m) { return has(m, Mesh::Links::one_route); },
      .processors = [](const Machine& m) { return Count{1} << bits_of(m); },
      .address_bits = [](const Machine& m) { return std::optional(bits_of(m)); },
      .words = words,
      .text = text_of,
      .json_name = "mesh",
      .json = json_of,
      .from_json = from_json,
      .tag = 1,
      .absorb = absorb,
      .steps = MachineKind::Steps::program,
      .cost = program_cost,
      .sends_inside_cost = false,
      .replay = moving<mesh_replay>,
      .proof = moving<mesh_proof>,
      .map_bound = map_bound_of<Mesh>,
      .list_bound = list_bound_of<Mesh>,
  };
}

MachineKind links_kind() {
  MachineKind kind = mesh_kind();
  kind.is = [](const Machine& m) { return has(m, Mesh::Links::all); };
  kind.steps = MachineKind::Steps::cube;
  kind.cost = links_cost;
  kind.replay = moving<cube_replay>;
  kind.proof = moving<list_proof>;
  return kind;
}

}  // namespace faro::inline v1
