// A schedule file is read once, and watched by all verifiers at the same time.
#include <fmt/format.h>

#include "base/report.hpp"
#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "files/file_source.hpp"
#include "machines/default_verifiers.hpp"
#include "machines/samples.hpp"
#include "schedules/fingerprint.hpp"
#include "schedules/json_numbers.hpp"
#include "schedules/map_goal.hpp"
#include "service/claimed_bound.hpp"
#include "service/reports.hpp"

namespace faro::inline v1 {
namespace {

using Answer = Verdict::Answer;

// A fault in a hundredth of all elements is missed once in twenty thousand verdicts.
constexpr std::uint64_t samples_drawn = 1000;

// Whoever is to judge, and the fingerprint.
class Watch : public ScheduleSink {
 public:
  explicit Watch(VerifyBy by) {
    if (by == VerifyBy::automatic) automatic_.emplace();
    if (by == VerifyBy::replay || by == VerifyBy::both) replay_ = make_replay();
    if (by == VerifyBy::proof || by == VerifyBy::both) proof_ = make_proof();
    if (by == VerifyBy::samples) proof_ = make_samples(samples_drawn);
  }

  void begin(const ScheduleHeader& header) override {
    machine = header.machine;
    steps = 0;
    turns = header.repeat.times;
    if (claim_is_tried(header)) claim = header;
    for_each([&](ScheduleSink& sink) { sink.begin(header); });
  }
  void step(const CubeStep& step) override {
    ++steps;
    for_each([&](ScheduleSink& sink) { sink.step(step); });
  }
  void step(const MeshInstruction& instruction) override {
    ++steps;
    for_each([&](ScheduleSink& sink) { sink.step(instruction); });
  }
  void step(const PopsSlot& slot) override {
    ++steps;
    for_each([&](ScheduleSink& sink) { sink.step(slot); });
  }
  void loop(const CubeLoop& loop) override { watch(loop); }
  void loop(const PopsLoop& loop) override { watch(loop); }
  void finish() override {
    for_each([&](ScheduleSink& sink) { sink.finish(); });
  }

  std::optional<Verdict> proof() const {
    if (automatic_) return automatic_->proof();
    return proof_ ? std::optional<Verdict>(proof_->verdict()) : std::nullopt;
  }
  std::optional<Verdict> replay() const {
    if (automatic_) return automatic_->replay();
    return replay_ ? std::optional<Verdict>(replay_->verdict()) : std::nullopt;
  }

  std::optional<Machine> machine;
  std::optional<ScheduleHeader> claim;  // of a bound, where a plan may disprove it
  std::uint64_t turns = 1;
  Count steps = 0;
  Fingerprint fingerprint;

 private:
  template <class Step>
  void watch(const Loop<Step>& loop) {
    steps += Count{loop.body.size()} * loop.laps;
    for_each([&](ScheduleSink& sink) { sink.loop(loop); });
  }
  template <class Work>
  void for_each(Work&& work) {
    still_working();
    if (automatic_) work(*automatic_);
    if (replay_) work(*replay_);
    if (proof_) work(*proof_);
    work(fingerprint);
  }

  std::optional<DefaultVerifiers> automatic_;
  std::unique_ptr<Verifier> replay_;
  std::unique_ptr<Verifier> proof_;
};

class HeardSource : public ByteSource {
 public:
  explicit HeardSource(ByteSource& source) : source_(source) {}
  std::size_t read(std::span<std::byte> into) override {
    still_working();
    return source_.read(into);
  }

 private:
  ByteSource& source_;
};

struct Breaches : ReadListener {
  std::vector<Violation> violations;
  Count count = 0;
  std::vector<std::string> warnings;

  void breach(Count step, const std::string& rule, const std::string& message) override {
    constexpr std::size_t kept_max = 20;  // as many as a verdict reports
    ++count;
    if (violations.size() < kept_max) violations.push_back({step, rule, message});
  }
  void warning(const std::string& message) override { warnings.push_back(message); }
};

// The first breach ends the reading.
class Strict : public ReadListener {
 public:
  explicit Strict(const std::string& name) : name_(name) {}
  void breach(Count step, const std::string& rule, const std::string& message) override {
    throw Error(ErrorCode::refused,
                fmt::format("{}: step {}: {}: {}", name_, to_string(step), rule, message));
  }
  void warning(const std::string&) override {}

 private:
  const std::string& name_;
};

ReadOptions reading() {
  ReadOptions options;
  options.map_from = [](std::string_view text, const Machine& machine, std::uint64_t elements) {
    return map_goal_from(text, machine, elements);
  };
  return options;
}

// Two answers as one; requires at least one.
Verdict combined(const Verdict* replay, const Verdict* proof) {
  if (replay == nullptr) return *proof;
  if (proof == nullptr || proof->answer == Answer::unprovable) return *replay;
  if (replay->ok() != proof->ok())
    throw InternalError(
        fmt::format("replay says {} and proof says {}; one of the two verifiers has a bug. {}",
                    replay->ok() ? "yes" : "no", proof->ok() ? "yes" : "no",
                    replay->violations.empty() ? proof->violations.front().message
                                               : replay->violations.front().message));
  Verdict both = *replay;
  both.by = "both";
  return both;
}

void add_breaches(Verdict& verdict, const Breaches& breaches) {
  if (breaches.count == 0) return;
  const std::vector<Violation> later = std::move(verdict.violations);
  const Count others = verdict.violation_count + breaches.count;
  verdict.violations.clear();
  for (const Violation& v : breaches.violations) verdict.add(v);
  for (const Violation& v : later) verdict.add(v);
  verdict.violation_count = others;
  verdict.limit.clear();
}

Report place_report(const Violation::Place& at) {
  Report object = Report::object();
  if (at.processor) object["processor"] = Count(*at.processor);
  if (at.to) object["to"] = Count(*at.to);
  if (at.slot) object["slot"] = *at.slot;
  if (at.dimension) object["dimension"] = *at.dimension;
  if (!at.list.empty()) {
    object["in"] = at.list;
    object["move"] = at.entry;
  }
  return object;
}

const char* name_of(Answer answer) {
  if (answer == Answer::unprovable) return "unprovable";
  return answer == Answer::yes ? "yes" : "no";
}

}  // namespace

VerifyReport verify_schedule(ByteSource& source, const VerifyOptions& options) {
  ClaimedBounds claims;
  return verify_schedule(source, options, claims);
}

VerifyReport verify_schedule(ByteSource& source, const VerifyOptions& options,
                             ClaimedBounds& claims) {
  if (options.by == VerifyBy::nobody)
    throw Error(ErrorCode::usage, "a schedule that nobody is to verify gets no verdict");
  const Listening listening(options.progress);
  Watch watch(options.by);
  Breaches breaches;
  ReadOptions read = reading();
  read.map = options.map;
  HeardSource heard(source);
  const ReadOutcome outcome = read_schedule(heard, watch, read, breaches);
  VerifyReport report;
  report.machine = watch.machine;
  report.turns = watch.turns;
  report.warnings = std::move(breaches.warnings);
  if (outcome == ReadOutcome::complete) {
    const std::optional<Verdict> replay = watch.replay();
    const std::optional<Verdict> proof = watch.proof();
    report.verdict = combined(replay ? &*replay : nullptr, proof ? &*proof : nullptr);
    report.fingerprint = watch.fingerprint.text();
    if (report.verdict.bound == Verdict::BoundAnswer::claimed && watch.claim)
      if (auto disproof = claims.disproof(*watch.claim)) {
        report.verdict.bound = Verdict::BoundAnswer::none;
        report.verdict.bound_limit.clear();
        report.verdict.add({watch.steps, "bound-claim", std::move(*disproof)});
      }
  } else {
    report.verdict.by = "reader";
  }
  add_breaches(report.verdict, breaches);
  return report;
}

VerifyReport verify_schedule_file(const std::string& path, const VerifyOptions& options) {
  FileSource source(path);
  try {
    return verify_schedule(source, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::usage, fmt::format("{}: {}", path, error.what()));
  }
}

Verdict verify_file(const std::string& path, const VerifyOptions& options) {
  return verify_schedule_file(path, options).verdict;
}

void read_schedule(const std::string& path, ScheduleSink& sink) {
  FileSource file(path);
  HeardSource source(file);
  Strict strict(path);
  read_schedule(source, sink, reading(), strict);
}

Report verdict_report(const VerifyReport& report) {
  const Verdict& verdict = report.verdict;
  Report object;
  object["format"] = "faro-verdict/1";
  object["ok"] = verdict.ok();
  object["answer"] = name_of(verdict.answer);
  object["by"] = verdict.by;
  if (!verdict.limit.empty()) object["limit"] = verdict.limit;
  object["cost"] = report.machine ? cost_report(verdict.cost, *report.machine) : Report::object();
  if (verdict.bound != Verdict::BoundAnswer::none) {
    const bool checked = verdict.bound == Verdict::BoundAnswer::checked;
    object["bound"] = {{"checked", checked}};
    if (!verdict.bound_limit.empty())
      object["bound"][checked ? "of" : "why_not"] = verdict.bound_limit;
  }
  object["violations"] = Report::list();
  for (const Violation& v : verdict.violations)
    object["violations"].push_back({{"step", Count(v.step)},
                                    {"rule", v.rule},
                                    {"message", v.message},
                                    {"at", place_report(v.at)}});
  object["violation_count"] = Count(verdict.violation_count);
  object["delivered"] = Count(verdict.delivered);
  object["expected"] = Count(verdict.expected);
  if (!report.fingerprint.empty()) object["fingerprint"] = report.fingerprint;
  if (report.turns > 1) object["turns"] = Count(report.turns);
  object["warnings"] = report.warnings;
  return object;
}

std::string verdict_json(const VerifyReport& report) {
  return verdict_report(report).json();
}

}  // namespace faro::inline v1
