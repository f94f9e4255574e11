// A sum over all units of a number made from a unit's bytes and its place in the output: whoever
// reads the units in another order gets the same sum if and only if (but for chance 2^-64) the same
// bytes stand at the same places.
#pragma once

#include <cstdint>
#include <span>

#include "disk/digit_tiles.hpp"
#include "disk/tiles.hpp"

namespace faro::inline v1::disk {

// Of a tile that was read by the first pass: unit x of array a is to end at place a * 2^p +
// goal(x).
std::uint64_t fingerprint_of_tile(const PassTiles& pass, const TilePlace& tile, const BitMap& goal,
                                  std::uint64_t unit_bytes, std::span<const std::byte> bytes);

// The same for an array whose axes have any length, of which the units are the elements.
std::uint64_t fingerprint_of_tile(const DigitTiles& pass, const TilePlace& tile, const Map& goal,
                                  std::uint64_t element_bytes, std::span<const std::byte> bytes);

// And for one in place, tile by tile of UnitTiles.
std::uint64_t fingerprint_of_tile(const TilePlace& unit, const Map& goal,
                                  std::uint64_t element_bytes, std::span<const std::byte> bytes);

// Of units that stand at the places first, first + 1, ...
std::uint64_t fingerprint_of_places(std::uint64_t first, std::uint64_t unit_bytes,
                                    std::span<const std::byte> bytes);

}  // namespace faro::inline v1::disk
