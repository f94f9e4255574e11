// Which proof a schedule of a cube or a POPS network gets: one that begins with lists is followed
// back from its goal, one that begins with rules is proved by subspaces, whatever the number of
// processors. What subspaces do not say is followed back too.
#include "faro/base/limits.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/list_proof.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/verifiers.hpp"

namespace faro::inline v1 {
namespace {

class Proofs : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    pops_ = std::get_if<Pops>(&header_.machine);
    const bool by_subspaces = std::holds_alternative<MapGoal>(header.goal) &&
                              header.result.size() == 1 &&
                              header.elements <= limits::register_pieces_max;
    if (pops_ && (!by_subspaces || !pops::has_address_bits(*pops_) || pops_->multi_receive))
      choose(true);
  }
  void step(const CubeStep& step) override {
    take(step, !step.moves.empty() && !std::holds_alternative<BroadcastGoal>(header_.goal));
  }
  void step(const PopsSlot& slot) override {
    take(slot, !slot.sends.empty() || !slot.receives.empty() || !slot.operations.empty());
  }
  void finish() override {
    choose(false);
    chosen_->finish();
  }
  Verdict verdict() const override { return chosen_->verdict(); }

 private:
  template <class Step>
  void take(const Step& step, bool lists) {
    if (!chosen_ && step == Step{}) {
      ++empty_;
      return;
    }
    choose(lists);
    chosen_->step(step);
  }
  void choose(bool lists) {
    if (chosen_) return;
    if (lists && is_listed(header_))
      chosen_ = pops_ ? pops_list_proof() : list_proof();
    else
      chosen_ = pops_ ? pops_subspace_proof() : subspace_proof();
    chosen_->begin(header_);
    for (; empty_ > 0; --empty_) pops_ ? chosen_->step(PopsSlot{}) : chosen_->step(CubeStep{});
  }

  ScheduleHeader header_;
  const Pops* pops_ = nullptr;  // in header_
  Count empty_ = 0;             // steps in which nothing is done, before the first that tells
  std::unique_ptr<Verifier> chosen_;
};

}  // namespace

std::unique_ptr<Verifier> cube_proof() {
  return std::make_unique<Proofs>();
}

std::unique_ptr<Verifier> pops_proof() {
  return std::make_unique<Proofs>();
}

}  // namespace faro::inline v1
