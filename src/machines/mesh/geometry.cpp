// Dimension 0 is the last side in the text and has the lowest address bits; the wraparound decides
// where a route over the edge ends.
#include "machines/mesh/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {

MeshGeometry::MeshGeometry(const Mesh& mesh) : mesh_(mesh) {
  const int dimensions = static_cast<int>(mesh.sides_log2.size());
  for (int k = 0; k < dimensions; ++k) {
    const int width = mesh.sides_log2[at(dimensions - 1 - k)];
    if (width < 0)
      throw Error(ErrorCode::usage, fmt::format("mesh: the side of dimension {} is below 1", k));
    if (width > limits::mesh_bits_max || bits_ + width > limits::mesh_bits_max)
      throw Error(ErrorCode::limit, fmt::format("mesh: more than 2^{} processors; distances are "
                                                "exact up to there",
                                                limits::mesh_bits_max));
    width_.push_back(width);
    low_.push_back(bits_);
    bits_ += width;
    dimension_of_.resize(at(bits_), k);
  }
}

int MeshGeometry::proper_dimensions() const {
  return static_cast<int>(std::count_if(width_.begin(), width_.end(), [](int w) { return w > 0; }));
}

std::optional<Word> MeshGeometry::routed(Word processor, int dimension, std::int64_t by) const {
  const auto shift = static_cast<Word>(by) << low(dimension);
  if (wrap() == Mesh::Wrap::propagating) return (processor + shift) & low_mask(bits_);
  const Word inside_bits = low_mask(side_log2(dimension)) << low(dimension);
  const std::int64_t to = coordinate(processor, dimension) + by;
  if (wrap() == Mesh::Wrap::none && (to < 0 || to >= side(dimension))) return {};
  return (processor & ~inside_bits) | ((processor + shift) & inside_bits);
}

std::vector<Word> MeshGeometry::neighbours(Word processor) const {
  std::vector<Word> result;
  for (int k = 0; k < dimensions(); ++k) {
    if (side_log2(k) == 0) continue;
    for (const int by : {-1, 1})
      if (const auto to = routed(processor, k, by)) result.push_back(*to);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::int64_t MeshGeometry::hops(Word from, Word to) const {
  std::int64_t sum = 0;
  for (int k = 0; k < dimensions(); ++k) {
    const std::int64_t straight = std::abs(coordinate(to, k) - coordinate(from, k));
    sum += wrap() == Mesh::Wrap::none ? straight : std::min(straight, side(k) - straight);
  }
  return sum;
}

std::string MeshGeometry::shape_text() const {
  std::string text;
  for (int k = dimensions() - 1; k >= 0; --k)
    text += fmt::format("{}{}", bit(side_log2(k)), k > 0 ? "x" : "");
  return text;
}

std::optional<BitMap> on_processors(const MapGoal& goal, int bits) {
  const BitMap& map = goal.map;
  const int memory_bits = goal.cut ? goal.memory_bits : 0;
  if (memory_bits < 0 || map.width() != bits + memory_bits) return {};
  const Word memory = low_mask(memory_bits);
  std::vector<Word> columns;
  for (int i = 0; i < map.width(); ++i) {
    if (i < memory_bits ? map.column(i) != bit(i) : (map.column(i) & memory) != 0) return {};
    if (i >= memory_bits) columns.push_back(map.column(i) >> memory_bits);
  }
  if ((map.complement() & memory) != 0) return {};
  return BitMap::from_columns(columns, map.complement() >> memory_bits);
}

const char* name_of(MeshRegister reg) {
  switch (reg) {
    case MeshRegister::r:
      return "Rr";
    case MeshRegister::s:
      return "Rs";
    case MeshRegister::t:
      return "Rt";
  }
  return "?";
}

}  // namespace faro::inline v1
