#include "faro/machines/verify/pops_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/model/pops.hpp"
#include "faro/machines/verify/pops_certificate.hpp"
#include "faro/machines/verify/pops_pieces.hpp"

namespace faro {
namespace {

using pops_proof::Piece;

// More pieces than this in a register: the plan is no program of few rules.
constexpr std::size_t pieces_max = 20000;

// The couplers (group of receiver, group of sender) that a rule drives: an affine subspace of
// pairs, as a point and a basis. Pairs take up to 128 bits.
struct Couplers {
  Count point = 0;
  std::vector<Count> basis;
};

int highest(Count x) {
  const auto high = static_cast<Word>(x >> 64U);
  return high != 0 ? 64 + highest_bit(high) : highest_bit(static_cast<Word>(x));
}

// Reduces x modulo the basis; what is left is 0 exactly for the members of its span.
Count modulo(Count x, const std::vector<Count>& basis) {
  for (const Count v : basis)
    if (((x >> static_cast<unsigned>(highest(v))) & 1U) != 0) x ^= v;
  return x;
}

// False if `v` was in the span already. Keeps each leading bit in one vector only.
bool extend(std::vector<Count>& basis, Count v) {
  v = modulo(v, basis);
  if (v == 0) return false;
  for (Count& b : basis)
    if (((b >> static_cast<unsigned>(highest(v))) & 1U) != 0) b ^= v;
  basis.push_back(v);
  return true;
}

bool disjoint(const Couplers& a, const Couplers& b) {
  std::vector<Count> both = a.basis;
  for (const Count v : b.basis) extend(both, v);
  return modulo(a.point ^ b.point, both) != 0;
}

class PopsProof : public Verifier {
 public:
  void begin(const ScheduleHeader& header) override;
  void step(const PopsSlot& slot) override;
  void finish() override;
  Verdict verdict() const override { return verdict_; }

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

  void bad(const char* rule, std::string message) {
    // With multi-receive more is legal than is proved here.
    if (machine_.multi_receive && std::string_view(rule) == "R3") {
      give_up("a processor that listens to several couplers is not proved here; use replay");
      return;
    }
    verdict_.add({slots_, rule, std::move(message)});
    over_ = true;
  }
  void give_up(std::string limit) {
    verdict_.answer = Verdict::Answer::unprovable;
    if (verdict_.limit.empty()) verdict_.limit = std::move(limit);
    over_ = true;
    gave_up_ = true;
  }
  std::optional<BitMap> processor_map(const ScheduleHeader& header);
  bool well_formed(const PopsRule& rule);
  void apply_rule(const PopsRule& rule, const AffineSpace& where, Use& use);
  void check_couplers(const PopsRule& rule, const AffineSpace& where, Use& use);
  void check_bound();

  ScheduleHeader header_;
  Pops machine_;
  int bits_ = 0;
  BitMap map_;
  std::map<Slot, std::vector<Piece>> registers_;
  Verdict verdict_;
  bool over_ = false;
  bool gave_up_ = false;
  Count slots_ = 0;
};

// The map on processors, nothing (and the reason said) where the goal is not one.
std::optional<BitMap> PopsProof::processor_map(const ScheduleHeader& header) {
  const auto* goal = std::get_if<MapGoal>(&header.goal);
  if (goal == nullptr) {
    give_up("only maps on address bits are proved; use replay");
    return std::nullopt;
  }
  const int memory = goal->cut ? goal->memory_bits : 0;
  if (goal->map.width() - memory != bits_) {
    bad("goal", fmt::format("a map on {} processor bits for 2^{} processors",
                            goal->map.width() - memory, bits_));
    return std::nullopt;
  }
  if (goal->cut && (memory >= word_bits || bit(memory) != header.elements)) {
    bad("goal", fmt::format("a map with {} memory bits for {} elements a processor", memory,
                            header.elements));
    return std::nullopt;
  }
  std::vector<Word> columns;
  for (int i = 0; i < goal->map.width(); ++i) {
    const Word column = goal->map.column(i);
    const Word low = column & low_mask(memory);
    if (i < memory ? column != bit(i) : low != 0) {
      give_up("the map moves memory bits; use replay");
      return std::nullopt;
    }
    if (i >= memory) columns.push_back(memory >= word_bits ? 0 : column >> memory);
  }
  if ((goal->map.complement() & low_mask(memory)) != 0) {
    give_up("the map moves memory bits; use replay");
    return std::nullopt;
  }
  return BitMap::from_columns(columns, goal->map.complement() >> memory);
}

void PopsProof::begin(const ScheduleHeader& header) {
  header_ = header;
  verdict_.by = "proof";
  machine_ = std::get<Pops>(header.machine);
  pops::processors(machine_);
  if (!pops::has_address_bits(machine_)) {
    give_up("d and g are no powers of two; use replay");
    return;
  }
  bits_ = pops::address_bits(machine_);
  const auto map = processor_map(header);
  if (!map) return;
  map_ = *map;
  if (header.elements > pieces_max) {
    give_up(fmt::format("at most {} elements a processor are proved", pieces_max));
    return;
  }
  if (header.elements == 0 || header.slots < header.elements)
    bad("R7",
        fmt::format("{} elements in {} registers of a processor", header.elements, header.slots));
  if (header.result.size() != 1) {
    give_up("only one result register for all processors is proved; use replay");
    return;
  }
  if (header.result[0] >= header.slots)
    bad("R7", fmt::format("result register {} of {}", header.result[0], header.slots));
  std::vector<Parity> identity;
  for (int b = bits_ - 1; b >= 0; --b) identity.push_back({bit(b), 0});
  for (std::size_t s = 0; s < header.elements; ++s)
    registers_[static_cast<Slot>(s)].push_back({AffineSpace::everything(bits_), identity, s});
}

bool PopsProof::well_formed(const PopsRule& rule) {
  const auto fits = [this](const Parity& c) {
    return (c.mask & ~low_mask(bits_)) == 0 && c.value <= 1;
  };
  if (rule.to.size() != static_cast<std::size_t>(bits_)) {
    bad("R8",
        fmt::format("a rule with {} rows; a processor number has {} bits", rule.to.size(), bits_));
    return false;
  }
  if (!std::all_of(rule.where.begin(), rule.where.end(), fits) ||
      !std::all_of(rule.to.begin(), rule.to.end(), fits)) {
    bad("R8", fmt::format("a rule with a mask beyond the {} bits of a processor number", bits_));
    return false;
  }
  return true;
}

void PopsProof::check_couplers(const PopsRule& rule, const AffineSpace& where, Use& use) {
  const int local = pops::local_bits(machine_);
  const auto group = [local](Word p) { return local >= word_bits ? 0 : p >> local; };
  const Word x0 = where.first();
  const auto pair = [&](Word q, Word p) { return (Count{group(q)} << 64U) | group(p); };
  const Word q0 = pops_proof::apply(rule.to, x0);
  Couplers couplers{pair(q0, x0), {}};
  bool single = true;
  for (const Word b : where.directions()) {
    const Word q = pops_proof::apply(rule.to, x0 ^ b) ^ q0;
    single = extend(couplers.basis, pair(q, b)) && single;
  }
  if (!single) bad("R1", "a rule has two senders on one coupler");
  for (const Couplers& other : use.couplers)
    if (!disjoint(other, couplers)) bad("R1", "two rules drive one coupler");
  use.couplers.push_back(std::move(couplers));
}

void PopsProof::apply_rule(const PopsRule& rule, const AffineSpace& where, Use& use) {
  if (rule.reg >= header_.slots || rule.into >= header_.slots) {
    bad("R7",
        fmt::format("a rule from register {} into {} of {}", rule.reg, rule.into, header_.slots));
    return;
  }
  const pops_proof::Image heard = pops_proof::image_of(where, rule.to);
  check_couplers(rule, where, use);
  for (const AffineSpace& other : use.senders)
    if (!other.disjoint(where)) bad("R2", "two rules send from one processor");
  for (const AffineSpace& other : use.hearers)
    if (!other.disjoint(heard.space)) bad("R3", "two rules send to one processor");
  if (!heard.injective) bad("R3", "a rule sends to one processor twice");
  if (over_) return;
  use.senders.push_back(where);
  use.hearers.push_back(heard.space);
  Count size = 0;
  Use::Write write{rule.into, heard.space, {}};
  for (const Piece& piece : registers_[rule.reg]) {
    const std::size_t before = write.pieces.size();
    pops_proof::carry(piece, where, rule.to, write.pieces);
    if (write.pieces.size() > before)
      size += Count{1} << static_cast<unsigned>(write.pieces.back().where.dimension());
  }
  if (size != Count{1} << static_cast<unsigned>(where.dimension()))
    bad("R5", fmt::format("a rule sends register {} where it is empty", rule.reg));
  use.writes.push_back(std::move(write));
}

void PopsProof::step(const PopsSlot& slot) {
  if (!over_ && (!slot.sends.empty() || !slot.receives.empty() || !slot.operations.empty()))
    give_up("sends, receives and operations spelled out are not proved; use replay");
  Use use;
  bool sends = !slot.sends.empty();
  for (const PopsRule& rule : slot.rules) {
    if (over_) {
      sends = true;
      break;
    }
    if (!well_formed(rule)) continue;
    const AffineSpace where = AffineSpace::where(bits_, rule.where);
    if (where.empty()) continue;
    sends = true;
    apply_rule(rule, where, use);
  }
  verdict_.cost.slots += sends ? 1U : 0U;
  if (!over_) {
    for (const Use::Write& write : use.writes)
      pops_proof::erase(registers_[write.into], write.region);
    for (Use::Write& write : use.writes) {
      std::vector<Piece>& pieces = registers_[write.into];
      for (Piece& piece : write.pieces) pops_proof::add(pieces, std::move(piece));
      if (pieces.size() > pieces_max)
        give_up(fmt::format("more than {} pieces in a register; use replay", pieces_max));
    }
  }
  ++slots_;
}

void PopsProof::check_bound() {
  if (!header_.bound) return;
  const Bound& bound = *header_.bound;
  if (bound.value > verdict_.cost.slots)
    bad("bound-claim", fmt::format("a lower bound of {} beside {} slots", to_string(bound.value),
                                   to_string(verdict_.cost.slots)));
  if (bound.weights.empty()) return;
  const std::uint64_t g = machine_.groups;
  if (g > limits::pops_certificate_groups_max) {
    bad("bound-claim", fmt::format("a certificate on {} groups; at most {} are checked", g,
                                   limits::pops_certificate_groups_max));
    return;
  }
  const int local = pops::local_bits(machine_);
  std::vector<Parity> fixed_rows;
  for (int b = 0; b < bits_; ++b)
    fixed_rows.push_back({map_.matrix().row(b) ^ bit(b), unsigned{has_bit(map_.complement(), b)}});
  const AffineSpace fixed = AffineSpace::where(bits_, fixed_rows);
  const auto size = [](const AffineSpace& s) {
    return s.empty() ? Count{0} : Count{1} << static_cast<unsigned>(s.dimension());
  };
  std::vector<Count> demand(g * g, 0);
  for (Word i = 0; i < g; ++i) {
    std::vector<Parity> here;
    for (int b = local; b < bits_; ++b) here.push_back({bit(b), unsigned{has_bit(i, b - local)}});
    const AffineSpace group = AffineSpace::where(bits_, here);
    for (Word j = 0; j < g; ++j) {
      AffineSpace going = group;
      for (int b = local; b < bits_ && !going.empty(); ++b)
        going =
            going.meet(Parity{map_.matrix().row(b), unsigned{has_bit(j, b - local)} ^
                                                        unsigned{has_bit(map_.complement(), b)}});
      demand[i * g + j] = (size(going) - (i == j ? size(going.meet(fixed)) : 0)) * header_.elements;
    }
  }
  if (auto fault = certificate_fault(bound, g, demand)) bad("bound-claim", std::move(*fault));
}

void PopsProof::finish() {
  if (gave_up_) return;
  const Count n = Count{1} << static_cast<unsigned>(bits_);
  verdict_.expected = n * header_.elements;
  if (!over_) {
    const BitMap back = map_.inverse();
    std::vector<Parity> want;
    for (int b = bits_ - 1; b >= 0; --b)
      want.push_back({back.matrix().row(b), unsigned{has_bit(back.complement(), b)}});
    for (std::size_t s = 0; s < header_.elements; ++s) {
      const Slot reg = header_.result[0] + static_cast<Slot>(s);
      for (const Piece& piece : registers_[reg]) {
        const bool right =
            piece.element == s && std::equal(want.begin(), want.end(), piece.origin.begin(),
                                             [&](const Parity& w, const Parity& o) {
                                               return piece.where.reduced(w) == o;
                                             });
        if (right) verdict_.delivered += Count{1} << static_cast<unsigned>(piece.where.dimension());
      }
    }
    if (verdict_.delivered != verdict_.expected)
      bad("delivery", fmt::format("{} of {} elements end in the result register where the map says",
                                  to_string(verdict_.delivered), to_string(verdict_.expected)));
    if (!over_ && header_.cost)
      if (auto difference = header_.cost->difference(verdict_.cost))
        bad("cost-claim", std::move(*difference));
    if (!over_) check_bound();
  }
  verdict_.answer = over_ ? Verdict::Answer::no : Verdict::Answer::yes;
}

}  // namespace

std::unique_ptr<Verifier> make_pops_proof() {
  return std::make_unique<PopsProof>();
}

}  // namespace faro
