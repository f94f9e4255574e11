// faro-mpi bench: an exchange beside its floors, all in one run and interleaved:
//
//   copy        memcpy of a rank's array, on all ranks at once
//   pairwise    the exchange's messages from and to contiguous memory, nothing packed
//   all-to-all  MPI_Alltoall of the same blocks, where every rank sends to every rank
//   local       packing and unpacking alone; the local pass where nothing travels
//   faro        the whole
//   shared      the same map in one pass over shared memory, where all ranks are on one node
//
// A time is the largest over the ranks; the figures are medians over the rounds after one that is
// not counted.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "faro/algebra/notation.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "mpi_cli/commands.hpp"

namespace faro::mpi_cli {
namespace {

struct Case {
  std::string name;
  BitMap map;
};

std::vector<Case> cases(int rank_bits, int width) {
  const int m = width - rank_bits;
  const auto text = [&](const std::string& map) { return parse_notation(map).map; };
  const auto swap = [&](int memory_bit) {
    std::vector<int> place(static_cast<std::size_t>(width));
    for (int i = 0; i < width; ++i) place[static_cast<std::size_t>(i)] = i;
    std::swap(place[static_cast<std::size_t>(memory_bit)],
              place[static_cast<std::size_t>(width - 1)]);
    return BitMap::from_places(place);
  };
  const int middle = std::max(0, m / 2 - rank_bits);
  return {
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
}

using Row = std::vector<std::pair<std::string, double>>;

// Each task once a round, in turn.
class Clock {
 public:
  explicit Clock(const mpi::Communicator& ranks) : ranks_(ranks) {}
  void add(const std::string& name, std::function<void()> task) {
    tasks_.push_back({name, std::move(task), {}});
  }
  Row medians(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round <= rounds; ++round) {
      for (Task& task : tasks_) {
        MPI_Barrier(ranks_.handle());
        const double start = MPI_Wtime();
        task.work();
        const double taken = ranks_.most(MPI_Wtime() - start);
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
  struct Task {
    std::string name;
    std::function<void()> work;
    std::vector<double> seconds;
  };
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
  std::vector<std::byte> from, to, step;
  std::optional<SharedArray> shared_from, shared_to;
};

Row measure(const mpi::Communicator& ranks, const Case& one, const BenchOptions& options,
            Arrays& arrays, std::string& words) {
  MpiOptions how;
  ranks.agree({}, "option", [&] { how.exchange.buffer_bytes = bytes_from(options.buffer); });
  MpiPlan plan(ranks.handle(), one.map, options.element_bytes, how);
  const ExchangePlan& exchange = plan.plan();
  words = exchange.describe();
  const auto rank = static_cast<Word>(ranks.rank());
  Clock clock(ranks);
  clock.add("copy", [&] { std::memcpy(arrays.to.data(), arrays.from.data(), arrays.from.size()); });
  if (exchange.has_exchange()) {
    clock.add("pairwise",
              [&] { raw_pairwise(ranks, exchange, arrays.from.data(), arrays.to.data()); });
  }
  if (exchange.cost().rho == exchange.rank_bits()) {
    const auto block = static_cast<int>(exchange.local_bytes() / exchange.ranks());
    clock.add("all-to-all", [&, block] {
      MPI_Alltoall(arrays.from.data(), block, MPI_BYTE, arrays.to.data(), block, MPI_BYTE,
                   ranks.handle());
    });
  }
  arrays.step.resize(exchange.step_bytes());
  std::optional<PermutePlan> alone;
  if (!exchange.has_exchange()) {
    alone = PermutePlan::out_of_place(exchange.local_map(rank),
                                      {.element_bytes = exchange.element_bytes()});
  }
  clock.add("local", [&] {
    if (alone) alone->execute(arrays.from, arrays.to);
    for (Word step = 0; !alone && step < exchange.steps(); ++step) {
      if (exchange.packs()) exchange.pack(rank, step, arrays.from, arrays.step);
      if (exchange.unpacks()) exchange.unpack(rank, step, arrays.step, arrays.to);
    }
  });
  clock.add("faro", [&] { plan.execute(arrays.from, arrays.to); });
  if (arrays.shared_from) {
    clock.add("shared", [&] { plan.execute(*arrays.shared_from, *arrays.shared_to); });
  }
  return clock.medians(options.rounds);
}

void print_row(const std::string& name, const Row& row) {
  const double copy = row.front().second;
  double local = 0;
  double raw = 0;
  double faro = 0;
  std::string cells;
  for (const auto& [what, seconds] : row) {
    if (what == "local") local = seconds;
    if (what == "pairwise" || (what == "all-to-all" && seconds < raw)) raw = seconds;
    if (what == "faro") faro = seconds;
    cells += fmt::format("  {} {:.3f}", what, seconds / copy);
  }
  std::cout << fmt::format("{:40}{}  faro/(raw+local) {:.2f}\n", name, cells, faro / (raw + local));
}

}  // namespace

void bench(const mpi::Communicator& ranks, const BenchOptions& options) {
  int width = 0;
  int rank_bits = 0;
  ranks.agree({}, "option", [&] {
    const auto size = static_cast<std::uint64_t>(ranks.size());
    if (!is_power_of_two(size) || options.local_log2 > 36 || options.element_bytes == 0 ||
        options.rounds == 0 || bit(static_cast<int>(options.local_log2) / 2) < size) {
      throw Error(ErrorCode::usage,
                  "bench: a power of two of ranks, at least as many elements each as ranks squared "
                  "and at most 2^36, elements of a byte or more and one round or more are needed");
    }
    rank_bits = log2_exact(size);
    width = rank_bits + static_cast<int>(options.local_log2);
  });
  Arrays arrays;
  const std::uint64_t bytes = options.element_bytes << options.local_log2;
  ranks.agree({}, "array", [&] {
    arrays.from.assign(bytes, std::byte{1});
    arrays.to.assign(bytes, std::byte{2});
  });
  try {
    arrays.shared_from.emplace(ranks.handle(), bytes);
    arrays.shared_to.emplace(ranks.handle(), bytes);
    std::memset(arrays.shared_from->data().data(), 1, bytes);
    std::memset(arrays.shared_to->data().data(), 2, bytes);
  } catch (const mpi::AgreedError&) {
    // Several nodes, or no shared memory: the column is left out, on all ranks.
    arrays.shared_from.reset();
    arrays.shared_to.reset();
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  if (ranks.rank() == 0 && !options.json) {
    std::cout << fmt::format("{} ranks, {} bytes each; medians of {} in copies of it\n",
                             ranks.size(), bytes, options.rounds);
  }
  for (const Case& one : cases(rank_bits, width)) {
    if (rank_bits == 0) break;
    std::string words;
    const Row row = measure(ranks, one, options, arrays, words);
    if (ranks.rank() != 0) continue;
    if (!options.json) print_row(one.name, row);
    nlohmann::ordered_json json;
    json["map"] = one.name;
    json["notation"] = to_notation(one.map);
    for (const auto& [what, seconds] : row) json["seconds"][what] = seconds;
    rows.push_back(json);
  }
  if (ranks.rank() != 0 || !options.json) return;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  nlohmann::ordered_json json;
  json["format"] = "faro-mpi-bench/1";
  json["mpi"] = std::string(version.data()).substr(0, std::string(version.data()).find('\n'));
  json["ranks"] = ranks.size();
  json["local_bytes"] = bytes;
  json["element_bytes"] = options.element_bytes;
  json["rows"] = rows;
  std::cout << json.dump() << "\n";
}

}  // namespace faro::mpi_cli
