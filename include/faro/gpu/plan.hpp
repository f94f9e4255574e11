// An affine map of index bits on a GPU: one pass over memory, planned and counted before anything
// runs.
//
//   const auto plan = gpu::plan(map, {.element_bytes = 4});      the element at i goes to map(i)
//   gpu::certificate(plan).read.sectors                          exact, whatever the data
//   gpu::emit(plan, gpu::Language::cuda, "bit_reverse")          a kernel to compile anywhere
//
// With y = A x ^ c, S(r) the span of the low r index bits and B the inverse of A, a block of
// threads moves a coset of the tile X = S(rf) + B S(rt): runs of 2^rf elements are read whole,
// runs of 2^rt are written whole, so every map is one pass. In between lies shared memory, where a
// linear placement (the swizzle) keeps both sides free of bank conflicts.
//
//   i:20 -> rev(i), elements of 4 bytes: X is the low 6 and the high 6 bits, 16 KiB a block of 256
//   threads; runs of 256 bytes on both sides, 16 bytes a lane, no conflict.
//
// Axes of any length, and arrays with strides, are moved by windows of the axes that are fast on
// each side; requests are long, but their sectors are not counted. What is rolled is cut at its
// seam: the blocks before it and those after it move windows of their own.
//
// No GPU header is needed, nothing is run. A plan is plain data: the table that its kernel gets.
// Limits: elements of 1 to 64 bytes, at most 2^31 blocks (16 TiB at least); in place, maps of bits
// that are their own inverse, and any map of at most 256 elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::gpu {

// What planning and counting know of a device.
struct Machine {
  const char* name;
  const char* words;
  int lanes_log2;              // of a warp
  int sector_log2;             // bytes that memory moves at once
  int line_log2;               // bytes of a line of the cache
  int banks_log2;              // of shared memory, of 4 bytes each
  std::uint64_t shared_bytes;  // that a block may have without asking for more
  const char* source;
};

// The rows: any, a100, h100, rtx4090, mi300.
std::span<const Machine> machines();
// Throws Error(usage), naming those there are.
const Machine& machine(std::string_view name);

enum class Kind {
  tile,     // through shared memory, 16 bytes a lane on both sides
  direct,   // a thread moves elements, the lanes chosen so that both sides are whole lines
  element,  // the plain loop, for the smallest arrays, and to compare with
  odd,      // through shared memory by units: elements that are several, some only, or as asked
  window,   // axes of any length or stride: a window of both sides' fast axes
};
const char* name_of(Kind kind);

// Only elements whose index i has i & mask == value are moved, and all others stay: a controlled
// swap, which is no affine map of all indices but one of these. The map must take them to one
// another; out of place the destination's other elements are not written.
struct Only {
  Word mask = 0;
  Word value = 0;
  friend bool operator==(const Only&, const Only&) = default;
};

struct Options {
  std::uint64_t element_bytes = 4;
  bool in_place = false;
  std::optional<Kind> kind = {};  // the best, if empty
  int tile_log2 = 14;             // bytes of a tile, at most
  int threads_log2 = 8;           // of a block, at most
  Only only = {};                 // all elements, if its mask is 0
  friend bool operator==(const Options&, const Options&) = default;
};

// How the threads of a block lie over the tile where they read, or where they write.
struct Side {
  int run_log2 = 0;           // elements side by side that belong to one tile
  int vector_log2 = 0;        // elements that a thread moves at once
  std::vector<Word> threads;  // index of each bit of the thread number
  std::vector<Word> steps;    // and of each bit of the number of the access
  std::vector<Word> shared;   // where these are in shared memory, bytes: of threads, then of steps
  std::vector<Word> inner;    // and the bits within a vector
  int width_log2 = 0;         // bytes of one access to shared memory
};

// Where a tile begins: index where it is read, index where it is written, bytes in shared memory.
struct Place {
  Word from = 0;
  Word to = 0;
  Word shared = 0;
};

// Which tiles a block moves in place: z and its partner. With a the low bits of the block number,
// as many as `moving`, and i the lowest set bit of a (0 if a is 0, or always where `shifted`), the
// other bits of the block number say a sum of `staying`, of which number i is left out. z is the
// sum of `moving` over a and of these; its partner is z with `moves` over a and `shift`; where a
// is 0 and the map does not shift, both are tiles that stay, `pair` apart.
struct Pairs {
  std::vector<Place> moving, moves, staying;
  Place shift, pair;
  bool shifted = false;
};

// An axis of a window plan, strides in units of memory. Bits that are added to one another are one
// axis: destination index y is at `to` of its bits, its element comes from x = columns of y's bits
// ^ translation, at `from` of x's bits.
struct WindowAxis {
  Word length = 1;
  std::vector<std::int64_t> from, to;  // one stride, or one of each bit
  std::vector<Word> columns = {};
  Word translation = 0;
  Word chunk = 1;  // of the length, in one window
  Word place = 0;  // stride in shared memory
};

struct Window {
  std::vector<WindowAxis> axes;
  std::vector<std::size_t> read, written;  // axes within the window, the fastest first
  std::int64_t from_start = 0, to_start = 0;
  Word places = 0;  // units of shared memory

  Word block_count() const;
  Word units() const;                             // of a whole window
  bool turns() const { return read != written; }  // through shared memory
};

struct Plan {
  Machine machine;
  Options asked;
  Map map_asked;
  Kind kind = Kind::element;
  BitMap map;  // of units of 2^unit_log2 bytes
  int unit_log2 = 0;
  int units = 1;            // of an element, 1 but where kind is odd
  bool word_loads = false;  // elements below 4 bytes: loads of words are shared by steps
  std::vector<Word> tile;   // a basis of X
  Side from, to;
  std::vector<Place> blocks;  // of each bit of the block number; empty in place
  Place start;
  Pairs pairs;  // in place
  // Of kind window: the first blocks are of the first one; several where a length is rolled.
  std::vector<Window> windows;
  std::uint64_t windows_from_bytes = 0, windows_to_bytes = 0;

  std::uint64_t bytes() const;       // that are moved
  std::uint64_t from_bytes() const;  // that the arrays must have at least
  std::uint64_t to_bytes() const;
  std::uint64_t block_count() const;
  std::uint64_t threads() const;
  int tiles_a_block() const;  // two in place, unless the tile is everything
  std::uint64_t tile_bytes() const;
  std::uint64_t shared_bytes() const;  // of a block
};

// Throws Error(usage) for what no plan takes, Error(impossible) for what cannot be done in place.
Plan plan(const Map& map, const Options& options, const Machine& machine = gpu::machine("any"));
// Arrays with shapes and strides; the bytes of an element are the shape's.
Plan plan_arrays(const Map& map, const TensorShape& shape, Options options = {},
                 const Machine& machine = gpu::machine("any"));

// One side of memory. A request is what the lanes ask of it at once, 128 bytes at most.
struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t ideal_sectors = 0;
  std::uint64_t ideal_lines = 0;
  std::uint64_t run_bytes = 0;  // side by side, of one tile
  // What 1024 blocks after one another touch, out of place: pages of 2 MiB, and runs.
  std::uint64_t near_run_bytes = 0;
  std::uint64_t near_pages = 0;
};

struct SharedTraffic {
  std::uint64_t width_bytes = 0;  // a lane
  std::uint64_t wavefronts = 0;
  std::uint64_t conflict = 1;  // ways: 1 is none
};

// Counts by ranks over GF(2), exact for pointers to whole lines. `counted` is false for odd
// elements and windows, whose requests are not counted.
struct Certificate {
  bool counted = true;
  Traffic read, written;
  std::optional<SharedTraffic> store, load;
};
Certificate certificate(const Plan& plan);
// Of the plain loop, to[map(i)] = from[i] by one thread an element.
Certificate plain_certificate(const Plan& plan);

enum class Language { cuda, hip, opencl };
// Throws Error(usage).
Language language(std::string_view name);

// A kernel name(from, to), in place name(data), that needs nothing else; its first lines are the
// launch and the certificate. Throws Error(usage) unless name is a name in C.
std::string emit(const Plan& plan, Language language, std::string_view name = "faro_permute");

}  // namespace faro::inline v1::gpu
