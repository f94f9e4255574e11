// faro from C, and from every language that calls C.
//
//   faro_map* map = NULL;                                  bit reversal of 2^10 elements:
//   faro_map_from_columns(10, columns, 0, &map);           columns[i] is the image of bit i
//   faro_permute_options options = FARO_PERMUTE_OPTIONS;
//   options.element_bytes = 8;
//   faro_plan* plan = NULL;
//   if (faro_plan_create(map, &options, &plan) != FARO_OK) puts(faro_last_error());
//   faro_plan_execute(plan, from, to, bytes);              to[map(i)] = from[i]
//   faro_plan_free(plan);
//   faro_map_free(map);
//
// Every function returns a status, FARO_OK being 0, except those that free and those that only
// look; none throws, prints or ends the program. After another status faro_last_error() says what
// went wrong, on this thread, until the next call that fails. Maps and plans never change: any
// number of threads may use one at the same time. NULL handles and pointers are refused with
// FARO_USAGE; freeing NULL does nothing.
//
// Every struct begins with its size and the version of its layout, which its initialiser sets: a
// library that knows a later, longer layout takes the fields it is not given at their defaults.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define FARO_API
#else
#define FARO_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define FARO_C_VERSION 1

typedef enum faro_status {
  FARO_OK = 0,
  FARO_REFUSED = 1,     /* a proof or a comparison said no */
  FARO_USAGE = 2,       /* an argument is wrong */
  FARO_ENVIRONMENT = 3, /* memory */
  FARO_IMPOSSIBLE = 4,  /* no such thing exists, or beyond a stated maximum */
  FARO_INTERNAL = 5,    /* a bug */
  FARO_CANCELLED = 130  /* the progress callback asked to stop */
} faro_status;

FARO_API const char* faro_version(void);
FARO_API const char* faro_last_error(void);

/* --- maps: y = A x ^ complement on indices of `width` bits, or digits of any lengths ---------- */

typedef struct faro_map faro_map;

FARO_API faro_status faro_map_from_columns(int width, const uint64_t* columns, uint64_t complement,
                                           faro_map** map);
/* Bit b goes to position places[b]. */
FARO_API faro_status faro_map_from_places(int width, const int* places, uint64_t complement,
                                          faro_map** map);
/* What words say: the notation (docs/notation.md) or another system's, "einops:(a b) -> (b a), a=2"
   (docs/layouts.md), for an array of this shape, which fills in what they leave out. Without axes
   the words say it all, and shape may be NULL. */
FARO_API faro_status faro_map_from_words(const char* words, int axes, const uint64_t* shape,
                                         faro_map** map);
FARO_API faro_status faro_map_inverse(const faro_map* map, faro_map** inverse);
/* First f, then g. */
FARO_API faro_status faro_map_then(const faro_map* f, const faro_map* g, faro_map** both);
/* -1 for NULL and for a map with lengths, and faro_last_error() says so. */
FARO_API int faro_map_width(const faro_map* map);
/* 0 for NULL and for a map of 64 bits. */
FARO_API uint64_t faro_map_elements(const faro_map* map);
/* Of NULL, and of an index that a map with lengths has not, UINT64_MAX, and faro_last_error() says
   so. Bits of the index above the width are left out. */
FARO_API uint64_t faro_map_apply(const faro_map* map, uint64_t index);
FARO_API void faro_map_free(faro_map* map);

/* --- plans --------------------------------------------------------------------------------- */

typedef struct faro_plan faro_plan;

/* The data is an array of outer x the map's x inner elements; the map acts on the middle axis. */
typedef struct faro_permute_options {
  size_t struct_size;
  uint32_t version;
  int32_t threads;  /* 0: as many as there are cores */
  int32_t in_place; /* 0: from one buffer to another; 1: within one */
  int32_t reserved; /* 0 */
  uint64_t element_bytes;
  uint64_t outer;
  uint64_t inner;
} faro_permute_options;

#define FARO_PERMUTE_OPTIONS \
  { sizeof(faro_permute_options), FARO_C_VERSION, 1, 0, 0, 1, 1, 1 }

/* An array in a buffer: element (i, j, ..) begins at offset + i * strides[0] + j * strides[1] + ..
 * bytes. strides may be NULL: C order without gaps. */
typedef struct faro_array {
  size_t struct_size;
  uint32_t version;
  int32_t axes;
  const uint64_t* shape;
  const int64_t* strides;
  uint64_t offset;
} faro_array;

#define FARO_ARRAY \
  { sizeof(faro_array), FARO_C_VERSION, 0, 0, 0, 0 }

typedef struct faro_plan_facts {
  size_t struct_size;
  uint32_t version;
  int32_t threads;
  uint64_t data_bytes;
  uint64_t passes;
  uint64_t bytes_moved;
  uint64_t working_bytes;
  const uint64_t* shape; /* of the result; belongs to the plan */
  int32_t axes;          /* of it */
} faro_plan_facts;

#define FARO_PLAN_FACTS \
  { sizeof(faro_plan_facts), FARO_C_VERSION, 0, 0, 0, 0, 0, 0, 0 }

/* Returns 0 to go on; anything else stops with FARO_CANCELLED, data that was moved half moved. */
typedef int (*faro_progress)(void* context, uint64_t done, uint64_t total);

/* options may be NULL: elements of one byte, one thread. */
FARO_API faro_status faro_plan_create(const faro_map* map, const faro_permute_options* options,
                                      faro_plan** plan);
/* From one array to another by words of any system (docs/notation.md), whose sizes `from` gives
 * where they are left out: "r b c -> c rev(b) r", "numpy:a.T". Several fields are the axes of an
 * array that has several, and must fit them. Axes may have any length. `to` may be NULL: the
 * map's result without gaps, or in place where `from` is. outer and inner must be at their
 * defaults. In place what would move single elements along cycles is FARO_IMPOSSIBLE. */
FARO_API faro_status faro_plan_create_arrays(const char* map, const faro_array* from,
                                             const faro_array* to,
                                             const faro_permute_options* options, faro_plan** plan);
FARO_API faro_status faro_plan_get_facts(const faro_plan* plan, faro_plan_facts* facts);
/* Passes, tiles, kernels and stores as text; belongs to the plan. */
FARO_API const char* faro_plan_describe(const faro_plan* plan);
/* `bytes` is the size of each buffer and must be data_bytes. */
FARO_API faro_status faro_plan_execute(const faro_plan* plan, const void* from, void* to,
                                       size_t bytes);
FARO_API faro_status faro_plan_execute_in_place(const faro_plan* plan, void* data, size_t bytes);
/* Either, with progress: `from` is NULL for a plan in place. */
FARO_API faro_status faro_plan_execute_watched(const faro_plan* plan, const void* from, void* to,
                                               size_t bytes, faro_progress progress, void* context);
/* Buffers of different sizes, as arrays with gaps have: each at least what its array reaches to. */
FARO_API faro_status faro_plan_execute_arrays(const faro_plan* plan, const void* from,
                                              size_t from_bytes, void* to, size_t to_bytes,
                                              faro_progress progress, void* context);
FARO_API void faro_plan_free(faro_plan* plan);

/* --- texts in, JSON out: what a map does, plans on model machines, verdicts ----------------- */

/* Each sets *json to a text of its own, one line, or to NULL where it returns anything but FARO_OK
   and FARO_REFUSED; faro_text_free() frees it. Maps and machines are as in docs/notation.md and
   docs/program.md, formats as in docs/schemas. */

/* What these functions, called on this thread, are to tell how far they are: steps of a schedule,
   0 of 0 where that is not known, twenty times a second or so. An answer other than 0 ends the call
   with FARO_CANCELLED. NULL: nobody, as at first. */
FARO_API void faro_listen(faro_progress progress, void* context);

/* Format faro-map/1. */
FARO_API faro_status faro_explain(const char* map, char** json);

/* Format faro-plan/1. `elements` of each processor, 0: as the map says, else 1. `algorithm` is a
   planner's name, "" the cheapest. FARO_REFUSED if the verifiers did not say yes. */
FARO_API faro_status faro_plan_machine(const char* map, const char* machine, uint64_t elements,
                                       const char* algorithm, char** json);
/* The same, and its schedule as a file (format faro-schedule/1), which appears when it is complete
   and not at all where a verifier said no. */
FARO_API faro_status faro_write_schedule(const char* map, const char* machine, uint64_t elements,
                                         const char* algorithm, const char* path, char** json);

/* One request, any place: words (docs/notation.md) for an array of this shape, and where it lies,
   "memory", "disk:memory=2GiB", "ranks:12" or a machine. Without axes the words say it all, and
   shape may be NULL; element_bytes 0: as the place takes it. JSON as `faro plan --on PLACE --json`
   prints it, of its place's format. FARO_REFUSED if a judge said no; one that was not asked says
   nothing. */
FARO_API faro_status faro_plan_at(const char* words, int axes, const uint64_t* shape,
                                  const char* place, uint64_t element_bytes, char** json);

/* Format faro-verdict/1, of a schedule's text and of a file. FARO_REFUSED unless it is a yes. */
FARO_API faro_status faro_verify_schedule(const char* schedule, char** json);
FARO_API faro_status faro_verify_file(const char* path, char** json);

/* --- arrays on 2^rank_bits ranks: what moving one costs; needs no MPI ------------------------ */

typedef struct faro_exchange_options {
  size_t struct_size;
  uint32_t version;
  int32_t rank_bits;  /* the high bits of the map's */
  int32_t relabelled; /* 1: results on the ranks where most of them are */
  int32_t in_place;
  int32_t node_bits; /* nodes of 2^node_bits ranks, of the cost */
  int32_t reserved;  /* 0 */
  uint64_t element_bytes;
  uint64_t buffer_bytes; /* a cap on what a rank takes for messages */
} faro_exchange_options;

#define FARO_EXCHANGE_OPTIONS \
  { sizeof(faro_exchange_options), FARO_C_VERSION, 0, 0, 0, 0, 0, 1, 67108864u }

/* Format faro-exchange/1, to be freed as all texts are: messages, rounds and bytes, exact. */
FARO_API faro_status faro_exchange_cost(const faro_map* map, const faro_exchange_options* options,
                                        char** json);

FARO_API void faro_text_free(char* text);

#ifdef __cplusplus
}
#endif
