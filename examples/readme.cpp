#include <cstdio>
#include <faro/faro.hpp>
#include <numeric>
#include <vector>

int main() {
  std::vector<int> from(32), to(32);
  std::iota(from.begin(), from.end(), 0);
  faro::permute("r:3 c:2 -> c r", from, to);  // 8 rows of 4, transposed: to[map(i)] = from[i]
  std::printf("row 0 was 0 1 2 3, column 0 is now row 0: %d %d %d ...\n", to[0], to[1], to[2]);
}
