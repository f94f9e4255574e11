#include "faro/service/catalogue.hpp"

#include <array>

#include "faro/planners/minimum_path.hpp"
#include "faro/planners/pops_affine.hpp"
#include "faro/planners/row_operations.hpp"

namespace faro {
namespace {

// With equal costs the first one is taken: in place before transit slots, simple before clever.
const auto table = std::to_array<const Planner*>({
    // Boolean cube: conversion between Gray and binary code
    &minimum_path,
    // Boolean cube: any affine map
    &row_operations_planner,
    &row_operations_one_port,
    // POPS network: affine maps by rules
    &pops_affine_single_hop,
    &pops_affine,
    &pops_stay_go,
});

}  // namespace

std::span<const Planner* const> catalogue() {
  return table;
}

const Planner* find_planner(std::string_view name) {
  for (const Planner* planner : table)
    if (name == planner->name) return planner;
  return nullptr;
}

}  // namespace faro
