// Several fields.   [Johnsson, Ho 1991 (codes), section 5.2 for the phases; the rest faro]
//   applies:  Gray <-> binary on two fields or more of two processor bits and more, all ports
//   cost:     phases: sum over phases of the slowest part; pipeline: sum of latencies + 3(K-1)/5
//   bound:    the largest of the fields' own                   (tested to 6 bits, and 60 by proof)
//
// Links of different fields are different dimensions, and a field's conditions use its own bits
// only, so parts and stages never meet.
#include "planners/cube/codes/several_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "faro/base/limits.hpp"
#include "planners/cube/codes/field_tokens.hpp"
#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/services.hpp"
#include "planners/cube/codes/three_fifths.hpp"
#include "planners/cube/codes/two_thirds.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

// The cheapest for one field, the simple ones first.
Node field_node(const CodeField& field, std::uint64_t elements) {
  std::vector<Node> ways{minimum_path_node({field}, elements)};
  if (field.length == 2) ways.push_back(two_bits_node(field, elements));
  ways.push_back(non_minimum_path_node(field, elements));
  const bool small =
      static_cast<Count>(field.length + 8) * 4 * elements <= limits::three_fifths_entries_max;
  if (field.length >= 3 && small) {
    ways.push_back(closed_form_node(field, elements));
    if (auto table = table_node(field, elements)) ways.push_back(std::move(*table));
    if (auto table = services_table_node(field, elements)) ways.push_back(std::move(*table));
  }
  return cheapest(std::move(ways));
}

using three_fifths::Program;
using three_fifths::UnitTable;

constexpr std::uint64_t batch_elements = 5;
constexpr std::uint64_t batch_steps = 3;

struct FieldStage {
  CodeField field;
  const UnitTable* table;
  std::uint64_t start;  // of batch 0
  std::uint64_t latency;
};

std::uint64_t latency_of(const UnitTable& table, int length) {
  std::uint64_t latency = 0;
  for (const auto& units : table)
    for (const three_fifths::Unit& unit : units)
      latency = std::max(latency, finish_of(unit, three_fifths::low_bits_of(length)));
  return latency;
}

std::vector<FieldStage> stages_of(std::span<const CodeField> fields) {
  std::vector<FieldStage> stages;
  std::uint64_t start = 0;
  for (const CodeField& field : fields) {
    FieldStage best{field, nullptr, start, 0};
    for (const UnitTable& table : three_fifths::unit_tables(field.length)) {
      const std::uint64_t latency = latency_of(table, field.length);
      if (best.table == nullptr || latency < best.latency) best = {field, &table, start, latency};
    }
    start += best.latency;
    stages.push_back(best);
  }
  return stages;
}

// Entries of one stage for element e = 5j + p of every source: unit p, 3j later.
Program stage_program(const FieldStage& stage, std::uint64_t elements) {
  Program program;
  const int low_bits = three_fifths::low_bits_of(stage.field.length);
  for (std::size_t source = 0; source < stage.table->size(); ++source)
    for (std::uint64_t e = 0; e < elements; ++e)
      add_unit((*stage.table)[source][e % batch_elements], low_bits,
               batch_steps * (e / batch_elements), source, e, program);
  sort(program);
  return program;
}

// Steps 2t hold local rules before step t, steps 2t+1 the moves of step t.
StepSource stage_steps(const FieldStage& stage, std::uint64_t elements) {
  FieldTokens tokens(stage.field, elements, NodeSlots::Use::own);
  const Program program = stage_program(stage, elements);
  const std::uint64_t last = stage.latency + batch_steps * ((elements - 1) / batch_elements);
  std::vector<CubeStep> steps(2 * (last + 1));
  auto entry = program.entries.begin();
  for (std::uint64_t t = 0; t <= last; ++t) {
    if (t >= stage.latency && (t - stage.latency) % batch_steps == 0) {
      const std::uint64_t first = (t - stage.latency) / batch_steps * batch_elements;
      tokens.settle(first, std::min(first + batch_elements, elements), steps[2 * t]);
    }
    const auto next = std::find_if(entry, program.entries.end(),
                                   [t](const three_fifths::Entry& e) { return e.step != t; });
    const auto count = static_cast<std::size_t>(next - entry);
    tokens.step({program.entries.data() + (entry - program.entries.begin()), count},
                steps[2 * t + 1]);
    entry = next;
  }
  return kept_steps(tokens.slots(), std::move(steps));
}

Node fields_pipeline_node(std::span<const CodeField> fields, std::uint64_t elements) {
  std::vector<Recurring> all;
  std::vector<Stage> stages;
  for (const FieldStage& stage : stages_of(fields)) {
    std::vector<Recurring> events;
    for (std::size_t source = 0; source < stage.table->size(); ++source)
      for (std::uint64_t p = 0; p < std::min(batch_elements, elements); ++p) {
        Program unit;
        add_unit((*stage.table)[source][p], three_fifths::low_bits_of(stage.field.length),
                 stage.start, source, p, unit);
        for (const three_fifths::Entry& e : unit.entries)
          events.push_back({e.step, (elements - p - 1) / batch_elements + 1});
      }
    all.insert(all.end(), events.begin(), events.end());
    stages.push_back({{.cost = busy_steps(batch_steps, std::move(events)),
                       .expression = std::string(three_fifths_table.name()),
                       .steps = [stage, elements] { return stage_steps(stage, elements); }},
                      2 * stage.start});
  }
  return pipeline(elements, std::move(stages), busy_steps(batch_steps, std::move(all)));
}

std::optional<std::string> refusal_several_fields(const Request& request) {
  if (auto why = conversion_refusal(request, Hypercube::Ports::all)) return why;
  const auto fields = conversion_of(request).working_fields();
  if (fields.size() < 2) return "it converts two fields or more at once";
  return {};
}

std::optional<std::string> refusal_pipeline(const Request& request) {
  if (auto why = refusal_several_fields(request)) return why;
  const auto entries = static_cast<Count>(processor_bits(request) + 8) * 4 * request.elements();
  if (entries > limits::three_fifths_entries_max)
    return fmt::format("its program of about {} entries is too large to keep", to_string(entries));
  return {};
}

Offer offer_phases(const Request& request) {
  const auto fields = conversion_of(request).working_fields();
  const Work work = [&](std::size_t f, std::uint64_t elements) {
    return field_node(fields[f], elements);
  };
  return conversion_offer(request, fields_by_phases.name(),
                          phases(request.elements(), fields.size(), work),
                          "sum over phases of the slowest part's steps");
}

Offer offer_pipeline(const Request& request) {
  const auto fields = conversion_of(request).working_fields();
  return conversion_offer(
      request, fields_pipeline.name(), fields_pipeline_node(fields, request.elements()),
      "sum of the fields' latencies + 3 floor((K-1)/5), less what ends earlier");
}

}  // namespace

const PlannerEntry fields_by_phases({
    .name = "fields-by-phases",
    .machine = "cube",
    .title = "code conversion of several fields, each part of the elements on another field",
    .needs = "Gray <-> binary code on two fields or more of processor bits, all ports",
    .cost = "sum over phases of the slowest part's steps",
    .citation = "Johnsson, Ho 1991 (codes), section 5.2, with the best plan for each field",
    .refusal = refusal_several_fields,
    .offer = offer_phases,
});

const PlannerEntry fields_pipeline({
    .name = "fields-pipeline",
    .machine = "cube",
    .title = "code conversion of several fields, one after another, five elements in three steps",
    .needs = "Gray <-> binary code on two fields or more of processor bits, all ports",
    .cost = "at most the sum of the fields' latencies + 3 floor((K-1)/5) steps",
    .citation = "faro",
    .refusal = refusal_pipeline,
    .offer = offer_pipeline,
});

}  // namespace faro::inline v1
