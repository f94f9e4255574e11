// The simulated machine of slots, rules and moves: a cube, or a mesh whose links all work at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "machines/performer.hpp"

namespace faro::inline v1 {

std::unique_ptr<Performer> cube_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes);

}  // namespace faro::inline v1
