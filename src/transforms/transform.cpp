#include "faro/transforms/transform.hpp"

#include <fmt/format.h>

#include <array>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/error.hpp"
#include "faro/service/plan.hpp"
#include "planners/cube/butterfly/rows.hpp"
#include "service/planning.hpp"

namespace faro::inline v1::butterfly {

Word reversed(Word index, int bits) {
  if (bits == 0) return 0;
  // Neighbours, pairs, fours, .. change places; then the bits are at the top.
  const std::array<Word, 6> masks = {0x5555555555555555U, 0x3333333333333333U, 0x0f0f0f0f0f0f0f0fU,
                                     0x00ff00ff00ff00ffU, 0x0000ffff0000ffffU, 0x00000000ffffffffU};
  int width = 1;
  for (const Word mask : masks) {
    index = ((index >> width) & mask) | ((index & mask) << width);
    width *= 2;
  }
  return index >> (word_bits - bits);
}

Word coefficient_place(Word index, int bits, Arrangement arrangement) {
  if (arrangement == Arrangement::natural) return index;
  // The coefficient with s sign changes has natural index reversed(gray(s)).
  Word s = reversed(index, bits);
  for (int shift = 1; shift < word_bits; shift *= 2) s ^= s >> shift;
  return s;
}

std::uint64_t line_length(std::uint64_t size, std::uint64_t lines) {
  if (lines == 0 || size % lines != 0) {
    throw Error(ErrorCode::usage,
                fmt::format("{} values are no {} lines of equal length", size, lines));
  }
  return size / lines;
}

ButterflyNetwork request_for(const Network& network, std::uint64_t length) {
  if (!is_power_of_two(length)) {
    throw Error(ErrorCode::usage,
                fmt::format("a butterfly network takes a power of two of values, not {}; the next "
                            "ones are {} and {}",
                            length, std::bit_floor(length), std::bit_ceil(length + 1)));
  }
  ButterflyNetwork request{.processor_bits = network.processor_bits,
                           .index_bits = log2_exact(length),
                           .allocation = network.allocation,
                           .encoding = network.encoding};
  if (network.processor_bits < 0 || network.processor_bits >= word_bits)
    throw Error(ErrorCode::usage,
                fmt::format("no cube has 2^{} processors", network.processor_bits));
  if (request.index_bits < request.processor_bits) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} values do not fill the {} processors of cube:{}; take cube:{} or less",
                    length, bit(network.processor_bits), network.processor_bits,
                    request.index_bits));
  }
  return request;
}

namespace {

Request request_of(const ButterflyNetwork& network) {
  return Request::of(Hypercube{.dimensions = network.processor_bits}, network);
}

Choice choice_of(const ButterflyNetwork& network, const Request& request, std::string algorithm) {
  const PlanOptions options{.algorithm = std::move(algorithm),
                            .searches = PlanOptions::Searches::last_resort};
  Asked asked = ask(request, {}, options);
  return {network, asked.chosen->about(), std::move(asked.offer)};
}

// The offer in one order. One element a processor, least significant bit first, stays in its code;
// everything else can end in binary code.
Choice choice_for(ButterflyNetwork network, Order order, const std::string& algorithm) {
  network.order = order;
  if (order == Order::least_significant_first && network.memory_bits() == 0 && coded(network)) {
    network.output = ButterflyNetwork::Output::gray;
  }
  const Planner* planner = algorithm.empty() ? nullptr : find_planner(algorithm);
  // One that is named may leave another code, or restore the dimensions.
  using Finish = ButterflyNetwork::Finish;
  for (const Finish finish : {Finish::as_planned, Finish::restored})
    for (const auto output : {network.output, ButterflyNetwork::Output::gray}) {
      if (planner == nullptr || !planner->refusal(request_of(network))) break;
      ButterflyNetwork other = network;
      other.finish = finish;
      other.output = output;
      if (!planner->refusal(request_of(other))) network = other;
    }
  return choice_of(network, request_of(network), algorithm);
}

Choice chosen(const Network& network, std::uint64_t length, std::optional<Order> needed) {
  const ButterflyNetwork request = request_for(network, length);
  if (needed && network.order && *needed != *network.order) {
    throw Error(ErrorCode::usage,
                *needed == Order::least_significant_first
                    ? "a prefix runs from the least significant bit on: blocks must be contiguous"
                    : "a bitonic merge runs from the most significant bit on");
  }
  if (network.order) needed = network.order;
  if (needed) return choice_for(request, *needed, network.algorithm);
  // Memory stages first is never dearer.
  const bool cyclic = request.allocation == Allocation::cyclic;
  return choice_for(request,
                    cyclic ? Order::most_significant_first : Order::least_significant_first,
                    network.algorithm);
}

}  // namespace

Choice choose(const Network& network, std::uint64_t length, std::optional<Order> needed) {
  Choice choice = chosen(network, length, needed);
  choice.progress = network.progress;
  return choice;
}

Choice choose_sort(const Network& network, std::uint64_t length) {
  ButterflyNetwork sorted = request_for(network, length);
  sorted.order = Order::most_significant_first;
  Choice choice = choice_of(
      sorted, Request::of(Hypercube{.dimensions = sorted.processor_bits}, BitonicSort{sorted}), {});
  choice.progress = network.progress;
  return choice;
}

template <class Real>
Performed fourier(const Network& network, Direction direction, std::span<std::complex<Real>> data,
                  std::uint64_t lines) {
  using Value = std::complex<Real>;
  const Choice choice = choose(network, line_length(data.size(), lines), std::nullopt);
  const int p = choice.request.index_bits;
  const bool frequency = choice.request.order == Order::most_significant_first;
  const Real scale = direction == Direction::inverse ? std::ldexp(Real{1}, -p) : Real{1};
  const auto same = [](Word i) { return i; };
  const auto turned = [&](Word i) { return reversed(i, p); };
  const auto in = [](const Value& x) { return x; };
  const auto out = [&](const Value& x) { return x * scale; };
  const Fourier<Real> kernel(p, choice.request.order, direction);
  const LinkTraffic traffic = frequency
                                  ? run_network(choice, kernel, data, lines, same, turned, in, out)
                                  : run_network(choice, kernel, data, lines, turned, same, in, out);
  return choice.performed(traffic);
}

template Performed fourier<float>(const Network&, Direction, std::span<std::complex<float>>,
                                  std::uint64_t);
template Performed fourier<double>(const Network&, Direction, std::span<std::complex<double>>,
                                   std::uint64_t);

template <class Prime>
Performed number_theoretic(const Network& network, Direction direction,
                           std::span<std::uint64_t> data, std::uint64_t lines) {
  const Choice choice = choose(network, line_length(data.size(), lines), std::nullopt);
  const int p = choice.request.index_bits;
  if (p > Prime::roots_log2) {
    throw Error(
        ErrorCode::impossible,
        fmt::format("modulo {} there are roots of unity of order 2^{} at most; a line has 2^{} "
                    "values",
                    Prime::modulus, Prime::roots_log2, p));
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] >= Prime::modulus) {
      throw Error(ErrorCode::usage, fmt::format("value {} is {}, which is not below the modulus {}",
                                                i, data[i], Prime::modulus));
    }
  }
  const bool frequency = choice.request.order == Order::most_significant_first;
  const std::uint64_t scale =
      direction == Direction::inverse ? PrimeField<Prime>::inverse(bit(p) % Prime::modulus) : 1;
  const auto same = [](Word i) { return i; };
  const auto turned = [&](Word i) { return reversed(i, p); };
  const auto in = [](std::uint64_t x) { return x; };
  const auto out = [&](std::uint64_t x) { return Prime::multiply(x, scale); };
  const NumberTheoretic<Prime> kernel(p, choice.request.order, direction);
  const LinkTraffic traffic = frequency
                                  ? run_network(choice, kernel, data, lines, same, turned, in, out)
                                  : run_network(choice, kernel, data, lines, turned, same, in, out);
  return choice.performed(traffic);
}

template Performed number_theoretic<Prime998244353>(const Network&, Direction,
                                                    std::span<std::uint64_t>, std::uint64_t);
template Performed number_theoretic<PrimeGoldilocks>(const Network&, Direction,
                                                     std::span<std::uint64_t>, std::uint64_t);

}  // namespace faro::inline v1::butterfly
