// Certificates of what computes on a cube: butterfly networks and sorts.
//
// Every result of a network depends on every operand, and any key may belong anywhere: what begins
// at one corner must reach the other, n steps.
//
// Rank. Fix a dimension. What its far side ends with is a linear function of what its near side
// began with; all that must cross the dimension's 2^(n-1) links to the far side, one number a link
// and step. So the rank of that block of the network's matrix, over the links, is a bound. With
// generic twiddles it is no less than with any special ones: those of all stages but one or two
// pass their operands on, and the network falls apart into networks of 2 or 4 elements, whose
// ranks are computed with twiddles drawn at random from a prime field, where a rank can only come
// out too small.
//
// The first step. Let the row of a dimension at the end hold a bit b whose pairs are apart at the
// start, the row at the start not. With every stage but that of b idle, of each pair on the near
// side one result belongs on the far side, a·x + b·y with x and y in two processors q and q':
// K/2 numbers a link. What is sent first is a number of one processor. Of what q and q' send first
// at most one combination is one of those numbers, since each of them is known by its part in q. So
// the first step gives half a number a link, and K/2 steps are too few.
#include <fmt/format.h>

#include <algorithm>

#include "faro/algebra/layout.hpp"
#include "machines/certificates/check.hpp"
#include "machines/cube/ports.hpp"

namespace faro::inline v1::certificates {
namespace {

using namespace certificate;

constexpr std::uint64_t prime = 2147483647;  // 2^31 - 1

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a * b % prime;
}

std::uint64_t inverse(std::uint64_t a) {
  std::uint64_t result = 1;
  for (std::uint64_t e = prime - 2; e != 0; e >>= 1U) {
    if ((e & 1U) != 0) result = product(result, a);
    a = product(a, a);
  }
  return result;
}

using Matrix = std::vector<std::vector<std::uint64_t>>;

std::uint64_t rank_of(Matrix rows) {
  std::uint64_t rank = 0;
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  for (std::size_t c = 0; c < columns && rank < rows.size(); ++c) {
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][c] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[pivot], rows[rank]);
    const std::uint64_t scale = inverse(rows[rank][c]);
    for (std::size_t r = rank + 1; r < rows.size(); ++r) {
      if (rows[r][c] == 0) continue;
      const std::uint64_t factor = prime - product(rows[r][c], scale);
      for (std::size_t j = c; j < columns; ++j)
        rows[r][j] = (rows[r][j] + product(factor, rows[rank][j])) % prime;
    }
    ++rank;
  }
  return rank;
}

// A generator of numbers from 1 to prime - 1 with a fixed beginning.
class Twiddles {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % (prime - 1) + 1;
  }

 private:
  std::uint64_t state_ = 20261122;
};

// result[i][j]: how result i of a network over the index bits `bits`, in the order of their stages,
// depends on operand j. Bit k of i and j stands for bits[k].
Matrix small_network(std::size_t bits) {
  const std::size_t size = bit(static_cast<int>(bits));
  Matrix matrix(size, std::vector<std::uint64_t>(size, 0));
  for (std::size_t i = 0; i < size; ++i) matrix[i][i] = 1;
  Twiddles twiddles;
  for (std::size_t s = 0; s < bits; ++s) {
    const Word other = bit(static_cast<int>(s));
    for (Word i = 0; i < size; ++i) {
      if ((i & other) != 0) continue;
      const std::uint64_t a = twiddles.next();
      const std::uint64_t b = twiddles.next();
      const std::uint64_t c = twiddles.next();
      const std::uint64_t d = twiddles.next();
      for (std::size_t j = 0; j < size; ++j) {
        const std::uint64_t x = matrix[i][j];
        const std::uint64_t y = matrix[i | other][j];
        matrix[i][j] = (product(a, x) + product(b, y)) % prime;
        matrix[i | other][j] = (product(c, x) + product(d, y)) % prime;
      }
    }
  }
  return matrix;
}

// The rank of the block from operands on one side of the dimension to results on the other, where
// the stages of `bits` alone combine anything. Sides: the parity of an index with start and end.
Count rank_over(const std::vector<int>& bits, int width, Word start, Word end) {
  const Matrix network = small_network(bits.size());
  const auto spread = [&](Word small) {
    Word index = 0;
    for (std::size_t k = 0; k < bits.size(); ++k)
      if (has_bit(small, static_cast<int>(k))) index |= bit(bits[k]);
    return index;
  };
  Word own = 0;
  for (const int b : bits) own |= bit(b);
  Count sum = 0;
  // The other bits of the index say which sides a small network's places are on.
  for (const unsigned from : {0U, 1U})
    for (const unsigned to : {0U, 1U}) {
      std::vector<Parity> others = {{start & ~own, from}, {end & ~own, to}};
      for (const int b : bits) others.push_back({bit(b), 0});
      const AffineSpace alike = AffineSpace::where(width, others);
      if (alike.empty()) continue;
      Matrix block;
      for (Word i = 0; i < network.size(); ++i) {
        if ((parity(spread(i) & end) ^ to) == 0) continue;
        block.emplace_back();
        for (Word j = 0; j < network.size(); ++j)
          if ((parity(spread(j) & start) ^ from) == 0) block.back().push_back(network[i][j]);
      }
      sum += (Count{1} << alike.dimension()) * rank_of(std::move(block));
    }
  return sum;
}

// What the first step leaves, the largest over all dimensions.
Count first_step_bound(const ButterflyGoal& goal) {
  const int n = goal.processor_bits;
  const int m = goal.index_bits - n;
  const Count elements = Count{1} << static_cast<unsigned>(m);
  const BitMap place = place_of(goal.layout());
  Word apart = 0;  // bits whose pairs are in two processors
  for (int d = 0; d < n; ++d) apart |= place.matrix().row(m + d);
  Count most = 0;
  for (int d = 0; d < n; ++d) {
    const Word start = place.matrix().row(m + d);
    const Word held = goal.final_processor_rows[static_cast<std::size_t>(n - 1 - d)] & apart;
    if ((held & start) != 0) most = std::max(most, elements);  // the rank of that stage alone
    if (held != 0) most = std::max(most, elements / 2 + 1);
  }
  return most;
}

Proved of_rank(const Hypercube& cube, const ButterflyGoal& goal, int dimension) {
  const int n = cube.dimensions;
  const int p = goal.index_bits;
  if (dimension >= n) return fault("the certificate names a dimension beyond the cube");
  const auto row = static_cast<std::size_t>(n - 1 - dimension);
  if (goal.final_processor_rows.size() != static_cast<std::size_t>(n))
    return fault("the goal does not say where results end");
  const Word start = place_of(goal.layout()).matrix().row(p - n + dimension);
  const Word end = goal.final_processor_rows[row];
  // Stages in the order of the network; the sides' own bits decide, so only they and their
  // neighbours are tried.
  std::vector<int> tried;
  const Word near = start | end;
  for (int b = 0; b < p; ++b)
    if (has_bit(near | (near << 1U) | (near >> 1U), b)) tried.push_back(b);
  if (goal.order == ButterflyGoal::Order::most_significant_first)
    std::reverse(tried.begin(), tried.end());
  Count most = 0;
  for (std::size_t a = 0; a < tried.size(); ++a) {
    most = std::max(most, rank_over({tried[a]}, p, start, end));
    for (std::size_t b = a + 1; b < tried.size(); ++b)
      most = std::max(most, rank_over({tried[a], tried[b]}, p, start, end));
  }
  return {std::max(ceil_div(most, Count{1} << (n - 1)), first_step_bound(goal))};
}

}  // namespace

Proved network_proves(const Hypercube& cube, const ButterflyGoal& goal, const Bound& bound) {
  const int n = cube.dimensions;
  const bool sort = goal.computation == ButterflyGoal::Computation::sort;
  if (std::holds_alternative<Distance>(bound.certificate)) return {static_cast<Count>(n)};
  if (const auto* c = std::get_if<Cut>(&bound.certificate); c != nullptr && sort) {
    // The keys of the processors inside may all belong outside, if there is as much room.
    for (const Parity& p : c->where)
      if ((p.mask & ~low_mask(n)) != 0)
        return fault("the certificate's cut names a bit beyond the cube");
    const AffineSpace inside = AffineSpace::where(n, c->where);
    Word crossed = 0;
    for (const Parity& p : inside.constraints()) crossed |= p.mask;
    if (inside.empty() || crossed == 0) return {0};
    const int links = std::min(std::popcount(crossed), ports_of(cube));
    const Count keys = Count{1} << (goal.index_bits - goal.processor_bits);
    return {ceil_div(keys, static_cast<Count>(links))};
  }
  if (const auto* c = std::get_if<Rank>(&bound.certificate); c != nullptr && !sort)
    return of_rank(cube, goal, c->dimension);
  return other_machine();
}

}  // namespace faro::inline v1::certificates
