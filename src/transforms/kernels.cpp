#include "faro/transforms/kernels.hpp"

#include <cmath>
#include <numbers>

#include "base/check.hpp"

namespace faro::inline v1::butterfly {
namespace {

// Tables for exponents below 2^(index_bits - 1); `root(e)` is the e-th power.
template <class Number, class Root>
Powers<Number> powers_of(int index_bits, Root&& root) {
  Powers<Number> powers;
  const int bits = index_bits > 0 ? index_bits - 1 : 0;
  powers.half = bits / 2;
  for (Word e = 0; e < bit(powers.half); ++e) powers.low.push_back(root(e));
  for (Word e = 0; e < bit(bits - powers.half); ++e) powers.high.push_back(root(e << powers.half));
  return powers;
}

}  // namespace

template <class Real>
Fourier<Real>::Fourier(int index_bits, Order order, Direction direction)
    : index_bits_(index_bits), order_(order) {
  const long double sign = direction == Direction::forward ? -1 : 1;
  powers_ = powers_of<Value>(index_bits, [&](Word e) {
    const long double turn = std::ldexp(static_cast<long double>(e), -index_bits);
    const long double angle = 2 * std::numbers::pi_v<long double> * turn;
    return Value(static_cast<Real>(std::cos(angle)), static_cast<Real>(sign * std::sin(angle)));
  });
}

template class Fourier<float>;
template class Fourier<double>;

// a·b mod 2^64 - 2^32 + 1, with 2^64 = 2^32 - 1 and 2^96 = -1.
std::uint64_t PrimeGoldilocks::multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  const auto low = static_cast<std::uint64_t>(product);
  const auto high = static_cast<std::uint64_t>(product >> 64U);
  const std::uint64_t top = high >> 32U;            // times 2^96
  const std::uint64_t middle = high & 0xffffffffU;  // times 2^64
  const std::uint64_t without_top = low >= top ? low - top : low - top + modulus;
  const std::uint64_t shifted = (middle << 32U) - middle;
  const std::uint64_t sum = without_top + shifted;
  if (sum < shifted) return sum + 0xffffffffU;  // 2^64 left over is 2^32 - 1
  return sum >= modulus ? sum - modulus : sum;
}

template <class Prime>
std::uint64_t PrimeField<Prime>::power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) result = Prime::multiply(result, base);
    base = Prime::multiply(base, base);
  }
  return result;
}

template struct PrimeField<Prime998244353>;
template struct PrimeField<PrimeGoldilocks>;

template <class Prime>
NumberTheoretic<Prime>::NumberTheoretic(int index_bits, Order order, Direction direction)
    : index_bits_(index_bits), order_(order) {
  FARO_CHECK(index_bits <= Prime::roots_log2);
  std::uint64_t root = PrimeField<Prime>::root(index_bits);
  if (direction == Direction::inverse) root = PrimeField<Prime>::inverse(root);
  powers_ = powers_of<Value>(index_bits, [&](Word e) { return PrimeField<Prime>::power(root, e); });
}

template class NumberTheoretic<Prime998244353>;
template class NumberTheoretic<PrimeGoldilocks>;

}  // namespace faro::inline v1::butterfly
