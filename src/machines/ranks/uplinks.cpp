// Sums over subspaces of switches: first a sum that is surely no less, then the sum of what rules
// send, then less what stays.
#include "machines/ranks/uplinks.hpp"

#include <algorithm>

#include "base/working.hpp"
#include "machines/pieces.hpp"

namespace faro::inline v1::ranks {
namespace {

// Parts that the subspaces of all steps fall into: some seconds' work, a second of it in one step.
constexpr Count parts_max = Count{1} << 20U;
constexpr Count all_parts_max = Count{1} << 23U;

}  // namespace

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
  AffineSpace staying = senders;
  for (int b = tier_.processors_log2; b < bits_ && !staying.empty(); ++b) {
    const Parity& row = rule.to[static_cast<std::size_t>(bits_ - 1 - b)];
    staying = staying.meet(Parity{row.mask ^ bit(b), row.value});
  }
  if (staying == senders) return;
  add(out_, senders, senders.dimension(), false);
  add(in_, image_of(senders, rule.to).space, senders.dimension(), false);
  if (staying.empty()) return;
  add(out_, staying, staying.dimension(), true);
  add(in_, staying, staying.dimension(), true);
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

}  // namespace faro::inline v1::ranks
