// Many qubits of the ranks exchanged with qubits in memory: a chain of swaps, as simulators have
// it, and the one exchange that takes its place. The same result, fewer bytes, a small buffer.
//
//   mpirun -n 4 multi_swap [QUBITS]
#include <cstdio>
#include <cstdlib>
#include <faro/mpi/mpi_plan.hpp>
#include <numeric>
#include <vector>

#include "chain_of_swaps.hpp"

using faro::Word;
using Amplitude = std::complex<double>;

// The map of all pairs at once, made once: what moves then moves in one step.
faro::MpiPlan one_exchange(MPI_Comm comm, int qubits, int rank_bits,
                           const std::vector<BitPair>& pairs) {
  std::vector<int> place(static_cast<std::size_t>(qubits));
  std::iota(place.begin(), place.end(), 0);
  for (const BitPair& pair : pairs) {
    std::swap(place[static_cast<std::size_t>(qubits - rank_bits + pair.rank_bit)],
              place[static_cast<std::size_t>(pair.local_bit)]);
  }
  faro::MpiOptions options;
  options.exchange.in_place = true;
  options.exchange.buffer_bytes = std::uint64_t{1} << 20U;
  return {comm, faro::BitMap::from_places(place), sizeof(Amplitude), options};
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rank_bits = faro::log2_exact(static_cast<Word>(size));
  const int qubits = argc > 1 ? std::atoi(argv[1]) : 18;
  const int local_bits = qubits - rank_bits;
  int wrong = local_bits < rank_bits ? 1 : 0;
  // Rank bits with low, middle and high address bits in turn.
  for (int shift = 0; shift + rank_bits <= local_bits && wrong == 0; shift += 5) {
    std::vector<BitPair> pairs;
    for (int b = 0; b < rank_bits; ++b) pairs.push_back({b, shift + rank_bits - 1 - b});
    std::vector<Amplitude> chained(faro::bit(local_bits));
    for (Word i = 0; i < chained.size(); ++i) {
      chained[i] = {static_cast<double>(rank), static_cast<double>(i)};
    }
    std::vector<Amplitude> exchanged = chained;
    std::vector<Amplitude> buffer(chained.size());
    const double start = MPI_Wtime();
    const std::uint64_t bytes = chain_of_swaps(MPI_COMM_WORLD, pairs, chained, buffer);
    const double between = MPI_Wtime();
    faro::MpiPlan plan = one_exchange(MPI_COMM_WORLD, qubits, rank_bits, pairs);
    plan.execute_in_place(std::as_writable_bytes(std::span(exchanged)));
    const double end = MPI_Wtime();
    wrong = chained == exchanged ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const faro::ExchangePlan& how = plan.plan();
    if (rank == 0)
      std::printf(
          "bits %d.. with the ranks': chain %llu bytes sent, %zu of buffer, %.1f ms; faro "
          "%llu, %llu, %.1f ms: %s\n",
          shift, static_cast<unsigned long long>(bytes), buffer.size() * sizeof(Amplitude),
          1e3 * (between - start), static_cast<unsigned long long>(how.cost().most_sent_bytes),
          static_cast<unsigned long long>(how.buffer_bytes()), 1e3 * (end - between),
          wrong == 0 ? "the same" : "NOT the same");
  }
  MPI_Finalize();
  return wrong;
}
