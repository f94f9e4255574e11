// The scalar twin: the two-table kernels with vectors that are arrays. What the SIMD kernels are
// compared with, and what runs where there are none.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>
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

  static constexpr bool picks = false;
  static Vector load(const std::byte* from) {
    Vector x;
    std::memcpy(&x, from, vector_bytes);
    return x;
  }
  // Lane numbers, little-endian and below 128, on processors of either kind.
  static Vector load_table(const std::uint8_t* from) {
    Vector x;
    for (std::size_t i = 0; i < lanes; ++i) x[i] = from[i << UnitLog2];
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
  template <int Weight>
  static void exchange(Vector& a, Vector& b) {
    std::array<std::byte, vector_bytes> low;
    std::array<std::byte, vector_bytes> high;
    std::memcpy(&low, &a, vector_bytes);
    std::memcpy(&high, &b, vector_bytes);
    for (std::size_t at = 0; at < vector_bytes; ++at) {
      if ((at & Weight) == 0) std::swap(low[at | Weight], high[at]);
    }
    std::memcpy(&a, &low, vector_bytes);
    std::memcpy(&b, &high, vector_bytes);
  }
  static Vector pick_one(const Vector& a, const Vector& indices) { return pick(a, indices, a); }
};

#include "tiles-inl.h"
#include "tiles_in_place-inl.h"
#include "tiles_squares-inl.h"
#include "tiles_strided-inl.h"
#include "two_tables-inl.h"

// Vectors that are arrays transpose no faster than single elements are copied.
template <std::size_t Bytes>
void run_copied(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  run_blocks_by<Arrays<3>, CopiedBlocks<Bytes>>(plan, panel, working);
}

void run_panel(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  if (plan.way == Way::runs) return run_runs<Arrays<3>>(plan, panel);
  if (plan.way == Way::reversed) return run_reversed_of<Arrays>(plan, panel);
  if (plan.way == Way::elements) return run_elements_of(plan, panel);
  switch (plan.form.element_bytes) {
    case 1:
      return run_copied<1>(plan, panel, working);
    case 2:
      return run_copied<2>(plan, panel, working);
    case 4:
      return run_copied<4>(plan, panel, working);
    case 8:
      return run_copied<8>(plan, panel, working);
    case 16:
      return run_copied<16>(plan, panel, working);
    default:
      return run_copied<0>(plan, panel, working);
  }
}

}  // namespace
}  // namespace scalar

const KernelSet scalar_kernels{Simd::scalar,
                               "scalar",
                               6,
                               LaneMoves::two_tables,
                               scalar::run_tiles<scalar::TwoTables, scalar::Arrays>,
                               scalar::run_pairs<scalar::TwoTables, scalar::Arrays>,
                               scalar::run_panel,
                               false,
                               false};

}  // namespace faro::inline v1::engine
