// A switch with one port a processor, ranks:P with P = 2^p.
//
// In a step every processor sends at most one element, to any processor, and receives at most one;
// all reads come before all writes. What a processor sends to itself takes its port too, but a step
// in which nothing leaves its processor costs nothing.
//
//   ranks:4, "everybody sends to the next":  one step;  two senders to processor 0:  no step
//
// That is the star network POPS(1, P), where every processor is a group of its own and c(to, from)
// joins any two, without its broadcasts. Its rules are judged by the star's verifiers under the
// star's names (machines/pops/model.hpp: R1 to R9), and one more here:
//
//   R10  a message has one receiver
//
// Its schedules are made of the star's slots, with processors for groups.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::ranks {

// The header as the star's verifiers and performer read it: without claims, whose unit is another.
ScheduleHeader as_star(const ScheduleHeader& header);

}  // namespace faro::inline v1::ranks
