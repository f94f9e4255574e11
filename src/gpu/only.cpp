#include "gpu/only.hpp"

#include "base/require.hpp"
#include "gpu/frame.hpp"

namespace faro::inline v1::gpu {
namespace {

// Bit j of the free index is bit free[j] of the index.
Words free_bits(int width, Word mask) {
  Words out;
  for (int i = 0; i < width; ++i)
    if (!has_bit(mask, i)) out.push_back(bit(i));
  return out;
}

Word gathered(const Words& free, Word x) {
  Word out = 0;
  for (std::size_t j = 0; j < free.size(); ++j)
    if ((x & free[j]) != 0) out |= bit(static_cast<int>(j));
  return out;
}

}  // namespace

BitMap restricted(const BitMap& map, const Only& only) {
  require((only.mask & ~low_mask(map.width())) == 0,
          "only where the bits 0x{:x} have a value: the index has {} bits", only.mask, map.width());
  require((only.value & ~only.mask) == 0,
          "only where the bits 0x{:x} are 0x{:x}: the value has bits that are not asked for",
          only.mask, only.value);
  const Words free = free_bits(map.width(), only.mask);
  Words columns;
  Word leaves = map(only.value) ^ only.value;
  for (const Word f : free) {
    const Word image = map.matrix().apply(f);
    leaves |= image;
    columns.push_back(gathered(free, image));
  }
  require((leaves & only.mask) == 0,
          "the map takes elements whose index bits 0x{:x} are 0x{:x} to others; it must move them "
          "among themselves",
          only.mask, only.value);
  return BitMap::from_columns(columns, gathered(free, map(only.value)));
}

void spread(Plan& plan, const BitMap& map) {
  const Only& only = plan.asked.only;
  const Words free = free_bits(map.width(), only.mask);
  const auto all = [&](Words& vectors) {
    for (Word& v : vectors) v = sum_of(free, v);
  };
  const auto one = [&](Place& place) {
    place.from = sum_of(free, place.from);
    place.to = sum_of(free, place.to);
  };
  for (Words* vectors :
       {&plan.tile, &plan.from.threads, &plan.from.steps, &plan.to.threads, &plan.to.steps})
    all(*vectors);
  for (std::vector<Place>* places :
       {&plan.blocks, &plan.pairs.moving, &plan.pairs.moves, &plan.pairs.staying})
    for (Place& place : *places) one(place);
  for (Place* place : {&plan.start, &plan.pairs.shift, &plan.pairs.pair}) one(*place);
  plan.start.from ^= only.value;
  plan.start.to ^= only.value;
  plan.map = map;
}

}  // namespace faro::inline v1::gpu
