// A job shop: jobs are customers, dimensions machines; every job wants each dimension once, in any
// order that is legal for it.
//
//   a:2 -> a[0] ~a[1], four elements     two jobs, dimension 0 and 1 and one opening each: 3 steps
//
// A job may exchange j if R_j contains a, and if afterwards all that a reached is still reached:
// then it never gets stuck (theorem 1 of jobs.hpp with one bit of memory).
//
// Opening. What memory does not reach has sources: groups S of dimensions, each depending on each
// other (or one complemented bit), that nothing else to do enters. A job exchanges one dimension of
// S to the form a, once more than needed, and S is reached with all that hangs on it: edges from
// that dimension now come from a, and it depends on S in turn. Nothing that was reached is lost.
// A bit that stays and that S depends on may be opened instead, and is closed at last.
//   steps: about (s + 1)K/2s, the load of the dimensions of a group of s; K/2 elsewhere
//
// Step after step as many dimensions as possible are matched with jobs, dimensions with most to do
// first; in the first steps dimensions left over may take a job once more than needed. Several
// types and several orders of preference are tried; the best is kept. More jobs than one shop plans
// together come in blocks, one after the other.
#pragma once

#include "planners/cube/affine/job_plan.hpp"

namespace faro::inline v1::jobs {

// Stops as soon as a plan takes `enough` steps.
JobPlan shop(const Moved& moved, std::uint64_t enough);

// One job that opens what must be opened, then takes all its dimensions, a step each.
History opened_and_done(const Task& task, const Type& type);

// The groups that must be opened, each with the bits that stay and feed it.
struct Source {
  Word dimensions = 0;
  Word feeding = 0;
};
std::vector<Source> sources_of(const Task& task);

}  // namespace faro::inline v1::jobs
