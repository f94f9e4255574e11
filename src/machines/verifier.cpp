#include "faro/machines/verifier.hpp"

#include <fmt/format.h>

#include "machines/by_header.hpp"
#include "machines/certificates/check.hpp"
#include "machines/claims.hpp"
#include "machines/turns.hpp"
#include "schedules/machine_kind.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t violations_reported_max = 20;

class VerifierByHeader : public ByHeader<Verifier> {
 public:
  using ByHeader::ByHeader;
  Verdict verdict() const override { return sink().verdict(); }
};

}  // namespace

void Verdict::add(Violation violation) {
  answer = Answer::no;
  ++violation_count;
  if (violations.size() < violations_reported_max) violations.push_back(std::move(violation));
}

void judge_claims(Verdict& verdict, const ScheduleHeader& header, Count step) {
  const bool done = verdict.violation_count == 0;
  if (header.cost)
    if (auto difference = header.cost->difference(verdict.cost))
      verdict.add({step, "cost-claim", std::move(*difference)});
  if (!done || !header.bound) return;
  const MachineKind& kind = kind_of(header.machine);
  const Count value = kind.value(verdict.cost);
  if (header.bound->value > value)
    verdict.add({step, "bound-claim",
                 fmt::format("the header claims that {} {} are needed; these are {}",
                             to_string(header.bound->value), kind.unit(), to_string(value))});
  certificates::BoundCheck check = certificates::check_bound(header);
  if (check.refuted) {
    verdict.add({step, "bound-claim", std::move(*check.refuted)});
    return;
  }
  verdict.bound = check.answer;
  verdict.bound_limit = std::move(check.why);
}

namespace {

std::unique_ptr<Verifier> replay_of(const ScheduleHeader& header) {
  return kind_of(header.machine).replay(header.goal);
}

}  // namespace

std::unique_ptr<Verifier> make_replay() {
  return std::make_unique<VerifierByHeader>([](const ScheduleHeader& header) {
    return takes_turns(header) ? in_turns(replay_of, true) : replay_of(header);
  });
}

std::unique_ptr<Verifier> make_proof() {
  return std::make_unique<VerifierByHeader>([](const ScheduleHeader& header) {
    return takes_turns(header) ? in_turns(proof_of, false) : proof_of(header);
  });
}

}  // namespace faro::inline v1
