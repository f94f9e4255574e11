// Lower bounds on the slots of a POPS network, from how many data move between which groups.
//
//   POPS(9, 4), cyclic shift by 5: D(i, i) = 4, D(i, i+1) = 5:   4 slots, by levels (hops say 3)
//
// All hold for any number of hops, copies allowed:
//   0 if nothing moves; 1 if and only if D(i, j) <= 1 everywhere
//   hops    only k data of a pair can use their own coupler in k slots, the others use two others
//   senders each of the others is sent twice, and a processor sends one a slot
//   group   in the last slot only data that go straight home leave a group, in the first likewise
//   cut     what leaves a set S of groups passes |S|·(g - |S|) couplers
//   block   groups with equal destinations, as one sender
//   level   put the groups on levels: what must go up uses an upward coupler; contains the cuts
//
// Hops and levels give integer weights that verifiers check by themselves. In about one of a
// hundred small demands the best of these is one below what two hops can do.
// Limits: cuts up to 12 groups; levels are searched (all orders up to 6 groups).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faro/schedules/steps.hpp"
#include "machines/bounds.hpp"

namespace faro::inline v1 {

// data(i, j): data that must move from group i to group j; what stays in its processor is not
// counted.
class PopsDemand {
 public:
  explicit PopsDemand(std::size_t groups) : groups_(groups), data_(groups * groups, 0) {}
  std::size_t groups() const { return groups_; }
  std::int64_t operator()(std::size_t i, std::size_t j) const { return data_[i * groups_ + j]; }
  std::int64_t& operator()(std::size_t i, std::size_t j) { return data_[i * groups_ + j]; }
  std::int64_t largest() const;
  std::int64_t total() const;

 private:
  std::size_t groups_;
  std::vector<std::int64_t> data_;
};

// Processor p sends to to[p].
PopsDemand pops_demand(const Pops& machine, std::span<const std::uint64_t> to);

// The bounds above for data that are at most one a processor at either end, d > g or not.
Bound pops_bound(const PopsDemand& demand);

// What so many processors send, one a slot each. For many data a processor; d > g leaves the hops.
Bound pops_senders_bound(const PopsDemand& demand, std::uint64_t processors);

// The first k from 1 on that is possible, where what is possible in k slots is in more.
template <class Possible>
Count least_possible(Possible&& possible) {
  Count low = 0;
  Count high = 1;
  while (!possible(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const Count middle = (low + high) / 2;
    (possible(middle) ? high : low) = middle;
  }
  return high;
}

// The hops and group conditions alone: false if k >= 2 slots are refuted.
bool pops_slots_possible(const PopsDemand& demand, std::int64_t k);

// destinations[p·K + s] or, alike for all elements, destinations[p]; machine of any size that is
// listed. The map: any size, by linear algebra beyond what is listed.
Bound lower_bound(const Pops& pops, const MapGoal& goal, std::uint64_t elements);
Bound lower_bound(const Pops& pops, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements);

// Products of matrices of order n on d·g = n² processors, C(i, j) computed where it ends: every
// processor hears 2(n-1) operands; a group of r >= 2 rows is told its r·n A's and all n² B's over g
// couplers.
Bound matmul_bound(const Pops& pops, std::uint64_t order);

}  // namespace faro::inline v1
