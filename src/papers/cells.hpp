// Cells of paper pages that are planned and verified while the page is made.
//
//   Workshop workshop(planners);
//   workshop.ours(request)                    "61": the cheapest plan, verified
//   workshop.ours(request, "minimum-path")    "100", or "refused: ..." if a verifier says no
//
//   PlannedTable table(workshop, "Theorem 6",
//                      {"n", "K", "printed", planned("ours", "minimum-path"), bound()});
//   table.row(request, {n, k, std::max(k, n - 1)});
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "faro/service/plan.hpp"
#include "machines/memory.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

class Workshop {
 public:
  explicit Workshop(std::span<const Planner* const> planners = catalogue()) : planners_(planners) {}

  // The counted cost if every verifier says yes and it is what the planner promised, else why not;
  // "-" where the algorithm does not apply.
  std::string ours(const Request& request, std::string_view algorithm = {}) const;
  // The storage places of a processor that this plan uses, or what ours() says.
  std::string slots(const Request& request, std::string_view algorithm) const;
  // The lower bound.
  std::string bound(const Request& request) const;
  // What `text` says of the plan that ours() counts.
  std::string cell(const Request& request, std::string_view algorithm,
                   const std::function<std::string(const MachinePlan&)>& text) const;

 private:
  std::span<const Planner* const> planners_;
};

// A column that says something of a case, or what is planned for it.
struct Column {
  enum class Kind { said, planned, bound };

  Column(const char* of) : title(of) {}
  Column(const char* of, Kind what, std::string_view by) : title(of), kind(what), algorithm(by) {}

  std::string title;
  Kind kind = Kind::said;
  std::string algorithm = {};  // none: the cheapest
};
inline Column planned(const char* title, std::string_view algorithm = {}) {
  return {title, Column::Kind::planned, algorithm};
}
inline Column ours(std::string_view algorithm = {}) {
  return planned("ours", algorithm);
}
inline Column bound(const char* title = "bound") {
  return {title, Column::Kind::bound, {}};
}

// A table whose rows are requests.
class PlannedTable {
 public:
  PlannedTable(Workshop workshop, std::string title, std::vector<Column> columns,
               std::vector<std::string> remarks = {});

  // Requires a cell for every column that is said, in their order.
  void row(const Request& request, const std::vector<Cell>& said);

  operator PaperTable() && { return std::move(table_); }

 private:
  Workshop workshop_;
  std::vector<Column> columns_;
  PaperTable table_;
};

// The quotient of two counts; "-" where one of them is none or 0.
std::string ratio(const std::string& above, const std::string& below, int digits);

// What every slot of every processor of a small cube holds after each step with a remote move:
// contents[t][p][s] is the number of the element, p·K + s where it began; step 0 is the start.
// Slots that hold nothing hold -1.
class ContentsSink : public ScheduleSink {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void finish() override {}
  const std::vector<std::vector<std::vector<int>>>& contents() const { return contents_; }

 private:
  void note();

  std::optional<MachineMemory> memory_;
  Slot slots_ = 0;
  std::vector<std::vector<std::vector<int>>> contents_;
};

}  // namespace faro::inline v1
