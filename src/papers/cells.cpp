// A cell is a plan that was verified and kept its promise, or says in words why it is none.
#include "papers/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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
  memory_.emplace(header.machine, MachineMemory::Options{header.slots, sizeof(int)});
  FARO_CHECK(memory_->processors() <= 1024);
  slots_ = static_cast<Slot>(header.slots);
  for (Word p = 0; p < memory_->processors(); ++p)
    for (Slot s = 0; s < slots_; ++s) {
      const int element = s < header.elements ? static_cast<int>(p * header.elements + s) : -1;
      std::memcpy(memory_->at(p, s), &element, sizeof element);
    }
  note();
}

void ContentsSink::step(const CubeStep& step) {
  memory_->perform(step);
  if (std::all_of(step.rules.begin(), step.rules.end(),
                  [](const Rule& rule) { return rule.across == inside; }))
    contents_.pop_back();
  note();
}

void ContentsSink::note() {
  auto& all = contents_.emplace_back(memory_->processors(), std::vector<int>(slots_));
  for (Word p = 0; p < all.size(); ++p)
    for (Slot s = 0; s < slots_; ++s) std::memcpy(&all[p][s], memory_->at(p, s), sizeof(int));
}

}  // namespace faro::inline v1
