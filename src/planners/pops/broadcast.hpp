// Broadcasts on a POPS network: one to all, all to all, and each to each its own.
//
//   one to all     1 slot: the root drives all couplers of its group, everybody listens
//   all to all     n-1 slots for g >= 2, d for g = 1; the paper takes n. With multi-receive d slots
//                  (the paper says 1, but a coupler carries one message a slot)
//   personalised   max(d², n-1) slots for g >= 2, d(d-1) for g = 1, single hop
//
//   POPS(2, 2): one to all 1, all to all 3, with multi-receive 2, personalised 4
//
// All are optimal but for n = 1, which is 0. Registers: a datum in 0, what is heard in 1, 2, ...;
// personalised: what is for processor q in register q, what comes from p in n + p.
// Limit: 1024 processors for all to all, 4096 for personalised: the schedules list n² receives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry pops_one_to_all;
extern const PlannerEntry pops_all_to_all;
extern const PlannerEntry pops_personalised;

using PopsBroadcast = Broadcast::Kind;

std::optional<std::string> broadcast_refusal(const Pops& machine, PopsBroadcast kind);
// Slots, and the paper's count. Require no refusal.
Formula broadcast_slots(const Pops& machine, PopsBroadcast kind);
PaperCount broadcast_paper(const Pops& machine, PopsBroadcast kind);
// No schedule takes fewer.
Bound broadcast_bound(const Pops& machine, PopsBroadcast kind);

// Pushes begin, slots and finish. `root` is of one_to_all. Requires no refusal and root < n.
void push_broadcast(const Pops& machine, PopsBroadcast kind, Word root, ScheduleSink& sink);

}  // namespace faro::inline v1
