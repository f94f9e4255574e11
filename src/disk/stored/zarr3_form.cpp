// zarr.json of version 3, read and written.
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "disk/stored/array_form.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

[[noreturn]] void no_zarr3(const std::string& what) {
  throw Error(ErrorCode::usage, what);
}
[[noreturn]] void unknown_zarr3(const std::string& what) {
  throw Error(ErrorCode::impossible, what);
}

const std::string& member3(const RawJson& object, std::string_view key, const char* where) {
  const std::string* const value = object.find(key);
  if (value == nullptr) no_zarr3(fmt::format("{} has no '{}'", where, key));
  return *value;
}

// "name", or {"name": "name", "configuration": {..}}.
struct NamedConfiguration {
  std::string name;
  RawJson settings;
};
NamedConfiguration named3(std::string_view json, const std::string& what) {
  if (json.starts_with('"')) return {nlohmann::json::parse(json).get<std::string>(), {}};
  if (!json.starts_with('{'))
    no_zarr3(fmt::format("{}: a name, or an object with one, is wanted", what));
  const RawJson object = RawJson::parse(json);
  refuse_others(object, {"name", "configuration", "must_understand"}, what);
  NamedConfiguration found;
  found.name = nlohmann::json::parse(member3(object, "name", what.c_str())).get<std::string>();
  if (const std::string* const settings = object.find("configuration"))
    found.settings = RawJson::parse(*settings);
  return found;
}

// True for big-endian.
bool endian3(const NamedConfiguration& bytes, std::uint64_t word_bytes) {
  refuse_others(bytes.settings, {"endian"}, "the codec 'bytes'");
  const std::string* const endian = bytes.settings.find("endian");
  if (endian == nullptr) {
    if (word_bytes != 1) no_zarr3("the codec 'bytes' says no 'endian'");
    return false;
  }
  if (*endian != "\"little\"" && *endian != "\"big\"")
    no_zarr3(fmt::format("the codec 'bytes': endian is \"little\" or \"big\", not {}", *endian));
  return *endian == "\"big\"";
}

// What comes after another is that of what came before.
void add_transpose3(const NamedConfiguration& codec, std::size_t axes,
                    std::vector<std::size_t>& order) {
  refuse_others(codec.settings, {"order"}, "the codec 'transpose'");
  const std::string& json = member3(codec.settings, "order", "the codec 'transpose'");
  std::vector<std::uint64_t> list;
  if (json == "\"C\"" || json == "\"F\"")
    for (std::size_t k = 0; k < axes; ++k) list.push_back(json == "\"C\"" ? k : axes - 1 - k);
  else
    list = json_lengths(json, "the order of the codec 'transpose'");
  std::vector<bool> seen(axes);
  for (const std::uint64_t axis : list) {
    if (axis >= axes || seen[axis] || list.size() != axes)
      no_zarr3(fmt::format("the codec 'transpose': {} is no order of {} axes", json, axes));
    seen[axis] = true;
  }
  if (list.size() != axes)
    no_zarr3(fmt::format("the codec 'transpose': {} is no order of {} axes", json, axes));
  std::vector<std::size_t> all;
  for (const std::uint64_t axis : list) all.push_back(order.empty() ? axis : order[axis]);
  order = std::move(all);
}

void index_codecs3(std::string_view json, ShardForm& shard) {
  const std::vector<std::string> codecs = json_values(json);
  if (codecs.empty()) no_zarr3("index_codecs: 'bytes' is wanted");
  const NamedConfiguration bytes = named3(codecs[0], "index_codecs");
  if (bytes.name != "bytes")
    unknown_zarr3(
        fmt::format("the codec '{}' of an index is not known; 'bytes', and then 'crc32c', "
                    "are",
                    bytes.name));
  shard.index_big = endian3(bytes, 8);
  shard.index_checksum = codecs.size() > 1;
  if (codecs.size() > 1) {
    const NamedConfiguration sum = named3(codecs[1], "index_codecs");
    if (sum.name != "crc32c" || codecs.size() > 2)
      unknown_zarr3(
          fmt::format("the codec '{}' of an index is not known; 'bytes', and then "
                      "'crc32c', are",
                      codecs.size() > 2 ? named3(codecs[2], "index_codecs").name : sum.name));
    refuse_others(sum.settings, {}, "the codec 'crc32c'");
  }
}

void read_codecs3(std::string_view json, ArrayForm& form, int depth) {
  if (depth > limits::zarr_group_depth_max)
    throw Error(ErrorCode::limit,
                fmt::format("shards within shards, more than {}", limits::zarr_group_depth_max));
  bool are_bytes = false;
  for (const std::string& one : json_values(json)) {
    const NamedConfiguration codec = named3(one, "a codec");
    if (are_bytes) {
      if (codec.name == "transpose" || codec.name == "bytes" || codec.name == "sharding_indexed")
        no_zarr3(fmt::format("the codec '{}' stands after elements became bytes", codec.name));
      if (!form.shards.empty() && depth < static_cast<int>(form.shards.size()))
        unknown_zarr3(
            fmt::format("the codec '{}' after 'sharding_indexed' is not known", codec.name));
      form.codecs.push_back(codec_of_zarr3(one, form.type.bytes));
    } else if (codec.name == "transpose") {
      add_transpose3(codec, form.shape.size(), form.order);
    } else if (codec.name == "bytes") {
      form.big = endian3(codec, form.type.word_bytes);
      are_bytes = true;
    } else if (codec.name == "sharding_indexed") {
      if (!form.order.empty())
        unknown_zarr3("the codec 'transpose' before 'sharding_indexed' is not known");
      refuse_others(codec.settings, {"chunk_shape", "codecs", "index_codecs", "index_location"},
                    "the codec 'sharding_indexed'");
      const char* const where = "the codec 'sharding_indexed'";
      ShardForm shard{.shape = form.chunks};
      form.chunks = json_lengths(member3(codec.settings, "chunk_shape", where), "chunk_shape");
      index_codecs3(member3(codec.settings, "index_codecs", where), shard);
      if (const std::string* const place = codec.settings.find("index_location")) {
        if (*place != "\"start\"" && *place != "\"end\"")
          no_zarr3(fmt::format("index_location is \"start\" or \"end\", not {}", *place));
        shard.index_first = *place == "\"start\"";
      }
      form.shards.push_back(std::move(shard));
      read_codecs3(member3(codec.settings, "codecs", where), form, depth + 1);
      are_bytes = true;
    } else {
      unknown_zarr3(
          fmt::format("the codec '{}' is not known where 'bytes' is expected", codec.name));
    }
  }
  if (!are_bytes) no_zarr3("codecs: none makes bytes of elements; 'bytes' is wanted");
}

void read_keys3(const std::string& json, ArrayForm& form) {
  const NamedConfiguration keys = named3(json, "chunk_key_encoding");
  form.keys_v2 = keys.name == "v2";
  if (!form.keys_v2 && keys.name != "default")
    unknown_zarr3(fmt::format("the chunk key encoding '{}' is not known", keys.name));
  refuse_others(keys.settings, {"separator"}, "chunk_key_encoding");
  const std::string* const separator = keys.settings.find("separator");
  form.separator = form.keys_v2 ? '.' : '/';
  if (separator == nullptr) return;
  if (*separator != "\".\"" && *separator != "\"/\"")
    no_zarr3("the separator of chunk keys is '.' or '/'");
  form.separator = (*separator)[1];
}

void read_names3(const std::string& json, ArrayForm& form) {
  if (json == "null") return;
  form.names = json_values(json);
  for (const std::string& name : form.names)
    if (!name.starts_with('"') && name != "null")
      no_zarr3("dimension_names: a name is text or null, not " + name);
  if (form.names.size() != form.shape.size())
    no_zarr3(fmt::format("dimension_names: {} of {} axes", form.names.size(), form.shape.size()));
}

// What is not known is carried if it says that it need not be.
void carry3(const RawJson& document, ArrayForm& form) {
  constexpr std::string_view known[] = {
      "zarr_format",        "node_type",           "shape",
      "data_type",          "chunk_grid",          "codecs",
      "fill_value",         "attributes",          "dimension_names",
      "chunk_key_encoding", "storage_transformers"};
  for (const RawJson::Member& member : document.members()) {
    if (std::find(std::begin(known), std::end(known), member.first) != std::end(known)) continue;
    const std::string* understand = nullptr;
    RawJson object;
    if (member.second.starts_with('{')) {
      object = RawJson::parse(member.second);
      understand = object.find("must_understand");
    }
    if (understand == nullptr || *understand != "false")
      unknown_zarr3(fmt::format("zarr.json says '{}', which is not known and must be understood",
                                member.first));
    form.carried.push_back(member);
  }
}

ArrayForm read_zarr3(std::string_view text) {
  if (text.size() > limits::zarr_metadata_bytes_max)
    throw Error(ErrorCode::limit, "the metadata has more than 2^24 bytes");
  const RawJson document = RawJson::parse(text);
  const char* const where = "zarr.json";
  const std::string* const version = document.find("zarr_format");
  const std::string* const node = document.find("node_type");
  if (node != nullptr && *node == "\"group\"")
    no_zarr3("is a group; name one of its arrays, as in GROUP/ARRAY");
  if (version == nullptr || *version != "3" || node == nullptr || *node != "\"array\"")
    no_zarr3("is no array of Zarr version 3");
  ArrayForm form;
  form.format = ArrayForm::Format::zarr3;
  form.shape = json_lengths(member3(document, "shape", where), "shape");
  form.type = type_of_zarr3(member3(document, "data_type", where));
  const NamedConfiguration grid = named3(member3(document, "chunk_grid", where), "chunk_grid");
  if (grid.name != "regular")
    unknown_zarr3(fmt::format("the chunk grid '{}' is not known", grid.name));
  refuse_others(grid.settings, {"chunk_shape"}, "chunk_grid");
  form.chunks = json_lengths(member3(grid.settings, "chunk_shape", "chunk_grid"), "chunk_shape");
  const std::string* const transformers = document.find("storage_transformers");
  if (transformers != nullptr && !json_values(*transformers).empty())
    unknown_zarr3("storage_transformers: none is known");
  const std::string* const keys = document.find("chunk_key_encoding");
  read_keys3(keys == nullptr ? "\"default\"" : *keys, form);
  read_codecs3(member3(document, "codecs", where), form, 0);
  if (form.type.zarr3.find("\"struct") != std::string::npos && form.big)
    unknown_zarr3("a structure as data type: it is big-endian");
  form.fill_text = member3(document, "fill_value", where);
  form.fill = fill_bytes(form.type, form.fill_text, FillForm::zarr3);
  // Python's NaN, which is no JSON.
  if (form.fill_text.find_first_of("NI") < 2 && !form.fill_text.starts_with('"'))
    form.fill_text.clear();
  if (const std::string* const attributes = document.find("attributes")) {
    static_cast<void>(RawJson::parse(*attributes));
    form.attributes = *attributes;
  }
  if (const std::string* const names = document.find("dimension_names")) read_names3(*names, form);
  carry3(document, form);
  return form;
}

std::string transposed3(const std::vector<std::size_t>& order) {
  return fmt::format(R"({{"name": "transpose", "configuration": {{"order": [{}]}}}})",
                     fmt::join(order, ", "));
}

std::string codecs3(const ArrayForm& form) {
  std::vector<std::string> codecs;
  if (!form.order.empty()) codecs.push_back(transposed3(form.order));
  codecs.push_back(form.type.word_bytes == 1
                       ? std::string(R"({"name": "bytes"})")
                       : fmt::format(R"({{"name": "bytes", "configuration": {{"endian": "{}"}}}})",
                                     form.big ? "big" : "little"));
  for (const ChunkCodec& codec : form.codecs) codecs.push_back(codec_zarr3(codec));
  std::string list = json_list(codecs);
  for (std::size_t i = form.shards.size(); i-- > 0;) {
    const ShardForm& shard = form.shards[i];
    list = fmt::format(
        R"([{{"name": "sharding_indexed", "configuration": {{"chunk_shape": {}, "codecs": {}, )"
        R"("index_codecs": [{{"name": "bytes", "configuration": {{"endian": "{}"}}}}{}], )"
        R"("index_location": "{}"}}}}])",
        json_text(i + 1 < form.shards.size() ? form.shards[i + 1].shape : form.chunks), list,
        shard.index_big ? "big" : "little", shard.index_checksum ? R"(, {"name": "crc32c"})" : "",
        shard.index_first ? "start" : "end");
  }
  return list;
}

}  // namespace

ArrayForm form_of_zarr3(std::string_view zarr_json, const std::string& name) {
  return named_form(name, [&] { return read_zarr3(zarr_json); });
}

std::string zarr3_text(const ArrayForm& form) {
  if (form.type.zarr3.empty())
    throw Error(
        ErrorCode::impossible,
        fmt::format("Zarr 3 has no name for the data type {}; keep it in Zarr 2", form.type.numpy));
  RawJson document;
  document.set("zarr_format", "3");
  document.set("node_type", "\"array\"");
  document.set("shape", json_text(form.shape));
  document.set("data_type", form.type.zarr3);
  document.set("chunk_grid",
               fmt::format(R"({{"name": "regular", "configuration": {{"chunk_shape": {}}}}})",
                           json_text(form.file_shape())));
  document.set("chunk_key_encoding",
               fmt::format(R"({{"name": "{}", "configuration": {{"separator": "{}"}}}})",
                           form.keys_v2 ? "v2" : "default", form.separator));
  document.set("fill_value", form.fill_text.empty()
                                 ? fill_json(form.type, form.fill, FillForm::zarr3)
                                 : form.fill_text);
  document.set("codecs", codecs3(form));
  document.set("attributes", form.attributes.empty() ? "{}" : form.attributes);
  if (!form.names.empty()) document.set("dimension_names", json_list(form.names));
  for (const RawJson::Member& member : form.carried) document.set(member.first, member.second);
  return document.text();
}

}  // namespace faro::inline v1::disk
