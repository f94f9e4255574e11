// A map executed part by part: between an affine subspace of an array and a small buffer that holds
// nothing else. What distributed exchanges pack and unpack with.
//
//   gather    compact = to      part k is what goes to index k * 2^d .. (k + 1) * 2^d - 1
//   scatter   compact = from    part k is what comes from there
//   between   compact = neither part k is where given functionals of the source's index are k
//
// On the compact side only those 2^d elements exist, at the buffer's beginning. Bit reversal of
// 2^20 doubles in 2^5 gathered parts fills a buffer of 256 KiB 32 times; part 3 is what belongs at
// index 3 * 2^15 and after.
//
// One plan serves all ranks of a machine: rank r moves
//
//   to = map(from ^ F r) ^ T r
//
// with F and T given by their columns. To the kernels a rank bit and a part bit are vectors of the
// outer walk, like any other: the tiles of part k on rank r are numbers (r, k, 0) to (r, k + 1, 0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/kernels.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::engine {

enum class Compact { from, to, neither };

struct PartsRequest {
  BitMap map;  // on elements; from memory to compact, or from compact to memory
  Compact compact = Compact::to;
  int part_bits = 0;
  std::vector<Word> part_rows;  // of compact = neither: part_bits functionals, independent
  std::vector<Word> rank_from;  // F; on the compact side nothing of the part's bits
  std::vector<Word> rank_to;    // T; likewise
  std::uint64_t element_bytes = 1;
  Simd simd = Simd::automatic;
  Stores stores = Stores::ordinary;  // to memory; a gather's buffer stays in the cache
};

class Parts {
 public:
  explicit Parts(const PartsRequest& request);

  std::uint64_t part_bytes() const { return request_.element_bytes << inner_bits_; }
  // False for parts between memory and memory that share cache lines: then nothing can be run.
  bool is_possible() const { return request_.compact != Compact::neither || pass_.has_value(); }
  // Requires rank < 2^rank_from.size() and part < 2^part_bits. Buffers must not overlap.
  void run(Word rank, Word part, const std::byte* from, std::byte* to) const;
  // Share number `share` of `shares` of a part between memory and memory.
  void run_share(Word rank, Word part, Word share, Word shares, const std::byte* from,
                 std::byte* to) const;
  // "avx512, runs of 512 bytes in memory", or "element by element".
  std::string words() const;

 private:
  void plan_tiles();
  Method method_of(const BitMatrix& inverse, int unit_log2, int line, int memory_run) const;
  Word part_of(Word index) const;  // of compact = neither: the part that an element is in
  void order_outer(TilePlan& plan, int unit_inner_bits, int widen);
  void run_tiles(Word begin, Word end, const std::byte* from, std::byte* to) const;
  void run_elements_of(Word rank, Word part, const std::byte* from, std::byte* to) const;

  PartsRequest request_;
  int inner_bits_ = 0;  // d
  BitMap to_memory_;    // from an index of the compact side
  const KernelSet* kernels_ = nullptr;
  std::optional<TilePass> pass_;  // nothing where runs are shorter than vectors
  int part_tile_bits_ = 0;        // tiles of a part
  std::uint64_t memory_run_bytes_ = 0;
};

}  // namespace faro::inline v1::engine
