// How many moves a second replay judges, on one core (processor
// time): dense rules, sparse rules, explicit moves,
// one port. Medians of several rounds. Wanted: at least 50 million moves a
// second.
//
//   replay_bench            a table
//   replay_bench --check    also exit code 1 if a case is below 50 million
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string_view>
#include <vector>

#include "faro/schedules/cost.hpp"
#include "machines/cube/verifiers.hpp"
#include "schedules/expand.hpp"

namespace {

using namespace faro;

constexpr double wanted_per_second = 50e6;
constexpr int rounds = 5;

// Everybody who meets the conditions swaps one slot across every dimension, again and again.
RecordingSink swaps(int n, int elements, Hypercube::Ports ports, std::vector<Parity> where) {
  RecordingSink s;
  s.header.machine = Hypercube{n, ports};
  s.header.goal = MapGoal{BitMap::identity(n), false, 0};
  s.header.elements = s.header.slots = static_cast<std::uint64_t>(elements);
  const int together = ports == Hypercube::Ports::one ? 1 : std::min(n, elements);
  for (int t = 0; t < n; ++t)
    for (int twice = 0; twice < 2; ++twice) {
      CubeStep step;
      for (int k = 0; k < together; ++k) {
        const int d = (t + k) % n;
        std::vector<Parity> conditions = where;
        for (Parity& c : conditions) c.mask &= low_mask(n) & ~bit(d);
        step.rules.push_back({conditions, static_cast<Slot>(k), d, static_cast<Slot>(k)});
      }
      s.cube_steps.push_back(step);
    }
  return s;
}

RecordingSink spelled_out(const RecordingSink& schedule) {
  RecordingSink result;
  ExpandingSink expand(result);
  schedule.replay_into(expand);
  return result;
}

double moves_per_second(const RecordingSink& schedule) {
  CostCounter counter;
  schedule.replay_into(counter);
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    const auto replay = cube_replay();
    replay->begin(schedule.header);
    const std::clock_t start = std::clock();
    for (const CubeStep& step : schedule.cube_steps) replay->step(step);
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    replay->finish();
    if (!replay->verdict().ok()) {
      fmt::print(stderr, "a schedule of the benchmark is wrong: {}\n",
                 replay->verdict().violations.front().message);
      return 0;
    }
  }
  std::sort(seconds.begin(), seconds.end());
  return static_cast<double>(counter.cost().remote_moves) / seconds[rounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::string_view(argv[1]) == "--check";
  using Ports = Hypercube::Ports;
  const std::vector<Parity> half = {{0x55555, 1}};
  const std::vector<Parity> sixteenth = {{0x00f0f, 1}, {0xf0f00, 0}, {0x33333, 1}, {0x01010, 0}};
  const struct {
    const char* name;
    RecordingSink schedule;
  } cases[] = {{"everybody, 2^20 processors", swaps(20, 4, Ports::all, {})},
               {"half, 2^20 processors", swaps(20, 4, Ports::all, half)},
               {"a sixteenth, 2^20 processors", swaps(20, 4, Ports::all, sixteenth)},
               {"one port, 2^20 processors", swaps(20, 4, Ports::one, half)},
               {"half, 2^10 processors, K = 100", swaps(10, 100, Ports::all, half)},
               {"spelled out, 2^14 processors", spelled_out(swaps(14, 4, Ports::all, half))}};
  bool enough = true;
  for (const auto& [name, schedule] : cases) {
    const double rate = moves_per_second(schedule);
    enough = enough && rate >= wanted_per_second;
    fmt::print("{:32} {:8.0f} million moves/s\n", name, rate / 1e6);
  }
  return check && !enough ? 1 : 0;
}
