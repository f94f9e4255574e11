// Figure 4's paths, the folding of Theorem 7, and processors that use some of their channels.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faro/algebra/classify.hpp"
#include "papers/pages.hpp"
#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"
#include "planners/cube/step_source.hpp"

namespace faro::inline v1 {
namespace {

Request gray_to_binary(int n, std::uint64_t elements,
                       Hypercube::Ports ports = Hypercube::Ports::all) {
  return Request::of(Hypercube{.dimensions = n, .ports = ports}, MapGoal{.map = ungray_map(n)},
                     elements);
}

// The processors that an element comes through, by the contents after every step.
std::string path_of(const ContentsSink& run, int element) {
  std::string path;
  std::size_t last = ~std::size_t{0};
  for (const auto& processors : run.contents())
    for (std::size_t p = 0; p < processors.size(); ++p) {
      const auto& slots = processors[p];
      if (p == last || std::find(slots.begin(), slots.end(), element) == slots.end()) continue;
      // What an element leaves behind stays until it is written over.
      const std::string step = std::to_string(p);
      if (path.find(step) != std::string::npos) continue;
      path += (path.empty() ? "" : " ") + step;
      last = p;
    }
  return path;
}

PaperTable figure_4_paths() {
  PaperTable table{
      .title = "Figure 4: routing paths in a 2-cube, elements on each",
      .columns = {"K", "from", "path", "printed", "ours"},
      .remarks = {"Printed: K/2 + 1 elements take the link, K/2 - 1 the three others."}};
  for (const int k : {4, 8, 16})
    for (const int from : {2, 3}) {
      ContentsSink run;
      plan(gray_to_binary(2, static_cast<std::uint64_t>(k)), {.algorithm = "two-bits"}).push(run);
      std::map<std::string, int> counts;
      for (int s = 0; s < k; ++s) ++counts[path_of(run, from * k + s)];
      for (const auto& [path, count] : counts)
        table.row({k, from, path, path.size() == 3 ? k / 2 + 1 : k / 2 - 1, count});
    }
  return table;
}

// Links of the cube below the top dimension that a plan of one element uses in one of the two
// halves and not in the other, of those there are.
int even_links(int n) {
  RecordingSink recorded;
  const std::vector<CodeField> fields{{.lo = 0, .length = n}};
  emit(gray_to_binary(n, 1), "ascending exchanges",
       exchange_steps(fields, ascending_order(fields[0]), 1), recorded);
  std::map<std::pair<Word, int>, int> uses;
  for (const CubeStep& step : recorded.cube_steps)
    for (const Rule& rule : step.rules)
      for (Word p = 0; p < bit(n); ++p)
        if (rule.across != inside && rule.across != n - 1 && !has_bit(p, rule.across) &&
            std::all_of(rule.where.begin(), rule.where.end(),
                        [p](const Parity& c) { return c.holds(p); }))
          ++uses[{p & low_mask(n - 1), rule.across}];
  return static_cast<int>(
      std::count_if(uses.begin(), uses.end(), [](const auto& use) { return use.second == 1; }));
}

PaperTable folding() {
  PaperTable table{
      .title = "Theorem 7: links of the cube folded along its top dimension that are used once",
      .columns = {"n", "printed", "ours"},
      .remarks = {"Printed: all links, used evenly; the integers 0-7, 1-6, 2-5, 3-4 that fall "
                  "together in a 3-cube are those at neighbours in the top dimension."}};
  for (int n = 2; n <= 8; ++n) table.row({n, (n - 1) << (n - 2), even_links(n)});
  return table;
}

PaperTable some_channels(const Workshop& workshop) {
  PlannedTable table(
      workshop, "Section 1: some, but not all, channels of every processor, steps",
      {"n", "K", "channels", ours(), bound()},
      {"A processor uses at most so many of its links in a step: cube:n,k-ports. The "
       "paper has algorithms for one and for all; between them the better one goes by "
       "so many dimensions in turn."});
  for (const auto& [n, k] : {std::pair{3, 12U}, {4, 12U}, {4, 40U}, {6, 40U}, {6, 100U}})
    for (int ports = 1; ports <= n; ++ports) {
      const Request request =
          gray_to_binary(n, k, ports == n ? Hypercube::Ports::all : Hypercube::Ports{ports});
      table.row(request, {n, k, ports});
    }
  return table;
}

}  // namespace

std::vector<PaperTable> conversion_paths(const Workshop& workshop) {
  return {figure_4_paths(), folding(), some_channels(workshop)};
}

}  // namespace faro::inline v1
