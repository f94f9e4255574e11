// Chains: a plan, and the one emitter that turns every plan into a schedule.
//
// A job is the two elements of a processor with the same job number h(v), h given by p-n-1 linear
// forms; the element whose inner form A is a lies in slot 2·h + a, at every processor and at all
// times. For every dimension of the cube a plan has a chain of rows; replacing row R by R' sends
// element v across the dimension where (R ^ R')(v) = 1. If (rows, R ^ R', h) are independent,
// exactly one element of every job crosses at every processor, and a job uses a link once.
//
//   n 1, p 2, cyclic, binary: one job; row 0 goes from b_0 to b_1, A is b_1 and becomes b_0
//   a rule for a = 0 and one for a = 1:  where parity(q & 1) = 1 ^ a, slot a across 0 to slot 1 ^ a
//
// The stages come in passes. A network is one pass over all index bits; a sort is p passes, and
// every element has done a pass before any begins the next.
//
// [Johnsson, Ho 1990, with the linear forms made explicit]
#pragma once

#include <span>
#include <vector>

#include "faro/schedules/cost.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1::butterfly {

struct Event {
  // exchange: the row of `dimension` becomes `row`.
  // cross:    `row` is e; where e(v) = 1 element v crosses `dimension`, else the dimension below;
  //           the rows of both follow. Requires dimension > 0.
  // regroup:  jobs `job` and job + 1, job even, take the second list of job forms, before the moves
  //           of the step.
  enum class Kind { exchange, cross, regroup };
  Kind kind = Kind::exchange;
  Word job = 0;
  int dimension = 0;
  Form row = {};
};

struct Chains {
  ButterflyNetwork request;
  std::string_view planner = {};
  std::vector<Form> job_forms = {};        // bit 0 of the job number first; no constants
  std::vector<Form> regrouped_forms = {};  // after a regroup
  Form inner = {};  // A at the start; any form independent of rows and job forms
  // By step; an event of a later step follows its job's.
  std::vector<std::vector<Event>> events = {};
  std::vector<std::vector<int>> passes = {};  // of each pass the index bits, in stage order

  Word jobs() const { return bit(request.memory_bits() - 1); }
  void add(Word step, const Event& event);
};

// Chains without jobs and events yet, for the one pass of a network.
Chains network_chains(const ButterflyNetwork& request, std::string_view planner);

// Throws InternalError if the chains do not complete every pass. Several chains follow each other:
// each begins with the rows that the one before left, the first with those of the layout.
void emit(const Chains& chains, CompiledSink& sink);
void emit(std::span<const Chains> parts, CompiledSink& sink);

}  // namespace faro::inline v1::butterfly
