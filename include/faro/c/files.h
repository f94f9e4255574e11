// Arrays in files, however large, from C: docs/disk.md.
//
//   faro_file_options options = FARO_FILE_OPTIONS;
//   options.element_bytes = 8;
//   options.memory_bytes = (uint64_t)1 << 31;
//   if (faro_permute_file("big.raw", "out.raw", map, &options, NULL) != FARO_OK)
//     puts(faro_last_error());
//
// The input is not touched; the output is what it was, or absent, until it is complete. After a
// crash or a stop faro_resume_file("out.raw", &options, NULL) goes on. What is said of statuses,
// NULL and structs in faro.h holds here.
#pragma once

#include "faro/c/faro.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct faro_file_options {
  size_t struct_size;
  uint32_t version;
  int32_t threads;    /* of the permuting; 0: as many as there are cores */
  int32_t io_threads; /* requests of 1 MiB read at a time, and as many written */
  int32_t io;         /* 0: direct where possible; 1: direct; 2: buffered */
  int32_t passes;     /* exactly so many; 0: the cheapest */
  int32_t fresh;      /* 1: begin an unfinished run of this output anew; 0: refuse */
  int32_t verify;     /* 1: a fingerprint of every element and its place */
  int32_t unchanged;  /* of faro_resume_file, 1: only names and times are others */
  uint64_t element_bytes;
  uint64_t outer;
  uint64_t inner;
  uint64_t memory_bytes;
  uint64_t run_bytes_min;
  uint64_t input_start_byte; /* where the array begins in the input */
  const void* output_start;  /* what stands before it in the output; may be NULL */
  uint64_t output_start_bytes;
  const char* device;           /* "ssd", "cloud", "network", "hdd"; NULL is ssd */
  const char* temporary_folder; /* NULL: beside the output */
  double checkpoint_seconds;
  faro_progress progress; /* may be NULL */
  void* context;
} faro_file_options;

/* 1 GiB of memory, elements of one byte. */
#define FARO_FILE_OPTIONS                                                                          \
  {                                                                                                \
    sizeof(faro_file_options), FARO_C_VERSION, 0, 4, 0, 0, 0, 0, 0, 1, 1, 1, (uint64_t)1 << 30, 0, \
        0, NULL, 0, NULL, NULL, 10.0, NULL, NULL                                                   \
  }

/* Figures beyond 64 bits are UINT64_MAX. */
typedef struct faro_file_facts {
  size_t struct_size;
  uint32_t version;
  int32_t passes;
  int32_t passes_bound; /* no plan with such runs has fewer */
  int32_t reserved;
  uint64_t unit_bytes;
  uint64_t data_bytes;
  uint64_t temporary_bytes;
  uint64_t tile_bytes;
  uint64_t reads; /* requests of all passes */
  uint64_t writes;
  double seconds; /* by the device */
} faro_file_facts;

#define FARO_FILE_FACTS \
  { sizeof(faro_file_facts), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0 }

typedef struct faro_file_pass {
  size_t struct_size;
  uint32_t version;
  int32_t from; /* 0: the input; 1: the temporary file; 2: the output */
  int32_t to;
  int32_t reserved;
  uint64_t tiles;
  uint64_t tile_bytes;
  uint64_t read_run_bytes;
  uint64_t write_run_bytes;
  uint64_t reads;
  uint64_t writes;
  double seconds;
} faro_file_pass;

#define FARO_FILE_PASS \
  { sizeof(faro_file_pass), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0 }

/* What was done. */
typedef struct faro_file_report {
  size_t struct_size;
  uint32_t version;
  int32_t complete; /* 1: the output has its name */
  uint64_t reads;
  uint64_t writes;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint64_t resumed_bytes; /* that an earlier run had done */
  uint64_t tiles_missing; /* of the pass, after faro_permute_file_tiles */
  double seconds;
} faro_file_report;

#define FARO_FILE_REPORT \
  { sizeof(faro_file_report), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0, 0.0 }

/* A plan opens no file. options may be NULL, and report in all that follows. */
typedef struct faro_file_plan faro_file_plan;
FARO_API faro_status faro_file_plan_create(const faro_map* map, const faro_file_options* options,
                                           faro_file_plan** plan);
FARO_API faro_status faro_file_plan_get_facts(const faro_file_plan* plan, faro_file_facts* facts);
FARO_API faro_status faro_file_plan_get_pass(const faro_file_plan* plan, int pass,
                                             faro_file_pass* facts);
/* Lines for people, and JSON of format faro-file-plan/1; they belong to the plan. */
FARO_API const char* faro_file_plan_describe(const faro_file_plan* plan);
FARO_API const char* faro_file_plan_json(const faro_file_plan* plan);
FARO_API void faro_file_plan_free(faro_file_plan* plan);

FARO_API faro_status faro_permute_file(const char* in, const char* out, const faro_map* map,
                                       const faro_file_options* options, faro_file_report* report);
/* The journal knows the rest; of the options threads, io, unchanged, checkpoint and progress count.
   `unchanged` is for a folder that was copied or restored since: sizes and samples are still
   compared, but for the samples of an array that is half rearranged in place. */
FARO_API faro_status faro_resume_file(const char* out, const faro_file_options* options,
                                      faro_file_report* report);
/* Tiles first to first + count - 1 of one pass, from 0; other processes, which say the same of all
   else, do the rest. Whoever does the last ones gives the output its name. */
FARO_API faro_status faro_permute_file_tiles(const char* in, const char* out, const faro_map* map,
                                             const faro_file_options* options, int pass,
                                             uint64_t first, uint64_t count,
                                             faro_file_report* report);

#ifdef __cplusplus
}
#endif
