// Expressions of kernels: sums of vectors over the bits of a variable, and constants.
#pragma once

#include <string>

#include "faro/algebra/map.hpp"
#include "gpu/frame.hpp"

namespace faro::inline v1::gpu {

std::string number(Word v);

// In the notation of bits where all are.
std::string notation_of(const Map& map);

// The xor of vectors[j] over the set bits j of a variable. Vectors that are shifts of one another
// become a mask and a shift; the rest is chosen bit by bit. `wide`: of 64 bits.
std::string xor_sum(const std::string& variable, const Words& vectors, Word constant, bool wide);

// base ^ constant, or a sum where they share no bit, which becomes an offset of the instruction.
std::string with_constant(const std::string& base, Word used, Word constant);

// All sums of some of the vectors, in counting order.
Words sums(const Words& vectors);

Word all_bits(const Words& vectors);

// What begins a kernel in CUDA C++ or HIP, and in OpenCL C.
extern const char* const cuda_prelude;
extern const char* const opencl_prelude;

}  // namespace faro::inline v1::gpu
