// Loops: read, written, counted, performed lap after lap, and refused where they are malformed.
#include "schedules/loops.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/schedules/json.hpp"
#include "full.hpp"
#include "schedules/crossings.hpp"
#include "schedules/expand.hpp"
#include "schedules/fingerprint.hpp"
#include "schedules/written.hpp"

namespace faro {
namespace {

struct Heard : ReadListener {
  std::vector<std::string> all;
  void breach(Count step, const std::string& rule, const std::string& message) override {
    all.push_back(fmt::format("{} {}: {}", to_string(step), rule, message));
  }
  void warning(const std::string& message) override { all.push_back(message); }
};

std::vector<std::string> read_into(const std::string& text, ScheduleSink& sink) {
  TextSource source(text);
  Heard heard;
  EXPECT_EQ(read_schedule(source, sink, {}, heard), ReadOutcome::complete);
  return heard.all;
}

// Read and written again.
std::string rewritten(const std::string& text) {
  TextSink out;
  JsonWriter writer(out);
  const std::vector<std::string> told = read_into(text, writer);
  EXPECT_TRUE(told.empty()) << told[0];
  return out.text();
}

std::string unrolled(const std::string& text) {
  TextSink out;
  JsonWriter writer(out);
  UnrollingSink unroll(writer);
  read_into(text, unroll);
  return out.text();
}

// A cube of two dimensions with these steps.
std::string cube_file(const std::string& steps, int format = 2) {
  return fmt::format(
      "{{\"format\":\"faro-schedule/{}\",\n"
      "\"machine\":{{\"kind\":\"hypercube\",\"dimensions\":2,\"ports\":\"all\"}},\n"
      "\"goal\":[],\n\"elements\":9,\"slots\":12,\n\"steps\":[\n{}\n]}}\n",
      format, steps);
}

const std::string body =
    "{\"rules\":[{\"if\":[[\"0x2\",1]],\"slot\":0,\"across\":0,\"to\":8,\"advance\":[1,-2]},"
    "{\"if\":[[\"0x1\",1]],\"slot\":3,\"across\":1,\"to\":3}],"
    "\"moves\":[[0,1,1,2,[2,0]],[0,7,0,7]]}";

std::string loop_of(const std::string& laps, const std::string& steps) {
  return "{\"loop\":{\"laps\":" + laps + ",\"body\":[\n" + steps + "]}}";
}

TEST(Loops, the_writer_says_what_the_reader_read) {
  const std::string text = cube_file(loop_of("3", body) + ",\n{\"moves\":[]},\n" +
                                     loop_of("\"4294967296\"", "{\"moves\":[]}"));
  EXPECT_EQ(rewritten(text), cube_file(loop_of("3", body) + ",\n{\"moves\":[]},\n" +
                                       loop_of("4294967296", "{\"moves\":[]}")));
}

TEST(Loops, laps_are_the_steps_with_their_slots_advanced) {
  RecordingSink schedule;
  EXPECT_TRUE(read_into(cube_file(loop_of("3", body)), schedule).empty());
  ASSERT_EQ(schedule.cube_steps.size(), 3U);
  for (Slot lap = 0; lap < 3; ++lap) {
    const CubeStep& step = schedule.cube_steps[lap];
    EXPECT_EQ(step.rules,
              (std::vector<Rule>{{{{2, 1}}, lap, 0, 8 - 2 * lap}, {{{1, 1}}, 3, 1, 3}}));
    EXPECT_EQ(step.moves, (std::vector<Move>{{0, 1 + 2 * lap, 1, 2}, {0, 7, 0, 7}}));
  }
  EXPECT_EQ(schedule.header.entries, ScheduleHeader::Entries::steps);
  EXPECT_EQ(unrolled(cube_file(loop_of("3", body))), testing::written(schedule));
  // The keys of a loop and of its steps in any order.
  RecordingSink other;
  EXPECT_TRUE(
      read_into(cube_file("{\"loop\":{\"body\":[{\"moves\":[[0,1,1,2,[2,0]],[0,7,0,7]],\"rules\":["
                          "{\"advance\":[1,-2],\"to\":8,\"slot\":0,\"across\":0,\"if\":[[2,1]]},"
                          "{\"if\":[[1,1]],\"slot\":3,\"across\":1,\"to\":3}]}],\"laps\":3}}"),
                other)
          .empty());
  EXPECT_EQ(other.cube_steps, schedule.cube_steps);
}

TEST(Loops, what_repeats_nothing_is_written_as_before) {
  const std::string steps = "{\"rules\":[{\"if\":[],\"slot\":0,\"to\":1}]}";
  EXPECT_EQ(rewritten(cube_file(steps, 1)), cube_file(steps, 1));
  Fingerprint one;
  Fingerprint two;
  read_into(cube_file(steps, 1), one);
  read_into(cube_file(steps, 2), two);
  EXPECT_EQ(one.text(), two.text());
}

TEST(Loops, a_fingerprint_tells_every_number_of_a_loop) {
  std::vector<std::string> seen;
  const auto add = [&](const std::string& text) {
    Fingerprint fingerprint;
    EXPECT_TRUE(read_into(text, fingerprint).empty());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), fingerprint.text()), 0) << text;
    seen.push_back(fingerprint.text());
  };
  add(cube_file(loop_of("3", body)));
  add(cube_file(loop_of("4", body)));
  add(unrolled(cube_file(loop_of("3", body))));
  add(cube_file(loop_of("3", body + "," + body)));
  add(cube_file(loop_of("3", body) + "," + loop_of("3", body)));
  for (const char* advance : {"[1,-1]", "[2,-2]", "[-2,1]", "[0,0]"}) {
    std::string other = body;
    add(cube_file(loop_of("1", other.replace(other.find("[1,-2]"), 6, advance))));
  }
}

// Random loops of a cube, with slots that stay in range.
CubeLoop random_loop(Random& random, int dimensions) {
  CubeLoop loop;
  loop.laps = 1 + random.below(7);
  const auto slot = [&] { return static_cast<Slot>(40 + random.below(20)); };
  const auto advance = [&] {
    return Advance{static_cast<std::int64_t>(random.below(9)) - 4,
                   static_cast<std::int64_t>(random.below(9)) - 4};
  };
  for (std::uint64_t k = 1 + random.below(3); k > 0; --k) {
    CubeLoop::Entry entry;
    for (std::uint64_t r = random.below(4); r > 0; --r)
      entry.first.rules.push_back(
          {{{random.below(bit(dimensions)), static_cast<unsigned>(random.below(2))}},
           slot(),
           static_cast<int>(random.below(static_cast<std::uint64_t>(dimensions) + 1)) - 1,
           slot()});
    for (std::uint64_t m = random.below(3); m > 0; --m) {
      const Word p = random.below(bit(dimensions));
      entry.first.moves.push_back({p, slot(), p ^ (random.below(2) == 0 ? 0 : 1), slot()});
    }
    while (entry.advances.size() < items_of(entry.first)) entry.advances.push_back(advance());
    loop.body.push_back(entry);
  }
  return loop;
}

TEST(Loops, counts_are_those_of_their_laps) {
  Random random(11);
  std::size_t remote = 0;
  const int rounds = testing::full_run() ? 20000 : 300;
  for (int round = 0; round < rounds; ++round) {
    ScheduleHeader header;
    header.machine = Hypercube{3, Hypercube::Ports::all};
    header.goal = MovesGoal{};
    header.slots = 100;
    header.entries = ScheduleHeader::Entries::loops;
    CostCounter cost;
    CostCounter laps;
    CrossingCounter crossings;
    CrossingCounter crossings_of_laps;
    RecordingSink recorded;
    UnrollingSink unrolled_cost(laps);
    UnrollingSink unrolled_crossings(crossings_of_laps);
    TextSink out;
    JsonWriter writer(out);
    TeeSink tee({&cost, &unrolled_cost, &crossings, &unrolled_crossings, &recorded, &writer});
    tee.begin(header);
    for (std::uint64_t k = 1 + random.below(3); k > 0; --k) tee.loop(random_loop(random, 3));
    tee.step(CubeStep{{{{}, 0, 0, 0}}, {}, {}, {}});
    tee.finish();
    EXPECT_EQ(cost.cost(), laps.cost()) << "round " << round;
    EXPECT_EQ(crossings.crossings(), crossings_of_laps.crossings()) << "round " << round;
    EXPECT_EQ(rewritten(out.text()), out.text());
    EXPECT_EQ(unrolled(out.text()), testing::written(recorded));
    if (cost.cost().steps > 1) ++remote;
  }
  EXPECT_GT(remote, static_cast<std::size_t>(rounds / 2));
}

TEST(Loops, counts_need_no_laps_performed) {
  CostCounter counter;
  EXPECT_TRUE(read_into(cube_file(loop_of("4294967295",
                                          "{\"rules\":[{\"slot\":0,\"across\":1,\"to\":0,"
                                          "\"advance\":[1,1]}]}")),
                        counter)
                  .empty());
  EXPECT_EQ(counter.cost().steps, 4294967295U);
  EXPECT_EQ(counter.cost().remote_moves, 4 * Count{4294967295U});
}

TEST(Loops, pops_rules_advance_their_registers) {
  const std::string text =
      "{\"format\":\"faro-schedule/2\",\n\"machine\":{\"kind\":\"pops\",\"d\":2,\"g\":2,"
      "\"multi_receive\":true},\n\"goal\":[],\n\"elements\":4,\"slots\":8,\n\"slots_list\":[\n"
      "{\"loop\":{\"laps\":4,\"body\":[\n{\"rules\":[{\"if\":[],\"register\":3,\"to\":"
      "[[\"0x1\",0],[\"0x2\",0]],\"into\":4,\"advance\":[-1,1]}]}]}}\n]}\n";
  EXPECT_EQ(rewritten(text), text);
  RecordingSink schedule;
  read_into(text, schedule);
  ASSERT_EQ(schedule.pops_slots.size(), 4U);
  EXPECT_EQ(schedule.pops_slots[3].rules[0].reg, 0U);
  EXPECT_EQ(schedule.pops_slots[3].rules[0].into, 7U);
}

TEST(Loops, malformed_ones_are_told_and_left_out) {
  struct Case {
    std::string step;
    std::string told;  // its beginning
    int format = 2;
  };
  const std::string rule = "{\"rules\":[{\"slot\":5,\"to\":6,\"advance\":[-1,1]}]}";
  const auto advancing = [&](const std::string& by) {
    return loop_of("2", "{\"rules\":[{\"slot\":5,\"to\":6,\"advance\":" + by + "}]}");
  };
  const std::vector<Case> cases = {
      {loop_of("3", rule), "1 shape: a step: unknown key 'loop'", 1},
      {"{\"rules\":[{\"slot\":5,\"to\":6,\"advance\":[1,1]}]}", "1 shape: a rule: unknown key"},
      {"{\"rules\":[{\"slot\":5,\"to\":6,\"advance\":[1,1]}]}", "1 shape: a rule: unknown key", 1},
      {"{\"moves\":[[0,0,0,1,[1,1]]]}", "1 shape: a move: a list of 4 wanted"},
      {loop_of("0", rule), "1 range: laps"},
      {loop_of("-3", rule), "1 range: laps"},
      {loop_of("1.5", rule), "1 shape: laps"},
      {loop_of("[3]", rule), "1 shape: laps"},
      {"{\"loop\":{\"body\":[" + rule + "]}}", "1 missing: a loop: key 'laps'"},
      {"{\"loop\":{\"laps\":3}}", "1 missing: a loop: a body"},
      {"{\"loop\":{\"laps\":3,\"body\":[]}}", "1 missing: a loop: a body"},
      {"{\"loop\":{\"laps\":3,\"body\":7}}", "1 shape: body: a list wanted"},
      {"{\"loop\":{\"laps\":3,\"body\":[7]}}", "1 shape: a step: an object wanted"},
      {"{\"loop\":{\"laps\":3,\"body\":[{}]}}", "1 shape: a step: none of the lists"},
      {"{\"loop\":[]}", "1 shape: loop: an object wanted"},
      {"{\"loop\":{\"laps\":3,\"times\":3,\"body\":[" + rule + "]}}",
       "1 shape: a loop: unknown key"},
      {"{\"loop\":{\"laps\":3,\"laps\":4,\"body\":[" + rule + "]}}", "1 duplicate-key"},
      {"{\"loop\":{\"laps\":3,\"body\":[" + rule + "]},\"moves\":[]}", "4 shape: a loop beside"},
      {"{\"moves\":[],\"loop\":{\"laps\":3,\"body\":[" + rule + "]}}", "4 shape: a loop beside"},
      {loop_of("2", loop_of("3", rule)), "1 shape: a step of a loop: unknown key 'loop'"},
      {loop_of("2", "{\"butterflies\":[]}"), "1 shape: a step of a loop: unknown key"},
      {loop_of("2", "{\"rules\":[],\"count\":4}"), "1 shape: a step of a loop: unknown key"},
      {loop_of("7", rule), "1 slot-range: slot 5 of a loop goes on by -1"},
      {loop_of("4294967296", rule), "1 slot-range"},
      {advancing("[4294967290,0]"), ""},
      {advancing("[4294967291,0]"), "1 slot-range"},
      {advancing("[9007199254740992,0]"), "1 range: an advance"},
      {advancing("[-9223372036854775808,0]"), "1 range: an advance"},
      {advancing("[18446744073709551615,0]"), "1 range: an advance"},
      {advancing("[1]"), "1 shape: an advance"},
      {advancing("[1,2,3]"), "1 shape: an advance"},
      {advancing("1"), "1 shape: an advance"},
      {advancing("[\"1\",1]"), "1 shape: an advance"},
      {loop_of("2", "{\"moves\":[[0,0,0,1,7]]}"), "1 shape: an advance"},
      {loop_of("2", "{\"moves\":[[0,0,0,1,[0,0],1]]}"), "1 shape: a move"},
  };
  for (const Case& c : cases) {
    RecordingSink schedule;
    const std::vector<std::string> told = read_into(
        cube_file("{\"moves\":[]},\n" + c.step + ",\n{\"moves\":[[3,1,3,2]]}", c.format), schedule);
    if (c.told.empty()) {
      EXPECT_TRUE(told.empty()) << told[0];
    } else {
      ASSERT_FALSE(told.empty()) << c.step;
      EXPECT_TRUE(told[0].starts_with(c.told)) << told[0] << "\n" << c.step;
    }
    // Reading went on.
    ASSERT_FALSE(schedule.cube_steps.empty());
    EXPECT_EQ(schedule.cube_steps.back().moves, (std::vector<Move>{{3, 1, 3, 2}})) << c.step;
  }
}

TEST(Loops, more_steps_than_a_loop_may_have_are_not_read_though_they_be_empty) {
  constexpr std::uint64_t steps_max = limits::loop_items_max / 16;
  std::string empty = "{}";
  for (std::uint64_t step = 1; step < steps_max; ++step) empty += ",{}";
  struct Counted : ScheduleSink {
    void begin(const ScheduleHeader&) override {}
    void step(const CubeStep&) override {}
    void loop(const CubeLoop& loop) override { steps = loop.body.size(); }
    void finish() override {}
    std::size_t steps = 0;
  } last;
  read_into(cube_file(loop_of("2", empty)), last);
  EXPECT_EQ(last.steps, steps_max);
  try {
    read_into(cube_file(loop_of("2", empty + ",{}")), last);
    FAIL() << "read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit);
  }
}

TEST(Loops, too_many_laps_are_refused_by_what_performs_them) {
  const std::string text = cube_file(loop_of("4294967296", "{\"moves\":[]}"));
  RecordingSink sink;
  try {
    read_into(text, sink);
    FAIL() << "performed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit);
  }
  EXPECT_TRUE(sink.cube_steps.empty());
  // All loops of a schedule together.
  struct Nothing : ScheduleSink {
    void begin(const ScheduleHeader&) override {}
    void step(const CubeStep&) override {}
    void finish() override {}
  } nothing;
  CubeLoop half;
  half.laps = limits::loop_moves_max / 4 * 3;
  half.body = {{}};
  EXPECT_NO_THROW(nothing.loop(half));
  EXPECT_THROW(nothing.loop(half), Error);
}

TEST(Loops, what_is_no_loop_is_not_performed) {
  CubeStep step;
  EXPECT_THROW(at_lap(CubeLoop::Entry{CubeStep{{{{}, 0, 0, 0}}, {}, {}, {}}, {}}, 0, step), Error);
  EXPECT_THROW(at_lap(CubeLoop::Entry{CubeStep{{}, {}, {{}}, {}}, {}}, 0, step), Error);
  EXPECT_THROW(at_lap(CubeLoop::Entry{CubeStep{{{{}, 1, 0, 0}}, {}, {}, {}}, {{-1, 0}}}, 2, step),
               Error);
  PopsSlot slot;
  EXPECT_THROW(at_lap(PopsLoop::Entry{PopsSlot{{{}}, {}, {}, {}}, {}}, 0, slot), Error);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr Slot last = std::numeric_limits<Slot>::max();
  EXPECT_EQ(advanced(last, least, 0), last);
  EXPECT_FALSE(advanced(last, least, 1));
  EXPECT_FALSE(advanced(last, 1, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(advanced(last, -1, last), 0U);
  EXPECT_EQ(advanced(0, 1, last), last);
  EXPECT_FALSE(advanced(1, 1, last));
}

}  // namespace
}  // namespace faro
