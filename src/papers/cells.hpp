// Cells of paper pages that are planned and verified while the page is made.
//
//   Workshop workshop(planners);
//   workshop.ours(request)                    "61": the cheapest plan, verified
//   workshop.ours(request, "minimum-path")    "100", or "refused: ..." if a verifier says no
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "faro/service/plan.hpp"

namespace faro::inline v1 {

class Workshop {
 public:
  explicit Workshop(std::span<const Planner* const> planners) : planners_(planners) {}

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
  std::vector<std::vector<std::vector<int>>> contents_;
};

}  // namespace faro::inline v1
