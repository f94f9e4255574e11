// Arrays on the ranks of an MPI communicator, from C. faro/mpi/mpi_plan.hpp says what is meant;
// maps, statuses and structs are those of faro/c/faro.h.
//
//   faro_mpi_options options = FARO_MPI_OPTIONS;
//   options.element_bytes = 16;
//   faro_mpi_plan* plan = NULL;
//   if (faro_mpi_plan_create(MPI_COMM_WORLD, map, &options, &plan) != FARO_OK)
//     puts(faro_mpi_last_error());                        the same on all ranks
//   faro_mpi_plan_execute(plan, from, to, bytes);         each rank its part
//   faro_mpi_plan_free(plan);
//
// Creating, executing, verifying and freeing are collective. A NULL plan is refused on the rank
// that gives it, without the others; all other wrong arguments of one rank are told to all.
#pragma once

#include <mpi.h>

#include "faro/c/faro.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum faro_mpi_transport {
  FARO_MPI_AUTOMATIC = 0,
  FARO_MPI_PAIRWISE = 1,
  FARO_MPI_ALL_TO_ALL = 2,
  FARO_MPI_MEASURED = 3
} faro_mpi_transport;

typedef struct faro_mpi_options {
  size_t struct_size;
  uint32_t version;
  int32_t in_place;   /* 1: for faro_mpi_plan_execute_in_place */
  int32_t relabelled; /* 1: results on the ranks that faro_mpi_plan_relabelled names */
  int32_t transport;  /* faro_mpi_transport */
  int32_t unchecked;  /* 1: executions do not agree on arrays first */
  int32_t node_bits;  /* nodes of 2^node_bits ranks, of the cost */
  uint64_t element_bytes;
  uint64_t buffer_bytes; /* a cap on what a rank takes for messages */
} faro_mpi_options;

#define FARO_MPI_OPTIONS \
  { sizeof(faro_mpi_options), FARO_C_VERSION, 0, 0, FARO_MPI_AUTOMATIC, 0, 0, 1, 67108864u }

/* Bytes beyond 2^64 - 1, of all ranks together, are told as 2^64 - 1. */
typedef struct faro_mpi_cost {
  size_t struct_size;
  uint32_t version;
  int32_t rho;
  int32_t local_passes;
  int32_t reserved; /* 0 */
  uint64_t partners;
  uint64_t rounds;
  uint64_t steps;
  uint64_t message_bytes;
  uint64_t moved_bytes;
  uint64_t least_bytes;
  uint64_t least_bytes_relabelled;
  uint64_t most_sent_bytes;
  uint64_t keepers;
  uint64_t local_bytes;
  uint64_t buffer_bytes;
} faro_mpi_cost;

#define FARO_MPI_COST \
  { sizeof(faro_mpi_cost), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

typedef struct faro_mpi_plan faro_mpi_plan;

FARO_API const char* faro_mpi_last_error(void);

FARO_API faro_status faro_mpi_plan_create(MPI_Comm communicator, const faro_map* map,
                                          const faro_mpi_options* options, faro_mpi_plan** plan);
FARO_API faro_status faro_mpi_plan_get_cost(const faro_mpi_plan* plan, faro_mpi_cost* cost);
/* The cost in words; belongs to the plan. */
FARO_API const char* faro_mpi_plan_describe(const faro_mpi_plan* plan);
/* What the map puts on the rank that this says lies on `rank`. */
FARO_API uint64_t faro_mpi_plan_relabelled(const faro_mpi_plan* plan, uint64_t rank);
/* `bytes` is the size of each array and must be local_bytes. */
FARO_API faro_status faro_mpi_plan_execute(faro_mpi_plan* plan, const void* from, void* to,
                                           size_t bytes);
FARO_API faro_status faro_mpi_plan_execute_in_place(faro_mpi_plan* plan, void* data, size_t bytes);
/* FARO_OK if `to` is what the plan makes of `from`, FARO_REFUSED if not. */
FARO_API faro_status faro_mpi_plan_verify(faro_mpi_plan* plan, const void* from, const void* to,
                                          size_t bytes);
FARO_API void faro_mpi_plan_free(faro_mpi_plan* plan);

/* Memory that the ranks of a node share: executed in one pass, without messages. */
typedef struct faro_mpi_array faro_mpi_array;

FARO_API faro_status faro_mpi_array_create(MPI_Comm communicator, uint64_t bytes,
                                           faro_mpi_array** array);
/* This rank's part. */
FARO_API void* faro_mpi_array_data(const faro_mpi_array* array);
FARO_API faro_status faro_mpi_plan_execute_shared(faro_mpi_plan* plan, const faro_mpi_array* from,
                                                  faro_mpi_array* to);
FARO_API void faro_mpi_array_free(faro_mpi_array* array);

/* Placements of arrays of any lengths on any number of ranks: faro/mpi/mpi_plan.hpp.
 *
 *   const uint64_t shape[2] = {12001, 77};
 *   faro_mpi_grid_options options = FARO_MPI_GRID_OPTIONS;
 *   options.element_bytes = 8;
 *   const char* words = "dtensor:(3,) [Shard(0)] => dtensor:(3,) [Shard(1)]";
 *   faro_mpi_grid_create(MPI_COMM_WORLD, words, shape, 2, &options, &grid);
 *   faro_mpi_grid_execute(grid, from, from_bytes, to, to_bytes);      each rank its part
 */
typedef struct faro_mpi_grid faro_mpi_grid;

typedef struct faro_mpi_grid_options {
  size_t struct_size;
  uint32_t version;
  int32_t relabelled; /* 1: results on the ranks that faro_mpi_grid_relabelled names */
  uint64_t element_bytes;
  uint64_t buffer_bytes; /* a cap on what a rank takes for messages */
} faro_mpi_grid_options;

#define FARO_MPI_GRID_OPTIONS \
  { sizeof(faro_mpi_grid_options), FARO_C_VERSION, 0, 1, 67108864u }

typedef struct faro_mpi_grid_cost {
  size_t struct_size;
  uint32_t version;
  int32_t exact;        /* 1: no other order of the ranks keeps more; 0: not known, or not asked */
  uint64_t ranks;       /* of the placements; the communicator may have more */
  uint64_t bytes;       /* of the array, once */
  uint64_t kept_bytes;  /* that stay on their rank */
  uint64_t moved_bytes; /* that leave it: the least that can be */
  uint64_t most_received_bytes; /* by one rank */
  uint64_t kept_bytes_at_most;  /* relabelled: what no order of the ranks exceeds */
  uint64_t from_bytes;          /* of this rank's part before */
  uint64_t to_bytes;            /* and after */
} faro_mpi_grid_cost;

#define FARO_MPI_GRID_COST \
  { sizeof(faro_mpi_grid_cost), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* `shape` is the whole array's, before. */
FARO_API faro_status faro_mpi_grid_create(MPI_Comm communicator, const char* words,
                                          const uint64_t* shape, size_t axes,
                                          const faro_mpi_grid_options* options,
                                          faro_mpi_grid** grid);
FARO_API faro_status faro_mpi_grid_get_cost(const faro_mpi_grid* grid, faro_mpi_grid_cost* cost);
/* Of a rank's arrays, `axes` numbers each; either pointer may be NULL. Zeros for
   ranks that a side does not have. */
FARO_API faro_status faro_mpi_grid_get_shapes(const faro_mpi_grid* grid, uint64_t rank,
                                              uint64_t* from_shape, uint64_t* to_shape,
                                              size_t axes);
/* The cost in words; belongs to the grid. */
FARO_API const char* faro_mpi_grid_describe(const faro_mpi_grid* grid);
/* Whose result lies on `rank`. */
FARO_API uint64_t faro_mpi_grid_relabelled(const faro_mpi_grid* grid, uint64_t rank);
/* Arrays do not overlap; their sizes are the cost's from_bytes and to_bytes. */
FARO_API faro_status faro_mpi_grid_execute(faro_mpi_grid* grid, const void* from, size_t from_bytes,
                                           void* to, size_t to_bytes);
FARO_API void faro_mpi_grid_free(faro_mpi_grid* grid);

#ifdef __cplusplus
}
#endif
