// Times of generalized shuffles where a packet of up to B elements costs a start-up besides its
// transfer: Table 1 of Johnsson and Ho 1991 as it is printed, the best packet, break-even points.
//
//   pipelined mixed shuffle, s = 6, K = 256, packets of 8, transfer 1, start-up 32:
//   (128 + 5·8)·1 + (16 + 5)·32 = 840
//
// All are of the form (X + jB)·transfer + (X/B + j)·startup with ceilings; without them the best
// packet is sqrt(X·startup / (j·transfer)).
#pragma once

#include <cstdint>

namespace faro::inline v1 {

struct PacketTimes {
  double startup = 0;   // tau, of a packet
  double transfer = 1;  // t_c, of an element
};

// A real or mixed shuffle of `length` dimensions of K elements in packets of B.
struct ShuffleSize {
  int length = 1;              // s
  std::uint64_t elements = 2;  // K
  double packet = 1;           // B
};

// Table 1: one mixed shuffle.
double mixed_one_port_time(const ShuffleSize& size, const PacketTimes& times);
double mixed_pipelined_time(const ShuffleSize& size, const PacketTimes& times);
double mixed_concurrent_time(const ShuffleSize& size, const PacketTimes& times);
double mixed_concurrent_pipelined_time(const ShuffleSize& size, const PacketTimes& times);

// The packet that is best for (X + jB)·transfer + (X/B + j)·startup; X itself where j = 0.
double best_packet(double transfers, double waits, const PacketTimes& times);

// The start-up time from which A2 is faster than A1, packets unbounded.
double break_even_one_port(const ShuffleSize& size, const PacketTimes& times);
double break_even_all_ports(const ShuffleSize& size, const PacketTimes& times);

}  // namespace faro::inline v1
