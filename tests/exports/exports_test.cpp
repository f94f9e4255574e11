// Every export is read back here, by code that shares nothing with its writer, and compared with
// what the plan promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "exports/cases.hpp"
#include "faro/base/error.hpp"
#include "faro/service/plan.hpp"

namespace faro {
namespace {

struct Line {
  std::uint64_t step, from, from_slot, to, to_slot;
  std::optional<std::uint64_t> channel;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> home;
};

std::vector<Line> lines_of(const std::string& csv) {
  std::istringstream in(csv);
  std::string text;
  std::getline(in, text);
  EXPECT_EQ(text, "step,from,from_slot,to,to_slot,channel,home,home_slot");
  std::vector<Line> lines;
  while (std::getline(in, text)) {
    std::vector<std::string> cells(1);
    for (const char c : text)
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    EXPECT_EQ(cells.size(), 8U) << text;
    if (cells.size() != 8) return lines;
    const auto number = [&](std::size_t i) { return std::stoull(cells[i]); };
    Line line{number(0), number(1), number(2), number(3), number(4), {}, {}};
    if (!cells[5].empty()) line.channel = number(5);
    if (!cells[6].empty()) line.home = {number(6), number(7)};
    lines.push_back(line);
  }
  return lines;
}

TEST(Exports, csv_brings_every_element_home) {
  for (const Case& c : cases()) {
    const MachinePlan plan = planned(c);
    HeaderOf sink;
    plan.push(sink);
    const bool program = std::string(c.machine).rfind("mesh:4x4", 0) == 0
                             ? std::string(c.machine) == "mesh:4x4"
                             : std::string(c.machine) == "torus:4x4";
    const std::uint64_t elements = sink.header.elements;
    const auto processors = std::stoull(to_string(faro::processors(sink.header.machine)));
    std::map<Place, Place> holds;
    for (std::uint64_t p = 0; p < processors; ++p)
      for (std::uint64_t s = 0; s < (program ? 1 : elements); ++s)
        holds[{p, program ? 1 : s}] = {p, s};
    const std::vector<Line> lines = lines_of(exported(plan, "csv"));
    ASSERT_FALSE(lines.empty()) << c;
    for (std::size_t i = 0; i < lines.size();) {
      std::map<Place, std::optional<Place>> writes;
      const std::uint64_t step = lines[i].step;
      for (; i < lines.size() && lines[i].step == step; ++i) {
        const auto held = holds.find({lines[i].from, lines[i].from_slot});
        EXPECT_EQ(held != holds.end(), lines[i].home.has_value()) << c << " step " << step;
        if (held != holds.end() && lines[i].home) {
          EXPECT_EQ(held->second, *lines[i].home) << c << " step " << step;
        }
        EXPECT_EQ(lines[i].channel.has_value(), lines[i].from != lines[i].to);
        EXPECT_TRUE(writes
                        .emplace(Place{lines[i].to, lines[i].to_slot},
                                 held == holds.end() ? std::optional<Place>{} : held->second)
                        .second)
            << c << ": two writes in step " << step;
      }
      for (const auto& [place, value] : writes)
        if (value) holds[place] = *value;
    }
    const auto& goal = std::get<MapGoal>(sink.header.goal);
    std::uint64_t arrived = 0;
    for (std::uint64_t p = 0; p < processors; ++p)
      for (std::uint64_t s = 0; s < (program ? 1 : elements); ++s) {
        const int m = goal.cut ? goal.memory_bits : 0;
        const Word to = goal.cut ? goal.map((p << m) | s) : goal.map(p);
        const Word processor = goal.cut ? to >> m : to;
        for (const auto& [place, home] : holds)
          if (place.first == processor && home == Place{p, s}) {
            ++arrived;
            break;
          }
      }
    EXPECT_EQ(arrived, processors * (program ? 1 : elements)) << c;
  }
}

struct Operation {
  std::uint64_t peer = 0;
  std::uint64_t tag = 0;
  bool send = false;
  std::vector<std::uint64_t> requires_labels = {};
  bool done = false;
};

// Runs the messages as soon as what they wait for is done; a receive is done when its message is.
TEST(Exports, goal_ends_and_carries_every_move) {
  for (const Case& c : cases()) {
    const MachinePlan plan = planned(c);
    const auto lines = lines_of(exported(plan, "csv"));
    const auto remote = static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [](const Line& line) { return line.from != line.to; }));
    std::istringstream in(exported(plan, "goal"));
    std::string word;
    std::uint64_t ranks = 0;
    in >> word >> ranks;
    ASSERT_EQ(word, "num_ranks");
    std::vector<std::map<std::uint64_t, Operation>> program(ranks);
    std::size_t sends = 0;
    for (std::uint64_t r = 0; r < ranks; ++r) {
      std::uint64_t number = 0;
      in >> word >> number;
      ASSERT_EQ(word, "rank") << c;
      ASSERT_EQ(number, r);
      in >> word;
      ASSERT_EQ(word, "{");
      for (in >> word; word != "}"; in >> word) {
        ASSERT_EQ(word.front(), 'l');
        if (word.back() == ':') {
          const std::uint64_t label = std::stoull(word.substr(1));
          Operation operation;
          std::string bytes, way, key;
          std::uint64_t cpu = 0, card = 0;
          in >> word >> bytes >> way >> operation.peer >> key >> operation.tag;
          operation.send = word == "send";
          sends += operation.send ? 1 : 0;
          ASSERT_EQ(way, operation.send ? "to" : "from");
          in >> key >> cpu >> key >> card;
          ASSERT_EQ(key, "nic");
          ASSERT_TRUE(program[r].emplace(label, operation).second);
        } else {
          const std::uint64_t label = std::stoull(word.substr(1));
          std::string on;
          in >> word >> on;
          ASSERT_EQ(word, "requires");
          const std::uint64_t before = std::stoull(on.substr(1));
          ASSERT_LT(before, label);
          program[r].at(label).requires_labels.push_back(before);
        }
      }
    }
    EXPECT_EQ(sends, remote) << c;
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> travelling;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint64_t r = 0; r < ranks; ++r)
        for (auto& [label, operation] : program[r]) {
          if (operation.done) continue;
          bool free = true;
          for (const std::uint64_t before : operation.requires_labels)
            free = free && program[r].at(before).done;
          if (!free) continue;
          if (operation.send) {
            EXPECT_TRUE(travelling.emplace(r, operation.peer, operation.tag).second)
                << c << ": two messages of one tag from " << r << " to " << operation.peer;
          } else if (travelling.erase({operation.peer, r, operation.tag}) == 0) {
            continue;
          }
          operation.done = moved = true;
        }
    }
    for (const auto& rank : program)
      for (const auto& [label, operation] : rank) EXPECT_TRUE(operation.done) << c;
    EXPECT_TRUE(travelling.empty()) << c;
  }
}

TEST(Exports, a_trace_has_every_move_and_no_slices_that_overlap) {
  for (const Case& c : cases()) {
    const MachinePlan plan = planned(c);
    const auto lines = lines_of(exported(plan, "csv"));
    const auto remote = static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [](const Line& line) { return line.from != line.to; }));
    const nlohmann::json trace = nlohmann::json::parse(exported(plan, "perfetto"));
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::uint64_t>> starts;
    std::size_t slices = 0;
    std::map<std::uint64_t, std::string> flows;
    for (const auto& event : trace.at("traceEvents")) {
      const std::string phase = event.at("ph");
      EXPECT_GE(event.at("pid").get<std::uint64_t>(), 1U);
      if (phase == "X") {
        ++slices;
        const auto pid = event.at("pid").get<std::uint64_t>();
        const auto tid = event.at("tid").get<std::uint64_t>();
        // A broadcast to several groups is one slice a receiver, at one time.
        if (std::string(c.machine).rfind("pops", 0) != 0) {
          EXPECT_TRUE(starts[Place(pid, tid)].insert(event.at("ts").get<std::uint64_t>()).second)
              << c << ": two slices at once";
        }
      } else if (phase == "s" || phase == "t") {
        flows[event.at("id").get<std::uint64_t>()] += phase;
      }
    }
    EXPECT_EQ(slices, remote) << c;
    for (const auto& [id, phases] : flows)
      EXPECT_EQ(phases, "s" + std::string(phases.size() - 1, 't')) << c;
  }
}

TEST(Exports, graphs_add_up) {
  for (const Case& c : cases()) {
    const MachinePlan plan = planned(c);
    const auto lines = lines_of(exported(plan, "csv"));
    std::map<Place, std::uint64_t> wanted;
    for (const Line& line : lines)
      if (line.from != line.to) ++wanted[{line.from, line.to}];
    std::map<Place, std::uint64_t> graphml;
    const std::string xml = exported(plan, "graphml");
    for (std::size_t at = xml.find("<edge "); at != std::string::npos;
         at = xml.find("<edge ", at + 1)) {
      const auto value = [&](const std::string& before) {
        return std::stoull(xml.substr(xml.find(before, at) + before.size()));
      };
      graphml[{value("source=\""), value("target=\"")}] = value("<data key=\"moves\">");
    }
    EXPECT_EQ(graphml, wanted) << c;
    std::map<Place, std::uint64_t> dot;
    std::istringstream in(exported(plan, "dot"));
    for (std::string text; std::getline(in, text);) {
      const std::size_t arrow = text.find(" -> ");
      if (arrow == std::string::npos || text.find("label=\"", arrow) == std::string::npos ||
          text.find("label") < arrow)
        continue;
      dot[{std::stoull(text), std::stoull(text.substr(arrow + 4))}] =
          std::stoull(text.substr(text.find("label=\"") + 7));
    }
    EXPECT_EQ(dot, wanted) << c;
  }
}

TEST(Exports, what_cannot_be_is_said) {
  const MachinePlan plan = planned({"a:3 -> ungray(a)", "cube:3", 3});
  EXPECT_THROW(exported(plan, "parquet"), Error);
  const MachinePlan large = faro::plan("a:60 -> ungray(a)", "cube:60", {.elements = 3});
  for (const ExportFormat& format : export_formats()) {
    if (format.name == "c") continue;  // it keeps the rules
    TextSink text;
    EXPECT_THROW(export_schedule([&](ScheduleSink& sink) { large.push(sink); }, format.name, text),
                 Error);
  }
}

// A schedule that nobody verified may name anything.
TEST(Exports, places_that_are_none_are_refused) {
  ScheduleHeader header;
  header.machine = Hypercube{.dimensions = 3};
  header.goal = MapGoal{.map = BitMap::identity(3)};
  header.elements = 1;
  header.slots = 2;
  for (const Move& move :
       {Move{8, 0, 0, 0}, Move{0, 2, 1, 0}, Move{0, 0, 9, 0}, Move{0, 0, 1, 7}}) {
    TextSink text;
    const auto push = [&](ScheduleSink& sink) {
      sink.begin(header);
      CubeStep step;
      step.moves.push_back(move);
      sink.step(step);
      sink.finish();
    };
    for (const ExportFormat& format : export_formats())
      EXPECT_THROW(export_schedule(push, format.name, text), Error) << format.name;
  }
}

// Every processor of the cube asks the C function; what all of them send, line by line, is what the
// table of moves says. Compiled as a reader would, without a warning.
TEST(Exports, c_programs_say_what_every_processor_does) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler";
  const std::string source = ::testing::TempDir() + "faro_program.c";
  const std::string program = ::testing::TempDir() + "faro_program";
  const std::string output = ::testing::TempDir() + "faro_program.txt";
  int compiled = 0;
  for (const Case& c : cases()) {
    if (!std::string(c.machine).starts_with("cube")) continue;
    SCOPED_TRACE(::testing::Message() << c);
    const MachinePlan plan = planned(c);
    std::ofstream(source) << exported(plan, "c") << R"(
#include <stdio.h>
int main(void) {
  uint64_t p, t;
  uint32_t s, to;
  int k, across;
  for (t = 0; t < FARO_STEPS; ++t)
    for (p = 0; p < (uint64_t)1 << FARO_DIMENSIONS; ++p)
      for (s = 0; s < FARO_SLOTS; ++s)
        for (k = 0; faro_send(p, s, t, k, &across, &to); ++k)
          printf("%d %d %d %d %d\n", (int)t, (int)p, (int)s,
                 (int)(across < 0 ? p : p ^ (uint64_t)1 << across), (int)to);
  return 0;
}
)";
    ASSERT_EQ(std::system(("cc -std=c99 -Wall -Wextra -Wpedantic -Werror -o '" + program + "' '" +
                           source + "' && '" + program + "' > '" + output + "'")
                              .c_str()),
              0);
    ++compiled;
    using Sent =
        std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
    std::multiset<Sent> wanted;
    for (const Line& l : lines_of(exported(plan, "csv")))
      wanted.emplace(l.step, l.from, l.from_slot, l.to, l.to_slot);
    std::multiset<Sent> sent;
    std::ifstream in(output);
    for (Sent l; in >> std::get<0>(l) >> std::get<1>(l) >> std::get<2>(l) >> std::get<3>(l) >>
                 std::get<4>(l);)
      sent.insert(l);
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(sent, wanted);
  }
  EXPECT_EQ(compiled, 5);
}

// As long as the rules: 2^60 processors take what 2^8 take, but for the dimensions' names.
TEST(Exports, c_programs_do_not_grow_with_the_machine) {
  const std::string large = exported(planned({"a:60 -> ungray(a)", "cube:60", 4}), "c");
  EXPECT_LT(large.size(), 200000U);
  EXPECT_NE(large.find("#define FARO_DIMENSIONS 60"), std::string::npos);
  EXPECT_THROW(exported(planned({"i:4 -> rev(i)", "mesh:4x4", 1}), "c"), Error);
  for (const Rule& wrong : {Rule{.from = 2, .across = 0}, Rule{.to = 2}, Rule{.across = 3}}) {
    TextSink text;
    EXPECT_THROW(export_schedule(
                     [&](ScheduleSink& sink) {
                       ScheduleHeader header;
                       header.machine = Hypercube{.dimensions = 3};
                       header.slots = 2;
                       sink.begin(header);
                       CubeStep step;
                       step.rules.push_back(wrong);
                       sink.step(step);
                       sink.finish();
                     },
                     "c", text),
                 Error);
  }
}

}  // namespace
}  // namespace faro
