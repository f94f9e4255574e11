// Figures 1 to 5, Theorems 1 to 9, section 5.2 and the start-up counts of the summary.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "faro/algebra/classify.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "machines/bounds.hpp"
#include "papers/pages.hpp"
#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"
#include "planners/cube/codes/two_thirds.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

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

// A case of most tables: one field of n bits.
struct Conversion {
  int n;
  std::uint64_t k;
  Direction direction = Direction::forward;
  Hypercube::Ports ports = Hypercube::Ports::all;

  Count dimensions() const { return static_cast<Count>(n); }
  BitMap map() const {
    return direction == Direction::forward ? ungray_map(n) : ungray_map(n).inverse();
  }
  Request request() const { return conversion(map(), k, ports); }
  const char* name() const {
    return direction == Direction::forward ? "Gray to binary" : "binary to Gray";
  }
};

// All of these sizes.
std::vector<Conversion> conversions(int n_from, int n_to,
                                    const std::vector<std::uint64_t>& elements) {
  std::vector<Conversion> all;
  for (int n = n_from; n <= n_to; ++n)
    for (const std::uint64_t k : elements) all.push_back({n, k});
  return all;
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
          used += (used.empty() ? "" : " ") + std::to_string(p);
  return used;
}

PaperTable figures_1_and_5() {
  PaperTable table{.title = "Figures 1 and 5: edges used by routing in ascending dimensions",
                   .columns = {"cube", "dimension", "printed", "ours", "bound"},
                   .remarks = {"The processors that send over a dimension, as the drawings show "
                               "them; they are pictures, read here as Theorem 7 says."}};
  struct Edges {
    int n;
    int dimension;
    const char* printed;
  };
  for (const Edges& e : {Edges{2, 0, "2 3"}, Edges{3, 0, "2 3 4 5"}, Edges{3, 1, "4 5 6 7"},
                         Edges{4, 0, "2 3 4 5 8 9 14 15"}, Edges{4, 1, "4 5 6 7 8 9 10 11"},
                         Edges{4, 2, "8 9 10 11 12 13 14 15"}}) {
    const std::vector<CodeField> fields{{.lo = 0, .length = e.n}};
    const StepSource steps = exchange_steps(fields, ascending_order(fields[0]), 1);
    table.row({fmt::format("{}-cube", e.n), e.dimension, e.printed,
               sources_used(Conversion{e.n, 1}.request(), steps, e.dimension), "-"});
  }
  return table;
}

// Processor by processor, the data after each exchange of one slot, as the figures print it: data
// number i begins in processor gray(i).
std::vector<std::string> columns_of(const ContentsSink& run, int elements, std::size_t slot) {
  std::vector<std::string> texts;
  const BitMap back = ungray_map(4);
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
                 .remarks = {"The header pairs are a control bit a(d+1) and the data after "
                             "dimension d."}};
  PaperTable three{
      .title = "Figure 3: three elements in each processor, three sequences at once",
      .columns = {"processor", "sequence", "printed", "ours", "bound"},
      .remarks = {"The paper's rule ends its sum at a(x-1); it must end at a(x), x the "
                  "next dimension above that was exchanged. With descending "
                  "dimensions the printed range is empty: n = 2 already fails."}};
  const Planner* exchanges = named(planners, "exchange-sequence");
  const Planner* ring = named(planners, "minimum-path");
  if (exchanges == nullptr || ring == nullptr) return {};
  ContentsSink one;
  exchanges->offer(Conversion{4, 1, Direction::forward, Hypercube::Ports::one}.request()).push(one);
  ContentsSink all;
  ring->offer(Conversion{4, 3}.request()).push(all);
  const std::vector<std::string> figure_2 = columns_of(one, 1, 0);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::string processor = fmt::format("{:04b}", gray(i));
    two.row({processor, figure_3[i][0], figure_2[i], "-"});
    for (std::size_t s = 0; s < 3; ++s)
      three.row({processor, 2 - s, figure_3[i][s], columns_of(all, 3, s)[i], "-"});
  }
  return {std::move(two), std::move(three)};
}

PaperTable loops(const Workshop& workshop) {
  PlannedTable table(workshop, "Theorem 1: exchanges in dimensions n-2, .., 0, one port, steps",
                     {"n", "K", "direction", "printed", ours("exchange-sequence"),
                      planned("best of ours"), bound()},
                     {"Printed: n-1 exchanges of K elements. Every order of the dimensions "
                      "works, as the theorem says; tests run all of them to n = 5."});
  for (const auto& [n, k, direction, ports] : conversions(2, 6, {1, 4}))
    for (const Direction way : {Direction::forward, Direction::inverse}) {
      const Conversion c{n, k, way, Hypercube::Ports::one};
      table.row(c.request(), {n, k, c.name(), (c.dimensions() - 1) * k});
    }
  return table;
}

PaperTable cyclic_loops() {
  PaperTable table{.title = "Section 2: the loops that begin with dimension m, one port, steps",
                   .columns = {"n", "m", "direction", "printed", "ours", "bound"},
                   .remarks = {"Descending cyclically from m; m = n-2 is the first loop. Backwards "
                               "the loops convert binary to Gray."}};
  for (int n = 2; n <= 5; ++n)
    for (int m = n - 2; m >= 0; --m)
      for (const Direction direction : {Direction::forward, Direction::inverse}) {
        const Conversion c{n, 1, direction, Hypercube::Ports::one};
        const std::vector<CodeField> fields{{.lo = 0, .length = n}};
        const Node node =
            node_of("cyclic exchanges", exchange_steps(fields, cyclic_order(fields[0], m), 1));
        const auto replay = make_replay();
        emit(c.request(), node.expression, directed(node, direction).steps(), *replay);
        const Verdict verdict = replay->verdict();
        table.row({n, m, c.name(), n - 1,
                   verdict.ok() ? Cell(verdict.cost.steps) : "refused by replay",
                   bound_of(c.request()).value});
      }
  return table;
}

PaperTable figure_4(const Workshop& workshop) {
  PlannedTable table(workshop, "Figure 4: two bits, steps",
                     {"K", "printed", ours("two-bits"), bound()},
                     {"Printed: K/2 + 1. Odd K needs the ceiling: K = 3 takes 3 steps, "
                      "K = 1 takes 1."});
  for (const Conversion& c : conversions(2, 2, {1, 2, 3, 4, 5, 6, 8, 16, 17, 40}))
    table.row(c.request(), {c.k, fmt::format("{}{}", c.k / 2 + 1, c.k % 2 == 0 ? "" : ".5")});
  return table;
}

// Elements of the grids: small ones, and those around the bends of the formulas.
const std::vector<std::uint64_t> grid_elements{1, 2, 3, 4, 5, 8, 9, 10, 16, 25, 40, 64};

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
  PlannedTable table(
      workshop, "Theorems 2 and 6: shortest paths only, max(K, n-1) steps",
      {"n", "K", "printed", ours("minimum-path"), "bound for shortest paths", bound()},
      {"Case 1 of the proof reads K mod (n-1) = 0. One construction serves all three cases."});
  for (const Conversion& c : conversions(2, 8, grid_elements))
    table.row(c.request(), {c.n, c.k, std::max<Count>(c.k, c.dimensions() - 1),
                            shortest_path_bound(c.map(), c.k)});
  return table;
}

// Printed for any paths: max((1-d/n)K/2, n-d) for d fields in n bits.
Count any_paths_bound(Count n, Count fields, Count k) {
  return std::max(ceil_div(k * (n - fields), 2 * n), n - fields);
}

PaperTable theorem_3(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Theorem 3: lower bound max((1-1/n)K/2, n-1)",
      {"n", "K", "printed", ours(), bound()},
      {"Three bits and more: no algorithm takes fewer than (3K+1)/5 steps, and 3/5 is "
       "reached for every n >= 3; the paper's 'within a factor of 1/3' is 11 % in truth.",
       "The number of processors at distance i is 2·C(n-1, i); printed without the 2 in "
       "front in one place and garbled in the other."});
  for (const Conversion& c : conversions(2, 8, {5, 20, 50}))
    table.row(c.request(), {c.n, c.k, any_paths_bound(c.dimensions(), 1, c.k)});
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
  std::vector<std::string> remarks = theorem_8_counterexamples();
  remarks.push_back(
      "M elements go on short routes. Printed: ceil((2K-(n-2))/3) for K > n+2, else 2, which for "
      "K = 1 is more than there are; best: the largest M that takes least.");
  remarks.push_back(
      "Exact: n-1 for K = 1; n-1 + ceil(K/2) to K = 2n+2; from K = 2n on the printed formula.");
  PlannedTable table(workshop,
                     direction == Direction::inverse ? "Theorem 9: binary to Gray, steps"
                                                     : "Theorem 8: Gray to binary, steps",
                     {"n", "K", "printed", planned("the paper's algorithm", "non-minimum-path"),
                      "M printed", "M that is best", ours(), bound()},
                     std::move(remarks));
  for (const auto& [n, k, forward, ports] : conversions(2, 8, grid_elements))
    table.row(
        Conversion{n, k, direction}.request(),
        {n, k, non_minimum_path_printed(n, k), short_elements_printed(n, k), short_elements(n, k)});
  return table;
}

PaperTable several_fields(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Theorems 4 and 5, sections 4.2 and 5.2: several fields, steps",
      {"fields", "K", "printed bound", "printed", planned("shortest paths", "minimum-path"),
       planned("phases", "fields-by-phases"), ours(), "one field of them", bound()},
      {"Printed bound: max((1-d/n)K/2, n-d) for any paths. Printed: max(K, n-d) for "
       "shortest paths. Idle dimensions and other fields never "
       "help, so the bound is the largest of the fields' own. Section 5.2: "
       "'almost identical to a single field', here the longest alone."});
  const std::vector<std::vector<int>> shapes{{2, 2}, {3, 2}, {3, 3}, {2, 4}, {2, 2, 2}, {4, 4}};
  for (const std::vector<int>& lengths : shapes)
    for (const std::uint64_t k : {1U, 4U, 10U, 25U, 60U}) {
      const BitMap map = gray_to_binary(lengths);
      const auto n = static_cast<Count>(map.width());
      const Conversion longest{*std::max_element(lengths.begin(), lengths.end()), k};
      table.row(
          conversion(map, k),
          {fmt::format("{}", fmt::join(lengths, "+")), k, any_paths_bound(n, lengths.size(), k),
           std::max<Count>(k, n - lengths.size()), workshop.ours(longest.request())});
    }
  return table;
}

PaperTable start_ups(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Section 6: start-ups with packets of B elements",
      {"n", "K", "B", "shortest paths, printed", ours("minimum-path"), "longer paths, printed",
       planned("ours, longer", "non-minimum-path"), bound()},
      {"Ours: the schedule for ceil(K/B) packets, each step one start-up.",
       "For B = ceil(K/(n-1)) the text prints 2·ceil(2(n-1)/3) + n-1; only "
       "2·ceil((n-1)/3) + n-1 gives the ratio 0.6 stated beside it."});
  struct Case {
    int n;
    std::uint64_t k;
    std::uint64_t b;
  };
  for (const auto& [n, k, b] :
       {Case{4, 60, 20}, Case{4, 60, 5}, Case{6, 60, 12}, Case{6, 60, 3}, Case{8, 70, 10},
        Case{8, 70, 2}, Case{10, 90, 10}, Case{10, 90, 3}}) {
    const auto width = static_cast<Count>(n);
    const Conversion packed{n, (k + b - 1) / b};
    table.row(packed.request(),
              {n, k, b, ceil_div(k, (width - 1) * b) * (width - 1),
               std::max(ceil_div(2 * k, 3 * b) + width - 2, 2 * ceil_div(k, 3 * b) + width - 1)});
  }
  return table;
}

// The limits that section 6 states: packets as many as there are working dimensions, and many.
PaperTable ratios(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Section 6: ratios of start-ups, and the speed-up over the pipelined algorithm",
      {"n", "packets", "pipelined", "shortest paths", "longer paths, printed", "shortest / printed",
       "its printed limit", "ours, longer", "shortest / longer", "pipelined / longer", bound()},
      {"Printed: 0.6, 40 % fewer start-ups, for n-1 packets and large n; 1.5 for many "
       "packets, and a speed-up of 50 % over the pipelined algorithm's K + n - 2. All "
       "counts but 'printed' are those of verified schedules.",
       "With the best M the longer paths take n-1 + ceil(K/2) start-ups for n-1 "
       "packets: the ratio tends to 2/3, not to 0.6."});
  std::vector<Conversion> all = conversions(6, 6, {10, 100, 1000});
  for (const int n : {60, 32, 16, 8, 4}) all.insert(all.begin(), {n, Word(n) - 1});
  for (const Conversion& c : all) {
    const Request request = c.request();
    const std::string pipelined = workshop.ours(request, "exchange-pipeline");
    const std::string shortest = workshop.ours(request, "minimum-path");
    const std::string longer = workshop.ours(request, "non-minimum-path");
    const std::string printed = to_string(std::max(ceil_div(2 * c.k, 3) + c.dimensions() - 2,
                                                   2 * ceil_div(c.k, 3) + c.dimensions() - 1));
    table.row(request, {c.n, c.k, pipelined, shortest, printed, ratio(shortest, printed, 3),
                        c.k + 1 == c.dimensions() ? "0.6" : "1.5", longer,
                        ratio(shortest, longer, 3), ratio(pipelined, longer, 3)});
  }
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
