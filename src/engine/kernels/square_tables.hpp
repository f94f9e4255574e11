// Index vectors of 64 bytes for what goes with the transposes of squares. A lane's
// number is its first byte, as tables.cpp writes them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faro::inline v1::engine {

struct alignas(64) Indices {
  std::uint8_t bytes[64] = {};

  // Lane `lane` of 2^unit_log2 bytes takes number `from`; those of the second vector go on.
  constexpr void put(std::size_t lane, std::size_t from, int unit_log2) {
    bytes[lane << unit_log2] = static_cast<std::uint8_t>(from);
  }
};

// Number a takes one vector of elements from number a of two.
template <int UnitLog2, int ElementLog2>
struct ShiftTables {
  static constexpr std::size_t elements = std::size_t{64} >> ElementLog2;
  Indices shift[elements];

  constexpr ShiftTables() : shift{} {
    constexpr std::size_t lanes = std::size_t{64} >> UnitLog2;
    for (std::size_t p = 0; p < lanes; ++p) {
      for (std::size_t a = 0; a < elements; ++a) {
        shift[a].put(p, p + (a << (ElementLog2 - UnitLog2)), UnitLog2);
      }
    }
  }
};
template <int UnitLog2, int ElementLog2>
inline constexpr ShiftTables<UnitLog2, ElementLog2> shift_tables{};

// Elements of E bytes in lanes of P, and closed up again.
template <std::size_t E, std::size_t P>
struct SpreadTables {
  Indices open;
  Indices close;

  constexpr SpreadTables() {
    for (std::size_t b = 0; b < 64; ++b) {
      open.put(b, b % P < E ? b / P * E + b % P : 0, 0);
      close.put(b, b < 64 / P * E ? b / E * P + b % E : 0, 0);
    }
  }
};
template <std::size_t E, std::size_t P>
inline constexpr SpreadTables<E, P> spread_tables{};

template <int UnitLog2>
struct Reversal : Indices {
  constexpr Reversal() {
    constexpr std::size_t lanes = std::size_t{64} >> UnitLog2;
    for (std::size_t p = 0; p < lanes; ++p) put(p, lanes - 1 - p, UnitLog2);
  }
};
template <int UnitLog2>
inline constexpr Reversal<UnitLog2> reversal{};

}  // namespace faro::inline v1::engine
