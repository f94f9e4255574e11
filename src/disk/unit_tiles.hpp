// In place, an array whose axes have any length: units that change places.
//
//   r=721 c=1440 -> ~r c     units are rows, and the last goes where the first was
//   r=721 c=1440 -> r ~c     a row stays where it is and is turned within
//
// A unit is some elements in a row, before and after: unit u goes to among(u), and its element x to
// within(x). Not every map has units of more than one element: a transpose of 721 x 1440 has none.
#pragma once

#include <optional>
#include <string>

#include "disk/tiles.hpp"
#include "faro/algebra/map.hpp"

namespace faro::inline v1::disk {

struct TileUnits {
  Map among;
  Map within;
};

// The largest units of at most so many elements, which are some hundred candidates.
TileUnits largest_units(const Map& map, std::uint64_t elements_max);

// What is wrong with them, or nothing: together they are the map.
std::optional<std::string> wrong_units(const TileUnits& units, const Map& map);

class UnitTiles final : public FileTiles {
 public:
  UnitTiles(const TileUnits& units, std::uint64_t element_bytes);

  Count tiles() const override { return units_.among.elements(); }
  std::uint64_t tile_bytes() const override { return tile_bytes_; }
  TilePlace place(std::uint64_t index) const override;
  Pieces reads_of(const TilePlace& tile) const override;
  Pieces writes_of(const TilePlace& tile) const override { return reads_of(tile); }
  Request read(const TilePlace& tile, std::uint64_t i) const override;
  Request write(const TilePlace& tile, std::uint64_t i) const override;
  PermutePlan permuting(const TilePlace& tile, std::uint64_t alike,
                        const PermuteOptions& options) const override;
  Map successors() const override { return units_.among; }

 private:
  TileUnits units_;
  std::uint64_t element_bytes_;
  std::uint64_t tile_bytes_;
};

}  // namespace faro::inline v1::disk
