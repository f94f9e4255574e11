// Systems that move arrays between MPI ranks, asked for the same maps as faro.
//
// A case is a map of complex numbers, 2^m on each of 2^p ranks, and what peers need to know of it:
// rank bits change places with as many address bits, or a matrix is transposed, an array dealt out
// in turn among them. A peer answers with what it runs, or with nothing where its
// interface cannot say the map. It reads `from` and writes `to`.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace peers {

using Number = std::complex<double>;
using faro::BitMap;
using faro::Word;

enum class Kind {
  exchange,   // `bits` of the rank, its highest, with as many address bits from `low` up
  transpose,  // rows of 2^rows_log2, row by row, become columns
  other,
};

struct Case {
  std::string name;
  BitMap map;
  Kind kind = Kind::other;
  int bits = 0;
  int low = 0;
  int rows_log2 = 0;
};

struct Ranks {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;
  int rank_bits = 0;
  int local_bits = 0;
};

// Arrays begin on cache lines, as FFTW's own do; some peers and the engine are faster then.
template <class T>
struct OnLines {
  using value_type = T;
  OnLines() = default;
  template <class U>
  explicit OnLines(const OnLines<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  friend bool operator==(const OnLines&, const OnLines&) { return true; }
};
struct Arrays {
  std::vector<Number, OnLines<Number>> from, to;
};

// Bytes that this rank has sent to others since the last call, counted by standing in for MPI's
// functions.
std::uint64_t take_sent_bytes();

// Plans are made when asked, before anything is timed; the arrays may be overwritten then.
using Run = std::function<void()>;
using Peer = std::function<std::optional<Run>(const Case&, const Ranks&, Arrays&)>;

struct Named {
  std::string name;
  Peer peer;
};
// Those that this program was built with.
std::vector<Named> all();

std::optional<Run> chain(const Case& what, const Ranks& ranks, Arrays& arrays);
#ifdef FARO_HAVE_FFTW_MPI
std::optional<Run> fftw(const Case& what, const Ranks& ranks, Arrays& arrays);
#endif
#ifdef FARO_HAVE_COSTA
std::optional<Run> costa(const Case& what, const Ranks& ranks, Arrays& arrays);
#endif
#ifdef FARO_HAVE_SCALAPACK
std::optional<Run> scalapack(const Case& what, const Ranks& ranks, Arrays& arrays);
#endif

}  // namespace peers
