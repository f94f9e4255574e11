#include "timing.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/parallel.hpp"
#include "faro/base/error.hpp"

namespace faro::bench {
namespace {

// At least this much is moved between two looks at the clock.
constexpr std::size_t timed_bytes_min = std::size_t{1} << 25U;

}  // namespace

BenchBuffer::~BenchBuffer() {
  munmap(memory_.data(), memory_.size());
}

BenchBuffer::BenchBuffer(std::size_t bytes, Pages pages) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::environment,
                "bench: no memory for the buffers; leave --full out, or free some");
  }
#if defined(MADV_HUGEPAGE)
  madvise(memory, bytes, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  std::memset(memory, 1, bytes);
  memory_ = {static_cast<std::byte*>(memory), bytes};
}

void copy_with_threads(std::span<const std::byte> from, std::span<std::byte> to, int threads) {
  if (threads == 1) {
    std::memcpy(to.data(), from.data(), from.size());
    return;
  }
  const auto parts = static_cast<std::size_t>(threads);
  in_parallel(threads, parts, [&](std::uint64_t part, int) {
    const std::size_t begin = from.size() * part / parts;
    const std::size_t end = from.size() * (part + 1) / parts;
    std::memcpy(to.data() + begin, from.data() + begin, end - begin);
  });
}

void touch_with_threads(std::span<std::byte> data, int threads) {
  auto* words = reinterpret_cast<std::uint64_t*>(data.data());
  const std::size_t count = data.size() / sizeof(std::uint64_t);
  const auto parts = static_cast<std::size_t>(threads);
  in_parallel(threads, parts, [&](std::uint64_t part, int) {
    const std::size_t end = count * (part + 1) / parts;
    for (std::size_t i = count * part / parts; i < end; ++i) words[i] = ~words[i];
  });
}

double seconds_of(Clock clock) {
  if (clock == Clock::processor) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Timed> time_against(const std::string& baseline_name,
                                const std::function<void()>& baseline,
                                const std::vector<Contender>& contenders, std::size_t bytes,
                                int rounds, const Prepare& prepare, Clock clock) {
  const std::size_t times =
      std::max<std::size_t>(1, timed_bytes_min / std::max<std::size_t>(1, bytes));
  const auto seconds_for = [&](const std::function<void()>& run) {
    double seconds = 0;
    // What is prepared is so for one run; untimed runs lead on to any number of them.
    const std::size_t at_once = prepare ? 1 : times;
    for (std::size_t i = 0; i < times; i += at_once) {
      prepare ? prepare() : run();
      const double begin = seconds_of(clock);
      for (std::size_t k = 0; k < at_once; ++k) run();
      seconds += seconds_of(clock) - begin;
    }
    return seconds / static_cast<double>(times);
  };
  std::vector<std::vector<double>> ratios(contenders.size());
  std::vector<std::vector<double>> seconds(contenders.size());
  std::vector<double> base;
  for (int round = 0; round < rounds; ++round) {
    double before = seconds_for(baseline);
    base.push_back(before);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double taken = seconds_for(contenders[i].run);
      const double after = seconds_for(baseline);
      ratios[i].push_back(2 * taken / (before + after));
      seconds[i].push_back(taken);
      base.push_back(after);
      before = after;
    }
  }
  std::vector<Timed> timed;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    timed.push_back({contenders[i].name, median(ratios[i]), median(seconds[i])});
  }
  timed.push_back({baseline_name, 1, median(base)});
  return timed;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(':');
      if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace faro::bench
