// From a map and a shape to the passes that move it.
//
// A shape is normalised first: the inner elements and the element's own bytes become identity bits
// below the map, a power of two of outer arrays identity bits above it, so that batches and large
// elements go through the same tiles. What is left:
//
//   sections   `repeat` times one map on consecutive pieces of `bytes` bytes
//
// One section for almost every shape; an outer count that is no power of two, of small arrays,
// takes a few (whole groups, then the rest by its binary digits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/kernels.hpp"
#include "engine/method.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/base/progress.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

enum class Path {
  tiles,     // SIMD tiles
  elements,  // elements whose size is no power of two, or less than a cache line of data, in tiles
};

struct Section {
  Path path = Path::tiles;
  std::uint64_t offset = 0;  // bytes from the beginning of the data
  std::uint64_t repeat = 1;
  std::uint64_t bytes = 0;  // of one
  BitMap map;               // on units of unit_bytes
  std::uint64_t unit_bytes = 1;
  std::string reason;
  TilePass pass;
  // For a destination off the grid of lines, where `pass` streams from registers: with a stage.
  std::optional<TilePass> off_grid;
};

enum class Place { apart, same };

// One pass over the data: from one buffer to another, or an involution within one.
struct Pass {
  std::vector<Section> sections;
  const KernelSet* kernels = nullptr;
  int threads = 1;
  Place place = Place::apart;
};

// The index vectors of a plan's kernels, whatever its walk shifts.
LaneTables tables_for(const TilePlan& plan, const KernelSet& kernels);

// How many threads so much data is worth, of those that are asked for and have a core each. For
// less data than this a thread costs more, to be woken and waited for, than it brings.
inline constexpr std::uint64_t thread_bytes_min = std::uint64_t{1} << 19U;
int threads_for(std::uint64_t data_bytes, const PermuteOptions& options);

// Requires an involution where place is `same`. `candidate` numbers the methods to measure; 0 is
// the static choice, and nothing is returned beyond the last.
std::optional<Pass> plan_pass(const BitMap& map, const PermuteShape& shape,
                              const PermuteOptions& options, Place place,
                              std::size_t candidate = 0);
// The same for a machine of other numbers than the tuning in effect has.
std::optional<Pass> plan_pass(const BitMap& map, const PermuteShape& shape,
                              const PermuteOptions& options, Place place, std::size_t candidate,
                              const MachineTuning& machine);

// from == to for a pass in place.
void run_pass(const Pass& pass, const std::byte* from, std::byte* to, const Progress& progress);

// Share number `share` of `shares` of a pass from one buffer to another: all shares together, in
// any order or at once, are the pass. On the calling thread.
void run_share(const Pass& pass, Word share, Word shares, const std::byte* from, std::byte* to);

// Working memory of all threads together.
std::uint64_t working_bytes(const Pass& pass);

// The order of the tiles for run_elements; no kernels.
TilePlan element_plan(const BitMap& map, std::uint64_t unit_bytes, Place place);

// Elements of any size, tile by tile: copies, or exchanges in place.
void run_elements(const Section& section, Place place, const std::byte* from, std::byte* to,
                  Word begin, Word end);

}  // namespace faro::inline v1::engine
