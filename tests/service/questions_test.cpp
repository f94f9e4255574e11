// Every kind of question goes through the one plan(): its planner is found, its schedule is judged,
// its report says who was considered, and a planner that answers another question is found out.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "faro/faro.hpp"
#include "faro/schedules/cost.hpp"
#include "files/scratch.hpp"

namespace faro {
namespace {

struct Planned {
  const char* name;
  Machine machine;
  Question question;
  const char* planner;
  Count value;
  Count bound;
};

std::vector<Planned> questions() {
  const ButterflyNetwork network{.index_bits = 6, .encoding = Encoding::binary_gray};
  const Pops square{4, 4, false};
  return {
      {"network", Hypercube{.dimensions = 3}, network, "butterfly-sectioning", 4, 4},
      {"sort", Hypercube{.dimensions = 3}, BitonicSort{network}, "bitonic-sort", 25, 8},
      {"product", square, MatrixProduct{4}, "pops-matmul", 6, 6},
      {"one to all", square, Broadcast{.root = 5}, "pops-one-to-all", 1, 1},
      {"all to all", square, Broadcast{.kind = Broadcast::Kind::all_to_all}, "pops-all-to-all", 15,
       15},
      {"personalised", square, Broadcast{.kind = Broadcast::Kind::personalised},
       "pops-personalised", 16, 16},
  };
}

TEST(Questions, get_a_verified_plan_with_its_planner_cost_and_bound) {
  for (const Planned& asked : questions()) {
    SCOPED_TRACE(asked.name);
    const MachinePlan made = plan(Request::of(asked.machine, asked.question));
    EXPECT_EQ(made.planner(), asked.planner);
    EXPECT_EQ(made.value(), asked.value);
    EXPECT_EQ(made.bound().value, asked.bound);
    EXPECT_EQ(made.formula().value, made.value());
    EXPECT_TRUE(made.ok());
    CostCounter counted;
    made.push(counted);
    EXPECT_EQ(counted.cost(), made.cost());
    EXPECT_EQ(plan(made.request(), {.algorithm = asked.planner}).fingerprint(), made.fingerprint());
  }
}

TEST(Questions, by_another_kind_of_planner_are_refused) {
  const Request map = Request::of("i:3 -> rev(i)", "cube:3");
  const Request list = Request::of(Pops{2, 2, false}, Destinations{{1, 2, 0, 3}});
  std::size_t refused = 0;
  for (const Planned& asked : questions())
    for (const Request& request : {map, list}) {
      EXPECT_TRUE(find_planner(asked.planner)->refusal(request)) << asked.planner;
      EXPECT_TRUE(
          find_planner("minimum-path")->refusal(Request::of(asked.machine, asked.question)));
      ++refused;
    }
  EXPECT_EQ(refused, 12U);
}

TEST(Questions, that_compute_push_what_a_processor_must_know) {
  struct Passes : CompiledSink {
    int passes = 0;
    int butterflies = 0;
    bool finished = false;
    void begin(const ScheduleHeader&) override {}
    void begin_pass(int number) override { passes = number + 1; }
    void step(const CompiledStep& step) override {
      EXPECT_EQ(step.rule_indices.size(), step.step.butterfly_rules.size());
      EXPECT_EQ(step.indices.size(), step.step.butterflies.size());
      butterflies += static_cast<int>(step.step.butterfly_rules.size());
    }
    void finish() override { finished = true; }
  };
  for (const Planned& asked : questions()) {
    const MachinePlan made = plan(Request::of(asked.machine, asked.question));
    Passes passes;
    if (std::holds_alternative<Pops>(asked.machine)) {
      EXPECT_THROW(made.push(passes), Error);
      continue;
    }
    made.push(passes);
    EXPECT_TRUE(passes.finished);
    // A network has one pass, which need not be told.
    EXPECT_EQ(std::max(passes.passes, 1), asked.question.index() == 4 ? 6 : 1);
  }
}

TEST(Questions, are_written_and_verified_as_files) {
  const testing::Scratch scratch;
  const std::string path = scratch.path("s.json");
  for (const Planned& asked : questions()) {
    SCOPED_TRACE(asked.name);
    const MachinePlan made = plan(Request::of(asked.machine, asked.question));
    made.write(path);
    const VerifyReport report = verify_schedule_file(path);
    EXPECT_TRUE(report.verdict.ok());
    EXPECT_EQ(report.verdict.cost, made.cost());
    EXPECT_EQ(report.fingerprint, made.fingerprint());
    EXPECT_TRUE(verify_file(path).ok());
  }
  EXPECT_THROW(verify_file(path, {.by = VerifyBy::nobody}), Error);
  EXPECT_THROW(verify_file(scratch.path("absent.json")), Error);
}

TEST(MachinePlan, reports_who_was_considered_with_value_or_reason) {
  const MachinePlan made = plan("a:6 -> ungray(a)", "cube:6", {.elements = 100});
  const auto json = nlohmann::json::parse(made.json());
  EXPECT_EQ(json.at("format"), "faro-plan/1");
  EXPECT_EQ(json.at("fingerprint"), made.fingerprint());
  EXPECT_EQ(json.at("expression"), made.expression());
  const auto& considered = json.at("considered");
  ASSERT_EQ(considered.size(), made.considered().size());
  std::size_t offers = 0;
  std::size_t refusals = 0;
  for (std::size_t i = 0; i < considered.size(); ++i) {
    const auto& one = considered[i];
    EXPECT_EQ(one.at("name"), made.considered()[i].planner->name());
    EXPECT_EQ(one.count("value") + one.count("refusal") + one.count("not_asked"), 1U);
    offers += one.count("value");
    refusals += one.count("refusal");
    if (one.at("name") == "minimum-path") {
      EXPECT_GT(one.at("value"), 61);
      EXPECT_FALSE(one.at("paper").at("citation").get<std::string>().empty());
    }
  }
  EXPECT_GT(offers, 2U);
  EXPECT_GT(refusals, 20U);
}

// Says what it is told to: another goal, another cost.
class Liar : public Planner {
 public:
  enum class About_ { nothing, map, elements, machine, list, cost };
  explicit Liar(About_ lie) : lie_(lie) {}
  const About& about() const override {
    static const About about{.name = "liar",
                             .machine = "cube",
                             .title = "lies",
                             .needs = "",
                             .cost = "",
                             .citation = "a test"};
    return about;
  }
  std::optional<std::string> refusal(const Request&) const override { return {}; }
  Offer offer(const Request& request) const override {
    return {.estimate = {.cost = {lie_ == About_::cost ? 0U : 1U, "1"}},
            .push = [lie = lie_, request](ScheduleSink& sink) {
              ScheduleHeader header = header_of(request, "liar", 1);
              if (lie == About_::map) header.goal = MapGoal{.map = BitMap::identity(2)};
              if (lie == About_::elements) header.elements = 2;
              if (lie == About_::machine) header.machine = Hypercube{.dimensions = 3};
              if (lie == About_::list)
                header.goal = MovesGoal{{{0, 0, 1, 0}, {1, 0, 0, 0}, {2, 0, 3, 0}, {3, 0, 3, 0}}};
              sink.begin(header);
              CubeStep step;
              step.rules.push_back({.where = {}, .from = 0, .across = 0, .to = 0});
              sink.step(step);
              sink.finish();
            }};
  }

 private:
  About_ lie_;
};

TEST(MachinePlan, a_planner_that_answers_another_question_is_found_out) {
  using Lie = Liar::About_;
  const Request request = Request::of("i:2 -> i ^ 1", "cube:2");
  const Liar honest(Lie::nothing);
  EXPECT_TRUE(plan(request, {.algorithm = "liar", .planners = {&honest}}).ok());
  const std::vector<std::pair<Lie, const char*>> lies = {{Lie::map, "goal is another"},
                                                         {Lie::elements, "2 elements"},
                                                         {Lie::machine, "cube:3"},
                                                         {Lie::list, "element 0 of processor 3"},
                                                         {Lie::cost, "promised 0 steps"}};
  for (const auto& [lie, message] : lies) {
    const Liar liar(lie);
    try {
      plan(request, {.algorithm = "liar", .verify = VerifyBy::nobody, .planners = {&liar}});
      FAIL() << message;
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(MachinePlan, searches_as_a_last_resort_only_where_nobody_else_applies) {
  const ButterflyNetwork network{.index_bits = 5, .encoding = Encoding::binary_gray};
  const Request request = Request::of(Hypercube{.dimensions = 3}, network);
  const MachinePlan quick = plan(request, {.searches = PlanOptions::Searches::last_resort});
  std::size_t not_asked = 0;
  for (const Considered& c : quick.considered()) {
    const bool would_search = c.planner->searches() && !c.refusal;
    EXPECT_EQ(!c.not_asked.empty(), would_search) << c.planner->name();
    not_asked += would_search ? 1U : 0U;
  }
  EXPECT_GT(not_asked, 0U);
  EXPECT_LE(plan(request).value(), quick.value());
}

}  // namespace
}  // namespace faro
