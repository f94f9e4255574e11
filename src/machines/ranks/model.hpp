// A switch with one port a processor, ranks:P with P = 2^p, and a tree of them, fat-tree:SHAPE.
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
// A fat tree has a switch for every group of 2^a processors that agree but for their low a bits,
// for each of its tiers a, and the switch has links upward for 2^u elements. One more rule:
//
//   R11  at most 2^u elements leave the processors below a switch in a step, and at most as many
//        enter them
//
//   fat-tree:2x4,up=2, "everybody sends to the next but three":  8 elements change sides, 4 each
//   way, and 2 may: no step. What stays below its switch takes none of the links upward.
//
// Its schedules are made of the star's slots, with processors for groups.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::ranks {

// The header as the star's verifiers and performer read it: without claims, whose unit is another.
ScheduleHeader as_star(const ScheduleHeader& header);

}  // namespace faro::inline v1::ranks
