// Plans of boxes in words and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "disk/box_plan.hpp"
#include "faro/base/count_format.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr const char* box_plan_format = "faro-box-plan/1";

std::string with_unit(Count bytes) {
  static constexpr std::array<const char*, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.4g} {}", value, units[unit]);
}

std::string steps_of(const std::vector<AxisGrid>& grid) {
  std::string text;
  for (const AxisGrid& axis : grid)
    text += fmt::format("{}{}", text.empty() ? "" : " x ", axis.step());
  return text.empty() ? "1" : text;
}

nlohmann::ordered_json grid_json(const std::vector<AxisGrid>& grid) {
  auto list = nlohmann::ordered_json::array();
  for (const AxisGrid& axis : grid) list.push_back({axis.length(), axis.step(), axis.offset()});
  return list;
}

const char* word_of(TileOrder order) {
  return order == TileOrder::read ? "read" : "write";
}

}  // namespace

std::string BoxPlan::describe() const {
  std::string text =
      fmt::format("{} in {} pass{}; peak {} of {}{}\n", with_unit(facts_.data_bytes),
                  facts_.passes.size(), facts_.passes.size() == 1 ? "" : "es",
                  with_unit(facts_.peak_bytes()), with_unit(facts_.memory_bytes),
                  facts_.temporary_bytes == Count{}
                      ? ""
                      : fmt::format("; {} of temporary files", with_unit(facts_.temporary_bytes)));
  for (std::size_t i = 0; i < facts_.passes.size(); ++i) {
    const BoxPass& pass = facts_.passes[i];
    text += fmt::format("pass {}: {} tiles of {} ({}), {} jobs\n", i + 1, pass.tiles,
                        steps_of(pass.tile), with_unit(pass.tile_bytes), pass.jobs);
    text += fmt::format("  {} reads of {}; {} writes of {}\n", pass.reads,
                        with_unit(pass.bytes_read), pass.writes, with_unit(pass.bytes_written));
    if (pass.bytes_read > facts_.data_bytes)
      text += fmt::format(
          "  units over the borders of tiles are read again: {:.2f} readings\n",
          static_cast<double>(pass.bytes_read) / static_cast<double>(facts_.data_bytes));
    if (pass.walked)
      text += fmt::format("  tiles follow each other on axis {}, units over borders are kept: {}\n",
                          *pass.walked, with_unit(pass.kept_bytes));
    text += fmt::format(
        "  memory: {} x {}, {} + {} of buffers, {} for all else\n", facts_.tiles_at_once,
        with_unit(pass.tile_bytes),
        with_unit(Count{pass.read_buffer_bytes} * static_cast<std::uint64_t>(pass.readers)),
        with_unit(Count{pass.write_buffer_bytes} * static_cast<std::uint64_t>(pass.writers) +
                  pass.index_bytes),
        with_unit(facts_.fixed_bytes));
  }
  const BoxBound& bound = facts_.bound;
  text += fmt::format("fewest passes: {} ({})\n", bound.passes, bound.reason);
  if (facts_.passes.size() > static_cast<std::size_t>(bound.passes))
    text += "  more are planned: buffers take of the memory, or larger pieces cost less\n";
  if (facts_.passes.size() < static_cast<std::size_t>(bound.passes))
    text += fmt::format(
        "  one pass is planned all the same, {}: {:.3g} readings are the least without keeping\n",
        facts_.passes[0].walked ? "which keeps units" : "which reads units again",
        bound.reading_again);
  if (facts_.passes.size() == 2)
    text += fmt::format("  pieces between the passes: {}, at least {:.0f}\n",
                        facts_.passes[1].reads, bound.pieces);
  return text + fmt::format("about {:.3g} s by the profile '{}'\n", facts_.seconds, facts_.profile);
}

std::string BoxPlan::json() const {
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const BoxPass& pass : facts_.passes) {
    nlohmann::ordered_json one = {
        {"tile", grid_json(pass.tile)},
        {"order", word_of(pass.order)},
        {"tiles", to_string(pass.tiles)},
        {"jobs", to_string(pass.jobs)},
        {"reads", to_string(pass.reads)},
        {"writes", to_string(pass.writes)},
        {"bytes_read", to_string(pass.bytes_read)},
        {"bytes_written", to_string(pass.bytes_written)},
        {"tile_bytes", pass.tile_bytes},
        {"kept_bytes", pass.kept_bytes},
        {"peak_bytes", pass.peak_bytes},
    };
    if (pass.walked) one["walked"] = *pass.walked;
    passes.push_back(std::move(one));
  }
  const BoxBound& bound = facts_.bound;
  return nlohmann::ordered_json{{"format", box_plan_format},
                                {"shape", grids_.shape},
                                {"passes", passes},
                                {"tiles_at_once", facts_.tiles_at_once},
                                {"data_bytes", to_string(facts_.data_bytes)},
                                {"memory_bytes", facts_.memory_bytes},
                                {"peak_bytes", facts_.peak_bytes()},
                                {"temporary_bytes", to_string(facts_.temporary_bytes)},
                                {"bound",
                                 {{"passes", bound.passes},
                                  {"reason", bound.reason},
                                  {"component_bytes", bound.component_bytes},
                                  {"readings_of_one_pass", bound.reading_again},
                                  {"pieces_of_two_passes", bound.pieces}}},
                                {"seconds", facts_.seconds},
                                {"profile", facts_.profile}}
      .dump();
}

BoxPlan BoxPlan::from_json(const BoxProblem& problem, const std::string& text) {
  BoxPlan plan;
  plan.problem_ = problem;
  plan.grids_ = BoxGrids::of(problem);
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorCode::environment, "the plan of the unfinished run is no plan: " + what);
  };
  try {
    const auto json = nlohmann::ordered_json::parse(text);
    if (json.at("format") != box_plan_format) refuse("its format is not known");
    plan.facts_.tiles_at_once = json.at("tiles_at_once");
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
