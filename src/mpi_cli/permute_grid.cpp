// faro-mpi permute --shape: parts in files, one a rank, from one placement to another on any number
// of ranks.
//
// A part is the array that the placement gives the rank, of any lengths; ranks that a side does not
// have have no file. A .npy file says whether it is in C or in Fortran order, and must lie as the
// placement says: ScaLAPACK's parts are in Fortran order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>

#include "faro/mpi/mpi_plan.hpp"
#include "layouts/foreign.hpp"
#include "mpi_cli/array_files.hpp"
#include "mpi_cli/commands.hpp"

namespace faro::mpi_cli {
namespace {

using Shape = std::vector<std::uint64_t>;

// Of a part's axes in memory; nothing where it is neither.
std::optional<NpyHeader::Order> order_of(const std::vector<std::size_t>& axes, const Shape& shape) {
  // Axes of one element may lie anywhere.
  std::vector<std::size_t> lying;
  for (const std::size_t a : axes)
    if (shape[a] != 1) lying.push_back(a);
  if (std::is_sorted(lying.begin(), lying.end())) return NpyHeader::Order::c;
  if (std::is_sorted(lying.rbegin(), lying.rend())) return NpyHeader::Order::fortran;
  return {};
}

// All ranks have what rank 0's file says: others may have no file.
void share_type(const mpi::Communicator& ranks, NpyHeader& header) {
  std::array<std::uint64_t, 2> sizes{header.element_bytes, header.type.size()};
  mpi::check(MPI_Bcast(sizes.data(), 2, MPI_UINT64_T, 0, ranks.handle()), "MPI_Bcast");
  header.element_bytes = sizes[0];
  header.type.resize(sizes[1]);
  mpi::check(MPI_Bcast(header.type.data(), static_cast<int>(sizes[1]), MPI_CHAR, 0, ranks.handle()),
             "MPI_Bcast");
}

void check_part_file(const ArrayHeader& found, const NpyHeader& wanted, const Shape& shape,
                     const std::vector<std::size_t>& order, const std::string& path) {
  const NpyHeader& npy = found.npy;
  if (npy.type != wanted.type || npy.element_bytes != wanted.element_bytes)
    throw Error(ErrorCode::usage,
                fmt::format("{}: elements of type {}, rank 0 has {}", path, npy.type, wanted.type));
  const std::uint64_t elements =
      std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
  const bool raw = npy.type.empty();
  if (raw ? npy.elements() != elements : npy.shape != shape)
    throw Error(ErrorCode::usage, fmt::format("{}: shape {}; the rank's part has {}", path,
                                              fmt::join(npy.shape, "x"), fmt::join(shape, "x")));
  const auto lies = order_of(order, shape);
  if (raw || elements == 0) return;
  if (!lies || (*lies != npy.order && order_of({order.rbegin(), order.rend()}, shape) != lies))
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: the placement has the part in {} order, the file has another", path,
                    !lies                                ? "neither C nor Fortran"
                    : *lies == NpyHeader::Order::fortran ? "Fortran"
                                                         : "C"));
}

}  // namespace

void add_grid(Report& report, const GridMove& move) {
  const GridMoveFacts& facts = move.facts();
  report["grid"] = Report{{"ranks", facts.ranks},
                          {"bytes", facts.bytes},
                          {"kept_bytes", facts.kept_bytes},
                          {"moved_bytes", facts.moved_bytes},
                          {"most_received_bytes", facts.most_received_bytes},
                          {"relabelled", name_of(facts.relabelled)},
                          {"relabelling", move.relabelling()}};
  report.add_words(move.describe());
  if (facts.relabelled != GridMoveFacts::Relabelled::no)
    report.say("  ranks 0, 1, .. have the parts {}\n", fmt::join(move.relabelling(), ", "));
}

bool permute_grid(const mpi::Communicator& ranks, const PermuteOptions& options) {
  using files::FilePart;
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  const std::string in = of_rank(options.in, ranks.rank());
  const std::string out = of_rank(options.out, ranks.rank());
  ArrayHeader found;
  ranks.agree({}, "option", [&] {
    if (!names_ranks(options.in) || !names_ranks(options.out))
      throw Error(ErrorCode::usage, "--shape moves parts: name a file a rank, as x.%d.npy");
    if (options.in_place || options.verify || options.memory)
      throw Error(ErrorCode::usage, "--in-place, --verify and --memory do not go with --shape");
    if (rank == 0) refuse_mixed_parts(options.in);
    if (rank == 0) found = read_header(in, options.element_bytes, AnyOrder::yes);
  });
  NpyHeader header = found.npy;
  share_type(ranks, header);
  MpiGridOptions how;
  how.relabel = options.relabel ? Relabel::least : Relabel::never;
  Shape shape;
  ranks.agree({}, "option", [&] {
    shape = shape_from(*options.shape);
    how.buffer_bytes = bytes_from(options.buffer);
  });
  MpiGridPlan plan(ranks.handle(), options.map, shape, header.element_bytes, how);
  const GridMove& move = plan.move();
  const bool has_part = rank < move.from().ranks();
  const bool has_result = rank < move.facts().ranks && move.relabelling()[rank] < move.to().ranks();
  std::optional<FilePart> from;
  std::optional<Replacement> target;
  std::vector<std::byte> to;
  std::string front;
  ranks.agree({}, "file", [&] {
    if (has_part) {
      if (rank != 0) found = read_header(in, options.element_bytes, AnyOrder::yes);
      check_part_file(found, header, move.from_shape(rank), move.from().memory_order(), in);
      from.emplace(in, found.start, plan.from_bytes(), FilePart::Access::read,
                   FilePart::Hold::memory);
    }
    if (!has_result) return;
    header.shape = move.to_shape(rank);
    const auto order = order_of(move.to().memory_order(), header.shape);
    if (!header.type.empty()) {
      if (!order)
        throw Error(ErrorCode::usage,
                    "the result lies in neither C nor Fortran order, which .npy cannot say: move "
                    "raw files with --element-bytes");
      header.order = *order;
      front = npy_header_bytes(header);
    }
    target.emplace(out);
    to.resize(plan.to_bytes());
  });
  const double start = MPI_Wtime();
  plan.execute(from ? from->bytes() : std::span<const std::byte>(), to);
  const double seconds = MPI_Wtime() - start;
  ranks.agree({}, "file", [&] {
    if (!target) return;
    target->write(front);
    target->write(to);
  });
  commit_parts(ranks, options.out, target);
  if (ranks.rank() == 0) {
    Report report{{"format", "faro-mpi-permute/1"}, {"out", options.out}};
    add_grid(report, move);
    report["seconds"] = seconds;
    std::cout << (options.json ? report.json() + "\n" : report.words());
  }
  return true;
}

}  // namespace faro::mpi_cli
