// What systems of ranks say, before it is asked whether lengths are powers of two: read once, for
// placements of bits (foreign.hpp) and for those of any lengths (grid_words.hpp).
#pragma once

#include <optional>
#include <vector>

#include "layouts/mesh.hpp"

namespace faro::inline v1::layouts {

// A placement of DTensor for one mesh dimension.
struct DTensorCut {
  std::optional<std::size_t> axis;  // nothing: Replicate
  std::uint64_t split_factor = 1;
};

struct DTensorWords {
  Mesh mesh;
  std::vector<DTensorCut> cuts;
  std::vector<std::size_t> order;  // of mesh dimensions, as they cut
};
DTensorWords read_dtensor_words(Scanner& in, std::size_t axes);

struct Distribution {
  enum class Kind { whole, block, cyclic, listed } kind = Kind::whole;
  std::optional<std::uint64_t> size;
  std::vector<std::uint64_t> sizes;  // GEN_BLOCK
};

struct HpfWords {
  std::vector<Distribution> axes;
  std::vector<std::uint64_t> grid;
  std::size_t grid_at = 0;  // where it stands
  bool fortran = false;
};
HpfWords read_hpf_words(Scanner& in);

struct ScalapackWords {
  std::uint64_t m = 0, n = 0, mb = 0, nb = 0, rsrc = 0, csrc = 0;
  std::uint64_t grid_rows = 0, grid_columns = 0;
  bool row_major = true;
};
ScalapackWords read_scalapack_words(Scanner& in, const Shape& shape);

// HloSharding's tiles, behind "{devices=".
struct XlaTiles {
  std::vector<std::uint64_t> dims;
  std::vector<std::uint64_t> list;     // V1
  std::vector<std::uint64_t> reshape;  // V2
  std::vector<std::uint64_t> transpose;
  std::size_t copies = 0;  // of the last dims
};
XlaTiles read_xla_tiles(Scanner& in);

}  // namespace faro::inline v1::layouts
