// The discrete Fourier transform of a vector too long for one rank: two sets of local transforms
// and one exchange between them, checked against FFTW's transform of the whole.
//
//   mpirun -n 4 fft [BITS]           2^BITS complex numbers
//
// Element j lies on rank j mod P at address j div P, and so do the results ("cyclic"). In bits, for
// j = (j1 j2 r), r the rank, and k = (k2 k1), k1 as many as j1, its low ones the new rank:
//
//   sum over j1             local, at stride 2^bits(j2)                 (j1 j2) -> (k1 j2)
//   times w^((j2 r) k1)
//   exchange                'r | k1 j2 -> low of k1 | j2 r high of k1'  and so (j2 r) is local
//   sum over (j2 r)         local, at stride 2^bits(high of k1)         -> (k2, high of k1)
//
// and (k2, high of k1) is k div P.
//
// The exchange transposes as it goes: no pass over the data but its own packing and unpacking.
#include <fftw3.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <faro/mpi/mpi_plan.hpp>
#include <faro/words/say.hpp>
#include <numbers>
#include <string>
#include <vector>

using faro::Word;
using Number = std::complex<double>;

// Transforms of 2^bits numbers at stride 2^stride_bits, beginning at 0, 1, .. below the stride.
void transform(std::vector<Number>& data, int bits, int stride_bits) {
  const int length = 1 << bits;
  const int stride = 1 << stride_bits;
  auto* values = reinterpret_cast<fftw_complex*>(data.data());
  const fftw_plan plan = fftw_plan_many_dft(1, &length, stride, values, nullptr, stride, 1, values,
                                            nullptr, stride, 1, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

void distributed_fft(MPI_Comm comm, std::vector<Number>& data, int bits, int rank_bits, Word rank) {
  const int first = bits / 2;       // of j1 and k1
  const int second = bits - first;  // of (j2 r) and k2
  const int j2 = second - rank_bits;
  transform(data, first, j2);
  const double turn = -2 * std::numbers::pi / std::ldexp(1.0, bits);
  for (Word at = 0; at < data.size(); ++at) {
    const Word k1 = at >> j2;
    const Word j = (at & faro::low_mask(j2)) << rank_bits | rank;
    data[at] *= std::polar(1.0, turn * static_cast<double>(j * k1));
  }
  // Fields of no bits have no name.
  const auto field = [](const char* name, int width) {
    return width == 0 ? std::string() : std::string(" ") + name + ":" + std::to_string(width);
  };
  const auto named = [](const char* name, int width) { return width == 0 ? "" : name; };
  const int high = first - rank_bits;
  const std::string text = field("r", rank_bits) + field("h", high) + field("l", rank_bits) +
                           field("j", j2) + " -> " + named("l ", rank_bits) + named("j ", j2) +
                           named("r ", rank_bits) + named("h", high);
  const faro::BitMap map = faro::say(text).map.as_bits();
  std::vector<Number> moved(data.size());
  faro::permute<Number>(comm, map, data, moved);
  data.swap(moved);
  transform(data, second, high);
}

Number input(Word j) {
  const auto x = static_cast<double>(j);
  return {std::sin(0.3 * x) + 0.5 * std::cos(0.01 * x * x), std::sin(1.7 * x)};
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto ranks = static_cast<Word>(size);
  const auto here = static_cast<Word>(rank);
  const int rank_bits = faro::log2_exact(ranks);
  const int bits = argc > 1 ? std::atoi(argv[1]) : 16;
  if (!faro::is_power_of_two(ranks) || bits < 2 * rank_bits || bits > 26) {
    if (rank == 0) std::fprintf(stderr, "fft: 2^p ranks and 2p to 26 bits are needed\n");
    MPI_Finalize();
    return 2;
  }
  std::vector<Number> data(faro::bit(bits - rank_bits));
  for (Word at = 0; at < data.size(); ++at) data[at] = input(at * ranks + here);
  distributed_fft(MPI_COMM_WORLD, data, bits, rank_bits, here);

  std::vector<Number> whole(faro::bit(bits));
  for (Word j = 0; j < whole.size(); ++j) whole[j] = input(j);
  transform(whole, bits, 0);
  double error = 0;
  double largest = 0;
  for (Word at = 0; at < data.size(); ++at) {
    error = std::max(error, std::abs(data[at] - whole[at * ranks + here]));
    largest = std::max(largest, std::abs(whole[at * ranks + here]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("2^%d numbers on %d ranks: largest error %.1e of %.1e\n", bits, size, error,
                largest);
  MPI_Finalize();
  return error <= 1e-14 * largest ? 0 : 1;
}
