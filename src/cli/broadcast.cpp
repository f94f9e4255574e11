// `faro broadcast`: one to all, all to all, each to each its own on a POPS network; scatter and
// gather on a cube.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/schedule_file.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::cli {
namespace {

struct BroadcastArguments {
  std::string what;
  std::string on;
  std::optional<std::uint64_t> root;
  std::optional<std::uint64_t> elements;
  std::optional<std::string> schedule;
};

constexpr std::array<std::pair<const char*, Broadcast::Kind>, 3> kinds{{
    {"one-to-all", Broadcast::Kind::one_to_all},
    {"all-to-all", Broadcast::Kind::all_to_all},
    {"personalised", Broadcast::Kind::personalised},
}};

// The root has a datum for each processor, or each has one for the root.
Request scattered(const Machine& machine, Word root, bool gather) {
  const Count all = processors(machine);
  if (!std::holds_alternative<Hypercube>(machine) || all > bit(10))
    throw Error(ErrorCode::impossible,
                "scatter and gather are planned on cubes of at most 10 dimensions");
  const auto n = static_cast<Word>(all);
  if (root >= n) throw Error(ErrorCode::usage, fmt::format("processors are 0..{}", n - 1));
  std::vector<Word> to(gather ? n : n * n, Relation::nowhere);
  for (Word q = 0; q < n; ++q)
    if (q != root) to[gather ? q : root * n + q] = gather ? root : q;
  return Request::of(machine, Relation{std::move(to)}, gather ? 1 : n);
}

Request request_of(const BroadcastArguments& options, const Machine& machine) {
  const Word root = options.root.value_or(0);
  if (options.elements.value_or(1) != 1 && options.what != "one-to-all")
    throw Error(ErrorCode::usage,
                fmt::format("--elements is the number of data that one-to-all sends on a cube; {0} "
                            "moves one datum of each {1}: {2} turns of its plan move {2}, at {2} "
                            "times the cost",
                            options.what, options.what == "all-to-all" ? "processor" : "pair",
                            *options.elements));
  for (const auto& [name, kind] : kinds)
    if (options.what == name)
      return Request::of(machine, Broadcast{.kind = kind, .root = root}, options.elements);
  if (options.what == "scatter" || options.what == "gather")
    return scattered(machine, root, options.what == "gather");
  throw Error(ErrorCode::usage,
              fmt::format("'{}' is no broadcast: one-to-all, all-to-all, personalised, scatter or "
                          "gather",
                          options.what));
}

// "by proof and replay: yes"
std::string judged(const MachinePlan& made) {
  std::string by;
  for (const Verdict& verdict : made.verdicts()) by += (by.empty() ? "by " : " and ") + verdict.by;
  return fmt::format("{}: {}", by, made.ok() ? "yes" : "no");
}

int run(const BroadcastArguments& options, Output& out) {
  const Machine machine = machine_from(options.on);
  const Request request = request_of(options, machine);
  end_within_a_second();
  const MachinePlan made = plan(
      request,
      {.verify = std::holds_alternative<Pops>(machine) ? VerifyBy::replay : VerifyBy::automatic,
       .progress = out.progress("planning", Output::Unit::steps)});
  if (options.schedule && made.ok()) {
    ScheduleFile file(*options.schedule, ScheduleFile::Rules::kept, out);
    made.push(file.sink());
    file.commit();
  }
  if (options.schedule == "-") return made.ok() ? 0 : 1;
  const std::string unit = kind_of(machine).unit();
  Report row{{"what", options.what}, {"machine", to_string(machine)}};
  row.row(unit, made.value(), "{} on {}\n  {:<9} {}   {}\n", options.what, to_string(machine), unit,
          to_string(made.value()), made.formula().text);
  row["formula"] = made.formula().text;
  if (made.paper())
    row.row("paper", made.paper()->formula.value, "  paper     {}   {} ({})\n",
            to_string(made.paper()->formula.value), made.paper()->formula.text,
            made.paper()->citation);
  row.row("bound", {{"value", made.bound().value}, {"reason", made.bound().reason}},
          "  bound     {}   {}\n", to_string(made.bound().value), made.bound().reason);
  row.row("verified", made.ok(), "  verified  {}\n", judged(made));
  out.report(report_of_rows("faro-broadcast/1", row));
  return made.ok() ? 0 : 1;
}

}  // namespace

extern const Command broadcast_command;
const Command broadcast_command{
    .name = "broadcast",
    .summary = "one to all, all to all, personalised, scatter, gather",
    .details =
        "Plans the broadcast, verifies it, and says what it costs, the paper's cost and the bound. "
        "On a cube: one-to-all (of K data with --elements), all-to-all, scatter and gather; on a "
        "POPS network: one-to-all, all-to-all and personalised.",
    .examples =
        "faro broadcast one-to-all --on pops:8,4 --root 5\n"
        "faro broadcast one-to-all --on cube:20 --elements 100\n"
        "faro broadcast scatter --on cube:6,one-port\n"
        "faro broadcast all-to-all --on pops:4,4,multi-receive --schedule plan.json",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<BroadcastArguments>();
      arguments
          .positional("WHAT", options->what,
                      "one-to-all, all-to-all, personalised, scatter or gather")
          .one_of({"one-to-all", "all-to-all", "personalised", "scatter", "gather"});
      arguments.option("--on", "MACHINE", options->on, "cube:N or pops:D,G")
          .completes(Completes::machine)
          .required();
      arguments.option("--root", "P", options->root,
                       "who sends one-to-all and scatters or gathers; 0 if left out");
      arguments.option("--elements", "K", options->elements,
                       "data of the root, one-to-all on a cube");
      arguments.option("--schedule", "FILE", options->schedule, "write the schedule, - for stdout")
          .completes(Completes::file);
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
