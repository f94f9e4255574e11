#include "machines/pops/certificate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faro::inline v1 {
namespace {

using Matrix = std::vector<Count>;

// Cheapest ways between groups over any number of couplers.
Matrix cheapest_ways(const Matrix& weight, std::size_t g) {
  Matrix way = weight;
  for (std::size_t i = 0; i < g; ++i) way[i * g + i] = 0;
  for (std::size_t x = 0; x < g; ++x)
    for (std::size_t i = 0; i < g; ++i)
      for (std::size_t j = 0; j < g; ++j)
        way[i * g + j] = std::min(way[i * g + j], way[i * g + x] + way[x * g + j]);
  return way;
}

Count cheapest_loop(const Matrix& weight, const Matrix& way, std::size_t g, std::size_t i) {
  Count best = weight[i * g + i];
  for (std::size_t x = 0; x < g; ++x)
    if (x != i) best = std::min(best, way[i * g + x] + way[x * g + i]);
  return best;
}

}  // namespace

std::optional<std::string> certificate_fault(const Bound& bound, std::uint64_t groups,
                                             const std::vector<Count>& demand) {
  if (bound.weights.empty()) return std::nullopt;
  const auto g = static_cast<std::size_t>(groups);
  Matrix weight(g * g, 0);
  Count total = 0;
  for (const Bound::Weight& w : bound.weights) {
    if (w.from >= groups || w.to >= groups)
      return fmt::format(
          "the certificate weighs a coupler from group {} to {}; there are {} groups", w.from, w.to,
          groups);
    weight[w.from * g + w.to] += w.weight;
    total += w.weight;
  }
  if (total == 0) return "the certificate's weights are all zero";
  const Matrix way = cheapest_ways(weight, g);
  Count paid = 0;
  for (std::size_t i = 0; i < g; ++i)
    for (std::size_t j = 0; j < g; ++j) {
      if (demand[i * g + j] == 0) continue;
      const Count price = i == j ? cheapest_loop(weight, way, g, i) : way[i * g + j];
      paid += demand[i * g + j] * price;
    }
  const Count proved = ceil_div(paid, total);
  if (bound.value <= proved) return std::nullopt;
  return fmt::format("the certificate proves {} slots, the bound claims {}", to_string(proved),
                     to_string(bound.value));
}

}  // namespace faro::inline v1
