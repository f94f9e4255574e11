// QuEST's multi-qubit swap between ranks and memory as one exchange of faro.
//
// A plan that all ranks take part in is kept for the swap back, which is the same one. Where
// controls leave some ranks out, these have a communicator and a plan for the two swaps of that
// gate, made by them alone: ranks that were elsewhere meanwhile would disagree about what is kept.
#include "multi_swap.hpp"

#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "faro/mpi/mpi_plan.hpp"

namespace {

using faro::Word;

struct Kept {
  faro::BitMap map;
  std::size_t amplitude_bytes;
  faro::MpiPlan plan;
};

// Of the controls among rank bits: which are fixed, and the values there.
Word fixed_bits = 0;
Word fixed_values = 0;
std::optional<Kept> kept;

bool own_swaps() {
  const char* which = std::getenv("FARO_QUEST_SWAPS");
  return which != nullptr && std::strcmp(which, "own") == 0;
}

// The ranks that agree with the controls, in their order; MPI_COMM_NULL where that is all.
MPI_Comm members(int rank_qubits) {
  if (fixed_bits == 0) return MPI_COMM_NULL;
  std::vector<int> ranks;
  for (int r = 0; r < 1 << rank_qubits; ++r)
    if ((static_cast<Word>(r) & fixed_bits) == fixed_values) ranks.push_back(r);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm result = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &result);
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  return result;
}

}  // namespace

void faro_among(const std::vector<int>& controls, const std::vector<int>& states,
                int local_qubits) {
  fixed_bits = fixed_values = 0;
  for (std::size_t k = 0; k < controls.size(); ++k) {
    if (controls[k] < local_qubits) continue;
    const Word bit = faro::bit(controls[k] - local_qubits);
    fixed_bits |= bit;
    if (states[k] == 1) fixed_values |= bit;
  }
}

bool faro_multi_swap(const FaroState& state, const std::vector<int>& a, const std::vector<int>& b) {
  const int m = state.local_qubits;
  if (own_swaps() || state.rank_qubits == 0) return false;
  // Where qubits that are not fixed stand among the bits of the ranks that take part.
  std::vector<int> place;
  int width = 0;
  for (int q = 0; q < m + state.rank_qubits; ++q) {
    const bool fixed = q >= m && (fixed_bits & faro::bit(q - m)) != 0;
    place.push_back(fixed ? -1 : width++);
  }
  std::vector<Word> columns;
  for (int q = 0; q < width; ++q) columns.push_back(faro::bit(q));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const Word one = faro::bit(place[static_cast<std::size_t>(a[i])]);
    const Word other = faro::bit(place[static_cast<std::size_t>(b[i])]);
    for (Word& column : columns)
      if (column == one || column == other) column ^= one | other;
  }
  const auto map = faro::BitMap::from_columns(columns, 0);
  const std::size_t bytes = (std::size_t{1} << static_cast<unsigned>(m)) * state.amplitude_bytes;
  const std::span<std::byte> data(static_cast<std::byte*>(state.amplitudes), bytes);
  const faro::MpiOptions in_place{.exchange = {.in_place = true}};
  if (const MPI_Comm some = members(state.rank_qubits); some != MPI_COMM_NULL) {
    MPI_Comm owned = some;
    faro::MpiPlan(some, map, state.amplitude_bytes, in_place).execute_in_place(data);
    MPI_Comm_free(&owned);
  } else {
    if (!kept || kept->map != map || kept->amplitude_bytes != state.amplitude_bytes) {
      kept.reset();
      kept.emplace(map, state.amplitude_bytes,
                   faro::MpiPlan(MPI_COMM_WORLD, map, state.amplitude_bytes, in_place));
    }
    kept->plan.execute_in_place(data);
  }
  fixed_bits = fixed_values = 0;
  return true;
}
