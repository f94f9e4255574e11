// Times as ratios to memcpy. A shared machine has slow moments; what is compared must meet the same
// ones, so memcpy runs before and after every run of a contender, and the median of the ratios
// counts. Every timed run follows an untimed one of the same, so that each finds the caches as it
// leaves them itself, not as the one before it did; or finds them without the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace faro::bench {

enum class Pages { small, huge };

// Page-aligned memory, touched, on huge pages where the system gives them freely, or on none.
class BenchBuffer {
 public:
  explicit BenchBuffer(std::size_t bytes, Pages pages = Pages::huge);
  ~BenchBuffer();
  BenchBuffer(const BenchBuffer&) = delete;
  BenchBuffer& operator=(const BenchBuffer&) = delete;
  std::span<std::byte> first(std::size_t bytes) const { return memory_.first(bytes); }

 private:
  std::span<std::byte> memory_;
};

struct Contender {
  std::string name;
  std::function<void()> run;
};

struct Timed {
  std::string name;
  double ratio = 0;    // median over the rounds
  double seconds = 0;  // median
};

// Baselines: what a ratio of 1 is.
void copy_with_threads(std::span<const std::byte> from, std::span<std::byte> to, int threads);
// Reads and writes every byte where it stands: the floor of work in place.
void touch_with_threads(std::span<std::byte> data, int threads);

// What goes before a timed run; nothing is an untimed run of the same.
using Prepare = std::function<void()>;

// One thread's work is told best by its processor time, which others' work does not count in.
enum class Clock { wall, processor };
double seconds_of(Clock clock);

// Each contender `rounds` times between runs of `baseline`; small data is moved often enough in a
// run to be timed at all. The baseline itself is the last of the result, with ratio 1.
std::vector<Timed> time_against(const std::string& baseline_name,
                                const std::function<void()>& baseline,
                                const std::vector<Contender>& contenders, std::size_t bytes,
                                int rounds, const Prepare& prepare = {}, Clock clock = Clock::wall);

double median(std::vector<double> values);

// "AMD EPYC ..." as the system tells it.
std::string cpu_name();

}  // namespace faro::bench
