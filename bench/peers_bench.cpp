// The engine beside its peers, on bit permutations: time over memcpy of the same bytes (in place:
// over one pass that reads and writes them), medians of three rounds in which all take turns.
//
//   build/bench/bench/peers_bench --log2-bytes 28 [--threads 2] [--in-place] [--map TEXT]
//                                 [--without loop,numpy] [--kernels avx2]
//
// Peers: the obvious loop; a classic buffered bit reversal (COBRA); OpenBLAS, MKL and libxsmm for
// transposes; FFTW's rank-0 plans, HPTT, oneDNN's reorders and Eigen's shuffle, with neighbouring
// bits merged; NumPy's copy of a transposed 2 x 2 x ... x 2 view. What is not found is named.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"
#include "peers/peers.hpp"
#include "rows.hpp"
#include "timing.hpp"

namespace faro::peers {
namespace {

struct Settings {
  std::vector<int> log2_bytes{24};
  std::vector<std::uint64_t> element_bytes{4, 8, 16};
  int threads = 1;
  int rounds = 3;
  bool in_place = false;
  std::vector<std::string> maps;
  std::vector<std::string> without;  // peers that are left out
  Simd simd = Simd::automatic;

  bool leaves_out(const std::string& peer) const {
    return std::find(without.begin(), without.end(), peer) != without.end();
  }
};

// Tensors of three and four axes, beside the named maps.
BitMap map_of(const std::string& name, int width) {
  const int a = width / 3;
  const int b = (width - a) / 2;
  const int c = width - a - b;
  if (name == "c b a") {
    return say(fmt::format("a:{} b:{} c:{} -> c b a", a, b, c)).map.as_bits();
  }
  if (name == "b a c") {
    return say(fmt::format("a:{} b:{} c:{} -> b a c", a, b, c)).map.as_bits();
  }
  if (name == "b d a c") {
    return say(fmt::format("a:{} b:{} c:{} d:4 -> b d a c", a, b, c - 4)).map.as_bits();
  }
  return bench::bench_map(name, width);
}

// Median seconds as bench/numpy_peer.py measures them, nothing where there is no NumPy.
std::optional<double> numpy_seconds(const std::vector<Group>& groups, std::uint64_t element) {
  std::string command = fmt::format("{} {} {}", FARO_NUMPY_PYTHON, FARO_NUMPY_PEER, element);
  for (const Group& g : groups) {
    for (int i = 0; i < g.count; ++i) command += fmt::format(" {}", g.place + i);
  }
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  double seconds = 0;
  const int read = std::fscanf(pipe, "%lf", &seconds);
  if (pclose(pipe) != 0 || read != 1) return std::nullopt;
  return seconds;
}

class Table {
 public:
  explicit Table(const Settings& settings) {
    if (settings.threads == 1) columns_ = {"loop"};
    if (settings.threads == 1 && !settings.in_place) columns_.emplace_back("cobra");
    for (const auto& name : transposers(false)) columns_.push_back(name);
    for (const auto& name : planners(false)) columns_.push_back(name);
    if (settings.threads == 1 && !settings.in_place) columns_.emplace_back("numpy");
    std::erase_if(columns_, [&](const std::string& peer) { return settings.leaves_out(peer); });
    fmt::print("| map | log2 bytes | element | faro | {} | best peer / faro |\n|---|---|---|---|",
               fmt::join(columns_, " | "));
    for (std::size_t i = 0; i <= columns_.size(); ++i) fmt::print("---|");
    fmt::print("\n");
  }

  void row(const Task& task, int log2_bytes, const std::vector<bench::Timed>& timed) {
    fmt::print("| {} | {} | {} | {:.2f} |", task.name, log2_bytes, task.element_bytes,
               timed.front().ratio);
    double best = 0;
    for (const std::string& column : columns_) {
      const auto at = std::find_if(timed.begin() + 1, timed.end(),
                                   [&](const bench::Timed& t) { return t.name == column; });
      if (at == timed.end()) {
        fmt::print(" |");
        continue;
      }
      fmt::print(" {:.2f} |", at->ratio);
      if (best == 0 || at->ratio < best) best = at->ratio;
    }
    if (best == 0) {
      fmt::print(" |\n");
    } else {
      gains_.push_back(best / timed.front().ratio);
      fmt::print(" {:.2f} |\n", gains_.back());
    }
    std::fflush(stdout);
  }

  void summary() const {
    if (gains_.empty()) return;
    fmt::print("\nbest peer over faro: median {:.2f}, worst {:.2f}, of {} rows\n",
               bench::median(gains_), *std::min_element(gains_.begin(), gains_.end()),
               gains_.size());
  }

 private:
  std::vector<std::string> columns_;
  std::vector<double> gains_;
};

struct Buffers {
  explicit Buffers(std::uint64_t bytes) : from(bytes), to(bytes), expected(bytes) {}
  bench::BenchBuffer from;
  bench::BenchBuffer to;
  bench::BenchBuffer expected;
};

void fill(std::span<std::byte> bytes) {
  std::uint64_t word = 0;
  for (std::byte& b : bytes) b = static_cast<std::byte>((++word * 0x9e3779b97f4a7c15U) >> 56U);
}

// All contenders must do the same thing, or the table says nothing. Those who do not are named and
// left out. Filled here: FFTW writes over both buffers while it plans.
void compare_results(const Task& task, const Buffers& buffers, Contenders& contenders) {
  const auto from = buffers.from.first(task.to.size());
  const auto expected = buffers.expected.first(task.to.size());
  fill(from);
  const auto run = [&](const bench::Contender& c) {
    if (task.in_place()) {
      fill(task.to);
    } else {
      std::memset(task.to.data(), 0, task.to.size());
    }
    c.run();
  };
  run(contenders.front());
  std::memcpy(expected.data(), task.to.data(), task.to.size());
  std::erase_if(contenders, [&](const bench::Contender& c) {
    run(c);
    if (std::memcmp(task.to.data(), expected.data(), expected.size()) == 0) return false;
    fmt::print(stderr, "{} moves other bytes than faro: {}, elements of {}\n", c.name, task.name,
               task.element_bytes);
    return true;
  });
}

void bench_row(const std::string& name, int log2_bytes, std::uint64_t element,
               const Settings& settings, const Buffers& buffers, Table& table) {
  const std::uint64_t bytes = bit(log2_bytes);
  const BitMap map = map_of(name, log2_bytes - lowest_bit(element));
  const auto to = buffers.to.first(bytes);
  const Task task{
      name, map, element, settings.in_place ? to : buffers.from.first(bytes), to, settings.threads};
  const PermuteShape shape{.element_bytes = element};
  const PermuteOptions options{.threads = settings.threads, .simd = settings.simd};
  const auto plan = settings.in_place ? PermutePlan::in_place(map, shape, options)
                                      : PermutePlan::out_of_place(map, shape, options);
  Contenders contenders{{"faro", [&] {
                           if (task.in_place()) {
                             plan.execute_in_place(task.to);
                           } else {
                             plan.execute(task.from, task.to);
                           }
                         }}};
  add_loops(task, contenders);
  add_transposers(task, contenders);
  add_planners(task, contenders);
  std::erase_if(contenders, [&](const auto& one) { return settings.leaves_out(one.name); });
  compare_results(task, buffers, contenders);
  const auto baseline = [&] {
    if (task.in_place()) {
      bench::touch_with_threads(task.to, settings.threads);
    } else {
      bench::copy_with_threads(task.from, task.to, settings.threads);
    }
  };
  auto timed = bench::time_against("memory", baseline, contenders, bytes, settings.rounds);
  const auto groups = groups_of(map);
  if (groups && settings.threads == 1 && !settings.in_place && !settings.leaves_out("numpy")) {
    if (const auto seconds = numpy_seconds(*groups, element)) {
      timed.push_back({"numpy", *seconds / timed.back().seconds, *seconds});
    }
  }
  table.row(task, log2_bytes, timed);
}

// oneDNN has OpenMP's threads and no word of its own for how many.
void limit_openmp(int threads) {
  if (void* set = dlsym(RTLD_DEFAULT, "omp_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(threads);
}

int run(const Settings& settings) {
  limit_openmp(settings.threads);
  const int most = *std::max_element(settings.log2_bytes.begin(), settings.log2_bytes.end());
  const Buffers buffers(bit(most));
  fmt::print("{}, threads: {}, {}, time over {} of the same bytes, medians of {} rounds\n",
             bench::cpu_name(), settings.threads, settings.in_place ? "in place" : "out of place",
             settings.in_place ? "one pass" : "memcpy", settings.rounds);
  std::vector<std::string> missing = transposers(true);
  for (const auto& name : planners(true)) missing.push_back(name);
  if (!missing.empty()) fmt::print("not found: {}\n", fmt::join(missing, ", "));
  fmt::print("\n");
  Table table(settings);
  std::vector<std::string> maps = settings.maps;
  if (maps.empty() && settings.in_place) {
    maps = {"bit-reversal", "transpose", "transpose-8-columns", "b a c", "vector-reversal"};
  } else if (maps.empty()) {
    maps = {"bit-reversal",
            "shuffle",
            "unshuffle",
            "transpose",
            "transpose-8-columns",
            "transpose-8-rows",
            "b a c",
            "c b a",
            "b d a c",
            "morton",
            "gray",
            "bpc-1",
            "affine-1",
            "vector-reversal"};
  }
  for (const std::string& name : maps) {
    for (const int log2_bytes : settings.log2_bytes) {
      for (const std::uint64_t element : settings.element_bytes) {
        bench_row(name, log2_bytes, element, settings, buffers, table);
      }
    }
  }
  table.summary();
  return 0;
}

}  // namespace
}  // namespace faro::peers

int main(int argc, char** argv) {
  faro::peers::Settings settings;
  CLI::App app{"the engine beside its peers"};
  app.add_option("--log2-bytes", settings.log2_bytes, "sizes of the arrays (24)")
      ->check(CLI::Range(18, 32))
      ->delimiter(',');
  app.add_option("--element-bytes", settings.element_bytes, "of 4, 8, 16 (all)")
      ->check(CLI::IsMember({4, 8, 16}))
      ->delimiter(',');
  app.add_option("--kernels", settings.simd, "of the engine: scalar, sse4, avx2, avx512, neon")
      ->transform(CLI::CheckedTransformer(faro::bench::kernel_names()));
  app.add_option("--threads", settings.threads, "of the engine, memcpy, MKL, HPTT, oneDNN")
      ->check(CLI::Range(1, 256));
  app.add_option("--rounds", settings.rounds, "whose median counts (3)")->check(CLI::Range(1, 99));
  app.add_option("--map", settings.maps, "only these maps");
  app.add_option("--without", settings.without, "without these peers: loop,numpy take longest")
      ->delimiter(',');
  app.add_flag("--in-place", settings.in_place, "beside what can be done in place");
  CLI11_PARSE(app, argc, argv);
  try {
    return faro::peers::run(settings);
  } catch (const faro::Error& error) {
    fmt::print(stderr, "peers_bench: {}\n", error.what());
    return 1;
  }
}
