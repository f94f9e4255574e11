// What the paper's introduction compares BPC routing with: networks of exchanges across address
// bits, for any permutation.   [Nassimi, Sahni 1980, section 1]
//
//   mesh-benes   Thompson 1978: the Benes network laid over the mesh, set by the looping algorithm
//   mesh-sort    Batcher's bitonic sort of the destinations, addresses with their dimensions' bits
//                interleaved (Nassimi, Sahni 1979)
//
// An exchange across a bit of distance g takes 2g unit routes whoever takes part. The network goes
// through all bits but one twice, through the farthest once: 7n - 8 on n x n; the sort through the
// j-th of p bits p - j times: 14(n - 1) - 8 log n. A sort by tags that are not known before moves
// tag and datum, twice that.
#pragma once

#include "planners/entry.hpp"
#include "planners/mesh/rides.hpp"

namespace faro::inline v1::mesh {

// Steps of a network: an address bit, and for each element whether it crosses it.
struct ExchangeStage {
  int address_bit = 0;
  std::vector<bool> crosses;
};
std::vector<ExchangeStage> benes_stages(const MeshGeometry& geometry,
                                        std::span<const Word> destinations);
std::vector<ExchangeStage> sort_stages(const MeshGeometry& geometry,
                                       std::span<const Word> destinations);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

extern const Planner& mesh_benes;
extern const Planner& mesh_sort;

}  // namespace faro::inline v1
