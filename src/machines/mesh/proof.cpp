// Proof of a program of the SIMD mesh without enumerating processors.
//
// Registers are lists of pieces (machines/pieces.hpp); a mask with its conditions is an affine
// subspace. Programs are made of blocks "copy to Rr, route, ..., copy back", and what a block
// leaves in Rr costs pieces without number and is never needed. The first attempt, which goes
// along, forgets it at every copy into Rr; the second one only at a copy that follows a copy out of
// Rr, for blocks that load Rr twice. Forgetting loses knowledge and never invents it, so a yes
// stands. Where neither says yes, a last attempt remembers everything, and its no is exact.
#include <fmt/format.h>

#include <array>

#include "faro/base/limits.hpp"
#include "machines/mesh/audit.hpp"
#include "machines/mesh/pieces.hpp"
#include "machines/mesh/verifiers.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t pieces_few = 256;

enum class Forgets { at_every_copy, after_delivery, never };

// The three registers, followed through a program.
class Knowledge {
 public:
  Knowledge(const MeshGeometry& geometry, Forgets forgets)
      : geometry_(geometry), forgets_(forgets) {
    Piece everything{AffineSpace::everything(geometry.bits()), {}};
    for (int b = 0; b < geometry.bits(); ++b) everything.origin.push_back({bit(b), 0});
    of(MeshRegister::s).add(std::move(everything));
  }

  bool overflowed() const { return overflowed_; }
  const Partition& data() const { return registers_[static_cast<std::size_t>(MeshRegister::s)]; }

  void perform(const MeshInstruction& instruction) {
    if (overflowed_) return;
    const bool delivered = delivered_;
    const auto* copying = std::get_if<MeshCopy>(&instruction);
    delivered_ = copying != nullptr && copying->from == MeshRegister::r;
    if (copying != nullptr && copying->to == MeshRegister::r &&
        (forgets_ == Forgets::at_every_copy || (forgets_ == Forgets::after_delivery && delivered)))
      of(MeshRegister::r) = {};
    if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
      auto& routing = of(MeshRegister::r);
      routing = routed(geometry_, routing, route->dimension, route->by);
      joined_[static_cast<std::size_t>(MeshRegister::r)] = routing.pieces().size();
      watch(routing);
    } else if (const auto* copy = std::get_if<MeshCopy>(&instruction)) {
      perform(*copy);
    } else {
      perform(std::get<MeshSwap>(instruction));
    }
  }

 private:
  Partition& of(MeshRegister reg) { return registers_[static_cast<std::size_t>(reg)]; }

  AffineSpace subspace(const TernaryMask& mask, const std::vector<Parity>& where) const {
    std::vector<Parity> constraints = where;
    for (int b = 0; b < geometry_.bits(); ++b)
      if (has_bit(mask.care, b)) constraints.push_back({bit(b), has_bit(mask.value, b) ? 1U : 0U});
    return AffineSpace::where(geometry_.bits(), constraints);
  }

  void perform(const MeshCopy& copy) {
    const AffineSpace enabled = subspace(copy.mask, copy.where);
    if (enabled.empty()) return;
    replace(copy.to, enabled, of(copy.from).inside(enabled));
  }

  void perform(const MeshSwap& swap) {
    const AffineSpace enabled = subspace(swap.mask, swap.where);
    if (enabled.empty()) return;
    std::vector<Piece> from_a = of(swap.a).inside(enabled);
    replace(swap.a, enabled, of(swap.b).inside(enabled));
    replace(swap.b, enabled, std::move(from_a));
  }

  void replace(MeshRegister reg, const AffineSpace& enabled, std::vector<Piece> arriving) {
    of(reg).erase(enabled);
    for (Piece& piece : arriving) of(reg).add(std::move(piece));
    tidy(reg);
  }

  // Joins pieces after every instruction while they are few, as pieces that are left apart split
  // on; where they are many a sweep over all of them for every mask would cost more than it saves,
  // and they are joined when they have doubled.
  void tidy(MeshRegister reg) {
    std::size_t& joined = joined_[static_cast<std::size_t>(reg)];
    const std::size_t now = of(reg).pieces().size();
    if (now > pieces_few && now <= 2 * joined) return;
    of(reg).merge();
    joined = of(reg).pieces().size();
    watch(of(reg));
  }

  void watch(const Partition& partition) {
    overflowed_ |= partition.pieces().size() > limits::program_pieces_max;
  }

  const MeshGeometry& geometry_;
  Forgets forgets_;
  bool delivered_ = false;  // the last instruction copied out of Rr
  bool overflowed_ = false;
  std::array<Partition, 3> registers_;
  std::array<std::size_t, 3> joined_{};  // pieces of a register when they were last joined
};

// The number of processors in these pieces whose content is the one that `want` names.
Count delivered_to_map(const Partition& data, const BitMap& map) {
  const BitMap back = map.inverse();
  Count delivered = 0;
  for (const Piece& piece : data.pieces()) {
    AffineSpace right = piece.where;
    for (int b = 0; b < map.width(); ++b) {
      const Parity& have = piece.origin[static_cast<std::size_t>(b)];
      const Word want = back.matrix().row(b);
      const unsigned constant = has_bit(back.complement(), b) ? 1 : 0;
      right = right.meet(Parity{have.mask ^ want, have.value ^ constant});
    }
    delivered += size_of(right);
  }
  return delivered;
}

bool delivered_move(const Partition& data, const Move& move) {
  const Piece* piece = data.at(move.to_processor);
  if (piece == nullptr) return false;
  const std::vector<Parity> highest_first(piece->origin.rbegin(), piece->origin.rend());
  return address_of(highest_first, move.to_processor) == move.from_processor;
}

class MeshProof : public MeshAudit {
 public:
  void begin(const ScheduleHeader& header) override {
    read(header);
    quick_.emplace(*geometry, Forgets::at_every_copy);
  }

  void step(const MeshInstruction& instruction) override {
    if (legal(instruction)) {
      quick_->perform(instruction);
      if (program_.size() <= limits::program_instructions_max) program_.push_back(instruction);
    }
    ++step_;
  }

  void finish() override {
    if ((quick_->overflowed() || !judge(*quick_)) && !judge_again(Forgets::after_delivery) &&
        !judge_again(Forgets::never) && gave_up_) {
      give_up();
      return;
    }
    if (verdict_.delivered != verdict_.expected)
      breach("not-delivered",
             fmt::format("{} of {} elements are where the goal wants them at the end",
                         to_string(verdict_.delivered), to_string(verdict_.expected)));
    close();
  }

  Verdict verdict() const override { return verdict_; }

 private:
  // Sets what was delivered; true if that is everything.
  bool judge(const Knowledge& knowledge) {
    Count& delivered = verdict_.delivered;
    delivered = 0;
    if (goal.map) delivered = delivered_to_map(knowledge.data(), *goal.map) * elements;
    for (const Move& m : goal.moves)
      if (delivered_move(knowledge.data(), m)) ++delivered;
    return delivered == verdict_.expected;
  }

  // The program once more with another memory. True as judge() says; `gave_up_` if it says nothing.
  bool judge_again(Forgets forgets) {
    gave_up_ = program_.size() > limits::program_instructions_max;
    if (gave_up_) return false;
    Knowledge knowledge(*geometry, forgets);
    for (const MeshInstruction& instruction : program_) knowledge.perform(instruction);
    gave_up_ = knowledge.overflowed();
    return !gave_up_ && judge(knowledge);
  }

  void give_up() {
    close();
    verdict_.delivered = 0;
    // A breach that needs no data stays a no.
    if (verdict_.violation_count != 0) return;
    verdict_.answer = Verdict::Answer::unprovable;
    verdict_.limit = fmt::format("the proof gave up: more than {} pieces or {} instructions",
                                 limits::program_pieces_max, limits::program_instructions_max);
  }

  std::optional<Knowledge> quick_;
  std::vector<MeshInstruction> program_;
  bool gave_up_ = false;
};

}  // namespace

std::unique_ptr<Verifier> mesh_proof() {
  return std::make_unique<MeshProof>();
}

}  // namespace faro::inline v1
