// The digest's inner loop for every instruction set: words times powers of r, the products of their
// parts summed without a carry.
//
// A power is five limbs of 26 bits. The low and the high half of a word times a limb has 58 bits,
// so that 64 such products fit the 64 bits of a lane. What a block sums to is ten numbers:
//
//   sum of w_i r^i  =  sum over j of (low[j] + 2^32 high[j]) 2^(26 j)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::disk {

__extension__ typedef unsigned __int128 Wide;

inline constexpr std::size_t digest_block_words = 256;
inline constexpr std::size_t digest_limbs = 5;
inline constexpr unsigned digest_limb_bits = 26;
inline constexpr std::size_t digest_products_max = 64;  // in a lane

struct DigestSums {
  Wide low[digest_limbs] = {};
  Wide high[digest_limbs] = {};
};

// table[j] + i: limb j of r^i.
struct DigestTable {
  alignas(64) std::uint64_t limb[digest_limbs][digest_block_words];
};

struct DigestKernel {
  Simd simd;
  const char* name;
  std::size_t lanes;  // words taken at once; 1: by word, with powers of 127 bits
  // Word k is multiplied by power first + k. Requires that `first` and `words` are multiples of the
  // lanes, together at most a block. Any alignment.
  void (*sum)(const DigestTable& table, std::size_t first, const std::byte* from, std::size_t words,
              DigestSums& to);
};

// The kernel asked for. Throws Error(impossible) if this CPU cannot run it.
const DigestKernel& digest_kernel(Simd simd);
// Every one that this CPU runs, the scalar twin first.
const std::vector<DigestKernel>& digest_kernels();

}  // namespace faro::inline v1::disk
