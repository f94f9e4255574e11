#include "engine/plan_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faro::inline v1::engine {
namespace {

std::string kernel_name(const Pass& pass, const Section& section) {
  if (section.path == Path::elements) {
    return fmt::format("elements of {} bytes", section.unit_bytes);
  }
  return fmt::format("{}, {} registers of {} lanes of {} bytes", pass.kernels->name,
                     section.pass.plan.network.registers(), section.pass.plan.network.lanes(),
                     section.unit_bytes);
}

PassFacts facts_of(const Pass& pass, const Section& section) {
  const TilePlan& plan = section.pass.plan;
  const std::uint64_t unit = section.path == Path::elements ? section.unit_bytes : std::uint64_t{1};
  PassFacts facts;
  facts.method = section.path == Path::elements ? "elements" : "bits";
  facts.kernel = kernel_name(pass, section);
  facts.reason = section.reason;
  facts.stores = plan.method.streaming ? Stores::streaming : Stores::ordinary;
  facts.tiles = plan.tiles() * section.repeat;
  facts.tile_bytes = plan.tile_bytes() * unit;
  facts.from_run_bytes = plan.from_run_bytes() * unit;
  facts.to_run_bytes = plan.to_run_bytes() * unit;
  return facts;
}

PassFacts facts_of(const StridedPlan& plan) {
  PassFacts facts;
  facts.method = name(plan.way);
  facts.kernel = fmt::format("{}, {}, elements of {} bytes", facts.method, plan.kernels->name,
                             plan.form.element_bytes);
  facts.reason = plan.reason;
  facts.stores = plan.streaming ? Stores::streaming : Stores::ordinary;
  const auto d_bytes = static_cast<std::uint64_t>(plan.d_tile) *
                       (plan.way == Way::runs ? 1 : plan.form.element_bytes);
  facts.tile_bytes = d_bytes * static_cast<std::uint64_t>(plan.s_tile);
  facts.tiles = (plan.form.data_bytes + facts.tile_bytes - 1) / facts.tile_bytes;
  facts.from_run_bytes = static_cast<std::uint64_t>(plan.s_tile) *
                         (plan.way == Way::runs ? 1 : plan.form.element_bytes);
  facts.to_run_bytes = plan.way == Way::runs ? facts.from_run_bytes : d_bytes;
  return facts;
}

PassFacts facts_of_rolls(const Exchange& exchange) {
  PassFacts facts;
  facts.method = name(exchange.way);
  facts.kernel = fmt::format("rolls of {} bytes", exchange.range_bytes);
  facts.reason = "the ranges before and after the seam change places";
  facts.tile_bytes = exchange.range_bytes;
  facts.tiles = exchange.form.data_bytes / exchange.range_bytes;
  facts.from_run_bytes = facts.to_run_bytes = exchange.form.element_bytes;
  return facts;
}

PassFacts facts_of(const Exchange& exchange) {
  if (exchange.way == Exchange::Way::rolls) return facts_of_rolls(exchange);
  PassFacts facts;
  const std::uint64_t element = exchange.form.element_bytes;
  const bool staged = exchange.stage_bytes != 0;
  facts.method = name(exchange.way);
  facts.kernel = staged ? fmt::format("{}, {}, elements of {} bytes", facts.method,
                                      exchange.there.kernels->name, element)
                        : fmt::format("{} of {} bytes", facts.method, element);
  facts.reason = exchange.way == Exchange::Way::cycles ? "units follow their cycles"
                                                       : "an involution exchanges pairs";
  const auto block = staged ? static_cast<std::uint64_t>(exchange.cuts[1] - exchange.cuts[0]) : 1;
  facts.from_run_bytes = facts.to_run_bytes = facts.tile_bytes = block * element;
  if (exchange.way == Exchange::Way::blocks) facts.tile_bytes *= block;
  facts.tiles = (exchange.form.data_bytes + facts.tile_bytes - 1) / facts.tile_bytes;
  return facts;
}

}  // namespace

PlanFacts facts_of(const std::vector<Pass>& passes, std::uint64_t data_bytes, Place place) {
  PlanFacts facts;
  facts.data_bytes = facts.from_bytes = facts.to_bytes = data_bytes;
  facts.in_place = place == Place::same;
  facts.bytes_moved = 2 * data_bytes * passes.size();
  for (const Pass& pass : passes) {
    facts.threads = pass.threads;
    facts.working_bytes = std::max(facts.working_bytes, working_bytes(pass));
    if (!pass.sections.empty()) facts.passes.push_back(facts_of(pass, pass.sections.front()));
  }
  return facts;
}

PlanFacts facts_of(const Motion& motion) {
  PlanFacts facts;
  facts.data_bytes = motion.form.data_bytes;
  facts.from_bytes = motion.form.from_bytes;
  facts.to_bytes = motion.form.to_bytes;
  facts.bytes_moved = 2 * facts.data_bytes;
  facts.threads = motion.threads();
  facts.working_bytes = motion.working();
  if (motion.has_pass()) {
    facts.passes.push_back(facts_of(motion.pass, motion.pass.sections.front()));
    facts.passes.back().tiles *= Walk(motion.form, motion.outer).count();
    if (motion.strided) {
      facts.passes.back().reason +=
          fmt::format("; off the grid of lines {}", name(motion.strided->way));
    }
  } else if (motion.strided) {
    facts.passes.push_back(facts_of(*motion.strided));
  }
  return facts;
}

void add_pass(PlanFacts& facts, const Exchange& exchange) {
  facts.bytes_moved += 2 * facts.data_bytes;
  facts.threads = std::max(facts.threads, exchange.threads);
  facts.working_bytes = std::max(facts.working_bytes, exchange.working_bytes());
  facts.passes.push_back(facts_of(exchange));
}

PlanFacts facts_of(const NormalForm& form, const std::vector<Exchange>& exchanges) {
  PlanFacts facts;
  facts.data_bytes = form.data_bytes;
  facts.from_bytes = facts.to_bytes = form.from_bytes;
  facts.in_place = true;
  for (const Exchange& exchange : exchanges) add_pass(facts, exchange);
  return facts;
}

}  // namespace faro::inline v1::engine
