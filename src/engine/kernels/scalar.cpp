// The scalar twin: the two-table kernels with vectors that are arrays. What the SIMD kernels are
// compared with, and what runs where there are none.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "kernels.hpp"
#include "macros.hpp"
#include "square_tables.hpp"

namespace faro::inline v1::engine {
namespace scalar {
namespace {

template <int UnitLog2>
struct Arrays {
  using Lane = std::conditional_t<
      UnitLog2 == 0, std::uint8_t,
      std::conditional_t<UnitLog2 == 1, std::uint16_t,
                         std::conditional_t<UnitLog2 == 2, std::uint32_t, std::uint64_t>>>;
  static constexpr int vector_log2 = 6;
  static constexpr std::size_t vector_bytes = 64;
  static constexpr int unit_log2 = UnitLog2;
  static constexpr std::size_t lanes = vector_bytes >> UnitLog2;
  using Vector = std::array<Lane, lanes>;

  static constexpr bool picks = true;
  static Vector zero() { return {}; }
  static Vector from_bytes(const std::array<std::uint8_t, vector_bytes>& x) {
    return load(reinterpret_cast<const std::byte*>(x.data()));
  }
  static std::array<std::uint8_t, vector_bytes> to_bytes(const Vector& x) {
    std::array<std::uint8_t, vector_bytes> bytes;
    std::memcpy(bytes.data(), &x, vector_bytes);
    return bytes;
  }
  static Vector load_first(const std::byte* from, std::size_t bytes) {
    Vector x{};
    std::memcpy(&x, from, std::min(bytes, vector_bytes));
    return x;
  }
  static void store_first(std::byte* to, const Vector& x, std::size_t bytes) {
    std::memcpy(to, &x, std::min(bytes, vector_bytes));
  }
  static Vector load(const std::byte* from) {
    Vector x;
    std::memcpy(&x, from, vector_bytes);
    return x;
  }
  static Vector load_table(const std::uint8_t* from) {
    Vector x;
    std::memcpy(&x, from, vector_bytes);
    return x;
  }
  static void store(std::byte* to, const Vector& x) { std::memcpy(to, &x, vector_bytes); }
  static void stream(std::byte* to, const Vector& x) { store(to, x); }
  static void fence() {}
  static Vector pick(const Vector& a, const Vector& indices, const Vector& b) {
    std::array<Lane, 2 * lanes> both;
    std::copy(a.begin(), a.end(), both.begin());
    std::copy(b.begin(), b.end(), both.begin() + lanes);
    Vector x;
    for (std::size_t i = 0; i < lanes; ++i) x[i] = both[static_cast<std::size_t>(indices[i])];
    return x;
  }
  static Vector pick_one(const Vector& a, const Vector& indices) { return pick(a, indices, a); }
};

#include "tiles-inl.h"
#include "tiles_in_place-inl.h"
#include "tiles_strided-inl.h"
#include "tiles_strided_picks-inl.h"
#include "two_tables-inl.h"

}  // namespace
}  // namespace scalar

const KernelSet scalar_kernels{Simd::scalar,
                               "scalar",
                               6,
                               LaneMoves::two_tables,
                               scalar::run_tiles<scalar::TwoTables, scalar::Arrays>,
                               scalar::run_pairs<scalar::TwoTables, scalar::Arrays>,
                               scalar::run_panel<scalar::Arrays>};

}  // namespace faro::inline v1::engine
