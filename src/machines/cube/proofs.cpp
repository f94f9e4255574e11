// Which proof a cube's schedule gets: one that begins with listed moves is followed back from its
// goal, one that begins with rules is proved by subspaces, whatever the number of processors.
#include "machines/cube/verifiers.hpp"
#include "machines/list_proof.hpp"

namespace faro::inline v1 {
namespace {

class CubeProofs : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override { header_ = header; }
  void step(const CubeStep& step) override {
    if (!chosen_ && step == CubeStep{}) {
      ++empty_;
      return;
    }
    choose(!step.moves.empty());
    chosen_->step(step);
  }
  void finish() override {
    choose(false);
    chosen_->finish();
  }
  Verdict verdict() const override { return chosen_->verdict(); }

 private:
  void choose(bool moves) {
    if (chosen_) return;
    const bool broadcast = std::holds_alternative<BroadcastGoal>(header_.goal);
    chosen_ = moves && !broadcast && is_listed(header_) ? list_proof() : subspace_proof();
    chosen_->begin(header_);
    for (; empty_ > 0; --empty_) chosen_->step(CubeStep{});
  }

  ScheduleHeader header_;
  Count empty_ = 0;  // steps in which nothing is done, before the first that tells
  std::unique_ptr<Verifier> chosen_;
};

}  // namespace

std::unique_ptr<Verifier> cube_proof() {
  return std::make_unique<CubeProofs>();
}

}  // namespace faro::inline v1
