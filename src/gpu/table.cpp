#include "gpu/table.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/require.hpp"
#include "gpu/frame.hpp"

namespace faro::inline v1::gpu {
namespace {

// A place of blocks: what is left of it in shared memory is where the element is written from.
Column column_of(const Place& place) {
  return {place.from, place.to, 0, static_cast<u32>(place.shared)};
}

template <std::size_t size>
void put(Column (&columns)[size], const std::vector<Place>& places, std::size_t first = 0) {
  FARO_CHECK(first + places.size() <= size);
  std::transform(places.begin(), places.end(), columns + first, column_of);
}

}  // namespace

Plan table_plan(const Plan& plan) {
  require(plan.kind != Kind::window, "axes of any length and strides have no table of columns");
  Options options = plan.asked;
  options.kind = Kind::odd;
  options.tile_log2 = 14;
  return gpu::plan(plan.map_asked, options, machine("any"));
}

Table table_of(const Plan& plan) {
  FARO_CHECK(plan.kind == Kind::odd && plan.shared_bytes() <= machine("any").shared_bytes);
  Table out{};
  const Words from = joined(plan.from.threads, plan.from.steps);
  const Words to = joined(plan.to.threads, plan.to.steps);
  FARO_CHECK(from.size() <= 14 && to.size() == from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    out.tile[i] = {from[i], to[i], static_cast<u32>(plan.from.shared[i]),
                   static_cast<u32>(plan.to.shared[i])};
  out.start = column_of(plan.start);
  const Pairs& pairs = plan.pairs;
  const bool two = plan.tiles_a_block() == 2;
  put(out.moving, pairs.moving);
  put(out.moves, pairs.moves);
  // A block's number leaves out one of those that stay: without pairs one that is nothing.
  two ? put(out.staying, pairs.staying) : put(out.staying, plan.blocks, 1);
  out.shift = column_of(pairs.shift);
  out.pair = column_of(pairs.pair);
  out.moving_count = static_cast<u32>(pairs.moving.size());
  out.shifted = !two || pairs.shifted ? 1 : 0;
  out.bits = static_cast<u32>(from.size());
  out.tiles = two ? 2 : 1;
  out.units = static_cast<u32>(plan.units);
  out.tile_units = out.units << out.bits;
  return out;
}

std::string table_kernel_name(const Plan& plan) {
  return "faro_table_" + std::to_string(bit(plan.unit_log2));
}

}  // namespace faro::inline v1::gpu
