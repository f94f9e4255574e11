// Schedules performed on real processes: one message a move, and a judge that looks at elements.
#include <gtest/gtest.h>
#include <mpi.h>

#include "faro/base/error.hpp"
#include "faro/schedules/cost.hpp"
#include "mpi/counted.hpp"
#include "mpi_cli/schedule_ranks.hpp"
#include "schedules/expand.hpp"

namespace faro {
namespace {

class Schedules : public ::testing::Test {
 protected:
  Schedules() : ranks(MPI_COMM_WORLD), bits(log2_exact(static_cast<Word>(ranks.size()))) {}

  // `extra` bits of processors within a rank.
  RecordingSink complement_on_cube(int extra) const {
    RecordingSink schedule;
    const int n = bits + extra;
    schedule.header.machine = Hypercube{.dimensions = n, .ports = Hypercube::Ports::all};
    schedule.header.goal = MapGoal{.map = BitMap::from_matrix(BitMatrix::identity(n), low_mask(n))};
    schedule.header.elements = 2;
    schedule.header.slots = 2;
    for (int d = 0; d < n; ++d) {
      for (const Slot s : {0U, 1U}) {
        CubeStep step;
        step.rules.push_back({.from = s, .across = d, .to = s});
        schedule.cube_steps.push_back(step);
      }
    }
    return schedule;
  }

  // Pushes it and says whether everything arrived; messages are what was sent, and one a move.
  bool performs(const RecordingSink& schedule, std::uint64_t element_bytes) {
    mpi_cli::ScheduleRanks performer(ranks, {}, element_bytes);
    CostCounter counter;
    ExpandingSink expanding(performer);
    TeeSink both({&expanding, &counter});
    testing::take_sent();
    schedule.replay_into(both);
    const testing::Sent sent = testing::take_sent();
    EXPECT_EQ(sent.messages, performer.sent().messages);
    EXPECT_EQ(sent.bytes, performer.sent().messages * element_bytes);
    messages = ranks.sum(sent.messages);
    moves = messages + ranks.sum(performer.sent().copies);
    counted = counter.cost();
    return performer.arrived();
  }

  mpi::Communicator ranks;
  int bits;
  std::uint64_t messages = 0;
  std::uint64_t moves = 0;
  Cost counted;
};

TEST_F(Schedules, one_message_a_move_of_a_cube) {
  const RecordingSink schedule = complement_on_cube(0);
  EXPECT_TRUE(performs(schedule, 24));
  EXPECT_EQ(Count{messages}, counted.remote_moves);
}

TEST_F(Schedules, processors_of_a_rank_copy) {
  const RecordingSink schedule = complement_on_cube(2);
  EXPECT_TRUE(performs(schedule, 3));
  EXPECT_EQ(Count{moves}, counted.remote_moves);
  EXPECT_EQ(messages, static_cast<std::uint64_t>(ranks.size()) * 8U * static_cast<unsigned>(bits));
}

TEST_F(Schedules, an_element_that_does_not_arrive_is_found) {
  RecordingSink schedule = complement_on_cube(1);
  schedule.cube_steps.pop_back();
  EXPECT_FALSE(performs(schedule, 8));
}

TEST_F(Schedules, listed_moves_on_a_mesh_with_all_links) {
  const int n = bits + 1;
  RecordingSink schedule;
  schedule.header.machine =
      Mesh{.sides_log2 = {n}, .wrap = Mesh::Wrap::orthogonal, .links = Mesh::Links::all};
  schedule.header.slots = 1;
  MovesGoal goal;
  CubeStep step;
  for (Word p = 0; p < bit(n); ++p) {
    const Word next = (p + 1) & low_mask(n);
    step.moves.push_back({p, 0, next, 0});
    goal.moves.push_back({p, 0, next, 0});
  }
  schedule.header.goal = goal;
  schedule.cube_steps.push_back(step);
  EXPECT_TRUE(performs(schedule, 8));
  // Of two processors on a rank the second sends to the next rank.
  EXPECT_EQ(messages, ranks.size() == 1 ? 0U : static_cast<std::uint64_t>(ranks.size()));
  EXPECT_EQ(Count{moves}, counted.remote_moves);
}

TEST_F(Schedules, slots_of_a_switch) {
  RecordingSink schedule;
  schedule.header.machine = Crossbar{.bits = bits};
  schedule.header.goal =
      MapGoal{.map = BitMap::from_matrix(BitMatrix::identity(bits), low_mask(bits))};
  schedule.header.slots = 2;
  schedule.header.result = {1};
  PopsSlot slot;
  PopsRule rule;
  rule.into = 1;
  for (int r = bits - 1; r >= 0; --r) rule.to.push_back({bit(r), 1});
  slot.rules.push_back(rule);
  schedule.pops_slots.push_back(slot);
  EXPECT_TRUE(performs(schedule, 16));
  EXPECT_EQ(messages, ranks.size() == 1 ? 0U : static_cast<std::uint64_t>(ranks.size()));
}

TEST_F(Schedules, other_machines_are_refused_by_name) {
  RecordingSink schedule;
  schedule.header.machine = Pops{.group_size = 4, .groups = 2};
  mpi_cli::ScheduleRanks performer(ranks, {}, 8);
  try {
    performer.begin(schedule.header);
    ADD_FAILURE() << "a star was taken";
  } catch (const mpi::AgreedError& error) {
    EXPECT_EQ(error.code(), ErrorCode::impossible);
    EXPECT_NE(std::string(error.what()).find("pops:4,2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace faro
