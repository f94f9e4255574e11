// `faro convert`: a schedule file for another tool, or as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/working.hpp"
#include "cli/command.hpp"
#include "cli/rendering.hpp"
#include "cli/schedule_file.hpp"
#include "faro/base/error.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {
namespace {

struct ConvertArguments {
  std::string schedule;
  std::string out;
  RenderingText rendering;
  bool unverified = false;
  bool unroll = false;
};

int run(const ConvertArguments& options, Output& out) {
  RenderingText rendering = options.rendering;
  rendering.file = options.out;
  if (!options.unroll)
    check_schedule_rendering(rendering);
  else if (rendering.format || rendering.figure)
    throw Error(ErrorCode::usage, "--unroll writes a schedule file; --to and --figure do not");
  if (options.schedule == "-")
    throw Error(ErrorCode::usage, "a schedule is read more than once; give a file, not -");
  if (options.out == "-" && out.is_json())
    throw Error(ErrorCode::usage, "--json and OUT - both want standard output");
  const Progress progress = out.progress("converting", Output::Unit::steps);
  const Listening listening(progress);
  const auto push = [&](ScheduleSink& sink) { read_schedule(options.schedule, sink); };
  // Before minutes go into judging what cannot be drawn.
  if (!options.unroll) refuse_what_is_too_long(push, rendering);
  std::string judged = "nobody";
  if (!options.unverified) {
    const VerifyReport report = verify_schedule_file(options.schedule, {.progress = progress});
    judged = report.verdict.by;
    if (!report.verdict.ok()) {
      const std::vector<Violation>& found = report.verdict.violations;
      // What cannot be read cannot be converted either.
      const bool reads = std::none_of(found.begin(), found.end(), [](const Violation& v) {
        return v.rule == "shape" || v.rule == "missing" || v.rule == "order";
      });
      throw Error(ErrorCode::refused,
                  fmt::format("{} is not right: {}{}", options.schedule,
                              found.empty() ? report.verdict.limit : found.front().message,
                              reads ? " (--unverified converts it all the same)"
                                    : "; 'faro verify' lists all that is wrong"));
    }
  }
  if (options.unroll) {
    ScheduleFile file(options.out, ScheduleFile::Rules::unrolled, out);
    push(file.sink());
    file.commit();
  } else {
    render_schedule(push, rendering, out);
  }
  out.report({{"format", "faro-convert/1"},
              {"schedule", options.schedule},
              {"out", options.out},
              {"verified_by", judged}},
             Report::Lines::many);
  return 0;
}

}  // namespace

extern const Command convert_command;
const Command convert_command{
    .name = "convert",
    .summary = "a verified schedule for another tool, or as a picture",
    .details =
        "OUT's ending says the format: .csv a line a move; .json a trace for Perfetto; .goal\n"
        "for LogGOPSim and ATLAHS; .graphml and .dot the links used; .tar for Chakra and "
        "ASTRA-sim;\n"
        ".xml for MSCCL; .cfg for BookSim; .svg and .tex (TikZ) pictures. --to says it otherwise,\n"
        "and must where OUT is -. docs/exports.md. --unroll writes the schedule itself, for "
        "readers\n"
        "that know no loops.",
    .examples =
        "faro convert s.json moves.csv\n"
        "faro convert s.json trace.json --to perfetto\n"
        "faro convert s.json step3.svg --figure machine@3\n"
        "faro convert loops.json steps.json --unroll",
    .declare = [](Arguments& arguments) -> Action {
      auto o = std::make_shared<ConvertArguments>();
      arguments.positional("IN", o->schedule, "the schedule's file").completes(Completes::file);
      arguments.positional("OUT", o->out, "the file to write, - for stdout")
          .completes(Completes::file);
      arguments.option("--to", "FORMAT", o->rendering.format,
                       rendering_formats() + "; by OUT's ending if left out");
      arguments.option("--figure", "WHAT", o->rendering.figure,
                       "of a picture: links, steps, places, machine or machine@STEP; links");
      arguments.flag("--unroll", o->unroll,
                     "a schedule file again, with loops lap after lap: faro-schedule/1");
      arguments.flag("--unverified", o->unverified, "whatever the verifiers would say of it");
      return [o](Output& out) { return run(*o, out); };
    }};

}  // namespace faro::cli
