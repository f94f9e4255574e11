// What QuEST's localiser calls in place of its chain of swaps (quest.sh puts the calls there).
#pragma once

#include <cstddef>
#include <vector>

struct FaroState {
  void* amplitudes;
  std::size_t amplitude_bytes;
  int local_qubits;
  int rank_qubits;
};

// Whether faro swaps: not where FARO_QUEST_SWAPS=own. All ranks take part then, those too that a
// gate's controls rule out, which QuEST lets leave before the swaps.
bool faro_swaps();

// Swaps qubits a[i] and b[i], one pair after the other, of a state of local_qubits + rank_qubits
// qubits on all ranks: one exchange, in place. False where QuEST is to swap: nothing is done.
bool faro_multi_swap(const FaroState& state, const std::vector<int>& a, const std::vector<int>& b);
