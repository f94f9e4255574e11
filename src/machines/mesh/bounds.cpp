#include "machines/mesh/bounds.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/check.hpp"

namespace faro::inline v1::mesh {
namespace {

std::vector<int> destinations_of(const BpcVector& bits, const std::vector<int>& set) {
  std::vector<int> result;
  for (const int i : set) result.push_back(bits.to(i));
  return result;
}

bool holds(const std::vector<int>& set, int i) {
  return std::find(set.begin(), set.end(), i) != set.end();
}

// f(i, j) of the paper.
Count way(const MeshGeometry& geometry, int i, int j) {
  const std::int64_t from = geometry.distance(i);
  const std::int64_t to = geometry.distance(j);
  return static_cast<Count>(
      geometry.dimension_of(i) == geometry.dimension_of(j) ? std::abs(to - from) : to + from);
}

Count complements(const MeshGeometry& geometry, const BpcVector& bits) {
  Count sum = 0;
  for (int i = 0; i < bits.bits(); ++i) {
    if (!bits.negative(i)) continue;
    const BitKind kind = kind_of(geometry, bits, i);
    if (kind == BitKind::exiting) continue;
    const int nearer = kind == BitKind::right ? bits.to(i) : i;
    sum += 2 * static_cast<Count>(geometry.distance(nearer));
  }
  return sum;
}

}  // namespace

BitKind kind_of(const MeshGeometry& geometry, const BpcVector& bits, int i) {
  const int to = bits.to(i);
  if (to == i) return BitKind::same;
  if (geometry.dimension_of(to) != geometry.dimension_of(i)) return BitKind::exiting;
  return to > i ? BitKind::left : BitKind::right;
}

BitSets sets_of(const MeshGeometry& geometry, const BpcVector& bits) {
  BitSets sets;
  for (int i = 0; i < bits.bits(); ++i) {
    const BitKind kind = kind_of(geometry, bits, i);
    (kind == BitKind::same    ? sets.same
     : kind == BitKind::left  ? sets.left
     : kind == BitKind::right ? sets.right
                              : sets.exiting)
        .push_back(i);
  }
  const std::vector<int> after_left = destinations_of(bits, sets.left);
  const std::vector<int> after_exit = destinations_of(bits, sets.exiting);
  const std::vector<int> after_right = destinations_of(bits, sets.right);
  for (int i = 0; i < bits.bits(); ++i) {
    if ((holds(sets.right, i) || holds(sets.exiting, i)) &&
        (holds(after_left, i) || holds(after_exit, i)))
      sets.m.push_back(i);
    if (holds(sets.left, i) && holds(after_right, i)) sets.q.push_back(i);
  }
  return sets;
}

Count beta_by_bits(const MeshGeometry& geometry, const BpcVector& bits) {
  Count sum = 0;
  for (int i = 0; i < bits.bits(); ++i) {
    const std::int64_t from = geometry.distance(i);
    const std::int64_t to = geometry.distance(bits.to(i));
    const bool straight = !bits.negative(i) && kind_of(geometry, bits, i) != BitKind::exiting;
    sum += static_cast<Count>(straight ? std::abs(to - from) : to + from);
  }
  return sum;
}

Count beta_by_complements(const MeshGeometry& geometry, const BpcVector& bits) {
  Count sum = complements(geometry, bits);
  for (int i = 0; i < bits.bits(); ++i) sum += way(geometry, i, bits.to(i));
  return sum;
}

Count beta_by_sets(const MeshGeometry& geometry, const BpcVector& bits) {
  const BitSets sets = sets_of(geometry, bits);
  Count sum = complements(geometry, bits);
  for (const int i : sets.m) sum += 2 * static_cast<Count>(geometry.distance(i));
  for (const int i : sets.q) sum -= 2 * static_cast<Count>(geometry.distance(i));
  return sum;
}

std::vector<Count> beta_by_dimension(const MeshGeometry& geometry, const BpcVector& bits) {
  std::vector<Count> beta(static_cast<std::size_t>(geometry.dimensions()), 0);
  for (int i = 0; i < bits.bits(); ++i) {
    const int to = bits.to(i);
    const auto k = static_cast<std::size_t>(geometry.dimension_of(i));
    const std::int64_t g_from = geometry.distance(i);
    const std::int64_t g_to = geometry.distance(to);
    if (kind_of(geometry, bits, i) == BitKind::exiting) {
      beta[k] += static_cast<Count>(g_from);
      beta[static_cast<std::size_t>(geometry.dimension_of(to))] += static_cast<Count>(g_to);
    } else {
      beta[k] += static_cast<Count>(bits.negative(i) ? g_to + g_from : std::abs(g_to - g_from));
    }
  }
  return beta;
}

}  // namespace faro::inline v1::mesh
