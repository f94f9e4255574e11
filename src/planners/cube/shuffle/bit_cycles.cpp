// Bit permutations by rounds.   [faro; the rate of Johnsson, Ho 1991 (shuffles), A1]
//   applies:  bit permutations of processor bits, complements allowed, all ports
//   cost:     one cycle of L bits: (L+1) steps for 2L elements; several: sum over phases of the
//             slowest part                                                (tested L <= 6, K <= 40)
//   bound:    (L+1)/2L an element if the complements are odd, a little less if even
//
// Cycle c_0 -> c_1 -> .. An element of type (s, r): first bit c_s is set to r, then bits c_{s+1},
// c_{s+2}, .. to their final values, c_s last. The 2L types start together, use every link in every
// step, and never meet. Two slots hold the elements of types (s, 0) and (s, 1).
#include "planners/cube/shuffle/bit_cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planners/cube/request.hpp"

namespace faro::inline v1 {

using shuffle::Cycle;

std::optional<std::vector<Cycle>> bit_cycles(const BitMap& map) {
  auto structure = shuffle::structure_of(map, 0);
  if (!structure) return {};
  return std::move(structure->cycles);
}

namespace {

enum class Slots { in_place, transit };

// One cycle, its dimensions and complements by position modulo L.
struct Ring {
  const Cycle& cycle;
  std::uint64_t length() const { return cycle.dimensions.size(); }
  int at(std::uint64_t i) const { return cycle.dimensions[i % length()]; }
  Word mask(std::uint64_t i) const { return bit(at(i)); }
  unsigned kappa(std::uint64_t i) const { return cycle.inverted[i % length()]; }
  // The complements that arrived at positions s+1..s+i.
  unsigned arrived(std::uint64_t s, std::uint64_t i) const {
    unsigned g = 0;
    for (std::uint64_t j = 1; j <= i; ++j) g ^= kappa(s + j);
    return g;
  }
};

// Step i of types (s, 0) and (s, 1) in slots y0 and y0 + 1. Slot y_x holds the element whose
// original bit c_{s+i-1} is x ^ g.
void pair_step(const Ring& ring, std::uint64_t s, std::uint64_t i, Slot y0, CubeStep& out) {
  const std::uint64_t last = ring.length();
  if (i == 0) {
    for (unsigned b = 0; b < 2; ++b)
      out.rules.push_back({{{ring.mask(s), b}}, y0 + (1 ^ b), ring.at(s), y0 + b});
    return;
  }
  const unsigned g = ring.arrived(s, i);
  for (unsigned b = 0; b < 2; ++b) {
    const std::vector<Parity> where{{ring.mask(s + i), b}};
    out.rules.push_back(
        {where, y0 + (1 ^ b ^ g), ring.at(s + i), i == last ? y0 + b : y0 + (b ^ g)});
    if (i == last && g == 1) out.rules.push_back({where, y0 + (b ^ g), inside, y0 + b});
  }
}

// The same for a last element alone, of type (s, 0): it leaves its slot for two transit slots.
void single_step(const Ring& ring, std::uint64_t s, std::uint64_t i, Slot element, Slot y0,
                 CubeStep& out) {
  const Parity home{ring.mask(s), 0};
  if (i == 0) {
    out.rules.push_back({{{ring.mask(s), 1}}, element, ring.at(s), y0 + 1});
    out.rules.push_back({{home}, element, inside, y0});
    return;
  }
  const unsigned g = ring.arrived(s, i);
  if (i == ring.length()) {
    out.rules.push_back({{home}, y0 + (1 ^ g), ring.at(s), element});
    out.rules.push_back({{home}, y0 + g, inside, element});
    return;
  }
  for (unsigned b = 0; b < 2; ++b)
    out.rules.push_back(
        {{home, {ring.mask(s + i), b}}, y0 + (1 ^ b ^ g), ring.at(s + i), y0 + (b ^ g)});
}

// The remainder of at most L elements takes L steps: the type is the element's own bit, step 0 is
// left out. All of them stand at processors H after one step.
void rest_step(const Ring& ring, std::uint64_t s, std::uint64_t t, Slot element, Slot y0,
               CubeStep& out) {
  const std::uint64_t last = ring.length() - 1;
  const Parity here{ring.mask(s) ^ ring.mask(s + 1), ring.kappa(s + 1)};
  if (t == 0) {
    out.rules.push_back({{{here.mask, here.value ^ 1U}}, element, ring.at(s + 1), y0 + 1});
    out.rules.push_back({{here}, element, inside, y0});
    return;
  }
  if (t < last) {
    const std::uint64_t i = t + 1;
    const unsigned g = ring.arrived(s, i) ^ ring.kappa(s + 1);
    for (unsigned z = 0; z < 2; ++z)
      out.rules.push_back({{here, {ring.mask(s + 1) ^ ring.mask(s + i), 1U ^ g ^ z}},
                           y0 + z,
                           ring.at(s + i),
                           y0 + (1 ^ z)});
    return;
  }
  const unsigned z = ring.arrived(s, last) ^ ring.kappa(s);
  out.rules.push_back({{here}, y0 + (1 ^ z), ring.at(s), element});
  out.rules.push_back({{here}, y0 + z, inside, element});
}

// An inverted bit: every element crosses.
StepSource inversion_steps(int dimension, std::uint64_t elements) {
  return {.slots = elements, .steps = elements, .make = [=](std::uint64_t t, CubeStep& out) {
            const auto slot = static_cast<Slot>(t);
            out.rules.push_back({{}, slot, dimension, slot});
          }};
}

// Two bits, complements even: two disjoint paths, odd elements on the other one.
StepSource twin_steps(const Cycle& cycle, std::uint64_t elements) {
  const std::uint64_t half = elements / 2 + elements % 2;
  const Word mask = bit(cycle.dimensions[0]) | bit(cycle.dimensions[1]);
  const unsigned kappa = cycle.inverted[0];
  const auto make = [=, d = cycle.dimensions](std::uint64_t t, CubeStep& out) {
    for (std::uint64_t odd = 0; odd < 2; ++odd) {
      const auto transit = static_cast<Slot>(elements + odd);
      if (const std::uint64_t e = 2 * t + odd; t < half && e < elements)
        out.rules.push_back({{{mask, 1U ^ kappa}}, static_cast<Slot>(e), d[odd], transit});
      if (const std::uint64_t e = 2 * t - 2 + odd; t >= 1 && e < elements)
        out.rules.push_back({{{mask, kappa}}, transit, d[1 - odd], static_cast<Slot>(e)});
    }
  };
  return {
      .slots = elements + std::min<std::uint64_t>(2, elements), .steps = half + 1, .make = make};
}

}  // namespace

Count rounds_cost(const Cycle& cycle, std::uint64_t elements) {
  const std::uint64_t length = cycle.dimensions.size();
  if (elements == 0) return 0;
  if (length == 1) return elements;
  if (length == 2 && cycle.parity() == 0) return elements / 2 + elements % 2 + 1;
  const std::uint64_t rest = elements % (2 * length);
  return Count{elements / (2 * length)} * (length + 1) + (rest == 0        ? 0
                                                          : rest <= length ? length
                                                                           : length + 1);
}

StepSource rounds_steps(const Cycle& cycle, std::uint64_t elements) {
  const std::uint64_t length = cycle.dimensions.size();
  if (length == 1) return inversion_steps(cycle.dimensions[0], elements);
  if (length == 2 && cycle.parity() == 0) return twin_steps(cycle, elements);
  const std::uint64_t rest = elements % (2 * length);
  const std::uint64_t full = elements - rest;
  const auto make = [=](std::uint64_t t, CubeStep& out) {
    const Ring ring{cycle};
    const std::uint64_t round = t / (length + 1);
    const std::uint64_t i = t % (length + 1);
    const std::uint64_t first = round * 2 * length;
    if (first < full || rest > length) {
      const std::uint64_t types = first < full ? 2 * length : rest;
      for (std::uint64_t s = 0; 2 * s + 1 < types; ++s)
        pair_step(ring, s, i, static_cast<Slot>(first + 2 * s), out);
      if (types % 2 == 1)
        single_step(ring, types / 2, i, static_cast<Slot>(first + types - 1),
                    static_cast<Slot>(elements), out);
      return;
    }
    for (std::uint64_t s = 0; s < rest; ++s)
      rest_step(ring, s, i, static_cast<Slot>(first + s), static_cast<Slot>(elements + 2 * s), out);
  };
  const std::uint64_t transit = rest == 0 ? 0 : rest <= length ? 2 * rest : 2 * (rest % 2);
  return {.slots = elements + transit,
          .steps = static_cast<std::uint64_t>(rounds_cost(cycle, elements)),
          .make = make};
}

namespace {

std::optional<std::string> refusal_bit_cycles(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  const auto split = split_map(request);
  if (!split || !bit_cycles(split->processors))
    return "the map is no permutation of processor bits";
  if (bit_cycles(split->processors)->empty()) return "no processor bit moves";
  return {};
}

Offer offer(const Request& request) {
  const auto cycles = *bit_cycles(split_map(request)->processors);
  const Work work = [&](std::size_t c, std::uint64_t elements) {
    return Node{rounds_cost(cycles[c], elements),
                fmt::format("rounds({})", cycles[c].dimensions.size()),
                [cycle = cycles[c], elements] { return rounds_steps(cycle, elements); }};
  };
  return offer_of(request, cycle_rounds.name(), phases(request.elements(), cycles.size(), work),
                  cycles.size() == 1 ? "floor(K/2L)(L+1) + (0, L if K mod 2L <= L, else L+1)"
                                     : "sum over phases of the slowest part's rounds");
}

}  // namespace

const PlannerEntry cycle_rounds({
    .name = "cycle-rounds",
    .machine = "cube",
    .title = "bit permutations of processor bits, 2L elements of a cycle of L bits in L+1 steps",
    .needs = "a permutation of processor bits, complements allowed, all ports",
    .cost = "one cycle: about (L+1)K/2L steps; several: sum over phases",
    .citation = "faro; the rate of Johnsson, Ho 1991 (shuffles)",
    .refusal = refusal_bit_cycles,
    .offer = offer,
});

}  // namespace faro::inline v1
