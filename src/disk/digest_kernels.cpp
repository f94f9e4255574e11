// Compiled once for each instruction set by Highway's foreach_target, as the engine's kernels are.
#include "disk/digest_kernels.hpp"

#include <hwy/detect_compiler_arch.h>

#include <algorithm>
#include <cstring>

#define HWY_WANT_AVX3_DL 1
#if HWY_ARCH_X86
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_SSSE3)
#define FARO_DIGEST_NEON 0
#else
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_COMPILE_ONLY_STATIC
#define FARO_DIGEST_NEON (HWY_ARCH_ARM_A64 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "disk/digest_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpragma-clang-attribute"
#endif
HWY_BEFORE_NAMESPACE();
namespace faro::inline v1::disk::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || \
    FARO_DIGEST_NEON

using Words = hwy::HWY_NAMESPACE::ScalableTag<std::uint64_t>;
using Halves = hwy::HWY_NAMESPACE::Repartition<std::uint32_t, Words>;
using Sum = hwy::HWY_NAMESPACE::Vec<Words>;

std::size_t lanes() {
  return hwy::HWY_NAMESPACE::Lanes(Words());
}

inline void add_lanes(Sum sum, Wide& to) {
  alignas(64) std::uint64_t lane[8];
  hwy::HWY_NAMESPACE::Store(sum, Words(), lane);
  for (std::size_t i = 0; i < hwy::HWY_NAMESPACE::Lanes(Words()); ++i) to += lane[i];
}

void sum(const DigestTable& table, std::size_t first, const std::byte* from, std::size_t words,
         DigestSums& to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Words tag;
  const Halves half;
  const std::size_t step = hn::Lanes(tag);
  for (std::size_t i = 0; i < words;) {
    const std::size_t end = std::min(words, i + (step * digest_products_max));
    Sum a0 = hn::Zero(tag), a1 = a0, a2 = a0, a3 = a0, a4 = a0;
    Sum b0 = a0, b1 = a0, b2 = a0, b3 = a0, b4 = a0;
    for (; i < end; i += step) {
      const Sum word = hn::LoadU(
          tag, reinterpret_cast<const std::uint64_t*>(from + (i * sizeof(std::uint64_t))));
      const auto low = hn::BitCast(half, word);
      const auto high = hn::BitCast(half, hn::ShiftRight<32>(word));
      const auto limb = [&](std::size_t j) {
        return hn::BitCast(half, hn::Load(tag, table.limb[j] + first + i));
      };
      const auto k0 = limb(0);
      a0 = hn::Add(a0, hn::MulEven(low, k0));
      b0 = hn::Add(b0, hn::MulEven(high, k0));
      const auto k1 = limb(1);
      a1 = hn::Add(a1, hn::MulEven(low, k1));
      b1 = hn::Add(b1, hn::MulEven(high, k1));
      const auto k2 = limb(2);
      a2 = hn::Add(a2, hn::MulEven(low, k2));
      b2 = hn::Add(b2, hn::MulEven(high, k2));
      const auto k3 = limb(3);
      a3 = hn::Add(a3, hn::MulEven(low, k3));
      b3 = hn::Add(b3, hn::MulEven(high, k3));
      const auto k4 = limb(4);
      a4 = hn::Add(a4, hn::MulEven(low, k4));
      b4 = hn::Add(b4, hn::MulEven(high, k4));
    }
    add_lanes(a0, to.low[0]);
    add_lanes(a1, to.low[1]);
    add_lanes(a2, to.low[2]);
    add_lanes(a3, to.low[3]);
    add_lanes(a4, to.low[4]);
    add_lanes(b0, to.high[0]);
    add_lanes(b1, to.high[1]);
    add_lanes(b2, to.high[2]);
    add_lanes(b3, to.high[3]);
    add_lanes(b4, to.high[4]);
  }
}

#endif

}  // namespace faro::inline v1::disk::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

// The scalar twin: so many words at a time that their products fit 64 bits.
void sum_by_words(const DigestTable& table, std::size_t first, const std::byte* from,
                  std::size_t words, DigestSums& to) {
  std::uint64_t part[digest_products_max];
  for (std::size_t i = 0; i < words; i += digest_products_max) {
    const std::size_t count = std::min(words - i, digest_products_max);
    std::memcpy(part, from + (i * sizeof(std::uint64_t)), count * sizeof(std::uint64_t));
    for (std::size_t j = 0; j < digest_limbs; ++j) {
      const std::uint64_t* const limb = table.limb[j] + first + i;
      std::uint64_t low = 0;
      std::uint64_t high = 0;
      for (std::size_t k = 0; k < count; ++k) {
        low += (part[k] & 0xffffffffU) * limb[k];
        high += (part[k] >> 32U) * limb[k];
      }
      to.low[j] += low;
      to.high[j] += high;
    }
  }
}

std::vector<DigestKernel> kernels_here() {
  std::vector<DigestKernel> all{{Simd::scalar, "scalar", 1, sum_by_words}};
  [[maybe_unused]] const auto supported = hwy::SupportedTargets();
#if HWY_TARGETS & HWY_SSE4
  if ((supported & HWY_SSE4) != 0)
    all.push_back({Simd::sse4, "sse4", N_SSE4::lanes(), N_SSE4::sum});
#endif
#if HWY_TARGETS & HWY_AVX2
  if ((supported & HWY_AVX2) != 0)
    all.push_back({Simd::avx2, "avx2", N_AVX2::lanes(), N_AVX2::sum});
#endif
#if HWY_TARGETS & HWY_AVX3_DL
  if ((supported & HWY_AVX3_DL) != 0)
    all.push_back({Simd::avx512, "avx512", N_AVX3_DL::lanes(), N_AVX3_DL::sum});
#endif
#if FARO_DIGEST_NEON
  all.push_back({Simd::neon, "neon", HWY_NAMESPACE::lanes(), HWY_NAMESPACE::sum});
#endif
  return all;
}

}  // namespace

const std::vector<DigestKernel>& digest_kernels() {
  static const std::vector<DigestKernel> here = kernels_here();
  return here;
}

const DigestKernel& digest_kernel(Simd simd) {
  if (simd == Simd::automatic) return digest_kernels().back();
  for (const DigestKernel& kernel : digest_kernels())
    if (kernel.simd == simd) return kernel;
  throw Error(ErrorCode::impossible, "this CPU does not run the kernels asked for");
}

}  // namespace faro::inline v1::disk

#endif
