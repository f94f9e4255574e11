// Chunks, shards and orders of axes of stored arrays from C: docs/rechunk.md.
//
//   uint64_t chunks[] = {365, 72, 144};
//   faro_rechunk_options options = FARO_RECHUNK_OPTIONS;
//   options.chunks = chunks;
//   options.axes_count = 3;
//   char digest[FARO_DIGEST_TEXT];
//   if (faro_rechunk("maps.zarr", "series.zarr", &options, digest) != FARO_OK)
//     puts(faro_last_error());
//
// What is said of statuses, NULL and structs in faro.h holds here.
#pragma once

#include "faro/c/faro.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "fd1:", 32 digits and a zero. */
#define FARO_DIGEST_TEXT 37

/* What a run did. */
typedef struct faro_rechunk_report {
  size_t struct_size;
  uint32_t version;
  int32_t passes;
  int32_t verified;
  int32_t reserved;
  uint64_t data_bytes;
  uint64_t peak_bytes; /* of memory, by the plan */
  uint64_t reads;      /* of this run, as what follows */
  uint64_t bytes_read;
  uint64_t writes;
  uint64_t resumed_jobs; /* that an earlier run had done */
  double seconds;
  char digest[FARO_DIGEST_TEXT];
} faro_rechunk_report;

#define FARO_RECHUNK_REPORT \
  { sizeof(faro_rechunk_report), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, "" }

typedef struct faro_rechunk_options {
  size_t struct_size;
  uint32_t version;
  int32_t threads;         /* 0: one for each core */
  int32_t passes;          /* exactly 1 to 3; 0: what costs least */
  int32_t unfinished;      /* a run of this output: 0 refuses, 1 begins anew, 2 goes on */
  int32_t verify;          /* 1: reads the finished output once more */
  int32_t axes_count;      /* of the lists below */
  const uint64_t* chunks;  /* of the output's axes; NULL: as they are */
  const uint64_t* shards;  /* NULL: none */
  const int32_t* axes;     /* axis k of the output is axis axes[k]; NULL: as they are */
  const int32_t* reversed; /* 1: the axis of the output is reversed; NULL: none */
  const char* codec;       /* "zstd:3"; NULL: as in the input */
  uint64_t memory_bytes;
  faro_progress progress; /* may be NULL */
  void* context;
  int32_t zarr_format;         /* of an output in a folder: 2 or 3 */
  int32_t fortran_order;       /* 1: the output, a plain file, has its first axis fastest */
  faro_rechunk_report* report; /* may be NULL */
} faro_rechunk_options;

/* 2 GiB of memory. */
#define FARO_RECHUNK_OPTIONS                                                                   \
  {                                                                                            \
    sizeof(faro_rechunk_options), FARO_C_VERSION, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, \
        (uint64_t)1 << 31, NULL, NULL, 3, 0, NULL                                              \
  }

/* The plan in a buffer of `bytes`, as JSON of format faro-box-plan/1 with a zero at its end;
   `needed` says how many it takes. More than there are: FARO_USAGE, and nothing in the buffer. */
FARO_API faro_status faro_rechunk_plan(const char* in, const char* out,
                                       const faro_rechunk_options* options, char* json,
                                       uint64_t bytes, uint64_t* needed);
/* `digest` may be NULL, else has FARO_DIGEST_TEXT bytes. */
FARO_API faro_status faro_rechunk(const char* in, const char* out,
                                  const faro_rechunk_options* options, char* digest);
/* What a stored array holds: docs/digest.md. */
FARO_API faro_status faro_digest(const char* path, char* digest);

#ifdef __cplusplus
}
#endif
