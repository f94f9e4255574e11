// Passes timed, for plans that measure and for the machine's numbers.
#pragma once

#include <cstddef>
#include <span>

#include "engine/passes.hpp"

namespace faro::inline v1::engine {

// Reads every line, so that what fits a cache is in it.
void bring_near(std::span<const std::byte> data);

// One run of the pass.
double seconds_of(const Pass& pass, const std::byte* from, std::byte* to);

}  // namespace faro::inline v1::engine
