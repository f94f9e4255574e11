#include "arrays/move.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/axis.hpp"
#include "faro/algebra/tensor_notation.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

// A '=' that says a length, not the end of '=>'.
bool states_lengths(std::string_view text) {
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    if (text.substr(at, 2) != "=>") return true;
  }
  return false;
}

bool is_map_of_bits(std::string_view text, std::uint64_t elements) {
  if (!is_power_of_two(elements)) return text.find("->") == std::string_view::npos;
  if (states_lengths(text)) return false;
  try {
    parse_notation(text, {.total = log2_exact(elements), .processor = std::nullopt});
  } catch (const NotationError& error) {
    // Fields without a size are the array's axes; every other fault is told by who reads bits.
    return error.fault() != NotationFault::size;
  }
  return true;
}

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

Map along(const std::vector<std::uint64_t>& shape, std::size_t axis, const Map& map) {
  std::uint64_t outer = 1;
  std::uint64_t inner = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k < axis) outer *= shape[k];
    if (k > axis) inner *= shape[k];
  }
  return beside(beside(Map::identity(outer), map), Map::identity(inner));
}

}  // namespace

std::optional<ArrayMove> array_move(const NpyHeader& from, std::string_view text,
                                    std::optional<std::int64_t> axis, NpyHeader::Order order,
                                    const std::string& name) {
  if (axis) {
    const std::size_t k = axis_index(from, *axis, "--axis", name);
    if (order == from.order && is_map_of_bits(text, from.shape[k])) return std::nullopt;
    need_elements(from, name);
    const TensorNotation notation = parse_tensor_notation(text, std::vector<Word>{from.shape[k]});
    ArrayMove move = move_of(from, along(from.shape, k, notation.map), from.shape, order);
    move.text = to_notation(notation.map, notation.cut);
    return move;
  }
  if (order == from.order && is_map_of_bits(text, from.elements())) return std::nullopt;
  need_elements(from, name);
  const bool bits = is_map_of_bits(text, from.elements());
  const TensorNotation notation = parse_tensor_notation(text, from.shape);
  const bool by_axes =
      !bits && std::equal(notation.fields.begin(), notation.fields.end(), from.shape.begin(),
                          from.shape.end(), [](const TensorField& field, std::uint64_t length) {
                            return field.length == length;
                          });
  ArrayMove move = move_of(from, notation.map, by_axes ? notation.to_shape : from.shape, order);
  move.text = to_notation(notation.map, notation.cut);
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

ArrayMove array_move_along(const NpyHeader& from, std::string_view text,
                           const std::vector<std::int64_t>& axes, NpyHeader::Order order,
                           const std::string& name) {
  need_elements(from, name);
  std::vector<bool> wanted(from.shape.size(), false);
  for (const std::int64_t axis : axes) {
    const std::size_t k = axis_index(from, axis, "--axis", name);
    if (wanted[k]) refuse(name, fmt::format("--axis {}: the axis was given before", axis));
    wanted[k] = true;
  }
  const auto map_of = [&](std::size_t k) {
    const std::vector<Word> length{from.shape[k]};
    try {
      return parse_tensor_notation(text, length).map;
    } catch (const NotationError& error) {
      if (!error.is_of_sizes()) throw;
      throw Error(error.code(),
                  fmt::format("{}: {}", array_text(from, static_cast<std::int64_t>(k), name),
                              error.what()));
    }
  };
  Map whole = Map::identity(1);
  for (std::size_t k = 0; k < from.shape.size(); ++k)
    whole = beside(whole, wanted[k] ? map_of(k) : Map::identity(from.shape[k]));
  ArrayMove move = move_of(from, std::move(whole), from.shape, order);
  move.text = to_notation(move.map);
  return move;
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
