// Moves between placements on any number of ranks beside MPI_Alltoallv of the same bytes from ready
// packed buffers into others, and beside that with the copies that a program makes around it: one
// of all that has to be packed, one of all that has to be unpacked. Interleaved; medians over
// rounds of the slowest rank's time; results are compared with those of the move in one process.
//
//   mpirun -n RANKS mpi_grid [MIB [ROUNDS [BUFFER-KIB]]]     MIB of a rank's array of doubles
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "faro/distributed/grid_words.hpp"
#include "faro/mpi/grid_plan.hpp"

namespace {

using faro::GridMessage;
using Bytes = std::vector<std::byte>;

struct Case {
  std::string name;
  std::string words;
};

double seconds_of(const std::function<void()>& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run();
  double taken = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return taken;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Counts and offsets of MPI_Alltoallv, what stays included.
struct Side {
  std::vector<int> counts, offsets;
  std::size_t bytes = 0;
  Side(const std::vector<GridMessage>& messages, std::uint64_t kept, int rank, int ranks) {
    counts.resize(static_cast<std::size_t>(ranks));
    for (const GridMessage& m : messages)
      counts[m.peer] = static_cast<int>(m.elements * sizeof(double));
    counts[static_cast<std::size_t>(rank)] = static_cast<int>(kept * sizeof(double));
    for (const int n : counts) {
      offsets.push_back(static_cast<int>(bytes));
      bytes += static_cast<std::size_t>(n);
    }
  }
};

// Whether the result is right: elements say their own index in the old array, so a move of the same
// words says where each belongs.
bool judge(const faro::GridMove& move, int rank, const Bytes& to) {
  if (move.facts().bytes > (std::uint64_t{64} << 20U)) return true;  // small ones are judged
  std::vector<Bytes> parts(move.facts().ranks);
  std::vector<Bytes> wanted;
  for (std::uint64_t r = 0; r < parts.size(); ++r) {
    parts[r].resize(move.from_bytes(r));
    auto* numbers = reinterpret_cast<double*>(parts[r].data());
    for (std::size_t k = 0; k < parts[r].size() / sizeof(double); ++k)
      numbers[k] = 1e9 * static_cast<double>(r) + static_cast<double>(k);
  }
  faro::move_in_process(move, parts, wanted);
  return wanted[static_cast<std::size_t>(rank)] == to;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double mib = argc > 1 ? std::atof(argv[1]) : 32;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  faro::MpiGridOptions options;
  if (argc > 3) options.buffer_bytes = std::strtoull(argv[3], nullptr, 10) << 10U;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto side = static_cast<std::uint64_t>(std::sqrt(mib * (1 << 17) * ranks));
  const std::string p = std::to_string(ranks);
  const std::string rows = "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(" + p + ")";
  const std::string columns = "hpf:DISTRIBUTE A(*, BLOCK) ONTO P(" + p + ")";
  const std::string block_cyclic = "hpf:DISTRIBUTE A(*, CYCLIC(512)) ONTO P(" + p + ")";
  const std::vector<Case> cases = {
      {"rows to columns", rows + " => " + columns},
      {"columns to rows", columns + " => " + rows},
      {"rows to cyclic rows", rows + " => hpf:DISTRIBUTE A(CYCLIC, *) ONTO P(" + p + ")"},
      {"rows to columns cyclic in blocks of 512", rows + " => " + block_cyclic},
      {"columns to columns cyclic in blocks of 512", columns + " => " + block_cyclic},
      {"transposed rows (runs of 8 bytes)", rows + " => r c -> c r => " + rows}};
  if (rank == 0)
    std::printf(
        "%d ranks, %lu x %lu doubles\n| move | Alltoallv ms | with copies | faro | faro / "
        "Alltoallv | faro / with copies |\n|---|---|---|---|---|---|\n",
        ranks, static_cast<unsigned long>(side), static_cast<unsigned long>(side));
  bool all_right = true;
  for (const Case& one : cases) {
    faro::MpiGridPlan plan(MPI_COMM_WORLD, one.words, {side, side}, sizeof(double), options);
    const faro::GridMove& move = plan.move();
    const auto me = static_cast<std::uint64_t>(rank);
    Bytes from(plan.from_bytes()), to(plan.to_bytes());
    auto* numbers = reinterpret_cast<double*>(from.data());
    for (std::size_t k = 0; k < from.size() / sizeof(double); ++k)
      numbers[k] = 1e9 * rank + static_cast<double>(k);
    const Side out(move.sends(me), move.kept_elements(me), rank, ranks);
    const Side in(move.receives(me), move.kept_elements(me), rank, ranks);
    Bytes packed(out.bytes), received(in.bytes);
    std::memset(packed.data(), 1, packed.size());
    const auto alltoallv = [&] {
      MPI_Alltoallv(packed.data(), out.counts.data(), out.offsets.data(), MPI_BYTE, received.data(),
                    in.counts.data(), in.offsets.data(), MPI_BYTE, MPI_COMM_WORLD);
    };
    const auto with_copies = [&] {
      std::memcpy(packed.data(), from.data(), packed.size());
      alltoallv();
      std::memcpy(to.data(), received.data(), received.size());
    };
    const auto faro = [&] { plan.execute(from, to); };
    std::vector<double> bare, copied, ours;
    for (int round = 0; round <= rounds; ++round) {  // the first warms up
      bare.push_back(seconds_of(alltoallv));
      copied.push_back(seconds_of(with_copies));
      ours.push_back(seconds_of(faro));
    }
    for (auto* list : {&bare, &copied, &ours}) list->erase(list->begin());
    int right = judge(move, rank, to) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    all_right = all_right && right == 1;
    const double a = median(bare), b = median(copied), c = median(ours);
    if (rank == 0)
      std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f |%s\n", one.name.c_str(), 1e3 * a,
                  1e3 * b, 1e3 * c, c / a, c / b, right == 1 ? "" : " WRONG");
  }
  MPI_Finalize();
  return all_right ? 0 : 1;
}
