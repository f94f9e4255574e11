// Passes timed, for plans that measure, for the machine's numbers and for benchmarks.
#pragma once

#include <cstddef>
#include <span>

#include "engine/passes.hpp"

namespace faro::inline v1::engine {

// Reads every line, so that what fits a cache is in it.
void bring_near(std::span<const std::byte> data);

// Out of all caches; false where the CPU has no instruction for that.
bool send_away(std::span<const std::byte> data);

// One run of the pass.
double seconds_of(const Pass& pass, const std::byte* from, std::byte* to);

}  // namespace faro::inline v1::engine
