// Fill values: between JSON and the bytes of an element.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "disk/stored/element_type.hpp"
#include "disk/stored/raw_json.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

using FillKind = ElementType::Kind;
using FillValue = nlohmann::ordered_json;
using FillBytes = std::vector<std::byte>;

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word =
          (word << 8U) | (i + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : base64_digits[(word >> (18U - 6U * k)) & 63U];
  }
  return text;
}

std::optional<FillBytes> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  FillBytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = i; k < i + 4; ++k) {
      const std::size_t digit = k >= text.size() - padding ? 0 : base64_digits.find(text[k]);
      if (digit == std::string_view::npos) return std::nullopt;
      word = (word << 6U) | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k < 3; ++k)
      bytes.push_back(static_cast<std::byte>(word >> (16U - 8U * k)));
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

// "0x7fc00000": the bits as a number, of exactly so many bytes.
std::optional<FillBytes> from_hexadecimal(std::string_view text, std::uint64_t bytes) {
  if (!text.starts_with("0x") || text.size() != 2 + (2 * bytes)) return std::nullopt;
  FillBytes found(bytes);
  for (std::size_t i = 2; i < text.size(); ++i) {
    const auto digit = std::string_view("0123456789abcdef")
                           .find(static_cast<char>(text[i] | (text[i] >= 'A' ? 0x20 : 0)));
    if (digit == std::string_view::npos) return std::nullopt;
    std::byte& to = found[bytes - 1 - ((i - 2) / 2)];
    to = (to << 4U) | static_cast<std::byte>(digit);
  }
  return found;
}

struct RealFormat {
  int exponent_bits;
  int fraction_bits;
};
RealFormat format_of_real(const ElementType& type, std::uint64_t bytes) {
  return {type.exponent_bits, static_cast<int>(8 * bytes) - 1 - type.exponent_bits};
}

// The nearest number of the format, ties to even; NaN is the quiet one.
std::uint64_t narrowed(double value, RealFormat format) {
  const auto [e, f] = format;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (e + f) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << e) - 1) << f;
  if (std::isnan(value)) return infinity | (std::uint64_t{1} << (f - 1));
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  --exponent;
  const int bias = (1 << (e - 1)) - 1;
  const int least = 1 - bias;
  const double scaled = std::ldexp(std::abs(value), f - std::max(exponent, least));
  const auto digits = static_cast<std::uint64_t>(std::nearbyint(scaled));
  // The leading one is not stored; where rounding makes another one the exponent grows.
  const std::uint64_t whole =
      exponent < least
          ? digits
          : (static_cast<std::uint64_t>(exponent + bias) << f) + digits - (std::uint64_t{1} << f);
  return sign | std::min(whole, infinity);
}

double widened(std::uint64_t bits, RealFormat format) {
  const auto [e, f] = format;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << f) - 1);
  const auto exponent = static_cast<int>((bits >> f) & ((std::uint64_t{1} << e) - 1));
  const double sign = ((bits >> (e + f)) & 1U) != 0 ? -1.0 : 1.0;
  const int bias = (1 << (e - 1)) - 1;
  if (exponent == (1 << e) - 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t digits = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << f);
  return sign * std::ldexp(static_cast<double>(digits), std::max(exponent, 1) - bias - f);
}

void append_little(std::uint64_t word, std::uint64_t bytes, FillBytes& to) {
  for (std::uint64_t i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(word >> (8 * i)));
}
std::uint64_t little_word(std::span<const std::byte> bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    word = (word << 8U) | std::to_integer<std::uint64_t>(bytes[i]);
  return word;
}

bool append_real(const ElementType& type, std::uint64_t bytes, const FillValue& json,
                 FillBytes& to) {
  double value = 0;
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (json == "Infinity" || json == "-Infinity") {
    value = json == "Infinity" ? std::numeric_limits<double>::infinity()
                               : -std::numeric_limits<double>::infinity();
  } else {
    const auto bits =
        json.is_string() ? from_hexadecimal(json.get<std::string>(), bytes) : std::nullopt;
    if (bits) to.insert(to.end(), bits->begin(), bits->end());
    return bits.has_value();
  }
  append_little(narrowed(value, format_of_real(type, bytes)), bytes, to);
  return true;
}

// Whole numbers that fit; 3.0 is one too.
bool append_integer(const ElementType& type, const FillValue& json, FillBytes& to) {
  const std::uint64_t bits = 8 * type.bytes;
  const bool has_sign = type.kind != FillKind::natural;
  const std::uint64_t greatest =
      (bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1) >> (has_sign ? 1U : 0U);
  std::uint64_t magnitude = 0;
  bool negative = false;
  if (json.is_number_unsigned()) {
    magnitude = json.get<std::uint64_t>();
  } else if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    negative = value < 0;
    magnitude =
        negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  } else if (json.is_number()) {
    const auto value = json.get<double>();
    if (value != std::floor(value) || std::abs(value) >= 9007199254740992.0) return false;
    negative = value < 0;
    magnitude = static_cast<std::uint64_t>(std::abs(value));
  } else {
    return false;
  }
  if (magnitude > greatest + (negative ? 1U : 0U) || (negative && !has_sign)) return false;
  append_little(negative ? 0 - magnitude : magnitude, type.bytes, to);
  return true;
}

bool append_padded(std::optional<FillBytes> found, std::uint64_t bytes, FillBytes& to) {
  if (!found || found->size() > bytes) return false;
  found->resize(bytes);
  to = std::move(*found);
  return true;
}

bool append_bytes(const ElementType& type, const FillValue& json, FillBytes& to) {
  if (json.is_array()) {
    for (const FillValue& one : json)
      if (!one.is_number_unsigned() || one.get<std::uint64_t>() > 255)
        return false;
      else
        to.push_back(static_cast<std::byte>(one.get<std::uint64_t>()));
    return to.size() == type.bytes;
  }
  if (!json.is_string()) {
    if (json != 0) return false;
    to.resize(type.bytes);
    return true;
  }
  const std::string text = json;
  if (auto bits = from_hexadecimal(text, type.bytes)) {
    to = std::move(*bits);
    return true;
  }
  auto found = from_base64(text);
  if (type.kind == FillKind::raw && found && found->size() != type.bytes && !found->empty())
    return false;
  return append_padded(std::move(found), type.bytes, to);
}

// UTF-8, which the parser of JSON has checked.
FillBytes characters_of(std::string_view text) {
  FillBytes found;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    std::uint32_t character = more == 0 ? first : first & (0x3fU >> more);
    for (std::size_t k = 1; k <= more; ++k)
      character = (character << 6U) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    append_little(character, 4, found);
    i += more + 1;
  }
  return found;
}

std::string utf8_of(std::span<const std::byte> characters) {
  std::string text;
  for (std::size_t i = 0; i + 4 <= characters.size(); i += 4) {
    const auto c = static_cast<std::uint32_t>(little_word(characters.subspan(i, 4)));
    const unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    if (more == 0)
      text += static_cast<char>(c);
    else
      text += static_cast<char>(((0xffU << (7 - more)) & 0xffU) | (c >> (6 * more)));
    for (unsigned k = more; k-- > 0;) text += static_cast<char>(0x80U | ((c >> (6 * k)) & 0x3fU));
  }
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

bool append_fill(const ElementType& type, const FillValue& json, FillForm form, FillBytes& to) {
  switch (type.kind) {
    case FillKind::boolean:
      if (!json.is_boolean() && !(form == FillForm::zarr2 && (json == 0 || json == 1)))
        return false;
      to.push_back(static_cast<std::byte>(json == true || json == 1 ? 1 : 0));
      return true;
    case FillKind::time:
      if (json == "NaT") {
        append_little(std::uint64_t{1} << 63U, 8, to);
        return true;
      }
      return append_integer(type, json, to);
    case FillKind::whole:
    case FillKind::natural:
      return append_integer(type, json, to);
    case FillKind::real:
      return append_real(type, type.bytes, json, to);
    case FillKind::complex:
      return json.is_array() && json.size() == 2 &&
             append_real(type, type.bytes / 2, json[0], to) &&
             append_real(type, type.bytes / 2, json[1], to);
    case FillKind::characters:
      if (json == 0) return append_padded(FillBytes(), type.bytes, to);
      return json.is_string() &&
             append_padded(characters_of(json.get<std::string>()), type.bytes, to);
    case FillKind::text:
    case FillKind::raw:
      return append_bytes(type, json, to);
  }
  return false;
}

std::string real_json(const ElementType& type, std::span<const std::byte> fill, FillForm form) {
  const RealFormat format = format_of_real(type, fill.size());
  const std::uint64_t bits = little_word(fill);
  const double value = widened(bits, format);
  if (form == FillForm::attribute) return json_text(base64(std::as_bytes(std::span(&value, 1))));
  if (std::isnan(value)) {
    if (bits == narrowed(value, format) || form == FillForm::zarr2) return "\"NaN\"";
    return fmt::format("\"0x{:0{}x}\"", bits, 2 * fill.size());
  }
  if (std::isinf(value)) return value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

std::vector<std::byte> fill_bytes(const ElementType& type, std::string_view json, FillForm form) {
  // Python writes NaN for a number that is none.
  const FillValue value = json == "NaN" || json == "Infinity" || json == "-Infinity"
                              ? FillValue(std::string(json))
                              : FillValue::parse(json);
  FillBytes fill;
  // Of Zarr 2, which reads it as zeros.
  if (form == FillForm::zarr2 && value.is_null()) {
    fill.resize(type.bytes);
    return fill;
  }
  if (!append_fill(type, value, form, fill))
    throw Error(ErrorCode::usage, fmt::format("the fill value {} is no value of {}",
                                              value.dump().substr(0, 100), type.name));
  return fill;
}

std::string fill_json(const ElementType& type, std::span<const std::byte> fill, FillForm form) {
  switch (type.kind) {
    case FillKind::boolean:
      return fill[0] == std::byte{} ? "false" : "true";
    case FillKind::whole:
    case FillKind::time: {
      std::uint64_t word = little_word(fill);
      if (const std::uint64_t bits = 8 * fill.size(); bits < 64 && (word >> (bits - 1)) != 0)
        word |= UINT64_MAX << bits;
      return std::to_string(static_cast<std::int64_t>(word));
    }
    case FillKind::natural:
      return std::to_string(little_word(fill));
    case FillKind::real:
      return real_json(type, fill, form);
    case FillKind::complex:
      return fmt::format("[{}, {}]", real_json(type, fill.first(fill.size() / 2), form),
                         real_json(type, fill.subspan(fill.size() / 2), form));
    case FillKind::characters:
      return json_text(utf8_of(fill));
    case FillKind::text: {
      std::size_t size = fill.size();
      while (size > 0 && fill[size - 1] == std::byte{}) --size;
      return json_text(base64(fill.first(size)));
    }
    case FillKind::raw:
      break;
  }
  if (form == FillForm::zarr2 || type.zarr3.starts_with('{')) return json_text(base64(fill));
  std::vector<std::uint64_t> numbers;
  for (const std::byte one : fill) numbers.push_back(std::to_integer<std::uint64_t>(one));
  // Numbers of a byte say their bits.
  if (!type.name.starts_with('r')) return fmt::format("\"0x{:02x}\"", numbers[0]);
  return json_text(numbers);
}

}  // namespace faro::inline v1::disk
