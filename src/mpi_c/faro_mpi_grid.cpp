// Placements on any number of ranks, from C.
#include <algorithm>
#include <string>
#include <vector>

#include "c/guard.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "faro/mpi_c/faro_mpi.h"
#include "mpi/communicator.hpp"

struct faro_mpi_grid {
  faro::MpiGridPlan plan;
  std::string description;
};

using faro::c::flag;
using faro::c::guarded;
using faro::c::need;
using faro::c::taken;

extern "C" {

faro_status faro_mpi_grid_create(MPI_Comm communicator, const char* words, const uint64_t* shape,
                                 size_t axes, const faro_mpi_grid_options* options,
                                 faro_mpi_grid** grid) {
  return guarded([&] {
    const faro::mpi::Communicator ranks(communicator);
    faro_mpi_grid_options all = FARO_MPI_GRID_OPTIONS;
    faro::MpiGridOptions how;
    // One rank's NULL is everybody's error.
    ranks.agree({}, "argument", [&] {
      need("faro_mpi_grid_create", "words shape grid", words, shape, grid);
      if (options != nullptr) all = taken(*options, all);
      how.relabel =
          flag("relabelled", all.relabelled) ? faro::Relabel::least : faro::Relabel::never;
      how.buffer_bytes = all.buffer_bytes;
    });
    faro::MpiGridPlan made(communicator, words, std::vector<std::uint64_t>(shape, shape + axes),
                           all.element_bytes, how);
    std::string description = made.move().describe();
    *grid = new faro_mpi_grid{std::move(made), std::move(description)};
  });
}

faro_status faro_mpi_grid_get_cost(const faro_mpi_grid* grid, faro_mpi_grid_cost* cost) {
  return guarded([&] {
    need("faro_mpi_grid_get_cost", "grid cost", grid, cost);
    const faro::GridMoveFacts& facts = grid->plan.move().facts();
    faro_mpi_grid_cost all = taken(*cost, FARO_MPI_GRID_COST);
    const size_t size = cost->struct_size;
    all.struct_size = size;
    all.exact = facts.relabelled == faro::GridMoveFacts::Relabelled::exactly ? 1 : 0;
    all.ranks = facts.ranks;
    all.bytes = facts.bytes;
    all.kept_bytes = facts.kept_bytes;
    all.moved_bytes = facts.moved_bytes;
    all.most_received_bytes = facts.most_received_bytes;
    all.kept_bytes_at_most = facts.kept_bytes_at_most;
    all.from_bytes = grid->plan.from_bytes();
    all.to_bytes = grid->plan.to_bytes();
    std::memcpy(cost, &all, std::min(sizeof all, size));
  });
}

faro_status faro_mpi_grid_get_shapes(const faro_mpi_grid* grid, uint64_t rank, uint64_t* from_shape,
                                     uint64_t* to_shape, size_t axes) {
  return guarded([&] {
    need("faro_mpi_grid_get_shapes", "grid", grid);
    const faro::GridMove& move = grid->plan.move();
    const std::size_t wanted = move.from().axes().size();
    if (axes != wanted)
      throw faro::Error(faro::ErrorCode::usage, "room for " + std::to_string(axes) +
                                                    " lengths; the array has " +
                                                    std::to_string(wanted) + " axes");
    const auto put = [&](uint64_t* lengths, bool before) {
      if (lengths == nullptr) return;
      std::fill_n(lengths, axes, std::uint64_t{0});
      if (rank >= move.facts().ranks) return;
      const auto shape = before ? move.from_shape(rank) : move.to_shape(rank);
      std::copy(shape.begin(), shape.end(), lengths);
    };
    put(from_shape, true);
    put(to_shape, false);
  });
}

const char* faro_mpi_grid_describe(const faro_mpi_grid* grid) {
  return grid == nullptr ? "" : grid->description.c_str();
}

uint64_t faro_mpi_grid_relabelled(const faro_mpi_grid* grid, uint64_t rank) {
  if (grid == nullptr || rank >= grid->plan.move().facts().ranks) return rank;
  return grid->plan.move().relabelling()[rank];
}

faro_status faro_mpi_grid_execute(faro_mpi_grid* grid, const void* from, size_t from_bytes,
                                  void* to, size_t to_bytes) {
  return guarded([&] {
    need("faro_mpi_grid_execute", "grid", grid);
    grid->plan.execute({static_cast<const std::byte*>(from), from_bytes},
                       {static_cast<std::byte*>(to), to_bytes});
  });
}

void faro_mpi_grid_free(faro_mpi_grid* grid) {
  delete grid;
}

}  // extern "C"
