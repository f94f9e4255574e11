// One request at every place: what it costs, what it is compared with, who judged it, and what each
// place refuses.
#include "faro/places/placed_plan.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/words/say.hpp"

namespace faro::inline v1 {
namespace {

using Shape = std::vector<std::uint64_t>;

std::string refusal(const MoveRequest& request, std::string_view place,
                    const PlaceOptions& options = {}) {
  try {
    static_cast<void>(plan(request, place, options));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PlacedPlan, one_request_is_asked_of_every_place) {
  const MoveRequest transpose{.words = "r:4 c:4 -> c r"};
  const auto memory = plan(transpose, "memory");
  EXPECT_EQ(memory.place(), "memory");
  EXPECT_EQ(memory.cost(), Count{1});
  EXPECT_EQ(memory.bound(), Count{1});
  EXPECT_EQ(memory.unit(), "passes");
  EXPECT_TRUE(memory.ok());
  EXPECT_TRUE(std::holds_alternative<PermutePlan>(memory.plan()));

  const auto disk = plan({.words = "i:30 -> rev(i)"}, "disk:memory=64MiB,run=64KiB");
  EXPECT_EQ(disk.place(), "disk");
  EXPECT_EQ(disk.cost(), disk.bound());
  EXPECT_EQ(disk.cost(), Count{std::get<FilePermutePlan>(disk.plan()).facts().passes.size()});
  EXPECT_GT(disk.cost(), Count{1});
  EXPECT_TRUE(disk.ok());

  const auto exchange = plan({.words = "i:8 -> rev(i)", .element_bytes = 8}, "ranks:4");
  EXPECT_EQ(exchange.place(), "exchange");
  EXPECT_EQ(exchange.unit(), "bytes moved");
  EXPECT_EQ(exchange.cost(), exchange.bound());
  EXPECT_EQ(exchange.cost(), Count{256 * 3 / 4 * 8});
  EXPECT_TRUE(exchange.ok());

  const MoveRequest blocks{.words = "dtensor:(3,) [Shard(0)] => dtensor:(3,) [Shard(1)]",
                           .shape = Shape{6, 9},
                           .element_bytes = 2};
  const auto placements = plan(blocks, "ranks:3");
  EXPECT_EQ(placements.place(), "placements");
  EXPECT_EQ(placements.cost(), Count{6 * 9 * 2 * 2 / 3});
  EXPECT_EQ(placements.cost(), placements.bound());
  EXPECT_TRUE(placements.ok());

  const auto machine = plan({.words = "a:6 -> ungray(a)", .elements = 100}, "cube:6");
  EXPECT_EQ(machine.place(), "machine");
  EXPECT_EQ(machine.cost(), Count{61});
  EXPECT_EQ(machine.bound(), Count{61});
  EXPECT_EQ(machine.unit(), "steps");
  EXPECT_TRUE(machine.ok());
}

TEST(PlacedPlan, without_bytes_ranks_are_a_machine) {
  EXPECT_EQ(plan({.words = "p:2 | m:6 -> m[5:4] | m[3:0] p"}, "ranks:4").place(), "machine");
}

TEST(PlacedPlan, in_memory_any_shape_is_moved_as_say_says) {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const Shape shape{1 + random.below(9), 1 + random.below(9), 1 + random.below(9)};
    const char* const words[] = {"a b c -> c a b", "a b c -> ~b c a", "numpy:np.roll(a, 2)",
                                 "numpy:np.flip(a)"};
    const MoveRequest request{
        .words = words[random.below(4)], .shape = shape, .element_bytes = 1 + random.below(8)};
    const auto planned = plan(request, "memory");
    ASSERT_TRUE(planned.ok()) << request.words;
    const Map map = say(request.words, {.shape = shape}).map;
    std::vector<std::byte> from(static_cast<std::size_t>(map.elements()) * *request.element_bytes);
    for (std::byte& byte : from) byte = static_cast<std::byte>(random.below(256));
    std::vector<std::byte> to(from.size());
    std::get<PermutePlan>(planned.plan()).execute(from, to);
    for (Word x = 0; x < map.elements(); ++x)
      ASSERT_EQ(0,
                std::memcmp(from.data() + x * *request.element_bytes,
                            to.data() + map(x) * *request.element_bytes, *request.element_bytes));
  }
}

TEST(PlacedPlan, nothing_costs_nothing) {
  const auto stays = plan({.words = "i:5 -> i"}, "memory", {.in_place = true});
  EXPECT_EQ(stays.cost(), Count{0});
  EXPECT_EQ(stays.bound(), Count{0});
  EXPECT_EQ(plan({.words = "i:5 -> i"}, "memory").cost(), Count{1});
}

TEST(PlacedPlan, in_place_takes_as_many_passes_as_the_engine_says) {
  const auto planned =
      plan({.words = "i:18 -> rot(i, 5)", .element_bytes = 4}, "memory", {.in_place = true});
  const PlanFacts& facts = std::get<PermutePlan>(planned.plan()).facts();
  EXPECT_TRUE(facts.in_place);
  EXPECT_EQ(planned.cost(), Count{facts.passes.size()});
  EXPECT_EQ(planned.bound(), Count{1});
  EXPECT_TRUE(planned.ok());
}

TEST(PlacedPlan, what_nobody_tried_is_not_ok) {
  const auto planned = plan({.words = "i:40 -> rev(i)", .element_bytes = 1}, "memory");
  EXPECT_FALSE(planned.ok());
  EXPECT_EQ(planned.cost(), Count{1});
}

TEST(PlacedPlan, relabelled_ranks_are_compared_with_the_best_relabelling) {
  const MoveRequest swapped{.words = "p:2 | m:6 -> p[0] p[1] | m", .element_bytes = 1};
  EXPECT_GT(plan(swapped, "ranks:4").cost(), Count{0});
  const auto relabelled = plan(swapped, "ranks:4", {.relabel = true});
  EXPECT_EQ(relabelled.cost(), Count{0});
  EXPECT_EQ(relabelled.bound(), Count{0});
}

TEST(PlacedPlan, json_is_one_object_that_names_its_format) {
  const auto format = [](const PlacedPlan& p) {
    return nlohmann::json::parse(p.json()).at("format").get<std::string>();
  };
  EXPECT_EQ(format(plan({.words = "i:4 -> rev(i)"}, "memory")), "faro-memory-plan/1");
  EXPECT_EQ(format(plan({.words = "i:4 -> rev(i)"}, "cube:4")), "faro-plan/1");
  EXPECT_EQ(format(plan({.words = "i:4 -> rev(i)", .element_bytes = 1}, "ranks:2")),
            "faro-exchange/1");
}

TEST(PlacedPlan, what_a_place_does_not_know_is_refused_by_name) {
  const MoveRequest request{.words = "i:4 -> rev(i)"};
  EXPECT_NE(refusal(request, "memory", {.relabel = true}).find("--relabel: --on memory takes"),
            std::string::npos);
  EXPECT_NE(refusal(request, "disk:memory=1GiB", {.in_place = true}).find("--in-place: --on disk"),
            std::string::npos);
  EXPECT_NE(refusal({.words = "i:4 -> rev(i)", .elements = 4}, "memory").find("--elements: "),
            std::string::npos);
  EXPECT_NE(refusal(request, "memory:fast").find("no words of its own"), std::string::npos);
  EXPECT_NE(refusal(request, "disk").find("how much memory?"), std::string::npos);
  EXPECT_NE(refusal(request, "tape:3"), "");
  EXPECT_NE(refusal(request, "ranks:4", {.nodes = 2}).find("--element-bytes too"),
            std::string::npos);
}

}  // namespace
}  // namespace faro::inline v1
