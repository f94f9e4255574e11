// PyTorch's DTensor: a mesh of ranks and a placement for each of its dimensions.
//
//   (2,4) [Shard(0), Shard(1)]            mesh dimension 0 cuts axis 0, mesh dimension 1 axis 1
//   (2,4) [Shard(0), Shard(0)]            left to right: the left one is more significant
//   (2,2) [_StridedShard(0, sf=2), Shard(0)]      cut in 2*2 pieces, rank r gets r and r + 2, glued
//
// Each cut is of the local tensor that the cuts before it left. shard_order={0: (1, 0)} says
// another order of the mesh dimensions that cut axis 0.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "layouts/deal_words.hpp"
#include "layouts/mesh.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

// [[0, 1], [2, 3]]: its shape, and the ranks in C order.
void read_ranks(Scanner& in, Mesh& mesh, std::size_t depth) {
  if (depth == limits::layout_mesh_axes_max)
    in.fail_at(in.at(),
               fmt::format("a mesh of more than {} dimensions", limits::layout_mesh_axes_max),
               NotationFault::limit);
  in.expect("[");
  std::uint64_t count = 0;
  if (mesh.axes.size() == depth) mesh.axes.push_back({"", 0});
  while (!in.accept("]")) {
    if (count > 0) in.expect(",");
    ++count;
    if (in.next_is("[")) {
      read_ranks(in, mesh, depth + 1);
    } else {
      mesh.devices.push_back(in.number());
    }
  }
  if (mesh.axes[depth].size != 0 && mesh.axes[depth].size != count)
    in.fail("rows of the mesh have different lengths");
  mesh.axes[depth].size = count;
}

// (2, 4) or (dp=2, tp=4)
void read_sizes(Scanner& in, Mesh& mesh) {
  in.expect("(");
  while (!in.accept(")")) {
    if (!mesh.axes.empty()) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    MeshAxis axis;
    if (in.name_is_next() || in.next_is("'")) {
      axis.name = in.name_or_quoted();
      if (!in.accept("=")) in.expect(":");
    }
    axis.size = in.number();
    mesh.axes.push_back(std::move(axis));
  }
}

Mesh read_device_mesh(Scanner& in) {
  Mesh mesh;
  const bool call = in.accept("DeviceMesh");
  if (call) in.expect("(");
  if (call && in.next_is("'")) {
    in.quoted();
    in.expect(",");
  }
  if (in.next_is("[")) {
    read_ranks(in, mesh, 0);
  } else {
    read_sizes(in, mesh);
  }
  if (call)
    for (int depth = 1; depth > 0;) {  // device type, strides, names: not about data
      if (in.done()) in.fail("wanted ')'");
      if (in.accept("(")) {
        ++depth;
      } else if (in.accept(")")) {
        --depth;
      } else {
        in.go_to(in.at() + 1);
      }
    }
  if (mesh.axes.empty()) in.fail("a mesh has one dimension or more");
  for (const MeshAxis& axis : mesh.axes)
    if (axis.size == 0) in.fail("a mesh dimension has one rank or more");
  return mesh;
}

std::size_t read_axis(Scanner& in, std::size_t rank) {
  in.accept("dim=");
  const std::size_t at = in.at();
  std::int64_t axis = in.integer();
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
    in.fail_at(at, fmt::format("an axis of an array with {}", rank), NotationFault::range);
  return static_cast<std::size_t>(axis);
}

DTensorCut read_placement(Scanner& in, std::size_t rank) {
  const std::size_t at = in.at();
  const std::string name = in.name();
  if (name == "Replicate" || name == "R") {
    if (in.accept("(")) in.expect(")");
    return {};
  }
  if (name == "Partial" || name == "_NormPartial" || name == "_MaskPartial" || name == "P")
    in.refuse(LayoutFault::partial, "Partial: the values must be added; faro moves data");
  DTensorCut cut;
  if (name != "Shard" && name != "S" && name != "_StridedShard" && name != "_S")
    in.fail_at(at, "wanted Shard(d), _StridedShard(d, sf=f), Replicate() or Partial()");
  in.expect("(");
  cut.axis = read_axis(in, rank);
  if (in.accept(",")) {
    if (name == "Shard" || name == "S") in.fail("Shard takes one number");
    if (in.accept("split_factor") || in.accept("sf")) in.expect("=");
    cut.split_factor = in.number();
    if (cut.split_factor == 0) in.fail("a split factor of 0");
  } else if (name == "_StridedShard" || name == "_S") {
    in.fail("wanted the split factor, as in _StridedShard(0, sf=2)");
  }
  in.expect(")");
  return cut;
}

// The mesh dimensions in the order in which they cut.
std::vector<std::size_t> read_order(Scanner& in, const std::vector<DTensorCut>& cuts,
                                    std::size_t rank) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < cuts.size(); ++m) order.push_back(m);
  if (!in.accept(",") && !in.next_is("shard_order")) return order;
  in.expect("shard_order");
  in.expect("=");
  in.expect("{");
  bool first = true;
  while (!in.accept("}")) {
    if (!first) in.expect(",");
    first = false;
    const std::size_t at = in.at();
    const std::size_t axis = read_axis(in, rank);
    in.expect(":");
    const std::vector<std::uint64_t> dims = in.numbers("(", ")");
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (cuts[order[k]].axis == axis) places.push_back(k);
    std::vector<std::size_t> sorted(dims.begin(), dims.end());
    std::sort(sorted.begin(), sorted.end());
    bool same = sorted.size() == places.size();
    for (std::size_t k = 0; same && k < places.size(); ++k)
      same = std::find(sorted.begin(), sorted.end(), order[places[k]]) != sorted.end();
    if (!same) in.fail_at(at, fmt::format("not the mesh dimensions that cut axis {}", axis));
    for (std::size_t k = 0; k < places.size(); ++k)
      order[places[k]] = static_cast<std::size_t>(dims[k]);
  }
  return order;
}

void refuse_if_uneven(const Mesh& mesh, const std::vector<DTensorCut>& cuts, const Shape& shape,
                      Scanner& in) {
  std::vector<std::uint64_t> parts(shape.size(), 1);
  for (std::size_t m = 0; m < cuts.size(); ++m) {
    if (!cuts[m].axis) continue;
    const std::size_t axis = *cuts[m].axis;
    parts[axis] *= mesh.axes[m].size;
    const std::uint64_t pieces = size_product(parts[axis], cuts[m].split_factor, "pieces");
    if (shape[axis] % parts[axis] != 0 || shape[axis] % pieces != 0)
      refuse_uneven(axis, shape[axis], shape[axis] % parts[axis] != 0 ? parts[axis] : pieces,
                    shape[axis] % parts[axis] != 0 ? "ranks" : "pieces", in);
  }
}

}  // namespace

DTensorWords read_dtensor_words(Scanner& in, std::size_t axes) {
  in.accept("mesh=");
  DTensorWords words;
  words.mesh = read_device_mesh(in);
  in.accept(",");
  in.accept("placements=");
  const bool tuple = in.next_is("(");
  const std::size_t at = in.at();
  in.expect(tuple ? "(" : "[");
  while (!in.accept(tuple ? ")" : "]")) {
    if (!words.cuts.empty()) {
      in.expect(",");
      if (in.accept(tuple ? ")" : "]")) break;
    }
    words.cuts.push_back(read_placement(in, axes));
  }
  if (words.cuts.size() != words.mesh.axes.size())
    in.fail_at(at,
               fmt::format("{} placements for a mesh of {} dimensions", words.cuts.size(),
                           words.mesh.axes.size()),
               NotationFault::size);
  words.order = read_order(in, words.cuts, axes);
  in.expect_end();
  return words;
}

ForeignLayout read_dtensor(Scanner& in, const ForeignSizes& sizes) {
  const Shape shape = shape_of(sizes, in);
  const DTensorWords words = read_dtensor_words(in, shape.size());
  const auto& cuts = words.cuts;
  refuse_if_uneven(words.mesh, cuts, shape, in);
  Sharding sharding(words.mesh, shape, in);
  for (const std::size_t m : words.order)
    if (cuts[m].axis)
      sharding.cut(*cuts[m].axis, m, 0, sharding.mesh_bits(m),
                   log2_or_refuse(cuts[m].split_factor, "the split factor is", in));
  return sharding.layout();
}

}  // namespace faro::inline v1::layouts
