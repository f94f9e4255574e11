// Products of stored matrices on a POPS network: planned, verified, performed.
//
//   multiply({bytes of A, "<i2"}, {bytes of B, "<f4"}, {.machine = {4, 4}, .order = 4})
//     -> MatmulReport: type "<f4", the product's bytes, a plan of 6 slots, 4 rounds, 8 registers
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

#include "faro/service/plan.hpp"

namespace faro::inline v1 {

// A matrix, row-major (C order) or column-major, as a file stores it.
struct StoredMatrix {
  enum class Order { rows, columns };
  std::span<const std::byte> data;
  std::string type;  // "<f8"
  Order order = Order::rows;
  // 0: the order of the product. Smaller ones are filled up with zeros on the network.
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
};

struct MatmulOptions {
  Pops machine;
  std::uint64_t order = 0;
  std::string algorithm = {};  // a planner's name: pops-matmul, pops-matmul-paper; empty: the best
  VerifyBy verify = VerifyBy::replay;
  // Slots planned and judged, then performed, of both together; may end it.
  Progress progress = {};
};

struct MatmulReport {
  std::string type;                  // of the product: "<f8"
  std::vector<std::byte> data = {};  // rows of A, columns of B; row-major, little-endian
  MachinePlan plan;                  // cost, registers (slots), formula, bound, verdict
};

// Throws Error: usage for types that have no product, data of another size and sides that do not
// meet, impossible (naming the nearest machine) for orders that do not fit; what plan() throws, and
// refused and cancelled.
MatmulReport multiply(const StoredMatrix& a, const StoredMatrix& b, const MatmulOptions& options);

}  // namespace faro::inline v1
