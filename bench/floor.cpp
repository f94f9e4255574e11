#include "floor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "faro/base/bits.hpp"
#include "timing.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace faro::bench {
namespace {

constexpr std::size_t line = 64;
constexpr int page_log2 = 12;
constexpr std::size_t page = std::size_t{1} << page_log2;

// Processors without streaming stores that we know of take ordinary ones.
template <bool streaming>
void move_bytes(const std::byte* from, std::byte* to, std::size_t bytes) {
#if defined(__SSE2__)
  if constexpr (streaming) {
    for (std::size_t i = 0; i < bytes; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

// A loop that stores one line an iteration is slow on some processors, whatever it stores.
template <bool streaming>
void move_run(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::size_t i = 0;
  for (; i + 4 * line <= bytes; i += 4 * line) move_bytes<streaming>(from + i, to + i, 4 * line);
  for (; i < bytes; i += line) move_bytes<streaming>(from + i, to + i, line);
}

void finish_stores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Independent vectors, by their leading bits.
class Independent {
 public:
  bool add(Word x) {
    while (x != 0) {
      Word& met = by_lead_[static_cast<std::size_t>(highest_bit(x))];
      if (met == 0) {
        met = x;
        return true;
      }
      x ^= met;
    }
    return false;
  }

 private:
  std::array<Word, word_bits> by_lead_{};
};

// What the low `bits` bits of the other side make of this one, by runs.
std::vector<Word> spread(const BitMap& other_to_this, int bits, int run_log2, Independent& met) {
  std::vector<Word> vectors;
  for (int i = 0; i < run_log2; ++i) met.add(bit(i));
  for (int i = 0; i < bits; ++i) {
    const Word v = other_to_this.column(i) & ~low_mask(run_log2);
    if (met.add(v)) vectors.push_back(v);
  }
  return vectors;
}

std::vector<Word> all_sums(const std::vector<Word>& vectors) {
  std::vector<Word> sums{0};
  for (const Word v : vectors) {
    const std::size_t size = sums.size();
    for (std::size_t i = 0; i < size; ++i) sums.push_back(sums[i] ^ v);
  }
  return sums;
}

}  // namespace

std::optional<FloorLoop> FloorLoop::of(const BitMap& map, const Way& way) {
  const int width = map.width();
  if (std::max(way.from_log2, way.to_log2) > width) return std::nullopt;
  const BitMap inverse = map.inverse();
  Independent at_source;
  Independent at_destination;
  const auto from = spread(inverse, way.to_log2, way.from_log2, at_source);
  const auto to = spread(map, way.from_log2, way.to_log2, at_destination);
  const int tile_log2 = way.from_log2 + static_cast<int>(from.size());
  if (tile_log2 > stage_log2_max) return std::nullopt;
  if (way.staged && tile_log2 == std::max(way.from_log2, way.to_log2)) return std::nullopt;
  FloorLoop loop(way);
  loop.from_runs_ = all_sums(from);
  loop.to_runs_ = all_sums(to);
  for (int i = 0; i < width; ++i) {
    if (way.order == Order::from && at_source.add(bit(i))) {
      loop.walk_.from.push_back(bit(i));
      loop.walk_.to.push_back(map.column(i) & ~low_mask(way.to_log2));
    }
    if (way.order == Order::to && at_destination.add(bit(i))) {
      loop.walk_.from.push_back(inverse.column(i) & ~low_mask(way.from_log2));
      loop.walk_.to.push_back(bit(i));
    }
  }
  loop.to_start_ = map.complement() & ~low_mask(way.to_log2);
  loop.ahead_ = std::max<Word>(1, page >> std::min(tile_log2, page_log2));
  if (way.staged) {
    constexpr std::align_val_t aligned{page};
    loop.stage_ = {static_cast<std::byte*>(::operator new[](std::size_t{1} << tile_log2, aligned)),
                   [](std::byte* at) { ::operator delete[](at, aligned); }};
  }
  return loop;
}

template <bool streaming>
void FloorLoop::run_tile(const std::byte* from, std::byte* to, const Tile& tile) const {
  const std::size_t from_bytes = std::size_t{1} << way_.from_log2;
  const std::size_t to_bytes = std::size_t{1} << way_.to_log2;
  const auto ask = [&](Word run, std::size_t at) {
    if (way_.prefetched) __builtin_prefetch(from + ((tile.soon ^ run) + at));
  };
  if (stage_ == nullptr) {
    const std::size_t bytes = std::min(from_bytes, to_bytes);
    const std::size_t all = from_runs_.size() * from_bytes;
    for (std::size_t at = 0; at < all; at += bytes) {
      const Word run = from_runs_[at / from_bytes];
      for (std::size_t i = 0; i < bytes; i += line) ask(run, at % from_bytes + i);
      move_run<streaming>(from + ((tile.from ^ run) + at % from_bytes),
                          to + ((tile.to ^ to_runs_[at / to_bytes]) + at % to_bytes), bytes);
    }
    return;
  }
  // Eight runs side by side, as memory reads long ones fastest; which line of the stage takes which
  // is so that those of eight pages do not fall into one set of the cache.
  const std::size_t turn = std::min<std::size_t>(8, from_runs_.size());
  const std::size_t lines = from_bytes / line;
  for (std::size_t k = 0; k < from_runs_.size(); k += turn) {
    for (std::size_t l = 0; l < lines; ++l) {
      for (std::size_t w = 0; w < turn; ++w) {
        const Word run = from_runs_[k + w];
        ask(run, l * line);
        std::memcpy(stage_.get() + (k + w) * from_bytes + (l ^ (w & (lines - 1))) * line,
                    from + ((tile.from ^ run) + l * line), line);
      }
    }
  }
  for (std::size_t k = 0; k < to_runs_.size(); ++k) {
    move_run<streaming>(stage_.get() + k * to_bytes, to + (tile.to ^ to_runs_[k]), to_bytes);
  }
}

template <bool streaming>
void FloorLoop::run_all(const std::byte* from, std::byte* to) const {
  // From tile i - 1 to tile i the lowest bit of i is set, and those below it are cleared.
  std::array<Word, word_bits> from_steps{};
  std::array<Word, word_bits> to_steps{};
  Word from_sum = 0;
  Word to_sum = 0;
  for (std::size_t i = 0; i < walk_.from.size(); ++i) {
    from_steps[i] = from_sum ^= walk_.from[i];
    to_steps[i] = to_sum ^= walk_.to[i];
  }
  const auto step = [](const std::array<Word, word_bits>& steps, Word tile) {
    return steps[static_cast<std::size_t>(lowest_bit(tile))];
  };
  const Word tiles = bit(static_cast<int>(walk_.from.size()));
  Tile tile{.to = to_start_};
  for (Word i = 1; i <= ahead_ && i < tiles; ++i) tile.soon ^= step(from_steps, i);
  for (Word i = 0;;) {
    run_tile<streaming>(from, to, tile);
    if (++i == tiles) break;
    tile.from ^= step(from_steps, i);
    tile.to ^= step(to_steps, i);
    if (i + ahead_ < tiles) tile.soon ^= step(from_steps, i + ahead_);
  }
  finish_stores();
}

void FloorLoop::run(const std::byte* from, std::byte* to) const {
  way_.streaming ? run_all<true>(from, to) : run_all<false>(from, to);
}

namespace {

using Way = FloorLoop::Way;
using Order = FloorLoop::Order;

// Runs, from and to, in log2 of bytes.
constexpr std::array<std::pair<int, int>, 9> run_pairs{
    {{6, 6}, {7, 7}, {8, 8}, {9, 9}, {10, 10}, {12, 8}, {12, 9}, {12, 12}, {9, 12}}};
// Streaming is for what the caches do not hold, ordinary stores for what they may.
constexpr std::size_t streaming_bytes_min = std::size_t{1} << 20U;
constexpr std::size_t ordinary_bytes_max = std::size_t{1} << 26U;

std::vector<FloorLoop> loops_for(const BitMap& map) {
  std::vector<FloorLoop> loops;
  const std::size_t bytes = std::size_t{1} << map.width();
  for (const auto& [from, to] : run_pairs) {
    for (const bool streaming : {false, true}) {
      if (streaming ? bytes < streaming_bytes_min : bytes > ordinary_bytes_max) continue;
      for (const bool staged : {false, true}) {
        for (const bool prefetched : {false, true}) {
          auto loop = FloorLoop::of(
              map, {from, to, from < to ? Order::to : Order::from, staged, streaming, prefetched});
          if (loop) loops.push_back(std::move(*loop));
        }
      }
    }
  }
  return loops;
}

}  // namespace

std::optional<FloorLoop> floor_of(const BenchRow& row, std::span<const std::byte> from,
                                  std::span<std::byte> to) {
  const std::uint64_t block = row.shape.inner * row.shape.element_bytes;
  if (row.moves == Moves::in_place || !is_power_of_two(block) || !is_power_of_two(row.shape.outer))
    return std::nullopt;
  const BitMap map = beside(beside(BitMap::identity(log2_exact(row.shape.outer)), row.map),
                            BitMap::identity(log2_exact(block)));
  std::optional<FloorLoop> best;
  double least = std::numeric_limits<double>::infinity();
  for (FloorLoop& loop : loops_for(map)) {
    // The best of a few runs after the first, more of short ones.
    const std::size_t runs = std::clamp<std::size_t>((std::size_t{1} << 25U) / row.bytes(), 2, 16);
    double seconds = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i <= runs; ++i) {
      const double begin = seconds_of(Clock::processor);
      loop.run(from.data(), to.data());
      if (i != 0) seconds = std::min(seconds, seconds_of(Clock::processor) - begin);
    }
    if (seconds >= least) continue;
    least = seconds;
    best = std::move(loop);
  }
  return best;
}

namespace {

struct Limit {
  std::string name;
  std::function<void(const std::byte* from, std::byte* to)> run;
};

// 32 bytes of a line of each of eight pages, and the other half when all eight had their turn;
// `bytes` = 64: the same with whole lines.
template <std::size_t bytes>
void parts_of_lines(const std::byte* from, std::byte* to, std::size_t size) {
  constexpr std::size_t turn = 8;
  for (std::size_t at = 0; at + turn * page <= size; at += turn * page) {
    for (std::size_t i = 0; i < page; i += bytes) {
      for (std::size_t w = 0; w < turn; ++w) {
        move_bytes<true>(from + at + w * page + i, to + at + w * page + i, bytes);
      }
    }
  }
  finish_stores();
}

// The fastest ways differ from machine to machine; the faster of two is told.
void add_loops(std::vector<Limit>& limits, const std::string& name, const BitMap& map, Way way) {
  for (const bool prefetched : {false, true}) {
    way.prefetched = prefetched;
    const auto loop = FloorLoop::of(map, way);
    if (!loop) continue;
    limits.push_back(
        {name, [loop = *loop](const std::byte* from, std::byte* to) { loop.run(from, to); }});
  }
}

std::vector<Limit> limits_of(int bytes_log2) {
  const std::size_t bytes = std::size_t{1} << bytes_log2;
  std::vector<Limit> limits;
  const BitMap still = BitMap::identity(bytes_log2);
  add_loops(limits, "copy, ordinary stores", still,
            {page_log2, page_log2, Order::to, false, false, false});
  add_loops(limits, "copy, streaming stores", still,
            {page_log2, page_log2, Order::to, false, true, false});
  limits.push_back({"copy, lines of 8 pages in turn", [bytes](const auto* from, auto* to) {
                      parts_of_lines<line>(from, to, bytes);
                    }});
  limits.push_back({"copy, half lines of 8 pages in turn", [bytes](const auto* from, auto* to) {
                      parts_of_lines<line / 2>(from, to, bytes);
                    }});
  for (const Order in_order : {Order::to, Order::from}) {
    for (const int run : {6, 7, 8, 9, 10, 12}) {
      add_loops(limits,
                fmt::format("{} runs of {} bytes", in_order == Order::to ? "gather" : "scatter",
                            bit(run)),
                beside(bench_map("bit-reversal", bytes_log2 - run), BitMap::identity(run)),
                {run, run, in_order, false, true, false});
    }
  }
  // Bit reversal of pieces of 16 bytes.
  const BitMap pieces = beside(bench_map("bit-reversal", bytes_log2 - 4), BitMap::identity(4));
  for (const auto& [from, to] : run_pairs) {
    add_loops(limits, fmt::format("both sides: runs of {} to runs of {}", bit(from), bit(to)),
              pieces, {from, to, Order::from, true, true, false});
  }
  return limits;
}

}  // namespace

void print_limits(int bytes_log2, int rounds) {
  const std::size_t bytes = std::size_t{1} << bytes_log2;
  const std::vector<Limit> limits = limits_of(bytes_log2);
  std::vector<std::pair<std::string, std::array<double, 2>>> rows;  // on small pages, on huge ones
  std::array<double, 2> memcpy_seconds{};
  for (const Pages pages : {Pages::small, Pages::huge}) {
    const auto k = static_cast<std::size_t>(pages);
    const BenchBuffer from(bytes, pages);
    const BenchBuffer to(bytes, pages);
    std::vector<Contender> contenders;
    for (const Limit& limit : limits) {
      contenders.push_back(
          {limit.name, [&] { limit.run(from.first(bytes).data(), to.first(bytes).data()); }});
    }
    const auto timed = time_against(
        "memcpy", [&] { copy_with_threads(from.first(bytes), to.first(bytes), 1); }, contenders,
        bytes, rounds, {}, Clock::processor);
    memcpy_seconds[k] = timed.back().seconds;
    for (const Timed& one : timed) {
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const auto& met) { return met.first == one.name; });
      if (row == rows.end()) row = rows.insert(rows.end(), {one.name, {}});
      double& least = row->second[k];
      least = least == 0 ? one.ratio : std::min(least, one.ratio);
    }
  }
  const auto speed = [&](double seconds) { return 2 * static_cast<double>(bytes) / seconds / 1e9; };
  fmt::print(
      "limits of this machine: bare loops that move {} MiB and shuffle nothing, time over memcpy's "
      "on the same pages\n  {:40} {:>10} {:>10}\n",
      bytes >> 20U, "", "4 KiB", "huge");
  for (const auto& [name, ratios] : rows) {
    fmt::print("  {:40} {:10.2f} {:10.2f}\n", name, ratios[0], ratios[1]);
  }
  fmt::print("  {:40} {:5.1f} GB/s {:5.1f} GB/s\n", "memcpy, read and written",
             speed(memcpy_seconds[0]), speed(memcpy_seconds[1]));
}

}  // namespace faro::bench
