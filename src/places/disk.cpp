// Files within a memory cap: disk:memory=SIZE[,run=SIZE][,passes=K][,device=NAME].

#include <fmt/format.h>

#include <charconv>

#include "base/sizes.hpp"
#include "disk/named_profiles.hpp"
#include "disk/plan_report.hpp"
#include "disk/plan_state.hpp"
#include "disk/verify.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/words/say.hpp"
#include "places/placed_plan.hpp"

namespace faro::inline v1::places {
namespace {

// Replays without being asked take some milliseconds at most.
constexpr int replay_log2_unasked = 12;

int passes_from(const std::string& text) {
  int passes = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, passes);
  if (error != std::errc() || rest != end || passes < 1 || passes > 1000)
    throw Error(ErrorCode::usage,
                fmt::format("--on disk:passes: wanted 1 to 1000, found '{}'", text));
  return passes;
}

FilePlanOptions options_from(std::string_view machine) {
  FilePlanOptions options;
  bool has_memory = false;
  std::string_view rest =
      machine.substr(std::min(machine.size(), std::string_view("disk:").size()));
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string value(equals == std::string_view::npos ? "" : word.substr(equals + 1));
    const auto bytes = [&] { return parse_bytes(value, fmt::format("--on disk:{}", name)); };
    if (name == "memory") {
      options.memory_bytes = bytes();
      has_memory = true;
    } else if (name == "run") {
      options.run_bytes_min = bytes();
    } else if (name == "passes") {
      options.passes = passes_from(value);
    } else if (name == "device") {
      options.profile = disk::named_profile(value);
    } else {
      throw Error(ErrorCode::usage,
                  fmt::format("--on {}: '{}' is none of memory=SIZE, run=SIZE, passes=K and "
                              "device=NAME",
                              machine, word));
    }
  }
  if (!has_memory)
    throw Error(ErrorCode::usage,
                fmt::format("--on {}: how much memory? disk:memory=2GiB", machine));
  return options;
}

// The proof is of every plan, from the day it is made; this judges it once more, and walks every
// unit where that is asked for or quick. True if it was walked.
bool judge(const FilePermutePlan& plan, VerifyBy by) {
  const FilePermutePlan::State& state = plan.state();
  const int width = state.map.width();
  const bool asked = by == VerifyBy::replay || by == VerifyBy::both;
  if (asked && width > limits::file_plan_walked_log2_max)
    throw Error(ErrorCode::limit,
                fmt::format("2^{} units are too many to walk, 2^{} is the most; --verify proof "
                            "judges any number",
                            width, limits::file_plan_walked_log2_max));
  const auto hold = [](const std::optional<std::string>& wrong) {
    if (wrong) throw Error(ErrorCode::refused, *wrong);
  };
  hold(disk::wrong_by_ranks(state.map, state.passes, state.tile_log2));
  if (!asked && (by != VerifyBy::automatic || width > replay_log2_unasked)) return false;
  hold(disk::wrong_by_enumeration(state.map, state.passes, state.tile_log2));
  return true;
}

}  // namespace

PlacedPlan::Content on_disk(const Asked& asked) {
  const FilePlanOptions options = options_from(asked.place);
  const PermuteShape shape{.element_bytes = asked.request.element_bytes.value_or(8)};
  const Said said = say(asked.request.words, {.shape = asked.request.shape});
  const VerifyBy verify = asked.options.verify;
  const bool bits = said.map.bits() != nullptr;
  if (!bits && (verify == VerifyBy::replay || verify == VerifyBy::both))
    throw Error(ErrorCode::usage, "--verify: blocks of axes of any length are judged by proof");
  const auto plan = FilePermutePlan::out_of_place(said.map, shape, options);
  const bool walked = bits && judge(plan, verify);
  PlacedPlan::Content content{.plan = plan};
  content.cost = plan.facts().passes.size();
  content.bound = static_cast<Count>(plan.facts().passes_bound);
  content.reason = plan.facts().bound_reason;
  content.unit = "passes";
  content.made_of = fmt::format("{} of {} tiles", content.cost == 1 ? "a pass" : "passes",
                                to_string(plan.facts().passes.front().tiles));
  content.judged = Judged::right;  // what is not proved was not made
  Report report = report_of(plan);
  if (walked) report["verified"]["by"] = "both";
  report.set_words(
      fmt::format("{}\n{}  {}\n", to_notation(said.map, said.cut), report.words(),
                  !bits ? fmt::format("proved for all {} elements", to_string(said.map.elements()))
                        : fmt::format("proved for all 2^{} units{}", plan.state().map.width(),
                                      walked ? "; each walked through every pass" : "")));
  content.report = std::move(report);
  return content;
}

}  // namespace faro::inline v1::places
