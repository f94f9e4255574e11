// Axes of an array cut over the axes of a mesh of devices: what Shardy, JAX, DTensor and XLA's
// named shardings have in common.
//
//   mesh x=4 y=2, axis 0 over y, axis 1 over x:   position in the mesh = (top 2 bits of axis 1,
//   top bit of axis 0); device = the entry of the device list at that position
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/bits.hpp"

namespace faro::inline v1::layouts {

struct MeshAxis {
  std::string name;
  std::uint64_t size = 1;
};

struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<std::uint64_t> devices;  // by position in C order; empty: 0, 1, 2, ...
  std::uint64_t size() const;          // at most 2^62
};

// Refuses lists that are no affine map of the position, in the words of the list.
// `positions` are the forms of the position, highest bit first; the result those of the device.
Forms devices_at(const Forms& positions, const std::vector<std::uint64_t>& devices,
                 const Scanner& in);
// The forms of map(x), where x has these forms.
Forms image_of(const Forms& forms, const BitMatrix& matrix, Word complement);

// "4 and 4": the shares of 10 elements over 4, in pieces of ceil(10/4), as refusals say them.
[[noreturn]] void refuse_uneven(std::size_t axis, std::uint64_t length, std::uint64_t parts,
                                const char* holders, const Scanner& in);

class Sharding {
 public:
  // Refuses a mesh whose axes are no powers of two.
  Sharding(const Mesh& mesh, Shape shape, const Scanner& in);

  // The next top bits of array axis `axis` are bits first .. first + count - 1 of mesh axis
  // `mesh_axis`, counted from its top; `skip` bits above them stay in memory.
  void cut(std::size_t axis, std::size_t mesh_axis, int first, int count, int skip = 0);
  void cut(std::size_t axis, std::size_t mesh_axis);  // the whole mesh axis
  int mesh_bits(std::size_t mesh_axis) const;
  // Bits of the mesh that cut nothing tell copies apart.
  ForeignLayout layout() const;

 private:
  const Mesh& mesh_;
  Shape shape_;
  const Scanner& in_;
  std::vector<int> mesh_bits_;
  std::vector<std::uint64_t> parts_;  // of each array axis, so far
  std::vector<Forms> left_;           // of each array axis: what stays in memory
  std::vector<std::vector<std::optional<Form>>> position_;  // of each mesh axis, top bit first
};

}  // namespace faro::inline v1::layouts
