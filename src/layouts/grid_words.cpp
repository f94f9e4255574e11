#include "layouts/grid_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "faro/base/count.hpp"
#include "layouts/axis_lists.hpp"
#include "layouts/deal_words.hpp"

namespace faro::inline v1::layouts {
namespace {

std::vector<std::uint64_t> sides(const Mesh& mesh) {
  std::vector<std::uint64_t> grid;
  for (const MeshAxis& axis : mesh.axes) grid.push_back(axis.size);
  return grid;
}

GridOrder order_of(const Mesh& mesh, const Scanner& in) {
  if (!mesh.devices.empty() && mesh.devices.size() != mesh.size())
    in.fail_at(
        0, fmt::format("{} devices are listed, the mesh has {}", mesh.devices.size(), mesh.size()),
        NotationFault::size);
  return {mesh.devices, {}};
}

GridPlacement grid_of_jax(Scanner& in, const Shape& shape) {
  const JaxWords words = read_jax_words(in);
  if (words.entries.size() > shape.size())
    in.fail_at(0,
               fmt::format("the spec speaks of {} axes, and the shape is {}", words.entries.size(),
                           shape_text(shape)),
               NotationFault::size);
  std::vector<bool> used(words.mesh.axes.size());
  std::vector<GridAxis> axes;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    GridAxis axis;
    if (a < words.entries.size()) axis.over = words.entries[a];
    std::uint64_t parts = 1;
    for (const std::size_t m : axis.over) {
      if (used[m])
        in.fail_at(0, fmt::format("mesh axis '{}' cuts twice", words.mesh.axes[m].name),
                   NotationFault::name);
      used[m] = true;
      parts = size_product(parts, words.mesh.axes[m].size, "devices");
    }
    if (shape[a] % parts != 0) refuse_uneven(a, shape[a], parts, "devices", in);
    axis.deal = AxisDeal::block(shape[a], parts);
    axes.push_back(std::move(axis));
  }
  return {sides(words.mesh), std::move(axes), order_of(words.mesh, in)};
}

// What is cut again is a list.
constexpr std::uint64_t strided_pieces_max = std::uint64_t{1} << 24U;

// What the cuts so far made of an axis: of every part the pieces of its local tensor.
using LocalPieces = std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>>;

// torch.chunk: blocks of the length over their number, rounded up. A strided cut has `factor` such
// blocks first; part r is the r-th block of each, glued.
//
//   9 over 4, factor 2:   0 1 2 3 4 and 5 6 7 8   ->   0 1 5 | 2 3 6 | 4 7 | 8
LocalPieces cut_again(const LocalPieces& parts, std::uint64_t ranks, std::uint64_t factor) {
  LocalPieces result;
  for (const auto& pieces : parts) {
    std::uint64_t length = 0;
    for (const auto& [begin, end] : pieces) length += end - begin;
    const auto share = [](std::uint64_t all, std::uint64_t over) {
      return std::max<std::uint64_t>(1, (all + over - 1) / over);
    };
    const std::uint64_t outer = share(length, factor);
    const auto between = [&](std::uint64_t first, std::uint64_t last, auto& part) {
      std::uint64_t at = 0;
      for (const auto& piece : pieces) {
        const std::uint64_t size = piece.second - piece.first;
        const std::uint64_t b = std::max(first, at);
        const std::uint64_t e = std::min(last, at + size);
        if (b < e) part.emplace_back(piece.first + (b - at), piece.first + (e - at));
        at += size;
      }
    };
    for (std::uint64_t r = 0; r < ranks; ++r) {
      result.emplace_back();
      for (std::uint64_t k = 0; k < factor && k * outer < length; ++k) {
        const std::uint64_t begin = k * outer;
        const std::uint64_t end = std::min(length, begin + outer);
        const std::uint64_t block = share(end - begin, ranks);
        const std::uint64_t first = std::min(end, begin + (r * block));
        between(first, std::min(end, first + block), result.back());
      }
    }
  }
  return result;
}

GridPlacement grid_of_dtensor(Scanner& in, const Shape& shape) {
  const DTensorWords words = read_dtensor_words(in, shape.size());
  const GridOrder order = order_of(words.mesh, in);
  std::vector<GridAxis> axes(shape.size());
  std::vector<std::vector<std::uint64_t>> factors(shape.size());
  for (const std::size_t m : words.order) {
    if (!words.cuts[m].axis) continue;
    const std::size_t a = *words.cuts[m].axis;
    axes[a].over.push_back(m);
    factors[a].push_back(words.cuts[m].split_factor);
  }
  static_cast<void>(GridPlacement(sides(words.mesh), {}));  // refuses more ranks than there can be
  for (std::size_t a = 0; a < shape.size(); ++a) {
    GridAxis& axis = axes[a];
    if (axis.over.size() < 2 && (factors[a].empty() || factors[a][0] == 1)) {
      axis.deal =
          AxisDeal::block(shape[a], axis.over.empty() ? 1 : words.mesh.axes[axis.over[0]].size);
      continue;
    }
    LocalPieces parts = {{{0, shape[a]}}};
    for (std::size_t k = 0; k < axis.over.size(); ++k) {
      const std::uint64_t ranks = words.mesh.axes[axis.over[k]].size;
      const std::uint64_t factor = std::min(factors[a][k], shape[a]);
      if (size_product(parts.size() * ranks, factor, "pieces") > strided_pieces_max)
        throw Error(ErrorCode::limit,
                    fmt::format("axis {}: {} pieces at most are cut, and a split factor of {} "
                                "makes more of {} parts",
                                a, strided_pieces_max, factors[a][k], parts.size() * ranks));
      parts = cut_again(parts, ranks, factor);
    }
    std::vector<AxisPiece> pieces;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      std::uint64_t local = 0;
      for (const auto& [begin, end] : parts[part]) {
        pieces.push_back({begin, end, part, local});
        local += end - begin;
      }
    }
    axis.deal = AxisDeal::of_pieces(shape[a], parts.size(), std::move(pieces));
  }
  return {sides(words.mesh), std::move(axes), order};
}

AxisDeal deal_of(const Distribution& d, std::size_t axis, std::uint64_t length, std::uint64_t parts,
                 const Scanner& in) {
  switch (d.kind) {
    case Distribution::Kind::whole:
      break;
    case Distribution::Kind::listed:
      if (d.sizes.size() != parts)
        in.fail_at(0,
                   fmt::format("axis {}: {} sizes for {} processors", axis, d.sizes.size(), parts),
                   NotationFault::size);
      return AxisDeal::listed(length, d.sizes);
    case Distribution::Kind::cyclic:
      return AxisDeal::cyclic(length, parts, d.size.value_or(1));
    case Distribution::Kind::block: {
      if (!d.size) return AxisDeal::block(length, parts);
      if (*d.size < (length + parts - 1) / parts)
        in.refuse(LayoutFault::uneven,
                  fmt::format("axis {}: {} blocks of {} do not hold {} elements", axis, parts,
                              *d.size, length));
      return AxisDeal::cyclic(length, parts, *d.size);
    }
  }
  return AxisDeal::whole(length);
}

GridPlacement grid_of_hpf(Scanner& in, const Shape& given) {
  const HpfWords words = read_hpf_words(in);
  const Shape shape = shape_of({given, {}, {}}, in, words.axes.size());
  std::vector<GridAxis> axes;
  std::size_t next = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    GridAxis axis{AxisDeal::whole(shape[a]), {}};
    if (words.axes[a].kind != Distribution::Kind::whole) {
      axis.deal = deal_of(words.axes[a], a, shape[a], words.grid[next], in);
      axis.over = {next++};
    }
    axes.push_back(std::move(axis));
  }
  if (next != words.grid.size())
    in.fail_at(words.grid_at, "more processor axes than distributed ones");
  GridOrder order;
  if (words.fortran)
    for (std::size_t a = shape.size(); a-- > 0;) order.memory_order.push_back(a);
  return {words.grid, std::move(axes), order};
}

GridPlacement grid_of_scalapack(Scanner& in, const Shape& shape) {
  const ScalapackWords d = read_scalapack_words(in, shape);
  const Shape said = {d.m, d.n};
  if (!shape.empty() && shape != said)
    in.fail_at(0,
               fmt::format("the descriptor says {}, and the shape is {}", shape_text(said),
                           shape_text(shape)),
               NotationFault::size);
  const AxisDeal rows = AxisDeal::cyclic(d.m, d.grid_rows, d.mb, d.rsrc);
  const AxisDeal columns = AxisDeal::cyclic(d.n, d.grid_columns, d.nb, d.csrc);
  const GridOrder order{{}, {1, 0}};
  if (d.row_major) return {{d.grid_rows, d.grid_columns}, {{rows, {0}}, {columns, {1}}}, order};
  return {{d.grid_columns, d.grid_rows}, {{rows, {1}}, {columns, {0}}}, order};
}

// iota(N).reshape(R).transpose(T), flat.
std::vector<std::uint64_t> iota_list(const XlaTiles& tiles) {
  const std::size_t dims = tiles.reshape.size();
  std::vector<std::uint64_t> stride(dims, 1);
  for (std::size_t d = dims; d-- > 1;) stride[d - 1] = stride[d] * tiles.reshape[d];
  std::vector<std::uint64_t> at(dims);
  std::vector<std::uint64_t> list;
  while (true) {
    std::uint64_t device = 0;
    for (std::size_t d = 0; d < dims; ++d) device += at[d] * stride[tiles.transpose[d]];
    list.push_back(device);
    std::size_t d = dims;
    while (d > 0 && ++at[d - 1] == tiles.reshape[tiles.transpose[d - 1]]) at[--d] = 0;
    if (d == 0) return list;
  }
}

// Pieces of the length over the tiles, rounded up; what XLA pads behind the end is no element.
GridPlacement grid_of_xla(Scanner& in, const Shape& given) {
  in.accept("sharding=");
  in.expect("{");
  if (!in.accept("devices"))
    in.fail("of arrays of any lengths {devices=[...]} is read, as in {devices=[3,4]<=[12]}");
  in.expect("=");
  const XlaTiles tiles = read_xla_tiles(in);
  const std::size_t rank = tiles.dims.size() - tiles.copies;
  const Shape shape = shape_of({given, {}, {}}, in, rank);
  static_cast<void>(GridPlacement(tiles.dims, {}));  // refuses more ranks than there can be
  std::vector<GridAxis> axes;
  for (std::size_t a = 0; a < rank; ++a)
    axes.push_back({AxisDeal::block(shape[a], tiles.dims[a]), {a}});
  return {tiles.dims, std::move(axes), {tiles.reshape.empty() ? tiles.list : iota_list(tiles), {}}};
}

struct RankSystem {
  const char* name;
  GridPlacement (*read)(Scanner&, const Shape&);
};
constexpr std::array<RankSystem, 5> rank_systems = {{{"jax", grid_of_jax},
                                                     {"xla", grid_of_xla},
                                                     {"dtensor", grid_of_dtensor},
                                                     {"hpf", grid_of_hpf},
                                                     {"scalapack", grid_of_scalapack}}};

struct RankWords {
  const RankSystem* system = nullptr;
  std::size_t begin = 0;
};

RankWords rank_words(std::string_view text) {
  std::size_t at = text.find_first_not_of(" \t\n\r");
  if (at == std::string_view::npos) return {};
  const std::size_t colon = text.find(':', at);
  if (colon == std::string_view::npos) return {};
  std::string_view name = text.substr(at, colon - at);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (name == "torch") name = "dtensor";
  if (name == "hlo") name = "xla";
  for (const RankSystem& system : rank_systems)
    if (name == system.name) return {&system, colon + 1};
  return {};
}

}  // namespace
}  // namespace faro::inline v1::layouts

namespace faro::inline v1 {

bool places_on_ranks(std::string_view text) {
  return layouts::rank_words(text).system != nullptr;
}

GridPlacement read_grid_placement(std::string_view text, const std::vector<std::uint64_t>& shape) {
  const layouts::RankWords words = layouts::rank_words(text);
  if (words.system == nullptr)
    throw NotationError(
        NotationFault::name, 0,
        "a placement on ranks is in the words of jax, xla, dtensor, hpf or scalapack, as "
        "in 'hpf:DISTRIBUTE A(BLOCK, *) ONTO P(3)'",
        text);
  layouts::Scanner in(text, words.begin, words.system->name);
  for (const std::uint64_t side : shape)
    if (side == 0) in.fail_at(0, "an axis of length 0", NotationFault::size);
  return words.system->read(in, shape);
}

}  // namespace faro::inline v1
