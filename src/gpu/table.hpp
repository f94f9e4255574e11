// A plan as the table of the one kernel that takes all maps of bits, table_kernel.inc.
//
//   const Plan moved = table_plan(plan);       the same map, as a plan of kind odd
//   launch "faro_table_" + bytes of moved's unit, with table_of(moved) as the third argument
#pragma once

#include <string>

#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
#include "gpu/table_kernel.inc"
#undef ADD
static_assert(sizeof(Table) <= 4096, "what a launch takes by value");

constexpr std::uint64_t table_threads = 256;  // of a block, always

// Throws Error(usage) for axes of any length and strides.
Plan table_plan(const Plan& plan);
Table table_of(const Plan& plan);
std::string table_kernel_name(const Plan& plan);

}  // namespace faro::inline v1::gpu
