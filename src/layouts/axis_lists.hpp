// [{"x"}, {"y":(1)2, ?}], replicated={"z"}: what Shardy and XLA's named shardings share.
#pragma once

#include "layouts/mesh.hpp"

namespace faro::inline v1::layouts {

// Bits first .. first + count - 1, from the top, of a mesh axis.
struct AxisPart {
  std::size_t axis = 0;
  int first = 0;
  int count = 0;
};

std::size_t mesh_axis_named(const Mesh& mesh, const std::string& name, std::size_t at,
                            const Scanner& in);
std::vector<MeshAxis> read_mesh_axes(Scanner& in);  // ["x"=4, "y"=2]
AxisPart read_axis_part(Scanner& in, const Mesh& mesh);
std::vector<std::uint64_t> read_device_ids(Scanner& in);  // (1, 0) or [1, 0]

// What a mesh and a PartitionSpec say: one entry an axis of the array, the mesh axes that cut it.
struct JaxWords {
  Mesh mesh;
  std::vector<std::vector<std::size_t>> entries;
};
JaxWords read_jax_words(Scanner& in);
ForeignLayout sharding_of(const JaxWords& words, const Shape& shape, Scanner& in);

ForeignLayout read_dimensions(Scanner& in, const Mesh& mesh, const ForeignSizes& sizes);

}  // namespace faro::inline v1::layouts
