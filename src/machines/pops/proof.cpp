// Proof of a POPS schedule; of one of rules whatever the number of processors.
//
// Each register holds a partition of the processors into affine subspaces, with the affine map that
// says where the datum started. A rule is legal if, on its subspace, the receiver determines the
// sender (a processor listens once) and so does the pair of groups (a coupler has one sender);
// between the rules of a slot the subspaces, the receivers and the couplers must be disjoint.
//
//   POPS(2, 2), rule {everybody, register 0, to rows (p_0, p_1), into 1}: the swap of the two bits;
//   receiver (p_0, p_1) and coupler (p_0 <- p_1) determine p: legal, register 1 then holds the
//   datum of (q_0, q_1) everywhere.
//
// That applies to maps with one register as result. What spells its sends out is followed back from
// the goal (machines/list_proof.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/judge.hpp"
#include "machines/pieces.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1 {
namespace {

// The couplers (group of receiver, group of sender) that a rule drives: an affine subspace of
// pairs, as a point and a basis. Pairs take up to 128 bits.
__extension__ typedef unsigned __int128 Pair;
struct Couplers {
  Pair point = 0;
  std::vector<Pair> basis;
};

int highest(Pair x) {
  const auto high = static_cast<Word>(x >> 64U);
  return high != 0 ? 64 + highest_bit(high) : highest_bit(static_cast<Word>(x));
}

// Reduces x modulo the basis; what is left is 0 exactly for the members of its span.
Pair modulo(Pair x, const std::vector<Pair>& basis) {
  for (const Pair v : basis)
    if (((x >> static_cast<unsigned>(highest(v))) & 1U) != 0) x ^= v;
  return x;
}

// False if `v` was in the span already. Keeps each leading bit in one vector only.
bool extend(std::vector<Pair>& basis, Pair v) {
  v = modulo(v, basis);
  if (v == 0) return false;
  for (Pair& b : basis)
    if (((b >> static_cast<unsigned>(highest(v))) & 1U) != 0) b ^= v;
  basis.push_back(v);
  return true;
}

bool disjoint(const Couplers& a, const Couplers& b) {
  std::vector<Pair> both = a.basis;
  for (const Pair v : b.basis) extend(both, v);
  return modulo(a.point ^ b.point, both) != 0;
}

class PopsProof : public Judge {
 public:
  PopsProof() : Judge("proof") {}
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;
  void finish() override;

 private:
  // What the rules of one slot do, so far.
  struct Use {
    std::vector<AffineSpace> senders;
    std::vector<AffineSpace> hearers;
    std::vector<Couplers> couplers;
    struct Write {
      Slot into = 0;
      AffineSpace region;
      std::vector<Piece> pieces;
    };
    std::vector<Write> writes;
  };

  template <class... Args>
  void bad(const char* rule, Violation::Place at, fmt::format_string<Args...> message,
           Args&&... args) {
    // With multi-receive more is legal than is proved here.
    if (machine_.multi_receive && std::string_view(rule) == "R3")
      return give_up("a processor that listens to several couplers is not proved here; use replay");
    breach(rule, std::move(at), message, std::forward<Args>(args)...);
  }
  void give_up(std::string limit) {
    verdict_.answer = Verdict::Answer::unprovable;
    if (verdict_.limit.empty()) verdict_.limit = std::move(limit);
    gave_up_ = true;
  }
  bool over() const { return gave_up_ || !clean(); }
  void apply_rule(const PopsRule& rule, const AffineSpace& where, Use& use);
  void check_couplers(const PopsRule& rule, const AffineSpace& where, Use& use);
  bool is_right(const Piece& piece, const BitMap& back, std::size_t place) const;

  Pops machine_;
  int bits_ = 0;
  int memory_ = 0;     // low bits of the map that count elements of a processor
  bool alike_ = true;  // the map is on processors, all their elements go along
  std::map<Slot, Partition> registers_;
  bool gave_up_ = false;
};

void PopsProof::begin(const ScheduleHeader& header) {
  header_ = header;
  machine_ = std::get<Pops>(header.machine);
  pops::processors(machine_);
  if (!pops::has_address_bits(machine_)) {
    give_up("d and g are no powers of two; use replay");
    return;
  }
  bits_ = pops::address_bits(machine_);
  const auto* goal = std::get_if<MapGoal>(&header.goal);
  if (goal == nullptr) return give_up("only maps on address bits are proved; use replay");
  check_goal(header, *this);
  check_room(header, *this);
  if (over()) return;
  memory_ = goal->cut ? goal->memory_bits : 0;
  alike_ = !goal->cut;
  if (header.elements > limits::register_pieces_max)
    return give_up(
        fmt::format("at most {} elements a processor are proved", limits::register_pieces_max));
  if (header.result.size() != 1)
    return give_up("only one result register for all processors is proved; use replay");
  std::vector<Parity> identity;
  for (int b = bits_ - 1; b >= 0; --b) identity.push_back({bit(b), 0});
  for (std::size_t s = 0; s < header.elements; ++s)
    registers_[static_cast<Slot>(s)].add(
        {AffineSpace::everything(bits_), identity, static_cast<int>(s)});
}

void PopsProof::check_couplers(const PopsRule& rule, const AffineSpace& where, Use& use) {
  const int local = pops::local_bits(machine_);
  const auto group = [local](Word p) { return local >= word_bits ? 0 : p >> local; };
  const Word x0 = where.first();
  const auto pair = [&](Word q, Word p) { return (Pair{group(q)} << 64U) | group(p); };
  const Word q0 = address_of(rule.to, x0);
  Couplers couplers{pair(q0, x0), {}};
  bool single = true;
  for (const Word b : where.directions()) {
    const Word q = address_of(rule.to, x0 ^ b) ^ q0;
    single = extend(couplers.basis, pair(q, b)) && single;
  }
  if (!single) bad("R1", {.processor = x0}, "a rule has two senders on one coupler");
  for (const Couplers& other : use.couplers)
    if (!disjoint(other, couplers)) bad("R1", {}, "two rules drive one coupler");
  use.couplers.push_back(std::move(couplers));
}

void PopsProof::apply_rule(const PopsRule& rule, const AffineSpace& where, Use& use) {
  if (rule.reg >= header_.slots || rule.into >= header_.slots) {
    bad("R7", {.processor = where.first(), .slot = std::max(rule.reg, rule.into)},
        "a rule from register {} into {} of {}", rule.reg, rule.into, header_.slots);
    return;
  }
  const Image heard = image_of(where, rule.to);
  check_couplers(rule, where, use);
  for (const AffineSpace& other : use.senders)
    if (!other.disjoint(where))
      bad("R2", {.processor = other.meet(where).first(), .slot = rule.reg},
          "two rules send from one processor");
  for (const AffineSpace& other : use.hearers)
    if (!other.disjoint(heard.space))
      bad("R3", {.to = other.meet(heard.space).first(), .slot = rule.into},
          "two rules send to one processor");
  if (!heard.injective)
    bad("R3", {.to = heard.space.first(), .slot = rule.into},
        "a rule sends to one processor twice");
  if (over()) return;
  use.senders.push_back(where);
  use.hearers.push_back(heard.space);
  Use::Write write{rule.into, heard.space, registers_[rule.reg].inside(where)};
  for (Piece& piece : write.pieces) piece = piece.carried(rule.to);
  if (size_of(write.pieces) != size_of(where))
    bad("R5", {.slot = rule.reg}, "a rule sends register {} where it is empty", rule.reg);
  use.writes.push_back(std::move(write));
}

void PopsProof::step(const PopsSlot& slot) {
  if (!over() && (!slot.sends.empty() || !slot.receives.empty() || !slot.operations.empty()))
    give_up("sends, receives and operations spelled out are not proved; use replay");
  Use use;
  bool sends = !slot.sends.empty();
  each_of("rules", slot.rules, [&](const PopsRule& rule) {
    sends = sends || over();
    if (over() || !well_formed(rule, bits_, *this)) return;
    const AffineSpace where = AffineSpace::where(bits_, rule.where);
    if (where.empty()) return;
    sends = true;
    apply_rule(rule, where, use);
  });
  verdict_.cost.slots += sends ? 1U : 0U;
  if (!over()) {
    for (const Use::Write& write : use.writes) registers_[write.into].erase(write.region);
    std::set<Slot> written;
    for (Use::Write& write : use.writes) {
      written.insert(write.into);
      for (Piece& piece : write.pieces) registers_[write.into].add(std::move(piece));
    }
    for (const Slot reg : written) {
      registers_[reg].merge();
      if (registers_[reg].pieces().size() > limits::register_pieces_max)
        give_up(fmt::format("more than {} pieces in a register; use replay",
                            limits::register_pieces_max));
    }
  }
  ++step_;
}

// Whether the map brings what the piece holds to place `place` of the piece's processors.
bool PopsProof::is_right(const Piece& piece, const BitMap& back, std::size_t place) const {
  if (alike_ && piece.tag != static_cast<int>(place)) return false;
  const Word inner = alike_ ? 0 : place;
  for (int b = 0; b < back.width(); ++b) {
    const Word row = back.matrix().row(b);
    const Parity wanted =
        piece.where.reduced({memory_ >= word_bits ? 0 : row >> memory_,
                             parity(row & inner) ^ unsigned{has_bit(back.complement(), b)}});
    const Parity there = b < memory_ ? Parity{0, unsigned{has_bit(static_cast<Word>(piece.tag), b)}}
                                     : piece.origin[static_cast<std::size_t>(back.width() - 1 - b)];
    if (wanted != there) return false;
  }
  return true;
}

void PopsProof::finish() {
  if (gave_up_) return;
  const Count n = Count{1} << static_cast<unsigned>(bits_);
  verdict_.expected = n * header_.elements;
  if (!over()) {
    const BitMap back = std::get<MapGoal>(header_.goal).map.inverse();
    for (std::size_t s = 0; s < header_.elements; ++s)
      for (const Piece& piece : registers_[header_.result[0] + static_cast<Slot>(s)].pieces())
        if (is_right(piece, back, s)) verdict_.delivered += size_of(piece.where);
    if (verdict_.delivered != verdict_.expected)
      bad("delivery", {}, "{} of {} elements end in the result register where the map says",
          to_string(verdict_.delivered), to_string(verdict_.expected));
    judge_claims();
  }
}

}  // namespace

std::unique_ptr<Verifier> pops_subspace_proof() {
  return std::make_unique<PopsProof>();
}

}  // namespace faro::inline v1
