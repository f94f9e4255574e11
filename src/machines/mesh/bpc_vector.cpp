// A map is a vector if every column has one bit; the text lists the highest bit first.
#include "machines/mesh/bpc_vector.hpp"

namespace faro::inline v1 {

std::optional<BpcVector> BpcVector::from(const BitMap& map) {
  BpcVector result;
  for (int i = 0; i < map.width(); ++i) {
    if (!is_power_of_two(map.column(i))) return {};
    const int to = log2_exact(map.column(i));
    result.target.push_back(to);
    result.inverted.push_back(has_bit(map.complement(), to));
  }
  return result;
}

BitMap BpcVector::map() const {
  Word complement = 0;
  for (int i = 0; i < bits(); ++i)
    if (negative(i)) complement |= bit(to(i));
  return BitMap::from_places(target, complement);
}

std::string BpcVector::text() const {
  std::string text = "[";
  for (int i = bits() - 1; i >= 0; --i)
    text += (negative(i) ? "-" : "") + std::to_string(to(i)) + (i > 0 ? ", " : "");
  return text + "]";
}

}  // namespace faro::inline v1
