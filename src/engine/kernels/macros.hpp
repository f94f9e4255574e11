// Two compiler requests that have no spelling in the language: registers live in small arrays only
// if the loops over them are unrolled and the functions around them inlined.
#pragma once

#define FARO_INLINE inline __attribute__((always_inline))
#if defined(__clang__)
#define FARO_UNROLL _Pragma("clang loop unroll(full)")
#else
#define FARO_UNROLL _Pragma("GCC unroll 64")
#endif
