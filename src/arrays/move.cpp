#include "arrays/move.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/axis.hpp"
#include "faro/base/error.hpp"
#include "faro/words/say.hpp"

namespace faro::inline v1 {
namespace {

// An array stored in this order; one axis of all where that is the same.
ArrayPlaces places_of(const std::vector<std::uint64_t>& shape, NpyHeader::Order order,
                      std::uint64_t element_bytes) {
  ArrayPlaces places;
  if (order == NpyHeader::Order::c || shape.size() < 2) return places;
  places.shape = shape;
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (const std::uint64_t length : shape) {
    places.strides.push_back(stride);
    stride *= static_cast<std::int64_t>(length);
  }
  return places;
}

ArrayMove move_of(const NpyHeader& from, Map map, std::vector<std::uint64_t> shape,
                  NpyHeader::Order order) {
  ArrayMove move;
  move.to = from;
  move.to.shape = std::move(shape);
  move.to.order = order;
  move.map = std::move(map);
  move.shape.element_bytes = from.element_bytes;
  move.shape.from = places_of(from.shape, from.order, from.element_bytes);
  move.shape.to = places_of(move.to.shape, order, from.element_bytes);
  return move;
}

void need_elements(const NpyHeader& header, const std::string& name) {
  if (header.elements() == 0 || header.element_bytes == 0) {
    refuse(name, "it has no bytes, so there is nothing to move");
  }
}

std::size_t axis_index(const NpyHeader& header, std::int64_t wanted, const char* option,
                       const std::string& name) {
  const auto axes = static_cast<std::int64_t>(header.shape.size());
  const std::int64_t index = wanted < 0 ? wanted + axes : wanted;
  if (index < 0 || index >= axes) {
    refuse(name, fmt::format("{} {}: shape {} has {} {}", option, wanted, shape_text(header), axes,
                             axes == 1 ? "axis" : "axes"));
  }
  return static_cast<std::size_t>(index);
}

// Axes first .. last.
struct Axes {
  std::size_t first = 0;
  std::size_t last = 0;
};

Axes neighbours(const NpyHeader& from, const std::vector<std::int64_t>& wanted,
                const std::string& name) {
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : wanted) axes.push_back(axis_index(from, axis, "--axis", name));
  for (std::size_t k = 1; k < axes.size(); ++k)
    if (axes[k] != axes[k - 1] + 1)
      refuse(name,
             fmt::format("--axis {}: these are no neighbours in their order; --axis {} --axis "
                         "{} is the map on each",
                         fmt::join(wanted, ","), wanted[k - 1], wanted[k]));
  return {axes.front(), axes.back()};
}

Word product(const std::vector<std::uint64_t>& shape, std::size_t first, std::size_t end) {
  Word all = 1;
  for (std::size_t k = first; k < end; ++k) all *= shape[k];
  return all;
}

// The words on one group of axes; what does not fit is told of the array.
Said said_on(const NpyHeader& from, std::string_view text, const Axes& on, const AxisWords& words,
             const std::string& name) {
  Sizes sizes;
  sizes.flat = words.flat;
  sizes.shape.emplace(from.shape.begin() + static_cast<std::ptrdiff_t>(on.first),
                      from.shape.begin() + static_cast<std::ptrdiff_t>(on.last) + 1);
  try {
    return say(text, sizes);
  } catch (const NotationError& error) {
    if (!error.is_of_sizes()) throw;
    const std::string whom = on.first == on.last
                                 ? array_text(from, static_cast<std::int64_t>(on.first), name)
                                 : fmt::format("{}, axes {} to {} of shape {}", name, on.first,
                                               on.last, shape_text(from));
    throw error.told_of(whom);
  }
}

Said said_of_all(const NpyHeader& from, std::string_view text, const AxisWords& words,
                 const std::string& name) {
  Sizes sizes;
  sizes.shape = from.shape;
  // Elements without a type are raw bytes, which have no axes.
  sizes.flat = words.flat || from.type.empty();
  try {
    return say(text, sizes);
  } catch (const NotationError& error) {
    if (!error.is_of_sizes()) throw;
    throw error.told_of(array_text(from, std::nullopt, name));
  }
}

void undo(Said& said, const std::vector<Word>& shape) {
  if (*said.shape != shape)
    throw Error(
        ErrorCode::usage,
        "--inverse: these words change the shape, so they are not of OUT's axes; write them "
        "the other way round, or say --flat");
  said.map = said.map.inverse();
  said.cut = {};
}

// Where all is bits and both arrays are stored alike.
std::optional<BitsMove> bits_of(const NpyHeader& from, const Said& said, const ArrayMove& move,
                                const Axes& on) {
  if (said.map.bits() == nullptr || move.to.order != from.order) return {};
  BitsMove bits;
  bits.shape.element_bytes = from.element_bytes;
  const bool all = on.last - on.first + 1 == from.shape.size() || from.shape.empty();
  if (all) {
    bits.map = stored_map(move, from).as_bits();
    return bits;
  }
  const bool fortran = from.order == NpyHeader::Order::fortran;
  if (fortran && (on.first != on.last || said.shape->size() != 1)) return {};
  bits.map = *said.map.bits();
  bits.shape.outer = product(from.shape, 0, on.first);
  bits.shape.inner = product(from.shape, on.last + 1, from.shape.size());
  if (fortran) std::swap(bits.shape.outer, bits.shape.inner);
  return bits;
}

// Of digits of any length without a cut: the array is not on processors, and `=>` may cut a digit.
std::string canonical(const Said& said) {
  return said.map.bits() != nullptr ? to_notation(said.map, said.cut) : to_notation(said.map);
}

// One map after another, each on its axes.
ArrayMove move_along(const NpyHeader& from, std::string_view text, const std::vector<Axes>& groups,
                     const AxisWords& words, const std::string& name) {
  Map whole = Map::identity(1);
  std::vector<std::uint64_t> shape;
  std::size_t next = 0;
  Said said;
  const auto keep = [&](std::size_t end) {
    whole = beside(whole, Map::identity(product(from.shape, next, end)));
    for (; next < end; ++next) shape.push_back(from.shape[next]);
  };
  for (const Axes& on : groups) {
    if (on.first < next)
      refuse(name, fmt::format("--axis {}: the axis was given before", on.first));
    keep(on.first);
    said = said_on(from, text, on, words, name);
    if (words.inverse) {
      const auto first = from.shape.begin() + static_cast<std::ptrdiff_t>(on.first);
      undo(said, {first, first + static_cast<std::ptrdiff_t>(on.last - on.first + 1)});
    }
    whole = beside(whole, said.map);
    shape.insert(shape.end(), said.shape->begin(), said.shape->end());
    next = on.last + 1;
  }
  keep(from.shape.size());
  ArrayMove move = move_of(from, std::move(whole), std::move(shape), words.order);
  move.text = groups.size() == 1 ? canonical(said) : to_notation(move.map);
  if (groups.size() == 1) move.bits = bits_of(from, said, move, groups[0]);
  return move;
}

}  // namespace

ArrayMove array_move(const NpyHeader& from, std::string_view text, const AxisWords& words,
                     const std::string& name) {
  need_elements(from, name);
  if (!words.axes.empty()) {
    std::vector<Axes> groups;
    for (const auto& group : words.axes) groups.push_back(neighbours(from, group, name));
    std::sort(groups.begin(), groups.end(),
              [](const Axes& a, const Axes& b) { return a.first < b.first; });
    return move_along(from, text, groups, words, name);
  }
  Said said = said_of_all(from, text, words, name);
  if (words.inverse) undo(said, from.shape);
  ArrayMove move = move_of(from, said.map, *said.shape, words.order);
  move.text = canonical(said);
  move.cut = said.cut;
  move.bits = bits_of(from, said, move, {0, from.shape.empty() ? 0 : from.shape.size() - 1});
  return move;
}

Map stored_map(const ArrayMove& move, const NpyHeader& from) {
  // From stored to logical indices: Fortran order has the axes the other way round.
  const auto logical = [](const NpyHeader& header) {
    if (header.order == NpyHeader::Order::c) return Map::identity(header.elements());
    std::vector<int> order;
    for (int k = static_cast<int>(header.shape.size()); k-- > 0;) order.push_back(k);
    const std::vector<Word> stored(header.shape.rbegin(), header.shape.rend());
    return Map::from_axes(stored, order);
  };
  return then(then(logical(from), move.map), logical(move.to).inverse());
}

ArrayMove array_axes_move(const NpyHeader& from, const std::vector<std::int64_t>& axes,
                          NpyHeader::Order order, const std::string& name) {
  need_elements(from, name);
  std::vector<int> places;
  std::vector<std::uint64_t> shape;
  if (axes.empty()) {
    for (std::size_t k = 0; k < from.shape.size(); ++k) places.push_back(static_cast<int>(k));
  } else if (axes.size() != from.shape.size()) {
    refuse(name, fmt::format("--axes: {} axes for shape {}", axes.size(), shape_text(from)));
  }
  for (const std::int64_t axis : axes) {
    places.push_back(static_cast<int>(axis_index(from, axis, "--axes", name)));
  }
  for (const int place : places) shape.push_back(from.shape[static_cast<std::size_t>(place)]);
  ArrayMove move = move_of(from, Map::from_axes(from.shape, places), std::move(shape), order);
  move.text = to_notation(move.map);
  return move;
}

}  // namespace faro::inline v1
