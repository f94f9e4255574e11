// The kernels for every instruction set that Highway's foreach_target compiles: this file is
// included once for each. AVX-512 without VBMI and SSSE3 are left to the next lower set. On ARM it
// is NEON, which every such CPU of 64 bits has: the vectors of SVE have no size when this is
// compiled, and kernels keep arrays of them.
#include <hwy/detect_compiler_arch.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernels.hpp"
#include "macros.hpp"
#include "square_tables.hpp"

#define HWY_WANT_AVX3_DL 1
#if HWY_ARCH_X86
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_SSSE3)
#define FARO_NEON 0
#else
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_COMPILE_ONLY_STATIC
#define FARO_NEON (HWY_ARCH_ARM_A64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/targets.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// A target without kernels here leaves the attribute of the line below unused.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpragma-clang-attribute"
#endif
HWY_BEFORE_NAMESPACE();
namespace faro::inline v1::engine::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

struct Avx512Bytes {
  using Vector = __m512i;
  static constexpr int vector_log2 = 6;
  static constexpr std::size_t vector_bytes = 64;
  static constexpr bool picks = true;
  static constexpr int square_log2 = 4;  // registers that fit beside what exchanges need
  static FARO_INLINE Vector zero() { return _mm512_setzero_si512(); }
  static FARO_INLINE Vector to_bytes(Vector x) { return x; }
  static FARO_INLINE Vector from_bytes(Vector x) { return x; }
  // The first bytes of a vector, at most all; nothing else is touched.
  static FARO_INLINE __mmask64 first(std::size_t bytes) {
    return bytes >= 64 ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
  }
  static FARO_INLINE Vector load_first(const std::byte* from, std::size_t bytes) {
    return _mm512_maskz_loadu_epi8(first(bytes), from);
  }
  static FARO_INLINE void store_first(std::byte* to, Vector x, std::size_t bytes) {
    _mm512_mask_storeu_epi8(to, first(bytes), x);
  }
  static FARO_INLINE Vector load(const std::byte* from) { return _mm512_loadu_si512(from); }
  static FARO_INLINE Vector load_table(const std::uint8_t* from) { return _mm512_load_si512(from); }
  static FARO_INLINE void store(std::byte* to, Vector x) { _mm512_storeu_si512(to, x); }
  static FARO_INLINE void stream(std::byte* to, Vector x) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), x);
  }
  static void fence() { _mm_sfence(); }

  // Bytes of weight `Weight` change places: the upper of each pair of a with the lower of b. One
  // shuffle a result; or a shift and a blend, since shuffles have one port of two.
  template <int Weight>
  static FARO_INLINE void exchange(Vector& a, Vector& b) {
    const Vector x = a;
    const Vector y = b;
    if constexpr (Weight == 1) {
      a = _mm512_mask_mov_epi8(x, 0xAAAAAAAAAAAAAAAAU, _mm512_slli_epi16(y, 8));
      b = _mm512_mask_mov_epi8(_mm512_srli_epi16(x, 8), 0xAAAAAAAAAAAAAAAAU, y);
    } else if constexpr (Weight == 2) {
      a = _mm512_mask_mov_epi16(x, 0xAAAAAAAAU, _mm512_slli_epi32(y, 16));
      b = _mm512_mask_mov_epi16(_mm512_srli_epi32(x, 16), 0xAAAAAAAAU, y);
    } else if constexpr (Weight == 4) {
      a = _mm512_mask_shuffle_epi32(x, 0xAAAAU, y, _MM_PERM_CCAA);
      b = _mm512_mask_shuffle_epi32(y, 0x5555U, x, _MM_PERM_DDBB);
    } else if constexpr (Weight == 8) {
      a = _mm512_unpacklo_epi64(x, y);
      b = _mm512_unpackhi_epi64(x, y);
    } else if constexpr (Weight == 16) {
      a = _mm512_mask_shuffle_i64x2(x, 0xCCU, y, y, 0xA0);
      b = _mm512_mask_shuffle_i64x2(y, 0x33U, x, x, 0xF5);
    } else {
      a = _mm512_shuffle_i64x2(x, y, 0x44);
      b = _mm512_shuffle_i64x2(x, y, 0xEE);
    }
  }
};

template <int UnitLog2>
struct Avx512 : Avx512Bytes {
  static constexpr int unit_log2 = UnitLog2;
  static constexpr std::size_t lanes = vector_bytes >> UnitLog2;
  static FARO_INLINE Vector pick(Vector a, Vector indices, Vector b) {
    if constexpr (UnitLog2 == 0) return _mm512_permutex2var_epi8(a, indices, b);
    if constexpr (UnitLog2 == 1) return _mm512_permutex2var_epi16(a, indices, b);
    if constexpr (UnitLog2 == 2) return _mm512_permutex2var_epi32(a, indices, b);
    if constexpr (UnitLog2 == 3) return _mm512_permutex2var_epi64(a, indices, b);
  }
  static FARO_INLINE Vector pick_one(Vector a, Vector indices) {
    if constexpr (UnitLog2 == 0) return _mm512_permutexvar_epi8(indices, a);
    if constexpr (UnitLog2 == 1) return _mm512_permutexvar_epi16(indices, a);
    if constexpr (UnitLog2 == 2) return _mm512_permutexvar_epi32(indices, a);
    if constexpr (UnitLog2 == 3) return _mm512_permutexvar_epi64(indices, a);
  }
};

#include "tiles-inl.h"
#include "tiles_in_place-inl.h"
#include "tiles_squares-inl.h"
#include "tiles_strided-inl.h"
#include "tiles_strided_by_lines-inl.h"
#include "tiles_strided_picks-inl.h"
#include "two_tables-inl.h"

RunTiles tiles_function() {
  return run_tiles<TwoTables, Avx512>;
}
RunPairs pairs_function() {
  return run_pairs<TwoTables, Avx512>;
}
RunPanel panel_function() {
  return run_panel<Avx512>;
}

#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || FARO_NEON

#include "exchanges-inl.h"

template <int UnitLog2>
struct Portable {
  using Bytes = hwy::HWY_NAMESPACE::ScalableTag<std::uint8_t>;
  using Vector = hwy::HWY_NAMESPACE::Vec<Bytes>;
  static constexpr int vector_log2 = HWY_TARGET == HWY_AVX2 ? 5 : 4;
  static constexpr std::size_t vector_bytes = std::size_t{1} << vector_log2;
  static constexpr int unit_log2 = UnitLog2;
  static constexpr bool picks = false;
  static constexpr int square_log2 = 3;  // eight registers leave room in sixteen
  static FARO_INLINE Vector zero() { return hwy::HWY_NAMESPACE::Zero(Bytes()); }
  static FARO_INLINE Vector load_first(const std::byte* from, std::size_t count) {
    alignas(vector_bytes) std::byte whole[vector_bytes] = {};
    std::memcpy(whole, from, std::min(count, vector_bytes));
    return load(whole);
  }
  static FARO_INLINE void store_first(std::byte* to, Vector x, std::size_t count) {
    alignas(vector_bytes) std::byte whole[vector_bytes];
    store(whole, x);
    std::memcpy(to, whole, std::min(count, vector_bytes));
  }
  static std::uint8_t* bytes(std::byte* at) { return reinterpret_cast<std::uint8_t*>(at); }
  static FARO_INLINE Vector load(const std::byte* from) {
    return hwy::HWY_NAMESPACE::LoadU(Bytes(), reinterpret_cast<const std::uint8_t*>(from));
  }
  static FARO_INLINE void store(std::byte* to, Vector x) {
    hwy::HWY_NAMESPACE::StoreU(x, Bytes(), bytes(to));
  }
  static FARO_INLINE void stream(std::byte* to, Vector x) {
    hwy::HWY_NAMESPACE::Stream(x, Bytes(), bytes(to));
  }
  static void fence() { hwy::FlushStream(); }
  template <int Weight>
  static FARO_INLINE void exchange(Vector& a, Vector& b) {
    exchange_places<Weight>(Bytes(), a, b);
  }
};

#include "tiles-inl.h"
#include "tiles_in_place-inl.h"
#include "tiles_squares-inl.h"
#include "tiles_strided-inl.h"
#include "tiles_strided_by_lines-inl.h"
#include "tiles_strided_exchanges-inl.h"

RunTiles tiles_function() {
  return run_tiles<Exchanges, Portable>;
}
RunPairs pairs_function() {
  return run_pairs<Exchanges, Portable>;
}
RunPanel panel_function() {
  return run_panel<Portable>;
}

#endif

}  // namespace faro::inline v1::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "faro/base/error.hpp"

namespace faro::inline v1::engine {
namespace {

std::vector<KernelSet> sets_here() {
  std::vector<KernelSet> sets{scalar_kernels};
  [[maybe_unused]] const auto supported = hwy::SupportedTargets();
#if HWY_TARGETS & HWY_SSE4
  if ((supported & HWY_SSE4) != 0) {
    sets.push_back({Simd::sse4, "sse4", 4, LaneMoves::exchanges, N_SSE4::tiles_function(),
                    N_SSE4::pairs_function(), N_SSE4::panel_function(), false, true});
  }
#endif
#if HWY_TARGETS & HWY_AVX2
  if ((supported & HWY_AVX2) != 0) {
    sets.push_back({Simd::avx2, "avx2", 5, LaneMoves::exchanges, N_AVX2::tiles_function(),
                    N_AVX2::pairs_function(), N_AVX2::panel_function(), false, true});
  }
#endif
#if HWY_TARGETS & HWY_AVX3_DL
  if ((supported & HWY_AVX3_DL) != 0) {
    sets.push_back({Simd::avx512, "avx512", 6, LaneMoves::two_tables, N_AVX3_DL::tiles_function(),
                    N_AVX3_DL::pairs_function(), N_AVX3_DL::panel_function(), true, true});
  }
#endif
#if FARO_NEON
  sets.push_back({Simd::neon, "neon", 4, LaneMoves::exchanges, HWY_NAMESPACE::tiles_function(),
                  HWY_NAMESPACE::pairs_function(), HWY_NAMESPACE::panel_function(), false, true});
#endif
  return sets;
}

const std::vector<KernelSet>& sets() {
  static const std::vector<KernelSet> here = sets_here();
  return here;
}

}  // namespace

const KernelSet& kernel_set(Simd simd) {
  if (simd == Simd::automatic) return sets().back();
  for (const KernelSet& set : sets()) {
    if (set.simd == simd) return set;
  }
  throw Error(ErrorCode::impossible,
              "permute: this CPU lacks the kernels asked for; Simd::automatic takes the best it "
              "has");
}

std::vector<const KernelSet*> kernel_sets() {
  std::vector<const KernelSet*> all;
  for (const KernelSet& set : sets()) all.push_back(&set);
  return all;
}

}  // namespace faro::inline v1::engine

#endif  // HWY_ONCE
