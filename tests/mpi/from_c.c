/* The header is C, and a C program links with the shared libraries alone. */
#include <stdio.h>
#include <string.h>

#include "faro/mpi_c/faro_mpi.h"

static int fails(const char* what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, faro_mpi_last_error());
  return 1;
}

/* Bit reversal of 16 numbers on the ranks there are. */
static int perform(const faro_map* map, int rank, int ranks) {
  const int elements = 16 / ranks;
  const size_t bytes = (size_t)elements * sizeof(uint32_t);
  uint32_t from[16], to[16];
  faro_mpi_options options = FARO_MPI_OPTIONS;
  faro_mpi_cost cost = FARO_MPI_COST;
  faro_mpi_plan* plan = NULL;
  faro_mpi_array *shared_from = NULL, *shared_to = NULL;
  const int last = rank == ranks - 1;
  int i;
  options.element_bytes = sizeof(uint32_t);
  for (i = 0; i < elements; ++i) from[i] = (uint32_t)(rank * elements + i);
  /* One rank's mistake is told to all. */
  if (faro_mpi_plan_create(MPI_COMM_WORLD, last ? NULL : map, &options, &plan) != FARO_USAGE ||
      strstr(faro_mpi_last_error(), "NULL") == NULL) {
    return fails("a map that is none");
  }
  if (faro_mpi_plan_create(MPI_COMM_WORLD, map, &options, &plan) != FARO_OK) return fails("create");
  if (faro_mpi_plan_execute(plan, from, last ? NULL : to, bytes) != FARO_USAGE)
    return fails("null");
  if (faro_mpi_plan_execute(plan, from, to, bytes) != FARO_OK) return fails("execute");
  for (i = 0; i < elements; ++i) {
    if (faro_map_apply(map, to[i]) != (uint64_t)(rank * elements + i)) return fails("result");
  }
  if (faro_mpi_plan_verify(plan, from, to, bytes) != FARO_OK) return fails("verify");
  if (last) to[0] ^= 1U;
  if (faro_mpi_plan_verify(plan, from, to, bytes) != FARO_REFUSED) return fails("verify a fault");
  if (faro_mpi_plan_get_cost(plan, &cost) != FARO_OK || cost.local_bytes != bytes ||
      cost.moved_bytes != 64U * (unsigned)(ranks - 1) / (unsigned)ranks) {
    return fails("cost");
  }
  if (faro_mpi_plan_relabelled(plan, 0) != 0 || faro_mpi_plan_describe(plan)[0] == '\0') {
    return fails("words");
  }
  if (faro_mpi_array_create(MPI_COMM_WORLD, bytes, &shared_from) != FARO_OK ||
      faro_mpi_array_create(MPI_COMM_WORLD, bytes, &shared_to) != FARO_OK) {
    return fails("shared arrays");
  }
  memcpy(faro_mpi_array_data(shared_from), from, bytes);
  if (faro_mpi_plan_execute_shared(plan, shared_from, shared_to) != FARO_OK ||
      faro_mpi_plan_verify(plan, from, faro_mpi_array_data(shared_to), bytes) != FARO_OK) {
    return fails("shared");
  }
  faro_mpi_array_free(shared_to);
  faro_mpi_array_free(shared_from);
  faro_mpi_plan_free(plan);
  options.in_place = 1;
  if (faro_mpi_plan_create(MPI_COMM_WORLD, map, &options, &plan) != FARO_OK) return fails("create");
  memcpy(to, from, bytes);
  if (faro_mpi_plan_execute_in_place(plan, to, bytes) != FARO_OK ||
      faro_mpi_plan_verify(plan, from, to, bytes) != FARO_OK) {
    return fails("in place");
  }
  faro_mpi_plan_free(plan);
  return 0;
}

/* Rows of 7 x 5 numbers become columns, rolled by 3, on any number of ranks. */
static int perform_grid(int rank, int ranks) {
  const uint64_t shape[2] = {7, 5};
  const uint64_t rows = 7 / (uint64_t)ranks + (7 % ranks != 0);
  const uint64_t columns = 5 / (uint64_t)ranks + (5 % ranks != 0);
  const uint64_t first_row = rows * (uint64_t)rank, first_column = columns * (uint64_t)rank;
  uint32_t from[35], to[35];
  uint64_t before[2], after[2], i, j;
  char words[100];
  faro_mpi_grid_options options = FARO_MPI_GRID_OPTIONS;
  faro_mpi_grid_cost cost = FARO_MPI_GRID_COST;
  faro_mpi_grid* grid = NULL;
  const int last = rank == ranks - 1;
  sprintf(words, "dtensor:(%d,) [Shard(0)] => r c -> roll(r, 3) c => dtensor:(%d,) [Shard(1)]",
          ranks, ranks);
  options.element_bytes = sizeof(uint32_t);
  if (faro_mpi_grid_create(MPI_COMM_WORLD, last ? NULL : words, shape, 2, &options, &grid) !=
          FARO_USAGE ||
      strstr(faro_mpi_last_error(), "words is NULL") == NULL) {
    return fails("words that are none");
  }
  if (faro_mpi_grid_create(MPI_COMM_WORLD, words, shape, 2, &options, &grid) != FARO_OK)
    return fails("create a grid");
  if (faro_mpi_grid_get_cost(grid, &cost) != FARO_OK || cost.ranks != (uint64_t)ranks ||
      cost.bytes != 140 || cost.kept_bytes + cost.moved_bytes != 140 ||
      (ranks == 1) != (cost.moved_bytes == 0)) {
    return fails("cost of a grid");
  }
  if (faro_mpi_grid_get_shapes(grid, (uint64_t)rank, before, after, 1) != FARO_USAGE ||
      faro_mpi_grid_get_shapes(grid, (uint64_t)rank, before, after, 2) != FARO_OK ||
      before[0] * before[1] * 4 != cost.from_bytes || after[0] * after[1] * 4 != cost.to_bytes ||
      (before[0] > 0 && before[1] != 5) || (after[1] > 0 && after[0] != 7)) {
    return fails("shapes of a grid");
  }
  if (faro_mpi_grid_relabelled(grid, (uint64_t)rank) != (uint64_t)rank ||
      faro_mpi_grid_describe(grid)[0] == '\0') {
    return fails("words of a grid");
  }
  for (i = 0; i < before[0]; ++i)
    for (j = 0; j < 5; ++j) from[i * 5 + j] = (uint32_t)((first_row + i) * 5 + j);
  if (faro_mpi_grid_execute(grid, from, cost.from_bytes + (last ? 4 : 0), to, cost.to_bytes) !=
          FARO_USAGE ||
      faro_mpi_grid_execute(grid, from, cost.from_bytes, to, cost.to_bytes) != FARO_OK) {
    return fails("execute a grid");
  }
  for (i = 0; i < 7; ++i)
    for (j = 0; j < after[1]; ++j) {
      if (to[i * after[1] + j] != (uint32_t)((i + 4) % 7 * 5 + first_column + j))
        return fails("result of a grid");
    }
  faro_mpi_grid_free(grid);
  return 0;
}

int main(int argc, char** argv) {
  const int places[4] = {3, 2, 1, 0};
  faro_map* map = NULL;
  faro_mpi_plan* left = NULL;
  faro_mpi_array* left_array = NULL;
  int rank = 0, ranks = 1, failed = 0, any = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  failed = perform_grid(rank, ranks);
  /* The other plans are for powers of two. */
  if ((ranks & (ranks - 1)) == 0) {
    failed = failed || faro_map_from_places(4, places, 0, &map) != FARO_OK ||
             perform(map, rank, ranks) ||
             faro_mpi_plan_create(MPI_COMM_WORLD, map, NULL, &left) != FARO_OK ||
             faro_mpi_array_create(MPI_COMM_WORLD, 64, &left_array) != FARO_OK;
    faro_map_free(map);
  }
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("%d passed, %d failed\n", any == 0, any != 0);
  MPI_Finalize();
  /* Freed too late, which does no harm. */
  faro_mpi_plan_free(left);
  faro_mpi_array_free(left_array);
  return any;
}
