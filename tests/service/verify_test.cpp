// verify_schedule() of right, wrong and malformed files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "paths.hpp"
#include "schedules/expand.hpp"
#include "schedules/map_goal.hpp"
#include "service/claimed_bound.hpp"

namespace faro {
namespace {

constexpr const char* exchange =
    R"({"format":"faro-schedule/1","machine":{"kind":"hypercube","dimensions":1,"ports":"all"},)"
    R"("map":"i -> ~i","elements":1,"slots":1,"steps":[{"rules":[{"slot":0,"across":0,"to":0}]}]})";

VerifyReport judged(const std::string& text, VerifyOptions options = {}) {
  TextSource source(text);
  return verify_schedule(source, options);
}

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  return text.replace(text.find(old), old.size(), fresh);
}

TEST(VerifySchedule, a_right_schedule_is_proved_and_replayed) {
  const VerifyReport report = judged(exchange);
  EXPECT_TRUE(report.verdict.ok());
  EXPECT_EQ(report.verdict.by, "both");
  EXPECT_EQ(judged(exchange, {VerifyBy::proof, {}}).verdict.by, "proof");
  EXPECT_EQ(judged(exchange, {VerifyBy::replay, {}}).verdict.by, "replay");
}

TEST(VerifySchedule, the_goal_asked_for_counts_not_the_files) {
  EXPECT_FALSE(judged(exchange, {VerifyBy::both, "identity"}).verdict.ok());
  EXPECT_TRUE(
      judged(with(exchange, "i -> ~i", "identity"), {VerifyBy::both, "i -> ~i"}).verdict.ok());
}

TEST(VerifySchedule, breaches_of_the_form_are_violations) {
  const VerifyReport broken = judged(with(exchange, "\"slots\":1", "\"slots\":-1"));
  EXPECT_FALSE(broken.verdict.ok());
  EXPECT_EQ(broken.verdict.by, "reader");
  EXPECT_EQ(broken.verdict.violations.at(0).rule, "range");
  const VerifyReport unknown_map = judged(with(exchange, "i -> ~i", "tornado"));
  EXPECT_EQ(unknown_map.verdict.violations.at(0).rule, "map");
  EXPECT_THROW(judged("{"), Error);
}

// One step would do; the bound says three.
constexpr const char* detour =
    R"({"format":"faro-schedule/1","machine":{"kind":"hypercube","dimensions":1,"ports":"all"},)"
    R"("map":"i -> ~i","elements":1,"slots":1,"bound":{"value":3,"reason":"so they say"},)"
    R"("steps":[{"rules":[{"slot":0,"across":0,"to":0}]},)"
    R"({"rules":[{"slot":0,"across":0,"to":0}]},)"
    R"({"rules":[{"slot":0,"across":0,"to":0}]}]})";

// What nobody proves is called so, and what a plan disproves is wrong.
TEST(VerifySchedule, a_bound_without_a_certificate_is_tried_by_planning) {
  for (const VerifyBy by : {VerifyBy::automatic, VerifyBy::replay, VerifyBy::proof}) {
    const Verdict verdict = judged(detour, {by, {}}).verdict;
    EXPECT_FALSE(verdict.ok());
    ASSERT_EQ(verdict.violation_count, 1U);
    EXPECT_EQ(verdict.violations[0].rule, "bound-claim");
    EXPECT_NE(verdict.violations[0].message.find("takes 1"), std::string::npos);
  }
  const VerifyReport least = judged(with(detour, "\"value\":3", "\"value\":1"));
  EXPECT_TRUE(least.verdict.ok());
  EXPECT_EQ(least.verdict.bound, Verdict::BoundAnswer::claimed);
  const auto object = nlohmann::json::parse(verdict_json(least));
  EXPECT_EQ(object.at("bound").at("checked"), false);
  EXPECT_EQ(object.at("bound").at("why_not"), "it has no certificate");
}

// Other goals, machines and numbers of elements in turn are not taken for each other.
TEST(VerifySchedule, what_was_planned_for_a_goal_is_that_of_its_goal) {
  const std::string still = with(detour, "i -> ~i", "i -> i");
  const std::string two =
      with(with(detour, "\"elements\":1", "\"elements\":2"), "\"slots\":1", "\"slots\":2");
  const std::string one_port = with(detour, "\"ports\":\"all\"", "\"ports\":\"one\"");
  ClaimedBounds claims;
  int found = 0;
  for (int round = 0; round < 3; ++round)
    for (const std::string& file :
         {std::string(detour), still, two, one_port, with(detour, "\"value\":3", "\"value\":1"),
          with(two, "\"value\":3", "\"value\":2")}) {
      TextSource source(file);
      const VerifyReport many = verify_schedule(source, {}, claims);
      EXPECT_EQ(verdict_json(many), verdict_json(judged(file)));
      for (const Violation& v : many.verdict.violations) found += v.rule == "bound-claim" ? 1 : 0;
    }
  EXPECT_EQ(found, 6);  // the two machines of one step, three times
}

TEST(VerifySchedule, the_verdict_is_one_object_of_its_format) {
  const auto object = nlohmann::json::parse(verdict_json(judged(exchange)));
  EXPECT_EQ(object.at("format"), "faro-verdict/1");
  EXPECT_EQ(object.at("ok"), true);
  EXPECT_EQ(object.at("cost"), nlohmann::json::parse(R"({"steps":1,"remote_moves":2})"));
  EXPECT_EQ(object.at("delivered"), 2);
  EXPECT_EQ(object.at("expected"), 2);
  EXPECT_TRUE(object.at("violations").empty());
  const auto no =
      nlohmann::json::parse(verdict_json(judged(with(exchange, "\"across\":0", "\"across\":1"))));
  EXPECT_EQ(no.at("ok"), false);
  EXPECT_EQ(no.at("violations").at(0).at("rule"), "dimension-range");
  EXPECT_EQ(no.at("violations").at(0).at("step"), 0);
}

// A schedule, who judges it, and where its first violation is: what the verifier knows of it.
struct Wrong {
  const char* header;
  const char* steps;
  VerifyBy by;
  const char* rule;
  const char* at;
};

constexpr const char* on_cube = R"("machine":{"kind":"hypercube","dimensions":2,"ports":"all"},)"
                                R"("map":"i -> ~i","elements":1,"slots":2,"steps":)";
constexpr const char* one_port = R"("machine":{"kind":"hypercube","dimensions":2,"ports":"one"},)"
                                 R"("map":"i -> ~i","elements":1,"slots":2,"steps":)";
constexpr const char* links =
    R"("machine":{"kind":"mesh","shape":[2,2],"wrap":"none","links":"all"},)"
    R"("map":"i -> ~i","elements":1,"slots":2,"steps":)";
constexpr const char* mesh = R"("machine":{"kind":"mesh","shape":[2,2],"wrap":"none"},)"
                             R"("map":"i -> ~i","elements":1,"slots":3,"program":)";
constexpr const char* pops = R"("machine":{"kind":"pops","d":2,"g":2},"map":"i -> ~i",)"
                             R"("elements":1,"slots":2,"result":0,"slots_list":)";
constexpr const char* ranks = R"("machine":{"kind":"ranks","processors":4},"map":"i -> ~i",)"
                              R"("elements":1,"slots":2,"result":0,"slots_list":)";
constexpr const char* butterfly =
    R"("machine":{"kind":"hypercube","dimensions":1,"ports":"all"},)"
    R"("problem":{"kind":"butterfly","n":1,"p":2,"allocation":"consecutive","encoding":"binary",)"
    R"("order":"msb","in_place":false,"final":{"proc":["0x2"]}},"elements":2,"slots":2,"steps":)";
constexpr const char* never_read =
    R"([{"moves":[[0,0,1,0]]},{"moves":[[1,0,3,1],[3,1,2,1],[2,0,0,1]]}])";
constexpr const char* far = R"([{"moves":[[0,0,1,1],[0,0,3,1]]}])";
constexpr const char* crossing =
    R"([{"rules":[{"slot":0,"across":0,"to":1},{"if":[[2,1]],"slot":0,)"
    R"("across":0,"to":0}]}])";

// By replay and by proof.
void add_of_both(std::vector<Wrong>& list, VerifyBy by) {
  list.push_back({on_cube, R"([{"moves":[[0,0,1,1],[0,0,3,1]]}])", by, "not-a-link",
                  R"({"processor":0,"to":3,"slot":0,"in":"moves","move":1})"});
  list.push_back({on_cube, R"([{},{"moves":[[1,0,0,0],[3,1,2,1]]}])", by, "reads-empty",
                  R"({"processor":3,"to":2,"slot":1,"dimension":0,"in":"moves","move":1})"});
  list.push_back({on_cube, crossing, by, "link-twice",
                  R"({"processor":2,"to":3,"dimension":0,"in":"rules","move":1})"});
  list.push_back({on_cube, R"([{"rules":[{"if":[[3,1]],"slot":1,"across":1,"to":0}]}])", by,
                  "reads-empty",
                  R"({"processor":1,"to":3,"slot":1,"dimension":1,"in":"rules","move":0})"});
  list.push_back({on_cube, R"([{"moves":[[1,0,0,1],[2,0,0,1]]}])", by, "two-writes",
                  R"({"processor":2,"to":0,"slot":1,"dimension":1,"in":"moves","move":1})"});
  list.push_back({on_cube, R"([{"rules":[{"slot":0,"across":2,"to":0}]}])", by, "dimension-range",
                  R"({"dimension":2,"in":"rules","move":0})"});
  list.push_back({one_port, R"([{"moves":[[0,0,1,1],[1,0,3,1]]}])", by, "one-port",
                  R"({"processor":1,"dimension":1,"in":"moves","move":1})"});
  list.push_back(
      {mesh, R"([{"op":"route","dim":0,"by":2}])", by, "distance-range", R"({"dimension":0})"});
  list.push_back({pops,
                  R"([{"rules":[{"if":[],"register":1,"to":[["0x1",0],["0x2",0]],)"
                  R"("into":0}]}])",
                  by, "R5", nullptr});
  list.push_back(
      {links, far, by, "not-a-link", R"({"processor":0,"to":3,"slot":0,"in":"moves","move":1})"});
  list.push_back({links, never_read, by, "reads-empty",
                  R"({"processor":3,"to":2,"slot":1,"dimension":0,"in":"moves","move":1})"});
  list.push_back({links, R"([{"moves":[[1,0,0,1],[2,0,0,1]]}])", by, "two-writes",
                  R"({"processor":2,"to":0,"slot":1,"dimension":1,"in":"moves","move":1})"});
  list.push_back({links, R"([{"moves":[[1,0,0,1],[1,0,0,0]]}])", by, "link-twice",
                  R"({"processor":1,"to":0,"slot":0,"dimension":0,"in":"moves","move":1})"});
  list.push_back({butterfly, R"([{"moves":[[0,0,1,0],[0,1,1,1]]}])", by, "link-twice",
                  R"({"processor":0,"to":1,"dimension":0,"in":"moves","move":1})"});
}

void add_others(std::vector<Wrong>& list) {
  // Two of one processor are no pair: replay names the first, proof the one that is wrong.
  list.push_back({butterfly, R"([{"butterflies":[[0,0,1,0]]}])", VerifyBy::replay, "pair",
                  R"({"processor":0,"slot":0,"in":"butterflies","move":0})"});
  list.push_back({butterfly, R"([{"butterflies":[[0,0,1,0]]}])", VerifyBy::proof, "pair",
                  R"({"processor":0,"slot":1,"in":"butterflies","move":0})"});
  list.push_back({mesh, "[]", VerifyBy::replay, "not-delivered", R"({"processor":3,"slot":1})"});
  list.push_back({pops, R"([{"sends":[[0,0,[0]],[1,0,[0]]]}])", VerifyBy::replay, "R1",
                  R"({"processor":1,"in":"sends","move":1})"});
  list.push_back({pops, R"([{"sends":[[0,0,[0]]],"receives":[[1,0,1],[2,0,1]]}])", VerifyBy::replay,
                  "R4", R"({"to":2,"slot":1,"in":"receives","move":1})"});
  list.push_back({ranks, R"([{"sends":[[0,0,[1]],[2,0,[0,3]]]}])", VerifyBy::replay, "R10",
                  R"({"processor":2,"slot":0,"in":"sends","move":1})"});
}

TEST(VerifySchedule, a_violation_says_where_it_is) {
  std::vector<Wrong> list;
  for (const VerifyBy by : {VerifyBy::replay, VerifyBy::proof}) add_of_both(list, by);
  add_others(list);
  for (const Wrong& wrong : list) {
    const std::string text =
        std::string("{\"format\":\"faro-schedule/1\",") + wrong.header + wrong.steps + "}";
    const VerifyReport report = judged(text, {wrong.by, {}});
    const auto object = nlohmann::json::parse(verdict_json(report));
    SCOPED_TRACE(text + " by " + report.verdict.by);
    ASSERT_EQ(report.verdict.answer, Verdict::Answer::no);
    const auto found = std::find_if(
        object.at("violations").begin(), object.at("violations").end(),
        [&](const nlohmann::json& violation) { return violation.at("rule") == wrong.rule; });
    ASSERT_NE(found, object.at("violations").end()) << object.at("violations").dump();
    if (wrong.at != nullptr) {
      EXPECT_EQ(found->at("at"), nlohmann::json::parse(wrong.at)) << found->dump();
    } else {
      EXPECT_EQ(found->at("at").at("in"), "rules") << found->dump();
      EXPECT_EQ(found->at("at").at("slot"), 1) << found->dump();
    }
  }
}

// docs/versions.md promises it.
TEST(VerifySchedule, files_of_all_formats_are_read_for_ever) {
  std::ifstream list(testing::source_path("tests/data/schedules/fingerprints.txt"));
  std::string name;
  std::string fingerprint;
  int files = 0;
  while (list >> name >> fingerprint) {
    const VerifyReport report =
        verify_schedule_file(testing::source_path("tests/data/schedules/" + name));
    EXPECT_TRUE(report.verdict.ok()) << name;
    EXPECT_TRUE(report.warnings.empty()) << name;
    EXPECT_EQ(report.fingerprint, fingerprint) << name;
    ++files;
  }
  EXPECT_EQ(files, 9);
}

// A stranger's file: what replay and proof say of it is what they say of its laps, and at the same
// step.
TEST(VerifySchedule, a_loop_is_judged_as_its_laps) {
  std::ifstream in(testing::source_path("tests/data/schedules/loop-cube.json"));
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const std::vector<std::vector<std::string>> changes = {
      {"\"laps\":999", "\"laps\":998", "\"laps\":1000", "\"laps\":1001", "\"laps\":1"},
      {"[0,1]", "[0,-1]", "[1,0]", "[0,2]", "[0,0]", "[1,1]"},
      {"[1,0]", "[1,1]", "[0,0]", "[2,0]", "[0,1]", "[1,-1]"},
      {"\"slot\":1000,\"across\":1,\"to\":0", "\"slot\":1000,\"across\":0,\"to\":0",
       "\"slot\":1000,\"across\":1,\"to\":1", "\"slot\":999,\"across\":1,\"to\":0"},
      {"\"slots\":1001", "\"slots\":1000", "\"slots\":1002"},
      {"\"elements\":1000", "\"elements\":999"},
      {"\"steps\":1001", "\"steps\":1000"}};
  int wrong = 0;
  for (const std::vector<std::string>& change : changes)
    for (std::size_t i = 1; i < change.size(); ++i) {
      const std::string text = with(good, change[0], change[i]);
      SCOPED_TRACE(change[0] + " -> " + change[i]);
      const VerifyReport looped = judged(text, {VerifyBy::both, {}});
      if (!looped.verdict.ok()) ++wrong;
      TextSink laps;
      TextSource source(text);
      JsonWriter writer(laps);
      UnrollingSink unroll(writer);
      struct Deaf : ReadListener {
        void breach(Count, const std::string&, const std::string&) override {}
        void warning(const std::string&) override {}
      } deaf;
      read_schedule(source, unroll,
                    {[](std::string_view map, const Machine& machine, std::uint64_t elements) {
                       return map_goal_from(map, machine, elements);
                     },
                     {}},
                    deaf);
      const VerifyReport listed = judged(laps.text(), {VerifyBy::both, {}});
      if (text.find("-1]") != std::string::npos) {  // malformed: left out as a whole
        EXPECT_FALSE(looped.verdict.ok());
        continue;
      }
      EXPECT_NE(looped.fingerprint, listed.fingerprint);
      EXPECT_EQ(looped.verdict.answer, listed.verdict.answer);
      EXPECT_EQ(looped.verdict.cost, listed.verdict.cost);
      EXPECT_EQ(looped.verdict.delivered, listed.verdict.delivered);
      ASSERT_EQ(looped.verdict.violations.size(), listed.verdict.violations.size());
      for (std::size_t v = 0; v < listed.verdict.violations.size(); ++v) {
        EXPECT_EQ(looped.verdict.violations[v].step, listed.verdict.violations[v].step);
        EXPECT_EQ(looped.verdict.violations[v].message, listed.verdict.violations[v].message);
      }
    }
  EXPECT_GT(wrong, 15);
}

TEST(VerifySchedule, one_collision_in_a_loop_is_found_at_its_lap) {
  const std::string text =
      R"({"format":"faro-schedule/2","machine":{"kind":"hypercube","dimensions":1,"ports":"all"},)"
      R"("map":"i:1 -> i","elements":5000,"slots":5000,"steps":[{"loop":{"laps":4000,"body":[)"
      R"({"rules":[{"slot":9,"to":0,"advance":[0,1]},{"slot":9,"to":3777}]}]}}]})";
  for (const VerifyBy by : {VerifyBy::replay, VerifyBy::proof}) {
    const Verdict verdict = judged(text, {by, {}}).verdict;
    ASSERT_FALSE(verdict.ok());
    EXPECT_EQ(verdict.violations[0].rule, "two-writes");
    EXPECT_EQ(verdict.violations[0].step, 3777U);
  }
}

TEST(VerifySchedule, more_laps_than_replay_performs_are_proved) {
  const std::string text =
      R"({"format":"faro-schedule/2","machine":{"kind":"hypercube","dimensions":1,"ports":"all"},)"
      R"("map":"i:1 -> i","elements":1,"slots":1,"steps":[{"loop":{"laps":1000000000,"body":[)"
      R"({"rules":[{"slot":0,"to":0}]}]}}]})";
  const Verdict verdict = judged(text).verdict;
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.by, "proof");
  try {
    judged(text, {VerifyBy::replay, {}});
    FAIL() << "judged";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit) << error.what();
  }
}

// A register of its own for the result of every processor: samples read it like the others.
TEST(VerifySchedule, samples_know_where_each_processor_keeps_its_result) {
  const std::string kept =
      R"({"format":"faro-schedule/1","machine":{"kind":"pops","d":2,"g":2,"multi_receive":false},)"
      R"("map":"i:2 -> i","elements":1,"slots":4,"result":[0,1,0,1],"slots_list":[{"rules":[)"
      R"({"if":[["0x1",1]],"register":0,"to":[["0x2",0],["0x1",0]],"into":1}]},{"rules":[)"
      R"({"if":[["0x1",0]],"register":0,"to":[["0x2",0],["0x1",1]],"into":0}]}]})";
  EXPECT_TRUE(judged(kept, {VerifyBy::both, {}}).verdict.ok());
  const Verdict sampled = judged(kept, {VerifyBy::samples, {}}).verdict;
  EXPECT_EQ(sampled.answer, Verdict::Answer::unprovable);
  EXPECT_EQ(sampled.delivered, Count{1000});
  const Verdict swapped =
      judged(with(kept, "[0,1,0,1]", "[1,0,0,1]"), {VerifyBy::samples, {}}).verdict;
  EXPECT_EQ(swapped.answer, Verdict::Answer::no);
  // In any register, or in registers of some processors alone: nothing to follow from.
  for (const char* result : {"[]", "[0,1]", "[0,1,0,1,0]"})
    EXPECT_EQ(judged(with(kept, "[0,1,0,1]", result), {VerifyBy::samples, {}}).verdict.answer,
              Verdict::Answer::unprovable)
        << result;
}

// Replay keeps 2^22 slots of a processor: of more nobody asks it unless it is named.
TEST(VerifySchedule, more_slots_than_replay_keeps_are_proved) {
  const VerifyReport report = judged(with(exchange, "\"slots\":1", "\"slots\":4194305"));
  EXPECT_TRUE(report.verdict.ok());
  EXPECT_EQ(report.verdict.by, "proof");
}

TEST(MapGoal, a_cut_separates_processor_and_slot) {
  const Machine cube = Hypercube{3, Hypercube::Ports::all};
  EXPECT_EQ(map_goal_from("i -> rev(i)", cube, 5).map.width(), 3);
  const MapGoal cut = map_goal_from("p | m:2 -> p | rev(m)", cube, {});
  EXPECT_TRUE(cut.cut);
  EXPECT_EQ(cut.memory_bits, 2);
  EXPECT_EQ(cut.map.width(), 5);
  EXPECT_THROW(map_goal_from("p | m:2 -> p | rev(m)", cube, 8), Error);
  EXPECT_THROW(map_goal_from("i:4 -> rev(i)", cube, 1), Error);
  EXPECT_THROW(map_goal_from("identity", Pops{3, 3, false}, 1), Error);
}

}  // namespace
}  // namespace faro
