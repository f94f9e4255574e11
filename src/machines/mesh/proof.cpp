// Proof of a program of the SIMD mesh without enumerating processors.
//
// Registers are lists of pieces (machines/pieces.hpp); a mask with its conditions is an affine
// subspace. Programs are made of blocks "copy to Rr, route, ..., copy back", and what a block
// leaves in Rr costs pieces without number and is never needed. The first attempt, which goes
// along, forgets it at every copy into Rr; the second one only at a copy that follows a copy out of
// Rr, for blocks that load Rr twice. Forgetting loses knowledge and never invents it, so a yes
// stands. Where neither says yes, a last attempt remembers everything, and its no is exact.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "faro/base/limits.hpp"
#include "machines/mesh/geometry.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/pieces.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::size_t pieces_few = 256;

// A piece on its way through the adder: bits below `next` are done.
struct Partial {
  AffineSpace where;
  int next = 0;
  unsigned carry = 0;
  Word flipped = 0;
};

struct Addend {
  int low = 0;
  int width = 0;
  Word amount = 0;         // modulo 2^width
  bool must_stay = false;  // falls off the end otherwise
  unsigned carry_wanted = 0;
};

void add(const Piece& piece, const Addend& addend, Partition& result) {
  std::vector<Partial> open = {{piece.where, 0, 0, 0}};
  while (!open.empty()) {
    Partial part = std::move(open.back());
    open.pop_back();
    bool split = false;
    for (; part.next < addend.width; ++part.next) {
      const unsigned digit = has_bit(addend.amount, part.next) ? 1 : 0;
      const Word address_bit = bit(addend.low + part.next);
      if ((digit ^ part.carry) != 0) part.flipped |= address_bit;
      if (digit == part.carry) continue;
      // One of digit and carry is 1: the next carry is the address bit itself.
      const Parity known = part.where.reduced({address_bit, 0});
      if (known.mask == 0) {
        part.carry = known.value;
        continue;
      }
      for (const unsigned value : {0U, 1U})
        open.push_back(
            {part.where.meet(Parity{address_bit, value}), part.next + 1, value, part.flipped});
      split = true;
      break;
    }
    if (split || (addend.must_stay && part.carry != addend.carry_wanted)) continue;
    result.add(piece.on(part.where).shifted(part.flipped));
  }
}

// All pieces after ROUTE(dimension, by), merged. Adding a number to a coordinate is an xor on a
// piece where every carry is decided; elsewhere the piece is split by the first undecided bit.
Partition routed(const MeshGeometry& geometry, const Partition& pieces, int dimension,
                 std::int64_t by) {
  Addend addend;
  if (geometry.wrap() == Mesh::Wrap::propagating) {
    addend.width = geometry.bits();
    addend.amount = static_cast<Word>(by) << geometry.low(dimension);
  } else {
    addend.low = geometry.low(dimension);
    addend.width = geometry.side_log2(dimension);
    addend.amount = static_cast<Word>(by);
    addend.must_stay = geometry.wrap() == Mesh::Wrap::none;
    // Adding a negative number modulo 2^width stays inside exactly if a carry leaves at the top.
    addend.carry_wanted = by < 0 ? 1 : 0;
  }
  addend.amount &= low_mask(addend.width);
  Partition result;
  for (const Piece& piece : pieces.pieces()) add(piece, addend, result);
  result.merge();
  return result;
}

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

class MeshProof : public Judge {
 public:
  MeshProof() : Judge("proof") {}
  void begin(const ScheduleHeader& header) override;
  void step(const MeshInstruction& instruction) override {
    if (legal(instruction)) {
      quick_->perform(instruction);
      if (program_.size() <= limits::program_instructions_max) program_.push_back(instruction);
    }
    ++step_;
  }
  void finish() override;

 private:
  bool legal(const MeshInstruction& instruction);
  bool legal(const MeshRoute& route);
  bool legal(const TernaryMask& mask, const std::vector<Parity>& where, MeshRegister a,
             MeshRegister b);
  bool judge(const Knowledge& knowledge);
  bool judge_again(Forgets forgets);

  std::optional<MeshGeometry> geometry_;
  // The goal in terms of processors.
  std::optional<BitMap> map_;
  std::vector<Move> moves_;
  std::optional<Knowledge> quick_;
  std::vector<MeshInstruction> program_;
  bool gave_up_ = false;
  std::set<MeshRegister> named_ = {MeshRegister::s};
};

void MeshProof::begin(const ScheduleHeader& header) {
  header_ = header;
  // May be long, and is kept once, in `moves_`; a bound is judged by it.
  if (!header.bound) header_.goal = MovesGoal{};
  geometry_.emplace(std::get<Mesh>(header.machine));
  if (header.elements < 1) breach("machine", {}, "0 elements per processor; at least 1 is wanted");
  if (header.slots < 1 || header.slots > 3)
    breach("machine", {}, "{} registers; a processor has 1 to 3", header.slots);
  const Count before = verdict_.violation_count;
  check_goal(header, *this);
  const bool fits = verdict_.violation_count == before;
  if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
    verdict_.expected = (Count{1} << geometry_->bits()) * header.elements;
    if (fits) map_ = on_processors(*map, geometry_->bits());
    if (fits && !map_) breach("goal", {}, "the map moves memory bits; this machine cannot");
  } else if (const auto* list = std::get_if<MovesGoal>(&header.goal)) {
    moves_ = list->moves;
    verdict_.expected = moves_.size();
    if (std::any_of(moves_.begin(), moves_.end(),
                    [](const Move& m) { return m.from_slot != m.to_slot; }))
      breach("goal", {}, "the elements of a processor do not move alike");
  }
  quick_.emplace(*geometry_, Forgets::at_every_copy);
}

// Counts an instruction; false if it breaks a rule and must not be performed.
bool MeshProof::legal(const MeshInstruction& instruction) {
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) return legal(*route);
  ++verdict_.cost.register_ops;
  if (const auto* copy = std::get_if<MeshCopy>(&instruction))
    return legal(copy->mask, copy->where, copy->to, copy->from);
  const auto& swap = std::get<MeshSwap>(instruction);
  return legal(swap.mask, swap.where, swap.a, swap.b);
}

bool MeshProof::legal(const MeshRoute& route) {
  if (route.dimension < 0 || route.dimension >= geometry_->dimensions())
    return refuse("dimension-range", {.dimension = route.dimension},
                  "a route along dimension {}; the mesh has 0 to {}", route.dimension,
                  geometry_->dimensions() - 1);
  const std::int64_t side = geometry_->side(route.dimension);
  if (route.by == 0 || route.by >= side || route.by <= -side)
    return refuse("distance-range", {.dimension = route.dimension},
                  "a route by {} along dimension {}; 0 < |by| < {} is wanted", route.by,
                  route.dimension, side);
  named_.insert(MeshRegister::r);
  verdict_.cost.unit_routes += static_cast<Count>(route.by < 0 ? -route.by : route.by);
  ++verdict_.cost.long_routes;
  return true;
}

bool MeshProof::legal(const TernaryMask& mask, const std::vector<Parity>& where, MeshRegister a,
                      MeshRegister b) {
  const Word beyond = ~low_mask(geometry_->bits());
  if ((mask.care & beyond) != 0 || (mask.value & ~mask.care) != 0)
    return refuse("mask-range", {}, "a mask (care {:#x}, value {:#x}) that does not fit {} bits",
                  mask.care, mask.value, geometry_->bits());
  if (const Parity* c = misfit(where, geometry_->bits()))
    return refuse("condition-range", {}, "the condition [{:#x}, {}] does not fit {} bits", c->mask,
                  c->value, geometry_->bits());
  if (a == b)
    return refuse("same-register", {.slot = static_cast<Slot>(a)}, "{} with itself", name_of(a));
  named_.insert({a, b});
  return true;
}

// Sets what was delivered; true if that is everything.
bool MeshProof::judge(const Knowledge& knowledge) {
  Count& delivered = verdict_.delivered;
  delivered = 0;
  if (map_) delivered = delivered_to_map(knowledge.data(), *map_) * header_.elements;
  for (const Move& m : moves_)
    if (delivered_move(knowledge.data(), m)) ++delivered;
  return delivered == verdict_.expected;
}

// The program once more with another memory. True as judge() says; `gave_up_` if it says nothing.
bool MeshProof::judge_again(Forgets forgets) {
  gave_up_ = program_.size() > limits::program_instructions_max;
  if (gave_up_) return false;
  Knowledge knowledge(*geometry_, forgets);
  for (const MeshInstruction& instruction : program_) knowledge.perform(instruction);
  gave_up_ = knowledge.overflowed();
  return !gave_up_ && judge(knowledge);
}

void MeshProof::finish() {
  const bool told = (!quick_->overflowed() && judge(*quick_)) ||
                    judge_again(Forgets::after_delivery) || judge_again(Forgets::never) ||
                    !gave_up_;
  if (told && verdict_.delivered != verdict_.expected)
    breach("not-delivered", {}, "{} of {} elements are where the goal wants them at the end",
           to_string(verdict_.delivered), to_string(verdict_.expected));
  if (named_.size() > header_.slots)
    breach("registers", {}, "the program uses {} registers, the header allows {}", named_.size(),
           header_.slots);
  judge_claims();
  if (told) return;
  verdict_.delivered = 0;
  give_up("the proof gave up: more than {} pieces or {} instructions", limits::program_pieces_max,
          limits::program_instructions_max);
}

}  // namespace

std::unique_ptr<Verifier> mesh_proof() {
  return std::make_unique<MeshProof>();
}

}  // namespace faro::inline v1
