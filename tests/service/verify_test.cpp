#include "faro/service/verify.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "faro/base/error.hpp"
#include "faro/schedules/map_goal.hpp"
#include "paths.hpp"

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

// docs/versions.md promises it.
TEST(VerifySchedule, files_of_the_first_format_are_read_for_ever) {
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
  EXPECT_EQ(files, 7);
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
