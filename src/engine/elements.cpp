// Elements of any number of bytes, in the order of tiles: no vector kernels, but every cache line
// is used up while it is near.
#include <algorithm>
#include <array>
#include <cstring>

#include "passes.hpp"

namespace faro::engine {
namespace {

// A tile's lines and pages stay in the first cache and its translations.
constexpr std::uint64_t tile_bytes_max = std::uint64_t{1} << 14U;

template <std::size_t Bytes>
struct Fixed {
  static void copy(std::byte* to, const std::byte* from, std::size_t) {
    std::memcpy(to, from, Bytes);
  }
};
struct Any {
  static void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  }
};

void exchange(std::byte* a, std::byte* b, std::size_t bytes) {
  std::array<std::byte, 256> hold;
  for (std::size_t at = 0; at < bytes; at += hold.size()) {
    const std::size_t part = std::min(hold.size(), bytes - at);
    std::memcpy(hold.data(), a + at, part);
    std::memcpy(a + at, b + at, part);
    std::memcpy(b + at, hold.data(), part);
  }
}

// Visits (x, map(x)) for the elements of tiles begin..end-1: the runs of a tile one after another,
// an element at a time.
template <class Visit>
void each_element(const TilePlan& plan, const BitMap& map, Word begin, Word end, Visit&& visit) {
  std::array<Word, word_bits + 1> steps{};
  Word sum = 0;
  const int run_bits = plan.method.from_run_bits;
  for (int i = 0; i < run_bits; ++i) steps[static_cast<std::size_t>(i)] = sum ^= map.column(i);
  for (Word tile = begin; tile < end; ++tile) {
    const Word start = combine(plan.outer_from, tile);
    for (const Word run : plan.from_runs) {
      const Word first = start ^ run;
      Word y = map(first);
      const Word last = first + low_mask(run_bits);
      for (Word x = first;; ++x) {
        visit(x, y);
        if (x == last) break;
        y ^= steps[static_cast<std::size_t>(lowest_bit(x + 1))];
      }
    }
  }
}

template <class Copy>
void copy_elements(const Section& section, const std::byte* from, std::byte* to, Word begin,
                   Word end) {
  const std::size_t bytes = section.unit_bytes;
  each_element(section.pass.plan, section.map, begin, end,
               [&](Word x, Word y) { Copy::copy(to + y * bytes, from + x * bytes, bytes); });
}

using CopyElements = void (*)(const Section&, const std::byte*, std::byte*, Word, Word);

CopyElements copier(std::uint64_t bytes) {
  switch (bytes) {
    case 1:
      return copy_elements<Fixed<1>>;
    case 2:
      return copy_elements<Fixed<2>>;
    case 3:
      return copy_elements<Fixed<3>>;
    case 4:
      return copy_elements<Fixed<4>>;
    case 5:
      return copy_elements<Fixed<5>>;
    case 6:
      return copy_elements<Fixed<6>>;
    case 7:
      return copy_elements<Fixed<7>>;
    case 8:
      return copy_elements<Fixed<8>>;
    case 10:
      return copy_elements<Fixed<10>>;
    case 12:
      return copy_elements<Fixed<12>>;
    case 20:
      return copy_elements<Fixed<20>>;
    case 24:
      return copy_elements<Fixed<24>>;
    case 40:
      return copy_elements<Fixed<40>>;
    case 48:
      return copy_elements<Fixed<48>>;
    default:
      return copy_elements<Any>;
  }
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
  if (place == Place::same) add_partners(plan);
  return plan;
}

void run_elements(const Section& section, Place place, const std::byte* from, std::byte* to,
                  Word begin, Word end) {
  if (place == Place::apart) {
    copier(section.unit_bytes)(section, from, to, begin, end);
    return;
  }
  const std::size_t bytes = section.unit_bytes;
  each_element(section.pass.plan, section.map, begin, end, [&](Word x, Word y) {
    if (x < y) exchange(to + x * bytes, to + y * bytes, bytes);
  });
}

}  // namespace faro::engine
