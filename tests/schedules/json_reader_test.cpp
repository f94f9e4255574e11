// Schedule files read back, and every breach of their form told by its name.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/schedules/json.hpp"
#include "full.hpp"
#include "schedules/written.hpp"

namespace faro {
namespace {

struct Told : ReadListener {
  std::vector<std::string> rules;
  std::vector<std::string> messages;
  std::vector<Count> steps;
  std::vector<std::string> warnings;
  void breach(Count step, const std::string& rule, const std::string& message) override {
    steps.push_back(step);
    rules.push_back(rule);
    messages.push_back(message);
  }
  void warning(const std::string& message) override { warnings.push_back(message); }
};

// The tests' maps are "identity:n" and "flip:n", the complement of bit 0.
MapGoal test_map(std::string_view text, const Machine& machine, std::uint64_t) {
  const int bits = address_bits(machine).value_or(0);
  if (text == "identity") return {BitMap::identity(bits), false, 0};
  if (text != "flip") throw Error(ErrorCode::usage, "no such map");
  std::vector<Word> columns;
  for (int i = 0; i < bits; ++i) columns.push_back(bit(i));
  return {BitMap::from_columns(columns, 1), false, 0};
}

struct Reading {
  RecordingSink schedule;
  Told told;
  ReadOutcome outcome = ReadOutcome::complete;
};

Reading read(std::string_view text, std::optional<std::string> map = {}) {
  Reading reading;
  TextSource source(text);
  ReadOptions options{test_map, std::move(map)};
  reading.outcome = read_schedule(source, reading.schedule, options, reading.told);
  return reading;
}

constexpr const char* small =
    R"({"format":"faro-schedule/1","machine":{"kind":"hypercube","dimensions":2,"ports":"all"},)"
    R"("map":"flip","elements":1,"slots":2,"steps":[)"
    R"({"rules":[{"if":[["0x2",1]],"slot":0,"across":0,"to":0}]},)"
    R"({"moves":[[0,0,1,0],[1,0,0,0]]}]})";

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

TEST(JsonReader, what_was_written_is_read_back) {
  const Reading reading = read(small);
  EXPECT_TRUE(reading.told.rules.empty()) << reading.told.messages[0];
  ASSERT_EQ(reading.schedule.cube_steps.size(), 2U);
  EXPECT_EQ(reading.schedule.cube_steps[0].rules[0], (Rule{{{2, 1}}, 0, 0, 0}));
  EXPECT_EQ(reading.schedule.cube_steps[1].moves[1], (Move{1, 0, 0, 0}));
  EXPECT_EQ(reading.schedule.header.slots, 2U);
  EXPECT_EQ(reading.schedule.header.map_text, "flip");
  const std::string text = testing::written(reading.schedule);
  EXPECT_EQ(testing::written(read(text).schedule), text);
}

std::vector<Parity> random_parities(Random& random) {
  std::vector<Parity> result(random.below(3));
  for (Parity& c : result)
    c = {random.next() >> random.below(64), static_cast<unsigned>(random.below(2))};
  return result;
}

Slot random_slot(Random& random) {
  return static_cast<Slot>(random.next() >> (32 + random.below(32)));
}

TEST(JsonReader, random_schedules_of_every_machine_survive_the_round_trip) {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    RecordingSink s;
    s.header.elements = 1 + random.below(1000);
    s.header.slots = random.next() | 1;
    s.header.planner = "p\"\\\n\x01";
    const auto kind = random.below(3);
    const auto number = [&] { return random.next() >> random.below(64); };
    if (kind == 0) {
      s.header.machine = Hypercube{static_cast<int>(random.below(64)), Hypercube::Ports::one};
      s.header.goal = MovesGoal{{{number(), random_slot(random), number(), random_slot(random)}}};
      s.header.bound = Bound{Count{number()} << 30U, "why",
                             certificate::Weights{{{number(), number(), number()}}}};
      Cost cost;
      cost.remote_moves = Count{number()} << 40U;
      s.header.cost = cost;
    } else if (kind == 1) {
      s.header.machine = Mesh{{2, 3}, Mesh::Wrap::propagating, Mesh::Links::one_route};
      s.header.goal = MapGoal{BitMap::identity(5), false, 0};
      s.header.map_text = "identity";
    } else {
      s.header.machine = Pops{3, 1 + random.below(9), true};
      s.header.goal = MatmulGoal{number(), random_slot(random), 1, 2};
      s.header.result = {1, random_slot(random)};
    }
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      if (kind == 0) {
        CubeStep step;
        step.rules = {{random_parities(random), random_slot(random),
                       random.below(2) == 0 ? inside : 5, random_slot(random)}};
        step.moves = {{number(), 1, number(), 2}};
        step.butterflies = {{number(), 0, 1, 3, ButterflyRule::Result::both, 0},
                            {number(), 0, 1, 3, ButterflyRule::Result::bottom, 7}};
        step.butterfly_rules = {{random_parities(random), 0, 1, 2, ButterflyRule::Result::top, 3}};
        s.cube_steps.push_back(step);
      } else if (kind == 1) {
        const TernaryMask mask{0b10110, 0b00100};
        s.mesh_program.push_back(MeshRoute{1, -static_cast<std::int64_t>(random.below(5))});
        s.mesh_program.push_back(
            MeshCopy{MeshRegister::t, MeshRegister::s, mask, random_parities(random)});
        s.mesh_program.push_back(MeshSwap{MeshRegister::r, MeshRegister::t, {}, {}});
      } else {
        PopsSlot slot;
        slot.sends = {{number(), random_slot(random), {number(), 2}}};
        slot.receives = {{number(), number(), 3}};
        slot.rules = {{random_parities(random), 1, random_parities(random), 4}};
        slot.operations = {{PopsOperation::Kind::multiply_add, number(), 1, 2, 3},
                           {PopsOperation::Kind::copy, 1, 2, 3, 0},
                           {PopsOperation::Kind::zero, 1, 2, 0, 0}};
        s.pops_slots.push_back(slot);
      }
    }
    const std::string text = testing::written(s);
    const Reading back = read(text);
    ASSERT_TRUE(back.told.rules.empty()) << back.told.messages[0] << text;
    ASSERT_TRUE(back.told.warnings.empty()) << back.told.warnings[0];
    ASSERT_EQ(testing::written(back.schedule), text);
    ASSERT_EQ(back.schedule.cube_steps, s.cube_steps);
    ASSERT_EQ(back.schedule.mesh_program, s.mesh_program);
    ASSERT_EQ(back.schedule.pops_slots, s.pops_slots);
  }
}

ErrorCode refusal(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(JsonReader, what_is_no_schedule_is_an_input_error) {
  for (const std::string text :
       {"", "{", "[1]", "3", "null", "{\"format\": NaN}", "{\"format\":\"faro-schedule/3\"}",
        "{\"steps\":[]}", "{\"format\":3}", "{}"})
    EXPECT_EQ(refusal(text), ErrorCode::usage) << text;
  EXPECT_EQ(refusal(std::string(small) + "x"), ErrorCode::usage);
  EXPECT_EQ(refusal(with(small, "flip",
                         "fl\xff"
                         "ip")),
            ErrorCode::usage);
}

TEST(JsonReader, depth_and_length_of_tokens_are_limited) {
  EXPECT_EQ(refusal(with(small, "\"map\"",
                         "\"x\":" + std::string(100, '[') + std::string(100, ']') + ",\"map\"")),
            ErrorCode::limit);
  EXPECT_EQ(refusal(with(small, "flip", std::string((1U << 20U) + 1, 'a'))), ErrorCode::limit);
  EXPECT_EQ(
      refusal(with(small, "\"elements\":1", "\"elements\":" + std::string((1U << 20U) + 1, '1'))),
      ErrorCode::limit);
}

// The rule that reading `text` breaches, and that it is the only one.
std::string only_breach(const std::string& text) {
  const Reading reading = read(text);
  if (reading.told.rules.size() != 1) return fmt::format("{} breaches", reading.told.rules.size());
  return reading.told.rules[0];
}

TEST(JsonReader, every_breach_of_the_form_is_told_by_its_name) {
  const std::vector<std::array<const char*, 3>> changes = {
      {"\"elements\":1,", "\"elements\":1,\"elements\":1,", "duplicate-key"},
      {"\"slot\":0", "\"slot\":0,\"slot\":0", "duplicate-key"},
      {"\"map\":\"flip\",", "", "missing"},
      {"\"elements\":1,", "", "missing"},
      {"\"slots\":2,", "", "missing"},
      {"\"elements\":1", "\"elements\":0", "range"},
      {"\"elements\":1", "\"elements\":-1", "range"},
      {"\"elements\":1", "\"elements\":1.0", "shape"},
      {"\"elements\":1", "\"elements\":true", "shape"},
      {"\"elements\":1", "\"elements\":\"one\"", "shape"},
      {"\"slots\":2", "\"slots\":99999999999999999999", "shape"},
      {"\"slots\":2", "\"slots\":\"99999999999999999999\"", "range"},
      {"\"hypercube\"", "\"ring\"", "machine"},
      {"\"dimensions\":2", "\"dimensions\":64", "machine"},
      {"\"dimensions\":2", "\"dimensions\":-2", "machine"},
      {"\"dimensions\":2,", "", "shape"},
      {"\"ports\":\"all\"", "\"ports\":\"both\"", "shape"},
      {"\"flip\"", "\"flop\"", "map"},
      {"\"flip\"", "7", "shape"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"goal\":7", "shape"},
      {"\"map\":\"flip\"", "\"goal\":[[0,0,0]]", "goal"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"goal\":[[0,0,0,0]]", "goal"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"goal\":[[0,0,1,0]]", "goal"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"planner\":7", "shape"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"cost\":7", "shape"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"cost\":{\"steps\":2.5}", "cost-claim"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"bound\":{\"reason\":\"x\"}", "shape"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"bound\":{\"value\":1,\"kind\":\"weights\"}",
       "shape"},
      {"\"map\":\"flip\"", "\"map\":\"flip\",\"goal_spec\":{\"kind\":\"one_to_all\",\"root\":0}",
       "goal"},
      {"{\"moves\":[[0,0,1,0],[1,0,0,0]]}", "3", "shape"},
      {"{\"moves\":[[0,0,1,0],[1,0,0,0]]}", "{}", "shape"},
      {"{\"moves\":[[0,0,1,0],[1,0,0,0]]}", "{\"move\":[]}", "shape"},
      {"{\"moves\":[[0,0,1,0],[1,0,0,0]]}", "{\"moves\":3}", "shape"},
      {"[0,0,1,0]", "[0,0,1]", "shape"},
      {"[0,0,1,0]", "[0,0,1,0,0]", "shape"},
      {"[0,0,1,0]", "{\"a\":1}", "shape"},
      {"[0,0,1,0]", "[0,0,1,0.0]", "shape"},
      {"[0,0,1,0]", "[0,0,-1,0]", "proc-range"},
      {"[0,0,1,0]", "[0,-1,1,0]", "slot-range"},
      {"[0,0,1,0]", "[0,4294967296,1,0]", "slot-range"},
      {"\"0x2\"", "\"2\"", "shape"},
      {"\"0x2\"", "\"0x\"", "shape"},
      {"\"0x2\"", "\"0xg\"", "shape"},
      {"\"0x2\"", "\"0x12345678901234567\"", "mask-range"},
      {"\"0x2\"", "9007199254740992", "mask-range"},
      {"\"0x2\"", "-2", "mask-range"},
      {"[\"0x2\",1]", "[\"0x2\",2]", "mask-range"},
      {"[\"0x2\",1]", "[\"0x2\"]", "shape"},
      {"\"across\":0", "\"across\":-1", "dimension-range"},
      {"\"slot\":0,", "", "shape"},
      {"\"slot\":0,", "\"slot\":0,\"advance\":[1,1],", "shape"},
      {"{\"moves\"", "{\"times\":2,\"moves\"", "shape"},
      {"]}]}", "]}],\"slots\":3}", "duplicate-key"},
      {"]}]}", "]}],\"repeat\":{}}", "order"}};
  for (const auto& [old, fresh, rule] : changes)
    EXPECT_EQ(only_breach(with(small, old, fresh)), rule) << old << " -> " << fresh;
  const std::string no_steps =
      std::string(small).substr(0, std::string(small).find(",\"steps\"")) + "}";
  EXPECT_EQ(only_breach(no_steps), "missing");
}

TEST(JsonReader, what_only_claims_may_stand_behind_the_steps_and_is_not_read) {
  for (const char* late : {"\"planner\":\"late\"", "\"cost\":{\"steps\":0}", "\"bound\":{}"}) {
    const Reading reading = read(with(small, "]}]}", fmt::format("]}}],{}}}", late)));
    EXPECT_EQ(reading.told.rules, std::vector<std::string>{}) << late;
    ASSERT_EQ(reading.told.warnings.size(), 1U) << late;
    EXPECT_NE(reading.told.warnings[0].find("comes after the steps"), std::string::npos);
  }
}

TEST(JsonReader, a_breach_names_its_step_and_a_malformed_rule_empties_it) {
  const Reading reading = read(with(small, "\"slot\":0,", ""));
  EXPECT_EQ(reading.told.steps, std::vector<Count>{0});
  ASSERT_EQ(reading.schedule.cube_steps.size(), 2U);
  EXPECT_EQ(reading.schedule.cube_steps[0], CubeStep{});
  EXPECT_EQ(read(with(small, "[0,0,1,0]", "[0,0,1]")).told.steps, std::vector<Count>{1});
}

TEST(JsonReader, unknown_keys_of_the_header_are_skipped_with_a_warning) {
  const std::string text = with(small, "\"map\"", "\"note\":{\"deep\":[1,{\"a\":null}]},\"map\"");
  const Reading reading = read(text);
  EXPECT_TRUE(reading.told.rules.empty());
  EXPECT_EQ(reading.told.warnings.size(), 1U);
  EXPECT_EQ(testing::written(reading.schedule), testing::written(read(small).schedule));
  EXPECT_EQ(only_breach(with(small, "\"map\"", "\"note\":{\"a\":1,\"a\":2},\"map\"")),
            "duplicate-key");
}

TEST(JsonReader, a_goal_asked_for_takes_the_place_of_the_files) {
  const Reading reading = read(small, "identity");
  EXPECT_EQ(std::get<MapGoal>(reading.schedule.header.goal).map, BitMap::identity(2));
  EXPECT_EQ(reading.schedule.header.map_text, "identity");
}

TEST(JsonReader, a_list_that_agrees_with_the_map_is_taken) {
  EXPECT_TRUE(read(with(small, "\"map\":\"flip\"",
                        "\"goal\":[[0,0,1,0],[1,0,0,0],[2,0,3,0],[3,0,2,0]],\"map\":\"flip\""))
                  .told.rules.empty());
}

// A source that makes its text up: a header, `left` times the same step, an end.
class Endless : public ByteSource {
 public:
  explicit Endless(std::uint64_t steps) : left_(steps) {
    const std::string text = small;
    const std::size_t at = text.find("{\"moves\"");
    now_ = text.substr(0, at);
    step_ = "{\"moves\":[[0,0,1,0],[1,0,0,0],[2,0,3,0],[3,0,2,0]]},\n";
    end_ = text.substr(at);
  }
  std::size_t read(std::span<std::byte> into) override {
    if (at_ == now_.size()) {
      if (ended_) return 0;
      at_ = 0;
      ended_ = left_ == 0;
      now_ = ended_ ? end_ : step_;
      if (!ended_) --left_;
    }
    const std::size_t count = std::min(into.size(), now_.size() - at_);
    std::memcpy(into.data(), now_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::uint64_t left_;
  std::string now_;
  std::string step_;
  std::string end_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

struct Counter : ScheduleSink {
  std::uint64_t moves = 0;
  void begin(const ScheduleHeader&) override {}
  void step(const CubeStep& step) override { moves += step.moves.size(); }
  void finish() override {}
};

std::uint64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss);
}

TEST(JsonReader, a_long_file_needs_no_long_memory) {
  // 53 bytes a step: a gibibyte in full.
  const std::uint64_t steps = testing::full_run() ? 20'300'000 : 200'000;
  const std::uint64_t before = peak_kilobytes();
  Endless source(steps);
  Counter counter;
  Told told;
  const ReadOptions options{test_map, {}};
  EXPECT_EQ(read_schedule(source, counter, options, told), ReadOutcome::complete);
  EXPECT_TRUE(told.rules.empty());
  EXPECT_EQ(counter.moves, 4 * steps + 2);
  // A sanitizer keeps what is freed for a while.
  if (!testing::sanitized()) {
    EXPECT_LT(peak_kilobytes() - before, 4096U);
  }
}

}  // namespace
}  // namespace faro
