#include "faro/arrays/array.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/axis.hpp"
#include "arrays/move.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1 {
namespace {

constexpr const char* name = "the array";

NpyHeader checked_header(const Array& array) {
  NpyHeader header = array.header();
  if (header.data_bytes() != array.bytes.size())
    throw Error(
        ErrorCode::usage,
        fmt::format("an array of shape {} and type {} has {} bytes, not {}", shape_text(header),
                    header.type, header.data_bytes(), array.bytes.size()));
  return header;
}

void permute_along(Array& array, const ArrayAxis& axis, const BitMap& map,
                   const ArrayOptions& options) {
  if (map.width() != axis.width)
    throw Error(ErrorCode::usage,
                fmt::format("{} has {} elements, and the map is for 2^{} = {}",
                            options.axis ? fmt::format("axis {} of the array", *options.axis)
                                         : std::string(name),
                            bit(axis.width), map.width(),
                            to_string(Count{1} << static_cast<unsigned>(map.width()))));
  permute_bytes_in_place(stored_map(axis, map), axis.shape, array.bytes,
                         {.threads = options.threads});
}

}  // namespace

NpyHeader Array::header() const {
  NpyHeader header;
  header.type = type.empty() || type.front() == '\'' || type.front() == '['
                    ? type
                    : fmt::format("'{}'", type);
  header.element_bytes = npy_element_bytes(header.type);
  header.order = order;
  header.shape = shape;
  return header;
}

Array read_npy(const std::string& path) {
  const ArrayInput input = ArrayInput::npy(path);
  const NpyHeader& header = input.header();
  return {.shape = header.shape,
          .type = header.type,
          .order = header.order,
          .bytes = {input.data().begin(), input.data().end()}};
}

void write_npy(const std::string& path, const Array& array) {
  ArrayOutput file(path, checked_header(array));
  std::copy(array.bytes.begin(), array.bytes.end(), file.data().begin());
  file.commit();
}

void permute(Array& array, const BitMap& map, const ArrayOptions& options) {
  permute_along(array, array_axis(checked_header(array), options.axis, name), map, options);
}

void permute(Array& array, std::string_view map, const ArrayOptions& options) {
  const NpyHeader header = checked_header(array);
  AxisWords words{.order = header.order};
  if (options.axis) words.axes = {{*options.axis}};
  const ArrayMove move = array_move(header, map, words, name);
  if (move.bits) {
    permute_bytes_in_place(move.bits->map, move.bits->shape, array.bytes,
                           {.threads = options.threads});
  } else {
    std::vector<std::byte> moved(array.bytes.size());
    PermutePlan::out_of_place(move.map, move.shape, {.threads = options.threads})
        .execute(array.bytes, moved);
    array.bytes = std::move(moved);
  }
  array.shape = move.to.shape;
}

}  // namespace faro::inline v1
