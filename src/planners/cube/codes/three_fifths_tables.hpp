// The tables of data/three_fifths_tables.json, read once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "planners/cube/codes/three_fifths_program.hpp"

namespace faro::inline v1::three_fifths {

struct CycleEvent {
  std::uint8_t source = 0;  // two top bits
  std::uint8_t layer = 0;
  std::uint8_t at = 0;  // top position
  char what = 's';      // '0', '1', '2': hop; 's': service
};

struct CycleTable {
  enum class Model { stage, delay } model = Model::stage;
  std::uint64_t elements = 0;  // K0
  std::uint64_t prologue = 0;
  std::uint64_t epilogue = 0;
  std::uint64_t period = 0;  // 3, or 0: K0 elements only
  std::vector<std::vector<CycleEvent>> cycles;
};

struct Tables {
  std::vector<UnitTable> three_bits;             // n = 3
  std::array<std::vector<UnitTable>, 3> longer;  // by (n-3) mod 3
  std::vector<std::vector<CycleTable>> cycles;   // by n-3
};

const Tables& tables();

}  // namespace faro::inline v1::three_fifths
