// Tables 1 to 4, Theorems 1 to 5 and the 2^r-sectioning of section 6.
#include "papers/butterfly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faro/algebra/gray.hpp"
#include "faro/service/catalogue.hpp"
#include "faro/transforms/traffic.hpp"
#include "papers/butterfly_figures.hpp"
#include "papers/butterfly_motion.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1 {
namespace {

using Row = std::vector<std::string>;
using Order = ButterflyGoal::Order;
using Output = ButterflyNetwork::Output;

std::string bits(Word value, int width) {
  return width == 0 ? "" : fmt::format("{:0{}b}", value, width);
}

std::string layout_text(const ButterflyNetwork& request) {
  return fmt::format("{} {}", name_of(request.allocation), name_of(request.encoding));
}

// Steps of the plan, built and judged now.
std::string ours(const ButterflyNetwork& network, const char* algorithm) {
  const Request asked = request_of(network);
  const Planner* planner = find_planner(algorithm);
  if (planner == nullptr || planner->refusal(asked)) return "-";
  const Plan made = plan(asked, {.algorithm = algorithm});
  return made.ok() ? to_string(made.cost().steps) : "refused";
}

// ---- tables ----

PaperTable table1() {
  struct Line {
    Allocation allocation;
    Encoding encoding;
    const char* processor;
    const char* memory;
  };
  static constexpr std::array<Line, 8> lines = {{
      {Allocation::consecutive, Encoding::gray, "G(i div K)",
       "G(i mod K), of the complement if |G(i div K)| is odd"},
      {Allocation::consecutive, Encoding::gray_gray, "G(i div K)", "G(i mod K)"},
      {Allocation::consecutive, Encoding::binary_gray, "G(i div K)", "i mod K"},
      {Allocation::consecutive, Encoding::binary, "i div K", "i mod K"},
      {Allocation::cyclic, Encoding::gray, "G(i mod N), of the complement if |G(i div N)| is odd",
       "G(i div N)"},
      {Allocation::cyclic, Encoding::gray_gray, "G(i mod N)", "G(i div N)"},
      {Allocation::cyclic, Encoding::binary_gray, "G(i mod N)", "i div N"},
      {Allocation::cyclic, Encoding::binary, "i mod N", "i div N"},
  }};
  PaperTable table{
      "Table 1: where element i of 2^p is, N processors with K elements each",
      {"layout", "processor", "memory", "N = 4, K = 8, i = 30: processor", "memory"},
      {},
      {"In the two gray rows the bar over the low field is lost in print: the low field "
       "is complemented before it is coded."}};
  for (const Line& line : lines) {
    const ButterflyNetwork request{.processor_bits = 2,
                                   .index_bits = 5,
                                   .allocation = line.allocation,
                                   .encoding = line.encoding};
    ButterflyGoal goal;
    goal.processor_bits = 2;
    goal.index_bits = 5;
    goal.allocation = line.allocation;
    goal.encoding = line.encoding;
    butterfly::Placement::start(goal).for_each([&](Word index, Word processor, Word slot) {
      if (index != 30) return;
      table.rows.push_back({layout_text(request), line.processor, line.memory,
                            fmt::format("{}", processor), fmt::format("{}", slot)});
    });
  }
  return table;
}

// The indices at every processor of a 3-cube after k exchanges of the local conversion.
std::string contents(const std::vector<butterfly::Form>& rows, Word processor) {
  std::string text;
  for (Word v = 0; v < 32; ++v) {
    Word at = 0;
    for (std::size_t j = 0; j < 3; ++j) at |= Word{parity(rows[j].mask & v)} << j;
    if (at == processor) text += fmt::format("{}{}", text.empty() ? "" : " ", bits(v, 5));
  }
  return text;
}

PaperTable table2() {
  // By processor 000, 001, 011, 010, 110, 111, 101, 100, each column sorted.
  static constexpr std::array<std::array<const char*, 8>, 4> printed = {{
      {"00000 01111 10000 11111", "00001 01110 10001 11110", "00010 01101 10010 11101",
       "00011 01100 10011 11100", "00100 01011 10100 11011", "00101 01010 10101 11010",
       "00110 01001 10110 11001", "00111 01000 10111 11000"},
      {"00000 00111 01000 01111", "00001 00110 01001 01110", "00010 00101 01010 01101",
       "00011 00100 01011 01100", "10011 10100 11011 11100", "10010 10101 11010 11101",
       "10001 10110 11001 11110", "10000 10111 11000 11111"},
      {"00000 00011 00100 00111", "00001 00010 00101 00110", "01001 01010 01101 01110",
       "01000 01011 01100 01111", "11000 11011 11100 11111", "11001 11010 11101 11110",
       "10001 10010 10101 10110", "10000 10011 10100 10111"},
      {"00000 00001 00010 00011", "00100 00101 00110 00111", "01100 01101 01110 01111",
       "01000 01001 01010 01011", "11000 11001 11010 11011", "11100 11101 11110 11111",
       "10100 10101 10110 10111", "10000 10001 10010 10011"},
  }};
  static constexpr std::array<const char*, 4> names = {"start", "exchange of dimensions 2 and 4",
                                                       "exchange of dimensions 1 and 3",
                                                       "exchange of dimensions 0 and 4"};
  PaperTable table{
      "Table 2: 32 elements on a 3-cube, cyclic gray, bi-sectioning with local "
      "conversion; the indices at each processor",
      {"after", "processor", "printed", "ours"},
      {},
      {"Every printed entry is right; the order inside a memory, which the local "
       "conversions change, is left out here. Stages become local after the exchanges: "
       "bit 4 | 3 | 2 | 1, 0."}};
  const ButterflyNetwork request{.processor_bits = 3, .index_bits = 5, .encoding = Encoding::gray};
  const ButterflyGoal goal = goal_of(judged_plan(request, "butterfly-local"));
  std::vector<butterfly::Form> rows = butterfly::start_rows(request);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k > 0) rows[3 - k] = {goal.final_processor_rows[k - 1], 0};
    for (Word i = 0; i < 8; ++i) {
      table.rows.push_back({names[k], bits(gray(i), 3), printed[k][i], contents(rows, gray(i))});
    }
  }
  return table;
}

std::string form_text(Word mask) {
  std::string text;
  for (int b = word_bits - 1; b >= 0; --b) {
    if (has_bit(mask, b)) text += fmt::format("{}b{}", text.empty() ? "" : "^", b);
  }
  return text;
}

PaperTable table3() {
  PaperTable table{
      "Table 3: the first exchanges of local conversion, cyclic gray (here n = 4, p = 7)",
      {"processor bit", "holds first", "printed after its exchange", "ours"},
      {},
      {"b5 in print stands for b_{n+1}, any memory bit but b_n; ours takes the top one."}};
  const ButterflyNetwork request{.processor_bits = 4, .index_bits = 7, .encoding = Encoding::gray};
  const ButterflyGoal goal = goal_of(judged_plan(request, "butterfly-local"));
  const std::vector<butterfly::Form> start = butterfly::start_rows(request);
  for (std::size_t k = 0; k < 2; ++k) {
    table.rows.push_back({fmt::format("{}", 3 - k), form_text(start[3 - k].mask),
                          k == 0 ? "b5" : "b4", form_text(goal.final_processor_rows[k])});
  }
  return table;
}

// ---- costs ----

struct Printed {
  const char* title;
  const char* algorithm;
  ButterflyNetwork request;
  int memory_bits_least;
  Count (*value)(Count n, Count k);
  const char* formula;
  std::vector<std::string> remarks;
};

PaperTable costs(const Printed& printed) {
  PaperTable table{
      printed.title, {"n", "K", "printed", "ours", "bound", "gap"}, {}, printed.remarks};
  for (int n = 1; n <= 6; ++n) {
    for (int m = printed.memory_bits_least; m <= 5; ++m) {
      ButterflyNetwork request = printed.request;
      request.processor_bits = n;
      request.index_bits = n + m;
      const Count k = request.elements();
      const std::string steps = ours(request, printed.algorithm);
      const Bound bound = bound_of(request_of(request));
      std::string gap = "-";
      if (const auto counted = count_from(steps)) gap = to_string(*counted - bound.value);
      table.rows.push_back({fmt::format("{}", n), to_string(k),
                            to_string(printed.value(static_cast<Count>(n), k)), steps,
                            to_string(bound.value), gap});
    }
  }
  table.title += fmt::format(", printed {}", printed.formula);
  return table;
}

ButterflyNetwork gray_request(Allocation allocation, Encoding encoding) {
  return {.allocation = allocation, .encoding = encoding};
}

std::vector<PaperTable> theorems() {
  const ButterflyNetwork cyclic = gray_request(Allocation::cyclic, Encoding::binary_gray);
  const ButterflyNetwork whole = gray_request(Allocation::cyclic, Encoding::gray);
  const ButterflyNetwork consecutive = gray_request(Allocation::consecutive, Encoding::binary_gray);
  ButterflyNetwork binary = gray_request(Allocation::cyclic, Encoding::binary);
  binary.section_bits = 2;
  const auto low = [](Count n, Count k) { return k / 2 + n >= 2 ? k / 2 + n - 2 : Count{0}; };
  std::vector<Printed> all = {
      {"Theorem 1: cyclic binary||gray, local conversion",
       "butterfly-local",
       cyclic,
       2,
       low,
       "K/2 + n - 2",
       {"Table 4 and the abstract say K/2 + n - 1, which the construction gives always.",
        "n = 1 is impossible below K/2. K = 4 with n = 3, 5, 6 and some K = 8, 16 are reached by "
        "butterfly-table and butterfly-list; K = 4 with n = 4 is open."}},
      {"Theorem 2: cyclic binary||gray, inter-processor conversion",
       "butterfly-inter",
       cyclic,
       1,
       [](Count n, Count k) { return k + n - 2; },
       "K + n - 2",
       {"True for n >= 2; n = 1 takes K/2.",
        "The rule for Gray output complements bit n-2: (n-k-1) ones ^ a_k is meant, not (n-k-2)."}},
      {"Theorem 3: consecutive, local conversion",
       "butterfly-local-twice",
       consecutive,
       2,
       [](Count n, Count k) { return k / 2 + std::max(n, k / 2); },
       "K/2 + max(n, K/2)",
       {"Reached for n = 2 and for K >= 2(n+1); otherwise ours is one more."}},
      {"Theorem 3: consecutive, inter-processor conversion",
       "butterfly-inter",
       consecutive,
       1,
       [](Count n, Count k) { return k / 2 + std::max(n, k); },
       "K/2 + max(n, K)",
       {"For 4 < K <= n the printed value is below K + n - 2 of the first pass alone; ours is "
        "better "
        "than printed once K/2 > n - 1."}},
      {"Theorem 4: cyclic gray, local conversion",
       "butterfly-local",
       whole,
       2,
       [](Count n, Count k) { return k / 2 + n - 1; },
       "K/2 + n - 1",
       {"Reached."}},
      {"Theorem 4: cyclic gray, inter-processor conversion",
       "butterfly-inter",
       whole,
       1,
       [](Count n, Count k) { return k + n - 1; },
       "K + n - 1",
       {"Reached."}},
      {"Section 6: 2^r-sectioning, r = 2, cyclic binary",
       "butterfly-sectioning",
       binary,
       2,
       [](Count n, Count k) { return k / 2 + (n / 2 == 0 ? 0 : (n / 2 - 1) * 2); },
       "K/2 + (n/r - 1) 2^r/2",
       {"r must divide n: odd n is printed for the whole part of n/2. Gray code needs r + 1 "
        "control "
        "bits, else the stage between two phases waits."}},
  };
  std::vector<PaperTable> tables;
  for (const Printed& printed : all) tables.push_back(costs(printed));
  return tables;
}

PaperTable theorem5() {
  PaperTable table{
      "Theorem 5: one element per processor, printed n",
      {"n", "output", "printed", "ours", "bound"},
      {},
      {"True after repair of the code: the loop is j = n-1..1, then one exchange for "
       "j = 0; the argument is G^-1(i ^ 2^(j-1)); x is the operand whose index bit j is "
       "0 (as printed, n = 2, node 00 takes x = 3 and y = 1).",
       "Least significant bit first with a change of code in n steps: not found."}};
  for (int n = 1; n <= 10; ++n) {
    for (const Output output : {Output::binary, Output::gray}) {
      ButterflyNetwork request = gray_request(Allocation::cyclic, Encoding::gray);
      request.processor_bits = request.index_bits = n;
      request.output = output;
      table.rows.push_back({fmt::format("{}", n), output == Output::binary ? "binary" : "gray",
                            fmt::format("{}", n), ours(request, "butterfly-replication"),
                            to_string(bound_of(request_of(request)).value)});
    }
  }
  return table;
}

PaperTable table4() {
  struct Line {
    Allocation allocation;
    Encoding encoding;
    const char* inter;
    const char* local;
  };
  static constexpr std::array<Line, 6> lines = {{
      {Allocation::consecutive, Encoding::gray, "K/2 + max(n, K)", "K/2 + max(n, K/2)"},
      {Allocation::consecutive, Encoding::gray_gray, "K/2 + max(n, K)", "K/2 + max(n, K/2)"},
      {Allocation::consecutive, Encoding::binary_gray, "K/2 + max(n, K)", "K/2 + max(n, K/2)"},
      {Allocation::cyclic, Encoding::gray, "K + n - 1", "K/2 + n - 1"},
      {Allocation::cyclic, Encoding::gray_gray, "K + n - 2", "K/2 + n - 1"},
      {Allocation::cyclic, Encoding::binary_gray, "K + n - 2", "K/2 + n - 1"},
  }};
  PaperTable table{"Table 4: element transfers in sequence; ours at n = 4, K = 16",
                   {"layout", "conversion", "printed", "ours", "bound"},
                   {},
                   {"The text of section 6 calls it Table 6."}};
  for (const Line& line : lines) {
    ButterflyNetwork request = gray_request(line.allocation, line.encoding);
    request.processor_bits = 4;
    request.index_bits = 8;
    const bool cyclic = line.allocation == Allocation::cyclic;
    const std::string bound = to_string(bound_of(request_of(request)).value);
    table.rows.push_back({layout_text(request), "between processors", line.inter,
                          ours(request, "butterfly-inter"), bound});
    table.rows.push_back({layout_text(request), "local", line.local,
                          ours(request, cyclic ? "butterfly-local" : "butterfly-local-twice"),
                          bound});
  }
  return table;
}

// What the introduction compares with: emulation on binary code in a pipeline, the same on Gray
// code as it stands, and conversion before it; all of them in natural order.
PaperTable baselines() {
  PaperTable table{
      "Introduction: what the algorithms are compared with, cyclic binary||gray, msb first",
      {"n", "K", "printed binary", "binary", "printed direct", "direct", "printed convert first",
       "convert first", "ours", "bound"},
      {},
      {"Binary: K + n - 1 in a pipeline. Direct: on Gray code every dimension is used twice, "
       "printed "
       "as a doubling. Convert first: exchange-pipeline and then the emulation on binary code, two "
       "verified schedules, printed 2K for K much larger than n. Ours: butterfly-local."}};
  for (const int n : {2, 3, 4, 5, 6})
    for (const int memory : {2, 4, 6}) {
      ButterflyNetwork request = gray_request(Allocation::cyclic, Encoding::binary_gray);
      request.processor_bits = n;
      request.index_bits = n + memory;
      const std::string fast = ours(request, "butterfly-local");
      const std::string bound = to_string(bound_of(request_of(request)).value);
      request.finish = ButterflyNetwork::Finish::restored;
      const std::string direct = ours(request, "butterfly-replication");
      request.encoding = Encoding::binary;
      const std::string binary = ours(request, "butterfly-replication");
      const Plan conversion =
          plan(Request::of(Hypercube{.dimensions = n}, MapGoal{.map = ungray_map(n)}, bit(memory)),
               {.algorithm = "exchange-pipeline"});
      const std::string first =
          conversion.ok() && binary.find_first_not_of("0123456789") == std::string::npos
              ? std::to_string(std::stoull(binary) + static_cast<std::uint64_t>(conversion.value()))
              : "-";
      const auto k = bit(memory);
      const auto dimensions = static_cast<std::uint64_t>(n);
      table.rows.push_back({std::to_string(n), std::to_string(k),
                            std::to_string(k + dimensions - 1), binary,
                            std::to_string(2 * (k + dimensions - 1)), direct, std::to_string(2 * k),
                            first, fast, bound});
    }
  return table;
}

PaperPage page() {
  PaperPage page;
  page.citation =
      "Johnsson, Ho: Boolean cube emulation of butterfly networks encoded by Gray "
      "code. "
      "Yale University, YALEU/DCS/TR-764, 1990.";
  page.tables = code_figures();
  for (PaperTable& table : local_conversion_figures()) page.tables.push_back(std::move(table));
  for (PaperTable& table : inter_conversion_figures()) page.tables.push_back(std::move(table));
  page.tables.insert(page.tables.end(), {table1(), table2(), table3(), table4()});
  for (PaperTable& table : theorems()) page.tables.push_back(std::move(table));
  page.tables.push_back(theorem5());
  page.tables.push_back(baselines());
  return page;
}

}  // namespace

const Paper butterfly_paper = {
    .name = "butterfly",
    .title =
        "Boolean cube emulation of butterfly networks encoded by Gray code (Johnsson, Ho 1990)",
    .page = page,
};

}  // namespace faro::inline v1
