// The simulated mesh: three registers a processor under the SIMD machine's programs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "machines/performer.hpp"

namespace faro::inline v1 {

// The K elements of a processor move alike, as the program performed K times moves them.
std::unique_ptr<Performer> mesh_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes);

}  // namespace faro::inline v1
