#include "disk/crc32c.hpp"

#include <array>

namespace faro::inline v1::disk {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82f63b78U;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int i = 0; i < 8; ++i)
      value = (value >> 1U) ^ ((value & 1U) != 0 ? reflected_polynomial : 0U);
    table[byte] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> table = make_table();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  for (const std::byte b : bytes)
    value = (value >> 8U) ^ table[(value ^ std::to_integer<std::uint32_t>(b)) & 0xffU];
  return ~value;
}

std::uint32_t crc32c(std::string_view text) {
  return crc32c(std::as_bytes(std::span<const char>(text)));
}

}  // namespace faro::inline v1::disk
