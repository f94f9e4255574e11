// XLA's HloSharding, all three forms.
//
//   {devices=[2,2]0,2,1,3}                   V1: tile t, in C order, lies on the t-th device listed
//   {devices=[2,1,4]<=[4,2]T(1,0)}           V2: the list is iota(8).reshape(4,2).transpose(1,0)
//   {mesh['a'=2,'b'=4], [{'a'}, {'b'}]}      named: as Shardy
//
// Axis d is cut in pieces of ceil(N_d / T_d). A last tile dimension behind those of the array's
// axes (last_tile_dim_replicate, last_tile_dims={replicated}) numbers copies.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "layouts/axis_lists.hpp"
#include "layouts/deal_words.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

std::uint64_t product_of(const std::vector<std::uint64_t>& factors) {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) product = size_product(product, factor, "devices");
  return product;
}

void read_iota(Scanner& in, XlaTiles& tiles) {
  tiles.reshape = in.numbers("[", "]");
  if (tiles.reshape.empty()) in.fail("wanted the iota's shape, as in <=[4,2]");
  if (!in.accept("T")) {
    for (std::size_t k = 0; k < tiles.reshape.size(); ++k) tiles.transpose.push_back(k);
    return;
  }
  const std::size_t at = in.at();
  tiles.transpose = in.numbers("(", ")");
  std::vector<std::uint64_t> sorted = tiles.transpose;
  std::sort(sorted.begin(), sorted.end());
  bool permutes = sorted.size() == tiles.reshape.size();
  for (std::size_t k = 0; permutes && k < sorted.size(); ++k) permutes = sorted[k] == k;
  if (!permutes)
    in.fail_at(at,
               fmt::format("T({}) is no permutation of the {} dimensions of [{}]",
                           fmt::join(tiles.transpose, ","), tiles.reshape.size(),
                           fmt::join(tiles.reshape, ",")),
               NotationFault::range);
}

void read_list(Scanner& in, XlaTiles& tiles, std::uint64_t devices) {
  while (in.number_is_next()) {
    if (tiles.list.size() == devices) in.fail("more devices than tiles");
    tiles.list.push_back(in.number());
    if (!in.accept(",")) break;
  }
  if (tiles.list.size() != devices)
    in.fail(fmt::format("{} devices are listed, the tiles are {}", tiles.list.size(), devices));
}

void read_last_dims(Scanner& in, XlaTiles& tiles) {
  if (in.accept("last_tile_dim_replicate")) {
    tiles.copies = 1;
  } else if (in.accept("last_tile_dims")) {
    in.expect("=");
    in.expect("{");
    while (!in.accept("}")) {
      if (tiles.copies > 0) in.expect(",");
      const std::size_t at = in.at();
      const std::string kind = in.name();
      if (kind == "manual")
        in.refuse(LayoutFault::manual,
                  "{manual}: each device holds what its program says; there is no array to place");
      if (kind == "unreduced")
        in.refuse(LayoutFault::partial, "unreduced: the values must be added; faro moves data");
      if (kind != "replicated") in.fail_at(at, "wanted replicated, manual or unreduced");
      ++tiles.copies;
    }
  }
  if (tiles.copies > tiles.dims.size()) in.fail("more last tile dimensions than tile dimensions");
}

// iota(N).reshape(R).transpose(perm), read at the flat position.
Forms iota_devices(const Forms& positions, const XlaTiles& tiles, const Scanner& in) {
  std::vector<Forms> by_dimension(tiles.reshape.size());
  auto next = positions.begin();
  for (const std::uint64_t from : tiles.transpose) {
    const int width = log2_or_refuse(tiles.reshape[from], "an iota dimension is", in);
    by_dimension[from].assign(next, next + width);
    next += width;
  }
  return joined(by_dimension);
}

void read_metadata(Scanner& in) {
  if (!in.accept("metadata")) return;
  in.expect("=");
  in.expect("{");
  for (int depth = 1; depth > 0;) {
    if (in.done()) in.fail("wanted '}'");
    if (in.accept("{")) {
      ++depth;
    } else if (in.accept("}")) {
      --depth;
    } else if (in.next_is("\"")) {
      in.quoted();
    } else {
      in.go_to(in.at() + 1);
    }
  }
}

}  // namespace

XlaTiles read_xla_tiles(Scanner& in) {
  XlaTiles tiles;
  const std::size_t at = in.at();
  tiles.dims = in.numbers("[", "]");
  if (std::find(tiles.dims.begin(), tiles.dims.end(), 0U) != tiles.dims.end())
    in.fail_at(at, "a tile dimension of 0");
  const std::uint64_t devices = product_of(tiles.dims);
  if (in.accept("<=")) {
    read_iota(in, tiles);
    if (product_of(tiles.reshape) != devices)
      in.fail_at(at,
                 fmt::format("[{}] has {} devices, [{}] {}", fmt::join(tiles.dims, ","), devices,
                             fmt::join(tiles.reshape, ","), product_of(tiles.reshape)),
                 NotationFault::size);
  } else {
    read_list(in, tiles, devices);
  }
  read_last_dims(in, tiles);
  in.accept(",");
  read_metadata(in);
  in.expect("}");
  in.expect_end();
  return tiles;
}

namespace {

ForeignLayout tiled(Scanner& in, const ForeignSizes& sizes) {
  const XlaTiles tiles = read_xla_tiles(in);
  const std::uint64_t devices = product_of(tiles.dims);
  const std::size_t rank = tiles.dims.size() - tiles.copies;
  const Shape shape = shape_of(sizes, in, rank);
  for (std::size_t d = 0; d < rank; ++d)
    if (shape[d] % tiles.dims[d] != 0) refuse_uneven(d, shape[d], tiles.dims[d], "devices", in);
  log2_or_refuse(devices, "the number of devices is", in);
  const std::vector<Forms> axes = axis_bits(shape, in);
  Forms positions;
  Forms memory;
  int index_bits = bits_of(shape);
  for (std::size_t d = 0; d < rank; ++d) {
    const int cut = log2_or_refuse(tiles.dims[d], "a tile dimension is", in);
    positions.insert(positions.end(), axes[d].begin(), axes[d].begin() + cut);
    memory.insert(memory.end(), axes[d].begin() + cut, axes[d].end());
  }
  int replica_bits = 0;
  for (std::size_t d = rank; d < tiles.dims.size(); ++d)
    replica_bits += log2_or_refuse(tiles.dims[d], "a tile dimension is", in);
  if (index_bits + replica_bits > word_bits)
    throw Error(ErrorCode::limit, "xla: more than 2^64 elements with their copies");
  append(positions, source_bits(index_bits, replica_bits));
  const Forms device = tiles.reshape.empty() ? devices_at(positions, tiles.list, in)
                                             : iota_devices(positions, tiles, in);
  return placed(device, memory, replica_bits, shape, in);
}

// Every device holds all; their number is not in the words.
ForeignLayout replicated(Scanner& in, const ForeignSizes& sizes) {
  read_metadata(in);
  in.expect("}");
  in.expect_end();
  const Shape shape = shape_of(sizes, in);
  const Forms memory = joined(axis_bits(shape, in));
  const int copies =
      sizes.devices ? log2_or_refuse(*sizes.devices, "the number of devices is", in) : 0;
  if (static_cast<int>(memory.size()) + copies > word_bits)
    throw Error(ErrorCode::limit, "xla: more than 2^64 elements with their copies");
  return placed(source_bits(static_cast<int>(memory.size()), copies), memory, copies, shape, in);
}

// One device holds all: a map only where there is no other.
ForeignLayout maximal(Scanner& in, const ForeignSizes& sizes) {
  in.expect("device");
  in.expect("=");
  const std::uint64_t device = in.number();
  if (!sizes.devices || *sizes.devices != 1 || device != 0)
    in.refuse(LayoutFault::uneven,
              fmt::format("{{maximal device={0}}}: device {0} holds all elements and every other "
                          "device none; a map gives all devices as many",
                          device));
  return replicated(in, sizes);
}

ForeignLayout named(Scanner& in, const ForeignSizes& sizes) {
  Mesh mesh;
  mesh.axes = read_mesh_axes(in);
  if (in.accept(",") && in.accept("device_ids")) {
    in.expect("=");
    const bool wrapped = in.accept("(");
    if (wrapped && in.next_is("[")) {
      XlaTiles tiles;
      read_iota(in, tiles);
      const std::uint64_t devices = product_of(tiles.reshape);
      const int bits = log2_or_refuse(devices, "the number of devices is", in);
      if (devices != mesh.size()) in.fail("device_ids do not fit the mesh");
      if (bits > limits::layout_read_devices_log2_max)
        in.fail_at(in.at(),
                   fmt::format("device_ids of more than 2^{} devices",
                               limits::layout_read_devices_log2_max),
                   NotationFault::limit);
      // As a list: position t -> iota.reshape.transpose at t.
      const Forms forms = iota_devices(source_bits(0, bits), tiles, in);
      for (Word t = 0; t < devices; ++t) {
        std::uint64_t device = 0;
        for (const Form& form : forms) device = 2 * device + parity(form.mask & t);
        mesh.devices.push_back(device);
      }
      in.expect(")");
    } else {
      do {
        mesh.devices.push_back(in.number());
      } while (in.accept(","));
      if (wrapped) in.expect(")");
    }
    in.expect(",");
  }
  ForeignLayout layout = read_dimensions(in, mesh, sizes);
  in.expect("}");
  in.expect_end();
  return layout;
}

}  // namespace

ForeignLayout read_xla(Scanner& in, const ForeignSizes& sizes) {
  in.accept("sharding=");
  in.expect("{");
  if (in.accept("devices")) {
    in.expect("=");
    return tiled(in, sizes);
  }
  if (in.accept("mesh")) return named(in, sizes);
  if (in.accept("replicated")) return replicated(in, sizes);
  if (in.accept("maximal")) return maximal(in, sizes);
  if (in.accept("manual"))
    in.refuse(LayoutFault::manual,
              "{manual}: each device holds what its program says; there is no array to place");
  if (in.accept("unreduced"))
    in.refuse(LayoutFault::partial, "{unreduced}: the values must be added; faro moves data");
  if (in.accept("unknown"))
    in.refuse(LayoutFault::unknown, "{unknown}: XLA itself does not say where the data is");
  if (in.next_is("{"))
    in.refuse(LayoutFault::unknown,
              "a tuple of shardings places several arrays; read them one by one");
  in.fail("wanted devices=[...], mesh[...], replicated, maximal, manual, unreduced or unknown");
}

}  // namespace faro::inline v1::layouts
