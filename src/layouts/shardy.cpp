// Shardy: axes of a named mesh, or parts of them, cut the axes of an array.
//
//   <["x"=4, "y"=2]> [{"y"}, {"x"}]          axis 0 over y, axis 1 over x
//   "y":(2)4                                 the part of y of size 4 behind parts of product 2
//
// The first axis listed is the most significant. `?` (open) and pN (priority) concern the
// propagation of shardings, not data. XLA's named shardings say the same in single quotes.
#include <fmt/format.h>

#include "layouts/axis_lists.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {

std::size_t mesh_axis_named(const Mesh& mesh, const std::string& name, std::size_t at,
                            const Scanner& in) {
  for (std::size_t a = 0; a < mesh.axes.size(); ++a)
    if (mesh.axes[a].name == name) return a;
  in.fail_at(at, fmt::format("no mesh axis named '{}'", name), NotationFault::name);
}

std::vector<MeshAxis> read_mesh_axes(Scanner& in) {
  std::vector<MeshAxis> axes;
  in.expect("[");
  while (!in.accept("]")) {
    if (!axes.empty()) in.expect(",");
    MeshAxis axis;
    axis.name = in.quoted();
    in.expect("=");
    axis.size = in.number();
    if (axis.size == 0) in.fail("a mesh axis has one device or more");
    axes.push_back(std::move(axis));
  }
  return axes;
}

AxisPart read_axis_part(Scanner& in, const Mesh& mesh) {
  const std::size_t at = in.at();
  AxisPart part;
  part.axis = mesh_axis_named(mesh, in.quoted(), at, in);
  const std::uint64_t size = mesh.axes[part.axis].size;
  const std::string what = fmt::format("mesh axis '{}' has", mesh.axes[part.axis].name);
  part.count = log2_or_refuse(size, what, in);
  if (!in.accept(":")) return part;
  in.expect("(");
  const std::uint64_t before = in.number();
  in.expect(")");
  const std::uint64_t taken = in.number();
  if (before == 0 || taken == 0 || before > size || taken > size / before ||
      size % (before * taken) != 0)
    in.fail_at(at, fmt::format("({}){} is no part of an axis of {}", before, taken, size),
               NotationFault::range);
  part.first = log2_or_refuse(before, "the part begins behind", in);
  part.count = log2_or_refuse(taken, "the part has", in);
  return part;
}

namespace {

// {"x", "y":(1)2, ?}p1
void read_dimension(Scanner& in, const Mesh& mesh, Sharding& sharding, std::size_t axis) {
  in.expect("{");
  bool first = true;
  while (!in.accept("}")) {
    if (!first) in.expect(",");
    first = false;
    if (in.accept("?")) continue;
    const AxisPart part = read_axis_part(in, mesh);
    sharding.cut(axis, part.axis, part.first, part.count);
  }
  if (in.name_is_next()) {
    const std::size_t at = in.at();
    const std::string priority = in.name();
    if (priority.size() < 2 || priority[0] != 'p' ||
        priority.find_first_not_of("0123456789", 1) != std::string::npos)
      in.fail_at(at, "wanted a priority, p0, p1, ...");
  }
}

std::size_t count_dimensions(Scanner in) {
  std::size_t count = 0;
  in.expect("[");
  while (!in.accept("]")) {
    if (count++ > 0) in.expect(",");
    in.expect("{");
    while (!in.accept("}")) {
      if (in.done()) in.fail("wanted '}'");
      if (in.next_is("\"") || in.next_is("'")) {
        in.quoted();
      } else {
        in.go_to(in.at() + 1);
      }
    }
    if (in.name_is_next()) in.name();
  }
  return count;
}

}  // namespace

ForeignLayout read_dimensions(Scanner& in, const Mesh& mesh, const ForeignSizes& sizes) {
  const Shape shape = shape_of(sizes, in, count_dimensions(in));
  Sharding sharding(mesh, shape, in);
  in.expect("[");
  for (std::size_t axis = 0; !in.accept("]"); ++axis) {
    if (axis > 0) in.expect(",");
    read_dimension(in, mesh, sharding, axis);
  }
  while (in.accept(",")) {
    const std::size_t at = in.at();
    const std::string word = in.name();
    in.expect("=");
    in.expect("{");
    std::string axes;
    while (!in.accept("}")) {
      if (!axes.empty()) in.expect(",");
      const std::size_t begin = in.at();
      // Parts of axes, or XLA's metadata, whose words do not concern data.
      read_axis_part(in, mesh);
      axes += (axes.empty() ? "" : ", ") + in.words_from(begin);
    }
    if (axes.empty() || word == "replicated" || word == "metadata") continue;
    if (word == "unreduced")
      in.refuse(
          LayoutFault::partial,
          fmt::format("unreduced={{{}}}: the values along {} must be added; faro moves data", axes,
                      axes.find(',') == std::string::npos
                          ? std::string(axes.substr(1, axes.size() - 2))
                          : "these axes"));
    if (word == "manual" || word == "manual_axes")
      in.refuse(LayoutFault::manual,
                fmt::format("manual={{{}}}: each device holds what its program says", axes));
    in.fail_at(at, fmt::format("'{}' is unknown here; there are replicated and unreduced", word));
  }
  return sharding.layout();
}

std::vector<std::uint64_t> read_device_ids(Scanner& in) {
  std::vector<std::uint64_t> devices =
      in.next_is("(") ? in.numbers("(", ")") : in.numbers("[", "]");
  return devices;
}

namespace {

// <["x"=4, "y"=2]>, perhaps with device_ids=[...] before or behind '>'
Mesh read_mesh(Scanner& in) {
  Mesh mesh;
  in.expect("<");
  if (in.next_is("[")) mesh.axes = read_mesh_axes(in);
  const auto ids = [&] {
    if (!in.accept("device_ids")) return false;
    in.expect("=");
    mesh.devices = read_device_ids(in);
    return true;
  };
  if (in.accept(",")) ids();
  in.expect(">");
  if (in.next_is(",")) {
    const std::size_t at = in.at();
    in.accept(",");
    if (!ids()) in.go_to(at);
  }
  return mesh;
}

}  // namespace

ForeignLayout read_shardy(Scanner& in, const ForeignSizes& sizes) {
  Mesh mesh;
  std::string mesh_name;
  bool defined = false;
  if (in.accept("sdy.mesh")) {
    in.expect("@");
    mesh_name = in.name_or_quoted();
    in.expect("=");
    mesh = read_mesh(in);
    defined = true;
    in.accept(";");
  } else if (in.next_is("<")) {
    // The mesh itself, then the shardings of the axes.
    const std::size_t at = in.at();
    in.accept("<");
    const bool is_mesh = in.next_is("[");
    in.go_to(at);
    if (is_mesh) {
      mesh = read_mesh(in);
      defined = true;
    }
  }
  in.accept(",");
  in.accept("#sdy.sharding");
  const bool closed = in.accept("<");
  if (closed) {
    if (in.accept("@")) {
      const std::size_t at = in.at();
      const std::string name = in.name_or_quoted();
      if (!defined)
        in.fail_at(at,
                   fmt::format("mesh @{} is not defined here; put <[\"x\"=4]> or sdy.mesh @{} = "
                               "<[\"x\"=4]> in front",
                               name, name),
                   NotationFault::name);
      if (!mesh_name.empty() && name != mesh_name)
        in.fail_at(at, fmt::format("mesh @{}, and @{} is defined", name, mesh_name),
                   NotationFault::name);
    } else {
      in.expect("mesh");
      mesh = read_mesh(in);
    }
    in.expect(",");
  } else if (!defined) {
    in.fail("wanted a mesh, as in <[\"x\"=4, \"y\"=2]> [{\"y\"}, {\"x\"}]");
  }
  ForeignLayout layout = read_dimensions(in, mesh, sizes);
  if (closed) in.expect(">");
  in.expect_end();
  return layout;
}

}  // namespace faro::inline v1::layouts
