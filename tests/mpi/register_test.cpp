// Gates absorbed by a Register, and what it asks for performed on real processes.
#include "faro/distributed/register.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>

#include "faro/mpi/mpi_plan.hpp"
#include "maps.hpp"
#include "mpi/communicator.hpp"
#include "mpi/counted.hpp"

namespace faro {
namespace {

class RegisterOverMpi : public ::testing::Test {
 protected:
  static constexpr int bits = 12;

  RegisterOverMpi()
      : ranks(MPI_COMM_WORLD),
        rank_bits(log2_exact(static_cast<Word>(ranks.size()))),
        place(bits, rank_bits),
        gates(BitMap::identity(bits)),
        elements(bit(bits - rank_bits)),
        first(static_cast<Word>(ranks.rank()) * elements) {
    for (Word k = 0; k < elements; ++k) data.push_back(first + k);
  }

  // In one exchange, of as many bytes as its plan says.
  void perform(const BitMap& move) {
    MpiPlan plan(MPI_COMM_WORLD, move, sizeof(Word), {.exchange = {.in_place = true}});
    testing::take_sent();
    plan.execute_in_place(std::as_writable_bytes(std::span(data)));
    const testing::Sent sent = testing::take_sent();
    moved = ranks.sum(sent.bytes + sent.all_to_all_bytes);
    EXPECT_EQ(Count{moved}, plan.plan().cost().ranks.moved_bytes);
  }

  // Every element, which says the index it had at first, is where the register says.
  void expect_in_place() const {
    const BitMap now = then(gates, place.where());
    std::uint64_t wrong = 0;
    for (Word k = 0; k < elements; ++k) wrong += now(data[k]) == first + k ? 0U : 1U;
    EXPECT_EQ(wrong, 0U) << "rank " << ranks.rank();
  }

  mpi::Communicator ranks;
  int rank_bits;
  distributed::Register place;
  BitMap gates;  // all that were absorbed
  std::uint64_t elements;
  Word first;
  std::vector<Word> data;
  std::uint64_t moved = 0;
};

TEST_F(RegisterOverMpi, gates_cost_nothing_and_home_is_one_exchange) {
  Random random(41);
  for (int round = 0; round < 12; ++round) {
    const BitMap gate = testing::random_affine(bits, random);
    place.absorb(gate);
    gates = then(gates, gate);
    expect_in_place();
    const int wanted[] = {static_cast<int>(random.below(bits)), bits - 1 - round % 3};
    if (wanted[0] == wanted[1]) continue;
    perform(place.bring_local(wanted));
    expect_in_place();
    for (const int b : wanted) EXPECT_TRUE(place.is_local(b)) << b;
  }
  perform(place.home());
  EXPECT_TRUE(place.is_home());
  expect_in_place();
}

TEST_F(RegisterOverMpi, a_rank_bit_moves_half_of_the_data) {
  if (rank_bits == 0) GTEST_SKIP() << "no bit of a rank";
  const int wanted[] = {bits - 1};
  perform(place.bring_local(wanted));
  EXPECT_EQ(moved, bit(bits) * sizeof(Word) / 2);
  expect_in_place();
}

}  // namespace
}  // namespace faro
