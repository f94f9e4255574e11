// Arithmetic of residues that grids and deals share.
#pragma once

#include <cstdint>
#include <utility>

namespace faro::inline v1 {

// x with a x = 1 modulo `modulus`. Requires that the two have no common divisor.
inline std::uint64_t inverse_modulo(std::uint64_t a, std::uint64_t modulus) {
  __extension__ typedef __int128 Signed;
  Signed old_r = a % modulus;
  Signed r = modulus;
  Signed old_s = 1;
  Signed s = 0;
  while (r != 0) {
    const Signed q = old_r / r;
    old_r = std::exchange(r, old_r - (q * r));
    old_s = std::exchange(s, old_s - (q * s));
  }
  return static_cast<std::uint64_t>(((old_s % Signed{modulus}) + Signed{modulus}) %
                                    Signed{modulus});
}

}  // namespace faro::inline v1
