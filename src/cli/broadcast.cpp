// `faro broadcast`: one to all, all to all, or each to each its own, on a POPS network.
#include "planners/pops/broadcast.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/schedule_file.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/pops/model.hpp"
#include "faro/machines/text.hpp"
#include "faro/machines/verifier.hpp"

namespace faro::cli {
namespace {

struct Options {
  std::string what;
  std::string on;
  std::optional<std::uint64_t> root;
  std::optional<std::string> schedule;
};

constexpr std::array<std::pair<const char*, PopsBroadcast>, 3> kinds{{
    {"one-to-all", PopsBroadcast::one_to_all},
    {"all-to-all", PopsBroadcast::all_to_all},
    {"personalised", PopsBroadcast::personalised},
}};

PopsBroadcast kind_of(const std::string& what) {
  for (const auto& [name, kind] : kinds)
    if (what == name) return kind;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no broadcast: one-to-all, all-to-all or personalised", what));
}

int run(const Options& options, Output& out) {
  const PopsBroadcast kind = kind_of(options.what);
  const Machine machine = machine_from(options.on);
  const auto* network = std::get_if<Pops>(&machine);
  if (network == nullptr)
    throw Error(
        ErrorCode::usage,
        fmt::format("--on {}: broadcasts are for POPS networks, such as pops:4,2", options.on));
  if (const auto why = broadcast_refusal(*network, kind)) throw Error(ErrorCode::limit, *why);
  const std::uint64_t root = options.root.value_or(0);
  if (root >= pops::processors(*network))
    throw Error(ErrorCode::usage, fmt::format("--root {}: processors are numbered 0 to {}", root,
                                              pops::processors(*network) - 1));
  const auto replay = make_replay();
  push_broadcast(*network, kind, root, *replay);
  const Verdict verdict = replay->verdict();
  if (options.schedule && verdict.ok()) {
    ScheduleFile file(*options.schedule, ScheduleFile::Rules::kept, out);
    push_broadcast(*network, kind, root, file.sink());
    file.commit();
  }
  const Formula formula = broadcast_slots(*network, kind);
  const PaperCount paper = broadcast_paper(*network, kind);
  const Bound bound = broadcast_bound(*network, kind);
  if (options.schedule == "-") return verdict.ok() ? 0 : 1;
  out.text("{} on {}\n  slots     {}   {}\n  paper     {}   {} ({})\n  bound     {}   {}\n",
           options.what, to_string(machine), to_string(verdict.cost.slots), formula.text,
           to_string(paper.formula.value), paper.formula.text, paper.citation,
           to_string(bound.value), bound.reason);
  out.text("  verified  by replay: {}\n", verdict.ok() ? "yes" : "no");
  const auto number = [](Count count) { return static_cast<std::uint64_t>(count); };
  nlohmann::ordered_json row{{"what", options.what},
                             {"machine", to_string(machine)},
                             {"slots", number(verdict.cost.slots)},
                             {"formula", formula.text},
                             {"paper", number(paper.formula.value)}};
  row["bound"] = {{"value", number(bound.value)}, {"reason", bound.reason}};
  row["verified"] = verdict.ok();
  nlohmann::ordered_json j{{"format", "faro-broadcast/1"}};
  j["rows"] = nlohmann::ordered_json::array({row});
  out.json(j.dump());
  return verdict.ok() ? 0 : 1;
}

}  // namespace

extern const Command broadcast_command;
const Command broadcast_command{
    .name = "broadcast",
    .summary = "one to all, all to all, or each to each, on a POPS network",
    .details = "Plans the broadcast, replays it, and says its slots, the paper's and the bound.",
    .examples =
        "faro broadcast one-to-all --on pops:8,4 --root 5\n"
        "faro broadcast all-to-all --on pops:4,4,multi-receive --schedule plan.json",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<Options>();
      arguments.positional("WHAT", options->what, "one-to-all, all-to-all or personalised")
          .one_of({"one-to-all", "all-to-all", "personalised"});
      arguments.option("--on", "MACHINE", options->on, "pops:D,G")
          .completes(Completes::machine)
          .required();
      arguments.option("--root", "P", options->root, "who sends one-to-all; 0 if left out");
      arguments.option("--schedule", "FILE", options->schedule, "write the schedule, - for stdout")
          .completes(Completes::file);
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
