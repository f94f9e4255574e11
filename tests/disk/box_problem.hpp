// Random arrays, grids, axes and caps for tests of boxes.
#pragma once

#include "base/random.hpp"
#include "disk/box_plan.hpp"

namespace faro::testing {

inline disk::StoredGrid random_grid(const std::vector<std::uint64_t>& shape, std::uint64_t element,
                                    Random& random) {
  disk::StoredGrid grid{.shape = shape, .chunks = {}, .shards = {}, .element_bytes = element};
  for (const std::uint64_t n : shape) {
    const std::uint64_t kind = random.below(5);
    grid.chunks.push_back(kind == 0   ? 1
                          : kind == 1 ? n
                          : kind == 2 ? n + random.below(3)
                                      : 1 + random.below(n));
  }
  if (random.below(2) == 0)
    for (const std::uint64_t c : grid.chunks) grid.shards.push_back(c * (1 + random.below(3)));
  grid.encoded = random.below(2) == 0;
  grid.reading_bytes = random.below(3) * 7;
  grid.writing_bytes = random.below(3) * 5;
  return grid;
}

inline disk::BoxProblem random_problem(Random& random) {
  static constexpr std::uint64_t lengths_max[] = {1, 200, 40, 17, 9};
  const std::size_t axes = random.below(5);
  std::vector<std::uint64_t> shape;
  for (std::size_t k = 0; k < axes; ++k) shape.push_back(1 + random.below(lengths_max[axes]));
  const std::uint64_t element = std::uint64_t{1} << random.below(4);
  disk::BoxProblem problem;
  problem.from = random_grid(shape, element, random);
  for (std::size_t k = 0; k < axes; ++k) problem.axes.push_back(k);
  if (random.below(3) != 0) random.mix(problem.axes);
  std::vector<std::uint64_t> out;
  for (const std::size_t a : problem.axes) out.push_back(shape[a]);
  problem.to = random_grid(out, element, random);
  for (std::size_t k = 0; k < axes; ++k) problem.reversed.push_back(random.below(4) == 0);
  std::uint64_t total = element;
  std::uint64_t from_unit = element;
  std::uint64_t to_unit = element;
  for (std::size_t k = 0; k < axes; ++k) {
    total *= shape[k];
    from_unit *= problem.from.chunks[k];
    to_unit *= problem.to.chunks[k];
  }
  problem.fixed_bytes = 0;
  const double part = static_cast<double>(random.below(1000)) / 1000;
  problem.memory_bytes =
      3 * std::max(from_unit, to_unit) + 700 +
      static_cast<std::uint64_t>(static_cast<double>(total) * part * part * part * 1.5);
  static constexpr const char* profiles[] = {"ssd", "cloud", "hdd"};
  problem.profile = DiskProfile::named(profiles[random.below(3)]);
  // Where decoding costs most, units are not read again.
  if (random.below(3) == 0) problem.decode_bytes_per_second = 1000;
  problem.threads = 1 + static_cast<int>(random.below(3));
  return problem;
}

}  // namespace faro::testing
