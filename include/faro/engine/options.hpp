// What a caller may ask of the engine. Every default is the right one for most callers.
#pragma once

#include <cstdint>
#include <vector>

namespace faro::inline v1 {

// The machine instructions of the kernels. `automatic` takes the best the CPU has; the others are
// for tests and comparisons, and are refused with Error(impossible) where the CPU lacks them.
enum class Simd { automatic, scalar, sse4, avx2, avx512, neon };

// Streaming (non-temporal) stores pass the cache by: right when the data does not fit it.
enum class Stores { automatic, ordinary, streaming };

struct PermuteOptions {
  // 0 asks for as many as OMP_NUM_THREADS says, or else as the process may run at once (affinity,
  // the container's quota). A thread for every 512 KiB of data and for every such core at most is
  // used, whatever is asked; the bytes written do not depend on the count.
  int threads = 1;
  Simd simd = Simd::automatic;
  Stores stores = Stores::automatic;
  // In place, arrays of any length: also what has to be moved unit by unit along its cycles.
  bool slow_in_place = false;
};

// What one call moves. The map acts on the middle axis of an array of shape
//
//   outer x 2^p x inner        (row-major, elements of element_bytes)
//
// so outer = 1, inner = 1 is the plain array, and transposing axis 1 of a 5 x 1024 x 3 array of
// doubles has outer = 5, p = 10, inner = 3, element_bytes = 8.
struct PermuteShape {
  std::uint64_t element_bytes = 1;
  std::uint64_t outer = 1;
  std::uint64_t inner = 1;
};

// Where the elements of an array are in its buffer: element (i, j, ..) begins
//
//   offset + i * strides[0] + j * strides[1] + ..        bytes from the beginning.
//
// Strides may be negative, and at a source 0; those of a destination must keep the elements apart,
// each axis beyond all that is within the axes of smaller strides.
struct ArrayPlaces {
  std::vector<std::uint64_t> shape;   // empty: one axis of all elements
  std::vector<std::int64_t> strides;  // empty: C order without gaps
  std::uint64_t offset = 0;
};

// What one call of a tensor map moves.
struct TensorShape {
  std::uint64_t element_bytes = 1;
  ArrayPlaces from;
  ArrayPlaces to;
};

}  // namespace faro::inline v1
