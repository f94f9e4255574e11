// Judging a schedule file: read as a stream, watched by one verifier or both.
//
//   file  --->  reader  --->  replay, proof, fingerprint
//                  |  breaches of the file's form
//                  +--->  one verdict
//
// Breaches that the reader finds and violations that the verifiers find are one list. Where both
// verifiers give an answer and differ, one of them has a bug: InternalError.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faro/base/byte_source.hpp"
#include "faro/base/progress.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"

namespace faro::inline v1 {

struct VerifyOptions {
  // automatic: as DefaultVerifiers choose, default_verifiers.hpp.
  VerifyBy by = VerifyBy::automatic;
  std::optional<std::string> map = {};  // the goal, in place of the file's
  // Called now and then with 0 of 0, since how far it is nobody knows; may end it.
  Progress progress = {};
};

struct VerifyReport {
  // `by` is "replay", "proof" or "both"; cost and deliveries are replay's where it took part.
  Verdict verdict;
  std::optional<Machine> machine;  // nothing where the header could not be read
  std::string fingerprint;
  std::vector<std::string> warnings;
  std::uint64_t turns = 1;  // alike, so that one of them was carried out
};

// Throws Error: usage for what is no schedule, limit for what is too large to replay, cancelled.
VerifyReport verify_schedule(ByteSource& source, const VerifyOptions& options = {});
// The same of a file, "-" being standard input, whole and its verdict alone; throw
// Error(environment) too.
VerifyReport verify_schedule_file(const std::string& path, const VerifyOptions& options = {});
Verdict verify_file(const std::string& path, const VerifyOptions& options = {});

// A schedule file, step by step into a sink of the caller's. Nothing is judged but the file's form:
// throws Error(refused) at its first breach, which leaves the sink without finish().
void read_schedule(const std::string& path, ScheduleSink& sink);

// The verdict as an object of format faro-verdict/1, in one line without its end.
std::string verdict_json(const VerifyReport& report);

}  // namespace faro::inline v1
