// make_signal LOG2 FILE.npy: 2^LOG2 complex numbers of 8 bytes, a linear chirp, as NumPy's
// complex64.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "faro/files/array_file.hpp"

int main(int argc, char** argv) {
  const int log2 = argc == 3 ? std::atoi(argv[1]) : 0;
  if (log2 < 1 || log2 > 30) {
    std::fputs("usage: make_signal LOG2 FILE.npy   (LOG2 from 1 to 30)\n", stderr);
    return 2;
  }
  const std::uint64_t count = std::uint64_t{1} << log2;
  std::ofstream file(argv[2], std::ios::binary);
  const std::string header = faro::npy_header_bytes(faro::npy_header("<c8", {count}));
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  std::vector<std::complex<float>> block(std::size_t{1} << std::min(log2, 16));
  for (std::uint64_t start = 0; start < count; start += block.size()) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      const auto t = static_cast<double>(start + k) / static_cast<double>(count);
      // The amplitude is the index, so that no two elements are equal.
      const double phase = 1000 * t * t;
      block[k] = {static_cast<float>(t * std::cos(phase)), static_cast<float>(t * std::sin(phase))};
    }
    file.write(reinterpret_cast<const char*>(block.data()),
               static_cast<std::streamsize>(block.size() * sizeof(block[0])));
  }
  file.close();
  if (file) return 0;
  std::perror(argv[2]);
  return 3;
}
