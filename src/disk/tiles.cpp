#include "disk/tiles.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace faro::inline v1::disk {

TileSpace::TileSpace(int width, const std::vector<Word>& vectors)
    : basis_(reduced_basis(vectors)), width_(width) {
  std::reverse(basis_.begin(), basis_.end());
  for (const Word v : basis_) leading_ |= bit(highest_bit(v));
}

Word TileSpace::member(Word k) const {
  Word x = 0;
  for (; k != 0; k &= k - 1) x ^= basis_[static_cast<std::size_t>(lowest_bit(k))];
  return x;
}

Word TileSpace::position(Word x) const {
  Word k = 0;
  int n = 0;
  for (Word rest = leading_; rest != 0; rest &= rest - 1, ++n)
    if (has_bit(x, lowest_bit(rest))) k |= bit(n);
  return k;
}

Word TileSpace::coset(Word i) const {
  Word x = 0;
  int n = 0;
  for (Word rest = low_mask(width_) & ~leading_; rest != 0; rest &= rest - 1, ++n)
    if (has_bit(i, n)) x |= bit(lowest_bit(rest));
  return x;
}

Word TileSpace::index(Word x) const {
  x ^= member(position(x));
  Word i = 0;
  int n = 0;
  for (Word rest = low_mask(width_) & ~leading_; rest != 0; rest &= rest - 1, ++n)
    if (has_bit(x, lowest_bit(rest))) i |= bit(n);
  return i;
}

PassTiles::PassTiles(const DiskPass& pass, const TiledArray& array)
    : map_(pass.map), array_(array) {
  const int width = map_.width();
  std::vector<Word> image = pass.tile;
  for (Word& v : image) v = map_.matrix().apply(v);
  reads_ = side(TileSpace(width, pass.tile), pass.read_log2, array.read_piece_bytes);
  writes_ = side(TileSpace(width, image), pass.write_log2, array.write_piece_bytes);
  const int dimension = reads_.space.dimension();
  whole_ = dimension == width;
  FARO_CHECK(whole_ || array_.group == 1);
  array_bytes_ = (Count{1} << static_cast<unsigned>(width)) * array_.unit_bytes;
  if (whole_) {
    tile_bytes_ = static_cast<std::uint64_t>(array_bytes_) * array_.group;
    tiles_ = ceil_div(array_.outer, array_.group);
    reads_.run_bytes = writes_.run_bytes = tile_bytes_;
    return;
  }
  tile_bytes_ = array_.unit_bytes << static_cast<unsigned>(dimension);
  tiles_ = (Count{1} << static_cast<unsigned>(width - dimension)) * array_.outer;
  reads_.run_bytes = array_.unit_bytes << static_cast<unsigned>(reads_.run_log2);
  writes_.run_bytes = array_.unit_bytes << static_cast<unsigned>(writes_.run_log2);
  std::vector<Word> columns;
  for (int k = 0; k < dimension; ++k)
    columns.push_back(writes_.space.position(map_.matrix().apply(reads_.space.vector(k))));
  local_ = BitMap::from_columns(columns);
}

PassTiles::Side PassTiles::side(TileSpace space, int run_log2, std::uint64_t piece_bytes) const {
  Side side{.space = std::move(space), .run_log2 = run_log2};
  // As many pieces as a request may have, at least one.
  side.request_bytes = std::max<std::uint64_t>(request_bytes_max / piece_bytes, 1) * piece_bytes;
  // Encoding takes memory beside, so that no more are at work than there are long requests.
  if (piece_bytes > 1) side.busy_bytes_min = request_bytes_max;
  return side;
}

TilePlace PassTiles::place(std::uint64_t index) const {
  TilePlace place;
  place.index = index;
  const auto array_bytes = static_cast<std::uint64_t>(array_bytes_);
  if (whole_) {
    const std::uint64_t first = index * array_.group;
    place.array_offset = first * array_bytes;
    place.bytes = std::min(array_.group, array_.outer - first) * array_bytes;
    return place;
  }
  const int above = map_.width() - reads_.space.dimension();
  place.array_offset = (index >> static_cast<unsigned>(above)) * array_bytes;
  place.from = reads_.space.coset(index & low_mask(above));
  const Word image = map_(place.from);
  place.delta = writes_.space.position(image);
  place.to = image ^ writes_.space.member(place.delta);
  place.bytes = tile_bytes_;
  return place;
}

PermutePlan PassTiles::permuting(const TilePlace& tile, std::uint64_t alike,
                                 const PermuteOptions& options) const {
  const std::uint64_t arrays = whole_ ? tile.bytes / static_cast<std::uint64_t>(array_bytes_) : 1;
  return PermutePlan::out_of_place(
      whole_ ? map_ : BitMap::from_matrix(local_.matrix(), tile.delta),
      {.element_bytes = array_.unit_bytes, .outer = arrays * alike, .inner = 1}, options);
}

Map PassTiles::successors() const {
  if (whole_) return {};
  const int above = map_.width() - reads_.space.dimension();
  std::vector<Word> columns;
  for (int i = 0; i < above; ++i)
    columns.push_back(reads_.space.index(map_.matrix().apply(reads_.space.coset(bit(i)))));
  return BitMap::from_columns(columns, reads_.space.index(map_.complement()));
}

PassTiles::Neighbours PassTiles::neighbours(const TilePlace& tile, std::uint64_t j) const {
  const std::uint64_t array = tile.array_offset / static_cast<std::uint64_t>(array_bytes_);
  if (whole_) return {.first = 0, .places_before = (array + j) * bit(map_.width())};
  return {.first = tile.from ^ reads_.space.member(j << static_cast<unsigned>(reads_.run_log2)),
          .places_before = array * bit(map_.width())};
}

Count PassTiles::requests(const Side& side) const {
  const Count pieces = ceil_div(side.run_bytes, side.request_bytes);
  if (!whole_) return (tiles_ * (tile_bytes_ / side.run_bytes)) * pieces;
  const Count last =
      (array_.outer - static_cast<std::uint64_t>(tiles_ - 1) * array_.group) * array_bytes_;
  return (tiles_ - 1) * pieces + ceil_div(last, side.request_bytes);
}

Pieces PassTiles::requests_of(const TilePlace& tile, const Side& side) const {
  const std::uint64_t run = std::min(side.run_bytes, tile.bytes);
  return {.count = tile.bytes / run * static_cast<std::uint64_t>(ceil_div(run, side.request_bytes)),
          .bytes = std::max(std::min(run, side.request_bytes), side.busy_bytes_min)};
}

Request PassTiles::request(const TilePlace& tile, const Side& side, Word base,
                           std::uint64_t i) const {
  const std::uint64_t run_bytes = std::min(side.run_bytes, tile.bytes);
  const auto pieces = static_cast<std::uint64_t>(ceil_div(run_bytes, side.request_bytes));
  const std::uint64_t run = i / pieces;
  const std::uint64_t within = i % pieces * side.request_bytes;
  const Word address =
      whole_ ? 0 : base ^ side.space.member(run << static_cast<unsigned>(side.run_log2));
  return {.file_offset = tile.array_offset + (address * array_.unit_bytes) + within,
          .buffer_offset = (run * run_bytes) + within,
          .bytes = std::min(side.request_bytes, run_bytes - within)};
}

}  // namespace faro::inline v1::disk
