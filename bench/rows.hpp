// What engine_bench times: the classes of maps, sizes and elements that the engine's figures are
// stated for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::bench {

enum class Moves { apart, in_place };

struct BenchRow {
  std::string group;  // its class
  std::string map_name;
  BitMap map;
  PermuteShape shape;
  Moves moves = Moves::apart;
  std::size_t past_line = 0;  // where both arrays begin, in bytes after a cache line does

  std::uint64_t bytes() const {
    return (shape.outer * shape.inner * shape.element_bytes) << map.width();
  }
};

// The sets of kernels that may be asked for, by name.
const std::map<std::string, Simd>& kernel_names();

// Named maps of `width` bits: vector-reversal, gray, ungray, shuffle, unshuffle, transpose,
// transpose-8-columns, transpose-8-rows, morton, bit-reversal, bpc-N, affine-N (random, N the
// seed).
BitMap bench_map(const std::string& name, int width);

enum class Sizes { tenth, full };

// All rows, class by class. Sizes::tenth divides those beyond the caches by eight.
std::vector<BenchRow> bench_rows(Sizes sizes);

struct BenchClass {
  const char* name;
  const char* what;
  // The ratio that is aimed at: median, and worst where one is stated (0 if not); for CPUs with
  // AVX-512 and for others.
  double median_avx512;
  double worst_avx512;
  double median_avx2;
  double worst_avx2;
  // A class whose figures are stated apart for small and large elements stands twice.
  std::uint64_t element_bytes_min = 1;
  std::uint64_t element_bytes_max = 16;
};
const std::vector<BenchClass>& bench_classes();

}  // namespace faro::bench
