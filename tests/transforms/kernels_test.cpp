// Butterfly transforms performed on cubes against FFTW, for every layout and order.
#include "faro/transforms/kernels.hpp"

#include <fftw3.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/transforms/transform.hpp"
#include "full.hpp"

namespace faro::butterfly {
namespace {

using faro::testing::full_run;
using faro::testing::sanitized;

struct Case {
  Network network;
  int index_bits;
  std::string name;
};

// Every layout, and every order that the kernel works in, up to some size.
std::vector<Case> cases(std::vector<std::optional<Order>> orders) {
  const int n_max = full_run() ? 6 : (sanitized() ? 3 : 4);
  const int m_max = full_run() ? 5 : 3;
  std::vector<Case> all;
  for (int n = 0; n <= n_max; ++n) {
    for (int m = 0; m <= m_max; ++m) {
      for (const auto allocation : {Allocation::consecutive, Allocation::cyclic}) {
        for (const auto encoding :
             {Encoding::binary, Encoding::gray, Encoding::gray_gray, Encoding::binary_gray}) {
          for (const auto& order : orders) {
            all.push_back({{n, allocation, encoding, order},
                           n + m,
                           fmt::format("n {} m {} allocation {} encoding {} order {}", n, m,
                                       static_cast<int>(allocation), static_cast<int>(encoding),
                                       order ? static_cast<int>(*order) : -1)});
          }
        }
      }
    }
  }
  return all;
}

const std::vector<std::optional<Order>> both_orders = {Order::most_significant_first,
                                                       Order::least_significant_first};
constexpr std::uint64_t lines = 2;

template <class T, class Make>
std::vector<T> random_values(int index_bits, Make&& make) {
  Random random(static_cast<std::uint64_t>(index_bits) + 17);
  std::vector<T> values(lines << index_bits);
  for (T& value : values) value = make(random);
  return values;
}

// Relative error in the 2-norm: a few roundings for each of p stages.
template <class Real>
double stated_bound(int index_bits) {
  return 4.0 * (index_bits + 1) * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

template <class Real>
std::vector<std::complex<double>> by_fftw(const std::vector<std::complex<Real>>& x, Direction d) {
  std::vector<std::complex<double>> y(x.begin(), x.end());
  const int length = static_cast<int>(x.size() / lines);
  auto* data = reinterpret_cast<fftw_complex*>(y.data());
  fftw_plan plan =
      fftw_plan_many_dft(1, &length, lines, data, nullptr, 1, length, data, nullptr, 1, length,
                         d == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  if (d == Direction::inverse) {
    for (auto& value : y) value /= length;
  }
  return y;
}

// Layouts and orders, restored by composition: what the machine computes is in natural order.
TEST(butterfly_kernels, in_natural_order_by_composition_agree_with_fftw) {
  int performed = 0;
  for (Case c : cases(both_orders)) {
    c.network.algorithm = "butterfly-natural";
    const int m = c.index_bits - c.network.processor_bits;
    if (c.network.processor_bits == 0 || m == 0) continue;
    auto x = random_values<std::complex<double>>(c.index_bits, [](Random& random) {
      return std::complex<double>(static_cast<double>(random.below(100)),
                                  static_cast<double>(random.below(100)));
    });
    const auto wanted = by_fftw(x, Direction::forward);
    const Performed done = fourier<double>(c.network, Direction::forward, x, lines);
    EXPECT_EQ(done.request.finish, ButterflyNetwork::Finish::restored);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_LE(std::abs(x[i] - wanted[i]), 1e-9 * std::abs(wanted[0]) + 1e-9)
          << c.name << " " << i;
    ASSERT_EQ(done.traffic.steps, done.estimate.cost.value) << c.name;
    ++performed;
  }
  EXPECT_GT(performed, sanitized() ? 100 : 150);
}

template <class Real>
void fourier_agrees_with_fftw() {
  for (const Case& c : cases(both_orders)) {
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      auto x = random_values<std::complex<Real>>(c.index_bits, [](Random& random) {
        const auto part = [&] { return static_cast<Real>(random.below(20001)) / 10000 - 1; };
        const Real real = part();
        return std::complex<Real>(real, part());
      });
      const auto wanted = by_fftw(x, direction);
      const Performed done = fourier<Real>(c.network, direction, x, lines);
      double error = 0;
      double norm = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        error += std::norm(std::complex<double>(x[i]) - wanted[i]);
        norm += std::norm(wanted[i]);
      }
      ASSERT_LE(std::sqrt(error), stated_bound<Real>(c.index_bits) * std::sqrt(norm)) << c.name;
      ASSERT_EQ(to_string(done.traffic.steps), to_string(done.estimate.cost.value)) << c.name;
    }
  }
}

TEST(butterfly_kernels, fourier_of_doubles_agrees_with_fftw) {
  fourier_agrees_with_fftw<double>();
}

TEST(butterfly_kernels, fourier_of_floats_agrees_with_fftw) {
  fourier_agrees_with_fftw<float>();
}

TEST(butterfly_kernels, fourier_keeps_the_stated_bound_on_long_lines) {
  const int p = full_run() ? 20 : 16;
  auto x = random_values<std::complex<double>>(p, [](Random& random) {
    return std::complex<double>(static_cast<double>(random.below(2001)) - 1000, 1);
  });
  const auto wanted = by_fftw(x, Direction::forward);
  fourier<double>({.processor_bits = 6, .encoding = Encoding::binary_gray}, Direction::forward, x,
                  lines);
  double error = 0;
  double norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error += std::norm(x[i] - wanted[i]);
    norm += std::norm(wanted[i]);
  }
  EXPECT_LE(std::sqrt(error), stated_bound<double>(p) * std::sqrt(norm));
}

// The definition, term by term.
template <class Prime>
std::vector<std::uint64_t> direct_ntt(const std::vector<std::uint64_t>& x, int p, bool inverse) {
  std::uint64_t root = PrimeField<Prime>::root(p);
  if (inverse) root = PrimeField<Prime>::inverse(root);
  const Word length = bit(p);
  std::vector<std::uint64_t> powers{1};
  for (Word i = 1; i < length; ++i) powers.push_back(Prime::multiply(powers.back(), root));
  const std::uint64_t scale = inverse ? PrimeField<Prime>::inverse(length) : 1;
  std::vector<std::uint64_t> y(x.size());
  for (std::size_t line = 0; line < lines; ++line) {
    for (Word f = 0; f < length; ++f) {
      std::uint64_t sum = 0;
      for (Word t = 0; t < length; ++t) {
        const std::uint64_t term =
            Prime::multiply(x[(line * length) + t], powers[(f * t) & (length - 1)]);
        sum = PrimeField<Prime>::add(sum, term);
      }
      y[(line * length) + f] = Prime::multiply(sum, scale);
    }
  }
  return y;
}

template <class Prime>
void ntt_agrees() {
  for (const Case& c : cases(both_orders)) {
    if (c.index_bits > 8) continue;
    const auto x = random_values<std::uint64_t>(
        c.index_bits, [](Random& random) { return random.below(Prime::modulus); });
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      auto y = x;
      number_theoretic<Prime>(c.network, direction, y, lines);
      ASSERT_EQ(y, (direct_ntt<Prime>(x, c.index_bits, direction == Direction::inverse))) << c.name;
    }
  }
}

TEST(butterfly_kernels, ntt_modulo_998244353_is_exact) {
  ntt_agrees<Prime998244353>();
}

TEST(butterfly_kernels, ntt_modulo_the_goldilocks_prime_is_exact) {
  ntt_agrees<PrimeGoldilocks>();
}

TEST(butterfly_kernels, goldilocks_products_are_those_of_wide_arithmetic) {
  __extension__ typedef unsigned __int128 Wide;
  Random random(5);
  const std::uint64_t q = PrimeGoldilocks::modulus;
  std::vector<std::uint64_t> values{
      0, 1, q - 1, q - 2, 0xffffffffU, 0x100000000U, 0xffffffff00000000U};
  for (int i = 0; i < 1000; ++i) values.push_back(random.below(q));
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      ASSERT_EQ(PrimeGoldilocks::multiply(a, b), static_cast<std::uint64_t>(Wide{a} * b % q));
    }
  }
}

TEST(butterfly_kernels, a_value_at_the_modulus_is_refused) {
  std::vector<std::uint64_t> x{0, Prime998244353::modulus};
  EXPECT_THROW(number_theoretic<Prime998244353>({}, Direction::forward, x, 1), Error);
}

TEST(butterfly_kernels, walsh_hadamard_is_exact_in_both_arrangements) {
  for (const Case& c : cases(both_orders)) {
    const auto x = random_values<std::int64_t>(c.index_bits, [](Random& random) {
      return static_cast<std::int64_t>(random.below(2001)) - 1000;
    });
    const Word length = bit(c.index_bits);
    for (const auto arrangement : {Arrangement::natural, Arrangement::sequency}) {
      auto y = x;
      walsh_hadamard<std::int64_t>(c.network, arrangement, y, lines);
      for (Word k = 0; k < length; ++k) {
        // Row k of the Hadamard matrix, and the number of its sign changes.
        std::array<std::int64_t, lines> sums{};
        Word changes = 0;
        for (Word t = 0; t < length; ++t) {
          const int sign = parity(k & t) == 0 ? 1 : -1;
          if (t > 0 && parity(k & t) != parity(k & (t - 1))) ++changes;
          for (std::size_t line = 0; line < lines; ++line)
            sums[line] += sign * x[(line * length) + t];
        }
        const Word at = arrangement == Arrangement::natural ? k : changes;
        for (std::size_t line = 0; line < lines; ++line) {
          ASSERT_EQ(y[(line * length) + at], sums[line]) << c.name;
        }
      }
    }
  }
}

// Maps x -> a x + b modulo a prime, first the left one: associative, not commutative.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};
Affine then(const Affine& left, const Affine& right) {
  const std::uint64_t q = Prime998244353::modulus;
  return {left.a * right.a % q, (left.b * right.a + right.b) % q};
}

TEST(butterfly_kernels, scans_agree_for_an_operation_that_does_not_commute) {
  for (const Case& c : cases({Order::least_significant_first, std::nullopt})) {
    const auto x = random_values<Affine>(c.index_bits, [](Random& random) {
      const std::uint64_t a = random.below(1000);
      return Affine{a, random.below(1000)};
    });
    const Word length = bit(c.index_bits);
    for (const bool exclusive : {false, true}) {
      auto y = x;
      scan<Affine>(c.network, then, exclusive ? std::optional(Affine{}) : std::nullopt,
                   std::span<Affine>(y), lines);
      for (std::size_t line = 0; line < lines; ++line) {
        Affine sum;
        for (Word i = 0; i < length; ++i) {
          const Affine before = sum;
          sum = then(sum, x[(line * length) + i]);
          ASSERT_EQ(y[(line * length) + i], exclusive ? before : sum) << c.name;
        }
      }
    }
  }
}

TEST(butterfly_kernels, merging_sorted_halves_sorts) {
  for (const Case& c : cases({Order::most_significant_first, std::nullopt})) {
    auto x = random_values<int>(c.index_bits,
                                [](Random& random) { return static_cast<int>(random.below(50)); });
    const auto half = static_cast<std::ptrdiff_t>(bit(c.index_bits) / 2);
    for (auto at = x.begin(); half > 0 && at != x.end(); at += half) std::sort(at, at + half);
    auto wanted = x;
    for (std::size_t line = 0; line < lines; ++line) {
      const auto from = wanted.begin() + static_cast<std::ptrdiff_t>(line << c.index_bits);
      std::sort(from, from + static_cast<std::ptrdiff_t>(bit(c.index_bits)));
    }
    merge<int>(c.network, x, lines);
    ASSERT_EQ(x, wanted) << c.name;
  }
}

struct Keyed {
  int key = 0;
  int payload = 0;
  friend bool operator==(const Keyed&, const Keyed&) = default;
};
struct ByKey {
  bool operator()(const Keyed& a, const Keyed& b) const { return a.key < b.key; }
};

TEST(butterfly_kernels, sorting_orders_keys_and_keeps_their_payload) {
  for (const Case& c : cases({std::nullopt})) {
    int number = 0;
    auto x = random_values<Keyed>(c.index_bits, [&](Random& random) {
      return Keyed{static_cast<int>(random.below(30)), number++};
    });
    auto sorted = x;
    const Performed done = sort<Keyed, ByKey>(c.network, sorted, lines);
    ASSERT_EQ(to_string(done.traffic.steps), to_string(done.estimate.cost.value)) << c.name;
    for (std::size_t line = 0; line < lines; ++line) {
      const auto from = static_cast<std::ptrdiff_t>(line << c.index_bits);
      const auto to = static_cast<std::ptrdiff_t>((line + 1) << c.index_bits);
      ASSERT_TRUE(std::is_sorted(sorted.begin() + from, sorted.begin() + to, ByKey{})) << c.name;
      // The same pairs, each once.
      const auto by_payload = [](const Keyed& a, const Keyed& b) { return a.payload < b.payload; };
      std::vector<Keyed> there(sorted.begin() + from, sorted.begin() + to);
      std::sort(there.begin(), there.end(), by_payload);
      ASSERT_TRUE(std::equal(there.begin(), there.end(), x.begin() + from)) << c.name;
    }
  }
}

TEST(butterfly_kernels, an_exception_of_the_callers_code_reaches_the_caller) {
  struct Unwilling {
    bool operator()(const Keyed&, const Keyed&) const { throw std::domain_error("no order"); }
  };
  // Wide enough to be shared among threads.
  std::vector<Keyed> x(std::size_t{1} << 17);
  const Network network{.processor_bits = 16};
  EXPECT_THROW((sort<Keyed, Unwilling>(network, x, 1)), std::domain_error);
}

TEST(butterfly_kernels, orders_that_cannot_work_are_refused) {
  std::vector<int> x(8);
  EXPECT_THROW(merge<int>({.order = Order::least_significant_first}, x, 1), Error);
  EXPECT_THROW(scan<int>({.order = Order::most_significant_first}, std::plus<>(),
                         std::optional<int>(), std::span<int>(x), 1),
               Error);
  EXPECT_THROW(merge<int>({.processor_bits = 4}, x, 1), Error);
  x.resize(6);
  EXPECT_THROW(merge<int>({}, x, 1), Error);
}

}  // namespace
}  // namespace faro::butterfly
