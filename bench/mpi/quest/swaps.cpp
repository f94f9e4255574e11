// QuEST's own chain of swaps and faro's one exchange, on the same state in the same run: bytes that
// leave their rank, seconds (medians, interleaved), and every amplitude compared.
// usage: quest_swaps [QUBITS [ROUNDS]]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../peers.hpp"
#include "quest.h"

// Not in QuEST's headers, but in its localiser.
void anyCtrlMultiSwapBetweenPrefixAndSuffix(Qureg qureg, std::vector<int> controls,
                                            std::vector<int> states, std::vector<int> a,
                                            std::vector<int> b);

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Turn {
  std::vector<double> seconds;
  double share = 0;  // of the state that left its rank
};

void swap(Qureg state, const std::vector<int>& a, const std::vector<int>& b, const char* whose,
          Turn& turn) {
  setenv("FARO_QUEST_SWAPS", whose, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  peers::take_sent_bytes();
  const double start = MPI_Wtime();
  anyCtrlMultiSwapBetweenPrefixAndSuffix(state, {}, {}, a, b);
  double taken = MPI_Wtime() - start;
  double sent = static_cast<double>(peers::take_sent_bytes());
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  turn.seconds.push_back(taken);
  turn.share = sent / (static_cast<double>(state.numAmps) * sizeof(qcomp));
}

}  // namespace

int main(int argc, char** argv) {
  const int qubits = argc > 1 ? std::atoi(argv[1]) : 22;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  initQuESTEnv();
  Qureg own = createCustomQureg(qubits, 0, 1, 0, 0);
  Qureg ours = createCustomQureg(qubits, 0, 1, 0, 0);
  const int local = static_cast<int>(own.logNumAmpsPerNode);
  const int ranks = own.logNumNodes;
  if (own.rank == 0)
    std::printf(
        "| rank qubits with | QuEST ms | sent | faro ms | sent | QuEST / faro |\n"
        "|---|---|---|---|---|---|\n");
  bool right = true;
  for (const int lowest : {local - ranks, (local - ranks) / 2, 0}) {
    std::vector<int> a, b;
    for (int k = 0; k < ranks; ++k) {
      a.push_back(lowest + k);
      b.push_back(local + k);
    }
    initDebugState(own);
    initDebugState(ours);
    Turn chain, one;
    for (int round = 0; round < rounds; ++round) {
      swap(own, a, b, "own", chain);
      swap(ours, a, b, "faro", one);
    }
    int same = std::equal(own.cpuAmps, own.cpuAmps + own.numAmpsPerNode, ours.cpuAmps) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    right = right && same == 1;
    if (own.rank == 0)
      std::printf("| qubits %d to %d | %.3f | %.4f | %.3f | %.4f | %.2f |%s\n", lowest,
                  lowest + ranks - 1, 1e3 * median(chain.seconds), chain.share,
                  1e3 * median(one.seconds), one.share, median(chain.seconds) / median(one.seconds),
                  same == 1 ? "" : " WRONG");
    // The claim that a test can judge: one exchange never sends more than the chain.
    right = right && one.share <= chain.share;
  }
  destroyQureg(own);
  destroyQureg(ours);
  finalizeQuESTEnv();
  return right ? 0 : 1;
}
