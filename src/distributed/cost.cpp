// What an exchange between ranks sends, counted by ranks of matrices over GF(2): no element is
// looked at.
#include <fmt/format.h>

#include "distributed/canonical.hpp"
#include "distributed/check.hpp"
#include "faro/distributed/exchange_plan.hpp"

namespace faro::inline v1 {
namespace distributed {
namespace {

Count power(int exponent) {
  return Count{1} << static_cast<unsigned>(exponent);
}

// What stays within groups of ranks with equal top `top` bits.
struct Stays {
  Count elements = 0;
  int rank = 0;  // s
};

// The solutions of P (A + I) i = P c, P the projection on the top bits.
Stays stays(const BitMap& map, int top) {
  const int n = map.width();
  BitMatrix moved(top, n);
  for (int j = 0; j < n && top > 0; ++j) {
    moved.set_column(j, (map.column(j) ^ bit(j)) >> (n - top));
  }
  const Word complement = top == 0 ? 0 : map.complement() >> (n - top);
  const std::vector<Word> image = moved.image();
  const auto s = static_cast<int>(image.size());
  return {reduce(complement, image) == 0 ? power(n - s) : 0, s};
}

// The same under the best relabelling: rank r and the 2^k - 1 that share its node send their
// elements to T = A_pp S0 + V, S0 the span of the k low rank bits, and can host 2^k of its ranks.
Count stays_relabelled(const BitMap& map, int rank_bits, int node_bits) {
  const int m = map.width() - rank_bits;
  const Blocks a = blocks_of(map.matrix(), rank_bits);
  std::vector<Word> reached = a.pm.image();
  for (int j = 0; j < node_bits; ++j) reached.push_back(a.pp.column(j));
  const auto t = static_cast<int>(reduced_basis(reached).size());
  return power(rank_bits + node_bits + m - t);
}

ExchangeTraffic traffic(const BitMap& map, int rank_bits, int node_bits, Count element_bytes,
                        Ranks ranks) {
  const Count all = power(map.width());
  ExchangeTraffic result;
  result.least_bytes = (all - stays(map, rank_bits - node_bits).elements) * element_bytes;
  result.least_bytes_relabelled =
      (all - stays_relabelled(map, rank_bits, node_bits)) * element_bytes;
  result.moved_bytes = ranks == Ranks::fixed ? result.least_bytes : result.least_bytes_relabelled;
  return result;
}

}  // namespace

void check_exchange(const BitMap& map, int rank_bits, std::uint64_t element_bytes, int node_bits) {
  if (rank_bits < 0 || rank_bits > map.width() || node_bits < 0 || node_bits > rank_bits) {
    throw Error(ErrorCode::usage,
                fmt::format("exchange: 2^{} ranks in nodes of 2^{}, and a map of {} bits; needed "
                            "are node bits <= rank bits <= the map's bits",
                            rank_bits, node_bits, map.width()));
  }
  if (element_bytes == 0) {
    throw Error(ErrorCode::usage, "exchange: elements of 0 bytes; at least 1 is needed");
  }
}

}  // namespace distributed

ExchangeCost exchange_cost(const BitMap& map, int rank_bits, std::uint64_t element_bytes,
                           Ranks ranks, int node_bits) {
  using namespace distributed;
  check_exchange(map, rank_bits, element_bytes, node_bits);
  const int m = map.width() - rank_bits;
  ExchangeCost cost;
  cost.rho = blocks_of(map.matrix(), rank_bits).pm.rank();
  cost.node_bits = node_bits;
  cost.ranks = traffic(map, rank_bits, 0, element_bytes, ranks);
  cost.nodes = traffic(map, rank_bits, node_bits, element_bytes, ranks);
  cost.pair_bytes = power(m - cost.rho) * element_bytes;
  const Stays stay = stays(map, rank_bits);
  const std::uint64_t all = rank_bits == word_bits ? UINT64_MAX : bit(rank_bits);
  if (ranks == Ranks::relabelled) {
    cost.keepers = all;
  } else if (stay.elements != 0) {
    cost.keepers = rank_bits == word_bits && stay.rank == cost.rho
                       ? all
                       : bit(rank_bits - stay.rank + cost.rho);
  }
  const bool all_keep = cost.keepers == all;
  cost.rounds = bit(cost.rho) - (all_keep ? 1 : 0);
  cost.partners = cost.rounds;
  cost.most_sent_bytes = cost.pair_bytes * cost.rounds;
  return cost;
}

double modelled_seconds(const ExchangeCost& cost, std::uint64_t slices,
                        const NetworkModel& network) {
  return network.startup_seconds * static_cast<double>(cost.rounds) * static_cast<double>(slices) +
         static_cast<double>(cost.most_sent_bytes) * network.byte_seconds;
}

}  // namespace faro::inline v1
