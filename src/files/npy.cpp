// Headers of .npy files, read strictly and written as NumPy does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/files/array_file.hpp"
#include "files/npy_literal.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

unsigned byte_at(std::span<const std::byte> bytes, std::size_t i) {
  return std::to_integer<unsigned>(bytes[i]);
}

[[noreturn]] void refuse(std::string_view name, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", name, message));
}

std::size_t length_field_bytes(unsigned version) {
  return version == 1 ? 2 : 4;
}

}  // namespace

std::uint64_t NpyHeader::elements() const {
  std::uint64_t count = 1;
  for (const std::uint64_t side : shape) count = size_product(count, side, "elements of the array");
  return count;
}

std::uint64_t NpyHeader::data_bytes() const {
  return size_product(elements(), element_bytes, "bytes of the array");
}

NpyHeader npy_header(std::string_view number_type, std::vector<std::uint64_t> shape) {
  NpyHeader header;
  header.type = fmt::format("'{}'", number_type);
  header.element_bytes = npy_element_bytes(header.type);
  header.shape = std::move(shape);
  return header;
}

std::size_t npy_data_offset(std::span<const std::byte> preamble, std::string_view name) {
  const std::string_view text = text_of(preamble);
  if (text.starts_with("PK\3\4"))
    refuse(name,
           "this is an archive, as .npz files of several arrays are; write one of them as .npy: "
           "np.save('a.npy', np.load('a.npz')['NAME'])");
  if (text.substr(0, magic.size()) != magic)
    refuse(name,
           "this is no .npy file: it does not begin with \\x93NUMPY; a raw file needs "
           "--element-bytes");
  if (preamble.size() < magic.size() + 2) refuse(name, "the file ends inside the .npy header");
  const unsigned version = byte_at(preamble, 6);
  const unsigned minor = byte_at(preamble, 7);
  if (version < 1 || version > 3 || minor != 0)
    refuse(name, fmt::format("version {}.{} of .npy is unknown; versions 1.0, 2.0 and 3.0 are read",
                             version, minor));
  const std::size_t fields = magic.size() + 2 + length_field_bytes(version);
  if (preamble.size() < fields) refuse(name, "the file ends inside the .npy header");
  std::size_t length = 0;
  for (std::size_t i = fields; i-- > magic.size() + 2;)
    length = length * 256 + byte_at(preamble, i);
  if (length > limits::npy_header_bytes_max)
    throw Error(ErrorCode::limit,
                fmt::format("{}: the .npy header says it is {} bytes long; at most {} are read",
                            name, length, limits::npy_header_bytes_max));
  return fields + length;
}

NpyHeader parse_npy_header(std::span<const std::byte> start, std::string_view name) {
  const std::size_t end = npy_data_offset(start, name);
  if (start.size() < end)
    refuse(name,
           fmt::format("the file ends inside the .npy header: {} of {} bytes", start.size(), end));
  NpyHeader header;
  header.version = static_cast<int>(byte_at(start, 6));
  const std::size_t begin = magic.size() + 2 + length_field_bytes(byte_at(start, 6));
  npy::HeaderParser parser(text_of(start.subspan(0, end)), begin, name,
                           header.version == 3 ? npy::Encoding::utf8 : npy::Encoding::latin1);
  parser.header(header);
  return header;
}

std::uint64_t npy_element_bytes(std::string_view type) {
  npy::HeaderParser parser(type, 0, "element type", npy::Encoding::utf8);
  const std::uint64_t bytes = parser.type();
  parser.expect_end();
  return bytes;
}

std::vector<NpyField> npy_fields(std::string_view type) {
  npy::HeaderParser parser(type, 0, "element type", npy::Encoding::utf8);
  parser.type();
  parser.expect_end();
  return parser.fields();
}

std::string npy_header_bytes(const NpyHeader& header, std::size_t alignment) {
  std::string shape = "(";
  for (const std::uint64_t side : header.shape) shape += fmt::format("{}, ", side);
  if (header.shape.size() > 1) shape.resize(shape.size() - 2);
  if (header.shape.size() == 1) shape.pop_back();
  shape += ")";
  std::string text =
      fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", header.type,
                  header.order == NpyHeader::Order::fortran ? "True" : "False", shape);
  unsigned version = header.version == 3 ? 3 : 1;
  if (version == 1 && text.size() + 10 + alignment > 65535) version = 2;
  const std::size_t fields = magic.size() + 2 + length_field_bytes(version);
  const std::size_t unpadded = fields + text.size() + 1;
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  text += '\n';
  std::string bytes(magic);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t i = 0, length = text.size(); i < length_field_bytes(version); ++i, length >>= 8U)
    bytes += static_cast<char>(length & 0xffU);
  return bytes + text;
}

}  // namespace faro::inline v1
