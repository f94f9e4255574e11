// Proof of ranks and fat trees: the star's proof follows the elements; a step costs something where
// a rule's processors are not all among those that the rule sends to themselves; what the links of
// a tree carry is counted by subspaces.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "base/working.hpp"
#include "machines/pieces.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/proof_reading.hpp"
#include "machines/ranks/model.hpp"

namespace faro::inline v1 {
namespace {

// Parts that the subspaces of all steps fall into: some seconds' work, a second of it in one step.
constexpr Count parts_max = Count{1} << 20U;
constexpr Count all_parts_max = Count{1} << 23U;

// Of a rule's senders those whose element stays below its switch, of 2^below_log2 processors.
AffineSpace staying(const PopsRule& rule, AffineSpace senders, int below_log2) {
  const auto bits = static_cast<int>(rule.to.size());
  for (int b = below_log2; b < bits && !senders.empty(); ++b) {
    const Parity& row = rule.to[static_cast<std::size_t>(bits - 1 - b)];
    senders = senders.meet(Parity{row.mask ^ bit(b), row.value});
  }
  return senders;
}

// What the links of one tier of switches carry in a step, counted without spelling rules out.
//
// A rule's senders are an affine subspace of processors; those whose element stays below its switch
// are one too. Seen from the switches, whose numbers are a processor's high bits, each is a
// subspace of switches with equally many below every one of them. So what leaves a switch is a sum
// over rules of numbers that hold on subspaces, and the largest sum is looked for on the few
// parities that these subspaces are made of.
//
//   fat-tree:4x8,up=2, rule "processors with bits 0 and 1 clear send to the one with bit 4
//   flipped": every switch has 2 of them, and all 2 leave
class Uplinks {
 public:
  Uplinks(int bits, const Crossbar::Tier& tier) : bits_(bits), tier_(tier) {}

  // The step's rules and single messages. Requires rules that fit the machine.
  void clear();
  void add(const PopsRule& rule);
  void add(Word from, Word to);

  struct Crowd {
    bool out = false;    // else in
    Word processor = 0;  // one below the switch
    Count elements = 0;
  };
  struct Found {
    std::optional<Crowd> crowd = {};
    bool given_up = false;  // the subspaces of all steps so far fall into too many parts
  };
  Found crowded();

 private:
  // So many below each switch of a subspace.
  struct Term {
    AffineSpace switches;
    Count each;
    bool stays;  // they do not cross the links: taken away
  };
  struct Way {
    std::vector<Term> terms;
    std::map<Word, Count> single;  // by switch
  };
  struct Busiest {
    Word at = 0;  // a switch
    Count elements = 0;
  };

  AffineSpace switches_of(const AffineSpace& processors) const;
  void add(Way& way, const AffineSpace& processors, int senders_log2, bool stays) const;
  // The busiest switch, by what rules send alone or less what stays; nothing if that is too much
  // work.
  std::optional<Busiest> busiest(const Way& way, bool less_what_stays);
  Found crowded(const Way& way, bool out);

  int bits_;
  Crossbar::Tier tier_;
  Way out_;
  Way in_;
  Count parts_ = 0;  // of all steps
};

// How crowded links are found: sums over subspaces of switches; first a sum that is surely no less,
// then the sum of what rules send, then less what stays.
void Uplinks::clear() {
  out_ = {};
  in_ = {};
}

// Constraints reduced with the low bits first speak of the high bits alone in the end.
AffineSpace Uplinks::switches_of(const AffineSpace& processors) const {
  const int low = tier_.processors_log2;
  const int high = bits_ - low;
  std::vector<Parity> turned;
  for (const Parity& c : processors.constraints())
    turned.push_back({(c.mask >> low) | ((c.mask & low_mask(low)) << high), c.value});
  std::vector<Parity> kept;
  const AffineSpace reduced = AffineSpace::where(bits_, turned);
  for (const Parity& c : reduced.constraints())
    if ((c.mask & ~low_mask(high)) == 0) kept.push_back(c);
  return AffineSpace::where(high, kept);
}

void Uplinks::add(Way& way, const AffineSpace& processors, int senders_log2, bool stays) const {
  const AffineSpace switches = switches_of(processors);
  way.terms.push_back({switches, Count{1} << (senders_log2 - switches.dimension()), stays});
}

void Uplinks::add(const PopsRule& rule) {
  const AffineSpace senders = AffineSpace::where(bits_, rule.where);
  if (senders.empty()) return;
  const AffineSpace stay = staying(rule, senders, tier_.processors_log2);
  if (stay == senders) return;
  add(out_, senders, senders.dimension(), false);
  add(in_, image_of(senders, rule.to).space, senders.dimension(), false);
  if (stay.empty()) return;
  add(out_, stay, stay.dimension(), true);
  add(in_, stay, stay.dimension(), true);
}

void Uplinks::add(Word from, Word to) {
  if ((from ^ to) >> tier_.processors_log2 == 0) return;
  ++out_.single[from >> tier_.processors_log2];
  ++in_.single[to >> tier_.processors_log2];
}

std::optional<Uplinks::Busiest> Uplinks::busiest(const Way& way, bool less_what_stays) {
  const auto counts = [&](const Term& term) { return less_what_stays || !term.stays; };
  std::vector<Word> masks;
  for (const Term& term : way.terms)
    if (counts(term))
      for (const Parity& c : term.switches.constraints()) masks.push_back(c.mask);
  // Reduced: the leading bit of each is in no other, so that a switch with these bits set has any
  // parities that are wanted.
  const std::vector<Word> basis = reduced_basis(masks);
  const auto forms = static_cast<int>(basis.size());
  const auto in_forms = [&](Word mask) {
    Word result = 0;
    for (int i = 0; i < forms; ++i)
      if (has_bit(mask, highest_bit(basis[static_cast<std::size_t>(i)]))) result |= bit(i);
    return result;
  };
  struct Sum {
    Count sent = 0;
    Count stays = 0;
  };
  std::map<Word, Sum> sums;
  Count parts = 0;
  for (const Term& term : way.terms) {
    if (!counts(term)) continue;
    std::vector<Parity> constraints;
    for (const Parity& c : term.switches.constraints())
      constraints.push_back({in_forms(c.mask), c.value});
    const AffineSpace space = AffineSpace::where(forms, constraints);
    parts += Count{1} << space.dimension();
    parts_ += Count{1} << space.dimension();
    if (parts > parts_max || parts_ > all_parts_max) return {};
    still_working();
    space.for_each([&](Word part) {
      Sum& sum = sums[part];
      (term.stays ? sum.stays : sum.sent) += term.each;
    });
  }
  Busiest most;
  const auto offer = [&most](Word at, Count elements) {
    if (elements > most.elements) most = {at, elements};
  };
  for (const auto& [part, sum] : sums) {
    Word at = 0;
    for (int i = 0; i < forms; ++i)
      if (has_bit(part, i)) at |= bit(highest_bit(basis[static_cast<std::size_t>(i)]));
    offer(at, sum.sent - sum.stays);
  }
  for (const auto& [at, messages] : way.single) {
    Word part = 0;
    for (int i = 0; i < forms; ++i)
      part |= Word{parity(at & basis[static_cast<std::size_t>(i)])} << i;
    const auto sum = sums.find(part);
    offer(at, messages + (sum == sums.end() ? Count{0} : sum->second.sent - sum->second.stays));
  }
  return most;
}

Uplinks::Found Uplinks::crowded(const Way& way, bool out) {
  const Count room = Count{1} << tier_.up_log2;
  Count most = 0;
  for (const auto& [at, messages] : way.single) most = std::max(most, messages);
  for (const Term& term : way.terms)
    if (!term.stays) most += term.each;
  if (most <= room) return {};
  for (const bool less_what_stays : {false, true}) {
    const auto found = busiest(way, less_what_stays);
    if (!found) return {.given_up = true};
    if (found->elements <= room) return {};
    if (less_what_stays)
      return {.crowd = Crowd{out, found->at << tier_.processors_log2, found->elements}};
  }
  return {};
}

Uplinks::Found Uplinks::crowded() {
  Found found = crowded(out_, true);
  return found.crowd || found.given_up ? found : crowded(in_, false);
}

class RanksProof : public ranks::OverStar {
 public:
  RanksProof() : OverStar("proof", pops_proof()) {}

  void begin(const ScheduleHeader& header) override {
    OverStar::begin(header);
    for (const Crossbar::Tier& tier : machine_.tiers) uplinks_.emplace_back(machine_.bits, tier);
  }

  void step(const PopsSlot& slot) override {
    star_->step(slot);
    bool remote = false;
    each_of("sends", slot.sends, [&](const PopsSend& send) {
      remote |= std::any_of(send.to_groups.begin(), send.to_groups.end(),
                            [&](std::uint64_t to) { return to != send.processor; });
      if (send.to_groups.size() > 1)
        breach("R10", {.processor = send.processor, .slot = send.reg},
               "a message of processor {} has {} receivers", send.processor, send.to_groups.size());
    });
    if (remote || std::any_of(slot.rules.begin(), slot.rules.end(),
                              [this](const PopsRule& rule) { return leaves(rule); }))
      ++cost_;
    if (!uplinks_.empty()) judge_uplinks(slot);
    ++step_;
  }

  void finish() override {
    join();
    if (verdict_.answer == Verdict::Answer::unprovable) return;
    if (given_up_ && clean())
      return give_up(
          "the rules of a step fall into more than 2^20 kinds of switches, or those of all "
          "steps into more than 2^23; use replay");
    judge_claims();
  }

 private:
  int bits() const { return machine_.bits; }
  // What links carry does not depend on registers: of the laps of a loop it is found once.
  void judge_uplinks(const PopsSlot& slot) {
    using Found = Uplinks::Found;
    std::vector<Word> rules;
    for (const PopsRule& rule : slot.rules)
      for (const auto* list : {&rule.where, &rule.to}) {
        rules.push_back(list->size());
        for (const Parity& p : *list) rules.insert(rules.end(), {p.mask, Word{p.value}});
      }
    std::vector<Found> found;
    const auto known = slot.sends.empty() ? known_.find(rules) : known_.end();
    if (known != known_.end()) {
      found = known->second;
    } else {
      for (Uplinks& uplinks : uplinks_) found.push_back(carried(uplinks, slot));
      if (slot.sends.empty() && known_.size() < known_max) known_.emplace(std::move(rules), found);
    }
    for (const Found& one : found) {
      given_up_ = given_up_ || one.given_up;
      if (!one.crowd) continue;
      breach("R11", {.processor = one.crowd->processor},
             "{} elements {} the switch of processor {}", to_string(one.crowd->elements),
             one.crowd->out ? "leave" : "enter", one.crowd->processor);
    }
  }
  Uplinks::Found carried(Uplinks& uplinks, const PopsSlot& slot) const {
    const Word last = low_mask(bits());
    uplinks.clear();
    for (const PopsRule& rule : slot.rules)
      if (fits(rule, bits())) uplinks.add(rule);
    for (const PopsSend& send : slot.sends)
      for (const std::uint64_t to : send.to_groups)
        if (send.processor <= last && to <= last) uplinks.add(send.processor, to);
    return uplinks.crowded();
  }
  bool leaves(const PopsRule& rule) const {
    if (!fits(rule, bits())) return true;  // which the star refuses
    const AffineSpace senders = AffineSpace::where(bits(), rule.where);
    return !senders.empty() && staying(rule, senders, 0) != senders;
  }

  static constexpr std::size_t known_max = 1024;  // steps
  std::vector<Uplinks> uplinks_;
  std::map<std::vector<Word>, std::vector<Uplinks::Found>> known_;
  bool given_up_ = false;
};

}  // namespace

std::unique_ptr<Verifier> ranks_proof() {
  return std::make_unique<RanksProof>();
}

}  // namespace faro::inline v1
