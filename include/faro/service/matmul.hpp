// Products of stored matrices on a POPS network: planned, verified, performed, in one pass.
//
//   multiply({bytes of A, "<i2"}, {bytes of B, "<f4"}, {.machine = {4, 4}, .order = 4})
//     -> MatmulReport: type "<f4", the product's bytes, 6 slots, 4 rounds, 8 registers
//
// Types are NumPy's: truth values, integers of 1 to 8 bytes, reals of 2 to 16 bytes, either byte
// order; two types meet as NumPy promotes them and integers wrap around. Half precision is summed
// in single precision, as NumPy does. Complex numbers, times, texts and structures are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faro/machines/pops/model.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/pops/matmul/matmul.hpp"

namespace faro::inline v1 {

// A square matrix, row-major (C order) or column-major, as a file stores it.
struct StoredMatrix {
  enum class Order { rows, columns };
  std::span<const std::byte> data;
  std::string type;  // "<f8"
  Order order = Order::rows;
};

struct MatmulOptions {
  Pops machine;
  std::uint64_t order = 0;
  MatmulAlgorithm algorithm = MatmulAlgorithm::best;
  enum class Verify { yes, no } verify = Verify::yes;
};

struct MatmulReport {
  std::string type;             // of the product: "<f8"
  std::vector<std::byte> data;  // row-major, little-endian
  Cost cost;
  std::uint64_t registers = 0;
  Formula formula;
  PaperCount paper;
  Bound bound;
  pops::Hardware hardware;
  std::optional<Verdict> verdict;
};

// Throws Error: usage for types that have no product, impossible (naming the nearest machine) for
// orders that do not fit.
MatmulReport multiply(const StoredMatrix& a, const StoredMatrix& b, const MatmulOptions& options);

}  // namespace faro::inline v1
