// Rounds on a switch with one port a processor.   [faro]
//
//   applies:  any affine map; without memory bits also any list of destinations
//   cost:     2^(m-rho) (2^rho - 1) steps where every processor keeps 2^(m-rho) of its elements,
//             else 2^m (K without memory bits): the bound, as some processor sends that many
//   where     m memory bits, rho the rank of A_pm, which takes them to processor bits
//
// In the canonical form r' = N (r + W y) + c (distributed/canonical.hpp) the processors that r
// sends to are N r + c + v, v in the image V of A_pm. N is invertible, so a round, one v, is a
// permutation of the processors: everybody sends its 2^(m-rho) elements with A_pm y = v one after
// the other. On r these stand at address x = y + X r and go to x' = A_mm y + G r + c_m. Processors
// that agree on (X r, G r) share a rule. With N = 1 and c in V there is a round in which nothing
// leaves.
//
//   p and m swapped, m = p = 3:  N = 1, V everything, 8 rounds of one element, one of them inside:
//                                7 steps
//
// Elements arrive behind those that are still to leave: 2K registers.
#include "planners/ranks/rounds.hpp"

#include <fmt/format.h>

#include "distributed/canonical.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

int bits_of(const Request& request) {
  return std::get<Crossbar>(request.machine()).bits;
}

bool has_memory_bits(const Request& request) {
  return request.destinations().empty() && request.map().cut && request.map().memory_bits > 0;
}

// The map with its memory bits, as rounds and rules.
class Rounds {
 public:
  Rounds(const BitMap& map, int processor_bits)
      : form_(distributed::canonical_form(map, processor_bits)),
        blocks_(distributed::blocks_of(map.matrix(), processor_bits)) {
    std::vector<Word> rows;
    for (const BitMatrix* matrix : {&form_.x, &form_.g})
      for (int b = 0; b < form_.local_bits; ++b) rows.push_back(matrix->row(b));
    classes_ = reduced_basis(rows);
  }

  int rules_log2() const { return form_.local_bits + static_cast<int>(classes_.size()); }
  bool a_round_stays() const {
    return form_.n == BitMatrix::identity(form_.rank_bits) &&
           reduce(form_.rank_complement, form_.v) == 0;
  }
  Count steps() const {
    const Count each = Count{1} << static_cast<unsigned>(form_.local_bits - form_.rho());
    return each * ((Count{1} << static_cast<unsigned>(form_.rho())) - (a_round_stays() ? 1 : 0));
  }

  void push(ScheduleSink& sink) const {
    const std::vector<Word> inner = blocks_.pm.kernel();
    PopsSlot slot;
    for (Word v = 0; v < bit(form_.rho()); ++v) {
      const Word to = combination(form_.v, v);
      const Word first = *blocks_.pm.solve(to);
      for (Word k = 0; k < bit(static_cast<int>(inner.size())); ++k) {
        slot.clear();
        add_rules(first ^ combination(inner, k), to, slot);
        sink.step(slot);
      }
    }
  }

 private:
  static Word combination(const std::vector<Word>& basis, Word chosen) {
    Word sum = 0;
    for (; chosen != 0; chosen &= chosen - 1)
      sum ^= basis[static_cast<std::size_t>(lowest_bit(chosen))];
    return sum;
  }

  // Everybody's element of `y` to the processor that N and `v` say.
  void add_rules(Word y, Word v, PopsSlot& slot) const {
    const int p = form_.rank_bits;
    const Word there = form_.rank_complement ^ v;
    std::vector<Parity> to;
    for (int b = p - 1; b >= 0; --b) to.push_back({form_.n.row(b), unsigned{has_bit(there, b)}});
    for (Word values = 0; values < bit(static_cast<int>(classes_.size())); ++values) {
      PopsRule rule;
      for (std::size_t c = 0; c < classes_.size(); ++c)
        rule.where.push_back({classes_[c], unsigned{has_bit(values, static_cast<int>(c))}});
      const Word r = AffineSpace::where(p, rule.where).first();
      rule.reg = static_cast<Slot>(y ^ form_.x.apply(r));
      rule.to = to;
      rule.into =
          static_cast<Slot>(bit(form_.local_bits) +
                            (blocks_.mm.apply(y) ^ form_.g.apply(r) ^ form_.memory_complement));
      slot.rules.push_back(std::move(rule));
    }
  }

  distributed::CanonicalForm form_;
  distributed::Blocks blocks_;
  std::vector<Word> classes_;  // parities of a processor's number that decide its addresses
};

bool everybody_stays(const Request& request) {
  for (std::size_t p = 0; p < request.destinations().size(); ++p)
    if (request.destinations()[p] != p) return false;
  return !request.destinations().empty() ||
         request.map().map == BitMap::identity(request.map().map.width());
}

std::optional<std::string> refusal(const Request& request) {
  const auto* ranks = std::get_if<Crossbar>(&request.machine());
  if (ranks == nullptr) return "it plans for ranks";
  if (!ranks->tiers.empty()) return "it plans for one switch, not for a tree of them";
  if (!has_memory_bits(request)) {
    if (request.elements() > limits::ranks_elements_max)
      return fmt::format("more than {} elements a processor", limits::ranks_elements_max);
    return std::nullopt;
  }
  const int log2 = Rounds(request.map().map, bits_of(request)).rules_log2();
  if (log2 > limits::ranks_rules_log2_max)
    return fmt::format("its steps would have 2^{} rules, more than 2^{}", log2,
                       limits::ranks_rules_log2_max);
  return std::nullopt;
}

Estimate estimate(const Request& request) {
  if (!has_memory_bits(request))
    return {.cost = {everybody_stays(request) ? 0 : Count{request.elements()}, "K"}};
  const Rounds rounds(request.map().map, bits_of(request));
  return {.cost = {rounds.steps(), rounds.a_round_stays() ? "2^m - 2^(m-rho)" : "2^m"}};
}

// Everybody's elements alike, one after the other.
void push_alike(const Request& request, ScheduleSink& sink) {
  const auto k = static_cast<Slot>(request.elements());
  PopsSlot slot;
  for (Slot s = 0; s < k; ++s) {
    slot.clear();
    if (request.destinations().empty()) {
      PopsRule rule{.where = {}, .reg = s, .to = {}, .into = k + s};
      for (int b = bits_of(request) - 1; b >= 0; --b)
        rule.to.push_back({request.map().map.matrix().row(b),
                           unsigned{has_bit(request.map().map.complement(), b)}});
      slot.rules.push_back(std::move(rule));
    }
    for (std::size_t p = 0; p < request.destinations().size(); ++p) {
      const Word to = request.destinations()[p];
      slot.sends.push_back({p, s, {to}});
      slot.receives.push_back({to, p, k + s});
    }
    sink.step(slot);
  }
}

void build(const Request& request, ScheduleSink& sink) {
  ScheduleHeader header = header_of(request, ranks_rounds.name(), 2 * request.elements());
  header.result = {static_cast<Slot>(request.elements())};
  if (!request.destinations().empty()) {
    MovesGoal goal;
    for (std::size_t p = 0; p < request.destinations().size(); ++p)
      for (std::uint64_t s = 0; s < request.elements(); ++s)
        goal.moves.push_back({p, static_cast<Slot>(s), request.destinations()[p],
                              static_cast<Slot>(request.elements() + s)});
    header.goal = std::move(goal);
  }
  sink.begin(header);
  if (has_memory_bits(request))
    Rounds(request.map().map, bits_of(request)).push(sink);
  else
    push_alike(request, sink);
  sink.finish();
}

}  // namespace

const PlannerEntry ranks_rounds{{
    .name = "ranks-rounds",
    .machine = "ranks",
    .title = "everybody sends to a different processor in every step, round after round",
    .needs = "any affine map, or destinations",
    .cost = "2^m - 2^(m-rho) where everybody keeps some, else 2^m: the bound",
    .refusal = refusal,
    .estimate = estimate,
    .build = build,
}};

}  // namespace faro::inline v1
