// How codecs are named: in zarr.json, in .zarray and by users.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "disk/stored/array_form.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

using CodecKind = ChunkCodec::Kind;
using CodecJson = nlohmann::ordered_json;

struct CodecNames {
  CodecKind kind;
  const char* zarr3;
  const char* zarr2;  // null where Zarr 2 has none
  int level;          // where none is said
  int level_min;
  int level_max;
};
// Levels as the libraries take them; numcodecs' acceleration of LZ4 is its level here.
constexpr std::array<CodecNames, 6> codec_names = {{
    {CodecKind::crc32c, "crc32c", nullptr, 0, 0, 0},
    {CodecKind::zstd, "zstd", "zstd", 3, -131072, 22},
    {CodecKind::gzip, "gzip", "gzip", 5, 0, 9},
    {CodecKind::blosc, "blosc", "blosc", 5, 0, 9},
    {CodecKind::zlib, "numcodecs.zlib", "zlib", 1, -1, 9},
    {CodecKind::lz4, "numcodecs.lz4", "lz4", 1, 0, 65537},
}};

const CodecNames& names_of(CodecKind kind) {
  return *std::find_if(codec_names.begin(), codec_names.end(),
                       [&](const CodecNames& names) { return names.kind == kind; });
}

[[noreturn]] void codec_unknown(const std::string& name) {
  throw Error(ErrorCode::impossible,
              fmt::format("the codec '{}' is not known; there are bytes, transpose, "
                          "sharding_indexed, crc32c, gzip, zlib, zstd, blosc and lz4",
                          name));
}
[[noreturn]] void codec_wrong(const std::string& what) {
  throw Error(ErrorCode::usage, what);
}

void check_level(const ChunkCodec& codec) {
  const CodecNames& names = names_of(codec.kind);
  if (codec.level < names.level_min || codec.level > names.level_max)
    codec_wrong(fmt::format("the codec '{}' has levels {} to {}, not {}", names.zarr3,
                            names.level_min, names.level_max, codec.level));
}

int integer_of(const CodecJson& settings, const char* key, int otherwise, const std::string& name) {
  if (!settings.contains(key)) return otherwise;
  const CodecJson& value = settings[key];
  if (!value.is_number_integer() || value > INT32_MAX || value < INT32_MIN)
    codec_wrong(
        fmt::format("the codec '{}': '{}' is a whole number, not {}", name, key, value.dump()));
  return value.get<int>();
}

void read_blosc(const CodecJson& settings, std::uint64_t element_bytes, ChunkCodec& codec) {
  codec.blosc_name = settings.value("cname", "zstd");
  constexpr std::array<std::string_view, 6> inside = {"blosclz", "lz4",  "lz4hc",
                                                      "snappy",  "zlib", "zstd"};
  if (std::find(inside.begin(), inside.end(), codec.blosc_name) == inside.end())
    codec_wrong(fmt::format("the codec 'blosc' has no compressor '{}'", codec.blosc_name));
  const CodecJson shuffle = settings.value("shuffle", CodecJson("noshuffle"));
  const int automatic = element_bytes == 1 ? 2 : 1;
  if (shuffle == "noshuffle" || shuffle == 0)
    codec.shuffle = 0;
  else if (shuffle == "shuffle" || shuffle == 1)
    codec.shuffle = 1;
  else if (shuffle == "bitshuffle" || shuffle == 2)
    codec.shuffle = 2;
  else if (shuffle == -1)
    codec.shuffle = automatic;
  else
    codec_wrong("the codec 'blosc' has no shuffle " + shuffle.dump());
  const int typesize = integer_of(
      settings, "typesize", static_cast<int>(std::min<std::uint64_t>(element_bytes, 255)), "blosc");
  const int blocksize = integer_of(settings, "blocksize", 0, "blosc");
  if (typesize < 1 || typesize > 255 || blocksize < 0)
    codec_wrong("the codec 'blosc': typesize is 1 to 255, blocksize at least 0");
  codec.type_bytes = static_cast<std::uint64_t>(typesize);
  codec.block_bytes = static_cast<std::uint64_t>(blocksize);
}

ChunkCodec read_codec(const CodecNames& names, const CodecJson& settings,
                      std::uint64_t element_bytes) {
  ChunkCodec codec{.kind = names.kind};
  const std::string name = names.zarr3;
  std::vector<std::string_view> known;
  switch (names.kind) {
    case CodecKind::crc32c:
      break;
    case CodecKind::zstd:
      known = {"level", "checksum"};
      codec.level = integer_of(settings, "level", names.level, name);
      codec.checksum = settings.value("checksum", false);
      break;
    case CodecKind::blosc:
      known = {"cname", "clevel", "shuffle", "typesize", "blocksize"};
      codec.level = integer_of(settings, "clevel", names.level, name);
      read_blosc(settings, element_bytes, codec);
      break;
    case CodecKind::lz4:
      known = {"acceleration"};
      codec.level = integer_of(settings, "acceleration", names.level, name);
      break;
    case CodecKind::gzip:
    case CodecKind::zlib:
      known = {"level"};
      codec.level = integer_of(settings, "level", names.level, name);
  }
  for (const auto& [key, value] : settings.items())
    if (key != "id" && std::find(known.begin(), known.end(), key) == known.end())
      throw Error(ErrorCode::impossible,
                  fmt::format("the codec '{}' says '{}', which is not known", name, key));
  check_level(codec);
  require_built(codec);
  return codec;
}

// Of both versions, but for the names of settings that they share.
std::string settings_text(const ChunkCodec& codec, bool zarr3) {
  switch (codec.kind) {
    case CodecKind::crc32c:
      return "";
    case CodecKind::zstd:
      if (!zarr3 && !codec.checksum) return fmt::format(R"("level": {})", codec.level);
      return fmt::format(R"("level": {}, "checksum": {})", codec.level, codec.checksum);
    case CodecKind::gzip:
    case CodecKind::zlib:
      return fmt::format(R"("level": {})", codec.level);
    case CodecKind::lz4:
      return fmt::format(R"("acceleration": {})", codec.level);
    case CodecKind::blosc:
      break;
  }
  if (!zarr3)
    return fmt::format(R"("cname": "{}", "clevel": {}, "shuffle": {}, "blocksize": {})",
                       codec.blosc_name, codec.level, codec.shuffle, codec.block_bytes);
  constexpr const char* shuffles[] = {"noshuffle", "shuffle", "bitshuffle"};
  return fmt::format(
      R"("cname": "{}", "clevel": {}, "shuffle": "{}", "typesize": {}, "blocksize": {})",
      codec.blosc_name, codec.level, shuffles[codec.shuffle], codec.type_bytes, codec.block_bytes);
}

int level_named(std::string_view text, const std::string& words) {
  int level = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, level).ptr != end || text.empty())
    codec_wrong(fmt::format("--codec {}: '{}' is no level", words, text));
  return level;
}

}  // namespace

ChunkCodec codec_of_zarr3(std::string_view json, std::uint64_t element_bytes) {
  const CodecJson parsed = CodecJson::parse(json);
  const std::string name = parsed.is_string() ? parsed : parsed.at("name");
  const CodecJson settings =
      parsed.is_string() ? CodecJson::object() : parsed.value("configuration", CodecJson::object());
  for (const CodecNames& names : codec_names)
    if (name == names.zarr3 ||
        (names.zarr2 != nullptr && (name == fmt::format("numcodecs.{}", names.zarr2) ||
                                    (name == names.zarr2 && names.kind != CodecKind::blosc))))
      return read_codec(names, settings, element_bytes);
  codec_unknown(name);
}

ChunkCodec codec_of_zarr2(std::string_view json, std::uint64_t element_bytes) {
  const CodecJson parsed = CodecJson::parse(json);
  if (!parsed.is_object()) codec_wrong("compressor: an object or null is wanted");
  const std::string name = parsed.at("id");
  for (const CodecNames& names : codec_names)
    if (names.zarr2 != nullptr && name == names.zarr2)
      return read_codec(names, parsed, element_bytes);
  codec_unknown(name);
}

std::string codec_zarr3(const ChunkCodec& codec) {
  const std::string settings = settings_text(codec, true);
  const char* const name = names_of(codec.kind).zarr3;
  if (settings.empty()) return fmt::format(R"({{"name": "{}"}})", name);
  return fmt::format(R"({{"name": "{}", "configuration": {{{}}}}})", name, settings);
}

std::string codec_zarr2(const ChunkCodec& codec) {
  const char* const name = names_of(codec.kind).zarr2;
  if (name == nullptr)
    throw Error(ErrorCode::impossible,
                fmt::format("Zarr 2 has no codec '{}'", names_of(codec.kind).zarr3));
  return fmt::format(R"({{"id": "{}", {}}})", name, settings_text(codec, false));
}

std::vector<ChunkCodec> codecs_named(const std::string& words, std::uint64_t element_bytes) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(':', at), words.size());
    parts.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  if (words == "none") return {};
  ChunkCodec codec;
  std::size_t used = 1;
  const std::string& name = parts[0];
  if (name == "zstd" || name == "gzip" || name == "zlib" || name == "lz4") {
    codec = read_codec(*std::find_if(codec_names.begin(), codec_names.end(),
                                     [&](const CodecNames& names) {
                                       return names.zarr2 != nullptr && name == names.zarr2;
                                     }),
                       CodecJson::object(), element_bytes);
  } else if (name == "blosc") {
    CodecJson settings = {{"cname", "lz4"}, {"shuffle", "shuffle"}};
    if (parts.size() > 1) settings["cname"] = parts[used++];
    codec = read_codec(names_of(CodecKind::blosc), settings, element_bytes);
  } else {
    codec_wrong(
        fmt::format("there is no codec '{}'; there are none, zstd, gzip, zlib, blosc and "
                    "lz4, as in zstd:3 and blosc:lz4:5",
                    name));
  }
  if (used < parts.size()) codec.level = level_named(parts[used++], words);
  if (used < parts.size()) codec_wrong(fmt::format("--codec {}: too many parts", words));
  check_level(codec);
  return {codec};
}

}  // namespace faro::inline v1::disk
