#include "faro/algebra/classify.hpp"

#include <fmt/format.h>

namespace faro::inline v1 {

const char* name_of(MapClass map_class) {
  switch (map_class) {
    case MapClass::identity:
      return "identity";
    case MapClass::complement:
      return "complement";
    case MapClass::bit_permutation:
      return "bit-permutation";
    case MapClass::bpc:
      return "bpc";
    case MapClass::linear:
      return "linear";
    case MapClass::affine:
      return "affine";
  }
  return "affine";
}

MapClass classify(const BitMap& map) {
  const bool plain = map.complement() == 0;
  if (map.matrix() == BitMatrix::identity(map.width()))
    return plain ? MapClass::identity : MapClass::complement;
  if (bit_places(map)) return plain ? MapClass::bit_permutation : MapClass::bpc;
  return plain ? MapClass::linear : MapClass::affine;
}

std::optional<std::vector<int>> bit_places(const BitMap& map) {
  std::vector<int> place;
  for (int b = 0; b < map.width(); ++b) {
    if (!is_power_of_two(map.column(b))) return std::nullopt;
    place.push_back(log2_exact(map.column(b)));
  }
  return place;
}

std::vector<PositionCycle> position_cycles(const BitMap& map) {
  std::vector<PositionCycle> cycles;
  const auto place = bit_places(map);
  if (!place) return cycles;
  Word done = 0;
  for (int start = map.width() - 1; start >= 0; --start) {
    if (has_bit(done, start)) continue;
    PositionCycle cycle;
    for (int b = start; !has_bit(done, b); b = (*place)[static_cast<std::size_t>(b)]) {
      done |= bit(b);
      cycle.bits.push_back(b);
      cycle.inverted.push_back(has_bit(map.complement(), (*place)[static_cast<std::size_t>(b)]));
    }
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

std::string to_string(const std::vector<PositionCycle>& cycles) {
  std::string text;
  for (const PositionCycle& cycle : cycles) {
    text += '(';
    for (std::size_t k = 0; k < cycle.bits.size(); ++k)
      text += fmt::format("{}{}{}", k == 0 ? "" : " ", cycle.bits[k], cycle.inverted[k] ? "~" : "");
    text += ')';
  }
  return text;
}

Count fixed_points(const BitMap& map) {
  BitMatrix difference = map.matrix();
  for (int i = 0; i < map.width(); ++i) difference.set_column(i, map.column(i) ^ bit(i));
  if (!difference.solve(map.complement())) return 0;
  return Count{1} << (map.width() - difference.rank());
}

Count moved_elements(const BitMap& map) {
  return (Count{1} << map.width()) - fixed_points(map);
}

}  // namespace faro::inline v1
