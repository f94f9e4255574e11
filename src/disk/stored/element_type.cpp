#include "disk/stored/element_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "disk/stored/raw_json.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

using Kind = ElementType::Kind;
using TypeJson = nlohmann::ordered_json;

[[noreturn]] void type_unknown(std::string_view name) {
  throw Error(
      ErrorCode::impossible,
      fmt::format("the data type {} is not known: wanted one of a fixed size, such as float32 or "
                  "r40, or in NumPy's words with the order of bytes, <f4",
                  name));
}

struct NamedType {
  const char* name;
  Kind kind;
  std::uint64_t bytes;
  std::uint64_t word_bytes;
  int exponent_bits;
  const char* numpy;
};
constexpr std::array<NamedType, 20> named_types = {{
    {"bool", Kind::boolean, 1, 1, 0, "b1"},
    {"int8", Kind::whole, 1, 1, 0, "i1"},
    {"int16", Kind::whole, 2, 2, 0, "i2"},
    {"int32", Kind::whole, 4, 4, 0, "i4"},
    {"int64", Kind::whole, 8, 8, 0, "i8"},
    {"uint8", Kind::natural, 1, 1, 0, "u1"},
    {"uint16", Kind::natural, 2, 2, 0, "u2"},
    {"uint32", Kind::natural, 4, 4, 0, "u4"},
    {"uint64", Kind::natural, 8, 8, 0, "u8"},
    {"float16", Kind::real, 2, 2, 5, "f2"},
    {"bfloat16", Kind::real, 2, 2, 8, ""},
    {"float32", Kind::real, 4, 4, 8, "f4"},
    {"float64", Kind::real, 8, 8, 11, "f8"},
    {"complex64", Kind::complex, 8, 4, 8, "c8"},
    {"complex128", Kind::complex, 16, 8, 11, "c16"},
    // Of machine learning: numbers of a byte, whose fill value is taken as bits alone.
    {"float8_e4m3", Kind::raw, 1, 1, 0, ""},
    {"float8_e5m2", Kind::raw, 1, 1, 0, ""},
    {"float8_e4m3fn", Kind::raw, 1, 1, 0, ""},
    {"float8_e4m3fnuz", Kind::raw, 1, 1, 0, ""},
    {"float8_e5m2fnuz", Kind::raw, 1, 1, 0, ""},
}};

ElementType made_of(const NamedType& named) {
  return {named.kind,       named.name,          named.bytes,
          named.word_bytes, named.exponent_bits, json_text(named.name),
          named.numpy};
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || stopped != end || error != std::errc()) return std::nullopt;
  return value;
}

// A type of any number of bytes; refused where it has none, or more than an array may.
std::uint64_t sized(std::uint64_t count, std::uint64_t unit_bytes, std::string_view name) {
  const Count bytes = Count{count} * unit_bytes;
  if (bytes == 0) type_unknown(name);
  if (bytes > limits::zarr_element_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("the data type {} has more than {} bytes", name,
                                              limits::zarr_element_bytes_max));
  return static_cast<std::uint64_t>(bytes);
}

ElementType raw_type(std::uint64_t bytes) {
  return {Kind::raw,
          fmt::format("r{}", bytes * 8),
          bytes,
          1,
          0,
          fmt::format("\"r{}\"", bytes * 8),
          fmt::format("V{}", bytes)};
}
ElementType text_type(std::uint64_t bytes) {
  return {
      Kind::text,
      fmt::format("bytes{}", bytes * 8),
      bytes,
      1,
      0,
      fmt::format(R"({{"name": "null_terminated_bytes", "configuration": {{"length_bytes": {}}}}})",
                  bytes),
      fmt::format("S{}", bytes)};
}
ElementType characters_type(std::uint64_t bytes) {
  return {
      Kind::characters,
      fmt::format("str{}", bytes * 8),
      bytes,
      4,
      0,
      fmt::format(R"({{"name": "fixed_length_utf32", "configuration": {{"length_bytes": {}}}}})",
                  bytes),
      fmt::format("U{}", bytes / 4)};
}

// Of "[ns]", "[10ms]", or nothing.
ElementType time_type(bool moment, std::string_view unit) {
  std::uint64_t factor = 1;
  std::string_view name = "generic";
  if (!unit.empty()) {
    if (unit.size() < 3 || unit.front() != '[' || unit.back() != ']') type_unknown(unit);
    name = unit.substr(1, unit.size() - 2);
    const std::size_t digits = name.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) type_unknown(unit);
    if (digits != 0) {
      const auto number = whole_number(name.substr(0, digits));
      if (!number || *number == 0 || *number > INT32_MAX) type_unknown(unit);
      factor = *number;
    }
    name = name.substr(digits);
  }
  constexpr std::array<std::string_view, 14> units = {
      "generic", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
  if (std::find(units.begin(), units.end(), name) == units.end()) type_unknown(unit);
  const std::string of =
      name == "generic" ? std::string()
                        : fmt::format("[{}{}]", factor == 1 ? "" : fmt::to_string(factor), name);
  const char* const kind = moment ? "datetime64" : "timedelta64";
  return {Kind::time,
          kind + of,
          8,
          8,
          0,
          fmt::format(
              R"({{"name": "numpy.{}", "configuration": {{"unit": "{}", "scale_factor": {}}}}})",
              kind, name, factor),
          (moment ? "M8" : "m8") + of};
}

// Of NumPy's code without its byte order.
ElementType coded_type(std::string_view code) {
  for (const NamedType& named : named_types)
    if (code == named.numpy) return made_of(named);
  if (code.starts_with("M8") || code.starts_with("m8"))
    return time_type(code.front() == 'M', code.substr(2));
  const auto number = code.empty() ? std::nullopt : whole_number(code.substr(1));
  if (number && code.front() == 'V') return raw_type(sized(*number, 1, code));
  if (number && code.front() == 'S') return text_type(sized(*number, 1, code));
  if (number && code.front() == 'U') return characters_type(sized(*number, 4, code));
  type_unknown(fmt::format("'{}'", code));
}

[[noreturn]] void structure_refused(const std::string& what) {
  throw Error(ErrorCode::impossible, "a structure as data type: " + what);
}

// Bytes of a list of fields of .zarray: ["x", "<i4"], ["y", "<f2", [3]], ["z", [..]].
std::uint64_t structure_bytes(const TypeJson& fields, int depth) {
  if (depth > limits::npy_depth_max) structure_refused("it is too deep");
  if (!fields.is_array() || fields.empty()) structure_refused("a list of fields is wanted");
  Count bytes = 0;
  for (const TypeJson& field : fields) {
    if (!field.is_array() || field.size() < 2 || field.size() > 3 || !field[0].is_string())
      structure_refused("a field is a name and a type, and perhaps a shape: " + field.dump());
    Count one = 0;
    if (field[1].is_string()) {
      const OrderedType type = type_of_numpy(field[1].get<std::string>());
      if (type.big) structure_refused("a field that is big-endian: " + field.dump());
      one = type.type.bytes;
    } else {
      one = structure_bytes(field[1], depth + 1);
    }
    if (field.size() == 3) {
      if (!field[2].is_array())
        structure_refused("the shape of a field is a list: " + field.dump());
      for (const TypeJson& length : field[2]) {
        if (!length.is_number_unsigned()) structure_refused("no length: " + field.dump());
        one = one * length.get<std::uint64_t>();
      }
    }
    bytes = bytes + one;
  }
  return sized(static_cast<std::uint64_t>(bytes), 1, "of a structure");
}

// "structured", "struct": fields as [name, type] or {"name":, "data_type":}.
ElementType structure3(const TypeJson& json, const std::string& whole) {
  Count bytes = 0;
  for (const TypeJson& field : json.at("configuration").at("fields")) {
    const TypeJson& type = field.is_array() ? field.at(1) : field.at("data_type");
    bytes = bytes + type_of_zarr3(type.dump()).bytes;
  }
  ElementType type = raw_type(sized(static_cast<std::uint64_t>(bytes), 1, "of a structure"));
  type.zarr3 = whole;
  type.numpy = "[";  // a structure that .zarray has not said
  return type;
}

ElementType configured_type(const TypeJson& json, const std::string& whole) {
  const std::string name = json.at("name");
  if (name == "structured" || name == "struct") return structure3(json, whole);
  const TypeJson settings = json.value("configuration", TypeJson::object());
  const auto length = [&] { return settings.at("length_bytes").get<std::uint64_t>(); };
  ElementType type;
  if (name == "null_terminated_bytes") {
    type = text_type(sized(length(), 1, name));
  } else if (name == "raw_bytes") {
    type = raw_type(sized(length(), 1, name));
  } else if (name == "fixed_length_utf32") {
    if (length() % 4 != 0) type_unknown(whole);
    type = characters_type(sized(length(), 1, name));
  } else if (name == "numpy.datetime64" || name == "numpy.timedelta64") {
    type = time_type(name == "numpy.datetime64",
                     fmt::format("[{}{}]", settings.at("scale_factor").get<std::uint64_t>(),
                                 settings.at("unit").get<std::string>()));
  } else {
    if (!settings.empty()) type_unknown(whole);
    return type_named(name);
  }
  type.zarr3 = whole;
  return type;
}

}  // namespace

ElementType type_named(std::string_view name) {
  for (const NamedType& named : named_types)
    if (name == named.name) return made_of(named);
  if (name.starts_with("datetime64")) return time_type(true, name.substr(10));
  if (name.starts_with("timedelta64")) return time_type(false, name.substr(11));
  const auto bits_behind = [&](std::string_view word) {
    const auto bits =
        name.starts_with(word) ? whole_number(name.substr(word.size())) : std::nullopt;
    return bits && *bits % 8 == 0 ? *bits / 8 : 0;
  };
  if (const auto bytes = bits_behind("r")) return raw_type(sized(bytes, 1, name));
  if (const auto bytes = bits_behind("bytes")) return text_type(sized(bytes, 1, name));
  if (const auto bytes = bits_behind("str"); bytes % 4 == 0 && bytes != 0)
    return characters_type(sized(bytes, 1, name));
  type_unknown(fmt::format("'{}'", name));
}

ElementType type_of_zarr3(std::string_view json) {
  const TypeJson parsed = TypeJson::parse(json);
  if (parsed.is_string()) return type_named(parsed.get<std::string>());
  if (!parsed.is_object()) type_unknown(json);
  return configured_type(parsed, std::string(json));
}

OrderedType type_of_numpy(std::string_view code) {
  if (code.empty() || std::string_view("<>|").find(code.front()) == std::string_view::npos)
    type_unknown(fmt::format("'{}'", code));
  const bool big = code.front() == '>';
  if (code.substr(1).starts_with('O'))
    throw Error(ErrorCode::impossible,
                "the data type '" + std::string(code) +
                    "' is of Python objects, which have no fixed size: they are not moved");
  ElementType type = coded_type(code.substr(1));
  if (code.front() == '|' && type.word_bytes != 1) type_unknown(fmt::format("'{}'", code));
  return {std::move(type), big};
}

OrderedType type_of_zarr2(std::string_view json) {
  const TypeJson parsed = TypeJson::parse(json);
  if (parsed.is_string()) return type_of_numpy(parsed.get<std::string>());
  ElementType type = raw_type(structure_bytes(parsed, 0));
  type.zarr3.clear();
  type.numpy = json;
  return {std::move(type), false};
}

std::string numpy_code(const ElementType& type, bool big) {
  return (type.word_bytes == 1 ? "|" : big ? ">" : "<") + type.numpy;
}

}  // namespace faro::inline v1::disk
