// Placements in the words of JAX, Shardy, XLA and DTensor.
#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "layouts/runs.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

std::string mesh_axis(std::size_t k) {
  return k < 26 ? std::string(1, static_cast<char>('a' + k)) : fmt::format("x{}", k);
}

// A mesh cuts an axis in the order of its entry, whatever the order of the mesh's axes: runs that
// are
// the next top bits after those cut earlier need no stride.
struct Named {
  struct Axis {
    int array_axis = -1;
    int bits = 0;
    int top = 0;  // bits of the array axis above this part
  };
  std::vector<Axis> axes;
  std::vector<std::vector<std::size_t>> entries;
};

Named named_mesh(const Placement& placement, const char* system) {
  const BitMap& map = placement.map();
  if (map.complement() != 0)
    throw NotExpressible(system, LayoutFault::complement,
                         "a device bit is inverted; XLA's list of devices can say it");
  const std::vector<int> bottoms = axis_bottoms(placement.shape());
  const int memory = placement.memory_bits();
  Named named;
  for (int place = map.width() - 1; place >= memory; --place) {
    const Word row = map.matrix().row(place);
    if (!is_power_of_two(row))
      throw NotExpressible(system, LayoutFault::exclusive,
                           "a device bit is a sum of index bits; XLA's list of devices can say it");
    const int source = lowest_bit(row);
    Named::Axis axis{-1, 1, 0};
    if (source < placement.index_bits()) {
      std::size_t d = 0;
      while (bottoms[d] > source) ++d;
      axis.array_axis = static_cast<int>(d);
      axis.top = bottoms[d] + log2_exact(placement.shape()[d]) - 1 - source;
    }
    const bool goes_on =
        !named.axes.empty() && named.axes.back().array_axis == axis.array_axis &&
        (axis.array_axis < 0 || named.axes.back().top + named.axes.back().bits == axis.top);
    if (goes_on)
      ++named.axes.back().bits;
    else
      named.axes.push_back(axis);
  }
  named.entries.resize(placement.shape().size());
  for (std::size_t k = 0; k < named.axes.size(); ++k)
    if (named.axes[k].array_axis >= 0)
      named.entries[static_cast<std::size_t>(named.axes[k].array_axis)].push_back(k);
  Word taken = 0;
  for (std::size_t d = 0; d < named.entries.size(); ++d) {
    auto& entry = named.entries[d];
    std::sort(entry.begin(), entry.end(),
              [&](std::size_t a, std::size_t b) { return named.axes[a].top < named.axes[b].top; });
    int next = 0;
    for (const std::size_t k : entry) {
      if (named.axes[k].top != next)
        throw NotExpressible(
            system, LayoutFault::unknown,
            fmt::format("devices hold strided parts of axis {}; it cuts contiguous "
                        "ones",
                        d));
      for (int b = 0; b < named.axes[k].bits; ++b)
        taken |= bit(bottoms[d] + log2_exact(placement.shape()[d]) - 1 - next - b);
      next += named.axes[k].bits;
    }
  }
  int place = memory;
  for (int b = placement.index_bits() - 1; b >= 0; --b) {
    if (has_bit(taken, b)) continue;
    if (map.matrix().row(--place) != bit(b))
      throw NotExpressible(system, LayoutFault::unknown,
                           "memory is not in C order, and it has no words for another");
  }
  return named;
}

}  // namespace

std::string write_jax(const ForeignLayout& layout) {
  const Named named = named_mesh(placement_of(layout, "jax"), "jax");
  std::string mesh = "mesh";
  for (std::size_t k = 0; k < named.axes.size(); ++k)
    mesh += fmt::format(" {}={}", mesh_axis(k), bit(named.axes[k].bits));
  std::vector<std::string> entries;
  for (const auto& entry : named.entries) {
    std::vector<std::string> names;
    for (const std::size_t k : entry) names.push_back(fmt::format("'{}'", mesh_axis(k)));
    entries.push_back(names.empty()       ? "None"
                      : names.size() == 1 ? names[0]
                                          : fmt::format("({})", fmt::join(names, ", ")));
  }
  return fmt::format("{}, P({})", mesh, fmt::join(entries, ", "));
}

std::string write_shardy(const ForeignLayout& layout) {
  const Named named = named_mesh(placement_of(layout, "shardy"), "shardy");
  std::vector<std::string> axes;
  for (std::size_t k = 0; k < named.axes.size(); ++k)
    axes.push_back(fmt::format("\"{}\"={}", mesh_axis(k), bit(named.axes[k].bits)));
  std::vector<std::string> entries;
  for (const auto& entry : named.entries) {
    std::vector<std::string> names;
    for (const std::size_t k : entry) names.push_back(fmt::format("\"{}\"", mesh_axis(k)));
    entries.push_back(fmt::format("{{{}}}", fmt::join(names, ", ")));
  }
  return fmt::format("<[{}]> [{}]", fmt::join(axes, ", "), fmt::join(entries, ", "));
}

std::string write_dtensor(const ForeignLayout& layout) {
  const MeshWords words = mesh_words(placement_of(layout, "dtensor"), "dtensor", true);
  std::vector<std::string> sides;
  std::vector<std::string> placements;
  for (const MeshWords::Axis& axis : words.axes) {
    sides.push_back(fmt::format("{}", bit(axis.bits)));
    if (axis.array_axis < 0)
      placements.push_back("Replicate()");
    else if (axis.skip == 0)
      placements.push_back(fmt::format("Shard({})", axis.array_axis));
    else
      placements.push_back(
          fmt::format("_StridedShard({}, sf={})", axis.array_axis, bit(axis.skip)));
  }
  if (sides.empty()) return "(1,) [Replicate()]";
  return fmt::format("({}{}) [{}]", fmt::join(sides, ", "), sides.size() == 1 ? "," : "",
                     fmt::join(placements, ", "));
}

namespace {

// How many top bits of each axis say the device, and whether memory is the rest in C order.
std::vector<int> tile_bits(const Placement& placement) {
  const BitMap& map = placement.map();
  const int memory = placement.memory_bits();
  Word used = 0;
  for (int place = memory; place < map.width(); ++place) used |= map.matrix().row(place);
  used &= low_mask(placement.index_bits());
  const std::vector<int> bottoms = axis_bottoms(placement.shape());
  std::vector<int> tiles;
  int place = memory;
  for (std::size_t d = 0; d < bottoms.size(); ++d) {
    const int width = log2_exact(placement.shape()[d]);
    int count = 0;
    while (count < width && has_bit(used, bottoms[d] + width - 1 - count)) ++count;
    tiles.push_back(count);
    for (int b = width - 1 - count; b >= 0; --b)
      if (has_bit(used, bottoms[d] + b) || place == 0 ||
          map.matrix().row(--place) != bit(bottoms[d] + b) || has_bit(map.complement(), place))
        throw NotExpressible("xla", LayoutFault::unknown,
                             fmt::format("devices hold other parts of axis {} than contiguous ones "
                                         "in C order",
                                         d));
  }
  return tiles;
}

}  // namespace

std::string write_xla(const ForeignLayout& layout) {
  const Placement placement = placement_of(layout, "xla");
  const std::vector<int> tiles = tile_bits(placement);
  if (placement.device_bits() == 0) return "{replicated}";
  const BitMap& map = placement.map();
  const int memory = placement.memory_bits();
  // Source bits of a tile's number, highest first.
  std::vector<int> sources;
  std::vector<std::string> dims;
  const std::vector<int> bottoms = axis_bottoms(placement.shape());
  for (std::size_t d = 0; d < tiles.size(); ++d) {
    dims.push_back(fmt::format("{}", bit(tiles[d])));
    for (int k = 0; k < tiles[d]; ++k)
      sources.push_back(bottoms[d] + log2_exact(placement.shape()[d]) - 1 - k);
  }
  if (placement.replica_bits() > 0)
    dims.push_back(fmt::format("{}", bit(placement.replica_bits())));
  for (int b = map.width() - 1; b >= placement.index_bits(); --b) sources.push_back(b);
  const char* last = placement.replica_bits() > 0 ? " last_tile_dim_replicate" : "";
  // iota(2, 2, ...).transpose(T): dimension k of the tile's number is device bit T[k].
  std::vector<int> transpose;
  for (const int source : sources) {
    const Word column = map.column(source) >> memory;
    if (!is_power_of_two(column)) break;
    transpose.push_back(placement.device_bits() - 1 - lowest_bit(column));
  }
  if (transpose.size() == sources.size() && (map.complement() >> memory) == 0) {
    if (std::is_sorted(transpose.begin(), transpose.end()))
      return fmt::format("{{devices=[{}]<=[{}]{}}}", fmt::join(dims, ","),
                         bit(placement.device_bits()), last);
    // Device bits that stay beside each other are one dimension.
    std::vector<int> starts;
    for (std::size_t k = 0; k < transpose.size(); ++k)
      if (k == 0 || transpose[k] != transpose[k - 1] + 1) starts.push_back(transpose[k]);
    std::vector<int> sorted = starts;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint64_t> reshape;
    for (std::size_t k = 0; k < sorted.size(); ++k)
      reshape.push_back(
          bit((k + 1 < sorted.size() ? sorted[k + 1] : placement.device_bits()) - sorted[k]));
    std::vector<std::ptrdiff_t> order;
    for (const int start : starts)
      order.push_back(std::find(sorted.begin(), sorted.end(), start) - sorted.begin());
    return fmt::format("{{devices=[{}]<=[{}]T({}){}}}", fmt::join(dims, ","),
                       fmt::join(reshape, ","), fmt::join(order, ","), last);
  }
  if (placement.device_bits() > limits::layout_listed_devices_log2_max)
    throw NotExpressible("xla", LayoutFault::exclusive, "a list of more than 2^16 devices");
  std::vector<Word> devices;
  for (Word tile = 0; tile < bit(placement.device_bits()); ++tile) {
    Word from = 0;
    for (std::size_t k = 0; k < sources.size(); ++k)
      if (has_bit(tile, static_cast<int>(sources.size() - 1 - k))) from |= bit(sources[k]);
    devices.push_back(map(from) >> memory);
  }
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(dims, ","), fmt::join(devices, ","), last);
}

}  // namespace faro::inline v1::layouts
