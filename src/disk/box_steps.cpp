#include "disk/box_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace faro::inline v1::disk {
namespace {

constexpr std::uint64_t file_nanoseconds = 100'000;  // to make a file, about
constexpr std::uint64_t nanoseconds_a_second = 1'000'000'000;

Nanoseconds time_of(Units bytes, std::uint64_t per_second) {
  return bytes * nanoseconds_a_second / per_second;
}

}  // namespace

Units units_of(Count count) {
  return (Units{count.high()} << 64U) | count.low();
}

double seconds_of(Nanoseconds time) {
  return static_cast<double>(time) / static_cast<double>(nanoseconds_a_second);
}

BoxPrice::BoxPrice(const BoxProblem& problem, const BoxGrids& grids)
    : problem_(problem), grids_(grids), bytes_(problem.to.element_bytes) {
  for (std::size_t k = 0; k < grids.shape.size(); ++k) {
    bytes_ *= grids.shape[k];
    files_to_ *= grids.files_to[k].count();
  }
}

Nanoseconds BoxPrice::input(Units requests, Units bytes, const std::vector<AxisGrid>& tile) const {
  if (!problem_.from.shards.empty()) {
    // Each tile looks into the index of each shard that it meets.
    Units looks = 1;
    for (std::size_t k = 0; k < tile.size(); ++k) looks *= meets(grids_.files_from[k], tile[k]);
    requests += looks;
  }
  return requests * problem_.profile.read_run_nanoseconds +
         time_of(bytes, problem_.profile.read_bytes_per_second) +
         (problem_.from.encoded ? time_of(bytes, problem_.decode_bytes_per_second) : 0);
}

Nanoseconds BoxPrice::output(const std::vector<AxisGrid>& tile) const {
  Nanoseconds total = time_of(bytes_, problem_.profile.write_bytes_per_second);
  if (is_plain(problem_.to)) {
    std::vector<std::size_t> order(tile.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return total + units_of(run_requests(tile, order, problem_.to.element_bytes)) *
                       problem_.profile.write_run_nanoseconds;
  }
  total += files_to_ * (problem_.profile.write_run_nanoseconds + file_nanoseconds);
  return total + (problem_.to.encoded ? time_of(bytes_, problem_.encode_bytes_per_second) : 0);
}

Nanoseconds BoxPrice::between(Units files, Units meets) const {
  return files * (problem_.profile.write_run_nanoseconds + file_nanoseconds) +
         meets * problem_.profile.read_run_nanoseconds +
         time_of(bytes_, problem_.profile.write_bytes_per_second) +
         time_of(bytes_, problem_.profile.read_bytes_per_second);
}

// At most so many, evenly in the logarithm, both ends kept.
std::vector<std::uint64_t> spread(const Steps& steps, std::size_t most) {
  std::vector<std::uint64_t> all(steps.begin(), steps.end());
  if (all.size() <= most) return all;
  std::vector<std::uint64_t> some{all.front()};
  const double ratio = std::log(static_cast<double>(all.back()) / static_cast<double>(all.front()));
  std::size_t k = 0;
  for (std::size_t i = 1; i < most; ++i) {
    const double wanted = static_cast<double>(all.front()) *
                          std::exp(ratio * static_cast<double>(i) / static_cast<double>(most - 1));
    const auto off = [&](std::size_t j) { return std::abs(static_cast<double>(all[j]) - wanted); };
    while (k + 1 < all.size() && off(k + 1) <= off(k)) ++k;
    if (all[k] != some.back()) some.push_back(all[k]);
  }
  if (some.back() != all.back()) some.push_back(all.back());
  return some;
}

namespace {

// The least multiples of `unit` that cut `length` into 1, 2, .. pieces.
void add_pieces(std::uint64_t length, std::uint64_t unit, std::uint64_t growth_percent,
                Steps& steps) {
  const std::uint64_t parts = (length - 1) / unit + 1;
  for (std::uint64_t pieces = 1; pieces <= parts;
       pieces = pieces < 64 ? pieces + 1 : pieces + 1 + (pieces * growth_percent / 100)) {
    const std::uint64_t each = (parts - 1) / pieces + 1;
    steps.insert(each >= parts ? length : each * unit);
  }
  steps.insert(std::min(length, unit));
}

void add_common(std::uint64_t length, std::uint64_t a, std::uint64_t b, std::uint64_t times,
                Steps& steps) {
  const std::uint64_t g = std::gcd(a, b);
  if (a / g > length / b) return;
  for (std::uint64_t j = 1; j <= times && j <= length / (a / g * b); ++j)
    steps.insert(j * (a / g * b));
}

}  // namespace

std::vector<AxisGrid> target_tiles(const BoxProblem& problem, const BoxGrids& grids, std::size_t k,
                                   std::size_t most) {
  const std::uint64_t n = grids.shape[k];
  const std::uint64_t q = is_plain(problem.to) ? 1 : grids.units_to[k].step();
  const std::uint64_t s = is_plain(problem.to) ? 1 : grids.files_to[k].step();
  Steps steps{n};
  // A shard that is longer than the axis is cut short, and so may be no multiple of its chunks.
  const std::uint64_t chunks = is_plain(problem.to) || problem.to.shards.empty()
                                   ? 1
                                   : problem.to.shards[k] / problem.to.chunks[k];
  for (std::uint64_t d = 1; d <= chunks && d * d <= chunks; ++d)
    if (chunks % d == 0)
      for (const std::uint64_t count : {d, chunks / d})
        if (q <= n / count) steps.insert(q * count);
  add_pieces(n, s, 25, steps);
  // Where units are read again, others than the least may meet fewer.
  constexpr std::uint64_t multiples_max = 64;
  if (n / s <= multiples_max)
    for (std::uint64_t step = s; step < n; step += s) steps.insert(step);
  const std::uint64_t p = is_plain(problem.from) ? 1 : grids.units_from[k].step();
  add_common(n, p, s, 8, steps);
  std::vector<AxisGrid> tiles;
  for (const std::uint64_t step : spread(steps, most)) tiles.push_back(AxisGrid::regular(n, step));
  return tiles;
}

// Of the first pass of several: unions of units read, which may begin with a short one.
std::vector<AxisGrid> source_tiles(const BoxProblem& problem, const BoxGrids& grids, std::size_t k,
                                   std::size_t most) {
  const std::uint64_t n = grids.shape[k];
  const bool plain = is_plain(problem.from);
  const std::uint64_t p = plain ? 1 : grids.units_from[k].step();
  Steps steps{n};
  add_pieces(n, p, 25, steps);
  if (!plain && grids.files_from[k].step() > p)
    for (std::uint64_t j = 1; j <= 4; ++j)
      if (problem.from.shards[grids.axes[k]] % p == 0 && grids.files_from[k].step() <= n / j)
        steps.insert(grids.files_from[k].step() / p * p * j);
  if (!is_plain(problem.to))
    for (const std::uint64_t other : {grids.units_to[k].step(), grids.files_to[k].step()})
      add_common(n, p, other, 4, steps);
  std::vector<AxisGrid> tiles;
  for (const std::uint64_t step : spread(steps, most)) {
    const std::uint64_t offset = plain ? step : grids.units_from[k].offset();
    if (step >= n || plain || offset >= step)
      tiles.push_back(AxisGrid::shifted(n, step, std::min(step, std::max(offset, step))));
    else
      tiles.push_back(AxisGrid::shifted(n, step, (step - offset) / p * p + offset));
  }
  return tiles;
}

// Elements that a tile takes on an axis where it lies unit after unit.
std::uint64_t padded(const AxisGrid& units, std::uint64_t nominal, const AxisGrid& tile) {
  return most_met(units, tile).blocks * nominal;
}

// What is left for tiles beside the buffers, in elements.
Units room_for(const BoxProblem& problem, const BoxGrids& grids, int copies, TileOrder order,
               const PassPlace& place) {
  // The buffers of a tile that is one element do not depend on the tile.
  std::vector<BoxPass> passes(place.first && place.last ? 1 : place.first || place.last ? 2 : 3);
  for (BoxPass& pass : passes) {
    for (const std::uint64_t n : grids.shape) pass.tile.push_back(AxisGrid::regular(n, n));
    pass.order = order;
  }
  const std::size_t which = place.first ? 0 : place.last ? passes.size() - 1 : 1;
  complete_pass(problem, grids, copies, passes, which);
  const BoxPass& pass = passes[which];
  const Units used = Units{problem.fixed_bytes} +
                     Units{pass.read_buffer_bytes} * static_cast<unsigned>(pass.readers) +
                     Units{pass.write_buffer_bytes} * static_cast<unsigned>(pass.writers);
  if (used >= problem.memory_bytes) return 0;
  return (problem.memory_bytes - used) / static_cast<unsigned>(copies) / problem.to.element_bytes;
}

}  // namespace faro::inline v1::disk
