// A cell is a plan that was verified and kept its promise, or says in words why it is none.
#include "papers/cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {

std::string Workshop::ours(const Request& request, std::string_view algorithm) const {
  return cell(request, algorithm, [](const MachinePlan& made) { return to_string(made.value()); });
}

std::string Workshop::slots(const Request& request, std::string_view algorithm) const {
  return cell(request, algorithm,
              [](const MachinePlan& made) { return std::to_string(made.slots()); });
}

std::string Workshop::cell(const Request& request, std::string_view algorithm,
                           const std::function<std::string(const MachinePlan&)>& text) const {
  PlanOptions options;
  options.algorithm = algorithm;
  options.planners.assign(planners_.begin(), planners_.end());
  options.ask = PlanOptions::Ask::own_planners;
  if (!algorithm.empty()) {
    const auto planner = std::find_if(planners_.begin(), planners_.end(),
                                      [&](const Planner* p) { return algorithm == p->name(); });
    if (planner == planners_.end()) return "no such algorithm";
    if ((*planner)->refusal(request)) return "-";
  }
  try {
    const MachinePlan planned = plan(request, options);
    for (const Verdict& v : planned.verdicts())
      if (v.answer == Verdict::Answer::no) return "refused by " + v.by;
    if (!planned.ok()) return "not verified";
    if (planned.value() != planned.formula().value)
      return "promised " + to_string(planned.formula().value) + ", took " +
             to_string(planned.value());
    return text(planned);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::cancelled) throw;
    return std::string("failed: ") + e.what();
  }
}

std::string Workshop::bound(const Request& request) const {
  return to_string(bound_of(request).value);
}

PlannedTable::PlannedTable(Workshop workshop, std::string title, std::vector<Column> columns,
                           std::vector<std::string> remarks)
    : workshop_(workshop),
      columns_(std::move(columns)),
      table_{std::move(title), {}, std::move(remarks)} {
  for (const Column& column : columns_) table_.columns.push_back(column.title);
}

void PlannedTable::row(const Request& request, const std::vector<Cell>& said) {
  auto next = said.begin();
  std::vector<std::string> row;
  for (const Column& column : columns_) switch (column.kind) {
      case Column::Kind::said:
        FARO_CHECK(next != said.end());
        row.push_back((next++)->text);
        break;
      case Column::Kind::planned:
        row.push_back(workshop_.ours(request, column.algorithm));
        break;
      case Column::Kind::bound:
        row.push_back(workshop_.bound(request));
        break;
    }
  FARO_CHECK(next == said.end());
  table_.rows.push_back(std::move(row));
}

std::string ratio(const std::string& above, const std::string& below, int digits) {
  for (const std::string* cell : {&above, &below})
    if (cell->find_first_not_of("0123456789") != std::string::npos) return "-";
  return below == "0" ? "-" : fmt::format("{:.{}f}", std::stod(above) / std::stod(below), digits);
}

void ContentsSink::begin(const ScheduleHeader& header) {
  const auto* cube = std::get_if<Hypercube>(&header.machine);
  FARO_CHECK(cube != nullptr && cube->dimensions <= 10);
  std::vector<std::vector<int>> start(std::size_t{1} << static_cast<unsigned>(cube->dimensions));
  for (std::size_t p = 0; p < start.size(); ++p) {
    start[p].assign(header.slots, -1);
    for (std::uint64_t e = 0; e < header.elements; ++e)
      start[p][e] = static_cast<int>(p * header.elements + e);
  }
  contents_.assign(1, std::move(start));
}

void ContentsSink::step(const CubeStep& step) {
  const auto before = contents_.back();
  auto after = before;
  bool remote = false;
  for (const Rule& rule : step.rules)
    for (Word p = 0; p < before.size(); ++p) {
      if (!std::all_of(rule.where.begin(), rule.where.end(),
                       [p](const Parity& c) { return c.holds(p); }))
        continue;
      remote = remote || rule.across != inside;
      const Word to = rule.across == inside ? p : p ^ bit(rule.across);
      after[to][rule.to] = before[p][rule.from];
    }
  if (remote)
    contents_.push_back(std::move(after));
  else
    contents_.back() = std::move(after);
}

}  // namespace faro::inline v1
