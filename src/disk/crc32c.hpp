// CRC-32C (Castagnoli), as iSCSI, ext4 and Zarr compute it: crc32c("123456789") = 0xe3069283.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace faro::inline v1::disk {

// Of `bytes` after what gave `before`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);
std::uint32_t crc32c(std::string_view text);

}  // namespace faro::inline v1::disk
