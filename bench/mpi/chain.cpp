// The swaps of simulators: one pair of bits after the other, in place (examples/mpi).
#include <memory>

#include "../../examples/mpi/chain_of_swaps.hpp"
#include "peers.hpp"

namespace peers {

std::optional<Run> chain(const Case& what, const Ranks& ranks, Arrays& arrays) {
  if (what.kind != Kind::exchange) return {};
  std::vector<BitPair> pairs;
  for (int b = 0; b < what.bits; ++b) {
    pairs.push_back({ranks.rank_bits - what.bits + b, what.low + b});
  }
  auto buffer = std::make_shared<std::vector<Number>>(arrays.to.size());
  return [=, &arrays, comm = ranks.comm] { chain_of_swaps(comm, pairs, arrays.to, *buffer); };
}

}  // namespace peers
