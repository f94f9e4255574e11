// Figures 1 to 10, Tables 2 and 3, Corollary 2; what packets cost is in shuffle_prices.cpp.
#include "papers/printed/shuffle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "machines/cube/shuffle_costs.hpp"
#include "machines/performer.hpp"
#include "papers/pages.hpp"
#include "papers/printed/extended_cube.hpp"
#include "papers/printed/printed.hpp"
#include "papers/shuffle_rows.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/planners.hpp"

namespace faro::inline v1 {
namespace {

using Row = std::vector<std::string>;

std::string text(Count count) {
  return to_string(count);
}

std::string list(const std::vector<int>& lengths) {
  return fmt::format("{}", fmt::join(lengths, " "));
}

// The element numbers processor by processor after the plan has been performed.
std::vector<std::string> contents_after(const Request& request, const Planner& planner) {
  const std::uint64_t k = request.elements();
  const int n = std::get<Hypercube>(request.machine()).dimensions;
  std::vector<std::byte> data(bit(n) * k);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i);
  const auto performer = make_performer(data, 1);
  planner.offer(request).push(*performer);
  const std::vector<std::byte> result = performer->take_result();
  std::vector<std::string> lines;
  for (std::size_t p = 0; p < bit(n); ++p) {
    std::string line;
    for (std::size_t s = 0; s < k; ++s)
      line += fmt::format("{}{}", s == 0 ? "" : " ", static_cast<int>(result[p * k + s]));
    lines.push_back(line);
  }
  return lines;
}

PaperTable contents_table(const std::string& title, const Request& request, const Planner& planner,
                          const std::vector<std::string>& printed) {
  PaperTable table{.title = title, .columns = {"processor", "printed", "ours", "bound"}};
  const std::vector<std::string> ours = contents_after(request, planner);
  for (std::size_t p = 0; p < ours.size(); ++p) table.row({p, printed[p], ours[p], "-"});
  const Workshop workshop;
  table.row({"steps", "-", workshop.ours(request, planner.name()), workshop.bound(request)});
  return table;
}

// The elements of each processor after every exchange, smaller number first: partners that use
// equal slots may hold them the other way round than the figure.
PaperTable states_table(const std::string& title, const Request& request, const Planner& planner,
                        std::span<const char* const> printed) {
  PaperTable table{.title = title,
                   .columns = {"after exchange", "printed", "ours", "bound"},
                   .remarks = {"The numbers of both elements of processors 0 to 7."}};
  ContentsSink run;
  planner.offer(request).push(run);
  for (std::size_t t = 0; t < run.contents().size(); ++t) {
    std::string line;
    for (std::vector<int> held : run.contents()[t]) {
      std::sort(held.begin(), held.end());
      line += fmt::format("{}{}", line.empty() ? "" : "  ", fmt::join(held, " "));
    }
    table.row({t, t < printed.size() ? printed[t] : "-", line, "-"});
  }
  return table;
}

constexpr std::array<const char*, 4> figure_3_states{
    "0 1  2 3  4 5  6 7  8 9  10 11  12 13  14 15", "0 2  1 3  4 6  5 7  8 10  9 11  12 14  13 15",
    "0 4  1 5  2 6  3 7  8 12  9 13  10 14  11 15", "0 8  1 9  2 10  3 11  4 12  5 13  6 14  7 15"};
constexpr std::array<const char*, 5> figure_10_states{
    "0 1  2 3  4 5  6 7  8 9  10 11  12 13  14 15", "0 2  1 3  4 6  5 7  8 10  9 11  12 14  13 15",
    "0 4  1 5  2 6  3 7  8 12  9 13  10 14  11 15", "0 8  1 9  2 10  3 11  4 12  5 13  6 14  7 15",
    "0 1  8 9  2 3  10 11  4 5  12 13  6 7  14 15"};

PaperTable grid(const std::string& title, std::span<const char* const> printed,
                const std::vector<shuffle::JobRow>& ours) {
  PaperTable table{.title = title, .columns = {"job", "printed", "ours", "bound"}};
  for (std::size_t j = 0; j < printed.size(); ++j)
    table.row({j, printed[j], row_text(ours[j]), "-"});
  return table;
}

Request transposed_dimension() {
  return Request::of(
      Hypercube{.dimensions = 2},
      MapGoal{
          .map = BitMap::from_places(std::vector<int>{0, 3, 2, 1}), .cut = true, .memory_bits = 2});
}

PaperTable figure_2() {
  constexpr std::array<const char*, 4> printed{"01 02 03", ". 01 02 03", ". . 01 02 03",
                                               ". . . 01 02 03"};
  PaperTable table = grid("Figure 2: pipelining, three dimensions, K = 8", printed,
                          shuffle::pipelined_rows({3}, 4));
  const Request request = shuffle_of(3, {3}, {});
  const Workshop workshop;
  table.row({"steps", "6", workshop.ours(request, "shuffle-pipelined"), workshop.bound(request)});
  table.row({"steps, best", "6", workshop.ours(request), workshop.bound(request)});
  return table;
}

PaperTable figure_4() {
  PaperTable table{
      .title = "Figure 4: slots that are sent, aligned, three dimensions, K = 2",
      .columns = {"step", "printed", "ours", "bound"},
      .remarks = {"One digit a processor, 0 to 7: its slot that is exchanged. Partners "
                  "use equal slots."}};
  constexpr std::array<const char*, 3> printed{"1 1 0 0 0 0 1 1", "1 0 1 0 0 1 0 1",
                                               "1 0 0 1 1 0 0 1"};
  RecordingSink recorded;
  shuffle_pipelined.offer(shuffle_of(1, {3}, {})).push(recorded);
  std::size_t next = 0;
  for (const CubeStep& step : recorded.cube_steps) {
    if (step.rules.empty() || step.rules.front().across == inside) continue;
    std::string line;
    for (Word p = 0; p < 8; ++p)
      for (const Rule& rule : step.rules)
        if (std::all_of(rule.where.begin(), rule.where.end(),
                        [p](const Parity& c) { return c.holds(p); }))
          line += fmt::format("{}{}", line.empty() ? "" : " ", rule.from);
    table.row({next + 1, printed[next], line, "-"});
    ++next;
  }
  return table;
}

// The rows as schedules, and the bound for as many elements.
void add_steps(PaperTable& table, const std::vector<int>& chains,
               std::span<const char* const> printed, const std::vector<shuffle::JobRow>& ours) {
  table.row({"steps", replayed(chains, rows_of(printed)), replayed(chains, ours),
             bound_of_rows(chains, ours.size())});
}

constexpr const char* steps_remark =
    "steps: the rows above as a schedule on 32 slots, the last 32 - K empty, every element "
    "replayed and delivered.";

PaperTable figure_5() {
  constexpr std::array<const char*, 9> printed{
      "v5 v6 . . . 01 02 03 04 05", ". v5 v6 . . . 01 02 03 04 05",
      "v3 v4 v5 v6 . . . 01 02 03", ". v3 v4 v5 v6 . . . 01 02 03",
      "01 02 03 04 05 06",          ". 01 02 03 04 05 06",
      ". . 01 02 03 04 05 06",      ". . . 01 02 03 04 05 06",
      ". . . . 01 02 03 04 05 06"};
  const auto rows = shuffle::concurrent_rows({6}, 9);
  PaperTable table = grid("Figure 5: six dimensions, K = 18, concurrent", printed, rows);
  add_steps(table, {6}, printed, rows);
  table.remarks = {steps_remark,
                   "The synchronisation cycles (bullets) are not needed with our pairs of slots."};
  return table;
}

PaperTable figure_6() {
  PlannedTable table(Workshop(), "Theorem 1 and Figure 6: one mixed shuffle",
                     {"dimensions", "K", "printed",
                      planned("ours, concurrent", "shuffle-concurrent"), ours(), bound()},
                     {"Read case 1 of the theorem as 's <= 3 or K <= 8', as the text "
                      "does."});
  const Workshop workshop;
  for (const int length : {1, 2, 3, 4, 6, 8})
    for (int k = 2; k <= 6; ++k) {
      const Request request = shuffle_of(k, {length}, {});
      table.row(shuffle_of(k, {length}, {}), {length, bit(k), shuffle::theorem_1(length, bit(k))});
    }
  return table;
}

PaperTable figure_7() {
  PaperTable table{
      .title = "Figure 7: a cycle factored into chains",
      .columns = {"map", "printed", "ours", "bound"},
      .remarks = {"The figure is a picture; this is the rule: a chain a maximal run of "
                  "processor dimensions, and one local permutation."}};
  BitMap map = BitMap::from_places(std::vector<int>{2, 4, 3, 1, 5, 6, 0});
  const auto s = shuffle::structure_of(map, 3);
  for (const std::string& line : shuffle::describe(s.value()))
    table.row({"cycle of 7 bits, 3 of storage", "-", line, "-"});
  return table;
}

PaperTable figure_8() {
  constexpr std::array<const char*, 12> printed{"01 02 03 04 05 . . 01' 02' 03' 04' 05'",
                                                ". 01 02 03 04 05 . . 01' 02' 03' 04' 05'",
                                                ". . 01 02 03 04 05 . . 01' 02' 03' 04' 05'",
                                                ". . . 01 02 03 04 05 . . 01' 02' 03' 04' 05'",
                                                ". . . . 01 02 03 04 05 . . 01' 02' 03' 04' 05'",
                                                "01' 02' 03' 04' 05' 01 02 03 04 05",
                                                ". 01' 02' 03' 04' 05' 01 02 03 04 05",
                                                ". . 01' 02' 03' 04' 05' 01 02 03 04 05",
                                                ". . . 01' 02' 03' 04' 05' 01 02 03 04 05",
                                                ". . . . 01' 02' 03' 04' 05' 01 02 03 04 05",
                                                ". . . . . 01' 02' 03' 04' 05' 01 02 03 04 05",
                                                ". . . . . . 01' 02' 03' 04' 05' 01 02 03 04 05"};
  const auto rows = shuffle::pipelined_rows({5, 5}, 12);
  PaperTable table =
      grid("Figure 8: two chains of five dimensions, K = 24, pipelined", printed, rows);
  add_steps(table, {5, 5}, printed, rows);
  table.remarks = {
      steps_remark,
      "The printed blocks are 5 and 7 jobs although the text says equal halves; 6 and 6 "
      "also take 16 steps."};
  return table;
}

PaperTable figure_9() {
  constexpr std::array<const char*, 14> printed{
      "v5 v6 . . 01' 02' 03' 04' 05' 06' 01 02 03 04 05",
      ". v5 v6 . . 01' 02' 03' 04' 05' 06' 01 02 03 04 05",
      "v3 v4 v5 v6 . . 01' 02' 03' 04' 05' 06' 01 02 03",
      ". v3 v4 v5 v6 . . 01' 02' 03' 04' 05' 06' 01 02 03",
      "01 02 03 04 05 06 . . 01' 02' 03' 04' 05' 06'",
      ". 01 02 03 04 05 06 . . 01' 02' 03' 04' 05' 06'",
      "v5' v6' 01 02 03 04 05 06 . . 01' 02' 03' 04' 05'",
      ". v5' v6' 01 02 03 04 05 06 . . 01' 02' 03' 04' 05'",
      "v3' v4' v5' v6' 01 02 03 04 05 06 . . 01' 02' 03'",
      ". v3' v4' v5' v6' 01 02 03 04 05 06 . . 01' 02' 03'",
      "01' 02' 03' 04' 05' 06' 01 02 03 04 05 06",
      ". 01' 02' 03' 04' 05' 06' 01 02 03 04 05 06",
      ". . 01' 02' 03' 04' 05' 06' 01 02 03 04 05 06",
      ". . . 01' 02' 03' 04' 05' 06' 01 02 03 04 05 06"};
  const auto rows = shuffle::concurrent_rows({6, 6}, 14);
  PaperTable table =
      grid("Figure 9: two chains of six dimensions, K = 28, concurrent", printed, rows);
  add_steps(table, {6, 6}, printed, rows);
  std::vector<shuffle::JobRow> as_printed = rows_of(printed);
  as_printed[1][1].spare = false;
  table.remarks = {steps_remark,
                   fmt::format("The third entry of the second row is printed 0,6; it must be v,6, "
                               "and is so here. With 0,6 the schedule is {}.",
                               replayed({6, 6}, as_printed))};
  return table;
}

// Section 4.1.2, its three cases: b chains of the same length, N dimensions in all.
Count printed_exchange(Count chains, Count dimensions, Count elements) {
  if (dimensions <= 3 * chains || elements <= 8 * chains) return elements / 2 + dimensions - chains;
  if (elements <= 2 * (dimensions + chains)) return dimensions + 3 * chains;
  return elements / 2 + 2 * chains;
}

PaperTable table_2() {
  PlannedTable table(
      Workshop(), "Theorem 2 and Table 2: several mixed shuffles",
      {"chains", "K", "printed", planned("concurrent", "shuffle-concurrent"),
       planned("pipelined", "shuffle-pipelined"), "printed AAPC",
       planned("AAPC", "shuffle-by-exchange"),
       planned("AAPC, concurrent", "shuffle-by-exchange-concurrent"), ours(), bound()},
      {"Case 1 is false for unequal chains: 4 1 with K = 16 claims 8, the "
       "bound is 9; 4 1 1 1 with K = 32 claims 10, the bound is 17.",
       "3 1 with K = 8 claims 5: it exists, but not with pairs of elements "
       "in a pipeline.",
       "The theorem says any shuffle; it holds for mixed ones only.",
       "AAPC: all-to-all personalised communication round after round, "
       "pipelined; shorter chains leave the later rounds, which the paper calls not "
       "entirely straightforward and counts for equal lengths only. Printed are K/2 + N "
       "- b, for chains "
       "of four and more and K > 8b the concurrent N + 3b or K/2 + 2b: for two chains "
       "with a spare bit each blocks of pairs can begin in a later round. "
       "K/2 + N - b needs b to divide K/2: 2 2 2 with K = 8 prints 7, a "
       "last group of one job takes as long as a full one.",
       "concurrent: Figure 9 in general; it needs a storage bit beside the "
       "chains'."});
  const Workshop workshop;
  const std::vector<std::vector<int>> all = {{1, 1}, {2, 1}, {3, 1},    {4, 1},    {2, 2},
                                             {5, 5}, {6, 6}, {2, 2, 2}, {3, 2, 1}, {4, 1, 1, 1}};
  for (const auto& chains : all)
    for (int k = static_cast<int>(chains.size()); k <= 6; ++k) {
      const Request request = shuffle_of(k, chains, {});
      const bool equal = std::all_of(chains.begin(), chains.end(),
                                     [&](int length) { return length == chains[0]; });
      const auto all_dimensions =
          static_cast<Count>(std::accumulate(chains.begin(), chains.end(), 0));
      table.row(shuffle_of(k, chains, {}),
                {list(chains), bit(k), shuffle::theorem_2(chains, bit(k)).value,
                 equal ? printed_exchange(chains.size(), all_dimensions, bit(k)) : Cell("-")});
    }
  return table;
}

PaperTable table_3() {
  std::vector<std::string> remarks;
  for (const int length : {3, 6}) {
    const ShuffleSize size{.length = length, .elements = 64, .packet = 1};
    remarks.push_back(fmt::format(
        "s = {}, K = 64, t_c = 1, packets unbounded: A2 is faster than A1 from a start-up of {} on "
        "with one port, {:.1f} with all.",
        length, break_even_one_port(size, {.startup = 0, .transfer = 1}),
        break_even_all_ports(size, {.startup = 0, .transfer = 1})));
  }
  remarks.insert(
      remarks.end(),
      {"Slots: storage places of a processor; Mem is printed as K for A1 and 2K for A2. Corollary "
       "1: packets that each take c = s + 1 cycles, as those of A1 do, need cK/2(c-1) transfers "
       "with all ports, s times that with one: in its class A1 is optimal where s divides K/2.",
       "Two dimensions: A2 squared takes K/2 + 1 steps, as ours does. Lemma 2's bound K/2 is never "
       "met from two dimensions on; odd cycles need (s+1)K/2s, so A1 is optimal there where s "
       "divides K/2."});
  PlannedTable table(Workshop(), "Table 3: one real shuffle without complements",
                     {"dimensions", "K", "ports", "printed A1", "A1", "slots of A1", "printed A2",
                      "A2", "slots of A2", "Corollary 1", ours(), bound()},
                     std::move(remarks));
  const Workshop workshop;
  for (const int length : {2, 3, 4, 5})
    for (int k = 1; k <= 5; ++k)
      for (const bool all : {true, false}) {
        const auto ports = all ? Hypercube::Ports::all : Hypercube::Ports::one;
        const char* a1 = all ? "real-a1" : "real-a1-one-port";
        const char* a2 = all ? "real-a2" : "real-a2-one-port";
        const Request request = shuffle_of(k, {}, {length}, ports);
        // With one port the links of a step are one, else as many as there are dimensions.
        const auto s = static_cast<Count>(length);
        const Count links = all ? s : 1;
        table.row(request,
                  {length, bit(k), all ? "all" : "one", (s + 1) * ceil_div(bit(k), 2 * links),
                   workshop.ours(request, a1), workshop.slots(request, a1),
                   s * ceil_div(bit(k), links), workshop.ours(request, a2),
                   workshop.slots(request, a2), ceil_div((s + 1) * bit(k), 2 * links)});
      }
  return table;
}

PaperTable corollary_2() {
  PaperTable table{.title = "Definition 3 and Corollary 2: extended-cube permutations",
                   .columns = {"chain", "K", "extra dimensions", "ports", "printed bound", "ours",
                               "in the cube itself"},
                   .remarks = {"ours: scatter + permute + gather, replayed.",
                               "With all ports the scatter term of the corollary must be "
                               "2(K - K/2^e)/e; 2K/e is printed, which is more than a scatter "
                               "takes: s = 2, K = 8, e = 1 prints 18 where 4 + 3 + 4 do."}};
  struct Case {
    int length;
    int slot_bits;
    int extra;
  };
  constexpr std::array<Case, 4> cases{{{2, 3, 1}, {5, 3, 1}, {5, 4, 2}, {8, 4, 1}}};
  for (const Case& c : cases)
    for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
      const Request request = shuffle_of(c.slot_bits, {c.length}, {}, ports);
      const bool all = ports == Hypercube::Ports::all;
      const auto k = static_cast<Count>(request.elements());
      const Count part = k >> static_cast<unsigned>(c.extra);
      const auto length = static_cast<Count>(c.length);
      const Count printed = all ? ceil_div(2 * k, static_cast<Count>(c.extra)) + ceil_div(part, 2)
                                : 2 * (k - part) + length * part / 2;
      const auto replay = make_replay();
      shuffle::build_extended_cube(request, c.extra, *replay);
      const Verdict verdict = replay->verdict();
      const Workshop workshop;
      table.row({c.length, k, c.extra, all ? "all" : "one", printed,
                 verdict.ok() ? text(verdict.cost.steps) : "refused", workshop.ours(request)});
    }
  return table;
}

PaperPage shuffle_page(const PaperTold& told) {
  PaperPage page(
      "Johnsson, Ho: Generalized shuffle permutations on Boolean cubes. "
      "TR-04-91, 1991",
      told);
  page.add(contents_table("Figure 1: (a3 a2 | a1 a0) <- (a1 a2 | a3 a0)", transposed_dimension(),
                          shuffle_ring, {"0 1 8 9", "4 5 12 13", "2 3 10 11", "6 7 14 15"}));
  page.add(exchange_sequences());
  page.add(figure_2());
  page.add(contents_table("Figure 3: mixed shuffle of three dimensions, K = 2",
                          shuffle_of(1, {3}, {}), shuffle_pipelined,
                          {"0 8", "1 9", "2 10", "3 11", "4 12", "5 13", "6 14", "7 15"}));
  page.add(states_table("Figure 3, its steps", shuffle_of(1, {3}, {}), shuffle_pipelined,
                        figure_3_states));
  page.add(figure_4());
  page.add(figure_5());
  page.add(figure_6());
  page.add(figure_7());
  page.add(figure_8());
  page.add(figure_9());
  page.add(contents_table("Figure 10: real shuffle of three dimensions by A1, K = 2",
                          shuffle_of(1, {}, {3}), real_a1,
                          {"0 1", "8 9", "2 3", "10 11", "4 5", "12 13", "6 7", "14 15"}));
  page.add(states_table("Figure 10, its steps", shuffle_of(1, {}, {3}), real_a1, figure_10_states));
  const std::vector<PaperTable> priced = shuffle_prices();
  page.add(priced[0]);
  page.add(table_2());
  page.add(priced[1]);
  page.add(table_3());
  page.add(corollary_2());
  page.add({priced.begin() + 2, priced.end()});
  return page;
}

}  // namespace

const Paper shuffle_paper = {
    .name = "shuffle",
    .title = "Generalized shuffle permutations on Boolean cubes (Johnsson, Ho 1991, shuffles)",
    .page = shuffle_page,
};

}  // namespace faro::inline v1
