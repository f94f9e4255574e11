// What a butterfly computes. Each kernel is a value type and one operation on the two values of a
// butterfly; the network does the rest (transform.hpp).
//
//   most significant bit first (decimation in frequency)   (a, b) -> (a + b, (a - b) w)
//   least significant bit first (decimation in time)       (a, b) -> (a + b w, a - b w)
//   w = root^(i mod 2^t), root of order 2^(t+1), i the low index, t the index bit
//
// A processor forms w from the low index, which follows from its own address, its slot and the
// step. It multiplies two roots, one from each of two short tables that every processor can hold:
// 2^(p/2) entries, not the 2^(p-1) of all twiddles.
#pragma once

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::butterfly {

using Order = ButterflyGoal::Order;

// The powers of one root of order 2^index_bits, root^e = high[e >> half] * low[e mod 2^half].
template <class Number>
struct Powers {
  int half = 0;
  std::vector<Number> low;
  std::vector<Number> high;

  template <class Multiply>
  Number operator()(Word exponent, Multiply&& multiply) const {
    return multiply(high[exponent >> half], low[exponent & low_mask(half)]);
  }
};

enum class Direction { forward, inverse };

// Discrete Fourier transform, unscaled: forward with exp(-2 pi i / 2^p). Real is float or double.
template <class Real>
class Fourier {
 public:
  using Value = std::complex<Real>;
  Fourier(int index_bits, Order order, Direction direction);

  void operator()(Value& low, Value& high, Word low_index, int index_bit) const {
    const Word exponent = (low_index & low_mask(index_bit)) << (index_bits_ - 1 - index_bit);
    const Value w = powers_(exponent, product);
    if (order_ == Order::most_significant_first) {
      const Value difference = low - high;
      low += high;
      high = product(difference, w);
    } else {
      const Value turned = product(high, w);
      high = low - turned;
      low += turned;
    }
  }

 private:
  // std::complex multiplication cares for infinities; the values here are finite or lost anyway.
  static Value product(const Value& a, const Value& b) {
    return {(a.real() * b.real()) - (a.imag() * b.imag()),
            (a.real() * b.imag()) + (a.imag() * b.real())};
  }

  int index_bits_;
  Order order_;
  Powers<Value> powers_;
};

extern template class Fourier<float>;
extern template class Fourier<double>;

// A prime field whose multiplicative group has a root of unity of order 2^roots_log2.
struct Prime998244353 {
  static constexpr std::uint64_t modulus = 998244353;  // 119 * 2^23 + 1
  static constexpr std::uint64_t generator = 3;
  static constexpr int roots_log2 = 23;
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b) { return a * b % modulus; }
};
struct PrimeGoldilocks {
  static constexpr std::uint64_t modulus = 0xffffffff00000001U;  // 2^64 - 2^32 + 1
  static constexpr std::uint64_t generator = 7;
  static constexpr int roots_log2 = 32;
  static std::uint64_t multiply(std::uint64_t a, std::uint64_t b);
};

template <class Prime>
struct PrimeField {
  static std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a >= Prime::modulus - b ? a - (Prime::modulus - b) : a + b;
  }
  static std::uint64_t subtract(std::uint64_t a, std::uint64_t b) {
    return a >= b ? a - b : a + (Prime::modulus - b);
  }
  static std::uint64_t power(std::uint64_t base, std::uint64_t exponent);
  static std::uint64_t inverse(std::uint64_t a) { return power(a, Prime::modulus - 2); }
  // Of order 2^order_log2, at most roots_log2.
  static std::uint64_t root(int order_log2) {
    return power(Prime::generator, (Prime::modulus - 1) >> order_log2);
  }
};

// The transform over a prime field, unscaled. Values are below the modulus.
template <class Prime>
class NumberTheoretic {
 public:
  using Value = std::uint64_t;
  // Requires index_bits <= Prime::roots_log2.
  NumberTheoretic(int index_bits, Order order, Direction direction);

  void operator()(Value& low, Value& high, Word low_index, int index_bit) const {
    const Word exponent = (low_index & low_mask(index_bit)) << (index_bits_ - 1 - index_bit);
    const Value w = powers_(exponent, Prime::multiply);
    if (order_ == Order::most_significant_first) {
      const Value difference = PrimeField<Prime>::subtract(low, high);
      low = PrimeField<Prime>::add(low, high);
      high = Prime::multiply(difference, w);
    } else {
      const Value turned = Prime::multiply(high, w);
      high = PrimeField<Prime>::subtract(low, turned);
      low = PrimeField<Prime>::add(low, turned);
    }
  }

 private:
  int index_bits_;
  Order order_;
  Powers<Value> powers_;
};

extern template struct PrimeField<Prime998244353>;
extern template struct PrimeField<PrimeGoldilocks>;
extern template class NumberTheoretic<Prime998244353>;
extern template class NumberTheoretic<PrimeGoldilocks>;

// Sums and differences; in any order. Integers wrap if they are unsigned.
template <class Number>
struct WalshHadamard {
  using Value = Number;
  void operator()(Value& low, Value& high, Word, int) const {
    const Value sum = static_cast<Value>(low + high);
    high = static_cast<Value>(low - high);
    low = sum;
  }
};

// Prefixes with any associative operation, commutative or not, least significant bit first: a value
// carries the prefix inside its block and the block's total.
template <class Number, class Operation>
struct Prefix {
  struct Value {
    Number prefix{};
    Number total{};
  };
  Operation operation;  // operation(left, right)

  void operator()(Value& low, Value& high, Word, int) const {
    high.prefix = operation(low.total, high.prefix);
    low.total = high.total = operation(low.total, high.total);
  }
};

// Compare and exchange: the lesser value to the low index.
template <class Key, class Less>
struct CompareExchange {
  using Value = Key;
  Less less{};

  void operator()(Value& low, Value& high, Word, int) const {
    if (less(high, low)) std::swap(low, high);
  }
};

// The same in the passes of a sort: to the high index where the index bit above those of the pass
// is set.
template <class Key, class Less>
struct SortPasses {
  using Value = Key;
  CompareExchange<Key, Less> ascending{};
  int direction_bit = 1;

  void begin_pass(int number) { direction_bit = number + 1; }
  void operator()(Value& low, Value& high, Word low_index, int index_bit) const {
    if (has_bit(low_index, direction_bit)) {
      ascending(high, low, low_index, index_bit);
    } else {
      ascending(low, high, low_index, index_bit);
    }
  }
};

}  // namespace faro::inline v1::butterfly
