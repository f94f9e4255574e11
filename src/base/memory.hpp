// How much memory there is, and in what pieces.
#pragma once

#include <cstdint>

namespace faro::inline v1 {

// Of the machine.
std::uint64_t memory_bytes();

std::uint64_t page_bytes();

// What is free now, within the limits of the control groups that the process is in.
std::uint64_t available_memory_bytes();

}  // namespace faro::inline v1
