// One pass of a map over memory, as numbers: what the tile loops of every instruction set execute.
//
// Notation: index x of w bits, y = A·x ^ c, B the inverse of A, S(r) the span of the low r index
// bits, units of 2^e bytes. The tile is T = S(rs) + B·S(rd). A coset x + T is read as runs of 2^rs
// units and written as runs of 2^rd units, so with runs of a cache line or more every line is read
// once and written once, whole. Bit reversal of 8 bytes with rs = rd = 5 moves 32 runs of 256 bytes
// to 32 runs of 256 bytes, 8 KiB a tile.
//
//   for tile:   from_at, to_at               walk the cosets: one xor each for every tile
//     copy-in   stage_from <- the runs       where its runs are short: pages, eight at once
//     kernels   registers of K cosets        lane_network.hpp
//     drain     to runs <- stage_to          streaming stores of whole lines
//
// Every vector is reduced so that addresses stay aligned: source offsets have zero low bits, and
// destination offsets too unless the map couples low bits (Gray code, most affine maps). What
// remains of those is a shift of lanes, done by the kernels' last table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/lane_network.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::engine {

// What memory is moved in, in bytes: cache lines, and the pages that hardware prefetches within.
inline constexpr int line_log2 = 6;
inline constexpr std::size_t line_bytes = std::size_t{1} << line_log2;
inline constexpr int page_log2 = 12;
inline constexpr std::size_t page_bytes = std::size_t{1} << page_log2;

// Registers of kernels that are moved together.
inline constexpr std::size_t group_kernels = 8;

// How a pass treats memory.
struct Method {
  int from_run_bits = 0;  // rs, in units
  int to_run_bits = 0;    // rd
  bool copy_in = false;   // stage the source's runs
  bool stage_to = false;  // stage the destination's runs
  bool streaming = false;
  // How many lines ahead of their use the source's are prefetched; 0 leaves it to the hardware.
  std::uint32_t lines_ahead = 0;
  bool interleaved = false;    // neighbouring lines are written one after the other
  bool pages_in_turn = false;  // eight pages of a long run are moved side by side
  friend bool operator==(const Method&, const Method&) = default;
};

struct TilePlan {
  int width = 0;      // w
  int unit_log2 = 0;  // e, 0..3
  Method method;
  int tile_bits = 0;  // dim T
  LaneNetwork network;

  // Byte offsets of the runs, and how many.
  std::vector<Word> from_runs;
  std::vector<Word> to_runs;

  // The kernels of a tile: where each reads and writes (byte offsets, in the stage if there is one,
  // else in memory; combined with the tile's place by xor), and the shift of its lanes.
  struct Kernel {
    Word from = 0;
    Word to = 0;
    Word shift = 0;
  };
  std::vector<Kernel> kernels;
  // The same for the registers of a kernel.
  std::array<Word, std::size_t{1} << lane_bits_max> register_from{};
  std::array<Word, std::size_t{1} << lane_bits_max> register_to{};
  std::array<std::uint8_t, std::size_t{1} << lane_bits_max> register_shift{};
  // Every register is shuffled alike: no lambda, and no shifts but the tile's own.
  bool plain_lanes = false;
  // The lines that a line of the source has parts for fill a set of the first cache (of elements of
  // 1 and 2 bytes, more than fill it), and are written there.
  bool to_crowds = false;

  // Outer walk, in bytes: tile i is at the xor of the vectors of the bits of i, and at the
  // destination of those xor to_start.
  int outer_bits = 0;
  std::array<Word, word_bits + 1> outer_from{};
  std::array<Word, word_bits + 1> outer_to{};
  Word to_start = 0;

  // How many kernels ahead the source is prefetched, at most kernels.size(); 0 is never.
  std::size_t kernels_ahead = 0;

  // In place: block i changes places with block partner(i), the xor of these over the bits of i and
  // partner_start. A block is 2^block_bits consecutive tiles. Filled by add_partners.
  int block_bits = 0;
  std::array<Word, word_bits + 1> partner{};
  Word partner_start = 0;

  // In a staged source, line l of run r lies at place l ^ fold(r) of its run: what kernels read
  // together are lines of one number of many runs, which would fall into one set of every cache.
  static Word fold(Word run, int run_lines_log2) { return run & low_mask(run_lines_log2); }

  Word tiles() const { return bit(outer_bits); }
  Word blocks() const { return bit(outer_bits - block_bits); }
  std::uint64_t tile_bytes() const { return bit(tile_bits + unit_log2); }
  std::uint64_t from_run_bytes() const { return bit(method.from_run_bits + unit_log2); }
  std::uint64_t to_run_bytes() const { return bit(method.to_run_bits + unit_log2); }
};

// For an involution: the smallest blocks whose images are blocks. A tile each where from_run_bits =
// to_run_bits; where the source's runs are longer (and the source is staged), the coset of
// S(from_run_bits) + B·S(from_run_bits) that the tile is part of.
void add_partners(TilePlan& plan, const BitMatrix& inverse);

// Bytes of working memory that a thread takes: the stages, as kernels/tiles-inl.h (and
// tiles_in_place-inl.h) lay them out.
std::uint64_t tiles_working_bytes(const TilePlan& plan);
std::uint64_t pairs_working_bytes(const TilePlan& plan);

// Dimension of S(rs) + B·S(rd).
int tile_dimension(const BitMatrix& inverse, int from_run_bits, int to_run_bits);

// The lines of one side that a line of the other has parts of: log2 of how many of them fall into
// one set of the first cache, which has room for 2^set_lines_log2 lines and is found by a line's
// place in its page. `matrix` says where the parts are: B of lines of the source, A of those of the
// destination.
inline constexpr int set_lines_log2 = 3;
int lines_of_a_set_log2(const BitMatrix& matrix, int unit_log2);

// Requires lane_bits <= run bits <= width. With no lane bits no kernels are planned, only the walk.
TilePlan tile_plan(const BitMap& map, const BitMatrix& inverse, int unit_log2, int lane_bits,
                   const Method& method);

}  // namespace faro::inline v1::engine
