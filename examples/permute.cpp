// Arrays in memory rearranged by maps in words, and a map made by hand.
#include <faro/faro.hpp>
#include <iostream>
#include <vector>
int main() {
  std::vector<float> from(1024), to(1024);
  for (int i = 0; i < 1024; ++i) from[i] = float(i);
  faro::permute("i:10 -> rev(i)", from, to);  // text, Map or BitMap; vectors, arrays, spans
  faro::permute_in_place("r:5 c:5 -> c r", to);
  const faro::BitMap swap = faro::BitMap::from_places({1, 0, 2, 3});
  std::cout << to[1] << ' ' << swap(1) << '\n';  // 16 2
}
