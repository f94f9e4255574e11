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

#include <memory>
#include <span>
#include <utility>

#include "machines/judge.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> ranks_replay();
std::unique_ptr<Verifier> ranks_proof();

namespace ranks {

// The header as the star's verifiers read it: every rank is a group of its own. Without claims,
// whose unit is another.
inline ScheduleHeader as_star(const ScheduleHeader& header) {
  ScheduleHeader star = header;
  star.machine = Pops{.group_size = 1, .groups = bit(std::get<Crossbar>(header.machine).bits)};
  star.cost.reset();
  star.bound.reset();
  return star;
}

// What both judges have: the star's own follows the elements, and beside it each finds what leaves
// its processor and what links carry.
class OverStar : public Judge {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    machine_ = std::get<Crossbar>(header.machine);
    star_->begin(as_star(header));
  }

 protected:
  OverStar(const char* by, std::unique_ptr<Verifier> star) : Judge(by), star_(std::move(star)) {}
  // The star's verdict, and what was found beside it.
  void join() {
    star_->finish();
    const Verdict own = std::exchange(verdict_, star_->verdict());
    verdict_.cost = {.steps = cost_};
    if (verdict_.answer == Verdict::Answer::unprovable) return;
    for (const Violation& violation : own.violations) verdict_.add(violation);
    verdict_.violation_count += own.violation_count - Count{own.violations.size()};
  }

  std::unique_ptr<Verifier> star_;
  Crossbar machine_;
  Count cost_ = 0;  // steps in which something leaves its processor
};

}  // namespace ranks

// Steps that any schedule takes: an element leaves where it goes elsewhere, a processor sends and
// receives one at a time, so it is the most that one processor has to send or to receive.
//
//   a transposition with 2^p elements each:  2^p - 1
//
// On a tree also what leaves the processors below one switch over its links, at every tier:
//
//   fat-tree:4x8,up=2, transposition with 32 elements each:  256 - 64 leave 8 processors over 2
//   links, 96 steps
Bound lower_bound(const Crossbar& machine, const MapGoal& goal, std::uint64_t elements);
Bound lower_bound(const Crossbar& machine, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements);

}  // namespace faro::inline v1
