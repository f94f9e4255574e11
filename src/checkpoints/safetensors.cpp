// Headers of safetensors files, read strictly and written in one form.
#include "checkpoints/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "checkpoints/maxima.hpp"
#include "checkpoints/safetensors_json.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::checkpoints {
namespace {

constexpr std::uint64_t length_bytes = 8;

constexpr auto data_types = std::to_array<DataType>({
    {"BOOL", "bool", 1},
    {"U8", "uint8", 1},
    {"I8", "int8", 1},
    {"F8_E4M3", "float8_e4m3fn", 1},
    {"F8_E5M2", "float8_e5m2", 1},
    {"F8_E8M0", "float8_e8m0fnu", 1},
    {"F8_E4M3FNUZ", "float8_e4m3fnuz", 1},
    {"F8_E5M2FNUZ", "float8_e5m2fnuz", 1},
    {"U16", "uint16", 2},
    {"I16", "int16", 2},
    {"F16", "float16", 2},
    {"BF16", "bfloat16", 2},
    {"U32", "uint32", 4},
    {"I32", "int32", 4},
    {"F32", "float32", 4},
    {"U64", "uint64", 8},
    {"I64", "int64", 8},
    {"F64", "float64", 8},
    {"C64", "complex64", 8},
});

[[noreturn]] void refuse_file(std::string_view name, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", name, message));
}

// The tensors fill the data without hole, overlap or rest.
void check_places(SafeHeader& header, std::uint64_t file_bytes, std::string_view name) {
  auto& tensors = header.tensors;
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const SafeTensor& tensor : tensors) {
    if (tensor.begin < at)
      refuse_file(name, fmt::format("tensor '{}' begins at byte {}, inside the one before, which "
                                    "ends at {}",
                                    tensor.name, tensor.begin, at));
    if (tensor.begin > at)
      refuse_file(name, fmt::format("bytes {} to {} before tensor '{}' belong to none", at,
                                    tensor.begin, tensor.name));
    at = tensor.end;
  }
  const std::uint64_t held = file_bytes - header.data_start;
  if (at > held)
    refuse_file(name, fmt::format("the file is cut short: its tensors take {} bytes, {} are there",
                                  at, held));
  if (at < held)
    refuse_file(name,
                fmt::format("{} bytes follow the last tensor, which ends at {}", held - at, at));
}

}  // namespace

const DataType* find_type(std::string_view name) {
  const auto* found = std::find_if(data_types.begin(), data_types.end(),
                                   [&](const DataType& type) { return type.name == name; });
  return found == data_types.end() ? nullptr : found;
}

void check_tensors(std::uint64_t count, std::string_view where) {
  if (count > limits::checkpoint_tensors_max)
    throw Error(ErrorCode::limit, fmt::format("{}: more than {} tensors of one rank", where,
                                              limits::checkpoint_tensors_max));
}

void check_name(std::string_view name, std::string_view where) {
  if (name.size() > limits::checkpoint_name_bytes_max)
    throw Error(
        ErrorCode::limit,
        fmt::format("{}: a tensor's name of {} bytes, which begins '{}'; at most {} are "
                    "taken",
                    where, name.size(), name.substr(0, 40), limits::checkpoint_name_bytes_max));
}

std::uint64_t tensor_bytes(const DataType& type, std::span<const std::uint64_t> shape,
                           std::string_view name) {
  std::uint64_t bytes = type.bytes;
  const bool empty = std::find(shape.begin(), shape.end(), 0U) != shape.end();
  for (const std::uint64_t length : shape) {
    if (length > limits::checkpoint_bytes_max ||
        (!empty && bytes > limits::checkpoint_bytes_max / length))
      throw Error(ErrorCode::limit, fmt::format("tensor '{}' of shape [{}] is beyond 2^62 bytes",
                                                name, fmt::join(shape, ", ")));
    bytes = empty ? 0 : bytes * length;
  }
  return bytes;
}

std::uint64_t safetensors_data_start(std::span<const std::byte> first, std::uint64_t file_bytes,
                                     std::string_view name) {
  if (first.size() < length_bytes || file_bytes < length_bytes)
    refuse_file(name, "this is no safetensors file: it has fewer than 8 bytes");
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;)
    length = (length << 8U) | std::to_integer<std::uint64_t>(first[i]);
  if (first.size() > length_bytes && first[length_bytes] != std::byte{'{'})
    refuse_file(name, "this is no safetensors file: its header does not begin with '{'");
  if (length > limits::checkpoint_json_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("{}: the header says it is {} bytes long; at most {} "
                                              "are read",
                                              name, length, limits::checkpoint_json_bytes_max));
  if (length > file_bytes - length_bytes)
    refuse_file(name, fmt::format("the file ends inside the header: it says {} bytes, {} are there",
                                  length, file_bytes - length_bytes));
  if (length < 2) refuse_file(name, "the header is too short to be one: '{}' is the least");
  return length_bytes + length;
}

SafeHeader parse_safetensors(std::span<const std::byte> start, std::uint64_t file_bytes,
                             std::string_view name) {
  const std::uint64_t data_start = safetensors_data_start(start, file_bytes, name);
  if (start.size() < data_start) refuse_file(name, "the file ends inside the header");
  const std::string_view text(reinterpret_cast<const char*>(start.data()) + length_bytes,
                              data_start - length_bytes);
  // The parser would take a zero for the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    refuse_file(name, fmt::format("the header is no JSON as it should be: byte {} is zero", zero));
  SafeHeader header;
  header.data_start = data_start;
  SafeJson reader(header, name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  reader.finish();
  check_places(header, file_bytes, name);
  return header;
}

void check_regular(const std::string& path) {
  std::error_code none;
  const std::filesystem::file_status found = std::filesystem::status(path, none);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    refuse_file(path, "is no regular file");
}

void refuse_json_memory(std::string_view name, std::uint64_t bytes, std::uint64_t bytes_max) {
  throw Error(
      ErrorCode::impossible,
      fmt::format("{}: the memory does not suffice to read its {} bytes of JSON, which take "
                  "{} times as much; there is room for {} more",
                  name, bytes, json_memory, bytes_max));
}

SafeHeader read_safetensors(const std::string& path, std::uint64_t header_bytes_max) {
  check_regular(path);
  InputFile file = InputFile::open(path);
  std::vector<std::byte> start(std::min<std::uint64_t>(file.size_bytes(), length_bytes + 1));
  file.read_full(start);
  const std::uint64_t whole = safetensors_data_start(start, file.size_bytes(), file.name());
  if (whole > header_bytes_max) refuse_json_memory(file.name(), whole, header_bytes_max);
  const std::size_t held = start.size();
  start.resize(whole);
  const std::size_t rest = whole - held;
  if (file.read_full(std::span(start).subspan(held)) != rest)
    refuse_file(file.name(), "the file ends inside the header");
  return parse_safetensors(start, file.size_bytes(), file.name());
}

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto number = [&](std::string_view text, std::size_t& at) {
        const std::size_t begin = at;
        while (at < text.size() && digit(text[at])) ++at;
        std::string_view digits = text.substr(begin, at - begin);
        while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
        return digits;
      };
      const std::string_view x = number(a, i);
      const std::string_view y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
    }
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // they differ in zeros before numbers only
}

void lay_out(std::vector<SafeTensor>& tensors, std::string_view name) {
  std::sort(tensors.begin(), tensors.end(), [](const SafeTensor& a, const SafeTensor& b) {
    if (a.type->bytes != b.type->bytes) return a.type->bytes > b.type->bytes;
    return natural_less(a.name, b.name);
  });
  std::uint64_t at = 0;
  for (SafeTensor& tensor : tensors) {
    tensor.begin = at;
    at += tensor_bytes(*tensor.type, tensor.shape, tensor.name);
    if (at > limits::checkpoint_bytes_max)
      throw Error(ErrorCode::limit, fmt::format("{}: a file of more than 2^62 bytes", name));
    tensor.end = at;
  }
}

std::string safetensors_bytes(const SafeHeader& header) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  std::string text = json.dump();
  text.pop_back();
  for (const SafeTensor& tensor : header.tensors)
    text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        text.size() > 1 ? "," : "", nlohmann::json(tensor.name).dump(),
                        tensor.type->name, fmt::join(tensor.shape, ","), tensor.begin, tensor.end);
  text += '}';
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  for (std::uint64_t i = 0, length = text.size(); i < length_bytes; ++i, length >>= 8U)
    bytes += static_cast<char>(length & 0xffU);
  return bytes + text;
}

}  // namespace faro::inline v1::checkpoints
