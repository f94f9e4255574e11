// The static choice of how a pass treats memory, and the candidates that measuring tries.
#pragma once

#include <string>
#include <vector>

#include "engine/kernels/kernels.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

struct Choice {
  Method method;
  std::string reason;
};

struct MethodQuestion {
  const BitMap& map;
  const BitMatrix& inverse;
  int unit_log2 = 0;
  const KernelSet& kernels;
  std::uint64_t data_bytes = 0;  // of the whole call, which decides whether the caches hold it
  Stores stores = Stores::automatic;
  const MachineTuning& machine;
};

// Require a map of at least one cache line of data.
Choice choose_method(const MethodQuestion& question);
// For a destination off the grid of lines: the ends of runs are written in part, so runs are long,
// and kernels complete them in a stage.
Method off_grid_method(const MethodQuestion& question);
// Both run lengths equal and the destination staged, or the source staged in blocks of 4 MiB at
// most, as run_pairs takes them.
Choice choose_in_place(const MethodQuestion& question);
// The static choice first; at most a dozen.
std::vector<Choice> method_candidates(const MethodQuestion& question);
std::vector<Choice> in_place_candidates(const MethodQuestion& question);

}  // namespace faro::inline v1::engine
