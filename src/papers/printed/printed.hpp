// The papers' own algorithms that no request needs: another planner takes at most as many steps.
//
//   faro plan 'a:4 | m:3 -> a[3:1] m[2] | m[1:0] a[0]' --on cube:4 --algorithm shuffle-pipelined
//
// They answer to their names and stand on the papers' pages; a plan is not chosen among them. What
// the papers count for a request is a formula, and said beside every plan.
#pragma once

#include <optional>

#include "planners/cube/butterfly/entry.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// Generalized shuffles.   [Johnsson, Ho 1991: shuffle.hpp]
extern const PlannerEntry shuffle_adjacent;
extern const PlannerEntry shuffle_pipelined;
extern const PlannerEntry shuffle_concurrent;
extern const PlannerEntry shuffle_by_exchange;
extern const PlannerEntry shuffle_by_exchange_concurrent;
extern const PlannerEntry real_a1;
extern const PlannerEntry real_a2;
extern const PlannerEntry real_a1_one_port;
extern const PlannerEntry real_a2_one_port;

// Code conversion in a pipeline, what the paper compares its own with.   [Johnsson, Ho 1991: codes]
extern const PlannerEntry exchange_pipeline;

// Butterfly networks.   [Johnsson, Ho 1990]
extern const PlannerEntry single_memory;
extern const PlannerEntry paired_dimensions;
extern const PlannerEntry consecutive_output;

// POPS networks.   [Sahni 2000: pops.cpp]
extern const PlannerEntry pops_simple;
extern const PlannerEntry pops_one_group;
extern const PlannerEntry pops_figure6;
extern const PlannerEntry pops_stay_go;

// The least that the papers count for a request, by these algorithms; nothing where they have none.
std::optional<PaperCount> printed_count(const Request& request);

// Its parts, and the smaller of two; the first of equals.
std::optional<PaperCount> printed_shuffle_count(const Request& request);
std::optional<PaperCount> printed_pops_count(const Request& request);
std::optional<PaperCount> fewer(const std::optional<PaperCount>& a,
                                const std::optional<PaperCount>& b);

}  // namespace faro::inline v1
