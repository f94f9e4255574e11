// SHA-256 (FIPS 180-4), of texts that are short: sha256("abc") = ba7816bf 8f01cfea ...
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace faro::inline v1 {

std::array<std::uint8_t, 32> sha256(std::string_view text);
// The first `digits` of its 64 hexadecimal digits.
std::string sha256_text(std::string_view text, std::size_t digits = 64);

}  // namespace faro::inline v1
