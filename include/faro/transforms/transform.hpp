// Transforms of whole arrays by a butterfly network on the emulated cube.
//
//   std::vector<std::complex<double>> x(1024);
//   Network network{.processor_bits = 6, .encoding = Encoding::binary_gray};
//   Performed done = fourier<double>(network, Direction::forward, x, 1);
//   x is its Fourier transform in natural order; done.traffic.steps = 13 = K/2 + n - 1
//
// An array is `lines` lines of 2^p values each, one after the other, every line on all of the
// machine; p >= processor_bits. Input and output are in natural order, whatever the layout: the
// values are put where the layout wants them, and read where the plan leaves them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faro/base/progress.hpp"
#include "faro/planners/planner.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/transforms/kernels.hpp"
#include "faro/transforms/traffic.hpp"

namespace faro::inline v1::butterfly {

// The machine and the layout. Without an order the cheaper one is taken where the transform works
// in both; without an algorithm the cheapest of those with a formula, else of those that search.
struct Network {
  int processor_bits = 0;
  Allocation allocation = Allocation::cyclic;
  Encoding encoding = Encoding::binary;
  std::optional<Order> order = {};
  std::string algorithm = {};  // a planner's name
  // Called now and then while the network works, with values written of all; may end it.
  Progress progress = {};
};

struct Performed {
  ButterflyNetwork request;
  std::string planner;
  std::string title;
  std::string citation;
  Estimate estimate;
  LinkTraffic traffic;  // of one line
};

// What network and length make of a request. Throws Error(usage) if the line is shorter than the
// machine or no power of two.
ButterflyNetwork request_for(const Network& network, std::uint64_t length);

// A planner's offer for it: the schedule that is performed.
struct Choice {
  ButterflyNetwork request;
  About about;
  Offer offer;
  Progress progress = {};  // the network's

  Performed performed(const LinkTraffic& traffic) const {
    return {.request = request,
            .planner = std::string(about.name),
            .title = std::string(about.title),
            .citation = std::string(about.citation),
            .estimate = offer.estimate,
            .traffic = traffic};
  }
};
// Throws Error: usage for an order that the transform cannot work in and for a name that no planner
// has, impossible for an algorithm that does not apply.
Choice choose(const Network& network, std::uint64_t length, std::optional<Order> needed);
// Of bitonic passes.
Choice choose_sort(const Network& network, std::uint64_t length);

// The lines of an array; throws Error(usage) if `size` is no multiple.
std::uint64_t line_length(std::uint64_t size, std::uint64_t lines);

Word reversed(Word index, int bits);

// One pass of a whole network. `from(i)` is the position in a line of what index i starts with,
// `to(i)` where its result belongs; `in` and `out` turn an array value into a kernel value and
// back.
template <class Kernel, class T, class From, class To, class In, class Out>
LinkTraffic run_network(const Choice& choice, const Kernel& kernel, std::span<T> data,
                        std::uint64_t lines, From&& from, To&& to, In&& in, Out&& out) {
  using Value = typename Kernel::Value;
  const Word length = bit(choice.request.index_bits);
  const auto fill = [&](Word index, std::span<Value> values) {
    const Word at = from(index);
    for (std::size_t line = 0; line < values.size(); ++line) {
      values[line] = in(data[(line * length) + at]);
    }
  };
  EmulatedMachine<Kernel> machine(kernel, lines, fill, choice.progress);
  choice.offer.compiled(machine);
  machine.unload([&](Word index, std::span<Value> values) {
    const Word at = to(index);
    for (std::size_t line = 0; line < values.size(); ++line) {
      data[(line * length) + at] = out(values[line]);
    }
  });
  return machine.traffic();
}

// The discrete Fourier transform; the inverse is scaled by 1/2^p. T is float or double.
template <class Real>
Performed fourier(const Network& network, Direction direction, std::span<std::complex<Real>> data,
                  std::uint64_t lines);
extern template Performed fourier<float>(const Network&, Direction, std::span<std::complex<float>>,
                                         std::uint64_t);
extern template Performed fourier<double>(const Network&, Direction,
                                          std::span<std::complex<double>>, std::uint64_t);

// The same over a prime field, X_f = sum of x_t root^(f t) with root = generator^((q-1)/2^p); the
// inverse is scaled. Values must be below the modulus: Error(usage).
template <class Prime>
Performed number_theoretic(const Network& network, Direction direction,
                           std::span<std::uint64_t> data, std::uint64_t lines);
extern template Performed number_theoretic<Prime998244353>(const Network&, Direction,
                                                           std::span<std::uint64_t>, std::uint64_t);
extern template Performed number_theoretic<PrimeGoldilocks>(const Network&, Direction,
                                                            std::span<std::uint64_t>,
                                                            std::uint64_t);

// natural: coefficient k is the sum of x_t (-1)^(k·t); sequency: coefficients by the number of
// their sign changes.
enum class Arrangement { natural, sequency };
Word coefficient_place(Word index, int bits, Arrangement arrangement);

template <class Number>
Performed walsh_hadamard(const Network& network, Arrangement arrangement, std::span<Number> data,
                         std::uint64_t lines) {
  const Choice choice = choose(network, line_length(data.size(), lines), std::nullopt);
  const int p = choice.request.index_bits;
  const auto same = [](const auto& value) { return value; };
  const LinkTraffic traffic = run_network(
      choice, WalshHadamard<Number>{}, data, lines, [](Word i) { return i; },
      [&](Word i) { return coefficient_place(i, p, arrangement); }, same, same);
  return choice.performed(traffic);
}

// Inclusive prefixes; with an identity exclusive ones, which begin with it. `operation` is
// associative, not necessarily commutative: operation(left, right).
template <class Number, class Operation>
Performed scan(const Network& network, Operation operation, std::optional<Number> identity,
               std::span<Number> data, std::uint64_t lines) {
  using Kernel = Prefix<Number, Operation>;
  const Choice choice =
      choose(network, line_length(data.size(), lines), Order::least_significant_first);
  const auto same = [](Word i) { return i; };
  const LinkTraffic traffic = run_network(
      choice, Kernel{operation}, data, lines, same, same,
      [&](const Number& x) {
        return typename Kernel::Value{identity ? *identity : x, x};
      },
      [](const typename Kernel::Value& value) { return value.prefix; });
  return choice.performed(traffic);
}

// Merges the two halves of each line, both sorted, into one sorted line.
template <class Key, class Less = std::less<Key>>
Performed merge(const Network& network, std::span<Key> data, std::uint64_t lines, Less less = {}) {
  const Choice choice =
      choose(network, line_length(data.size(), lines), Order::most_significant_first);
  const Word length = bit(choice.request.index_bits);
  // The second half descending makes the line bitonic.
  const auto from = [&](Word i) { return i < length / 2 ? i : length - 1 - (i - (length / 2)); };
  const auto same = [](const auto& value) { return value; };
  const LinkTraffic traffic = run_network(
      choice, CompareExchange<Key, Less>{less}, data, lines, from, [](Word i) { return i; }, same,
      same);
  return choice.performed(traffic);
}

// Sorts each line by bitonic passes. Not stable. Keys with payload: a Key of both and
// a Less that looks at the key.
template <class Key, class Less = std::less<Key>>
Performed sort(const Network& network, std::span<Key> data, std::uint64_t lines, Less less = {}) {
  const Choice choice = choose_sort(network, line_length(data.size(), lines));
  const Word length = bit(choice.request.index_bits);
  const auto fill = [&](Word index, std::span<Key> values) {
    for (std::size_t line = 0; line < values.size(); ++line) {
      values[line] = data[(line * length) + index];
    }
  };
  EmulatedMachine<SortPasses<Key, Less>> machine({{less}}, lines, fill, choice.progress);
  choice.offer.compiled(machine);
  machine.unload([&](Word index, std::span<Key> values) {
    for (std::size_t line = 0; line < values.size(); ++line) {
      data[(line * length) + index] = std::move(values[line]);
    }
  });
  return choice.performed(machine.traffic());
}

}  // namespace faro::inline v1::butterfly

// Transforms of arrays whose number type is known only at run time, as a file says it.
//
//   ArrayTransform fft{.kind = TransformKind::fft, .network = {.processor_bits = 6}};
//   result_type(fft, "<f8")     "<c16"
//   transform_array(fft, "<f8", in, {.outer = 3, .length = 4096, .inner = 1}, out)
//
//   kind        takes                                      gives
//   fft, ifft   integers, floats, complex numbers          complex numbers
//   ntt, intt   integers below the modulus                 unsigned integers of 8 bytes
//   wht         integers, floats, complex numbers          the same; integers of 8 bytes, wrapping
//   scan        integers, floats, complex numbers          the same; integers of 8 bytes, wrapping
//   merge, sort integers, floats                           the same; not-a-numbers last
//               records with such a key                    the records, equal keys in their order

namespace faro::inline v1 {

enum class TransformKind { fft, ifft, ntt, intt, wht, scan, merge, sort };

struct ArrayTransform {
  enum class Modulus { prime_998244353, goldilocks };
  enum class Ends { inclusive, exclusive };
  TransformKind kind = TransformKind::fft;
  butterfly::Network network = {};
  Modulus modulus = Modulus::prime_998244353;
  butterfly::Arrangement arrangement = butterfly::Arrangement::natural;  // of wht
  Ends ends = Ends::inclusive;                                           // of scan

  // Of sort and merge: elements are records, and the type is that of the key inside.
  struct Record {
    std::uint64_t bytes = 0;
    std::uint64_t key_offset = 0;
  };
  std::optional<Record> record = {};
};

// Lines along one axis: element i of line (o, j) is number (o · length + i) · inner + j.
struct AxisShape {
  std::uint64_t outer = 1;
  std::uint64_t length = 1;
  std::uint64_t inner = 1;
};

// Whether sort and merge take numbers of this type.
bool is_key_type(std::string_view type);

// NumPy's name of the number type of the result; throws Error(usage), naming the types that would
// do. Records stay what they are.
std::string result_type(const ArrayTransform& transform, std::string_view type);

// `type` is NumPy's, "<f8"; big-endian numbers too. Output is little-endian.
butterfly::Performed transform_array(const ArrayTransform& transform, std::string_view type,
                                     std::span<const std::byte> in, const AxisShape& shape,
                                     std::span<std::byte> out, const Progress& progress = {});

}  // namespace faro::inline v1
