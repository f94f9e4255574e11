// Small arrays by a table of places: element i goes to places[i], one load and one store each. Up
// to a few KiB that is faster than any tiles: a call has no walk, no stage and no table of lanes.
//
//   4 elements, i -> rev(i):   places 0 2 1 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/normal_form.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

class SmallTable {
 public:
  // No more than this is copied to the stack by a call in place.
  static constexpr std::uint64_t bytes_max = std::uint64_t{1} << 14U;

  // Nothing where kernels are faster, or are asked for by name.
  static std::optional<SmallTable> of(const BitMap& map, const PermuteShape& shape,
                                      const PermuteOptions& options);

  // The same of arrays of any lengths without gaps, whose forms these are.
  static std::optional<SmallTable> of(const Map& map, const TensorShape& shape,
                                      const std::vector<NormalForm>& forms,
                                      const PermuteOptions& options);

  std::uint64_t bytes() const { return places_.size() * element_bytes_; }
  std::uint64_t element_bytes() const { return element_bytes_; }
  PlanFacts facts() const;  // of a plan out of place
  void move(const std::byte* from, std::byte* to) const;
  void move_in_place(std::byte* data) const;

 private:
  SmallTable(std::vector<std::uint16_t> places, std::uint64_t element_bytes)
      : places_(std::move(places)), element_bytes_(element_bytes) {}

  std::vector<std::uint16_t> places_;
  std::uint64_t element_bytes_;
};

}  // namespace faro::inline v1::engine
