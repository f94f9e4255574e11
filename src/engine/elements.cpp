// Elements of any number of bytes, in the order of tiles: no vector kernels, but every cache line
// is used up while it is near.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/kernels/macros.hpp"
#include "engine/passes.hpp"

namespace faro::inline v1::engine {
namespace {

// A tile's lines and pages stay in the first cache and its translations.
constexpr std::uint64_t tile_bytes_max = std::uint64_t{1} << 14U;

// Elements of so many bytes, known to the compiler or (0) not.
template <std::size_t Known>
struct Elements {
  std::size_t unknown;
  std::size_t bytes() const { return Known != 0 ? Known : unknown; }

  void copy(std::byte* to, const std::byte* from) const { std::memcpy(to, from, bytes()); }
  void exchange(std::byte* a, std::byte* b) const {
    std::array<std::byte, Known != 0 ? Known : 256> hold;
    for (std::size_t at = 0; at < bytes(); at += hold.size()) {
      const std::size_t part = Known != 0 ? Known : std::min(hold.size(), bytes() - at);
      std::memcpy(hold.data(), a + at, part);
      std::memcpy(a + at, b + at, part);
      std::memcpy(b + at, hold.data(), part);
    }
  }
};

// Visits (x, map(x)) for the elements of tiles begin..end-1: the runs of a tile one after another,
// in blocks whose images are one xor each, with nothing carried from element to element.
template <int BlockBits, class Visit>
void each_element_in_blocks(const TilePlan& plan, const BitMap& map, Word begin, Word end,
                            Visit&& visit) {
  constexpr std::size_t block = std::size_t{1} << BlockBits;
  std::array<Word, block> images{};
  for (std::size_t j = 1; j < block; ++j) {
    images[j] = images[j & (j - 1)] ^ map.column(lowest_bit(j));
  }
  std::array<Word, word_bits + 1> steps{};
  Word sum = 0;
  const int run_bits = plan.method.from_run_bits;
  for (int i = BlockBits; i < run_bits; ++i) {
    steps[static_cast<std::size_t>(i - BlockBits)] = sum ^= map.column(i);
  }
  const Word blocks = bit(run_bits - BlockBits);
  for (Word tile = begin; tile < end; ++tile) {
    const Word start = combine(plan.outer_from, tile);
    for (const Word run : plan.from_runs) {
      Word x = start ^ run;
      Word y = map(x);
      for (Word done = 1;; ++done) {
        FARO_UNROLL
        for (std::size_t j = 0; j < block; ++j) visit(x + j, y ^ images[j]);
        if (done == blocks) break;
        x += block;
        y ^= steps[static_cast<std::size_t>(lowest_bit(done))];
      }
    }
  }
}

template <class Visit>
void each_element(const TilePlan& plan, const BitMap& map, Word begin, Word end, Visit&& visit) {
  if (plan.method.from_run_bits >= 3) {
    each_element_in_blocks<3>(plan, map, begin, end, visit);
  } else {
    each_element_in_blocks<0>(plan, map, begin, end, visit);
  }
}

template <std::size_t Known>
void move_elements(const Section& section, Place place, const std::byte* from, std::byte* to,
                   Word begin, Word end) {
  const Elements<Known> elements{section.unit_bytes};
  const std::size_t bytes = elements.bytes();
  if (place == Place::apart) {
    each_element(section.pass.plan, section.map, begin, end,
                 [&](Word x, Word y) { elements.copy(to + y * bytes, from + x * bytes); });
  } else {
    each_element(section.pass.plan, section.map, begin, end, [&](Word x, Word y) {
      if (x < y) elements.exchange(to + x * bytes, to + y * bytes);
    });
  }
}

using MoveElements = void (*)(const Section&, Place, const std::byte*, std::byte*, Word, Word);

template <std::size_t... Known>
MoveElements mover_among(std::uint64_t bytes, std::index_sequence<Known...>) {
  MoveElements mover = move_elements<0>;
  ((bytes == Known ? void(mover = move_elements<Known>) : void()), ...);
  return mover;
}

// The sizes that structures of a few numbers have; copies of others are calls of memcpy.
MoveElements mover(std::uint64_t bytes) {
  return mover_among(bytes, std::index_sequence<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                                18, 20, 24, 28, 36, 40, 48, 56, 72, 80, 96>());
}

}  // namespace

TilePlan element_plan(const BitMap& map, std::uint64_t unit_bytes, Place place) {
  const BitMatrix inverse = map.inverse().matrix();
  const int w = map.width();
  const auto bytes_of = [&](int from, int to) {
    return unit_bytes << tile_dimension(inverse, from, to);
  };
  Method method;
  int run = 0;
  while (run < w && bytes_of(run + 1, run + 1) <= tile_bytes_max) ++run;
  method.from_run_bits = run;
  method.to_run_bits = run;
  TilePlan plan = tile_plan(map, inverse, 0, 0, method);
  if (place == Place::same) add_partners(plan, inverse);
  return plan;
}

void run_elements(const Section& section, Place place, const std::byte* from, std::byte* to,
                  Word begin, Word end) {
  mover(section.unit_bytes)(section, place, from, to, begin, end);
}

}  // namespace faro::inline v1::engine
