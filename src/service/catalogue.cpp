// Every planner of the library, in one explicit table.
#include <algorithm>
#include <array>

#include "faro/service/plan.hpp"
#include "papers/printed/printed.hpp"
#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/bits_in_turn.hpp"
#include "planners/cube/affine/elements_in_parts.hpp"
#include "planners/cube/affine/mirrored.hpp"
#include "planners/cube/affine/parts.hpp"
#include "planners/cube/butterfly/planners.hpp"
#include "planners/cube/codes/conversion_mirrored.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"
#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/one_port_half.hpp"
#include "planners/cube/codes/services.hpp"
#include "planners/cube/codes/several_fields.hpp"
#include "planners/cube/codes/two_thirds.hpp"
#include "planners/cube/collectives/collectives.hpp"
#include "planners/cube/lists/list_routing.hpp"
#include "planners/cube/ports/planners.hpp"
#include "planners/cube/shuffle/bit_cycles.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/links/route.hpp"
#include "planners/loops.hpp"
#include "planners/mesh/affine.hpp"
#include "planners/mesh/gamma.hpp"
#include "planners/mesh/networks.hpp"
#include "planners/mesh/permute.hpp"
#include "planners/mesh/sweep.hpp"
#include "planners/mesh/torus_digit.hpp"
#include "planners/pops/affine.hpp"
#include "planners/pops/broadcast.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/matmul/matmul.hpp"
#include "planners/pops/patterns.hpp"
#include "planners/pops/permutation.hpp"
#include "planners/pops/relation.hpp"
#include "planners/pops/relation_search.hpp"
#include "planners/ranks/rounds.hpp"
#include "planners/ranks/tree_classes.hpp"
#include "planners/ranks/tree_lists.hpp"
#include "planners/turns.hpp"

namespace faro::inline v1 {
namespace {

// With equal costs the first one is taken: in place before transit slots, simple before clever.
const auto table = std::to_array<const Planner*>({
    // Boolean cube: conversion between Gray and binary code
    &minimum_path,
    &non_minimum_path,
    &two_bits,
    &conversion_table,
    &services_ring,
    &fields_by_phases,
    &exchange_sequence,
    &one_port_half,
    &conversion_mirrored,
    // Boolean cube: permutations of processor bits
    &cycle_rounds,
    // Boolean cube: permutations of bits
    &all_to_all,
    &shuffle_ring,
    &shuffle_mixture,
    &shuffle_sequence,
    &shuffle_one_port,
    // Boolean cube: any affine map
    &bits_in_turn,
    &bits_in_turn_one_port,
    &affine_full_rank,
    &affine_ring,
    &affine_shop,
    &affine_mirrored,
    &affine_few_mirrors,
    &affine_jobs_one_port,
    &parts_by_phases,
    // Boolean cube: any permutation
    &shortest_path_lists,
    &balanced_lists,
    &balanced_maps,
    // Boolean cube: numbers of elements that are no power of two
    &elements_in_parts,
    // Boolean cube: several ports
    &ports_in_turn,
    &ports_side_by_side,
    // POPS network: affine maps by rules
    &pops_affine_single_hop,
    &pops_affine,
    // POPS network: any permutation, packet by packet
    &pops_single_hop,
    &pops_two_hop,
    &pops_fewest_slots,
    &pops_relation,
    &pops_relation_search,
    // POPS network: rearrangements inside groups
    &pops_figure5,
    // POPS network: products of matrices, broadcasts
    &pops_matmul,
    &pops_matmul_paper,
    &pops_matmul_direct,
    &pops_one_to_all,
    &pops_all_to_all,
    &pops_personalised,
    // Mesh, one route at a time: permutations of bits
    &mesh_permute,
    &mesh_permute_plus,
    &torus_permute,
    // Mesh: any affine map
    &mesh_affine,
    // Mesh and torus, processor by processor
    &mesh_sweep,
    &torus_digit,
    &mesh_gamma,
    &mesh_benes,
    // Mesh and torus with all links
    &links_dimension_order,
    &links_mixed_orders,
    &links_congestion,
    // Ranks
    &ranks_rounds,
    // Fat trees
    &tree_classes,
    &tree_halves,
    &tree_seats,
    // More elements than are planned at once
    &cube_loops,
    &links_loops,
    &pops_loops,
    &ranks_loops,
    &cube_turns,
    &links_turns,
    &pops_turns,
    &ranks_turns,
    // Boolean cube: butterfly networks and sorts
    &local_memory_first,
    &local_processor_first,
    &inter_processor_conversion,
    &sectioning,
    &replication,
    &natural_order,
    &list_scheduler,
    &bitonic_sort,
    // Boolean cube: broadcasts
    &cube_one_to_all,
    &cube_all_to_all,
    &cube_scatter,
    &cube_gather,
    // The papers' own, asked by name alone
    &exchange_pipeline,
    &shuffle_adjacent,
    &shuffle_pipelined,
    &shuffle_concurrent,
    &shuffle_by_exchange,
    &shuffle_by_exchange_concurrent,
    &real_a1,
    &real_a2,
    &real_a1_one_port,
    &real_a2_one_port,
    &pops_stay_go,
    &pops_simple,
    &pops_one_group,
    &pops_figure6,
    &mesh_interchanges,
    &mesh_sort,
    &single_memory,
    &paired_dimensions,
    &consecutive_output,
});
const Planner* const first_printed = &exchange_pipeline;

}  // namespace

std::span<const Planner* const> catalogue() {
  return table;
}

std::span<const Planner* const> asked_planners() {
  const auto end = std::find(table.begin(), table.end(), first_printed);
  return {table.begin(), end};
}

const Planner* find_planner(std::string_view name) {
  for (const Planner* planner : table)
    if (name == planner->name()) return planner;
  return nullptr;
}

}  // namespace faro::inline v1
