// Which proof a POPS schedule gets: rules for a map are proved by subspaces, whatever the number of
// processors; lists, and what subspaces do not say, are followed back from the goal.
#include "faro/base/limits.hpp"
#include "machines/list_proof.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/proof.hpp"

namespace faro::inline v1 {
namespace {

class PopsProofs : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override {
    header_ = header;
    const auto& machine = std::get<Pops>(header.machine);
    const bool by_subspaces = std::holds_alternative<MapGoal>(header.goal) &&
                              pops::has_address_bits(machine) && header.result.size() == 1 &&
                              header.elements <= limits::register_pieces_max &&
                              !machine.multi_receive;
    if (!by_subspaces) choose(true);
  }
  void step(const PopsSlot& slot) override {
    if (!chosen_ && slot == PopsSlot{}) {
      ++empty_;
      return;
    }
    choose(!slot.sends.empty() || !slot.receives.empty() || !slot.operations.empty());
    chosen_->step(slot);
  }
  void finish() override {
    choose(false);
    chosen_->finish();
  }
  Verdict verdict() const override { return chosen_->verdict(); }

 private:
  void choose(bool lists) {
    if (chosen_) return;
    chosen_ = lists && is_listed(header_) ? pops_list_proof() : pops_subspace_proof();
    chosen_->begin(header_);
    for (; empty_ > 0; --empty_) chosen_->step(PopsSlot{});
  }

  ScheduleHeader header_;
  Count empty_ = 0;  // slots in which nothing is done, before the first that tells
  std::unique_ptr<Verifier> chosen_;
};

}  // namespace

std::unique_ptr<Verifier> pops_proof() {
  return std::make_unique<PopsProofs>();
}

}  // namespace faro::inline v1
