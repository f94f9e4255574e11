// .zarray and .zattrs of version 2, read and written.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "disk/stored/array_form.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

const std::string& member2(const RawJson& object, std::string_view key) {
  const std::string* const value = object.find(key);
  if (value == nullptr) throw Error(ErrorCode::usage, fmt::format(".zarray has no '{}'", key));
  return *value;
}

void refuse_filters(const std::string* filters) {
  if (filters == nullptr || *filters == "null") return;
  for (const std::string& filter : json_values(*filters)) {
    const auto parsed = nlohmann::json::parse(filter);
    throw Error(ErrorCode::impossible,
                fmt::format("the filter '{}' is not known: none is",
                            parsed.is_object() ? parsed.value("id", filter) : filter));
  }
}

ArrayForm read_zarr2(std::string_view zarray, std::string_view attributes) {
  if (zarray.size() > limits::zarr_metadata_bytes_max ||
      attributes.size() > limits::zarr_metadata_bytes_max)
    throw Error(ErrorCode::limit, "the metadata has more than 2^24 bytes");
  const RawJson document = RawJson::parse(zarray);
  if (member2(document, "zarr_format") != "2")
    throw Error(ErrorCode::usage, "is no array of Zarr version 2");
  refuse_others(document,
                {"zarr_format", "shape", "chunks", "dtype", "compressor", "fill_value", "order",
                 "filters", "dimension_separator"},
                ".zarray");
  ArrayForm form;
  form.format = ArrayForm::Format::zarr2;
  form.keys_v2 = true;
  form.separator = '.';
  form.shape = json_lengths(member2(document, "shape"), "shape");
  form.chunks = json_lengths(member2(document, "chunks"), "chunks");
  // An axis of no length may have chunks of none.
  for (std::size_t k = 0; k < form.shape.size() && k < form.chunks.size(); ++k)
    if (form.shape[k] == 0 && form.chunks[k] == 0) form.chunks[k] = 1;
  OrderedType type = type_of_zarr2(member2(document, "dtype"));
  form.type = std::move(type.type);
  form.big = type.big && form.type.word_bytes > 1;
  refuse_filters(document.find("filters"));
  if (const std::string& codec = member2(document, "compressor"); codec != "null")
    form.codecs.push_back(codec_of_zarr2(codec, form.type.bytes));
  if (const std::string& order = member2(document, "order"); order == "\"F\"") {
    for (std::size_t k = form.shape.size(); k-- > 0;) form.order.push_back(k);
  } else if (order != "\"C\"") {
    throw Error(ErrorCode::usage, fmt::format("order is \"C\" or \"F\", not {}", order));
  }
  if (const std::string* const separator = document.find("dimension_separator")) {
    if (*separator != "\".\"" && *separator != "\"/\"")
      throw Error(ErrorCode::usage, "the separator of chunk keys is '.' or '/'");
    form.separator = (*separator)[1];
  }
  form.fill_text = member2(document, "fill_value");
  form.fill = fill_bytes(form.type, form.fill_text, FillForm::zarr2);
  if (!attributes.empty()) static_cast<void>(RawJson::parse(attributes));
  form.attributes = attributes;
  return form;
}

bool is_fortran(const ArrayForm& form) {
  for (std::size_t k = 0; k < form.order.size(); ++k)
    if (form.order[k] != form.order.size() - 1 - k) return false;
  return !form.order.empty();
}

}  // namespace

ArrayForm form_of_zarr2(std::string_view zarray, std::string_view attributes,
                        const std::string& name) {
  return named_form(name, [&] { return read_zarr2(zarray, attributes); });
}

std::string zarr2_text(const ArrayForm& form) {
  const auto cannot = [](const std::string& what) {
    throw Error(ErrorCode::impossible, "Zarr 2 has no " + what);
  };
  if (!form.shards.empty()) cannot("shards");
  if (!form.order.empty() && !is_fortran(form))
    cannot("chunks in another order of axes than C or F");
  if (form.codecs.size() > 1) cannot("several codecs after one another");
  if (form.type.numpy.empty() || form.type.numpy == "[")
    cannot(fmt::format("data type {}", form.type.zarr3));
  RawJson document;
  document.set("zarr_format", "2");
  document.set("shape", json_text(form.shape));
  document.set("chunks", json_text(form.chunks));
  document.set("dtype", form.type.is_structure() ? form.type.numpy
                                                 : json_text(numpy_code(form.type, form.big)));
  document.set("compressor", form.codecs.empty() ? "null" : codec_zarr2(form.codecs.front()));
  document.set("fill_value", form.fill_text.empty()
                                 ? fill_json(form.type, form.fill, FillForm::zarr2)
                                 : form.fill_text);
  document.set("order", is_fortran(form) ? "\"F\"" : "\"C\"");
  document.set("filters", "null");
  document.set("dimension_separator", fmt::format("\"{}\"", form.separator));
  return document.text();
}

}  // namespace faro::inline v1::disk
