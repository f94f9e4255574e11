// Files larger than memory beside copies of them: build/bench/bench/disk_bench DIR --log2-bytes 32
//
// What reads and writes cost in the folder, how long copies take whose runs lie scattered on both
// sides, and files permuted within --memory-mib beside a copy with the same reads and writes and
// beside a direct copy in blocks of 1 MiB, in turn; medians of the ratios. docs/disk.md has some.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <vector>

#include "disk/pipeline.hpp"
#include "disk/plan_state.hpp"
#include "disk_peers.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "files/words.hpp"
#include "rows.hpp"
#include "timing.hpp"

namespace faro::bench {
namespace {

struct DiskBench {
  std::string folder;
  std::uint64_t bytes = std::uint64_t{1} << 30U;
  std::uint64_t memory_bytes = std::uint64_t{1} << 28U;
  std::uint64_t element_bytes = 8;
  int rounds = 3;
  bool peers = false;  // beside memmap, rechunker and h5repack
};

constexpr std::uint64_t block_bytes = disk::request_bytes_max;
constexpr int io_threads = 4;
// What the disk itself makes of runs of these lengths.
constexpr std::uint64_t scattered_runs[] = {1U << 14U, 1U << 16U, 1U << 18U, 1U << 20U};
constexpr std::uint64_t peer_element_bytes = 8;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Files of the measurement, in a folder of its own that goes at the end.
class Files {
 public:
  explicit Files(const DiskBench& bench)
      : folder_(fmt::format("{}/.faro-bench-{}", bench.folder, ::getpid())), bytes_(bench.bytes) {
    std::error_code error;
    std::filesystem::create_directory(folder_, error);
    if (error)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: cannot make a folder there: {}", bench.folder, error.message()));
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path(const char* name) const { return folder_ + "/" + name; }
  // Of the right size and with space, but not written, as an output is.
  std::unique_ptr<RandomFile> fresh(const char* name, FileIo io = FileIo::automatic) const {
    std::filesystem::remove(path(name));
    auto file = open_random_file(path(name), {.access = FileAccess::create, .io = io});
    file->reserve(bytes_);
    return file;
  }
  std::unique_ptr<RandomFile> input() const { return open_random_file(path("in")); }

 private:
  std::string folder_;
  std::uint64_t bytes_;
};

void fill(const Files& files, std::uint64_t bytes) {
  const auto file = files.fresh("in");
  disk::TileBuffer buffer(block_bytes);
  const auto block = buffer.first(block_bytes);
  std::uint64_t state = 1;
  for (std::uint64_t at = 0; at < bytes; at += block_bytes) {
    for (std::size_t i = 0; i < block.size(); i += 8) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      std::memcpy(block.data() + i, &state, 8);
    }
    file->write(at, block);
  }
  file->sync();
}

// As `cp` and `sync`: through the page cache, one block after another.
double plain_copy(const Files& files) {
  std::filesystem::remove(files.path("out"));
  return seconds_of([&] {
    std::filesystem::copy_file(files.path("in"), files.path("out"));
    open_random_file(files.path("out"), {.access = FileAccess::write, .io = FileIo::buffered})
        ->sync();
  });
}

double direct_copy(const Files& files, std::uint64_t bytes) {
  const auto in = files.input();
  std::filesystem::remove(files.path("out"));
  return seconds_of([&] {
    const auto out = files.fresh("out");
    disk::TileBuffer buffer(block_bytes * io_threads);
    disk::Workers workers({.threads = io_threads});
    std::atomic<std::uint64_t> next{0};
    // Each thread has a block of the buffer.
    workers.start(disk::Lane::read, {io_threads, 0}, [&](std::uint64_t thread) {
      const auto block =
          buffer.first(block_bytes * io_threads).subspan(thread * block_bytes, block_bytes);
      for (std::uint64_t at = 0; (at = next.fetch_add(block_bytes)) < bytes;) {
        in->read(at, block);
        out->write(at, block);
      }
    });
    workers.finish(disk::Lane::read);
    out->sync();
  });
}

// A copy in runs that lie scattered on both sides, as many under way as files are permuted with.
double scattered_copy(const Files& files, std::uint64_t bytes, std::uint64_t run_bytes) {
  const auto in = files.input();
  return seconds_of([&] {
    const auto out = files.fresh("out");
    const disk::Workers::Depth depth = disk::depth_of(io_threads);
    // One for each thread: no more are ever taken.
    const auto slots = static_cast<std::uint64_t>(depth.threads);
    disk::TileBuffer buffer(slots * run_bytes);
    disk::Workers workers(depth);
    const std::uint64_t count = bytes / run_bytes;
    const std::uint64_t step = (count * 618 / 1000) | 1U;
    std::mutex mutex;
    std::vector<std::uint64_t> free(slots);
    std::iota(free.begin(), free.end(), 0);
    workers.start(disk::Lane::read, {count, run_bytes}, [&](std::uint64_t i) {
      std::uint64_t slot = 0;
      {
        const std::lock_guard lock(mutex);
        slot = free.back();
        free.pop_back();
      }
      const auto run = buffer.first(slots * run_bytes).subspan(slot * run_bytes, run_bytes);
      in->read(i * step % count * run_bytes, run);
      out->write(i * step % count * run_bytes, run);
      const std::lock_guard lock(mutex);
      free.push_back(slot);
    });
    workers.finish(disk::Lane::read);
    out->sync();
  });
}

// The passes of a plan without the permuting: the same reads and writes.
double copy_of_runs(const Files& files, const FilePermutePlan& plan) {
  const auto in = files.input();
  return seconds_of([&] {
    const auto out = files.fresh("out");
    std::unique_ptr<RandomFile> temporary;
    if (plan.facts().passes.size() > 1) temporary = files.fresh("temporary");
    disk::Pipeline pipeline(disk::largest_tile_bytes(plan.facts()), io_threads, {});
    const auto file = [&](const std::string& name) -> RandomFile& {
      return name == "input" ? *in : name == "output" ? *out : *temporary;
    };
    disk::TileHooks hooks;
    hooks.only_copies = true;
    for (std::size_t i = 0; i < plan.facts().passes.size(); ++i) {
      const auto& pass = plan.facts().passes[i];
      pipeline.run(plan.state().tiles[i], {0, static_cast<std::uint64_t>(pass.tiles)},
                   file(pass.from), file(pass.to), hooks);
      file(pass.to).sync();
    }
  });
}

struct Row {
  std::string map;
  FilePlanFacts plan;
  double seconds = 0;
  double over_runs = 0;
  double over_direct = 0;
  std::array<std::optional<PeerTime>, disk_peers.size()> peers = {};
};

// A peer is ended when it has taken so many times as long.
constexpr double peer_patience = 10;

void measure_peers(const DiskBench& bench, const Files& files, Row& row) {
  for (std::size_t i = 0; i < disk_peers.size(); ++i) {
    std::string why;
    std::filesystem::remove(files.path("out"));
    row.peers[i] = time_peer({.peer = disk_peers[i],
                              .map = row.map,
                              .in = files.path("in"),
                              .folder = files.folder(),
                              .bits = log2_exact(bench.bytes / peer_element_bytes),
                              .memory_bytes = bench.memory_bytes,
                              .seconds_max = peer_patience * row.seconds},
                             why);
    if (!row.peers[i]) fmt::print(stderr, "  {}, {}: {}\n", row.map, disk_peers[i], why);
  }
}

std::string peer_text(const std::optional<PeerTime>& time, double seconds) {
  if (!time) return "-";
  return fmt::format("{}{:.1f}", time->finished ? "" : "> ", time->seconds / seconds);
}

// Ratios of times taken one after another; the median counts.
Row measure(const DiskBench& bench, const Files& files, const std::string& name,
            const DiskProfile& profile) {
  const std::uint64_t element_bytes = bench.element_bytes;
  const BitMap map = bench_map(name, log2_exact(bench.bytes / element_bytes));
  PermuteFileOptions options;
  options.plan = {.memory_bytes = bench.memory_bytes, .profile = profile};
  const auto plan =
      FilePermutePlan::out_of_place(map, {.element_bytes = element_bytes}, options.plan);
  std::vector<double> seconds;
  std::vector<double> over_runs;
  std::vector<double> over_direct;
  for (int round = 0; round < bench.rounds; ++round) {
    const double direct = direct_copy(files, bench.bytes);
    const double runs = copy_of_runs(files, plan);
    std::filesystem::remove(files.path("out"));
    std::filesystem::remove(files.path("temporary"));
    const double faro = seconds_of([&] {
      permute_file(files.path("in"), files.path("out"), map, {.element_bytes = element_bytes},
                   options);
    });
    seconds.push_back(faro);
    over_runs.push_back(faro / runs);
    over_direct.push_back(faro / direct);
  }
  return {.map = name,
          .plan = plan.facts(),
          .seconds = median(seconds),
          .over_runs = median(over_runs),
          .over_direct = median(over_direct)};
}

std::string side_text(std::uint64_t rate, std::uint64_t nanoseconds) {
  return fmt::format("{:.0f} MB/s and {:.0f} us a run", static_cast<double>(rate) / 1e6,
                     static_cast<double>(nanoseconds) / 1e3);
}

// Of all lengths, over a direct copy in the same minute.
void measure_scattered(const DiskBench& bench, const Files& files) {
  std::string scattered_text;
  for (const std::uint64_t run_bytes : scattered_runs) {
    std::vector<double> over_direct;
    for (int round = 0; round < bench.rounds; ++round) {
      const double floor = direct_copy(files, bench.bytes);
      over_direct.push_back(scattered_copy(files, bench.bytes, run_bytes) / floor);
    }
    scattered_text += fmt::format("  {} {:.2f}", files::size_text(run_bytes), median(over_direct));
  }
  fmt::print("  copies in scattered runs over a direct copy:{}\n", scattered_text);
}

// A line of the table.
void tell(const DiskBench& bench, const Row& row) {
  std::uint64_t shortest = UINT64_MAX;
  for (const FilePassFacts& pass : row.plan.passes)
    shortest = std::min({shortest, pass.read_run_bytes, pass.write_run_bytes});
  fmt::print("  {:20} {:>6}  {:>16} {:>8.2f}  {:>14.2f}  {:>11.2f}", row.map,
             row.plan.passes.size(), files::size_text(shortest), row.seconds, row.over_runs,
             row.over_direct);
  for (std::size_t i = 0; bench.peers && i < disk_peers.size(); ++i)
    fmt::print("  {:>9}", peer_text(row.peers[i], row.seconds));
  fmt::print("\n");
  std::fflush(stdout);
}

void run(const DiskBench& bench) {
  if (!is_power_of_two(bench.element_bytes) || bench.element_bytes > block_bytes ||
      (bench.peers && bench.element_bytes != peer_element_bytes))
    throw Error(ErrorCode::usage,
                "--element-bytes: wanted a power of two up to 1MiB, and 8 beside --peers");
  const DiskProfile profile = DiskProfile::measured(bench.folder, bench.bytes / 4, io_threads);
  fmt::print("{}, {}\n  reads {}; writes {}\n", cpu_name(), bench.folder,
             side_text(profile.read_bytes_per_second, profile.read_run_nanoseconds),
             side_text(profile.write_bytes_per_second, profile.write_run_nanoseconds));
  std::fflush(stdout);
  const Files files(bench);
  fill(files, bench.bytes);
  std::vector<double> plain;
  std::vector<double> direct;
  for (int round = 0; round < bench.rounds; ++round) {
    plain.push_back(plain_copy(files));
    direct.push_back(direct_copy(files, bench.bytes));
  }
  measure_scattered(bench, files);
  fmt::print(
      "  {} within {}: cp and sync {:.2f} s, direct copy in blocks of 1 MiB {:.2f} s\n\n"
      "  {:20} {:>6}  {:>16} {:>8}  {:>14}  {:>11}",
      files::size_text(bench.bytes), files::size_text(bench.memory_bytes), median(plain),
      median(direct), "map", "passes", "shortest run", "seconds", "over same runs", "over direct");
  for (const char* const peer : disk_peers)
    if (bench.peers) fmt::print("  {:>9}", peer);
  fmt::print("\n");
  for (const char* const name : {"bit-reversal", "transpose", "gray", "affine-1"}) {
    Row row = measure(bench, files, name, profile);
    if (bench.peers) measure_peers(bench, files, row);
    tell(bench, row);
  }
}

}  // namespace
}  // namespace faro::bench

int main(int argc, char** argv) {
  faro::bench::DiskBench bench;
  int log2_bytes = 30;
  std::uint64_t memory_mib = 256;
  CLI::App app{"Files permuted within little memory beside copies of them"};
  app.add_option("DIR", bench.folder, "where the files are")->required();
  app.add_option("--log2-bytes", log2_bytes, "of the file (30)")->check(CLI::Range(26, 46));
  app.add_option("--memory-mib", memory_mib, "to permute it within (256)");
  app.add_option("--element-bytes", bench.element_bytes, "of that file (8)");
  app.add_option("--rounds", bench.rounds, "rounds whose median counts (3)")
      ->check(CLI::Range(1, 100));
  app.add_flag("--peers", bench.peers, "beside NumPy's memmap, rechunker and h5repack");
  CLI11_PARSE(app, argc, argv);
  bench.bytes = faro::bit(log2_bytes);
  bench.memory_bytes = memory_mib << 20U;
  try {
    faro::bench::run(bench);
  } catch (const faro::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return exit_code(error.code());
  }
  return 0;
}
