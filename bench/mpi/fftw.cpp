// FFTW's distributed transpose: rows of tuples, in blocks of rows.
#include <fftw3-mpi.h>

#include <memory>

#include "peers.hpp"

namespace peers {

std::optional<Run> fftw(const Case& what, const Ranks& ranks, Arrays& arrays) {
  static const bool started = (fftw_mpi_init(), true);
  static_cast<void>(started);
  const int bits = ranks.rank_bits + ranks.local_bits;
  int rows = 0;  // log2
  int columns = 0;
  if (what.kind == Kind::transpose) {
    rows = what.rows_log2;
    columns = bits - rows;
  } else if (what.kind == Kind::exchange && what.bits == ranks.rank_bits &&
             what.low == ranks.local_bits - what.bits) {
    rows = columns = what.bits;  // a matrix of ranks, each entry what one rank has for another
  } else {
    return {};
  }
  if (rows < ranks.rank_bits || columns < ranks.rank_bits) return {};
  const auto tuple = static_cast<std::ptrdiff_t>(2) << (bits - rows - columns);
  const std::ptrdiff_t n0 = std::ptrdiff_t{1} << rows, n1 = std::ptrdiff_t{1} << columns;
  const fftw_plan made = fftw_mpi_plan_many_transpose(
      n0, n1, tuple, n0 / ranks.size, n1 / ranks.size,
      reinterpret_cast<double*>(arrays.from.data()), reinterpret_cast<double*>(arrays.to.data()),
      ranks.comm, FFTW_MEASURE);
  if (made == nullptr) return {};
  const auto plan = std::shared_ptr<fftw_plan_s>(made, fftw_destroy_plan);
  return [plan] { fftw_execute(plan.get()); };
}

}  // namespace peers
