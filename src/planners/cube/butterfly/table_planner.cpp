// Plans found by search.   [searches: faro; the problem: Johnsson, Ho 1990]
//
//   applies:  the eleven cases of data/butterfly_tables.json; encodings that move the processors'
//             elements alike share one
//   cost:     the table's steps: n for K = 4; one or two below K/2 + n - 1 else
//   bound:    max(n, K/2)
#include "planners/cube/butterfly/table_planner.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/check.hpp"
#include "planners/cube/butterfly/paper_count.hpp"
#include "planners/cube/butterfly/trajectories.hpp"

namespace faro::inline v1::tables {
extern const std::string_view butterfly_tables;
}

namespace faro::inline v1 {
namespace {

using namespace butterfly;
using nlohmann::json;
using Output = ButterflyNetwork::Output;
using Finish = ButterflyNetwork::Finish;

const json& tables() {
  static const json all = json::parse(tables::butterfly_tables).at("tables");
  return all;
}

// Memory codes change slots only: what matters is which rows the processors hold.
std::string_view processor_code(const ButterflyNetwork& request) {
  if (!coded(request)) return "binary";
  if (request.allocation == Allocation::consecutive) return "gray";
  return whole_cyclic(request) ? "gray" : "binary_gray";
}

const json* table_for(const ButterflyNetwork& request) {
  if (request.finish == Finish::restored || request.output == Output::gray_through) return nullptr;
  for (const json& table : tables()) {
    if (table.at("n") == request.processor_bits && table.at("p") == request.index_bits &&
        table.at("allocation") ==
            (request.allocation == Allocation::cyclic ? "cyclic" : "consecutive") &&
        table.at("encoding") == processor_code(request) &&
        table.at("order") == (most_significant_first(request) ? "msb" : "lsb") &&
        table.at("output") == (request.output == Output::binary ? "binary" : "gray")) {
      return &table;
    }
  }
  return nullptr;
}

std::optional<std::string> refusal_table_planner(const ButterflyNetwork& request) {
  if (table_for(request) != nullptr) return std::nullopt;
  return "there is no table for this case";
}

Estimate estimate_table_planner(const ButterflyNetwork& request) {
  const auto steps = table_for(request)->at("steps").get<std::uint64_t>();
  return {{steps, fmt::format("{} in the table", steps)}, paper_count(request)};
}

Word places(const std::vector<Form>& rows, Word index) {
  Word place = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (parity(rows[j].mask & index) != 0) place |= Word{1} << j;
  }
  return place;
}

// For every element its processor after every step.
std::vector<std::vector<Word>> by_trajectories(const ButterflyNetwork& request, const json& table) {
  const auto steps = table.at("steps").get<std::size_t>();
  std::vector<std::vector<Word>> result(steps + 1, std::vector<Word>(bit(request.index_bits)));
  for (Word index = 0; index < bit(request.index_bits); ++index) {
    const Word start = places(start_rows(request), index);
    const Word controls = index >> request.processor_bits;
    const json& path = table.at("trajectories").at((controls << request.processor_bits) | start);
    for (std::size_t t = 0; t <= steps; ++t) result[t][index] = path.at(t).get<Word>();
  }
  return result;
}

// Elements with the same difference of start and final processor cross at the same times.
std::vector<std::vector<Word>> by_times(const ButterflyNetwork& request, const json& table,
                                        const std::vector<Form>& rows) {
  const auto steps = table.at("steps").get<std::size_t>();
  std::vector<std::vector<Word>> result(steps + 1, std::vector<Word>(bit(request.index_bits)));
  std::vector<std::vector<int>> times(bit(request.processor_bits),
                                      std::vector<int>(rows.size(), -1));
  for (const json& entry : table.at("times")) {
    const auto of_class = entry.get<std::vector<int>>();
    times.at(static_cast<std::size_t>(of_class.at(0))).assign(of_class.begin() + 1, of_class.end());
  }
  for (Word index = 0; index < bit(request.index_bits); ++index) {
    Word at = places(start_rows(request), index);
    const std::vector<int>& crossing = times[at ^ places(rows, index)];
    for (std::size_t t = 0; t <= steps; ++t) {
      for (std::size_t d = 0; t > 0 && d < crossing.size(); ++d) {
        if (crossing[d] == static_cast<int>(t) - 1) at ^= Word{1} << d;
      }
      result[t][index] = at;
    }
  }
  return result;
}

void build_table_planner(const ButterflyNetwork& request, CompiledSink& sink) {
  const json& table = *table_for(request);
  std::vector<Form> rows;
  for (const json& row : table.at("final")) rows.push_back({row.get<Word>(), 0});
  emit({request, table_planner.name(), rows,
        table.contains("times") ? by_times(request, table, rows) : by_trajectories(request, table)},
       sink);
}

}  // namespace

const ButterflyEntry table_planner({
    .name = "butterfly-table",
    .title = "plans found by long searches, shipped as data",
    .needs = "K = 4 with n = 3, 5, 6; K = 8 with n = 4, 5, 6; K = 16 with n = 5; certain layouts",
    .cost = "n for K = 4, else one or two steps below the closed forms",
    .citation = "faro",
    .refusal = refusal_table_planner,
    .estimate = estimate_table_planner,
    .build = build_table_planner,
});

}  // namespace faro::inline v1
