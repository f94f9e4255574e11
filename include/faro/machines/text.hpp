// Machines as a user types them.
//
//   cube:4                  cube:4,one-port
//   mesh:8x8                mesh:8x8,propagating      mesh:8x8,all-links
//   torus:8x8               torus:8x8,all-links
//   pops:8,4                pops:8,4,multi-receive        8 processors in each of 4 groups
//
// Sizes may be powers, `mesh:2^30x2^30`. Sides of a mesh are powers of two; at most 2^63
// processors.
#pragma once

#include <string>
#include <string_view>

#include "faro/schedules/machine.hpp"

namespace faro::inline v1 {

// Throws Error(usage) for a text that names no machine, Error(limit) for one too large.
Machine machine_from(std::string_view text);

// The text that machine_from reads back to the same machine: numbers up to 65536 in digits, larger
// powers of two as powers.
std::string to_string(const Machine& machine);

}  // namespace faro::inline v1
