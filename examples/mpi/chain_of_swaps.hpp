// What simulators do today to bring qubits of ranks into memory: one swap after the other, each a
// packed half of the array sent to one partner and received from it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

struct BitPair {
  int rank_bit;   // of the rank's number
  int local_bit;  // of the address
};

// Exchanges each rank bit with its local bit. `buffer` has room for the local array, half of it to
// send and half to receive. Returns the bytes this rank has sent.
inline std::uint64_t chain_of_swaps(MPI_Comm comm, const std::vector<BitPair>& pairs,
                                    std::span<std::complex<double>> state,
                                    std::span<std::complex<double>> buffer) {
  constexpr std::size_t message_elements = std::size_t{1} << 26U;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::size_t half = state.size() / 2;
  std::complex<double>* const send = buffer.data();
  std::complex<double>* const receive = buffer.data() + half;
  std::uint64_t sent = 0;
  for (const BitPair& pair : pairs) {
    const bool set = (rank >> pair.rank_bit & 1) != 0;
    const int partner = rank ^ (1 << pair.rank_bit);
    const std::size_t run = std::size_t{1} << static_cast<unsigned>(pair.local_bit);
    // The elements whose local bit differs from the rank's bit: runs of 2^local_bit.
    const std::size_t first = set ? 0 : run;
    for (std::size_t i = 0; i < half; i += run) {
      std::copy_n(state.data() + 2 * i + first, run, send + i);
    }
    for (std::size_t at = 0; at < half; at += message_elements) {
      const int count = static_cast<int>(std::min(message_elements, half - at));
      MPI_Sendrecv(send + at, count, MPI_C_DOUBLE_COMPLEX, partner, 0, receive + at, count,
                   MPI_C_DOUBLE_COMPLEX, partner, 0, comm, MPI_STATUS_IGNORE);
    }
    for (std::size_t i = 0; i < half; i += run) {
      std::copy_n(receive + i, run, state.data() + 2 * i + first);
    }
    sent += half * sizeof(std::complex<double>);
  }
  return sent;
}
