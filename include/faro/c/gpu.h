// Arrays in the memory of a GPU, from C: docs/gpu.md.
//
//   faro_gpu_options options = FARO_GPU_OPTIONS;
//   options.element_bytes = 8;
//   faro_gpu_plan* plan = NULL;                           compiles, for the stream's device
//   if (faro_gpu_plan_create(map, &options, stream, &plan) != FARO_OK) puts(faro_last_error());
//   faro_gpu_execute(plan, from, to, stream);             one kernel on the stream, not waited for
//   faro_gpu_plan_free(plan);
//
// Nothing of a vendor is needed to build or to load this; where a driver is not there, a call says
// so and returns FARO_ENVIRONMENT. What is said of statuses, NULL and structs in faro.h holds here.
#pragma once

#include "faro/c/faro.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum faro_gpu_api {
  FARO_GPU_CUDA = 0,   /* streams are CUstream or cudaStream_t, arrays device pointers */
  FARO_GPU_HIP = 1,    /* hipStream_t, device pointers */
  FARO_GPU_OPENCL = 2, /* cl_command_queue, cl_mem */
} faro_gpu_api;

typedef struct faro_gpu_options {
  size_t struct_size;
  uint32_t version;
  int32_t api;      /* a faro_gpu_api */
  int32_t device;   /* with CUDA and HIP; -1: that of the current context */
  int32_t in_place; /* 0 or 1 */
  uint64_t element_bytes;
  /* Only elements whose index i has (i & only_mask) == only_value are moved, where the mask is
     not 0: a controlled swap. The map of bits takes them to one another. */
  uint64_t only_mask, only_value;
} faro_gpu_options;

#define FARO_GPU_OPTIONS \
  { sizeof(faro_gpu_options), FARO_C_VERSION, FARO_GPU_CUDA, -1, 0, 1, 0, 0 }

typedef struct faro_gpu_plan faro_gpu_plan;

/* Of any map, of bits or of lengths. options may be NULL: CUDA, elements of one byte. A NULL stream
   is CUDA's and HIP's default. */
FARO_API faro_status faro_gpu_plan_create(const faro_map* map, const faro_gpu_options* options,
                                          void* stream, faro_gpu_plan** plan);
/* Arrays of as many elements as the map has, aligned to 16 bytes. Nothing is compiled, allocated or
   waited for; a CUDA graph may capture it, and the plan must then live as long as the graph. */
FARO_API faro_status faro_gpu_execute(const faro_gpu_plan* plan, const void* from, void* to,
                                      void* stream);
FARO_API faro_status faro_gpu_execute_in_place(const faro_gpu_plan* plan, void* data, void* stream);
FARO_API void faro_gpu_plan_free(faro_gpu_plan* plan);

#ifdef __cplusplus
}
#endif
