// What an output is to be, made of what an array is.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "disk/stored/array_form.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

using Format = StoredChanges::Format;
using Lengths = std::vector<std::uint64_t>;

constexpr std::string_view names_of_xarray = "_ARRAY_DIMENSIONS";
constexpr std::string_view missing = "_FillValue";
// Of an array that had no chunks.
constexpr std::uint64_t usual_chunk_bytes = std::uint64_t{4} << 20U;

bool is_zarr_format(Format format) {
  return format == Format::zarr2 || format == Format::zarr3;
}

template <class T>
void reorder(std::vector<T>& list, const std::vector<std::size_t>& axes) {
  if (list.size() != axes.size()) return;
  std::vector<T> ordered;
  for (const std::size_t axis : axes) ordered.push_back(list[axis]);
  list = std::move(ordered);
}

void check_axes(const std::vector<std::size_t>& axes, std::size_t count) {
  std::vector<std::size_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted.size() != count || sorted[k] != k)
      throw Error(ErrorCode::usage,
                  fmt::format("axes {}: each of {} once is wanted", fmt::join(axes, ","), count));
}

// The slowest axes are cut until a chunk is no longer than usual.
Lengths usual_chunks(const ArrayForm& form) {
  Lengths chunks = form.shape;
  for (std::uint64_t& length : chunks) length = std::max<std::uint64_t>(length, 1);
  Count bytes = form.type.bytes;
  for (const std::uint64_t length : chunks) bytes = bytes * length;
  for (std::uint64_t& length : chunks) {
    if (bytes <= usual_chunk_bytes) break;
    const Count rest = bytes / length;
    length = std::max<std::uint64_t>(
        1, rest > usual_chunk_bytes ? 1 : static_cast<std::uint64_t>(usual_chunk_bytes / rest));
    bytes = rest * length;
  }
  return chunks;
}

// Moves names with the axes, wherever they stand; an empty list of axes takes them away.
void change_names(ArrayForm& form, const std::vector<std::size_t>& axes, bool keep) {
  const auto changed = [&](std::vector<std::string>& names) {
    if (keep)
      reorder(names, axes);
    else
      names.clear();
  };
  changed(form.names);
  if (form.attributes.empty()) return;
  RawJson attributes = RawJson::parse(form.attributes);
  const std::string* const text = attributes.find(names_of_xarray);
  if (text == nullptr || !text->starts_with('[')) return;
  std::vector<std::string> names = json_values(*text);
  if (keep && axes.empty()) return;
  changed(names);
  if (names.empty() && !keep)
    attributes.erase(names_of_xarray);
  else
    attributes.set(names_of_xarray, json_list(names));
  form.attributes = attributes.text();
}

// What one version keeps among attributes the other has a place for.
void move_names(ArrayForm& form, Format to) {
  RawJson attributes = form.attributes.empty() ? RawJson() : RawJson::parse(form.attributes);
  if (to == Format::zarr3) {
    const std::string* const text = attributes.find(names_of_xarray);
    if (text == nullptr || !text->starts_with('[')) return;
    std::vector<std::string> names = json_values(*text);
    if (names.size() != form.shape.size() ||
        !std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.starts_with('"'); }))
      return;
    form.names = std::move(names);
    attributes.erase(names_of_xarray);
    // To xarray the fill value of version 2 says what is missing; in version 3 an attribute does.
    if (form.fill_text != "null" && attributes.find(missing) == nullptr &&
        !form.type.is_structure())
      attributes.set(missing, fill_json(form.type, form.fill, FillForm::attribute));
  } else {
    if (form.names.empty() ||
        std::find(form.names.begin(), form.names.end(), "null") != form.names.end())
      return;
    attributes.set(names_of_xarray, json_list(form.names));
    form.names.clear();
    const std::string* const fill = attributes.find(missing);
    if (fill != nullptr && *fill == fill_json(form.type, form.fill, FillForm::attribute))
      attributes.erase(missing);
  }
  form.attributes = attributes.text();
}

void change_format(ArrayForm& form, Format to, bool codec_is_said) {
  if (form.format == to) return;
  const bool from_zarr = is_zarr_format(form.format);
  if (from_zarr && is_zarr_format(to)) move_names(form, to);
  form.format = to;
  form.carried.clear();
  form.fill_text.clear();
  if (!is_zarr_format(to)) {
    if (form.type.numpy.empty() && to == Format::npy)
      throw Error(ErrorCode::impossible,
                  fmt::format("NumPy has no data type {}; a .raw file takes it", form.type.name));
    if (form.type.is_structure())
      throw Error(ErrorCode::impossible, "a structure as data type is kept in Zarr alone");
    form.chunks = form.shape;
    form.shards.clear();
    form.codecs.clear();
    form.order.clear();
    form.big = false;
    return;
  }
  if (!from_zarr) form.chunks = usual_chunks(form);
  form.keys_v2 = to == Format::zarr2;
  // Version 2 knows the orders of C and of Fortran.
  if (to == Format::zarr2 && !std::is_sorted(form.order.rbegin(), form.order.rend()))
    form.order.clear();
  form.separator = to == Format::zarr2 ? '.' : '/';
  if (codec_is_said) return;
  // What is a codec of the other version alone becomes the nearest that is one of both.
  std::erase_if(form.codecs, [&](const ChunkCodec& codec) {
    return to == Format::zarr2 && codec.kind == ChunkCodec::Kind::crc32c;
  });
  for (ChunkCodec& codec : form.codecs) {
    if (to == Format::zarr3 && codec.kind == ChunkCodec::Kind::zlib)
      codec.kind = ChunkCodec::Kind::gzip;
    if (to == Format::zarr3 && codec.kind == ChunkCodec::Kind::lz4)
      codec = codecs_named("blosc:lz4:5", form.type.bytes).front();
    if (codec.kind == ChunkCodec::Kind::gzip && codec.level < 0) codec.level = 5;
  }
}

void change_shape(ArrayForm& form, const StoredChanges& changes) {
  const Lengths before = form.shape;
  if (!changes.axes.empty()) {
    check_axes(changes.axes, form.shape.size());
    reorder(form.shape, changes.axes);
    reorder(form.chunks, changes.axes);
    for (ShardForm& shard : form.shards) reorder(shard.shape, changes.axes);
    if (!std::is_sorted(changes.axes.begin(), changes.axes.end())) form.order.clear();
  }
  bool keeps_names = true;
  if (!changes.shape.empty() && changes.shape != form.shape) {
    Count elements = 1;
    Count wanted = 1;
    for (const std::uint64_t length : before) elements = elements * length;
    for (const std::uint64_t length : changes.shape) wanted = wanted * length;
    if (wanted != elements)
      throw Error(ErrorCode::usage, fmt::format("a shape of {} elements; the array has {}",
                                                to_string(wanted), to_string(elements)));
    keeps_names = false;
    const bool same_axes = changes.shape.size() == form.shape.size();
    form.shape = changes.shape;
    if (!same_axes) {
      form.order.clear();
      form.shards.clear();
      form.chunks = usual_chunks(form);
    }
  }
  change_names(form, changes.axes, keeps_names);
}

}  // namespace

void drop_names(ArrayForm& form) {
  change_names(form, {}, false);
}

StoredChanges::Format format_of(const std::string& path) {
  if (path.ends_with(".npy")) return Format::npy;
  if (path.ends_with(".raw") || path.ends_with(".bin")) return Format::raw;
  for (const std::string_view other :
       {".npz", ".zip", ".h5", ".hdf5", ".nc", ".nc4", ".tif", ".tiff"})
    if (path.ends_with(other))
      throw Error(ErrorCode::usage, fmt::format("{}: arrays are Zarr folders, .npy and .raw files "
                                                "here; {} is the ending of another format",
                                                path, other));
  return Format::zarr3;
}

std::string describe_changed(const StoredArray& array, const StoredChanges& changes) {
  return named_description(array.description(), array.name(), changes);
}

std::string named_description(std::string_view description, const std::string& name,
                              const StoredChanges& changes) {
  ArrayForm form = form_of_description(description, name);
  // Shards within shards are read alone: the outermost hold the innermost chunks.
  if (form.shards.size() > 1) form.shards.resize(1);
  change_shape(form, changes);
  change_format(form, changes.format.value_or(form.format), changes.codec.has_value());
  if (form.is_plain_file()) {
    form.chunks = form.shape;
    if (!changes.chunks.empty() || !changes.shards.empty() ||
        (changes.codec && *changes.codec != "none"))
      throw Error(ErrorCode::usage, "a plain file has no chunks, shards or codecs");
    set_order(form, changes.order);
    return description_of(form);
  }
  if (changes.order == ArrayOrder::fortran)
    throw Error(ErrorCode::usage,
                "the order of Fortran is one of .npy and .raw files; chunks of a Zarr array are "
                "written in that of C");
  const bool same = changes.chunks.empty() && changes.shards.empty();
  if (!changes.chunks.empty()) form.chunks = changes.chunks;
  if (!same) form.shards.clear();
  if (!changes.shards.empty()) form.shards = {{.shape = changes.shards}};
  if (changes.codec) form.codecs = codecs_named(*changes.codec, form.type.bytes);
  try {
    check_form(form);
    std::string text = description_of(form);
    // Read as anyone will read it.
    static_cast<void>(form_of_description(text, "the new array"));
    return text;
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: the new array: {}", name, error.what()));
  }
}

StoredGrid read_grid(std::string_view description) {
  return form_of_description(description, "a description").grid();
}

}  // namespace faro::inline v1::disk
