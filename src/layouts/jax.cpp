// JAX: a mesh and a PartitionSpec.
//
//   mesh x=4 y=2, P('y', 'x')            axis 0 over y, axis 1 over x
//   P(None, ('x', 'y'))                  axis 1 over both, the first name most significant
//
// Read too: NamedSharding(mesh=Mesh('x': 4, 'y': 2), spec=PartitionSpec('y', 'x')) as JAX prints
// it.
// Mesh axes that no entry names replicate. Positions in the mesh are devices 0, 1, 2, ... unless
// devices=[...] lists mesh.devices.flat: what JAX prints does not say it.
#include <fmt/format.h>

#include "layouts/axis_lists.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

// Past a value that does not concern data: names, numbers, parentheses.
void skip_value(Scanner& in) {
  int depth = 0;
  while (!in.done()) {
    if (depth == 0 && (in.next_is(",") || in.next_is(")"))) return;
    if (in.accept("(") || in.accept("[")) {
      ++depth;
    } else if (in.accept(")") || in.accept("]")) {
      --depth;
    } else if (in.next_is("'")) {
      in.quoted();
    } else {
      in.go_to(in.at() + 1);
    }
  }
}

std::vector<std::string> quoted_names(Scanner& in) {
  std::vector<std::string> names;
  in.expect("(");
  while (!in.accept(")")) {
    if (!names.empty()) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    names.push_back(in.quoted());
  }
  return names;
}

void set_axes(Mesh& mesh, const std::vector<std::uint64_t>& axis_sizes,
              const std::vector<std::string>& names, Scanner& in) {
  if (axis_sizes.size() != names.size()) in.fail("as many axis names as sizes are wanted");
  for (std::size_t a = 0; a < names.size(); ++a) mesh.axes.push_back({names[a], axis_sizes[a]});
}

// Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)) or Mesh(axis_sizes=(4, 2), axis_names=('x', 'y'))
Mesh mesh_call(Scanner& in) {
  Mesh mesh;
  std::vector<std::uint64_t> axis_sizes;
  std::vector<std::string> names;
  in.expect("(");
  bool first = true;
  while (!in.accept(")")) {
    if (!first) in.expect(",");
    first = false;
    if (in.accept("axis_sizes")) {
      in.expect("=");
      axis_sizes = in.numbers("(", ")");
    } else if (in.accept("axis_names")) {
      in.expect("=");
      names = quoted_names(in);
    } else if (in.accept("devices") || in.accept("device_ids")) {
      in.expect("=");
      mesh.devices = read_device_ids(in);
    } else if (in.name_is_next()) {
      in.name();
      in.expect("=");
      skip_value(in);
    } else {
      const std::string name = in.quoted();
      in.expect(":");
      mesh.axes.push_back({name, in.number()});
    }
  }
  if (!names.empty() || !axis_sizes.empty()) set_axes(mesh, axis_sizes, names, in);
  return mesh;
}

// mesh x=4 y=2
Mesh mesh_words(Scanner& in) {
  Mesh mesh;
  in.expect("mesh");
  while (in.name_is_next() && !in.next_is("P") && !in.next_is("PartitionSpec") &&
         !in.next_is("devices")) {
    MeshAxis axis{in.name(), 1};
    in.expect("=");
    axis.size = in.number();
    mesh.axes.push_back(std::move(axis));
    const std::size_t at = in.at();
    if (in.accept(",") && (in.next_is("P") || in.next_is("PartitionSpec") || in.next_is("devices")))
      in.go_to(at);
  }
  return mesh;
}

// One entry a list: the mesh axes of each array axis.
std::vector<std::vector<std::size_t>> spec_call(Scanner& in, const Mesh& mesh) {
  std::vector<std::vector<std::size_t>> entries;
  in.expect("(");
  bool first = true;
  const auto axis = [&] {
    const std::size_t at = in.at();
    return mesh_axis_named(mesh, in.quoted(), at, in);
  };
  while (!in.accept(")")) {
    if (!first) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    first = false;
    if (in.accept("None")) {
      entries.emplace_back();
    } else if (in.next_is("'") || in.next_is("\"")) {
      entries.push_back({axis()});
    } else if (in.accept("(")) {
      entries.emplace_back();
      while (!in.accept(")")) {
        if (!entries.back().empty()) {
          in.expect(",");
          if (in.accept(")")) break;
        }
        entries.back().push_back(axis());
      }
    } else if (in.accept("unreduced") || in.accept("unreduced_axes")) {
      in.refuse(LayoutFault::partial,
                "unreduced axes: the values along them must be added; faro "
                "moves data");
    } else if (in.next_is("UNCONSTRAINED") || in.next_is("P") || in.next_is("PartitionSpec")) {
      in.refuse(LayoutFault::unknown, "UNCONSTRAINED: JAX itself decides where this axis lies");
    } else {
      in.fail("wanted None, an axis in quotes or a tuple of them");
    }
  }
  return entries;
}

}  // namespace

JaxWords read_jax_words(Scanner& in) {
  const bool object = in.accept("NamedSharding");
  if (object) in.expect("(");
  in.accept("mesh=");
  Mesh mesh;
  if (in.accept("Mesh") || in.accept("AbstractMesh")) {
    mesh = mesh_call(in);
  } else {
    mesh = mesh_words(in);
  }
  for (const MeshAxis& axis : mesh.axes)
    if (axis.size == 0) in.fail("a mesh axis has one device or more");
  in.accept(",");
  if (in.accept("devices") || in.accept("device_order")) {
    in.expect("=");
    mesh.devices = read_device_ids(in);
    in.accept(",");
  }
  in.accept("spec=");
  if (!in.accept("PartitionSpec")) in.expect("P");
  JaxWords result;
  result.entries = spec_call(in, mesh);
  if (object) {
    while (in.accept(",")) {
      in.name();
      in.expect("=");
      skip_value(in);
    }
    in.expect(")");
  } else if (in.accept(",")) {
    if (!in.accept("devices")) in.expect("device_order");
    in.expect("=");
    mesh.devices = read_device_ids(in);
  }
  in.expect_end();
  result.mesh = std::move(mesh);
  return result;
}

ForeignLayout read_jax(Scanner& in, const ForeignSizes& sizes) {
  const JaxWords words = read_jax_words(in);
  return sharding_of(words, shape_of(sizes, in), in);
}

ForeignLayout sharding_of(const JaxWords& words, const Shape& shape, Scanner& in) {
  const auto& entries = words.entries;
  if (entries.size() > shape.size())
    in.fail_at(0,
               fmt::format("the spec speaks of {} axes, and the shape is {}", entries.size(),
                           shape_text(shape)),
               NotationFault::size);
  Sharding sharding(words.mesh, shape, in);
  for (std::size_t d = 0; d < entries.size(); ++d)
    for (const std::size_t mesh_axis : entries[d]) sharding.cut(d, mesh_axis);
  return sharding.layout();
}

}  // namespace faro::inline v1::layouts
