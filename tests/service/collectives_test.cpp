// Broadcasts on cubes: planned, verified, at their bounds.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/schedule.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"

namespace faro {
namespace {

enum class Kind { one_to_all, all_to_all, scatter, gather };

Request asked(int n, Hypercube::Ports ports, Kind kind, Word root = 0,
              std::optional<std::uint64_t> elements = {}) {
  const Hypercube cube{.dimensions = n, .ports = ports};
  if (kind == Kind::one_to_all)
    return Request::of(cube, Broadcast{.kind = Broadcast::Kind::one_to_all, .root = root},
                       elements);
  if (kind == Kind::all_to_all)
    return Request::of(cube, Broadcast{.kind = Broadcast::Kind::all_to_all});
  const Word all = bit(n);
  std::vector<Word> to(kind == Kind::gather ? all : all * all, Relation::nowhere);
  for (Word q = 0; q < all; ++q)
    if (q != root)
      (kind == Kind::gather ? to[q] : to[root * all + q]) = kind == Kind::gather ? root : q;
  return Request::of(cube, Relation{std::move(to)}, kind == Kind::gather ? 1 : all);
}

constexpr auto both = {Hypercube::Ports::all, Hypercube::Ports::one};

TEST(Collectives, all_to_all_scatter_and_gather_meet_their_bounds) {
  Random random(61);
  for (int n = 1; n <= (testing::full_run() ? 10 : 7); ++n)
    for (const auto ports : both)
      for (const Kind kind : {Kind::all_to_all, Kind::scatter, Kind::gather}) {
        const MachinePlan made = plan(asked(n, ports, kind, random.below(bit(n))));
        SCOPED_TRACE(::testing::Message() << made.planner() << " n=" << n);
        EXPECT_TRUE(made.ok());
        for (const Verdict& verdict : made.verdicts()) {
          EXPECT_TRUE(verdict.ok()) << verdict.by;
          EXPECT_EQ(verdict.delivered, verdict.expected);
        }
        const Count others = (Count{1} << n) - 1;
        const Count links = ports == Hypercube::Ports::one ? 1 : static_cast<Count>(n);
        EXPECT_EQ(made.value(), ceil_div(others, links));
        EXPECT_EQ(made.bound().value, made.value());
      }
}

// By the plan for all ports, its dimensions in turn.
TEST(Collectives, scatter_and_gather_take_any_number_of_ports) {
  for (int n = 3; n <= 5; ++n)
    for (int ports = 2; ports < n; ++ports)
      for (const Kind kind : {Kind::scatter, Kind::gather}) {
        const MachinePlan made = plan(asked(n, Hypercube::Ports{ports}, kind, 1));
        SCOPED_TRACE(::testing::Message() << "n=" << n << " ports=" << ports);
        EXPECT_TRUE(made.ok());
        EXPECT_EQ(made.bound().value, ceil_div((Count{1} << n) - 1, static_cast<Count>(ports)));
        EXPECT_LE(made.value(), made.bound().value + made.bound().value / 4);
      }
}

TEST(Collectives, one_to_all_is_optimal) {
  Random random(62);
  for (int n = 1; n <= 6; ++n)
    for (const auto ports : both)
      for (const std::uint64_t k : {1U, 2U, 3U, 5U, 6U, 12U, 17U}) {
        const MachinePlan made = plan(asked(n, ports, Kind::one_to_all, random.below(bit(n)), k));
        SCOPED_TRACE(::testing::Message() << "n=" << n << " K=" << k);
        EXPECT_TRUE(made.ok());
        ASSERT_EQ(made.verdicts().size(), 2U);  // replay and proof
        const Count sent = ports == Hypercube::Ports::one ? Count{k} : ceil_div(Count{k}, n);
        EXPECT_EQ(made.value(), sent + n - 1);
        EXPECT_EQ(made.bound().value, made.value());
      }
}

TEST(Collectives, one_to_all_is_proved_for_two_to_the_sixty_processors) {
  const MachinePlan made = plan(asked(60, Hypercube::Ports::all, Kind::one_to_all, bit(59) | 5, 7));
  EXPECT_TRUE(made.ok());
  EXPECT_EQ(made.value(), Count{60});
  EXPECT_EQ(made.bound().value, Count{60});
}

// A rule or a move less, and both verifiers say no.
class WithoutOne : public ScheduleSink {
 public:
  WithoutOne(std::uint64_t left_out, ScheduleSink& sink) : left_out_(left_out), sink_(sink) {}
  void begin(const ScheduleHeader& header) override { sink_.begin(header); }
  void step(const CubeStep& step) override {
    CubeStep kept = step;
    const auto drop = [this](auto& items) {
      if (left_out_ < items.size())
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(left_out_));
      left_out_ -= items.size();  // wraps once it is done
    };
    drop(kept.rules);
    if (kept.rules == step.rules) drop(kept.moves);
    sink_.step(kept);
  }
  void finish() override { sink_.finish(); }

 private:
  std::uint64_t left_out_;
  ScheduleSink& sink_;
};

TEST(Collectives, a_schedule_with_a_move_less_is_refused) {
  for (const auto ports : both)
    for (const Kind kind : {Kind::one_to_all, Kind::all_to_all, Kind::scatter, Kind::gather}) {
      const MachinePlan made = plan(asked(4, ports, kind, 12));
      for (std::uint64_t i = 0; i < 4; ++i)
        for (const bool proof : {true, false}) {
          const auto verifier = proof ? make_proof() : make_replay();
          WithoutOne broken(i, *verifier);
          made.push(broken);
          EXPECT_FALSE(verifier->verdict().ok()) << made.planner() << " " << i << " " << proof;
        }
    }
}

TEST(Collectives, what_a_cube_does_not_do_is_refused_in_words) {
  const Hypercube cube{.dimensions = 3};
  EXPECT_THROW(Request::of(cube, Broadcast{.kind = Broadcast::Kind::personalised}), Error);
  EXPECT_THROW(asked(3, Hypercube::Ports::all, Kind::one_to_all, 8), Error);
  EXPECT_THROW(plan(asked(11, Hypercube::Ports::all, Kind::all_to_all)), Error);
  for (const Kind kind : {Kind::one_to_all, Kind::all_to_all})
    EXPECT_THROW(asked(4, Hypercube::Ports{2}, kind), Error);
  // A relation that is neither: processor 1 sends to itself too.
  std::vector<Word> to(8, 0);
  to[1] = 1;
  to[0] = Relation::nowhere;
  EXPECT_THROW(plan(Request::of(cube, Relation{to}, 1)), Error);
}

}  // namespace
}  // namespace faro
