// The kernels of every instruction set behind two function pointers: chosen once per plan, called
// once per part of an execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../strided_plan.hpp"
#include "../tile_plan.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

// How an instruction set moves lanes, and so what its tables hold.
enum class LaneMoves {
  two_tables,  // any lane of two registers to any lane: PRE and POST ride on the exchange stages
  exchanges,   // fixed exchanges between two registers; PRE and POST are shuffles of one
};

// Index vectors, one after another, 64-byte aligned (`base` says where they begin).
//   two_tables: first[register] (m >= 2), last[low or high][shift]
//   exchanges:  pre[register], post[shift]
struct LaneTables {
  std::vector<std::uint8_t> bytes;
  std::size_t base = 0;
  std::size_t first = 0;  // or pre
  std::size_t last = 0;   // or post
  bool has_pre = true;
  bool has_post = true;

  LaneTables() = default;
  LaneTables(const LaneTables&) = delete;  // `base` belongs to the address
  LaneTables& operator=(const LaneTables&) = delete;
  LaneTables(LaneTables&&) = default;
  LaneTables& operator=(LaneTables&&) = default;
  const std::uint8_t* at(std::size_t offset) const { return bytes.data() + base + offset; }
};

LaneTables two_table_lanes(const LaneNetwork& network, int unit_log2);
// `shifts`: some tile or kernel shifts lanes, so POST must stay even where it is the identity.
enum class Shifts { none, some };
LaneTables exchange_lanes(const LaneNetwork& network, int unit_log2, Shifts shifts);

// A pass ready to run.
struct TilePass {
  TilePlan plan;
  LaneTables tables;
};

// Tiles begin..end-1 from `from` to `to`. `working` is this thread's own, 64-byte aligned.
using RunTiles = void (*)(const TilePass& pass, const std::byte* from, std::byte* to, Word begin,
                          Word end, std::byte* working);
// Blocks begin..end-1 of an involution in place: each with its partner, once.
using RunPairs = void (*)(const TilePass& pass, std::byte* data, Word begin, Word end,
                          std::byte* working);

struct KernelSet {
  Simd simd;
  const char* name;
  int vector_log2;  // bytes
  LaneMoves moves;
  RunTiles run_tiles;
  RunPairs run_pairs;
  RunPanel run_panel;
  bool joins_lines;  // what carry needs: any bytes of two vectors to one
  bool weaves;       // what split and zip need: any bytes of 16
};

// The set asked for. Throws Error(impossible) if this CPU cannot run it.
const KernelSet& kernel_set(Simd simd);
// Every set that this CPU runs, the scalar twin first.
std::vector<const KernelSet*> kernel_sets();

extern const KernelSet scalar_kernels;

}  // namespace faro::inline v1::engine
