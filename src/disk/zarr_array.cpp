#include "disk/zarr_array.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/layouts/foreign.hpp"

namespace faro::inline v1::disk {
namespace {

using Json = nlohmann::ordered_json;
using Lengths = std::vector<std::uint64_t>;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, what);
}
[[noreturn]] void cannot(const std::string& what) {
  throw Error(ErrorCode::impossible, what);
}

struct DataType {
  const char* name;
  std::uint64_t bytes;
  enum class Kind { boolean, whole, real, complex, other } kind;
};
constexpr std::array<DataType, 15> data_types = {{
    {"bool", 1, DataType::Kind::boolean},
    {"int8", 1, DataType::Kind::whole},
    {"int16", 2, DataType::Kind::whole},
    {"int32", 4, DataType::Kind::whole},
    {"int64", 8, DataType::Kind::whole},
    {"uint8", 1, DataType::Kind::whole},
    {"uint16", 2, DataType::Kind::whole},
    {"uint32", 4, DataType::Kind::whole},
    {"uint64", 8, DataType::Kind::whole},
    {"float16", 2, DataType::Kind::other},
    {"bfloat16", 2, DataType::Kind::other},
    {"float32", 4, DataType::Kind::real},
    {"float64", 8, DataType::Kind::real},
    {"complex64", 8, DataType::Kind::complex},
    {"complex128", 16, DataType::Kind::complex},
}};

DataType data_type(const Json& json) {
  if (!json.is_string()) cannot("its data_type is none of Zarr's plain ones");
  const std::string name = json;
  for (const DataType& type : data_types)
    if (name == type.name) return type;
  // r24: 24 bits of anything.
  unsigned bits = 0;
  const char* const end = name.data() + name.size();
  if (name.starts_with('r') && std::from_chars(name.data() + 1, end, bits).ptr == end &&
      bits != 0 && bits % 8 == 0)
    return {"", bits / 8, DataType::Kind::other};
  cannot(fmt::format("the data type '{}' is not known", name));
}

// The low bytes of a word, in the order of the array.
void append_word(std::uint64_t word, std::uint64_t bytes, bool little, std::vector<std::byte>& to) {
  for (std::uint64_t i = 0; i < bytes; ++i)
    to.push_back(static_cast<std::byte>(word >> (8 * (little ? i : bytes - 1 - i))));
}

std::optional<double> real_from(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (json == "Infinity") return std::numeric_limits<double>::infinity();
  if (json == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

bool append_real(const Json& json, std::uint64_t bytes, bool little, std::vector<std::byte>& to) {
  const std::optional<double> value = real_from(json);
  if (!value) return false;
  std::uint64_t word = 0;
  if (bytes == 4) {
    const auto narrow = static_cast<float>(*value);
    std::memcpy(&word, &narrow, sizeof narrow);
  } else {
    std::memcpy(&word, &*value, sizeof *value);
  }
  append_word(word, bytes, little, to);
  return true;
}

Lengths lengths_of(const Json& json) {
  for (const Json& length : json)
    if (!length.is_number_unsigned())
      throw Error(ErrorCode::environment, "zarr.json: a length is no whole number: " + json.dump());
  return json.get<Lengths>();
}

std::vector<std::byte> fill_of(const Json& json, const DataType& type, bool little) {
  std::vector<std::byte> fill;
  switch (type.kind) {
    case DataType::Kind::boolean:
      if (json.is_boolean()) fill.push_back(static_cast<std::byte>(json.get<bool>() ? 1 : 0));
      break;
    case DataType::Kind::whole:
      if (json.is_number_unsigned())
        append_word(json.get<std::uint64_t>(), type.bytes, little, fill);
      else if (json.is_number_integer())
        append_word(static_cast<std::uint64_t>(json.get<std::int64_t>()), type.bytes, little, fill);
      break;
    case DataType::Kind::real:
      append_real(json, type.bytes, little, fill);
      break;
    case DataType::Kind::complex:
      if (!json.is_array() || json.size() != 2 ||
          !append_real(json[0], type.bytes / 2, little, fill) ||
          !append_real(json[1], type.bytes / 2, little, fill))
        fill.clear();
      break;
    case DataType::Kind::other:
      if (json == 0) fill.resize(type.bytes);
      break;
  }
  return fill;
}

// A name alone, or with its configuration.
std::string name_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.at("name").get<std::string>();
}
Json configuration_of(const Json& json) {
  return json.is_object() ? json.value("configuration", Json::object()) : Json::object();
}

ChunkCodec codec_from(const Json& json) {
  const std::string name = name_of(json);
  const Json settings = configuration_of(json);
  ChunkCodec codec;
  if (name == "crc32c") return codec;
  if (name == "zstd") {
    codec.kind = ChunkCodec::Kind::zstd;
    codec.level = settings.value("level", 0);
    codec.checksum = settings.value("checksum", false);
    return codec;
  }
  if (name == "blosc") {
    codec.kind = ChunkCodec::Kind::blosc;
    codec.blosc_name = settings.value("cname", "zstd");
    codec.level = settings.value("clevel", 5);
    const std::string shuffle = settings.value("shuffle", "noshuffle");
    codec.shuffle = shuffle == "shuffle" ? 1 : shuffle == "bitshuffle" ? 2 : 0;
    codec.type_bytes = settings.value("typesize", std::uint64_t{1});
    codec.block_bytes = settings.value("blocksize", std::uint64_t{0});
    return codec;
  }
  cannot(
      fmt::format("the codec '{}' is not known; there are bytes, crc32c, zstd, blosc and "
                  "sharding_indexed",
                  name));
}

// "bytes" and what follows; true if elements are little-endian.
bool read_chain(const Json& codecs, CodecChain& chain) {
  if (!codecs.is_array() || codecs.empty()) refuse("codecs: a list is wanted");
  if (name_of(codecs[0]) != "bytes")
    cannot(
        fmt::format("the codec '{}' is not known where 'bytes' is expected", name_of(codecs[0])));
  std::vector<ChunkCodec> list;
  for (std::size_t i = 1; i < codecs.size(); ++i) list.push_back(codec_from(codecs[i]));
  chain = CodecChain(std::move(list));
  return configuration_of(codecs[0]).value("endian", "little") == "little";
}

bool read_codecs(const Json& codecs, ZarrArray& array) {
  if (!codecs.is_array() || codecs.empty()) refuse("codecs: a list is wanted");
  if (name_of(codecs[0]) != "sharding_indexed") return read_chain(codecs, array.codecs);
  if (codecs.size() != 1) cannot("codecs after 'sharding_indexed' are not known");
  const Json settings = configuration_of(codecs[0]);
  array.sharded = true;
  array.chunks = lengths_of(settings.at("chunk_shape"));
  CodecChain index;
  const Json& index_codecs = settings.at("index_codecs");
  if (!read_chain(index_codecs, index)) cannot("an index of big-endian numbers is not known");
  array.index_checksum = !index.is_plain();
  if (index.codecs().size() > 1 ||
      (array.index_checksum && index.codecs()[0].kind != ChunkCodec::Kind::crc32c))
    cannot("an index with other codecs than crc32c is not known");
  array.index_first = settings.value("index_location", "end") == "start";
  return read_chain(settings.at("codecs"), array.codecs);
}

void check_lengths(const ZarrArray& array) {
  const std::size_t axes = array.shape.size();
  if (axes == 0) cannot("an array of no axes is not permuted");
  if (array.shards.size() != axes || array.chunks.size() != axes)
    refuse(fmt::format("shape, chunks and shards have {}, {} and {} axes", axes,
                       array.chunks.size(), array.shards.size()));
  int width = 0;
  for (std::size_t k = 0; k < axes; ++k) {
    for (const std::uint64_t length : {array.shape[k], array.shards[k], array.chunks[k]})
      if (!is_power_of_two(length))
        cannot(
            fmt::format("axis {} of {} in files of {} and chunks of {}: each must be a power of "
                        "two",
                        k, array.shape[k], array.shards[k], array.chunks[k]));
    if (array.chunks[k] > array.shards[k] || array.shards[k] > array.shape[k])
      cannot(fmt::format("axis {} of {} in files of {} and chunks of {}: the last is ragged", k,
                         array.shape[k], array.shards[k], array.chunks[k]));
    width += log2_exact(array.shape[k]);
  }
  if (width > limits::array_log2_max ||
      Count{array.elements()} * array.element_bytes > limits::npy_bytes_max)
    throw Error(ErrorCode::limit, "the array has more than 2^62 bytes");
}

ZarrArray parsed_metadata(std::string_view text) {
  const Json document = Json::parse(text);
  if (document.at("zarr_format") != 3 || document.at("node_type") != "array")
    refuse("is no array of Zarr version 3");
  ZarrArray array;
  array.text = text;
  array.shape = lengths_of(document.at("shape"));
  const DataType type = data_type(document.at("data_type"));
  array.element_bytes = type.bytes;
  const Json& grid = document.at("chunk_grid");
  if (name_of(grid) != "regular")
    cannot(fmt::format("the chunk grid '{}' is not known", name_of(grid)));
  array.shards = array.chunks = lengths_of(configuration_of(grid).at("chunk_shape"));
  if (const Json none = Json::array(); document.value("storage_transformers", none) != none)
    cannot("storage transformers are not known");
  const Json keys = document.value("chunk_key_encoding", Json("default"));
  const bool second = name_of(keys) == "v2";
  if (!second && name_of(keys) != "default")
    cannot(fmt::format("the chunk key encoding '{}' is not known", name_of(keys)));
  const std::string separator = configuration_of(keys).value("separator", second ? "." : "/");
  if (separator != "." && separator != "/") refuse("the separator of chunk keys is '.' or '/'");
  array.key_separator = separator.front();
  array.key_prefix = second ? "" : std::string("c") + array.key_separator;
  const bool little = read_codecs(document.at("codecs"), array);
  array.fill = fill_of(document.value("fill_value", Json()), type, little);
  check_lengths(array);
  return array;
}

std::uint64_t product(const Lengths& lengths) {
  std::uint64_t all = 1;
  for (const std::uint64_t length : lengths) all *= length;
  return all;
}

Json codecs_json(const std::string& codec, std::uint64_t element_bytes, const Json& first) {
  Json codecs = Json::array({first});
  if (codec == "zstd")
    codecs.push_back({{"name", "zstd"}, {"configuration", {{"level", 3}, {"checksum", false}}}});
  else if (codec == "blosc")
    codecs.push_back({{"name", "blosc"},
                      {"configuration",
                       {{"cname", "lz4"},
                        {"clevel", 5},
                        {"shuffle", "shuffle"},
                        {"typesize", element_bytes},
                        {"blocksize", 0}}}});
  else if (codec != "none")
    refuse(fmt::format("there is no codec '{}'; there are none, zstd and blosc", codec));
  return codecs;
}

}  // namespace

std::uint64_t ZarrArray::elements() const {
  return product(shape);
}
std::uint64_t ZarrArray::chunk_bytes() const {
  return product(chunks) * element_bytes;
}
std::uint64_t ZarrArray::shard_bytes() const {
  return product(shards) * element_bytes;
}
std::uint64_t ZarrArray::index_bytes() const {
  return sharded ? (product(shards) / product(chunks) * 16) + (index_checksum ? 4 : 0) : 0;
}

BitMap ZarrArray::layout() const {
  const auto grid = [](const Lengths& whole, const Lengths& parts) {
    return read_foreign(fmt::format("zarr:shape=({}), chunks=({})", fmt::join(whole, ","),
                                    fmt::join(parts, ",")))
        .notation.map;
  };
  const BitMap files = grid(shape, shards);
  if (!sharded) return files;
  const BitMap within = grid(shards, chunks);
  return then(files, beside(BitMap::identity(files.width() - within.width()), within));
}

std::string ZarrArray::key(std::uint64_t i) const {
  std::string numbers;
  for (std::size_t k = shape.size(); k-- > 0;) {
    const std::uint64_t count = shape[k] / shards[k];
    const std::string number = std::to_string(i % count);
    numbers = numbers.empty() ? number : number + key_separator + numbers;
    i /= count;
  }
  return key_prefix + numbers;
}

ZarrArray parse_zarr(std::string_view text, const std::string& name) {
  try {
    return parsed_metadata(text);
  } catch (const nlohmann::json::exception& error) {
    refuse(fmt::format("{}: is no zarr.json of an array: {}", name, error.what()));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
}

ZarrArray changed(const ZarrArray& array, const ZarrChanges& changes) {
  Json document = Json::parse(array.text);
  const Lengths shape = changes.shape.empty() ? array.shape : changes.shape;
  if (product(shape) != array.elements())
    refuse(
        fmt::format("a shape of {} elements; the array has {}", product(shape), array.elements()));
  const bool same_chunks = changes.chunks.empty() && changes.shards.empty();
  const Lengths chunks = changes.chunks.empty() ? array.chunks : changes.chunks;
  const bool sharded = !changes.shards.empty() || (same_chunks && array.sharded);
  const Lengths shards = !sharded ? chunks : changes.shards.empty() ? array.shards : changes.shards;
  Json codecs = document.at("codecs");
  if (array.sharded) codecs = configuration_of(codecs[0]).at("codecs");
  if (changes.codec) codecs = codecs_json(*changes.codec, array.element_bytes, codecs[0]);
  if (sharded) {
    const Json bytes = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
    codecs = Json::array({{{"name", "sharding_indexed"},
                           {"configuration",
                            {{"chunk_shape", chunks},
                             {"codecs", codecs},
                             {"index_codecs", Json::array({bytes, {{"name", "crc32c"}}})},
                             {"index_location", "end"}}}}});
  }
  document["shape"] = shape;
  document["chunk_grid"] = {{"name", "regular"}, {"configuration", {{"chunk_shape", shards}}}};
  document["codecs"] = codecs;
  if (!changes.keeps_names) document.erase("dimension_names");
  return parse_zarr(document.dump(2), "the new array");
}

}  // namespace faro::inline v1::disk
