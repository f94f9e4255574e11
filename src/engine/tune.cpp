// The machine's numbers measured: bit reversal and one affine map of elements of 8 bytes, the ways
// that the tuning decides between side by side.
#include <fmt/format.h>
#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/aligned_bytes.hpp"
#include "base/random.hpp"
#include "engine/timed_pass.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1 {
namespace engine {

void bring_near(std::span<const std::byte> data) {
  const volatile std::byte* at = data.data();
  for (std::size_t i = 0; i < data.size(); i += line_bytes) static_cast<void>(at[i]);
}

bool send_away(std::span<const std::byte> data) {
#if HWY_ARCH_X86
  for (std::size_t i = 0; i < data.size(); i += line_bytes) hwy::FlushCacheline(data.data() + i);
  hwy::LoadFence();
  return true;
#else
  static_cast<void>(data);
  return false;
#endif
}

double seconds_of(const Pass& pass, const std::byte* from, std::byte* to) {
  const auto begin = std::chrono::steady_clock::now();
  run_pass(pass, from, to, {});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

namespace {

constexpr int element_log2 = 3;
constexpr int rounds = 5;
constexpr int ordinary_log2_min = 20;
constexpr int ordinary_log2_max = 26;

BitMap reversal(int width) {
  std::vector<int> place(static_cast<std::size_t>(width));
  std::iota(place.rbegin(), place.rend(), 0);
  return BitMap::from_places(place);
}

BitMap scattered(int width) {
  Random random(1);
  for (;;) {
    BitMatrix matrix(width, width);
    for (int i = 0; i < width; ++i) matrix.set_column(i, random.next() & low_mask(width));
    if (matrix.rank() == width) return BitMap::from_matrix(matrix);
  }
}

// Memory whose pages are there.
AlignedBytes touched(std::size_t bytes) {
  AlignedBytes memory(bytes);
  std::memset(memory.data(), 1, bytes);
  return memory;
}

class Tuner {
 public:
  Tuner(std::uint64_t buffer_bytes, const Progress& progress)
      : memory_(touched(2 * buffer_bytes)),
        from_(memory_.all().first(buffer_bytes)),
        to_(memory_.all().subspan(buffer_bytes)),
        progress_(progress) {}

  MachineTuning measured() {
    MachineTuning best = machine_tuning();
    best.ordinary_bytes_max = ordinary_bytes_max(best);
    reading(best);
    best.in_place_blocks = blocks_win(best);
    best.origin = "measured";
    return best;
  }

 private:
  static Pass pass_of(const BitMap& map, Place place, const MachineTuning& machine) {
    return *plan_pass(map, {.element_bytes = bit(element_log2)}, {}, place, 0, machine);
  }
  // Too little data to make a difference: then what was in effect stays.
  static bool alike(const Pass& a, const Pass& b) {
    return a.sections.front().pass.plan.method == b.sections.front().pass.plan.method;
  }
  void step() { report(progress_, ++steps_, steps_total); }

  // The best of some rounds, the ways in turn; each begins with the state that `prepare` makes.
  template <class Prepare, class Time>
  std::vector<double> best_times(std::size_t ways, Prepare&& prepare, Time&& time) {
    std::vector<double> best(ways, std::numeric_limits<double>::infinity());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t way = 0; way < ways; ++way) {
        prepare();
        best[way] = std::min(best[way], time(way));
      }
    }
    return best;
  }

  // A destination that was just written by ordinary code, and a reader afterwards: the largest size
  // up to which ordinary stores cost both together less, from the smallest tried on.
  std::uint64_t ordinary_bytes_max(MachineTuning machine) {
    machine.stage_sources = false;
    std::uint64_t most = bit(ordinary_log2_min) - 1;
    bool wins = true;
    for (int size = ordinary_log2_min; size <= ordinary_log2_max; ++size) {
      step();
      if (!wins || bit(size) > to_.size()) continue;
      const BitMap map = reversal(size - element_log2);
      machine.ordinary_bytes_max = std::numeric_limits<std::uint64_t>::max();
      const Pass ordinary = pass_of(map, Place::apart, machine);
      machine.ordinary_bytes_max = 0;
      const Pass streaming = pass_of(map, Place::apart, machine);
      const auto to = to_.first(bit(size));
      const auto times = best_times(
          2, [&] { std::fill(to.begin(), to.end(), std::byte{2}); },
          [&](std::size_t way) {
            const auto begin = std::chrono::steady_clock::now();
            run_pass(way == 0 ? ordinary : streaming, from_.data(), to.data(), {});
            bring_near(to);
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          });
      wins = times[0] <= times[1];
      if (wins) most = bit(size);
    }
    return most;
  }

  // Sources staged, or read directly some lines ahead: the least sum over two maps.
  void reading(MachineTuning& machine) {
    struct Way {
      bool staged;
      std::uint32_t lines_ahead;
    };
    constexpr std::array<Way, 4> ways{{{true, 32}, {false, 16}, {false, 32}, {false, 64}}};
    std::array<double, ways.size()> sums{};
    const int width = log2_exact(to_.size()) - element_log2;
    for (const BitMap& map : {reversal(width), scattered(width)}) {
      step();
      std::vector<Pass> passes;
      for (const Way& way : ways) {
        MachineTuning trial = machine;
        trial.ordinary_bytes_max = 0;
        trial.stage_sources = way.staged;
        trial.lines_ahead = way.lines_ahead;
        passes.push_back(pass_of(map, Place::apart, trial));
      }
      if (std::all_of(passes.begin() + 1, passes.end(),
                      [&](const Pass& pass) { return alike(passes.front(), pass); })) {
        continue;
      }
      const auto times = best_times(
          ways.size(), [] {},
          [&](std::size_t way) { return seconds_of(passes[way], from_.data(), to_.data()); });
      for (std::size_t way = 0; way < ways.size(); ++way) sums[way] += times[way];
    }
    if (sums[0] == 0) return;
    const Way& best =
        ways[static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin())];
    machine.stage_sources = best.staged;
    machine.lines_ahead = best.lines_ahead;
  }

  bool blocks_win(MachineTuning machine) {
    step();
    const auto data = memory_.all();
    const BitMap map = reversal(log2_exact(data.size()) - element_log2);
    const bool before = machine.in_place_blocks;
    machine.ordinary_bytes_max = 0;
    machine.in_place_blocks = false;
    const Pass tiles = pass_of(map, Place::same, machine);
    machine.in_place_blocks = true;
    const Pass blocks = pass_of(map, Place::same, machine);
    if (alike(tiles, blocks)) return before;
    const auto times = best_times(
        2, [] {},
        [&](std::size_t way) {
          return seconds_of(way == 0 ? tiles : blocks, data.data(), data.data());
        });
    return times[1] < times[0];
  }

  static constexpr std::uint64_t steps_total = ordinary_log2_max - ordinary_log2_min + 1 + 2 + 1;
  AlignedBytes memory_;
  std::span<std::byte> from_;
  std::span<std::byte> to_;
  const Progress& progress_;
  std::uint64_t steps_ = 0;
};

}  // namespace
}  // namespace engine

MachineTuning measure_machine(std::uint64_t buffer_bytes, const Progress& progress) {
  constexpr std::uint64_t bytes_min = std::uint64_t{1} << 24U;
  constexpr std::uint64_t bytes_max = std::uint64_t{1} << 40U;
  if (!is_power_of_two(buffer_bytes) || buffer_bytes < bytes_min || buffer_bytes > bytes_max) {
    throw Error(ErrorCode::usage,
                fmt::format("tune: buffers of {} bytes; wanted a power of two from {} to {}",
                            buffer_bytes, bytes_min, bytes_max));
  }
  return engine::Tuner(buffer_bytes, progress).measured();
}

}  // namespace faro::inline v1
