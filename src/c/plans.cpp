// The C API's texts in and JSON out: maps explained, plans on model machines, verdicts.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "base/working.hpp"
#include "c/handles.hpp"
#include "faro/base/progress.hpp"
#include "faro/c/faro.h"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/places/placed_plan.hpp"
#include "faro/service/plan.hpp"

namespace {

using faro::c::failed;
using faro::c::flag;
using faro::c::guarded;
using faro::c::need;
using faro::c::shape_of;
using faro::c::taken;
using faro::c::unused;

thread_local faro::Progress listener;

struct Answer {
  std::string json;
  std::string refusal = {};  // empty: yes
};

// Runs `work` for an Answer and hands its text over.
template <class Work>
faro_status answered(const char* function, char** json, Work&& work) noexcept {
  std::string refusal;
  const faro_status status = guarded([&] {
    need(function, "json", json);
    *json = nullptr;
    const faro::Progress listened = listener;  // may be changed meanwhile
    const faro::Listening listening(listened);
    Answer answer = work();
    *json = ::strdup(answer.json.c_str());
    if (*json == nullptr) throw std::bad_alloc();
    refusal = std::move(answer.refusal);
  });
  if (status != FARO_OK || refusal.empty()) return status;
  return failed(FARO_REFUSED, refusal.c_str());
}

faro::MachinePlan planned(const char* map, const char* machine, uint64_t elements,
                          const char* algorithm) {
  faro::PlanOptions options;
  if (elements != 0) options.elements = elements;
  options.algorithm = algorithm;
  options.progress = listener;
  return faro::plan(map, machine, options);
}

std::string refusal_of(const faro::Verdict& verdict) {
  if (verdict.ok()) return {};
  if (verdict.violations.empty()) return verdict.by + " makes no claim: " + verdict.limit;
  const faro::Violation& first = verdict.violations.front();
  return verdict.by + " says no: step " + to_string(first.step) + ": " + first.rule + ": " +
         first.message;
}

Answer answer_of(const faro::MachinePlan& plan) {
  Answer answer{plan.json()};
  for (const faro::Verdict& verdict : plan.verdicts())
    if (!plan.ok() && answer.refusal.empty()) answer.refusal = refusal_of(verdict);
  return answer;
}

Answer answer_of(const faro::VerifyReport& report) {
  return {faro::verdict_json(report), refusal_of(report.verdict)};
}

faro::ExchangePlan exchange_of(const faro_map& map, const faro_exchange_options& given) {
  const faro_exchange_options all = taken(given, FARO_EXCHANGE_OPTIONS);
  faro::ExchangeOptions options;
  unused("faro_exchange_options.reserved", all.reserved);
  options.ranks = flag("faro_exchange_options.relabelled", all.relabelled) ? faro::Ranks::relabelled
                                                                           : faro::Ranks::fixed;
  options.in_place = flag("faro_exchange_options.in_place", all.in_place);
  options.node_bits = all.node_bits;
  options.buffer_bytes = all.buffer_bytes;
  return faro::ExchangePlan::make(map.map.as_bits(), all.rank_bits, all.element_bytes, options);
}

}  // namespace

extern "C" {

void faro_listen(faro_progress progress, void* context) {
  listener = faro::c::watched(progress, context);
}

faro_status faro_explain(const char* map, char** json) {
  return answered("faro_explain", json, [&] {
    need("faro_explain", "map", map);
    return Answer{faro::explain_json(map)};
  });
}

faro_status faro_exchange_cost(const faro_map* map, const faro_exchange_options* options,
                               char** json) {
  return answered("faro_exchange_cost", json, [&] {
    need("faro_exchange_cost", "map options", map, options);
    return Answer{exchange_of(*map, *options).to_json()};
  });
}

faro_status faro_plan_machine(const char* map, const char* machine, uint64_t elements,
                              const char* algorithm, char** json) {
  return answered("faro_plan_machine", json, [&] {
    need("faro_plan_machine", "map machine algorithm", map, machine, algorithm);
    return answer_of(planned(map, machine, elements, algorithm));
  });
}

faro_status faro_plan_at(const char* words, int axes, const uint64_t* shape, const char* place,
                         uint64_t element_bytes, char** json) {
  return answered("faro_plan_at", json, [&] {
    need("faro_plan_at", "words place", words, place);
    faro::MoveRequest request{.words = words};
    request.shape = shape_of("faro_plan_at", axes, shape);
    if (element_bytes != 0) request.element_bytes = element_bytes;
    const faro::PlacedPlan plan = faro::plan(request, place, {.progress = listener});
    return Answer{plan.json(), plan.judged() && !plan.ok() ? "a judge says no" : ""};
  });
}

faro_status faro_write_schedule(const char* map, const char* machine, uint64_t elements,
                                const char* algorithm, const char* path, char** json) {
  return answered("faro_write_schedule", json, [&] {
    need("faro_write_schedule", "map machine algorithm path", map, machine, algorithm, path);
    const faro::MachinePlan plan = planned(map, machine, elements, algorithm);
    if (plan.ok()) plan.write(path);
    return answer_of(plan);
  });
}

faro_status faro_verify_schedule(const char* schedule, char** json) {
  return answered("faro_verify_schedule", json, [&] {
    need("faro_verify_schedule", "schedule", schedule);
    faro::TextSource source(schedule);
    return answer_of(faro::verify_schedule(source));
  });
}

faro_status faro_verify_file(const char* path, char** json) {
  return answered("faro_verify_file", json, [&] {
    need("faro_verify_file", "path", path);
    return answer_of(faro::verify_schedule_file(path));
  });
}

void faro_text_free(char* text) {
  std::free(text);
}

}  // extern "C"
