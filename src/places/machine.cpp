// A machine of processors: the cheapest schedule of all planners, proved.
#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/words/say.hpp"
#include "places/placed_plan.hpp"
#include "places/rank_lengths.hpp"
#include "service/reports.hpp"

namespace faro::inline v1::places {
namespace {

void add_words(const MachinePlan& plan, PlacedPlan::Content& content) {
  const char* const verified = content.judged == Judged::right   ? "every element arrives"
                               : content.judged == Judged::wrong ? "NO: the schedule is wrong"
                                                                 : "no, as was asked";
  Report& report = content.report;
  report.say("{}\n", plan.request().text());
  report.add_words(plan_line("machine", to_string(plan.request().machine())));
  report.add_words(plan_line("made of", content.made_of));
  report.add_words(plan_line("cost", fmt::format("{} {}", to_string(content.cost), content.unit)));
  report.add_words(plan_line("bound", fmt::format("no plan takes fewer than {}: {}",
                                                  to_string(content.bound), content.reason)));
  report.add_words(plan_line("verified", verified));
}

}  // namespace

PlacedPlan::Content on_machine(const Asked& asked) {
  const MoveRequest& r = asked.request;
  const auto lengths = rank_lengths(
      said_on(r.words, machine_from(asked.place), r.elements, r.shape), asked.place, r.elements);
  const Request request = lengths ? request_of(*lengths, asked.place)
                                  : Request::of(r.words, asked.place, r.elements, r.shape);
  const MachinePlan plan = faro::plan(request, {.algorithm = asked.options.algorithm,
                                                .verify = asked.options.verify,
                                                .progress = asked.options.progress});
  PlacedPlan::Content content{.plan = plan};
  content.cost = plan.value();
  content.bound = plan.bound().value;
  content.reason = plan.bound().reason;
  content.unit = cost_unit(request.machine());
  content.made_of = plan.expression();
  content.judged = was_refused(plan.verdicts()) ? Judged::wrong
                   : plan.ok()                  ? Judged::right
                                                : Judged::nobody;
  content.report = plan_report(plan);
  add_words(plan, content);
  if (lengths) content.report["lengths"] = lengths->report();
  return content;
}

}  // namespace faro::inline v1::places
