#include <cstdio>
#include <faro/algebra/notation.hpp>
#include <faro/engine/permute.hpp>
#include <numeric>
#include <vector>

int main() {
  const auto transpose = faro::parse_notation("r:3 c:2 -> c r").map;  // 8 rows of 4, to 4 of 8
  std::vector<int> from(32), to(32);
  std::iota(from.begin(), from.end(), 0);
  faro::permute<int>(transpose, from, to);  // to[transpose(i)] = from[i]
  std::printf("row 0 was 0 1 2 3, column 0 is now row 0: %d %d %d ...\n", to[0], to[1], to[2]);
}
