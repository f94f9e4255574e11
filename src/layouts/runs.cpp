#include "layouts/runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "layouts/bits.hpp"

namespace faro::inline v1::layouts {

std::vector<int> axis_bottoms(const std::vector<std::uint64_t>& shape) {
  std::vector<int> bottoms;
  int low = bits_of(shape);
  for (const std::uint64_t side : shape) {
    low -= log2_exact(side);
    bottoms.push_back(low);
  }
  return bottoms;
}

std::vector<Run> runs_of(const BitMap& map, const char* system, const std::vector<int>& cuts,
                         const std::vector<int>& place_cuts) {
  const auto contains = [](const std::vector<int>& list, int value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  std::vector<Run> runs;
  for (int place = map.width() - 1; place >= 0; --place) {
    const Word row = map.matrix().row(place);
    if (!is_power_of_two(row))
      throw NotExpressible(system, LayoutFault::exclusive,
                           fmt::format("bit {} of the new index is a sum of several old ones; it "
                                       "moves bits only",
                                       place));
    const int source = lowest_bit(row);
    const bool inverted = has_bit(map.complement(), place);
    const bool goes_on = !runs.empty() && runs.back().bottom() == source + 1 &&
                         runs.back().inverted == inverted && !contains(cuts, source + 1) &&
                         !contains(place_cuts, place + 1);
    if (goes_on)
      ++runs.back().length;
    else
      runs.push_back({source, 1, inverted});
  }
  return runs;
}

Placement placement_of(const ForeignLayout& layout, const char* system) {
  if (layout.notation.cut.kind != Cut::Kind::layout)
    throw NotExpressible(system, LayoutFault::unknown,
                         "a plain map has no devices; a placement is written r:3 c:3 -> c | r");
  return layout.placement();
}

MeshWords mesh_words(const Placement& placement, const char* system, bool strided) {
  const BitMap& map = placement.map();
  if (map.complement() != 0)
    throw NotExpressible(system, LayoutFault::complement, "no bit of a device is inverted there");
  const int memory = placement.memory_bits();
  const std::vector<int> bottoms = axis_bottoms(placement.shape());
  std::vector<std::vector<int>> left(placement.shape().size());
  for (std::size_t d = 0; d < left.size(); ++d)
    for (int b = log2_exact(placement.shape()[d]) - 1; b >= 0; --b)
      left[d].push_back(bottoms[d] + b);
  MeshWords words;
  for (int place = map.width() - 1; place >= memory; --place) {
    const Word row = map.matrix().row(place);
    if (!is_power_of_two(row))
      throw NotExpressible(
          system, LayoutFault::exclusive,
          fmt::format("device bit {} is a sum of several index bits", place - memory));
    const int source = lowest_bit(row);
    if (source >= placement.index_bits()) {
      if (words.axes.empty() || words.axes.back().array_axis != -1) words.axes.push_back({});
      ++words.axes.back().bits;
      continue;
    }
    std::size_t d = 0;
    while (bottoms[d] > source) ++d;
    const auto found = std::find(left[d].begin(), left[d].end(), source);
    const int skip = static_cast<int>(found - left[d].begin());
    // One more bit of the same cut stands at the same place of what is left.
    const int axis = static_cast<int>(d);
    if (!words.axes.empty() && words.axes.back().array_axis == axis &&
        words.axes.back().skip == skip)
      ++words.axes.back().bits;
    else
      words.axes.push_back({axis, 1, skip});
    left[d].erase(found);
  }
  std::vector<int> rest;
  for (const auto& axis : left) rest.insert(rest.end(), axis.begin(), axis.end());
  for (int place = memory - 1; place >= 0; --place)
    if (map.matrix().row(place) != bit(rest[static_cast<std::size_t>(memory - 1 - place)]))
      throw NotExpressible(system, LayoutFault::unknown,
                           "memory is not in C order, and it has no words for another");
  if (!strided)
    for (const MeshWords::Axis& axis : words.axes)
      if (axis.skip != 0)
        throw NotExpressible(
            system, LayoutFault::unknown,
            fmt::format("devices hold strided parts of axis {}; it cuts contiguous "
                        "ones",
                        axis.array_axis));
  return words;
}

}  // namespace faro::inline v1::layouts
