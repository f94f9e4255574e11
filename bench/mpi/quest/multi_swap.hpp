// What QuEST's localiser calls in place of its chain of swaps (quest.sh puts the calls there).
#pragma once

#include <cstddef>
#include <vector>

// QuEST lets ranks that the controls rule out leave before the swaps: the others are 2^(p - k)
// ranks, those that agree with the controls among the rank's bits. To be called by these before
// each of the two swaps around a gate.
void faro_among(const std::vector<int>& controls, const std::vector<int>& states, int local_qubits);

struct FaroState {
  void* amplitudes;
  std::size_t amplitude_bytes;
  int local_qubits;
  int rank_qubits;
};

// Swaps qubits a[i] and b[i], one pair after the other, of a state of local_qubits + rank_qubits
// qubits on all ranks: one exchange, in place. False where FARO_QUEST_SWAPS=own: nothing is done.
bool faro_multi_swap(const FaroState& state, const std::vector<int>& a, const std::vector<int>& b);
