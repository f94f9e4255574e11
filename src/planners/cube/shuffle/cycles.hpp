// Real cycles by themselves, in closed form.
//
//   A1-ring   pairs of elements, one control v: each job walks the cycle's dimensions once around
//             and visits its first one again, on a ring with waiting places spread evenly:
//             max(P, s) + ceil(P/s) steps, P = K/2, s dimensions   [the paper's A1, overlapped]
//   A2 ring   single elements: max(K, s) steps, 2K slots            [the paper's A2, overlapped]
//   lanes     at most four dimensions: complement K; even 2-cycle K/2 + 1 (K = 1: 2);
//             odd 2-cycle 3K/4; even 3-cycle the least T with T-1 + T/2 + T/4 >= K (rounded down);
//             even 4-cycle about 7K/12 + 3
//   ahead     s - 1 steps for 2K <= s where parities allow it
//   one port  A1 job after job: P(s + 1); the even 2-cycle K + 1; complement K; the even 3-cycle
//             from K = 16 on about 12K/7 + 2
//
// Lower bounds are in machines/bounds: (s+1)/(2s) K for odd parity, a little less for even.
#pragma once

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

Count a1_ring_steps(int length, std::uint64_t elements);
Count a2_ring_steps(int length, std::uint64_t elements);
// Nothing if the cycle has no lanes.
std::optional<Count> lane_steps(const Cycle& cycle, std::uint64_t elements);
bool ahead_applies(const Cycle& cycle, std::uint64_t elements);
// The best of these for one cycle alone.
Count cycle_steps(const Cycle& cycle, std::uint64_t elements);

// How one cycle is walked: the schedules of structures with this cycle alone.
Phase a1_ring_phase(const Structure& s);
Phase a2_ring_phase(const Structure& s);
Phase lanes_phase(const Structure& s);
Phase ahead_phase(const Structure& s);
Phase best_cycle_phase(const Structure& s);

// All ports: chains and even 2-cycles on the ring, then each other cycle by itself. With one
// element exactly the largest distance, which is optimal; otherwise what is left where the search
// would be too long.
Count sequence_steps(const Structure& s);
Program sequence_program(const Structure& s);

// One port: all processors use one dimension a step; one job after another.
Count one_port_steps(const Structure& s);
Program one_port_program(const Structure& s);
// A1, job after job.
Phase real_a1_one_port_phase(const Structure& s);

// The even 3-cycle with one port: at time t everybody uses dimension number t mod 3 of the cycle,
// and the classes of elements start in three lanes timed so that no link is used twice. About
// 12K/7 + 2 steps (29, 56, 112, 221 for K = 16, 32, 64, 128), where A1 takes 2K.
Count one_port_three_steps(std::uint64_t elements);
Phase one_port_three_phase(const Structure& s);

}  // namespace faro::inline v1::shuffle
