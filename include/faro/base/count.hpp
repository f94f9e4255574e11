// Exact counts. Costs of plans on 2^60 processors with 100 elements each do not fit 64 bits, so
// counts have 128; a sum or product that does not fit even there throws.
//
//   multiply_checked(Count{1} << 60, 100)     = 115292150460684697600
//   ceil_div(7, 2) = 4
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faro {

__extension__ typedef unsigned __int128 Count;

// Decimal, without separators.
std::string to_string(Count count);

// The number that the decimal digits say, nothing if they are none or it does not fit.
std::optional<Count> count_from(std::string_view digits);

// a + b and a * b, or Error(limit).
Count add_checked(Count a, Count b);
Count multiply_checked(Count a, Count b);

// a * b of sizes in memory, or Error(limit) naming `what`.
std::uint64_t size_product(std::uint64_t a, std::uint64_t b, std::string_view what);

constexpr Count ceil_div(Count a, Count b) {
  return (a + b - 1) / b;
}

}  // namespace faro
