// `faro explorer`: the page that shows a map, its plan and a schedule at work, with its content.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/page.hpp"
#include "cli/request.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/words/say.hpp"

namespace faro::cli {
namespace {

struct ExplorerArguments {
  std::optional<std::string> map;
  std::optional<std::string> machine;
  std::optional<std::uint64_t> elements;
  std::optional<std::string> schedule;
  std::optional<std::string> algorithm;
  std::string out;
};

// What may stand in a link without being taken for a part of it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string link_of(const ExplorerArguments& options) {
  std::vector<std::string> parts;
  if (options.map) parts.push_back("map=" + escaped(*options.map));
  if (options.machine) parts.push_back("on=" + escaped(*options.machine));
  if (options.elements) parts.push_back(fmt::format("elements={}", *options.elements));
  if (options.algorithm) parts.push_back("algorithm=" + escaped(*options.algorithm));
  if (options.schedule) parts.emplace_back("view=file");
  return fmt::format("#v1:{}", fmt::join(parts, "&"));
}

// A page that opens with an error helps nobody: what is asked is read before it is written.
void check(const ExplorerArguments& options) {
  if (options.schedule && (options.map || options.machine || options.elements || options.algorithm))
    throw Error(
        ErrorCode::usage,
        "a schedule file says its map and machine itself; give --schedule, or MAP and --on");
  if (!options.map && (options.machine || options.elements || options.algorithm))
    throw Error(ErrorCode::usage, "--on, --elements and --algorithm are for a map; give MAP");
  if (!options.machine && (options.elements || options.algorithm))
    throw Error(ErrorCode::usage, "--elements and --algorithm are for a machine; give --on");
  if (options.map && options.machine)
    request_from({.map = options.map,
                  .destinations = {},
                  .machine = *options.machine,
                  .elements = options.elements});
  else if (options.map)
    say(*options.map);
}

int run(const ExplorerArguments& options, Output& out) {
  check(options);
  PageContent content{.link = link_of(options)};
  if (options.schedule) {
    content.schedule = schedule_text(*options.schedule);
    content.name = std::filesystem::path(*options.schedule).filename().string();
  }
  const std::size_t bytes = write_page(content, options.out, out);
  if (options.out == "-") return 0;
  Report report{{"format", "faro-explorer/1"}, {"out", options.out}};
  report.row("bytes", bytes, "{}  {} bytes; open it with any browser\n", options.out, bytes);
  report["link"] = content.link;
  out.report(report);
  return 0;
}

}  // namespace

extern const Command explorer_command;
const Command explorer_command{
    .name = "explorer",
    .summary = "a page that shows a map, its plan, and a schedule step by step",
    .details =
        "Writes one file for any browser: it opens from disk, works without a network, and\n"
        "has the library in it, so that maps can be typed and schedules dropped on it. With\n"
        "MAP, or --schedule, it opens with that. docs/explorer.md.",
    .examples =
        "faro explorer -o page.html\n"
        "faro explorer 'a:4 -> ungray(a)' --on cube:4 --elements 10 -o gray.html\n"
        "faro explorer --schedule s.json -o s.html",
    .declare = [](Arguments& arguments) -> Action {
      auto o = std::make_shared<ExplorerArguments>();
      arguments.positional("MAP", o->map, "what moves where: see `faro explain`")
          .completes(Completes::map);
      arguments.option("--on", "MACHINE", o->machine, "the machine to plan for")
          .completes(Completes::machine);
      arguments.option("--elements", "K", o->elements, "elements in each processor");
      arguments.option("--algorithm", "NAME", o->algorithm, "this one, see `faro algorithms`")
          .completes(Completes::planner);
      arguments.option("--schedule", "FILE", o->schedule, "a schedule file to judge and show")
          .completes(Completes::file);
      arguments.option("-o", "FILE", o->out, "the page to write, - for stdout")
          .completes(Completes::file)
          .required();
      return [o](Output& out) { return run(*o, out); };
    }};

}  // namespace faro::cli
