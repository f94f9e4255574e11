// The simulated meshes: three registers a processor under the SIMD machine's programs, slots under
// the moves of all links at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "machines/performer.hpp"

namespace faro::inline v1 {

// The K elements of a processor move alike, as the program performed K times moves them.
std::unique_ptr<Performer> mesh_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes);
std::unique_ptr<Performer> links_performer(std::span<const std::byte> data,
                                           std::size_t element_bytes);

}  // namespace faro::inline v1
