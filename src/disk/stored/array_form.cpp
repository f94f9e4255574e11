#include "disk/stored/array_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/count_format.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

using FormLengths = std::vector<std::uint64_t>;

// Exact, or more than any array may have.
Count count_of(const FormLengths& lengths, std::uint64_t element_bytes) {
  Count all = element_bytes;
  if (std::find(lengths.begin(), lengths.end(), 0) != lengths.end()) return 0;
  for (const std::uint64_t length : lengths)
    if (all = all * length; all > limits::npy_bytes_max) return all;
  return all;
}

void check_size(const FormLengths& lengths, const ArrayForm& form, const char* what) {
  if (count_of(lengths, form.type.bytes) > limits::npy_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("{} has more than 2^62 bytes", what));
}

ArrayForm form_of_plain(const RawJson& json, ArrayForm::Format format, const std::string& type) {
  refuse_others(json, {format == ArrayForm::Format::npy ? "npy" : "raw", "shape", "order"},
                "a description");
  ArrayForm form;
  form.format = format;
  const auto words = nlohmann::json::parse(type).get<std::string>();
  const OrderedType found =
      format == ArrayForm::Format::npy ? type_of_numpy(words) : OrderedType{type_named(words)};
  form.type = found.type;
  form.big = found.big;
  const std::string* const shape = json.find("shape");
  form.shape = json_lengths(shape == nullptr ? "" : *shape, "shape");
  form.chunks = form.shape;
  if (json.find("order") != nullptr) set_order(form, ArrayOrder::fortran);
  form.fill.resize(form.type.bytes);
  check_form(form);
  return form;
}

}  // namespace

void set_order(ArrayForm& form, ArrayOrder order) {
  form.order.clear();
  if (order == ArrayOrder::c || form.shape.size() < 2) return;  // one axis lies in either order
  form.order.resize(form.shape.size());
  std::iota(form.order.rbegin(), form.order.rend(), std::size_t{0});
}

std::uint64_t parts_of(std::uint64_t length, std::uint64_t part) {
  return length / part + (length % part != 0 ? 1 : 0);
}

std::uint64_t ArrayForm::chunk_bytes() const {
  return static_cast<std::uint64_t>(count_of(chunks, type.bytes));
}
std::uint64_t ArrayForm::data_bytes() const {
  return static_cast<std::uint64_t>(count_of(shape, type.bytes));
}

std::string ArrayForm::key(UnitIndex file) const {
  if (file.empty()) return keys_v2 ? "0" : "c";
  std::string text = keys_v2 ? "" : "c";
  for (const std::uint64_t number : file) {
    if (!text.empty()) text += separator;
    text += std::to_string(number);
  }
  return text;
}

StoredGrid ArrayForm::grid() const {
  StoredGrid grid{.shape = shape, .chunks = chunks, .shards = {}, .element_bytes = type.bytes};
  if (is_plain_file()) {
    grid.encoding = StoredGrid::Encoding::run;
    grid.order = order;
    return grid;
  }
  grid.encoded = big || !order.empty() || !codecs.empty();
  const std::uint64_t unit = chunk_bytes();
  const std::uint64_t encoded = CodecChain::bound(unit, codecs);
  // What is read and what the steps between make of it; what is transposed or turned around.
  const std::uint64_t steps = static_cast<std::uint64_t>(std::count_if(
      codecs.begin(), codecs.end(),
      [](const ChunkCodec& codec) { return codec.kind != ChunkCodec::Kind::crc32c; }));
  const std::uint64_t turned = (order.empty() ? 0 : unit);
  if (grid.encoded) {
    grid.reading_bytes = encoded * std::max<std::uint64_t>(steps, 1) + turned;
    grid.writing_bytes = encoded * std::max<std::uint64_t>(steps, 1) + turned + (big ? unit : 0);
  }
  if (!shards.empty()) {
    grid.shards = shards.front().shape;
    std::uint64_t chunks_of_shard = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) chunks_of_shard *= grid.shards[k] / chunks[k];
    grid.reading_bytes += 32 * chunks_of_shard;
    grid.writing_bytes += 32 * chunks_of_shard;
  }
  return grid;
}

void check_form(const ArrayForm& form) {
  const std::size_t axes = form.shape.size();
  if (axes > limits::npy_axes_max)
    throw Error(ErrorCode::limit, fmt::format("more than {} axes", limits::npy_axes_max));
  const auto check_part = [&](const FormLengths& part, const FormLengths* whole, const char* what) {
    if (part.size() != axes)
      throw Error(ErrorCode::usage, fmt::format("the shape of {} has {} axes; the array has {}",
                                                what, part.size(), axes));
    for (std::size_t k = 0; k < axes; ++k) {
      if (part[k] == 0)
        throw Error(ErrorCode::usage, fmt::format("the shape of {} is 0 on axis {}", what, k));
      if (whole != nullptr && (*whole)[k] % part[k] != 0)
        throw Error(ErrorCode::usage,
                    fmt::format("a shard of {} on axis {} is no whole number of {}s "
                                "of {}",
                                (*whole)[k], k, what, part[k]));
    }
    check_size(part, form, what);
  };
  check_size(form.shape, form, "the array");
  if (form.is_plain_file()) return;
  const FormLengths* whole = nullptr;
  for (const ShardForm& shard : form.shards) {
    check_part(shard.shape, whole, "shard");
    whole = &shard.shape;
  }
  check_part(form.chunks, whole, "chunk");
  Count chunks_of_shard = 1;
  for (std::size_t k = 0; k < axes && whole != nullptr; ++k)
    chunks_of_shard = chunks_of_shard * (form.shards.front().shape[k] / form.chunks[k]);
  if (chunks_of_shard > limits::zarr_shard_chunks_max)
    throw Error(ErrorCode::limit, fmt::format("a shard of {} chunks; at most {}", chunks_of_shard,
                                              limits::zarr_shard_chunks_max));
}

ArrayForm named_form(const std::string& name, const std::function<ArrayForm()>& read) {
  try {
    ArrayForm form = read();
    check_form(form);
    return form;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: its metadata is none of an array: {}", name, error.what()));
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
}

std::vector<std::uint64_t> json_lengths(std::string_view json, const char* what) {
  FormLengths lengths;
  if (json.empty()) throw Error(ErrorCode::usage, fmt::format("{} is not there", what));
  const auto list = nlohmann::json::parse(json);
  if (!list.is_array())
    throw Error(ErrorCode::usage, fmt::format("{}: a list of lengths is wanted, not {}", what,
                                              list.dump().substr(0, 100)));
  for (const auto& length : list) {
    if (!length.is_number_unsigned())
      throw Error(ErrorCode::usage, fmt::format("{}: a length is no whole number: {}", what,
                                                list.dump().substr(0, 100)));
    lengths.push_back(length.get<std::uint64_t>());
  }
  return lengths;
}

void refuse_others(const RawJson& object, std::initializer_list<std::string_view> known,
                   const std::string& where) {
  for (const auto& [key, value] : object.members())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw Error(ErrorCode::impossible,
                  fmt::format("{} says '{}', which is not known", where, key));
}

ArrayForm form_of_description(std::string_view description, const std::string& name) {
  return named_form(name, [&] {
    const RawJson json = RawJson::parse(description);
    if (json.find("zarr_format") != nullptr) return form_of_zarr3(description, "zarr.json");
    if (const std::string* const type = json.find("npy"))
      return form_of_plain(json, ArrayForm::Format::npy, *type);
    if (const std::string* const type = json.find("raw"))
      return form_of_plain(json, ArrayForm::Format::raw, *type);
    const std::string* const array = json.find("zarray");
    if (array == nullptr) throw Error(ErrorCode::usage, "is no description of an array");
    refuse_others(json, {"zarray", "zattrs"}, "a description");
    const std::string* const attributes = json.find("zattrs");
    return form_of_zarr2(*array, attributes == nullptr ? "" : *attributes, ".zarray");
  });
}

std::string description_of(const ArrayForm& form) {
  RawJson json;
  switch (form.format) {
    case ArrayForm::Format::zarr3:
      return zarr3_text(form);
    case ArrayForm::Format::zarr2:
      json.set("zarray", zarr2_text(form));
      if (!form.attributes.empty()) json.set("zattrs", form.attributes);
      break;
    case ArrayForm::Format::npy:
      json.set("npy", json_text(numpy_code(form.type, form.big)));
      break;
    case ArrayForm::Format::raw:
      json.set("raw", json_text(form.type.name));
      break;
  }
  if (form.is_plain_file()) json.set("shape", json_text(form.shape));
  if (form.is_plain_file() && !form.order.empty()) json.set("order", json_text("F"));
  return json.text();
}

}  // namespace faro::inline v1::disk
