// faro-mpi bench: an exchange beside its floors, all in one run and interleaved:
//
//   copy        memcpy of a rank's array, on all ranks at once
//   pairwise    the exchange's messages from and to contiguous memory, nothing packed
//   all-to-all  MPI_Alltoall of the same blocks, where every rank sends to every rank
//   engine      the engine's pass over a rank's array by the local map, on all ranks at once
//   packing     packing and unpacking alone
//   faro        the whole
//   shared      the same map in one pass over shared memory, where all ranks are on one node
//   alone       the engine's pass over that memory by rank 0 with as many threads; others sleep
//   plan        making the plan, with all that ranks agree upon
//   reduction   of 40 bytes, which is what that takes
//
// The floor is raw messages, and the engine's pass where messages are not sent from and received in
// their places. A time is the largest over the ranks; the figures are medians over the rounds after
// one that is not counted. Arrays begin on pages.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <thread>
#include <vector>

#include "base/aligned_bytes.hpp"
#include "base/random.hpp"
#include "base/report.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "faro/words/say.hpp"
#include "mpi_cli/commands.hpp"

namespace faro::mpi_cli {
namespace {

constexpr std::uint64_t raw_bytes_max = std::uint64_t{1} << 30U;

struct Case {
  std::string name;
  BitMap map;
};

// The same in every run.
std::vector<Case> random_cases(int width) {
  Random random(1);
  std::vector<int> places(static_cast<std::size_t>(width));
  for (int i = 0; i < width; ++i) places[static_cast<std::size_t>(i)] = i;
  random.mix(places);
  BitMatrix matrix(width, width);
  do {
    for (int i = 0; i < width; ++i) matrix.set_column(i, random.next() & low_mask(width));
  } while (matrix.rank() != width);
  return {{"random bit permutation and complement",
           BitMap::from_places(places, random.next() & low_mask(width))},
          {"random affine map", BitMap::from_matrix(matrix, random.next() & low_mask(width))}};
}

std::vector<Case> cases(int rank_bits, int width) {
  const int m = width - rank_bits;
  const auto text = [&](const std::string& map) { return say(map).map.as_bits(); };
  const auto swap = [&](int memory_bit) {
    std::vector<int> place(static_cast<std::size_t>(width));
    for (int i = 0; i < width; ++i) place[static_cast<std::size_t>(i)] = i;
    std::swap(place[static_cast<std::size_t>(memory_bit)],
              place[static_cast<std::size_t>(width - 1)]);
    return BitMap::from_places(place);
  };
  const int middle = std::max(0, m / 2 - rank_bits);
  std::vector<Case> all = {
      {"swap with the top memory bit", swap(m - 1)},
      {"swap with memory bit 0", swap(0)},
      {"rank bits with as many top memory bits",
       text(fmt::format("r:{} t:{} x:{} -> t r x", rank_bits, rank_bits, m - rank_bits))},
      {"rank bits with as many in the middle",
       text(fmt::format("r:{} h:{} t:{} x:{} -> t h r x", rank_bits, m - rank_bits - middle,
                        rank_bits, middle))},
      {"square transpose", text(fmt::format("r:{} c:{} -> c r", width / 2, width - width / 2))},
      {"block to cyclic", text(fmt::format("i:{} -> rot(i,{})", width, rank_bits))},
      {"cyclic to block", text(fmt::format("i:{} -> rot(i,{})", width, m))},
      {"bit reversal", text(fmt::format("i:{} -> rev(i)", width))},
      {"gray", text(fmt::format("i:{} -> gray(i)", width))},
      {"complement", text(fmt::format("i:{} -> ~i", width))},
  };
  for (Case& one : random_cases(width)) all.push_back(std::move(one));
  return all;
}

std::vector<Case> asked_cases(const mpi::Communicator& ranks, const BenchOptions& options,
                              int rank_bits, int width) {
  std::vector<Case> asked;
  Sizes sizes;
  sizes.elements = Count{1} << static_cast<unsigned>(width);
  ranks.agree({}, "map", [&] {
    for (const std::string& map : options.maps) {
      asked.push_back({map, say(map, sizes).map.as_bits()});
    }
    if (options.maps.empty()) asked = cases(rank_bits, width);
  });
  return asked;
}

using Row = std::vector<std::pair<std::string, double>>;

// Each task once a round, in turn.
class Clock {
 public:
  explicit Clock(const mpi::Communicator& ranks) : ranks_(ranks) {}
  void add(const std::string& name, std::function<void()> task) {
    tasks_.push_back({name, std::move(task), Who::all, {}});
  }
  void add_of_rank_0(const std::string& name, std::function<void()> task) {
    tasks_.push_back({name, std::move(task), Who::rank_0, {}});
  }
  Row medians(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round <= rounds; ++round) {
      for (Task& task : tasks_) {
        const double taken = ranks_.most(task.who == Who::all ? timed(task) : timed_alone(task));
        if (round > 0) task.seconds.push_back(taken);
      }
    }
    Row row;
    for (Task& task : tasks_) {
      std::sort(task.seconds.begin(), task.seconds.end());
      row.emplace_back(task.name, task.seconds[task.seconds.size() / 2]);
    }
    return row;
  }

 private:
  enum class Who { all, rank_0 };
  struct Task {
    std::string name;
    std::function<void()> work;
    Who who = Who::all;
    std::vector<double> seconds;
  };
  double timed(const Task& task) const {
    MPI_Barrier(ranks_.handle());
    const double start = MPI_Wtime();
    task.work();
    return MPI_Wtime() - start;
  }
  // The others leave their cores to it: who waits within MPI may spin.
  double timed_alone(const Task& task) const {
    double seconds = 0;
    MPI_Barrier(ranks_.handle());
    if (ranks_.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const double start = MPI_Wtime();
      task.work();
      seconds = MPI_Wtime() - start;
    }
    MPI_Request ended = MPI_REQUEST_NULL;
    MPI_Ibarrier(ranks_.handle(), &ended);
    for (int done = 0; done == 0;) {
      MPI_Test(&ended, &done, MPI_STATUS_IGNORE);
      if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return seconds;
  }
  const mpi::Communicator& ranks_;
  std::vector<Task> tasks_;
};

// The blocks of an exchange as one message each, from and to contiguous memory.
void raw_pairwise(const mpi::Communicator& ranks, const ExchangePlan& plan, const std::byte* from,
                  std::byte* to) {
  const auto rank = static_cast<Word>(ranks.rank());
  const std::uint64_t blocks = bit(plan.cost().rho);
  const std::uint64_t bytes = plan.local_bytes() / blocks;
  std::vector<MPI_Request> requests;
  requests.reserve(2 * blocks);
  for (Word b = 0; b < blocks; ++b) {
    const Word origin = plan.origin(rank, b / plan.blocks(), b % plan.blocks());
    if (origin == rank) continue;
    requests.emplace_back();
    MPI_Irecv(to + b * bytes, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(origin), 0,
              ranks.handle(), &requests.back());
  }
  for (Word b = 0; b < blocks; ++b) {
    const Word target = plan.target(rank, b / plan.blocks(), b % plan.blocks());
    if (target == rank) {
      std::memcpy(to + b * bytes, from + b * bytes, bytes);
      continue;
    }
    requests.emplace_back();
    MPI_Isend(from + b * bytes, static_cast<int>(bytes), MPI_BYTE, static_cast<int>(target), 0,
              ranks.handle(), &requests.back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

struct Arrays {
  AlignedBytes from, to;
  std::optional<SharedArray> shared_from, shared_to;
};

// What is timed of shared memory.
void add_shared(Clock& clock, MpiPlan& plan, Arrays& arrays, std::optional<PermutePlan>& alone) {
  if (!arrays.shared_from) return;
  const ExchangePlan& exchange = plan.plan();
  alone = PermutePlan::out_of_place(exchange.executed_map(),
                                    {.element_bytes = exchange.element_bytes()},
                                    {.threads = static_cast<int>(exchange.ranks())});
  clock.add("shared", [&] { plan.execute(*arrays.shared_from, *arrays.shared_to); });
  clock.add_of_rank_0("alone",
                      [&] { alone->execute(arrays.shared_from->all(), arrays.shared_to->all()); });
}

Row measure(const mpi::Communicator& ranks, const Case& one, const BenchOptions& options,
            Arrays& arrays, bool& straight) {
  MpiOptions how;
  ranks.agree({}, "option", [&] {
    how.exchange.buffer_bytes = bytes_from(options.buffer);
    how.exchange.step_bytes = bytes_from(options.step);
  });
  MpiPlan plan(ranks.handle(), one.map, options.element_bytes, how);
  const ExchangePlan& exchange = plan.plan();
  straight = exchange.has_exchange() && !exchange.packs() && !exchange.unpacks();
  const auto rank = static_cast<Word>(ranks.rank());
  const std::span<const std::byte> from = arrays.from.all();
  const std::span<std::byte> to = arrays.to.all();
  Clock clock(ranks);
  clock.add("copy", [&] { std::memcpy(to.data(), from.data(), from.size()); });
  if (exchange.has_exchange()) {
    clock.add("pairwise", [&] { raw_pairwise(ranks, exchange, from.data(), to.data()); });
  }
  if (exchange.cost().rho == exchange.rank_bits()) {
    const auto block = static_cast<int>(exchange.local_bytes() / exchange.ranks());
    clock.add("all-to-all", [&, block] {
      MPI_Alltoall(from.data(), block, MPI_BYTE, to.data(), block, MPI_BYTE, ranks.handle());
    });
  }
  const auto engine = PermutePlan::out_of_place(exchange.local_map(rank),
                                                {.element_bytes = exchange.element_bytes()});
  clock.add("engine", [&] { engine.execute(from, to); });
  const AlignedBytes step(exchange.step_bytes());
  if (exchange.packs() || exchange.unpacks()) {
    std::memset(step.data(), 0, step.size());
    clock.add("packing", [&] {
      const bool keeps = exchange.keeps_apart(rank);
      if (keeps) exchange.move_kept(rank, 0, 1, from, to);
      for (Word s = 0; s < exchange.steps(); ++s) {
        if (keeps && exchange.target(rank, s, 0) == rank) continue;
        if (exchange.packs()) exchange.pack(rank, s, from, step.all());
        if (exchange.unpacks()) exchange.unpack(rank, s, step.all(), to);
      }
    });
  }
  clock.add("faro", [&] { plan.execute(from, to); });
  std::optional<PermutePlan> alone;
  add_shared(clock, plan, arrays, alone);
  clock.add("plan", [&] { MpiPlan(ranks.handle(), one.map, options.element_bytes, how); });
  clock.add("reduction", [&] {
    const std::array<std::uint64_t, 5> mine{};
    std::array<std::uint64_t, 5> all{};
    MPI_Allreduce(mine.data(), all.data(), 5, MPI_UINT64_T, MPI_MAX, ranks.handle());
  });
  return clock.medians(options.rounds);
}

double of(const Row& row, const std::string& name) {
  for (const auto& [what, seconds] : row) {
    if (what == name) return seconds;
  }
  return 0;
}

// faro beside raw messages and, where they are packed, the engine's pass.
double over_floor(const Row& row, bool straight) {
  return of(row, "faro") / (of(row, "pairwise") + (straight ? 0 : of(row, "engine")));
}

void print_row(const std::string& name, const Row& row, bool straight) {
  std::string cells;
  for (const auto& [what, seconds] : row) {
    const bool planning = what == "plan" || what == "reduction";
    cells += planning ? fmt::format("  {} {:.3f} ms", what, 1e3 * seconds)
                      : fmt::format("  {} {:.2f}", what, seconds / of(row, "copy"));
  }
  std::cout << fmt::format("{:40}{}  faro/floor {:.2f}", name, cells, over_floor(row, straight));
  if (of(row, "alone") > 0) {
    std::cout << fmt::format("  shared/alone {:.2f}", of(row, "shared") / of(row, "alone"));
  }
  std::cout << "\n";
}

}  // namespace

void bench(const mpi::Communicator& ranks, const BenchOptions& options) {
  int width = 0;
  int rank_bits = 0;
  ranks.agree({}, "option", [&] {
    const auto size = static_cast<std::uint64_t>(ranks.size());
    if (!is_power_of_two(size) || options.local_log2 > 36 || options.element_bytes == 0 ||
        options.rounds == 0 || bit(static_cast<int>(options.local_log2) / 2) < size ||
        options.element_bytes > raw_bytes_max >> options.local_log2) {
      throw Error(
          ErrorCode::usage,
          "bench: a power of two of ranks, at least as many elements each as ranks squared, "
          "elements of a byte or more, at most 1 GiB a rank (raw messages are counted by an "
          "int) and one round or more are needed");
    }
    rank_bits = log2_exact(size);
    width = rank_bits + static_cast<int>(options.local_log2);
  });
  Arrays arrays;
  const std::uint64_t bytes = options.element_bytes << options.local_log2;
  ranks.agree({}, "array", [&] {
    arrays.from = AlignedBytes(bytes);
    arrays.to = AlignedBytes(bytes);
    std::memset(arrays.from.data(), 1, bytes);
    std::memset(arrays.to.data(), 2, bytes);
  });
  try {
    arrays.shared_from.emplace(mpi::allocate(ranks.handle(), bytes));
    arrays.shared_to.emplace(mpi::allocate(ranks.handle(), bytes));
    std::memset(arrays.shared_from->data().data(), 1, bytes);
    std::memset(arrays.shared_to->data().data(), 2, bytes);
  } catch (const mpi::AgreedError&) {
    // Several nodes, or no shared memory: the column is left out, on all ranks.
    arrays.shared_from.reset();
    arrays.shared_to.reset();
  }
  Report rows = Report::list();
  if (ranks.rank() == 0 && !options.json) {
    std::cout << fmt::format("{} ranks, {} bytes each; medians of {} in copies of it\n",
                             ranks.size(), bytes, options.rounds);
  }
  for (const Case& one : asked_cases(ranks, options, rank_bits, width)) {
    if (rank_bits == 0) break;
    bool straight = false;
    const Row row = measure(ranks, one, options, arrays, straight);
    if (ranks.rank() != 0) continue;
    if (!options.json) print_row(one.name, row, straight);
    Report json;
    json["map"] = one.name;
    json["notation"] = to_notation(one.map);
    for (const auto& [what, seconds] : row) json["seconds"][what] = seconds;
    json["over_floor"] = over_floor(row, straight);
    rows.push_back(json);
  }
  if (ranks.rank() != 0 || !options.json) return;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  Report json;
  json["format"] = "faro-mpi-bench/1";
  json["mpi"] = std::string(version.data()).substr(0, std::string(version.data()).find('\n'));
  json["ranks"] = ranks.size();
  json["local_bytes"] = bytes;
  json["element_bytes"] = options.element_bytes;
  json["rows"] = rows;
  std::cout << json.json() << "\n";
}

}  // namespace faro::mpi_cli
