#include "cli/plan_many.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/plan_words.hpp"
#include "faro/base/error.hpp"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/machines/verifier.hpp"
#include "service/reports.hpp"

namespace faro::cli {
namespace {

struct Row {
  std::string machine;
  std::optional<MachinePlan> plan = {};
  std::string refusal = {};
};

// The first line of a refusal, and its last, which says what to change; those between list every
// planner.
std::string in_short(const std::string& text) {
  const std::size_t first = text.find('\n');
  if (first == text.npos) return text;
  const std::string head = text.substr(0, text[first - 1] == ':' ? first - 1 : first);
  const std::string last = text.substr(text.rfind('\n') + 1);
  return last.starts_with(' ') ? head : fmt::format("{}. {}", head, last);
}

Row row_of(const std::string& machine, const std::function<Request(const std::string&)>& request_on,
           const PlanOptions& options) {
  Row row{.machine = machine};
  try {
    row.plan = plan(request_on(machine), options);
    if (!row.plan->ok() && options.verify != VerifyBy::nobody) {
      row.plan.reset();
      row.refusal = "the plan is not verified";
    }
  } catch (const Error& error) {
    // One machine's refusal is a row; what ends the program ends it.
    if (error.code() == ErrorCode::internal || error.code() == ErrorCode::cancelled ||
        error.code() == ErrorCode::environment)
      throw;
    row.refusal = in_short(error.what());
  }
  return row;
}

void add_words(Report& report, const std::vector<Row>& rows) {
  std::size_t widest = 7;
  std::size_t costs = 4;
  for (const Row& row : rows) {
    widest = std::max(widest, row.machine.size());
    if (row.plan)
      costs = std::max(costs, in_units(row.plan->value(), row.plan->request().machine()).size());
  }
  report.say("  {:<{}}  {:<{}}  {:>8}  {}\n", "machine", widest, "cost", costs, "at least",
             "algorithm");
  for (const Row& row : rows) {
    if (row.plan)
      report.say("  {:<{}}  {:<{}}  {:>8}  {}\n", row.machine, widest,
                 in_units(row.plan->value(), row.plan->request().machine()), costs,
                 to_string(row.plan->bound().value), row.plan->planner());
    else
      report.say("  {:<{}}  none: {}\n", row.machine, widest, row.refusal);
  }
}

// What one processor has for others: `each` elements for each of `receivers` processors.
struct Traffic {
  Count receivers = 1;
  Count each = 1;
  Count keepers = 0;  // processors that are among their own receivers
  Count moved = 0;    // elements that leave their processor
  Count all = 0;
  std::vector<std::pair<Word, std::vector<Word>>> examples = {};
};

Traffic traffic_of(const Request& request) {
  Traffic traffic;
  const std::uint64_t elements = request.elements();
  traffic.all = processors(request.machine()) * elements;
  constexpr Word examples_max = 3;
  if (const auto* destinations = request.get_if<Destinations>()) {
    const auto& list = destinations->to;
    traffic.each = elements;
    for (std::size_t p = 0; p < list.size(); ++p) {
      if (list[p] == p) ++traffic.keepers;
      if (p < examples_max) traffic.examples.push_back({p, {list[p]}});
    }
    traffic.moved = (Count{list.size()} - traffic.keepers) * elements;
    return traffic;
  }
  const auto* goal = request.get_if<MapGoal>();
  if (goal == nullptr)
    throw Error(ErrorCode::usage,
                "--traffic says what a map or a list moves; a computation has no such answer");
  const int m = goal->cut ? goal->memory_bits : 0;
  const int n = goal->map.width() - m;
  const ExchangeCost cost = exchange_cost(goal->map, n, 1);
  const std::uint64_t alike = goal->cut ? 1 : elements;
  traffic.receivers = Count{1} << static_cast<unsigned>(cost.rho);
  traffic.each = cost.pair_bytes * alike;
  traffic.keepers = cost.keepers;
  traffic.moved = cost.ranks.moved_bytes * alike;
  constexpr int listed_log2 = 3;
  for (Word p = 0; p < examples_max && (n >= 64 || p < bit(n)) && cost.rho <= listed_log2; ++p) {
    // Memory bits one by one and together span what a processor reaches.
    std::vector<Word> reached{goal->map(p << m) >> m};
    for (int b = 0; b < m; ++b) {
      const Word by = (goal->map(bit(b)) ^ goal->map(0)) >> m;
      for (std::size_t i = reached.size(); i-- > 0;) reached.push_back(reached[i] ^ by);
      std::sort(reached.begin(), reached.end());
      reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    }
    traffic.examples.emplace_back(p, reached);
  }
  return traffic;
}

}  // namespace

int plan_on_many(const std::vector<std::string>& machines,
                 const std::function<Request(const std::string&)>& request_on,
                 const PlanOptions& options, Output& out) {
  std::vector<Row> rows;
  for (const std::string& machine : machines) rows.push_back(row_of(machine, request_on, options));
  Report report{{"format", "faro-plans/1"}, {"plans", Report::list()}};
  for (const Row& row : rows) {
    Report entry{{"machine", row.machine}};
    if (row.plan)
      entry["plan"] = plan_report(*row.plan);
    else
      entry["refusal"] = row.refusal;
    report["plans"].push_back(std::move(entry));
  }
  add_words(report, rows);
  out.report(report, Report::Lines::many);
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& r) { return r.plan; });
  return any ? 0 : exit_code(ErrorCode::impossible);
}

int report_traffic(const Request& request, std::uint64_t unit_elements, Output& out) {
  const Traffic traffic = traffic_of(request);
  const Count count = processors(request.machine());
  const std::string_view what = unit_elements == 1 ? "element" : "unit";
  Report report{{"format", "faro-traffic/1"},
                {"machine", to_string(request.machine())},
                {"processors", count},
                {"elements", request.elements()}};
  if (unit_elements != 1)
    report.row("unit_elements", unit_elements, "  unit         {} elements that move as one\n",
               unit_elements);
  report.say("  processors   {}, {} in each\n", to_string(count), plural(request.elements(), what));
  report["receivers"] = traffic.receivers;
  report["each"] = traffic.each;
  if (traffic.receivers == 1)
    report.say("  each has     {} for one processor, and as much from one\n",
               plural(traffic.each, what));
  else
    report.say("  each has     {} for each of {} processors, and as much from as many\n",
               plural(traffic.each, what), to_string(traffic.receivers));
  report.row("keepers", traffic.keepers, "  itself       is one of them for {} of {} processors\n",
             to_string(traffic.keepers), to_string(count));
  report.row("moved", traffic.moved, "  on the way   {} of {} leave their processor\n",
             to_string(traffic.moved), plural(traffic.all, what));
  report["examples"] = Report::list();
  for (const auto& [from, to] : traffic.examples) {
    report["examples"].push_back({{"processor", from}, {"to", to}});
    report.say("  for example  processor {} sends to {}\n", from, fmt::join(to, ", "));
  }
  out.report(report, Report::Lines::many);
  return 0;
}

}  // namespace faro::cli
