// apply_bench: nanoseconds an index for map(first), map(first + 1), ..., by apply_consecutive and
// by the plain loop over the columns, for 2^26 indices; medians of seven rounds, taken in turn.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/random.hpp"
#include "faro/words/say.hpp"

namespace {

using faro::BitMap;
using faro::Word;

constexpr int width = 26;
constexpr int rounds = 7;

template <class Work>
double nanoseconds_an_index(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  return time.count() / static_cast<double>(faro::bit(width));
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
  return values[rounds / 2];
}

BitMap random_map() {
  faro::Random random(1);
  for (;;) {
    faro::BitMatrix m(width, width);
    for (int c = 0; c < width; ++c) m.set_column(c, random.next() & faro::low_mask(width));
    if (m.rank() == width) return BitMap::from_matrix(m, random.next() & faro::low_mask(width));
  }
}

void compare(const char* name, const BitMap& map, std::vector<Word>& out) {
  std::vector<double> consecutive;
  std::vector<double> plain;
  for (int round = 0; round < rounds; ++round) {
    consecutive.push_back(nanoseconds_an_index([&] { faro::apply_consecutive(map, 0, out); }));
    plain.push_back(nanoseconds_an_index([&] {
      for (Word i = 0; i < out.size(); ++i) out[i] = map(i);
    }));
  }
  fmt::print("{:<16} {:>8.2f} {:>12.2f}\n", name, median(consecutive), median(plain));
}

}  // namespace

int main() {
  std::vector<Word> out(faro::bit(width));
  fmt::print("ns an index      together  one by one\n");
  compare("bit reversal", faro::say("i:26 -> rev(i)").map.as_bits(), out);
  compare("ungray", faro::say("i:26 -> ungray(i)").map.as_bits(), out);
  compare("random affine", random_map(), out);
}
