// QuEST's multi-qubit swap between ranks and memory as one exchange of faro. The plan is kept for
// the swap back, which is the same one.
#include "multi_swap.hpp"

#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>

#include "faro/mpi/mpi_plan.hpp"

namespace {

struct Kept {
  faro::BitMap map;
  std::size_t amplitude_bytes;
  faro::MpiPlan plan;
};

std::optional<Kept> kept;

}  // namespace

bool faro_swaps() {
  const char* which = std::getenv("FARO_QUEST_SWAPS");
  return which == nullptr || std::strcmp(which, "own") != 0;
}

bool faro_multi_swap(const FaroState& state, const std::vector<int>& a, const std::vector<int>& b) {
  if (!faro_swaps() || state.rank_qubits == 0) return false;
  const int qubits = state.local_qubits + state.rank_qubits;
  std::vector<int> place(static_cast<std::size_t>(qubits));
  std::iota(place.begin(), place.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int& at : place) at = at == a[i] ? b[i] : at == b[i] ? a[i] : at;
  const auto map = faro::BitMap::from_places(place);
  if (!kept || kept->map != map || kept->amplitude_bytes != state.amplitude_bytes) {
    kept.reset();
    kept.emplace(map, state.amplitude_bytes,
                 faro::MpiPlan(MPI_COMM_WORLD, map, state.amplitude_bytes,
                               {.exchange = {.in_place = true}}));
  }
  const std::size_t amplitudes = std::size_t{1} << static_cast<unsigned>(state.local_qubits);
  kept->plan.execute_in_place(
      {static_cast<std::byte*>(state.amplitudes), amplitudes * state.amplitude_bytes});
  return true;
}
