// The simulated Boolean cube.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "machines/performer.hpp"

namespace faro::inline v1 {

std::unique_ptr<Performer> cube_performer(std::span<const std::byte> data,
                                          std::size_t element_bytes);

}  // namespace faro::inline v1
