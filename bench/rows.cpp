#include "rows.hpp"

#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"

namespace faro::bench {
namespace {

std::vector<int> places(int width) {
  std::vector<int> place(static_cast<std::size_t>(width));
  std::iota(place.begin(), place.end(), 0);
  return place;
}

BitMap rotation(int width, int by) {
  std::vector<int> place = places(width);
  for (int& p : place) p = (p + by) % width;
  return BitMap::from_places(place);
}

BitMap gray(int width) {
  BitMatrix matrix(width, width);
  for (int i = 0; i < width; ++i) matrix.set_column(i, bit(i) | (bit(i) >> 1U));
  return BitMap::from_matrix(matrix);
}

BitMap morton(int width) {
  std::vector<int> place = places(width);
  const int half = width / 2;
  for (int b = 0; b < 2 * half; ++b) {
    place[static_cast<std::size_t>(b)] = b < half ? 2 * b : 2 * (b - half) + 1;
  }
  return BitMap::from_places(place);
}

BitMap random_bpc(int width, Random& random) {
  std::vector<int> place = places(width);
  random.mix(place);
  return BitMap::from_places(place, random.next() & low_mask(width));
}

BitMap random_affine(int width, Random& random) {
  for (;;) {
    BitMatrix matrix(width, width);
    for (int i = 0; i < width; ++i) matrix.set_column(i, random.next() & low_mask(width));
    if (matrix.rank() == width) {
      return BitMap::from_matrix(matrix, random.next() & low_mask(width));
    }
  }
}

using Names = std::vector<std::string>;

Names numbered(const std::string& stem, int count) {
  Names names;
  for (int i = 1; i <= count; ++i) names.push_back(stem + "-" + std::to_string(i));
  return names;
}

Names joined(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

const Names simple{"vector-reversal", "gray", "ungray", "shuffle"};
const Names transposes{"unshuffle", "transpose", "transpose-8-columns", "transpose-8-rows",
                       "morton"};

class Rows {
 public:
  explicit Rows(Sizes sizes) : smaller_(sizes == Sizes::full ? 0 : 3) {}

  // Sizes beyond the caches are those that a tenth makes smaller.
  void add(const std::string& group, int bytes_log2, const std::vector<int>& elements_log2,
           const Names& names, Moves moves = Moves::apart, std::size_t past_line = 0) {
    constexpr int caches_log2 = 24;
    const int size = bytes_log2 > caches_log2 ? bytes_log2 - smaller_ : bytes_log2;
    for (const int element : elements_log2) {
      for (const std::string& name : names) {
        rows_.push_back({.group = group,
                         .map_name = name,
                         .map = bench_map(name, size - element),
                         .shape = {.element_bytes = bit(element)},
                         .moves = moves,
                         .past_line = past_line});
      }
    }
  }
  void add_shaped(int width, const PermuteShape& shape, const std::string& name) {
    const int w = width - smaller_;
    rows_.push_back(
        {.group = "others", .map_name = name, .map = bench_map(name, w), .shape = shape});
  }
  std::vector<BenchRow> take() { return std::move(rows_); }

 private:
  int smaller_;
  std::vector<BenchRow> rows_;
};

}  // namespace

const std::map<std::string, Simd>& kernel_names() {
  static const std::map<std::string, Simd> names{{"scalar", Simd::scalar},
                                                 {"sse4", Simd::sse4},
                                                 {"avx2", Simd::avx2},
                                                 {"avx512", Simd::avx512},
                                                 {"neon", Simd::neon}};
  return names;
}

BitMap bench_map(const std::string& name, int width) {
  if (name == "vector-reversal") {
    return BitMap::from_matrix(BitMatrix::identity(width), low_mask(width));
  }
  if (name == "gray") return gray(width);
  if (name == "ungray") return gray(width).inverse();
  if (name == "shuffle") return rotation(width, 1);
  if (name == "unshuffle") return rotation(width, width - 1);
  if (name == "transpose") return rotation(width, width / 2);
  if (name == "transpose-8-columns") return rotation(width, width - 3);
  if (name == "transpose-8-rows") return rotation(width, 3);
  if (name == "morton") return morton(width);
  if (name == "bit-reversal") {
    std::vector<int> place = places(width);
    for (int& p : place) p = width - 1 - p;
    return BitMap::from_places(place);
  }
  const auto dash = name.find('-');
  FARO_CHECK(dash != std::string::npos);
  Random random(std::stoull(name.substr(dash + 1)));
  return name.starts_with("bpc") ? random_bpc(width, random) : random_affine(width, random);
}

std::vector<BenchRow> bench_rows(Sizes sizes) {
  Rows rows(sizes);
  rows.add("simple", 30, {2, 3, 4}, simple);
  rows.add("transposes", 30, {2, 3, 4}, transposes);
  rows.add("bit-reversal", 28, {3}, {"bit-reversal"});
  rows.add("bit-reversal", 30, {3}, {"bit-reversal"});
  rows.add("bpc", 30, {3}, numbered("bpc", 32));
  rows.add("affine", 30, {3}, numbered("affine", 32));
  rows.add("small-simple", 28, {0, 1}, simple);
  const Names hard = joined(joined({"bit-reversal"}, numbered("bpc", 8)), numbered("affine", 8));
  rows.add("small", 28, {0, 1}, hard);
  const Names all =
      joined(joined(simple, transposes),
             joined({"bit-reversal"}, joined(numbered("bpc", 3), numbered("affine", 3))));
  rows.add("cache", 18, {2, 3, 4}, all);
  rows.add("cache", 18, {0, 1}, all);
  rows.add("l3", 24, {2, 3, 4}, all);
  rows.add("in-place", 30, {3}, {"bit-reversal"}, Moves::in_place);
  // As malloc and NumPy give them.
  const Names each{"gray",  "transpose", "transpose-8-columns", "transpose-8-rows", "bit-reversal",
                   "bpc-1", "affine-1"};
  rows.add("off-grid", 28, {0, 2, 3, 4}, each, Moves::apart, 16);
  rows.add("off-grid", 28, {3}, {"bit-reversal", "bpc-1", "affine-1"}, Moves::in_place, 16);
  rows.add("others", 28, {3}, {"shuffle", "gray", "bpc-1", "affine-1"}, Moves::in_place);
  rows.add("others", 28, {0}, {"bit-reversal", "affine-1"}, Moves::in_place);
  rows.add_shaped(24, {.element_bytes = 12}, "bit-reversal");
  rows.add_shaped(24, {.element_bytes = 3}, "affine-1");
  rows.add_shaped(18, {.element_bytes = 8, .outer = 100}, "bit-reversal");
  rows.add_shaped(13, {.element_bytes = 4, .outer = 10000}, "affine-1");
  rows.add_shaped(20, {.element_bytes = 4, .inner = 24}, "bit-reversal");
  return rows.take();
}

const std::vector<BenchClass>& bench_classes() {
  static const std::vector<BenchClass> classes{
      {"simple", "2^30 bytes, elements of 4, 8, 16", 1.2, 0, 1.25, 0},
      {"transposes", "2^30 bytes, elements of 4, 8, 16", 1.35, 1.6, 1.5, 1.9},
      {"bit-reversal", "2^28 and 2^30 bytes, elements of 8", 1.4, 1.4, 1.9, 2.3},
      {"bpc", "2^30 bytes, elements of 8, 32 random maps", 1.5, 2.0, 1.8, 2.4},
      {"affine", "2^30 bytes, elements of 8, 32 random maps", 1.8, 2.4, 2.2, 2.9},
      {"small-simple", "2^28 bytes, elements of 1, 2", 1.25, 0, 1.3, 0},
      {"small", "2^28 bytes, elements of 1", 2.6, 0, 3.2, 0, 1, 1},
      {"small", "2^28 bytes, elements of 2", 2.1, 0, 2.5, 0, 2, 2},
      {"cache", "256 KiB, elements of 4, 8, 16, all maps", 2.2, 0, 2.2, 0, 4, 16},
      {"cache", "256 KiB, elements of 1, 2, all maps", 4, 0, 4, 0, 1, 2},
      {"l3", "16 MiB, elements of 4, 8, 16, all maps", 1.3, 1.8, 1.3, 1.8},
      {"in-place", "2^30 bytes, elements of 8, against one pass that reads and writes", 1.5, 0, 1.8,
       0},
      {"off-grid", "2^28 bytes, elements of 1, 4, 8, 16, arrays 16 bytes past a cache line", 0, 0,
       0, 0},
      {"others", "in place, odd element sizes, batches", 0, 0, 0, 0},
  };
  return classes;
}

}  // namespace faro::bench
