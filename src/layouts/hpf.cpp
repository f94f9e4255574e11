// High Performance Fortran, ScaLAPACK and chunk grids: blocks dealt over a grid.
//
//   hpf:DISTRIBUTE A(BLOCK, CYCLIC) ONTO P(2,4)          p = j div ceil(N/P); p = j mod P
//   hpf:DISTRIBUTE A(CYCLIC(2)) ONTO P(4)                p = (j div 2) mod P
//   scalapack:M=8 N=8 MB=2 NB=2 RSRC=0 CSRC=0 grid=2x2 order=R
//   zarr:chunks (4,2)                                    the chunk grid and each chunk in C order
//
// The processor grid is in C order. Index and memory are in C order, in HPF with `order=F` memory
// in Fortran's; ScaLAPACK's local arrays are column-major.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/count.hpp"
#include "layouts/deal_words.hpp"
#include "layouts/mesh.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

// One axis dealt in blocks of 2^block over 2^parts: p = (j div block) mod parts.
struct Dealt {
  Forms processor;
  Forms memory;
};

Dealt dealt(const Forms& axis, int block, int parts) {
  const auto top = static_cast<std::ptrdiff_t>(axis.size()) - block - parts;
  Dealt result;
  result.processor.assign(axis.begin() + top, axis.begin() + top + parts);
  result.memory.assign(axis.begin(), axis.begin() + top);
  result.memory.insert(result.memory.end(), axis.begin() + top + parts, axis.end());
  return result;
}

Distribution read_distribution(Scanner& in) {
  Distribution d;
  if (in.accept("*")) return d;
  if (in.accept("GEN_BLOCK") || in.accept("gen_block")) {
    d.kind = Distribution::Kind::listed;
    d.sizes = in.numbers("(", ")");
    return d;
  }
  if (in.accept("BLOCK") || in.accept("block")) {
    d.kind = Distribution::Kind::block;
  } else if (in.accept("CYCLIC") || in.accept("cyclic")) {
    d.kind = Distribution::Kind::cyclic;
  } else {
    in.fail("wanted BLOCK, BLOCK(n), CYCLIC, CYCLIC(n), GEN_BLOCK(n, ..) or *");
  }
  if (in.accept("(")) {
    d.size = in.number();
    if (*d.size == 0) in.fail("blocks of 0 elements");
    in.expect(")");
  }
  return d;
}

Dealt deal(const Distribution& d, std::size_t axis, std::uint64_t length, std::uint64_t parts,
           const Forms& bits, const Scanner& in) {
  std::uint64_t block = d.size.value_or(1);
  if (d.kind == Distribution::Kind::listed) {
    // Equal sizes are those of BLOCK.
    for (const std::uint64_t size : d.sizes)
      if (d.sizes.size() != parts || size != length / parts || length % parts != 0)
        in.refuse(LayoutFault::uneven,
                  fmt::format("axis {} of {} in blocks that are listed, other than {} equal ones",
                              axis, length, parts));
    block = length / parts;
  }
  if (d.kind == Distribution::Kind::block) {
    block = d.size.value_or((length + parts - 1) / parts);
    if (size_product(block, parts, "elements") < length)
      in.refuse(LayoutFault::uneven, fmt::format("axis {}: {} blocks of {} do not hold {} elements",
                                                 axis, parts, block, length));
    if (block * parts != length) refuse_uneven(axis, length, parts, "processors", in);
  }
  if (length % size_product(block, parts, "elements") != 0)
    refuse_uneven(axis, length, block * parts, "shares", in);
  log2_or_refuse(length, fmt::format("axis {} has", axis), in);
  return dealt(bits, log2_or_refuse(block, "a block has", in),
               log2_or_refuse(parts, fmt::format("processor axis {} has", axis), in));
}

}  // namespace

HpfWords read_hpf_words(Scanner& in) {
  HpfWords words;
  in.accept("!HPF$");
  if (in.next_is("ALIGN")) in.refuse(LayoutFault::adds, "ALIGN with an offset adds to an index");
  if (!in.accept("DISTRIBUTE")) in.accept("distribute");
  in.name();
  in.expect("(");
  while (!in.accept(")")) {
    if (!words.axes.empty()) in.expect(",");
    words.axes.push_back(read_distribution(in));
  }
  if (!in.accept("ONTO")) in.expect("onto");
  if (in.name_is_next()) in.name();
  words.grid_at = in.at();
  words.grid = in.numbers("(", ")");
  if (in.accept(",") || in.next_is("order")) {
    in.expect("order=");
    words.fortran = in.accept("F");
    if (!words.fortran) in.expect("C");
  }
  in.expect_end();
  std::size_t dealt_axes = 0;
  for (const Distribution& d : words.axes)
    dealt_axes += d.kind == Distribution::Kind::whole ? 0U : 1U;
  if (dealt_axes > words.grid.size())
    in.fail_at(words.grid_at, "fewer processor axes than distributed ones");
  for (std::size_t k = 0; k < dealt_axes; ++k)
    if (words.grid[k] == 0) in.fail_at(words.grid_at, "a grid of 0 processors");
  return words;
}

ForeignLayout read_hpf(Scanner& in, const ForeignSizes& sizes) {
  const auto [axes, grid, at, fortran] = read_hpf_words(in);
  const Shape shape = shape_of(sizes, in, axes.size());
  std::vector<Forms> processor;
  std::vector<Forms> memory;
  std::size_t next = 0;
  // Shares are looked at before lengths: HPF itself takes any length.
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].kind == Distribution::Kind::whole) continue;
    if (!is_power_of_two(shape[d])) deal(axes[d], d, shape[d], grid[next], {}, in);
    ++next;
  }
  if (next != grid.size()) in.fail_at(at, "more processor axes than distributed ones");
  const std::vector<Forms> bits = axis_bits(shape, in);
  next = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].kind == Distribution::Kind::whole) {
      memory.push_back(bits[d]);
      continue;
    }
    const Dealt part = deal(axes[d], d, shape[d], grid[next++], bits[d], in);
    processor.push_back(part.processor);
    memory.push_back(part.memory);
  }
  if (fortran) std::reverse(memory.begin(), memory.end());
  return placed(joined(processor), joined(memory), 0, shape, in);
}

namespace {

void read_field(Scanner& in, ScalapackWords& d) {
  const std::size_t at = in.at();
  const std::string name = in.name();
  in.expect("=");
  if (name == "order") {
    d.row_major = in.accept("R");
    if (!d.row_major) in.expect("C");
    return;
  }
  if (name == "grid") {
    d.grid_rows = in.number();
    const std::string by = in.name();
    if (by != "x") {
      // "2x4" is read as 2 and the name x4.
      if (by.size() < 2 || by.size() > 8 || by[0] != 'x' ||
          by.find_first_not_of("0123456789", 1) != std::string::npos)
        in.fail_at(at, "wanted grid=2x4");
      d.grid_columns = std::stoull(by.substr(1));
    } else {
      d.grid_columns = in.number();
    }
    return;
  }
  const std::uint64_t value = in.number();
  if (name == "M")
    d.m = value;
  else if (name == "N")
    d.n = value;
  else if (name == "MB")
    d.mb = value;
  else if (name == "NB")
    d.nb = value;
  else if (name == "RSRC")
    d.rsrc = value;
  else if (name == "CSRC")
    d.csrc = value;
  else if (name != "DTYPE" && name != "CTXT" && name != "LLD")
    in.fail_at(at, "wanted M, N, MB, NB, RSRC, CSRC, grid or order", NotationFault::name);
}

// p = (source + j div block) mod parts: affine where the sum is one of at most two bits, or adds
// the
// half only.
void shift_processor(Forms& processor, std::uint64_t source, std::size_t axis, const Scanner& in) {
  const std::uint64_t parts = bit(static_cast<int>(processor.size()));
  const std::uint64_t by = source % parts;
  if (by == 0) return;
  const std::uint64_t quarter = std::max<std::uint64_t>(parts / 4, 1);
  if (by % quarter != 0)
    in.refuse(LayoutFault::adds, fmt::format("axis {} begins on process {} of {}: that adds with "
                                             "carries",
                                             axis, by, parts));
  if (2 * by == parts) {
    processor[0].inverted = !processor[0].inverted;
    return;
  }
  processor[0].mask ^= processor[1].mask;
  processor[0].inverted = (processor[0].inverted != processor[1].inverted) != (by == 3 * quarter);
  processor[1].inverted = !processor[1].inverted;
}

}  // namespace

ScalapackWords read_scalapack_words(Scanner& in, const Shape& shape) {
  in.accept("DESC");
  ScalapackWords d;
  if (shape.size() == 2) {
    d.m = shape[0];
    d.n = shape[1];
  }
  while (!in.done()) {
    read_field(in, d);
    in.accept(",");
  }
  if (d.m == 0 || d.n == 0 || d.mb == 0 || d.nb == 0 || d.grid_rows == 0 || d.grid_columns == 0)
    in.fail_at(0, "wanted M, N, MB, NB and grid=PxQ, none of them 0", NotationFault::size);
  if (d.rsrc >= d.grid_rows || d.csrc >= d.grid_columns)
    in.fail_at(0, "RSRC and CSRC are processes of the grid", NotationFault::range);
  return d;
}

ForeignLayout read_scalapack(Scanner& in, const ForeignSizes& sizes) {
  const ScalapackWords d = read_scalapack_words(in, sizes.shape);
  const Shape shape = {d.m, d.n};
  const Distribution rows{Distribution::Kind::cyclic, d.mb, {}};
  const Distribution columns{Distribution::Kind::cyclic, d.nb, {}};
  if (!is_power_of_two(d.m)) deal(rows, 0, d.m, d.grid_rows, {}, in);
  if (!is_power_of_two(d.n)) deal(columns, 1, d.n, d.grid_columns, {}, in);
  const std::vector<Forms> bits = axis_bits(shape, in);
  Dealt r = deal(rows, 0, d.m, d.grid_rows, bits[0], in);
  Dealt c = deal(columns, 1, d.n, d.grid_columns, bits[1], in);
  shift_processor(r.processor, d.rsrc, 0, in);
  shift_processor(c.processor, d.csrc, 1, in);
  const Forms device =
      d.row_major ? joined({r.processor, c.processor}) : joined({c.processor, r.processor});
  return placed(device, joined({c.memory, r.memory}), 0, shape, in);
}

ZarrWords read_zarr_words(Scanner& in) {
  ZarrWords result;
  if (in.accept("shape=")) {
    result.shape = in.numbers("(", ")");
    in.accept(",");
  }
  if (!in.accept("chunks=")) in.accept("chunks");
  result.chunks = in.numbers("(", ")");
  in.expect_end();
  return result;
}

void check_chunks(const Shape& shape, const std::vector<std::uint64_t>& chunks, const Scanner& in) {
  for (std::size_t k = 0; k < chunks.size(); ++k)
    if (chunks[k] == 0 || shape[k] % chunks[k] != 0)
      in.refuse(
          LayoutFault::uneven,
          fmt::format("axis {} of {} in chunks of {}: the last is ragged", k, shape[k], chunks[k]));
}

ForeignLayout read_zarr(Scanner& in, const ForeignSizes& sizes) {
  const auto [stated, chunks] = read_zarr_words(in);
  ForeignSizes known = sizes;
  if (!stated.empty()) known.shape = stated;
  const Shape shape = shape_of(known, in, chunks.size());
  check_chunks(shape, chunks, in);
  const std::vector<Forms> bits = axis_bits(shape, in);
  Forms grid;
  Forms chunk;
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    const Dealt part = dealt(bits[k], log2_or_refuse(chunks[k], "a chunk has", in),
                             log2_exact(shape[k]) - log2_or_refuse(chunks[k], "a chunk has", in));
    append(grid, part.processor);
    append(chunk, part.memory);
  }
  return placed(grid, chunk, 0, shape, in);
}

}  // namespace faro::inline v1::layouts
