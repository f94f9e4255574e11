#include "gpu/pairs.hpp"

namespace faro::inline v1::gpu {

PairVectors pair_up(const BitMap& map, const Words& tile, const Words& outer) {
  PairVectors out;
  if (outer.empty()) return out;
  const int inside = static_cast<int>(tile.size());
  const auto move_of = [&](Word z) { return z ^ map.matrix().apply(z); };
  Frame moves(tile);  // the tile, then w
  for (const Word z : outer)
    if (moves.insert(move_of(z))) {
      out.moving.push_back(z);
      out.moves.push_back(move_of(z));
    }
  // All others, corrected so that they stay.
  Frame all(joined(joined(tile, out.moves), out.moving));
  out.staying = out.moves;
  for (const Word z : outer) {
    const Word made_of = moves.coordinates(move_of(z)) >> inside;
    const Word stays = z ^ sum_of(out.moving, made_of);
    if (all.insert(stays)) out.staying.push_back(stays);
  }
  FARO_CHECK(all.dimension() == map.width());
  const Word complement = map.complement();
  if (moves.contains(complement)) {
    out.start = sum_of(out.moving, moves.coordinates(complement) >> inside);
    out.pair = out.staying.at(0);
    return out;
  }
  const std::size_t count = out.staying.size();
  Words others = extend(joined(tile, Words{complement}), out.staying);
  FARO_CHECK(others.size() >= count - 1);
  others.resize(count - 1);
  others.insert(others.begin(), complement);
  out.staying = std::move(others);
  out.shift = complement;
  out.shifted = true;
  return out;
}

}  // namespace faro::inline v1::gpu
