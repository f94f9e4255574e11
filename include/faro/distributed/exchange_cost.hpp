// What a map costs between ranks, exactly and before anything moves.
//
// The array has 2^n elements, index = rank bits (high) | memory bits (low): 2^p ranks with 2^m
// elements each. With A_pm the block of the map's matrix that takes memory bits to rank bits and
// rho its rank:
//
//   every rank sends 2^(m - rho) elements to each of 2^rho ranks, itself perhaps among them;
//   2^n - 2^(n - s) elements leave their rank, s = rank [A_pp + I | A_pm], or all of them where
//     the complement of the rank bits lies outside of that matrix's image;
//   with ranks relabelled 2^n (1 - 2^-rho) leave, and no permutation of the ranks does better, on
//     any level of the machine (nodes of ranks with equal high bits) at the same time.
//
// Bit reversal on 2^4 ranks with 2^20 elements: rho = 4, 15 partners, 15/16 of the data leaves.
#pragma once

#include <cstdint>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {

// Whether results lie on the ranks that the map says, or on those that ExchangePlan::relabelling()
// names, where most of the data is already.
enum class Ranks { fixed, relabelled };

// What leaves ranks or nodes, over all of them, in bytes.
struct ExchangeTraffic {
  Count moved_bytes = 0;
  Count least_bytes = 0;             // with fixed ranks
  Count least_bytes_relabelled = 0;  // with the best relabelling
  friend bool operator==(const ExchangeTraffic&, const ExchangeTraffic&) = default;
};

struct ExchangeCost {
  int rho = 0;
  std::uint64_t partners = 0;  // the most other ranks that one rank sends to
  std::uint64_t rounds = 0;    // permutations of the ranks that all of it takes, one port a rank
  Count pair_bytes = 0;        // from one rank to one other, in however many messages: 2^(m - rho)
                               // elements
  ExchangeTraffic ranks;
  Count most_sent_bytes = 0;  // of one rank
  std::uint64_t keepers = 0;  // ranks that keep one of their 2^rho messages
  int node_bits = 0;          // nodes of 2^node_bits ranks, their low rank bits
  ExchangeTraffic nodes;
  friend bool operator==(const ExchangeCost&, const ExchangeCost&) = default;
};

// Requires 0 <= node_bits <= rank_bits <= map.width(), else Error(usage). Some microseconds,
// whatever the sizes.
ExchangeCost exchange_cost(const BitMap& map, int rank_bits, std::uint64_t element_bytes,
                           Ranks ranks = Ranks::fixed, int node_bits = 0);

// The same figures by a second way, which knows the map by its values alone and shares no algebra
// with the first: up to 2^20 elements are counted one by one, of more whole cosets, from the values
// at 0 and at the units. What belongs to rank relabelling(r) lies on rank r. The least with ranks
// relabelled is what no permutation of them can beat: of a node's elements at most those stay that
// belong to the ranks it sends most to, as many as it has. Requires what exchange_cost requires and
// a relabelling of rank_bits bits.
ExchangeCost counted_cost(const BitMap& map, const BitMap& relabelling, int rank_bits,
                          std::uint64_t element_bytes, int node_bits = 0);
inline constexpr int counted_bits_max = limits::exchange_counted_log2_max;

// Seconds by the model of a time for each message and one for each byte that a rank sends:
//   startup_seconds * rounds * slices + byte_seconds * most_sent_bytes
// Computed, not measured.
struct NetworkModel {
  double startup_seconds = 2e-6;
  double byte_seconds = 1e-10;
};
double modelled_seconds(const ExchangeCost& cost, std::uint64_t slices,
                        const NetworkModel& network);

}  // namespace faro::inline v1
