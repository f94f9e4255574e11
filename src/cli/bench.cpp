// `faro bench`: the engine beside memcpy.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_disk.hpp"
#include "cli/bench_rows.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/sizes.hpp"
#include "cli/timing.hpp"
#include "engine/timed_pass.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::cli {
namespace {

struct Options {
  bool full = false;
  bool measured = false;
  std::optional<std::string> group;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> rounds;
  std::optional<std::string> disk;
  std::optional<std::string> size;
  std::optional<std::string> memory;
  std::optional<std::uint64_t> element_bytes;
  std::optional<std::string> save;
  bool peers = false;
};

// What fits no cache finds none of it there, whatever ran before.
constexpr std::uint64_t states_bytes_max = std::uint64_t{1} << 26U;

struct RowTimes {
  Timed near;
  std::optional<double> away;  // the ratio where both arrays are out of the caches
};

struct Bench {
  const Options& options;
  int threads;
  int rounds;
  BenchBuffer from;
  BenchBuffer to;

  RowTimes time(const BenchRow& row) const {
    const std::size_t bytes = row.bytes();
    const PermuteOptions permute{.threads = threads};
    const auto source = from.first(bytes + row.past_line).subspan(row.past_line);
    const auto destination = to.first(bytes + row.past_line).subspan(row.past_line);
    const bool in_place = row.moves == Moves::in_place;
    const auto plan = in_place ? PermutePlan::in_place(row.map, row.shape, permute)
                      : options.measured
                          ? PermutePlan::measured(row.map, row.shape, source, destination, permute)
                          : PermutePlan::out_of_place(row.map, row.shape, permute);
    const int used = plan.facts().threads;
    const auto ratio = [&](const Prepare& prepare) {
      if (in_place) {
        return time_against(
                   "read-write", [&] { touch_with_threads(source, used); },
                   {{"faro", [&] { plan.execute_in_place(source); }}}, bytes, rounds, prepare)
            .front();
      }
      return time_against(
                 "memcpy", [&] { copy_with_threads(source, destination, used); },
                 {{"faro", [&] { plan.execute(source, destination); }}}, bytes, rounds, prepare)
          .front();
    };
    RowTimes times{ratio({}), {}};
    if (bytes <= states_bytes_max && engine::send_away(destination)) {
      times.away = ratio([&] {
                     engine::send_away(source);
                     if (!in_place) engine::send_away(destination);
                   }).ratio;
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

int run_disk(const Options& options, Output& out) {
  if (options.full || options.measured || options.group || options.threads)
    throw Error(ErrorCode::usage,
                "--disk takes --size, --memory, --element-bytes, --rounds, --save and --peers");
  DiskBench bench{.folder = *options.disk};
  if (options.size) bench.bytes = parse_bytes(*options.size, "--size");
  if (options.memory) bench.memory_bytes = parse_bytes(*options.memory, "--memory");
  bench.element_bytes = options.element_bytes.value_or(bench.element_bytes);
  bench.save = options.save;
  bench.peers = options.peers;
  bench.rounds = static_cast<int>(std::clamp<std::uint64_t>(options.rounds.value_or(3), 1, 100));
  return bench_disk(bench, out);
}

int run(const Options& options, Output& out) {
  if (options.rounds == 0 || options.threads == 0)
    throw Error(ErrorCode::usage, "--rounds and --threads are at least 1");
  if (options.disk) return run_disk(options, out);
  if (options.size || options.memory || options.element_bytes || options.save || options.peers)
    throw Error(ErrorCode::usage,
                "--size, --memory, --element-bytes, --save and --peers are of --disk DIR");
  const Sizes sizes = options.full ? Sizes::full : Sizes::tenth;
  const std::vector<BenchRow> rows = bench_rows(sizes);
  std::uint64_t bytes_max = 0;
  for (const BenchRow& row : rows) {
    if (!options.group || *options.group == row.group) bytes_max = std::max(bytes_max, row.bytes());
  }
  if (bytes_max == 0) {
    throw Error(ErrorCode::usage,
                "bench: no class '" + *options.group + "'; `faro bench --help` lists them");
  }
  need_memory(2 * bytes_max, "two buffers");
  const auto threads =
      static_cast<int>(std::clamp<std::uint64_t>(options.threads.value_or(1), 1, 1024));
  const auto rounds =
      static_cast<int>(std::clamp<std::uint64_t>(options.rounds.value_or(5), 1, 1000));
  const Bench bench{options, threads, rounds, BenchBuffer(bytes_max + 64),
                    BenchBuffer(bytes_max + 64)};

  nlohmann::ordered_json j{{"format", "faro-bench/1"},
                           {"cpu", cpu_name()},
                           {"sizes", options.full ? "full" : "tenth"},
                           {"rows", nlohmann::ordered_json::array()}};
  out.text("{}, {} thread{}, {} sizes: time over memcpy of the same bytes, median of {} rounds\n",
           cpu_name(), threads, threads == 1 ? "" : "s", options.full ? "full" : "smaller", rounds);
  out.text(
      "caches: as an untimed run of the same left them; 'away': both arrays flushed from them\n");
  for (const BenchClass& group : bench_classes()) {
    if (options.group && *options.group != group.name) continue;
    out.text("\n{}: {}{}\n", out.styled(Output::Style::strong, group.name), group.what,
             options.full ? "" : " (large sizes divided by eight)");
    std::vector<double> ratios;
    for (const BenchRow& row : rows) {
      if (row.group != group.name || row.shape.element_bytes < group.element_bytes_min ||
          row.shape.element_bytes > group.element_bytes_max) {
        continue;
      }
      const auto [timed, away] = bench.time(row);
      ratios.push_back(timed.ratio);
      const double gigabytes = 2 * static_cast<double>(row.bytes()) / timed.seconds / 1e9;
      out.text("  {:20} {:>10}  element {:>3}  {:5.2f}  {:6.1f} GB/s{}{}\n", row.map_name,
               bytes_text(row.bytes()), row.shape.element_bytes * row.shape.inner, timed.ratio,
               gigabytes, away ? fmt::format("  away {:5.2f}", *away) : "",
               row.moves == Moves::in_place ? "  in place" : "");
      out.flush();
      j["rows"].push_back({{"class", group.name},
                           {"map", row.map_name},
                           {"bytes", row.bytes()},
                           {"element_bytes", row.shape.element_bytes},
                           {"outer", row.shape.outer},
                           {"inner", row.shape.inner},
                           {"in_place", row.moves == Moves::in_place},
                           {"threads", threads},
                           {"contender", "faro"},
                           {"ratio", timed.ratio},
                           {"seconds", timed.seconds}});
      if (away) j["rows"].back()["ratio_away"] = *away;
    }
    out.text("  median {:.2f}, worst {:.2f}{}\n", median(ratios),
             *std::max_element(ratios.begin(), ratios.end()), verdict(group, ratios));
  }
  out.json(j.dump());
  return 0;
}

}  // namespace

extern const Command bench_command;
const Command bench_command{
    .name = "bench",
    .summary = "the engine's times beside memcpy's",
    .details =
        "A ratio of 1 is memcpy of the same bytes by the same number of threads, run\n"
        "before and after; in place it is one pass that reads and writes every byte.\n"
        "Every timed run follows an untimed one of the same; up to 64 MiB the ratio is\n"
        "told too where both arrays were flushed from the caches before (away).\n"
        "Without --full, sizes beyond the caches are divided by eight: some two\n"
        "minutes and 300 MB. With --full: 2.2 GB and some minutes. Classes: simple,\n"
        "transposes, bit-reversal, bpc, affine, small-simple, small, cache, l3, in-place,\n"
        "off-grid, others.\n"
        "With --disk DIR: what reads and writes there cost, and files permuted within\n"
        "--memory beside copies of them (docs/disk.md).",
    .examples =
        "faro bench\nfaro bench --full --class bit-reversal --rounds 9\n"
        "faro bench --disk /data --size 4GiB --memory 256MiB",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<Options>();
      arguments.flag("--full", options->full, "the full sizes");
      arguments.flag("--measured", options->measured, "plans that measured their candidates");
      arguments.option("--class", "NAME", options->group, "only this class");
      arguments.option("--threads", "T", options->threads, "threads, of the engine and of memcpy");
      arguments.option("--rounds", "R", options->rounds, "rounds whose median counts (5)");
      arguments.option("--disk", "DIR", options->disk, "files in this folder instead of memory")
          .completes(Completes::file);
      arguments.option("--size", "SIZE", options->size, "of the file on disk; 1GiB");
      arguments.option("--memory", "SIZE", options->memory, "to permute it within; 256MiB");
      arguments.option("--element-bytes", "B", options->element_bytes, "of that file; 8");
      arguments.option("--save", "NAME", options->save,
                       "measure only what the disk costs and keep that, for --device NAME");
      arguments.flag("--peers", options->peers,
                     "beside NumPy's memmap, rechunker and h5repack, where they are installed");
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
