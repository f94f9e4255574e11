// How much memory there is, for refusing what cannot fit before anything is read.
#pragma once

#include <cstdint>
#include <string>

namespace faro::cli {

// Of the machine.
std::uint64_t memory_bytes();

// What is free now, within the limits of the control groups that the process is in.
std::uint64_t available_memory_bytes();

// Throws Error(environment) with the figures if `bytes` are more than there are.
void need_memory(std::uint64_t bytes, const std::string& what);

}  // namespace faro::cli
