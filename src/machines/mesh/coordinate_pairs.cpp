// A reduced basis: bits before and after are interleaved, and each direction leads at a place of
// its own.
#include "machines/mesh/coordinate_pairs.hpp"

namespace faro::inline v1::mesh {

int leading(const CoordinatePairs::Direction& d, int width) {
  for (int t = width - 1; t >= 0; --t) {
    if (has_bit(d.after, t)) return 2 * t + 1;
    if (has_bit(d.before, t)) return 2 * t;
  }
  return -1;
}

namespace {

bool has(const CoordinatePairs::Direction& d, int place) {
  return has_bit(place % 2 == 1 ? d.after : d.before, place / 2);
}

}  // namespace

CoordinatePairs pairs_of(const MeshGeometry& geometry, const BitMap& map, int dimension) {
  const int low = geometry.low(dimension);
  const int width = geometry.side_log2(dimension);
  CoordinatePairs pairs;
  pairs.width = width;
  pairs.first_after = (map.complement() >> low) & low_mask(width);
  for (int i = 0; i < map.width(); ++i) {
    CoordinatePairs::Direction d{(bit(i) >> low) & low_mask(width),
                                 (map.column(i) >> low) & low_mask(width)};
    for (const auto& b : pairs.basis) {
      if (!has(d, leading(b, width))) continue;
      d.before ^= b.before;
      d.after ^= b.after;
    }
    const int lead = leading(d, width);
    if (lead < 0) continue;
    for (auto& b : pairs.basis) {
      if (!has(b, lead)) continue;
      b.before ^= d.before;
      b.after ^= d.after;
    }
    pairs.basis.push_back(d);
  }
  return pairs;
}

}  // namespace faro::inline v1::mesh
