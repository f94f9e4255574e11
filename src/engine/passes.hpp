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
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/progress.hpp"
#include "faro/engine/options.hpp"
#include "kernels/kernels.hpp"

namespace faro::engine {

enum class Path {
  tiles,     // SIMD tiles
  elements,  // elements whose size is no power of two, in tiles
  obvious,   // less than a cache line in all
};

struct Section {
  Path path = Path::tiles;
  std::uint64_t offset = 0;  // bytes from the beginning of the data
  std::uint64_t repeat = 1;
  std::uint64_t bytes = 0;  // of one
  BitMap map;               // on units of unit_bytes
  std::uint64_t unit_bytes = 1;
  TilePass pass;  // path tiles
};

struct Passes {
  std::vector<Section> sections;
  const KernelSet* kernels = nullptr;
  int threads = 1;
};

// The static choice for a map of units on `data_bytes` bytes in all.
Method choose_method(const BitMap& map, const BitMatrix& inverse, int unit_log2,
                     const KernelSet& kernels, std::uint64_t data_bytes, Stores stores);

Section tile_section(const BitMap& map, int unit_log2, const KernelSet& kernels,
                     const Method& method);

Passes plan_passes(const BitMap& map, const PermuteShape& shape, const PermuteOptions& options);

void run_passes(const Passes& passes, const std::byte* from, std::byte* to,
                const Progress& progress);

}  // namespace faro::engine
