#include "disk/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "algebra/digit_walk.hpp"
#include "base/cores.hpp"
#include "base/mixing.hpp"
#include "base/parallel.hpp"
#include "disk/plan_state.hpp"

namespace faro::inline v1::disk {
namespace {

std::uint64_t of_unit(std::uint64_t place, const std::byte* bytes, std::uint64_t size) {
  std::uint64_t value = mixed(place + 0x9e3779b97f4a7c15U);
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    value = mixed(value ^ word) + 0x9e3779b97f4a7c15U;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes, size);
  return mixed(value ^ rest);
}

// Of work(0) ... work(count - 1), by as many threads as there are.
template <class Work>
std::uint64_t sum_of(std::uint64_t count, const Work& work) {
  constexpr std::uint64_t parts_max = 64;
  const std::uint64_t parts = std::clamp<std::uint64_t>(count, 1, parts_max);
  std::array<std::uint64_t, parts_max> sums{};
  in_parallel(default_threads(), parts, [&](std::uint64_t part, int) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = count / parts * part + std::min(part, count % parts),
                       end = count / parts * (part + 1) + std::min(part + 1, count % parts);
         i < end; ++i)
      sum += work(i);
    sums[part] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

}  // namespace

std::uint64_t fingerprint_of_tile(const PassTiles& pass, const TilePlace& tile, const BitMap& goal,
                                  std::uint64_t unit_bytes, std::span<const std::byte> bytes) {
  constexpr std::uint64_t piece = 512;
  const std::uint64_t units = pass.neighbours();
  const std::uint64_t runs = bytes.size() / unit_bytes / units;
  return sum_of(runs, [&](std::uint64_t run) {
    std::uint64_t sum = 0;
    const PassTiles::Neighbours at = pass.neighbours(tile, run);
    std::array<Word, piece> places;
    for (std::uint64_t done = 0; done < units; done += piece) {
      const std::uint64_t count = std::min(piece, units - done);
      apply_consecutive(goal, at.first + done, std::span(places).first(count));
      const std::byte* data = bytes.data() + ((run * units + done) * unit_bytes);
      for (std::uint64_t i = 0; i < count; ++i)
        sum += of_unit(at.places_before + places[i], data + (i * unit_bytes), unit_bytes);
    }
    return sum;
  });
}

namespace {

// Runs of so many elements, one behind the other in memory; run i begins at element first_of(i).
template <class FirstOf>
std::uint64_t fingerprint_of_runs(const Map& goal, std::uint64_t run_elements,
                                  const FirstOf& first_of, std::uint64_t element_bytes,
                                  std::span<const std::byte> bytes) {
  constexpr std::uint64_t piece = 65536;
  const radix::DigitPlaces places(goal);
  const std::uint64_t runs = bytes.size() / element_bytes / run_elements;
  const std::uint64_t pieces = (run_elements + piece - 1) / piece;
  return sum_of(runs * pieces, [&](std::uint64_t i) {
    const std::uint64_t run = i / pieces;
    const std::uint64_t begin = i % pieces * piece;
    const std::uint64_t count = std::min(piece, run_elements - begin);
    radix::DigitWalk walk(places, first_of(run) + begin);
    const std::byte* data = bytes.data() + ((run * run_elements + begin) * element_bytes);
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < count; ++k, walk.next(), data += element_bytes)
      sum += of_unit(walk.place(), data, element_bytes);
    return sum;
  });
}

}  // namespace

std::uint64_t fingerprint_of_tile(const DigitTiles& pass, const TilePlace& tile, const Map& goal,
                                  std::uint64_t element_bytes, std::span<const std::byte> bytes) {
  return fingerprint_of_runs(
      goal, pass.read_runs(tile).elements,
      [&](std::uint64_t run) { return pass.read_run(tile, run); }, element_bytes, bytes);
}

std::uint64_t fingerprint_of_tile(const TilePlace& unit, const Map& goal,
                                  std::uint64_t element_bytes, std::span<const std::byte> bytes) {
  const std::uint64_t elements = bytes.size() / element_bytes;
  return fingerprint_of_runs(
      goal, elements, [&](std::uint64_t) { return unit.from * elements; }, element_bytes, bytes);
}

std::uint64_t fingerprint_of_places(std::uint64_t first, std::uint64_t unit_bytes,
                                    std::span<const std::byte> bytes) {
  const std::uint64_t units = bytes.size() / unit_bytes;
  return sum_of(units, [&](std::uint64_t i) {
    return of_unit(first + i, bytes.data() + (i * unit_bytes), unit_bytes);
  });
}

}  // namespace faro::inline v1::disk

namespace faro::inline v1 {

std::uint64_t FilePermutePlan::State::fingerprint(const disk::TilePlace& tile,
                                                  std::span<const std::byte> bytes) const {
  if (digit_tiles)
    return disk::fingerprint_of_tile(*digit_tiles, tile, *lengths, array.unit_bytes, bytes);
  if (unit_tiles) return disk::fingerprint_of_tile(tile, *lengths, array.unit_bytes, bytes);
  return disk::fingerprint_of_tile(tiles.front(), tile, map, array.unit_bytes, bytes);
}

}  // namespace faro::inline v1
