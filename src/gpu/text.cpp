#include "gpu/text.hpp"

#include <fmt/format.h>

#include <bit>

#include "faro/algebra/notation.hpp"

namespace faro::inline v1::gpu {

std::string notation_of(const Map& map) {
  const BitMap* const bits = map.bits();
  return bits != nullptr ? to_notation(*bits) : to_notation(map);
}

std::string number(Word v) {
  if (v < 10) return fmt::format("{}u", v);
  // Of 64 bits where it needs them, in C as in OpenCL C, which has no suffix ull.
  return fmt::format("0x{:x}{}", v, v < bit(32) ? "u" : "");
}

std::string xor_sum(const std::string& variable, const Words& vectors, Word constant, bool wide) {
  std::vector<std::string> terms;
  const std::string value = wide ? "(u64)" : "";
  const int count = static_cast<int>(vectors.size());
  const auto at = [&](int i) { return vectors[static_cast<std::size_t>(i)]; };
  for (int j = 0; j < count;) {
    const Word v = at(j);
    int m = 1;
    while (v != 0 && j + m < count && highest_bit(v) + m < word_bits &&
           at(j + m) == v << static_cast<unsigned>(m))
      ++m;
    if (v != 0 && 3 * std::popcount(v) <= 4 * m) {
      const std::string field = m == count
                                    ? value + variable
                                    : fmt::format("{}({} & {})", value, variable,
                                                  number(low_mask(m) << static_cast<unsigned>(j)));
      for (Word bits = v; bits != 0; bits &= bits - 1) {
        const int s = lowest_bit(bits);
        if (s > j) terms.push_back(fmt::format("({} << {})", field, s - j));
        if (s < j) terms.push_back(fmt::format("({} >> {})", field, j - s));
        if (s == j) terms.push_back(field);
      }
    } else {
      for (int i = j; i < j + m; ++i)
        if (at(i) != 0)
          terms.push_back(
              fmt::format("({} & {} ? {} : 0u)", variable, number(bit(i)), number(at(i))));
    }
    j += m;
  }
  if (constant != 0 || terms.empty()) terms.push_back(number(constant));
  return fmt::format("{}", fmt::join(terms, " ^ "));
}

std::string with_constant(const std::string& base, Word used, Word constant) {
  if (constant == 0) return base;
  return (used & constant) == 0 ? fmt::format("{} + {}", base, number(constant))
                                : fmt::format("({} ^ {})", base, number(constant));
}

Words sums(const Words& vectors) {
  Words out{0};
  for (const Word v : vectors) {
    const std::size_t size = out.size();
    for (std::size_t i = 0; i < size; ++i) out.push_back(out[i] ^ v);
  }
  return out;
}

Word all_bits(const Words& vectors) {
  Word out = 0;
  for (const Word v : vectors) out |= v;
  return out;
}

// `restrict`, 16-byte vectors and barriers are all that differs between the languages.
const char* const cuda_prelude = R"(typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
#define KERNEL(THREADS) extern "C" __global__ __launch_bounds__(THREADS) void
#define GLOBAL
#define LOCAL
#define ALONE __restrict__
#define THREAD threadIdx.x
#define BLOCK blockIdx.x
#define BARRIER() __syncthreads()
#define MAKE2(a, b) make_uint2(a, b)
#define MAKE4(a, b, c, d) make_uint4(a, b, c, d)
#define COUNT_ONES(a) __popc(a)
#define TILE(BYTES) __shared__ uint4 tile_[((BYTES) + 15) / 16]; u8* tile = (u8*)tile_
)";
const char* const opencl_prelude = R"(typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
#define KERNEL(THREADS) __kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
#define GLOBAL __global
#define LOCAL __local
#define ALONE restrict
#define THREAD ((u32)get_local_id(0))
#define BLOCK ((u32)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define MAKE2(a, b) (uint2)(a, b)
#define MAKE4(a, b, c, d) (uint4)(a, b, c, d)
#define COUNT_ONES(a) popcount(a)
#define TILE(BYTES) __local uint4 tile_[((BYTES) + 15) / 16]; __local u8* tile = (__local u8*)tile_
)";

}  // namespace faro::inline v1::gpu
