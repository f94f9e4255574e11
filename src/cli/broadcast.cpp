// `faro broadcast`: one to all, all to all, or each to each its own, on a POPS network.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/schedule_file.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/text.hpp"
#include "faro/service/plan.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::cli {
namespace {

struct Options {
  std::string what;
  std::string on;
  std::optional<std::uint64_t> root;
  std::optional<std::string> schedule;
};

constexpr std::array<std::pair<const char*, Broadcast::Kind>, 3> kinds{{
    {"one-to-all", Broadcast::Kind::one_to_all},
    {"all-to-all", Broadcast::Kind::all_to_all},
    {"personalised", Broadcast::Kind::personalised},
}};

Broadcast::Kind kind_of(const std::string& what) {
  for (const auto& [name, kind] : kinds)
    if (what == name) return kind;
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no broadcast: one-to-all, all-to-all or personalised", what));
}

int run(const Options& options, Output& out) {
  const Machine machine = machine_from(options.on);
  const Request request = Request::of(
      machine, Broadcast{.kind = kind_of(options.what), .root = options.root.value_or(0)});
  const Plan made = plan(request, {.verify = VerifyBy::replay});
  if (options.schedule && made.ok()) {
    ScheduleFile file(*options.schedule, ScheduleFile::Rules::kept, out);
    made.push(file.sink());
    file.commit();
  }
  if (options.schedule == "-") return made.ok() ? 0 : 1;
  out.text("{} on {}\n  slots     {}   {}\n  paper     {}   {} ({})\n  bound     {}   {}\n",
           options.what, to_string(machine), to_string(made.cost().slots), made.formula().text,
           to_string(made.paper()->formula.value), made.paper()->formula.text,
           made.paper()->citation, to_string(made.bound().value), made.bound().reason);
  out.text("  verified  by replay: {}\n", made.ok() ? "yes" : "no");
  nlohmann::ordered_json row{{"what", options.what},
                             {"machine", to_string(machine)},
                             {"slots", json_count(made.cost().slots)},
                             {"formula", made.formula().text},
                             {"paper", json_count(made.paper()->formula.value)}};
  row["bound"] = {{"value", json_count(made.bound().value)}, {"reason", made.bound().reason}};
  row["verified"] = made.ok();
  nlohmann::ordered_json j{{"format", "faro-broadcast/1"}};
  j["rows"] = nlohmann::ordered_json::array({row});
  out.json(j.dump());
  return made.ok() ? 0 : 1;
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
