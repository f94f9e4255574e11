// Registers beside a dense array: gates that move nothing, and exchanges performed by loopback.
#include "faro/distributed/register.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>

#include "faro/algebra/notation.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro {
namespace {

using distributed::Register;

// The dense array, by index, and the distributed one, by place.
struct Both {
  explicit Both(int bits, int rank_bits)
      : place(bits, rank_bits), dense(bit(bits)), apart(bit(bits)) {
    std::iota(dense.begin(), dense.end(), Word{0});
    apart = dense;
  }
  void gate(const BitMap& map) {
    std::vector<Word> to(dense.size());
    for (Word i = 0; i < dense.size(); ++i) to[map(i)] = dense[i];
    dense = std::move(to);
  }
  ExchangePlan perform(const BitMap& move) {
    const ExchangePlan plan =
        ExchangePlan::make(move, place.rank_bits(), sizeof(Word), {.in_place = true});
    exchange_in_process_in_place(plan, std::as_writable_bytes(std::span(apart)));
    return plan;
  }
  bool agree() const {
    const BitMap where = place.where();
    for (Word i = 0; i < dense.size(); ++i) {
      if (apart[where(i)] != dense[i]) return false;
      for (int b = 0; b < place.bits(); ++b) {
        if (place.value(b, where(i)) != has_bit(i, b)) return false;
        if ((where(i) ^ where(i ^ bit(b))) != place.step(b)) return false;
      }
    }
    return true;
  }

  Register place;
  std::vector<Word> dense, apart;
};

BitMap cnot_map(int bits, int control, int target) {
  BitMatrix matrix = BitMatrix::identity(bits);
  matrix.set_column(control, bit(control) | bit(target));
  return BitMap::from_matrix(matrix);
}

BitMap swap_map(int bits, int a, int b) {
  std::vector<int> place(static_cast<std::size_t>(bits));
  std::iota(place.begin(), place.end(), 0);
  std::swap(place[static_cast<std::size_t>(a)], place[static_cast<std::size_t>(b)]);
  return BitMap::from_places(place);
}

int random_gate(Both& both, Random& random) {
  const int bits = both.place.bits();
  const int a = static_cast<int>(random.below(static_cast<std::uint64_t>(bits)));
  const int b = static_cast<int>(random.below(static_cast<std::uint64_t>(bits)));
  const auto kind = random.below(4);
  if (kind == 0 || a == b) {
    both.place.x(a);
    both.gate(BitMap::from_matrix(BitMatrix::identity(bits), bit(a)));
  } else if (kind == 1) {
    both.place.cnot(a, b);
    both.gate(cnot_map(bits, a, b));
  } else if (kind == 2) {
    both.place.swap(a, b);
    both.gate(swap_map(bits, a, b));
  } else {
    const BitMap map = testing::random_affine(bits, random);
    both.place.absorb(map);
    both.gate(map);
  }
  return 1;
}

// What the steps of these bits span beyond the ranks.
int beyond(const Register& place, const std::vector<int>& bits) {
  std::vector<Word> ranks;
  for (const int b : bits) {
    ranks.push_back(place.local_bits() == word_bits ? 0 : place.step(b) >> place.local_bits());
  }
  return static_cast<int>(reduced_basis(ranks).size());
}

std::vector<int> random_bits(int bits, std::uint64_t count, Random& random) {
  std::vector<int> all = testing::random_places(bits, random);
  all.resize(std::min<std::size_t>(all.size(), count));
  return all;
}

TEST(Register, gates_and_exchanges_as_a_dense_array) {
  Random random(41);
  int moves = 0;
  for (int run = 0; run < (testing::full_run() ? 200 : 40); ++run) {
    const int p = static_cast<int>(random.below(4));
    const int bits = p + 1 + static_cast<int>(random.below(6));
    Both both(bits, p);
    for (int k = 0; k < 12; ++k) {
      const auto gates = random.below(6);
      for (std::uint64_t g = 0; g < gates; ++g) random_gate(both, random);
      ASSERT_TRUE(both.agree());
      if (random.below(5) == 0) {
        both.perform(both.place.home());
        ASSERT_TRUE(both.place.is_home());
        ASSERT_EQ(both.apart, both.dense);
        continue;
      }
      const auto local = static_cast<std::uint64_t>(both.place.local_bits());
      const std::vector<int> wanted = random_bits(bits, 1 + random.below(local), random);
      const std::vector<int> keep = random_bits(bits, random.below(3), random);
      const int d = beyond(both.place, wanted);
      const ExchangePlan plan = both.perform(both.place.bring_local(wanted, keep));
      for (const int b : wanted) ASSERT_TRUE(both.place.is_local(b));
      ASSERT_TRUE(both.agree());
      const Count all = Count{sizeof(Word)} << static_cast<unsigned>(bits);
      EXPECT_EQ(plan.cost().ranks.moved_bytes, all - (all >> static_cast<unsigned>(d)));
      EXPECT_EQ(plan.has_exchange(), d != 0);
      ++moves;
    }
  }
  EXPECT_GT(moves, 300);
}

// Against every linear map that makes the bits local.
TEST(Register, no_map_moves_less) {
  Random random(42);
  for (int k = 0; k < 12; ++k) {
    constexpr int bits = 4;
    Register place(bits, 2);
    place.absorb(testing::random_affine(bits, random));
    const std::vector<int> wanted = random_bits(bits, 1 + random.below(2), random);
    std::vector<Word> steps;
    for (const int b : wanted) steps.push_back(place.step(b));
    Count least = Count::largest();
    testing::for_every_matrix(bits, [&](const BitMatrix& matrix) {
      for (const Word step : steps) {
        if (matrix.apply(step) > 3) return;
      }
      const ExchangeCost cost = exchange_cost(BitMap::from_matrix(matrix), 2, 1);
      least = std::min(least, cost.ranks.least_bytes_relabelled);
    });
    const ExchangeCost mine = exchange_cost(place.bring_local(wanted), 2, 1);
    EXPECT_EQ(mine.ranks.moved_bytes, least);
  }
}

// Rank bits change places with the highest address bits that are free: whole runs, no local pass.
TEST(Register, swaps_are_exchanges_of_bits) {
  Register place(24, 4);
  const int wanted[] = {23, 19, 21, 3};
  const BitMap move = place.bring_local(wanted);
  EXPECT_EQ(move, then(swap_map(24, 23, 18), swap_map(24, 21, 17)));
  const ExchangePlan plan = ExchangePlan::make(move, 4, 16, {.in_place = true});
  EXPECT_FALSE(plan.has_local_map());
  EXPECT_EQ(plan.cost().partners, 3U);
  const int all[] = {23, 22, 21, 20};
  const int keep[] = {18, 19};
  const Register before = place;
  place.bring_local(all, keep);
  EXPECT_FALSE(before.is_local(18));
  EXPECT_TRUE(place.is_local(19));
  for (const int b : all) EXPECT_TRUE(place.is_local(b));
}

TEST(Register, keeps_what_has_room) {
  Register place(6, 3);
  const int wanted[] = {5};
  const int keep[] = {2, 1, 0};
  place.bring_local(wanted, keep);
  EXPECT_TRUE(place.is_local(5));
  EXPECT_TRUE(place.is_local(2));
  EXPECT_TRUE(place.is_local(1));
  EXPECT_FALSE(place.is_local(0));
}

// One-qubit gates on amplitudes: pairs by step, which of the two by value.
TEST(Register, amplitudes_of_a_state) {
  using Amplitude = std::complex<double>;
  constexpr int bits = 9;
  constexpr int rank_bits = 3;
  Random random(43);
  Register place(bits, rank_bits);
  std::vector<Amplitude> dense(bit(bits));
  for (Amplitude& a : dense) a = {double(random.below(100)), double(random.below(100))};
  std::vector<Amplitude> apart = dense;
  for (int k = 0; k < 60; ++k) {
    const int a = static_cast<int>(random.below(bits));
    const int b = (a + 1 + static_cast<int>(random.below(bits - 1))) % bits;
    place.cnot(a, b);
    const BitMap cnot = cnot_map(bits, a, b);
    std::vector<Amplitude> next(dense.size());
    for (Word i = 0; i < dense.size(); ++i) next[cnot(i)] = dense[i];
    // The matrix (1 2; 3i 4) on bit a.
    const auto butterfly = [](Amplitude& zero, Amplitude& one) {
      const Amplitude x = zero;
      zero = 0.3 * x + 0.2 * one;
      one = Amplitude(0, 0.3) * x + 0.4 * one;
    };
    dense = next;
    for (Word i = 0; i < dense.size(); ++i) {
      if (!has_bit(i, a)) butterfly(dense[i], dense[i | bit(a)]);
    }
    const int wanted[] = {a};
    const BitMap move = place.bring_local(wanted);
    exchange_in_process_in_place(
        ExchangePlan::make(move, rank_bits, sizeof(Amplitude), {.in_place = true}),
        std::as_writable_bytes(std::span(apart)));
    ASSERT_TRUE(place.is_local(a));
    for (Word at = 0; at < apart.size(); ++at) {
      if (!place.value(a, at)) butterfly(apart[at], apart[at ^ place.step(a)]);
    }
  }
  const BitMap where = place.where();
  for (Word i = 0; i < dense.size(); ++i) {
    ASSERT_LE(std::abs(apart[where(i)] - dense[i]), 1e-12 * std::abs(dense[i]));
  }
}

TEST(Register, refuses_what_there_is_not) {
  EXPECT_THROW(Register(3, 4), Error);
  EXPECT_THROW(Register(65, 4), Error);
  EXPECT_THROW(Register(4, -1), Error);
  Register place(6, 4);
  EXPECT_THROW(place.x(6), Error);
  EXPECT_THROW(place.cnot(1, 1), Error);
  EXPECT_THROW(place.swap(-1, 1), Error);
  EXPECT_THROW(place.absorb(BitMap::identity(5)), Error);
  const int three[] = {5, 4, 3};
  EXPECT_THROW(place.bring_local(three), Error);
  const int none[] = {7};
  EXPECT_THROW(place.bring_local({}, none), Error);
  EXPECT_TRUE(place.is_home());
  const int twice[] = {5, 5, 4};
  EXPECT_NO_THROW(place.bring_local(twice));
}

}  // namespace
}  // namespace faro
