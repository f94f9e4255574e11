// All ranks of an exchange in one process: the arrays of rank 0, 1, ... one after another.
//
//   exchange_in_process(plan, from, to);          to[plan.executed_map()(i)] = from[i]
//
// The messages are those that a network would carry: packed, copied from sender to receiver,
// unpacked. For tests, and for programs that develop against ranks without MPI.
#pragma once

#include <cstdint>
#include <span>

#include "faro/distributed/exchange_plan.hpp"

namespace faro::inline v1 {

// What went between ranks; messages of a rank to itself are not counted.
struct LoopbackCounts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Spans of plan.ranks() * plan.local_bytes() bytes that do not overlap, else Error(usage), and a
// plan out of place.
LoopbackCounts exchange_in_process(const ExchangePlan& plan, std::span<const std::byte> from,
                                   std::span<std::byte> to);
// A plan in place, its local passes included.
LoopbackCounts exchange_in_process_in_place(const ExchangePlan& plan, std::span<std::byte> data);

}  // namespace faro::inline v1
