// Figures 1 to 5, Theorems 1 to 9, section 5.2 and the start-up counts of the summary.
#include "papers/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "faro/algebra/classify.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "machines/bounds.hpp"
#include "papers/cells.hpp"
#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"
#include "planners/cube/codes/two_thirds.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

using Row = std::vector<std::string>;

// ungray on fields of these lengths, the first on the top bits.
BitMap gray_to_binary(const std::vector<int>& lengths) {
  int top = 0;
  for (const int length : lengths) top += length;
  std::vector<Word> columns(static_cast<std::size_t>(top));
  for (const int length : lengths) {
    for (int b = top - length; b < top; ++b)
      columns[static_cast<std::size_t>(b)] = bit_range(top - length, b);
    top -= length;
  }
  return BitMap::from_columns(columns);
}

Request conversion(const BitMap& map, std::uint64_t elements,
                   Hypercube::Ports ports = Hypercube::Ports::all) {
  return Request::of(Hypercube{.dimensions = map.width(), .ports = ports}, MapGoal{.map = map},
                     elements);
}

std::string number(std::uint64_t x) {
  return std::to_string(x);
}

// Sources of the directed edges of a dimension that a schedule of one element uses.
std::string sources_used(const Request& request, const StepSource& source, int dimension) {
  RecordingSink recorded;
  emit(request, "ascending exchanges", source, recorded);
  std::string used;
  for (Word p = 0; p < bit(processor_bits(request)); ++p)
    for (const CubeStep& step : recorded.cube_steps)
      for (const Rule& rule : step.rules)
        if (rule.across == dimension && std::all_of(rule.where.begin(), rule.where.end(),
                                                    [p](const Parity& c) { return c.holds(p); }))
          used += (used.empty() ? "" : " ") + number(p);
  return used;
}

PaperTable figures_1_and_5() {
  PaperTable table{.title = "Figures 1 and 5: edges used by routing in ascending dimensions",
                   .columns = {"cube", "dimension", "printed", "ours", "bound"},
                   .rows = {},
                   .remarks = {"The processors that send over a dimension, as the drawings show "
                               "them; they are pictures, read here as Theorem 7 says."}};
  struct Edges {
    int n;
    int dimension;
    const char* printed;
  };
  constexpr std::array<Edges, 6> printed{{{2, 0, "2 3"},
                                          {3, 0, "2 3 4 5"},
                                          {3, 1, "4 5 6 7"},
                                          {4, 0, "2 3 4 5 8 9 14 15"},
                                          {4, 1, "4 5 6 7 8 9 10 11"},
                                          {4, 2, "8 9 10 11 12 13 14 15"}}};
  for (const Edges& e : printed) {
    const Request request = conversion(gray_to_binary({e.n}), 1);
    const std::vector<CodeField> fields{{.lo = 0, .length = e.n}};
    const std::vector<int> order = ascending_order(fields[0]);
    table.rows.push_back(
        {fmt::format("{}-cube", e.n), number(static_cast<std::uint64_t>(e.dimension)), e.printed,
         sources_used(request, exchange_steps(fields, order, 1), e.dimension), "-"});
  }
  return table;
}

// Processor by processor, the data after each exchange of one slot, as the figures print it: data
// number i begins in processor gray(i).
std::vector<std::string> columns_of(const ContentsSink& run, int elements, std::size_t slot) {
  std::vector<std::string> texts;
  const BitMap back = gray_to_binary({4});
  for (Word i = 0; i < 16; ++i) {
    std::string text;
    const Word p = gray(i);
    for (std::size_t t = 1; t < run.contents().size(); ++t)
      text += fmt::format("{}{:02}", t == 1 ? "" : " ",
                          back(static_cast<Word>(run.contents()[t][p][slot] / elements)));
    texts.push_back(text);
  }
  return texts;
}

// As printed: after each exchange of sequences 2, 1 and 0. The first is figure 2 as well.
constexpr std::array<std::array<const char*, 3>, 16> figure_3{{
    {"00 00 00", "00 00 00", "00 00 00"},
    {"01 01 01", "01 01 01", "01 01 01"},
    {"02 02 03", "02 03 03", "03 03 03"},
    {"03 03 02", "03 02 02", "02 02 02"},
    {"04 07 06", "07 06 06", "04 04 06"},
    {"05 06 07", "06 07 07", "05 05 07"},
    {"06 05 05", "05 05 05", "07 07 05"},
    {"07 04 04", "04 04 04", "06 06 04"},
    {"15 12 12", "08 08 12", "08 14 12"},
    {"14 13 13", "09 09 13", "09 15 13"},
    {"13 14 15", "10 11 15", "11 13 15"},
    {"12 15 14", "11 10 14", "10 12 14"},
    {"11 11 10", "15 14 10", "12 10 10"},
    {"10 10 11", "14 15 11", "13 11 11"},
    {"09 09 09", "13 13 09", "15 09 09"},
    {"08 08 08", "12 12 08", "14 08 08"},
}};

const Planner* named(std::span<const Planner* const> planners, std::string_view name) {
  for (const Planner* p : planners)
    if (name == p->name()) return p;
  return nullptr;
}

std::vector<PaperTable> figures_2_and_3(std::span<const Planner* const> planners) {
  PaperTable two{.title = "Figure 2: data in each processor after exchanges 2, 1, 0",
                 .columns = {"processor", "printed", "ours", "bound"},
                 .rows = {},
                 .remarks = {"The header pairs are a control bit a(d+1) and the data after "
                             "dimension d."}};
  PaperTable three{
      .title = "Figure 3: three elements in each processor, three sequences at once",
      .columns = {"processor", "sequence", "printed", "ours", "bound"},
      .rows = {},
      .remarks = {"The paper's rule ends its sum at a(x-1); it must end at a(x), x the "
                  "next dimension above that was exchanged. With descending "
                  "dimensions the printed range is empty: n = 2 already fails."}};
  const Planner* exchanges = named(planners, "exchange-sequence");
  const Planner* ring = named(planners, "minimum-path");
  if (exchanges == nullptr || ring == nullptr) return {};
  ContentsSink one;
  exchanges->offer(conversion(gray_to_binary({4}), 1, Hypercube::Ports::one)).push(one);
  ContentsSink all;
  ring->offer(conversion(gray_to_binary({4}), 3)).push(all);
  const std::vector<std::string> figure_2 = columns_of(one, 1, 0);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::string processor = fmt::format("{:04b}", gray(i));
    two.rows.push_back({processor, figure_3[i][0], figure_2[i], "-"});
    for (std::size_t s = 0; s < 3; ++s)
      three.rows.push_back(
          {processor, number(2 - s), figure_3[i][s], columns_of(all, 3, s)[i], "-"});
  }
  return {std::move(two), std::move(three)};
}

PaperTable loops(const Workshop& workshop) {
  PaperTable table{
      .title = "Theorem 1: exchanges in dimensions n-2, .., 0, one port, steps",
      .columns = {"n", "K", "direction", "printed", "ours", "best of ours", "bound"},
      .rows = {},
      .remarks = {"Printed: n-1 exchanges of K elements. Every order of the dimensions "
                  "works, as the theorem says; tests run all of them to n = 5."}};
  for (int n = 2; n <= 6; ++n)
    for (const std::uint64_t k : {1U, 4U})
      for (const auto& [name, map] : {std::pair{"Gray to binary", gray_to_binary({n})},
                                      std::pair{"binary to Gray", gray_to_binary({n}).inverse()}}) {
        const Request request = conversion(map, k, Hypercube::Ports::one);
        table.rows.push_back({std::to_string(n), number(k), name,
                              number(static_cast<std::uint64_t>(n - 1) * k),
                              workshop.ours(request, "exchange-sequence"), workshop.ours(request),
                              workshop.bound(request)});
      }
  return table;
}

PaperTable cyclic_loops() {
  PaperTable table{.title = "Section 2: the loops that begin with dimension m, one port, steps",
                   .columns = {"n", "m", "direction", "printed", "ours", "bound"},
                   .rows = {},
                   .remarks = {"Descending cyclically from m; m = n-2 is the first loop. Backwards "
                               "the loops convert binary to Gray."}};
  for (int n = 2; n <= 5; ++n)
    for (int m = n - 2; m >= 0; --m)
      for (const Direction direction : {Direction::forward, Direction::inverse}) {
        const bool forward = direction == Direction::forward;
        const BitMap map = forward ? gray_to_binary({n}) : gray_to_binary({n}).inverse();
        const Request request = conversion(map, 1, Hypercube::Ports::one);
        const std::vector<CodeField> fields{{.lo = 0, .length = n}};
        const std::vector<int> order = cyclic_order(fields[0], m);
        const auto replay = make_replay();
        const Node node = node_of("cyclic exchanges", exchange_steps(fields, order, 1));
        emit(request, node.expression, directed(node, direction).steps(), *replay);
        const Verdict verdict = replay->verdict();
        table.rows.push_back({std::to_string(n), std::to_string(m),
                              forward ? "Gray to binary" : "binary to Gray", std::to_string(n - 1),
                              verdict.ok() ? to_string(verdict.cost.steps) : "refused by replay",
                              to_string(bound_of(request).value)});
      }
  return table;
}

PaperTable figure_4(const Workshop& workshop) {
  PaperTable table{.title = "Figure 4: two bits, steps",
                   .columns = {"K", "printed", "ours", "bound"},
                   .rows = {},
                   .remarks = {"Printed: K/2 + 1. Odd K needs the ceiling: K = 3 takes 3 steps, "
                               "K = 1 takes 1."}};
  for (const std::uint64_t k : {1U, 2U, 3U, 4U, 5U, 6U, 8U, 16U, 17U, 40U}) {
    const Request request = conversion(gray_to_binary({2}), k);
    table.rows.push_back({number(k),
                          k % 2 == 0 ? number(k / 2 + 1) : fmt::format("{}.5", k / 2 + 1),
                          workshop.ours(request, "two-bits"), workshop.bound(request)});
  }
  return table;
}

// Elements of the grids: small ones, and those around the bends of the formulas.
constexpr std::array<std::uint64_t, 12> grid_elements{1, 2, 3, 4, 5, 8, 9, 10, 16, 25, 40, 64};

// What shortest paths alone need: an element that belongs one link away takes that link, and the
// farthest one takes as many steps as it is links away.
Count shortest_path_bound(const BitMap& map, std::uint64_t elements) {
  Count forced = 0;
  Count farthest = 0;
  for (Word p = 0; p < bit(map.width()); ++p) {
    const auto distance = static_cast<Count>(std::popcount(p ^ map(p)));
    farthest = std::max(farthest, distance);
    if (distance == 1) forced = elements;
  }
  return std::max(forced, farthest);
}

PaperTable theorem_6(const Workshop& workshop) {
  PaperTable table{.title = "Theorems 2 and 6: shortest paths only, max(K, n-1) steps",
                   .columns = {"n", "K", "printed", "ours", "bound for shortest paths", "bound"},
                   .rows = {},
                   .remarks = {"Case 1 of the proof reads K mod (n-1) = 0. One construction serves "
                               "all three cases."}};
  for (int n = 2; n <= 8; ++n)
    for (const std::uint64_t k : grid_elements) {
      const Request request = conversion(gray_to_binary({n}), k);
      const std::uint64_t printed = std::max<std::uint64_t>(k, static_cast<std::uint64_t>(n - 1));
      table.rows.push_back(
          {std::to_string(n), number(k), number(printed), workshop.ours(request, "minimum-path"),
           to_string(shortest_path_bound(gray_to_binary({n}), k)), workshop.bound(request)});
    }
  return table;
}

PaperTable theorem_3(const Workshop& workshop) {
  PaperTable table{
      .title = "Theorem 3: lower bound max((1-1/n)K/2, n-1)",
      .columns = {"n", "K", "printed", "ours", "bound"},
      .rows = {},
      .remarks = {
          "Three bits and more: no algorithm takes fewer than (3K+1)/5 steps, and 3/5 is "
          "reached for every n >= 3; the paper's 'within a factor of 1/3' is 11 % in truth.",
          "The number of processors at distance i is 2·C(n-1, i); printed without the 2 in "
          "front in one place and garbled in the other."}};
  for (int n = 2; n <= 8; ++n)
    for (const std::uint64_t k : {5U, 20U, 50U}) {
      const auto width = static_cast<std::uint64_t>(n);
      const std::uint64_t printed =
          std::max((k * (width - 1) + 2 * width - 1) / (2 * width), width - 1);
      const Request request = conversion(gray_to_binary({n}), k);
      table.rows.push_back({std::to_string(n), number(k), number(printed), workshop.ours(request),
                            workshop.bound(request)});
    }
  return table;
}

// The smallest cases in which the printed formulas are wrong, searched for.
std::vector<std::string> theorem_8_counterexamples() {
  std::string impossible;
  std::string too_small;
  for (int n = 2; n <= 10; ++n)
    for (std::uint64_t k = 1; k <= 64; ++k) {
      const Count printed = non_minimum_path_printed(n, k);
      const Count bound = conversion_bound(n, k, Hypercube::Ports::all);
      const Count real = non_minimum_path_cost(n, k);
      const bool many = k > static_cast<std::uint64_t>(n) + 2;
      if (!many && printed < bound && impossible.empty())
        impossible = fmt::format("n = {}, K = {}: {} printed, no algorithm takes fewer than {}.", n,
                                 k, to_string(printed), to_string(bound));
      if (many && printed < real && too_small.empty())
        too_small = fmt::format("n = {}, K = {}: {} printed, the schedule described takes {}.", n,
                                k, to_string(printed), to_string(real));
    }
  std::vector<std::string> remarks;
  if (!impossible.empty()) remarks.push_back("'n steps for K <= n+2' is impossible. " + impossible);
  if (!too_small.empty())
    remarks.push_back("The main formula is one too small for some K in n+2..2n-1. " + too_small);
  return remarks;
}

// M as the text has it.
Count short_elements_printed(int length, std::uint64_t elements) {
  const auto n = static_cast<Count>(length);
  return elements > n + 2 ? ceil_div(2 * Count{elements} - (n - 2), 3) : 2;
}

PaperTable theorem_8(const Workshop& workshop, Direction direction) {
  PaperTable table{.title = direction == Direction::inverse ? "Theorem 9: binary to Gray, steps"
                                                            : "Theorem 8: Gray to binary, steps",
                   .columns = {"n", "K", "printed", "the paper's algorithm", "M printed",
                               "M that is best", "ours", "bound"},
                   .rows = {},
                   .remarks = {}};
  for (int n = 2; n <= 8; ++n)
    for (const std::uint64_t k : grid_elements) {
      BitMap map = gray_to_binary({n});
      if (direction == Direction::inverse) map = map.inverse();
      const Request request = conversion(map, k);
      const Count printed = non_minimum_path_printed(n, k);
      table.rows.push_back({std::to_string(n), number(k), to_string(printed),
                            workshop.ours(request, "non-minimum-path"),
                            to_string(short_elements_printed(n, k)), number(short_elements(n, k)),
                            workshop.ours(request), workshop.bound(request)});
    }
  table.remarks = theorem_8_counterexamples();
  table.remarks.push_back(
      "M elements go on short routes. Printed: ceil((2K-(n-2))/3) for K > n+2, else 2, which for "
      "K = 1 is more than there are; best: the largest M that takes least.");
  table.remarks.push_back(
      "Exact: n-1 for K = 1; n-1 + ceil(K/2) to K = 2n+2; from K = 2n on the printed formula.");
  return table;
}

PaperTable several_fields(const Workshop& workshop) {
  PaperTable table{
      .title = "Theorems 4 and 5, sections 4.2 and 5.2: several fields, steps",
      .columns = {"fields", "K", "printed bound", "printed", "shortest paths", "phases", "ours",
                  "one field of them", "bound"},
      .rows = {},
      .remarks = {"Printed bound: max((1-d/n)K/2, n-d) for any paths. Printed: max(K, n-d) for "
                  "shortest paths. Idle dimensions and other fields never "
                  "help, so the bound is the largest of the fields' own. Section 5.2: "
                  "'almost identical to a single field', here the longest alone."}};
  const std::vector<std::vector<int>> shapes{{2, 2}, {3, 2}, {3, 3}, {2, 4}, {2, 2, 2}, {4, 4}};
  for (const std::vector<int>& lengths : shapes)
    for (const std::uint64_t k : {1U, 4U, 10U, 25U, 60U}) {
      const BitMap map = gray_to_binary(lengths);
      const Request request = conversion(map, k);
      const auto width = static_cast<std::uint64_t>(map.width());
      const std::uint64_t work = width - lengths.size();
      const std::uint64_t any_paths = std::max((k * work + 2 * width - 1) / (2 * width), work);
      table.rows.push_back(
          {fmt::format("{}", fmt::join(lengths, "+")), number(k), number(any_paths),
           number(std::max<std::uint64_t>(k, work)), workshop.ours(request, "minimum-path"),
           workshop.ours(request, "fields-by-phases"), workshop.ours(request),
           workshop.ours(
               conversion(gray_to_binary({*std::max_element(lengths.begin(), lengths.end())}), k)),
           workshop.bound(request)});
    }
  return table;
}

PaperTable start_ups(const Workshop& workshop) {
  PaperTable table{.title = "Section 6: start-ups with packets of B elements",
                   .columns = {"n", "K", "B", "shortest paths, printed", "ours",
                               "longer paths, printed", "ours, longer", "bound"},
                   .rows = {},
                   .remarks = {"Ours: the schedule for ceil(K/B) packets, each step one start-up.",
                               "For B = ceil(K/(n-1)) the text prints 2·ceil(2(n-1)/3) + n-1; only "
                               "2·ceil((n-1)/3) + n-1 gives the ratio 0.6 stated beside it."}};
  struct Case {
    int n;
    std::uint64_t k;
    std::uint64_t b;
  };
  constexpr std::array<Case, 8> cases{{{4, 60, 20},
                                       {4, 60, 5},
                                       {6, 60, 12},
                                       {6, 60, 3},
                                       {8, 70, 10},
                                       {8, 70, 2},
                                       {10, 90, 10},
                                       {10, 90, 3}}};
  for (const auto& [n, k, b] : cases) {
    const auto width = static_cast<std::uint64_t>(n);
    const auto up = [](std::uint64_t x, std::uint64_t y) { return (x + y - 1) / y; };
    const Request packed = conversion(gray_to_binary({n}), up(k, b));
    table.rows.push_back(
        {std::to_string(n), number(k), number(b), number(up(k, (width - 1) * b) * (width - 1)),
         workshop.ours(packed, "minimum-path"),
         number(std::max(up(2 * k, 3 * b) + width - 2, 2 * up(k, 3 * b) + width - 1)),
         workshop.ours(packed, "non-minimum-path"), workshop.bound(packed)});
  }
  return table;
}

// The limits that section 6 states: packets as many as there are working dimensions, and many.
PaperTable ratios(const Workshop& workshop) {
  PaperTable table{
      .title = "Section 6: ratios of start-ups, and the speed-up over the pipelined algorithm",
      .columns = {"n", "packets", "pipelined", "shortest paths", "longer paths, printed",
                  "shortest / printed", "its printed limit", "ours, longer", "shortest / longer",
                  "pipelined / longer", "bound"},
      .rows = {},
      .remarks = {"Printed: 0.6, 40 % fewer start-ups, for n-1 packets and large n; 1.5 for many "
                  "packets, and a speed-up of 50 % over the pipelined algorithm's K + n - 2. All "
                  "counts but 'printed' are those of verified schedules.",
                  "With the best M the longer paths take n-1 + ceil(K/2) start-ups for n-1 "
                  "packets: the ratio tends to 2/3, not to 0.6."}};
  const auto counted = [](const std::string& cell) {
    return cell.find_first_not_of("0123456789") == std::string::npos;
  };
  const auto ratio = [&](const std::string& a, const std::string& b) {
    return counted(a) && counted(b) ? fmt::format("{:.3f}", std::stod(a) / std::stod(b)) : "-";
  };
  const auto add = [&](int n, std::uint64_t packets) {
    const Request request = conversion(gray_to_binary({n}), packets);
    const std::string pipelined = workshop.ours(request, "exchange-pipeline");
    const std::string shortest = workshop.ours(request, "minimum-path");
    const std::string longer = workshop.ours(request, "non-minimum-path");
    const auto dimensions = static_cast<Count>(n);
    const std::string printed = to_string(std::max(ceil_div(2 * packets, 3) + dimensions - 2,
                                                   2 * ceil_div(packets, 3) + dimensions - 1));
    const bool few = packets == static_cast<std::uint64_t>(n) - 1;
    table.rows.push_back({std::to_string(n), number(packets), pipelined, shortest, printed,
                          ratio(shortest, printed), few ? "0.6" : "1.5", longer,
                          ratio(shortest, longer), ratio(pipelined, longer),
                          workshop.bound(request)});
  };
  for (const int n : {4, 8, 16, 32, 60}) add(n, static_cast<std::uint64_t>(n) - 1);
  for (const std::uint64_t packets : {10U, 100U, 1000U}) add(6, packets);
  return table;
}

PaperPage page_of_catalogue(const PaperTold& told) {
  return conversion_page(catalogue(), told);
}

}  // namespace

PaperPage conversion_page(std::span<const Planner* const> planners, const PaperTold& told) {
  const Workshop workshop(planners);
  PaperPage page(
      "Johnsson, Ho: On the conversion between binary code and "
      "binary-reflected Gray code on Boolean cubes. TR-20-91, 1991",
      told);
  page.add(figures_1_and_5());
  page.add(figures_2_and_3(planners));
  page.add(loops(workshop));
  page.add(cyclic_loops());
  page.add(theorem_3(workshop));
  page.add(figure_4(workshop));
  page.add(theorem_6(workshop));
  page.add(theorem_8(workshop, Direction::forward));
  page.add(theorem_8(workshop, Direction::inverse));
  page.add(several_fields(workshop));
  page.add(start_ups(workshop));
  page.add(ratios(workshop));
  page.add(conversion_paths(workshop));
  return page;
}

const Paper conversion_paper{
    .name = "conversion",
    .title =
        "On the conversion between binary code and binary-reflected Gray code on Boolean "
        "cubes (Johnsson, Ho 1991, codes)",
    .page = page_of_catalogue,
};

}  // namespace faro::inline v1
