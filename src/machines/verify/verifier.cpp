#include "faro/machines/verify/verifier.hpp"

#include "faro/base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verify/butterfly_proof.hpp"
#include "faro/machines/verify/butterfly_replay.hpp"
#include "faro/machines/verify/cube.hpp"
#include "faro/machines/verify/mesh.hpp"
#include "faro/machines/verify/pops_proof.hpp"
#include "faro/machines/verify/pops_replay.hpp"

namespace faro {
namespace {

constexpr std::size_t violations_reported_max = 20;

using Factory = std::unique_ptr<Verifier> (*)();

struct Verifiers {
  Factory replay;
  Factory proof;
};

// The one table of verifiers: goals with a computation first, then by machine.
Verifiers verifiers_for(const ScheduleHeader& header) {
  if (std::holds_alternative<ButterflyGoal>(header.goal)) {
    if (std::holds_alternative<Hypercube>(header.machine))
      return {make_butterfly_replay, make_butterfly_proof};
    throw Error(ErrorCode::impossible, "butterfly networks are verified on hypercubes only");
  }
  if (std::holds_alternative<Pops>(header.machine)) return {make_pops_replay, make_pops_proof};
  if (std::holds_alternative<MatmulGoal>(header.goal) ||
      std::holds_alternative<BroadcastGoal>(header.goal))
    throw Error(ErrorCode::impossible,
                "broadcasts and matrix products are verified on POPS networks only");
  if (std::holds_alternative<Hypercube>(header.machine)) return {cube_replay, cube_proof};
  if (std::get<Mesh>(header.machine).links == Mesh::Links::one_route)
    return {mesh_replay, mesh_proof};
  return {links_replay, links_proof};
}

// Becomes the verifier of the machine when the header comes.
class ByHeader : public Verifier {
 public:
  explicit ByHeader(Factory Verifiers::*which) : which_(which) {}

  void begin(const ScheduleHeader& header) override {
    verifier_ = (verifiers_for(header).*which_)();
    verifier_->begin(header);
  }
  void step(const CubeStep& step) override { verifier().step(step); }
  void step(const MeshInstruction& instruction) override { verifier().step(instruction); }
  void step(const PopsSlot& slot) override { verifier().step(slot); }
  void finish() override { verifier().finish(); }
  Verdict verdict() const override {
    FARO_CHECK(verifier_ != nullptr);
    return verifier_->verdict();
  }

 private:
  Verifier& verifier() {
    FARO_CHECK(verifier_ != nullptr);
    return *verifier_;
  }

  Factory Verifiers::*which_;
  std::unique_ptr<Verifier> verifier_;
};

}  // namespace

void Verdict::add(Violation violation) {
  answer = Answer::no;
  violation_count = add_checked(violation_count, 1);
  if (violations.size() < violations_reported_max) violations.push_back(std::move(violation));
}

std::unique_ptr<Verifier> make_replay() {
  return std::make_unique<ByHeader>(&Verifiers::replay);
}

std::unique_ptr<Verifier> make_proof() {
  return std::make_unique<ByHeader>(&Verifiers::proof);
}

}  // namespace faro
