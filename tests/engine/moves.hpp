// Runs the engine on numbered bytes and compares with the obvious loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/affine.hpp"
#include "engine/reference.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::testing {

struct Offsets {
  std::size_t from = 0;
  std::size_t to = 0;
};

inline std::string words(const BitMap& map, const PermuteShape& shape,
                         const PermuteOptions& options) {
  std::string text = "map";
  for (int i = 0; i < map.width(); ++i) text += " " + std::to_string(map.column(i));
  return text + " ^ " + std::to_string(map.complement()) + ", shape " +
         std::to_string(shape.outer) + " x 2^" + std::to_string(map.width()) + " x " +
         std::to_string(shape.inner) + " of " + std::to_string(shape.element_bytes) +
         " bytes, simd " + std::to_string(static_cast<int>(options.simd)) + ", stores " +
         std::to_string(static_cast<int>(options.stores)) + ", threads " +
         std::to_string(options.threads);
}

// False (and a failure told) if out of place or in place differs from the obvious loop.
inline bool moves_right(const BitMap& map, const PermuteShape& shape, const PermuteOptions& options,
                        Offsets offsets = {}) {
  const auto plan = PermutePlan::out_of_place(map, shape, options);
  const std::size_t bytes = plan.data_bytes();
  const auto from = numbered_bytes(bytes + offsets.from);
  const auto source = std::span(from).subspan(offsets.from);
  std::vector<std::byte> to(bytes + offsets.to);
  const auto destination = std::span(to).subspan(offsets.to);
  plan.execute(source, destination);
  const Mismatch apart = reference_compare(map, shape, source.data(), destination.data());
  EXPECT_FALSE(apart.found) << words(map, shape, options) << ": element " << apart.from
                            << " is not at " << apart.to << "; " << plan.describe();

  std::copy(source.begin(), source.end(), destination.begin());
  const auto in_place = PermutePlan::in_place(map, shape, options);
  in_place.execute_in_place(destination);
  const Mismatch same = reference_compare(map, shape, source.data(), destination.data());
  EXPECT_FALSE(same.found) << words(map, shape, options) << ": in place, element " << same.from
                           << " is not at " << same.to << "; " << in_place.describe();
  return !apart.found && !same.found;
}

}  // namespace faro::testing
