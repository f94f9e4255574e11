// The engine beside memcpy: build/bench/bench/engine_bench [--full] [--class simple] [--floor]
//
// A ratio of 1 is memcpy of the same bytes by the same number of threads, run before and after; in
// place it is one pass that reads and writes every byte. Of one thread its processor time is told.
// Every timed run follows an untimed one of the same; up to 64 MiB the ratio is told too where both
// arrays were flushed from caches before (away). Without --full, sizes beyond the caches are
// divided by eight: two minutes and 300 MB; with it 2.2 GB.
//
// --floor tells first what the machine allows bare loops that shuffle nothing (floor.hpp), then for
// each row the fastest such loop on the row's own map, as a ratio to memcpy too, and names the rows
// that take more than 1.5 of it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/timed_pass.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "files/words.hpp"
#include "floor.hpp"
#include "rows.hpp"
#include "timing.hpp"

namespace faro::bench {
namespace {

struct Options {
  bool full = false;
  bool measured = false;
  bool floor = false;
  std::optional<std::string> group;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> rounds;
  Simd simd = Simd::automatic;
};

// What fits no cache finds none of it there, whatever ran before.
constexpr std::uint64_t states_bytes_max = std::uint64_t{1} << 26U;

// A row that takes more of its floor is named.
constexpr double floors_max = 1.5;

struct RowTimes {
  Timed near;
  std::optional<double> floor;  // the ratio of the row's floor
  std::optional<double> away;   // the ratio where both arrays are out of the caches
};

struct Bench {
  const Options& options;
  int threads;
  int rounds;
  BenchBuffer from;
  BenchBuffer to;

  RowTimes time(const BenchRow& row) const {
    const std::size_t bytes = row.bytes();
    const PermuteOptions permute{.threads = threads, .simd = options.simd};
    const auto source = from.first(bytes + row.past_line).subspan(row.past_line);
    const auto destination = to.first(bytes + row.past_line).subspan(row.past_line);
    const bool in_place = row.moves == Moves::in_place;
    const auto plan = in_place ? PermutePlan::in_place(row.map, row.shape, permute)
                      : options.measured
                          ? PermutePlan::measured(row.map, row.shape, source, destination, permute)
                          : PermutePlan::out_of_place(row.map, row.shape, permute);
    const int used = plan.facts().threads;
    const Clock clock = used == 1 ? Clock::processor : Clock::wall;
    // Floors are of arrays that begin at a line.
    const auto line_source = from.first(bytes);
    const auto line_destination = to.first(bytes);
    const auto floor = options.floor ? floor_of(row, line_source, line_destination) : std::nullopt;
    const auto timed = [&](const Prepare& prepare) {
      if (in_place) {
        return time_against(
            "read-write", [&] { touch_with_threads(source, used); },
            {{"faro", [&] { plan.execute_in_place(source); }}}, bytes, rounds, prepare, clock);
      }
      std::vector<Contender> contenders{{"faro", [&] { plan.execute(source, destination); }}};
      if (floor) {
        contenders.push_back(
            {"floor", [&] { floor->run(line_source.data(), line_destination.data()); }});
      }
      return time_against(
          "memcpy", [&] { copy_with_threads(source, destination, used); }, contenders, bytes,
          rounds, prepare, clock);
    };
    const auto near = timed({});
    RowTimes times{near[0], floor ? std::optional(near[1].ratio) : std::nullopt, {}};
    if (bytes <= states_bytes_max && engine::send_away(destination)) {
      times.away = timed([&] {
                     engine::send_away(source);
                     if (!in_place) engine::send_away(destination);
                   })[0]
                       .ratio;
    }
    return times;
  }
};

bool has_avx512() {
  try {
    PermutePlan::out_of_place(BitMap::identity(10), {}, {.simd = Simd::avx512});
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string verdict(const BenchClass& group, const std::vector<double>& ratios) {
  const bool wide = has_avx512();
  const double middle = wide ? group.median_avx512 : group.median_avx2;
  const double worst = wide ? group.worst_avx512 : group.worst_avx2;
  if (middle == 0) return "";
  const bool met = median(ratios) <= middle &&
                   (worst == 0 || *std::max_element(ratios.begin(), ratios.end()) <= worst);
  const std::string aims =
      worst == 0 ? fmt::format("{:.2f}", middle) : fmt::format("{:.2f} / {:.2f}", middle, worst);
  return fmt::format("  (aim {}: {})", aims, met ? "met" : "not met");
}

// What a class takes of its floors, and which of its rows take too much.
void print_floors(const std::vector<double>& floors, const std::vector<std::string>& above) {
  if (floors.empty()) return;
  fmt::print("  of the floor: median {:.2f}, worst {:.2f}; above {}: {}\n", median(floors),
             *std::max_element(floors.begin(), floors.end()), floors_max,
             above.empty() ? "none" : fmt::format("{}", fmt::join(above, ", ")));
}

void run(const Options& options) {
  if (options.rounds == 0 || options.threads == 0)
    throw Error(ErrorCode::usage, "--rounds and --threads are at least 1");
  if (options.floor && options.threads.value_or(1) != 1)
    throw Error(ErrorCode::usage, "--floor is of one thread");
  const Sizes sizes = options.full ? Sizes::full : Sizes::tenth;
  const std::vector<BenchRow> rows = bench_rows(sizes);
  std::uint64_t bytes_max = 0;
  for (const BenchRow& row : rows) {
    if (!options.group || *options.group == row.group) bytes_max = std::max(bytes_max, row.bytes());
  }
  if (bytes_max == 0) {
    throw Error(ErrorCode::usage,
                "there is no class '" + *options.group + "'; without --class all are timed");
  }
  const auto threads =
      static_cast<int>(std::clamp<std::uint64_t>(options.threads.value_or(1), 1, 1024));
  const auto rounds =
      static_cast<int>(std::clamp<std::uint64_t>(options.rounds.value_or(5), 1, 1000));
  const Bench bench{options, threads, rounds, BenchBuffer(bytes_max + 64),
                    BenchBuffer(bytes_max + 64)};

  fmt::print("{}, {} thread{}, {} sizes: time over memcpy of the same bytes, median of {} rounds\n",
             cpu_name(), threads, threads == 1 ? "" : "s", options.full ? "full" : "smaller",
             rounds);
  fmt::print(
      "caches: as an untimed run of the same left them; 'away': both arrays flushed from them\n");
  if (options.floor) {
    fmt::print("\n");
    print_limits(options.full ? 28 : 27, rounds);
  }
  for (const BenchClass& group : bench_classes()) {
    if (options.group && *options.group != group.name) continue;
    fmt::print("\n{}: {}{}\n", group.name, group.what,
               options.full ? "" : " (large sizes divided by eight)");
    std::vector<double> ratios;
    std::vector<double> floors;
    std::vector<std::string> above;
    for (const BenchRow& row : rows) {
      if (row.group != group.name || row.shape.element_bytes < group.element_bytes_min ||
          row.shape.element_bytes > group.element_bytes_max) {
        continue;
      }
      const auto [timed, floor, away] = bench.time(row);
      ratios.push_back(timed.ratio);
      if (floor) floors.push_back(timed.ratio / *floor);
      if (floor && floors.back() > floors_max) {
        above.push_back(
            fmt::format("{} of {} ({:.2f})", row.map_name, row.shape.element_bytes, floors.back()));
      }
      const double gigabytes = 2 * static_cast<double>(row.bytes()) / timed.seconds / 1e9;
      fmt::print("  {:20} {:>10}  element {:>3}  {:5.2f}  {:6.1f} GB/s{}{}{}\n", row.map_name,
                 files::size_text(row.bytes()), row.shape.element_bytes * row.shape.inner,
                 timed.ratio, gigabytes,
                 floor ? fmt::format("  floor {:5.2f}, {:4.2f} of it", *floor, floors.back()) : "",
                 away ? fmt::format("  away {:5.2f}", *away) : "",
                 row.moves == Moves::in_place ? "  in place" : "");
      std::fflush(stdout);
    }
    fmt::print("  median {:.2f}, worst {:.2f}{}\n", median(ratios),
               *std::max_element(ratios.begin(), ratios.end()), verdict(group, ratios));
    print_floors(floors, above);
  }
}

}  // namespace
}  // namespace faro::bench

int main(int argc, char** argv) {
  faro::bench::Options options;
  CLI::App app{"The engine's times beside memcpy's"};
  app.add_flag("--full", options.full, "the full sizes");
  app.add_flag("--measured", options.measured, "plans that measured their candidates");
  app.add_flag("--floor", options.floor,
               "the machine's limits first, then each row beside what memory allows its map");
  app.add_option("--class", options.group, "only this class");
  app.add_option("--kernels", options.simd, "this set of kernels: scalar, sse4, avx2, avx512, neon")
      ->transform(CLI::CheckedTransformer(faro::bench::kernel_names()));
  app.add_option("--threads", options.threads, "threads, of the engine and of memcpy");
  app.add_option("--rounds", options.rounds, "rounds whose median counts (5)");
  CLI11_PARSE(app, argc, argv);
  try {
    faro::bench::run(options);
  } catch (const faro::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_code(error.code());
  }
  return 0;
}
