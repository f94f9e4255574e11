// faro verify: is this schedule right?
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <tuple>

#include "cli/command.hpp"
#include "cli/page.hpp"
#include "faro/base/error.hpp"
#include "faro/service/plan.hpp"
#include "files/file_source.hpp"
#include "schedules/machine_kind.hpp"
#include "service/claimed_bound.hpp"
#include "service/reports.hpp"

namespace faro::cli {
namespace {

struct VerifyArguments {
  std::string schedule;
  std::optional<std::string> map;
  std::string by = "auto";
  bool lines = false;
  std::optional<std::string> html;
};

VerifyBy by_from(const std::string& text) {
  if (text == "replay") return VerifyBy::replay;
  if (text == "proof") return VerifyBy::proof;
  if (text == "samples") return VerifyBy::samples;
  return text == "both" ? VerifyBy::both : VerifyBy::automatic;
}

// One line of another source after the other.
class LineSource : public ByteSource {
 public:
  explicit LineSource(ByteSource& source) : source_(source), buffer_(1U << 16U) {}

  // Goes to the next line that is not empty, over what is left of this one; false at the end.
  bool next() {
    while (!at_end_of_line_) {
      std::byte rest[4096];
      if (read(rest) == 0) break;
    }
    at_end_of_line_ = false;
    while (fill()) {
      if (buffer_[at_] != std::byte{'\n'} && buffer_[at_] != std::byte{'\r'}) return true;
      ++at_;
    }
    return false;
  }
  std::size_t read(std::span<std::byte> into) override {
    if (at_end_of_line_ || !fill()) {
      at_end_of_line_ = true;
      return 0;
    }
    std::size_t count = 0;
    while (count < into.size() && at_ < size_) {
      const std::byte b = buffer_[at_++];
      if (b == std::byte{'\n'}) {
        at_end_of_line_ = true;
        break;
      }
      into[count++] = b;
    }
    return count;
  }

 private:
  bool fill() {
    if (at_ < size_) return true;
    at_ = 0;
    size_ = source_.read(buffer_);
    return size_ > 0;
  }

  ByteSource& source_;
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  bool at_end_of_line_ = true;
};

std::string cost_text(const Cost& cost, const Machine& machine) {
  std::string text;
  for (const CostPart& part : kind_of(machine).cost)
    if (!part.left_out_if_zero || cost.*part.count != 0)
      text += (text.empty() ? "" : ", ") + plural(cost.*part.count, part.word);
  return text;
}

Report report_of(const VerifyReport& judged, const Output& out) {
  const Verdict& verdict = judged.verdict;
  Report report = verdict_report(judged);
  const std::string by = verdict.by == "both" ? "replay and proof" : verdict.by;
  if (verdict.ok()) {
    report.say("{}, by {}\n", out.styled(Output::Style::good, "right"), by);
  } else if (verdict.answer == Verdict::Answer::unprovable) {
    const char* words = by == "samples" ? "not proved" : "not provable by subspaces";
    report.say("{}: {}\n", out.styled(Output::Style::bad, words), verdict.limit);
  } else {
    report.say("{}, by {}: {}\n", out.styled(Output::Style::bad, "wrong"), by,
               plural(verdict.violation_count, "violation"));
    for (const Violation& v : verdict.violations)
      report.say("  step {}: {}: {}\n", to_string(v.step), v.rule, v.message);
  }
  if (!judged.machine) return report;
  if (judged.turns > 1) report.say("turns      {}, all alike: one was carried out\n", judged.turns);
  report.say("cost       {}\n", cost_text(verdict.cost, *judged.machine));
  if (verdict.bound == Verdict::BoundAnswer::checked)
    report.say("bound      checked{}\n",
               verdict.bound_limit.empty() ? "" : ", of " + verdict.bound_limit);
  if (verdict.bound == Verdict::BoundAnswer::claimed)
    report.say("bound      claimed, not checked: {}\n", verdict.bound_limit);
  report.say("delivered  {} of {}\n", to_string(verdict.delivered), to_string(verdict.expected));
  report.say("schedule   {}\n", judged.fingerprint);
  return report;
}

int code_of(const Verdict& verdict) {
  if (verdict.ok()) return 0;
  return exit_code(verdict.answer == Verdict::Answer::no ? ErrorCode::refused : ErrorCode::limit);
}

// One schedule a line, one verdict a line; what is no schedule gets a line with its error.
int verify_lines(ByteSource& source, const VerifyOptions& options, Output& out) {
  LineSource lines(source);
  ClaimedBounds claims;
  int worst = 0;
  while (lines.next()) {
    std::string line;
    const auto unread = [&](ErrorCode code, const char* message) {
      const Report why{{"format", "faro-verdict/1"},
                       {"ok", false},
                       {"error", faro::name_of(code)},
                       {"message", message}};
      worst = std::max(worst, exit_code(ErrorCode::refused));
      line = why.json();
    };
    try {
      const VerifyReport report = verify_schedule(lines, options, claims);
      worst = std::max(worst, report.verdict.ok() ? 0 : exit_code(ErrorCode::refused));
      line = verdict_report(report).json();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::internal || error.code() == ErrorCode::cancelled) throw;
      unread(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      unread(ErrorCode::limit, "too little memory to read or prove it");
    }
    out.write(line + "\n");
  }
  return worst;
}

// The explorer's page, opened at the verdict.
void write_html(const VerifyArguments& options, const VerifyReport& judged, Report& report,
                Output& out) {
  PageContent content{.link = "#v1:view=file",
                      .schedule = schedule_text(options.schedule),
                      .name = std::filesystem::path(options.schedule).filename().string(),
                      .goal = options.map,
                      .verdict = verdict_report(judged)};
  const std::size_t bytes = write_page(content, *options.html, out);
  report.say("{}  {} bytes; open it with any browser\n", *options.html, bytes);
}

int run(const VerifyArguments& options, Output& out) {
  if (options.html) {
    if (options.lines) throw Error(ErrorCode::usage, "--html shows one schedule, --lines has many");
    if (options.schedule == "-")
      throw Error(ErrorCode::usage, "--html reads the schedule twice; give a file, not -");
    if (*options.html == "-")
      throw Error(ErrorCode::usage, "standard output has the verdict; --html wants a file");
  }
  // Of the verifiers' work, between the bytes, nobody knows how far it is.
  const Progress progress = [shown = out.progress("verifying", Output::Unit::bytes),
                             done = std::uint64_t{0}, total = std::uint64_t{0}](
                                std::uint64_t now, std::uint64_t of) mutable {
    if (of != 0) std::tie(done, total) = std::tie(now, of);
    return shown(done, total);
  };
  FileSource source(options.schedule, [&](auto done, auto total) { return progress(done, total); });
  const VerifyOptions verify{by_from(options.by), options.map, progress};
  if (options.lines) return verify_lines(source, verify, out);
  const VerifyReport judged = [&] {
    try {
      return verify_schedule(source, verify);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      throw Error(ErrorCode::usage, fmt::format("{}: {}", options.schedule, error.what()));
    }
  }();
  for (const std::string& warning : judged.warnings) out.warn(warning);
  Report report = report_of(judged, out);
  if (options.html) write_html(options, judged, report, out);
  out.report(report);
  return code_of(judged.verdict);
}

}  // namespace

extern const Command verify_command;
const Command verify_command{
    .name = "verify",
    .summary = "judge a schedule that anybody wrote",
    .details =
        "Reads a schedule (faro-schedule/1 or /2) and checks every rule of its machine,\n"
        "every delivery and every claim. replay moves every element; proof reasons about\n"
        "affine subspaces and covers 2^60 processors. By default proof, and replay too up\n"
        "to 2^22 elements. samples follows a thousand elements back from where they end,\n"
        "whatever there are: it finds what is wrong, and never says right.\n"
        "Exit code 0: right; 1: wrong; 4: not provable within the limits.",
    .examples =
        "faro verify plan.json\n"
        "faro verify plan.json --map 'a:6 -> ungray(a)' --by both\n"
        "faro verify plan.json --html verdict.html\n"
        "faro verify schedules.jsonl --lines",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<VerifyArguments>();
      arguments.positional("SCHEDULE", options->schedule, "the file, or - for standard input")
          .completes(Completes::file);
      arguments
          .option("--map", "MAP", options->map, "the goal to hold it to, in place of the file's")
          .completes(Completes::map);
      arguments.option("--by", "WHO", options->by, "which verifier")
          .one_of({"auto", "replay", "proof", "both", "samples"});
      arguments
          .option("--html", "FILE", options->html,
                  "also write a page that shows the verdict and plays the schedule")
          .completes(Completes::file);
      arguments.flag("--lines", options->lines, "one schedule a line, one verdict a line");
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
