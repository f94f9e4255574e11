// What plans of boxes say of themselves, in words and as JSON, and plans read from that.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/count_format.hpp"
#include "base/report.hpp"
#include "base/whole_json.hpp"
#include "disk/box_plan.hpp"
#include "faro/base/error.hpp"
#include "files/words.hpp"

namespace faro::inline v1::disk {
namespace {

using files::size_text;

constexpr const char* box_plan_format = "faro-box-plan/1";

std::string steps_of(const std::vector<AxisGrid>& grid) {
  std::string text;
  for (const AxisGrid& axis : grid)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", axis.step());
  return text.empty() ? "1" : text;
}

Report grid_report(const std::vector<AxisGrid>& grid) {
  Report list = Report::list();
  for (const AxisGrid& axis : grid)
    list.push_back(std::vector<std::uint64_t>{axis.length(), axis.step(), axis.offset()});
  return list;
}

const char* word_of(TileOrder order) {
  return order == TileOrder::read ? "read" : "write";
}

void add_pass(Report& report, const BoxFacts& facts, std::size_t which) {
  const BoxPass& pass = facts.passes[which];
  report.say("pass {}: {} tiles of {} ({}), {} jobs\n", which + 1, pass.tiles, steps_of(pass.tile),
             size_text(pass.tile_bytes), pass.jobs);
  report.say("  {} reads of {}; {} writes of {}\n", pass.reads, size_text(pass.bytes_read),
             pass.writes, size_text(pass.bytes_written));
  if (pass.bytes_read > facts.data_bytes)
    report.say("  units over the borders of tiles are read again: {:.2f} readings\n",
               static_cast<double>(pass.bytes_read) / static_cast<double>(facts.data_bytes));
  if (pass.walked)
    report.say("  tiles follow each other on axis {}, units over borders are kept: {}\n",
               *pass.walked, size_text(pass.kept_bytes));
  report.say("  memory: {} x {}, {} + {} of buffers, {} for all else\n", facts.tiles_at_once,
             size_text(pass.tile_bytes),
             size_text(Count{pass.read_buffer_bytes} * static_cast<std::uint64_t>(pass.readers)),
             size_text(Count{pass.write_buffer_bytes} * static_cast<std::uint64_t>(pass.writers) +
                       pass.index_bytes),
             size_text(facts.fixed_bytes));
  Report one{{"tile", grid_report(pass.tile)},
             {"order", word_of(pass.order)},
             {"tiles", to_string(pass.tiles)},
             {"jobs", to_string(pass.jobs)},
             {"reads", to_string(pass.reads)},
             {"writes", to_string(pass.writes)},
             {"bytes_read", to_string(pass.bytes_read)},
             {"bytes_written", to_string(pass.bytes_written)},
             {"tile_bytes", pass.tile_bytes},
             {"kept_bytes", pass.kept_bytes},
             {"peak_bytes", pass.peak_bytes}};
  if (pass.walked) one["walked"] = *pass.walked;
  report["passes"].push_back(std::move(one));
}

void add_bound(Report& report, const BoxFacts& facts) {
  const BoxBound& bound = facts.bound;
  report.say("fewest passes: {} ({})\n", bound.passes, bound.reason);
  if (facts.passes.size() > static_cast<std::size_t>(bound.passes))
    report.say("  more are planned: buffers take of the memory, or larger pieces cost less\n");
  if (facts.passes.size() < static_cast<std::size_t>(bound.passes))
    report.say(
        "  one pass is planned all the same, {}: {:.3g} readings are the least without keeping\n",
        facts.passes[0].walked ? "which keeps units" : "which reads units again",
        bound.reading_again);
  if (facts.passes.size() == 2)
    report.say("  pieces between the passes: {}, at least {:.0f}\n", facts.passes[1].reads,
               bound.pieces);
  report["bound"] = Report{{"passes", bound.passes},
                           {"reason", bound.reason},
                           {"component_bytes", bound.component_bytes},
                           {"readings_of_one_pass", bound.reading_again},
                           {"pieces_of_two_passes", bound.pieces}};
}

// All that a plan says of itself; from_json() reads the passes of it.
Report report_of(const BoxPlan& plan) {
  const BoxFacts& facts = plan.facts();
  Report report{{"format", box_plan_format}, {"shape", plan.grids().shape}};
  report.say("{} in {} pass{}; peak {} of {}{}\n", size_text(facts.data_bytes), facts.passes.size(),
             facts.passes.size() == 1 ? "" : "es", size_text(facts.peak_bytes()),
             size_text(facts.memory_bytes),
             facts.temporary_bytes == Count{}
                 ? ""
                 : fmt::format("; {} of temporary files", size_text(facts.temporary_bytes)));
  if (!plan.problem().to.order.empty())
    report.say("axes as they lie in the output: the last axis of the array first\n");
  for (std::size_t i = 0; i < facts.passes.size(); ++i) add_pass(report, facts, i);
  report["tiles_at_once"] = facts.tiles_at_once;
  report["data_bytes"] = to_string(facts.data_bytes);
  report["memory_bytes"] = facts.memory_bytes;
  report["peak_bytes"] = facts.peak_bytes();
  report["temporary_bytes"] = to_string(facts.temporary_bytes);
  add_bound(report, facts);
  report["seconds"] = facts.seconds;
  report["profile"] = facts.profile;
  report.say("about {:.3g} s by the profile '{}'\n", facts.seconds, facts.profile);
  return report;
}

}  // namespace

std::string BoxPlan::describe() const {
  return report_of(*this).words();
}

std::string BoxPlan::json() const {
  return report_of(*this).json();
}

BoxPlan BoxPlan::from_json(const BoxProblem& problem, const std::string& text) {
  BoxPlan plan;
  plan.problem_ = problem;
  plan.grids_ = BoxGrids::of(problem);
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::environment, "the plan of the unfinished run is no plan: " + what);
  };
  try {
    const auto json = whole_json(text, {"seconds"});
    if (json.at("format") != box_plan_format) refuse("its format is not known");
    const auto at_once = json.at("tiles_at_once").get<std::uint64_t>();
    plan.facts_.tiles_at_once = at_once > 2 ? 0 : static_cast<int>(at_once);
    plan.facts_.seconds = json.at("seconds");
    for (const auto& one : json.at("passes")) {
      BoxPass pass;
      pass.order = one.at("order") == "read" ? TileOrder::read : TileOrder::write;
      if (one.contains("walked")) pass.walked = one.at("walked").get<std::size_t>();
      for (const auto& axis : one.at("tile")) {
        const std::uint64_t length = axis.at(0), step = axis.at(1), offset = axis.at(2);
        const std::size_t k = pass.tile.size();
        if (k >= plan.grids_.shape.size() || length != plan.grids_.shape[k] || offset == 0 ||
            offset > step || step > length)
          refuse("a tile does not fit the array");
        pass.tile.push_back(AxisGrid::shifted(length, step, offset));
      }
      if (pass.tile.size() != plan.grids_.shape.size() ||
          (pass.walked && *pass.walked >= pass.tile.size()))
        refuse("a tile has other axes");
      plan.facts_.passes.push_back(std::move(pass));
    }
  } catch (const nlohmann::json::exception& error) {
    refuse(error.what());
  }
  auto& passes = plan.facts_.passes;
  if (passes.empty() || passes.size() > 3 || plan.facts_.tiles_at_once < 1 ||
      plan.facts_.tiles_at_once > 2)
    refuse("it has no passes");
  for (std::size_t j = 0; j < passes.size(); ++j) {
    if (!complete_pass(problem, plan.grids_, plan.facts_.tiles_at_once, passes, j))
      refuse("it does not fit the memory");
    for (std::size_t k = 0; k < plan.grids_.shape.size(); ++k) {
      const bool last = j + 1 == passes.size();
      if ((last && problem.to.encoding != StoredGrid::Encoding::run &&
           !is_nested(plan.grids_.units_to[k], passes[j].tile[k])) ||
          (j == 0 && !last && problem.from.encoding != StoredGrid::Encoding::run &&
           !is_nested(plan.grids_.units_from[k], passes[j].tile[k])))
        refuse("a tile cuts a unit");
    }
  }
  plan.complete();
  return plan;
}

}  // namespace faro::inline v1::disk
