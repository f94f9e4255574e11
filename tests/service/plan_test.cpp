// plan(): verified, bounded, the cheapest that applies, refusals in words.
#include "faro/service/plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "draft.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::cube_request_of;
using testing::gray_to_binary;

TEST(MachinePlan, is_verified_and_bounded) {
  const MachinePlan made = plan(cube_request_of(4, gray_to_binary({4}), 2));
  EXPECT_EQ(made.formula().value, made.value());
  EXPECT_EQ(made.value(), Count{3});
  EXPECT_EQ(made.bound().value, Count{3});
  EXPECT_EQ(made.gap(), Count{0});
  EXPECT_EQ(made.expression(), made.planner());
  ASSERT_EQ(made.verdicts().size(), 2U);
  EXPECT_TRUE(made.verdicts()[0].ok() && made.verdicts()[1].ok() && made.ok());
  ASSERT_EQ(made.crossings().size(), 4U);
  EXPECT_EQ(made.crossings()[3], Count{0});
  EXPECT_EQ(made.crossings()[0], Count{16});  // half of 32 elements
}

TEST(MachinePlan, in_words_is_the_same_plan) {
  const MachinePlan words = plan("a:4 -> ungray(a)", "cube:4", {.elements = 7});
  const MachinePlan typed = plan(cube_request_of(4, gray_to_binary({4}), 7));
  EXPECT_EQ(words.fingerprint(), typed.fingerprint());
  EXPECT_EQ(words.fingerprint().size(), 32U);
  EXPECT_EQ(words.request().text(), typed.request().text());
  EXPECT_THROW(plan(typed.request(), {.elements = 8}), Error);
}

TEST(MachinePlan, takes_the_cheapest_that_applies_and_obeys_a_pin) {
  const Request request = cube_request_of(4, gray_to_binary({4}), 7);
  const MachinePlan best = plan(request);
  std::size_t refused = 0;
  std::size_t offered = 0;
  for (const Considered& c : best.considered()) {
    refused += c.refusal ? 1U : 0U;
    offered += c.estimate ? 1U : 0U;
    EXPECT_EQ((c.refusal ? 1 : 0) + (c.estimate ? 1 : 0) + (c.not_asked.empty() ? 0 : 1), 1)
        << c.planner->name();
    if (c.estimate) {
      EXPECT_LE(best.value(), c.estimate->cost.value);
    }
  }
  EXPECT_GT(refused, 20U);
  EXPECT_GT(offered, 2U);
  const MachinePlan pinned = plan(request, {.algorithm = "affine-shop"});
  EXPECT_EQ(pinned.planner(), "affine-shop");
  EXPECT_EQ(pinned.considered().size(), 1U);
}

TEST(MachinePlan, says_why_a_pinned_algorithm_does_not_apply) {
  const std::vector<int> reversed{2, 1, 0};
  const Request request = cube_request_of(3, BitMap::from_places(reversed), 1);
  try {
    plan(request, {.algorithm = "minimum-path"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::impossible);
    EXPECT_NE(std::string(e.what()).find("Gray"), std::string::npos);
  }
  try {
    plan(request, {.algorithm = "minimal-path"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("'minimum-path'"), std::string::npos) << e.what();
  }
}

TEST(MachinePlan, pushes_a_header_with_cost_and_bound_as_often_as_wanted) {
  const MachinePlan made = plan(cube_request_of(4, gray_to_binary({4}), 2));
  for (int times = 0; times < 2; ++times) {
    RecordingSink sink;
    made.push(sink);
    EXPECT_EQ(sink.header.cost, made.cost());
    EXPECT_EQ(sink.header.bound, made.bound());
    EXPECT_EQ(sink.header.map_text, made.request().text());
    EXPECT_EQ(sink.cube_steps.size(), 3U);
  }
}

// One chain of three dimensions, K = 64: the ring takes max(3, 32/B) + 1 steps of 4 + B.
TEST(MachinePlan, prices_choose_the_schedule_that_is_written) {
  const std::vector<int> places{0, 1, 2, 3, 4, 6, 7, 8, 5};
  const Request request =
      Request::of(Hypercube{.dimensions = 3},
                  MapGoal{.map = BitMap::from_places(places), .cut = true, .memory_bits = 6});
  RecordingSink sink;
  PlanOptions options;
  options.packets = PacketPrices{.startup = 3, .transfer = 1, .packet_elements = 0};
  const MachinePlan made = plan(request, options);
  made.push(sink);
  ASSERT_TRUE(made.packets().has_value());
  const PacketReport& packets = *made.packets();
  EXPECT_EQ(packets.prices.packet_elements, 8U);
  EXPECT_EQ(packets.startups, made.value());
  EXPECT_EQ(sink.header.elements, 8U);
  EXPECT_EQ(sink.header.planner, packets.planner);
  EXPECT_TRUE(made.ok());
  EXPECT_EQ(made.asked().elements(), 64U);
  ASSERT_TRUE(packets.below && packets.above);
  EXPECT_EQ(packets.below->packet_elements, 4U);
  EXPECT_EQ(packets.above->packet_elements, 16U);
  EXPECT_LT(packets.below->startup, 3);
  EXPECT_GT(packets.above->startup, 3);
  options.packets->startup = -1;
  EXPECT_THROW(plan(request, options), Error);
}

// N1 a + N2 b + N3 c: Nassimi and Sahni charge a route a start-up however long it is.
TEST(MachinePlan, a_mesh_is_priced_by_routes_units_and_operations) {
  PlanOptions options;
  options.packets = PacketPrices{.startup = 1000, .transfer = 1};
  const MachinePlan mesh = plan("i -> rev(i)", "mesh:8x8", options);
  EXPECT_EQ(mesh.packets()->time, 12 * 1000 + 28);
  EXPECT_EQ(mesh.packets()->startups, 12U);
  EXPECT_EQ(plan("i -> rev(i)", "torus:8x8").planner(), "mesh-gamma");
  EXPECT_THROW(plan("i -> rev(i)", "cube:6", {.packets = PacketPrices{.operation = 1}}), Error);
}

// Whatever the prices, no planner that applies takes less time than the one that is chosen, and the
// time is that of the counted schedule.
// Groups of more processors than there are groups, up to 2^12 processors in all, and groups whose
// tables of relays would be too large.
TEST(MachinePlan, shuffles_of_a_pops_network_meet_their_bounds) {
  const auto meets = [](const std::string& map, Word group, Word groups) {
    const MachinePlan made = plan(Request::of(map, to_string(Machine{Pops{group, groups, false}})));
    EXPECT_EQ(made.value(), made.bound().value) << map << " " << group << " " << groups;
    EXPECT_TRUE(made.ok());
  };
  for (int bits = 3; bits <= 12; ++bits)
    for (int of_group = (bits + 1) / 2; of_group < bits; ++of_group)
      for (const char* rotation : {"rot(i,1)", "rot(i,-1)"})
        meets("i:" + std::to_string(bits) + " -> " + rotation, bit(of_group), bit(bits - of_group));
  meets("h:8 l:8 -> zip(h,l)", bit(15), 2);
  meets("i:16 -> ~i", bit(15), 2);
}

TEST(MachinePlan, prices_of_a_mesh_choose_the_planner) {
  std::set<std::string> chosen;
  const Request request = Request::of("i -> rev(i)", "torus:8x8", 5);
  for (const double startup : {0.0, 1.0, 300.0})
    for (const double operation : {0.0, 0.5, 8.0}) {
      PlanOptions options;
      options.packets = PacketPrices{.startup = startup, .transfer = 1, .operation = operation};
      const auto time = [&](const Cost& c) {
        return startup * static_cast<double>(c.long_routes) +
               5 * (static_cast<double>(c.unit_routes) +
                    operation * static_cast<double>(c.register_ops));
      };
      const MachinePlan made = plan(request, options);
      EXPECT_TRUE(made.ok());
      EXPECT_EQ(made.planner(), made.packets()->planner);
      // Without start-ups nothing is saved by sending all five at once.
      EXPECT_EQ(made.packets()->prices.packet_elements, startup > 0 ? 5U : 1U);
      EXPECT_DOUBLE_EQ(made.packets()->time, time(made.listed_cost()));
      for (const char* other : {"mesh-permute", "torus-permute", "torus-digit", "mesh-gamma"})
        EXPECT_LE(made.packets()->time,
                  time(plan(request.with_elements(1), {.algorithm = other}).cost()))
            << other;
      chosen.insert(std::string(made.planner()));
    }
  EXPECT_GE(chosen.size(), 3U);
}

TEST(MachinePlan, packets_hold_no_more_than_a_processor_and_take_a_time_that_is_a_number) {
  PlanOptions options{.elements = 100};
  for (const std::uint64_t packet : {std::uint64_t{100}, std::uint64_t{101}, ~std::uint64_t{0}}) {
    options.packets = PacketPrices{.startup = 10, .transfer = 1, .packet_elements = packet};
    const MachinePlan made = plan("a:4 -> ungray(a)", "cube:4", options);
    EXPECT_EQ(made.packets()->prices.packet_elements, 100U);
    EXPECT_EQ(made.packets()->time, 330);
    EXPECT_TRUE(made.ok());
  }
  options.packets = PacketPrices{.startup = 1e308, .transfer = 1e308, .packet_elements = 0};
  EXPECT_THROW(plan("a:4 -> ungray(a)", "cube:4", options), Error);
}

TEST(MachinePlan, its_bound_is_checked_in_the_file_that_it_writes) {
  for (const auto& [map, machine, elements] :
       {std::tuple("a:60 -> ungray(a)", "cube:60", 100), std::tuple("i:6 -> rev(i)", "mesh:8x8", 3),
        std::tuple("i:8 -> rev(i)", "pops:32,8", 1), std::tuple("i:3 -> rot(i, 1)", "ranks:8", 4),
        std::tuple("i:4 -> rev(i)", "torus:4x4,all-links", 2)}) {
    PlanOptions options;
    options.elements = static_cast<std::uint64_t>(elements);
    const MachinePlan made = plan(map, machine, options);
    for (const Verdict& verdict : made.verdicts())
      EXPECT_TRUE(!verdict.ok() || verdict.bound == Verdict::BoundAnswer::checked) << machine;
    EXPECT_NE(made.json().find("\"kind\""), std::string::npos) << machine;
  }
}

// An own planner: exchanges the neighbours of dimension 0, or nothing in its second schedule.
class Swapper : public Planner {
 public:
  explicit Swapper(std::string_view name, bool changes_its_mind = false)
      : about_{name, "cube", "swaps neighbours", "i ^ 1", "1", "a test"},
        changes_its_mind_(changes_its_mind) {}
  const About& about() const override { return about_; }
  std::optional<std::string> refusal(const Request& request) const override {
    if (request.is_map() && request.map() == MapGoal{.map = swap}) return std::nullopt;
    return "it swaps neighbours";
  }
  Offer offer(const Request& request) const override {
    return {.estimate = {.cost = {1, "1"}},
            .push =
                [this, request, times = std::make_shared<int>(0)](ScheduleSink& sink) {
                  sink.begin(header_of(request, name(), 1));
                  CubeStep step;
                  if (!changes_its_mind_ || ++*times == 1)
                    step.rules.push_back({.where = {}, .from = 0, .across = 0, .to = 0});
                  sink.step(step);
                  sink.finish();
                },
            .expression = "swap(0)"};
  }
  static inline const BitMap swap = BitMap::from_places(std::vector<int>{0, 1}, 1);

 private:
  About about_;
  bool changes_its_mind_;
};

TEST(MachinePlan, own_planners_are_found_by_their_names_and_never_replaced) {
  const Request request = cube_request_of(2, Swapper::swap, 1);
  const Swapper mine("mine");
  const MachinePlan named = plan(request, {.algorithm = "mine", .planners = {&mine}});
  EXPECT_EQ(named.planner(), "mine");
  EXPECT_EQ(named.expression(), "swap(0)");
  EXPECT_TRUE(named.ok());
  EXPECT_EQ(plan(request, {.planners = {&mine}}).planner(), "mine");  // first among equals
  const MachinePlan alone =
      plan(request, {.planners = {&mine}, .ask = PlanOptions::Ask::own_planners});
  EXPECT_EQ(alone.considered().size(), 1U);
  const auto refused = [&](const PlanOptions& options) {
    try {
      plan(request, options);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(
      refused(
          {.algorithm = "affine-shop", .planners = {&mine}, .ask = PlanOptions::Ask::own_planners}),
      ErrorCode::usage);
  EXPECT_EQ(refused({.algorithm = "mine"}), ErrorCode::usage);
  const Swapper thief("affine-shop");
  EXPECT_EQ(refused({.planners = {&thief}}), ErrorCode::usage);
  EXPECT_EQ(refused({.planners = {nullptr}}), ErrorCode::usage);
}

TEST(MachinePlan, what_was_not_verified_does_not_pass) {
  const Swapper fickle("fickle", true);
  const MachinePlan made =
      plan(cube_request_of(2, Swapper::swap, 1), {.algorithm = "fickle", .planners = {&fickle}});
  EXPECT_TRUE(made.ok());
  struct Sink : RecordingSink {
    bool finished = false;
    void finish() override { finished = true; }
  } sink;
  EXPECT_THROW(made.push(sink), InternalError);
  EXPECT_FALSE(sink.finished);
}

TEST(MachinePlan, what_nobody_could_verify_is_not_ok_and_not_pushed) {
  const Request request = cube_request_of(2, Swapper::swap, 1);
  const MachinePlan unverified = plan(request, {.verify = VerifyBy::nobody});
  EXPECT_FALSE(unverified.ok());
  RecordingSink sink;
  unverified.push(sink);  // as asked
  EXPECT_FALSE(sink.cube_steps.empty());
  const MachinePlan unprovable =
      plan("i -> rev(i)", fmt::format("ranks:2^{}", limits::proof_listed_places_log2_max - 14),
           {.elements = limits::register_pieces_max + 1,
            .algorithm = "ranks-rounds",
            .verify = VerifyBy::proof});
  EXPECT_FALSE(unprovable.ok());
  EXPECT_THROW(unprovable.push(sink), Error);
}

TEST(Request, is_checked_when_it_is_made) {
  const auto code = [](auto&& make) {
    try {
      make();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  using List = std::vector<std::uint64_t>;
  const Machine cube = Hypercube{.dimensions = 2};
  const Machine mesh = Mesh{.sides_log2 = {1, 1}};
  for (const Machine& machine : {cube, mesh, Machine{Pops{2, 2, false}}})
    for (const List& list : {List{1, 0, 2, 9}, List{1, 0}, List{0, 0, 0, 0}, List{}, List(16)})
      EXPECT_EQ(code([&] { Request::of(machine, Destinations{list}); }), ErrorCode::usage);
  const BitMap five = BitMap::identity(5);
  EXPECT_EQ(code([&] { Request::of(cube, MapGoal{.map = five}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(cube, MapGoal{five, true, 2}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(cube, MapGoal{five, true, -1}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(cube, MapGoal{five, true, 6}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(cube, MapGoal{five, true, 3}, 4); }), ErrorCode::usage);
  EXPECT_EQ(Request::of(cube, MapGoal{five, true, 3}).elements(), 8U);
  EXPECT_EQ(code([&] {
              Request::of(Pops{3, 2, false}, MapGoal{.map = five});
            }),
            ErrorCode::impossible);
  EXPECT_EQ(code([&] { Request::of(Hypercube{.dimensions = -1}, MapGoal{}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(Hypercube{.dimensions = 70}, MapGoal{}); }), ErrorCode::limit);
  EXPECT_EQ(code([&] { Request::of(Mesh{.sides_log2 = {-1}}, MapGoal{}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(Mesh{}, MapGoal{}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(Pops{0, 4, false}, Destinations{}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(cube, MapGoal{.map = BitMap::identity(2)}, 0); }),
            ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(mesh, Relation{{0, 1, 2, 3}}); }), ErrorCode::impossible);
  EXPECT_EQ(code([&] { Request::of(cube, Relation{{0, 1, 2}}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(Pops{2, 2, false}, Relation{{0, 1, 2}}); }), ErrorCode::usage);
  EXPECT_EQ(code([&] { Request::of(Hypercube{.dimensions = 50}, Destinations{}); }),
            ErrorCode::limit);
}

TEST(Request, a_list_that_a_map_says_is_that_map) {
  const Request list = Request::of(Hypercube{.dimensions = 2}, Destinations{{0, 1, 3, 2}}, 5);
  ASSERT_TRUE(list.is_map());
  EXPECT_TRUE(list.destinations().empty());
  EXPECT_EQ(list.map().map, BitMap::from_columns(std::vector<Word>{1, 3}));
  EXPECT_EQ(list.elements(), 5U);
  EXPECT_EQ(plan(list).fingerprint(),
            plan("i:2 -> gray(i)", "cube:2", {.elements = 5}).fingerprint());
  EXPECT_FALSE(
      Request::of(Hypercube{.dimensions = 3}, Destinations{{1, 0, 2, 3, 4, 5, 6, 7}}).is_map());
}

TEST(Catalogue, names_are_unique_and_found) {
  for (const Planner* p : catalogue()) EXPECT_EQ(find_planner(p->name()), p);
  EXPECT_EQ(find_planner("none of this name"), nullptr);
}

}  // namespace
}  // namespace faro
