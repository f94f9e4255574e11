// The binary-reflected Gray code as a map of bits.
#include "faro/algebra/classify.hpp"

namespace faro::inline v1 {

BitMap gray_map(int width) {
  BitMatrix m(width, width);
  for (int i = 0; i < width; ++i) m.set_column(i, gray(bit(i)));
  return BitMap::from_matrix(m);
}

BitMap ungray_map(int width) {
  return gray_map(width).inverse();
}

}  // namespace faro::inline v1
