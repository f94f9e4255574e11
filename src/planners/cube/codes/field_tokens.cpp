// All that hop in a step leave their slots first; then each takes its own slot if that is free, and
// the others what is left. So K slots and the largest occupancy of a node above K are used, the
// same for every policy that opens a new slot only when none is free.
#include "planners/cube/codes/field_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/node_slots.hpp"

namespace faro::inline v1 {
namespace {

using three_fifths::Entry;
using three_fifths::Program;

class FieldTokens {
 public:
  // Nodes of `node_bits` top bits; the dimension below them is routed too.
  FieldTokens(const CodeField& field, int node_bits, std::uint64_t elements);

  // The rules of one step's entries, appended.
  void step(std::span<const three_fifths::Entry> entries, CubeStep& out);
  // Local rules that bring elements first..end-1 back to their slots.
  void settle(std::uint64_t first, std::uint64_t end, CubeStep& out);
  std::uint64_t slots() const { return slots_.slots(); }

 private:
  struct Token {
    std::uint8_t node = 0;
    unsigned low_flips = 0;  // parity of hops across the bit below the node's
    Slot slot = 0;
  };
  static std::vector<Token> at_home(int node_bits, std::uint64_t elements);
  Token& token(std::size_t source, std::uint64_t e) { return tokens_[source * elements_ + e]; }
  void serve(const three_fifths::Entry& entry, const Token& t, CubeStep& out) const;
  void rule(std::size_t node, std::vector<Parity> more, Slot from, int across, Slot to,
            CubeStep& out) const;

  CodeField field_;
  int node_bits_;  // the field's top ones
  int low_top_;    // the dimension below them
  std::uint64_t elements_;
  std::vector<Token> tokens_;
  NodeSlots slots_;
};

std::vector<FieldTokens::Token> FieldTokens::at_home(int node_bits, std::uint64_t elements) {
  std::vector<Token> tokens;
  for (Word source = 0; source < bit(node_bits); ++source)
    for (std::uint64_t e = 0; e < elements; ++e)
      tokens.push_back({static_cast<std::uint8_t>(source), 0, static_cast<Slot>(e)});
  return tokens;
}

FieldTokens::FieldTokens(const CodeField& field, int node_bits, std::uint64_t elements)
    : field_(field),
      node_bits_(node_bits),
      low_top_(field.top() - node_bits),
      elements_(elements),
      tokens_(at_home(node_bits_, elements)),
      slots_(bit(node_bits_), elements) {}

void FieldTokens::step(std::span<const Entry> entries, CubeStep& out) {
  std::vector<NodeSlots::Hop> hops;
  std::vector<const Entry*> hopping;
  for (const Entry& entry : entries) {
    Token& t = token(entry.source, entry.element);
    if (entry.kind == Entry::Kind::service) {
      serve(entry, t, out);
    } else if (entry.dimension == 0) {
      rule(t.node, {}, t.slot, low_top_, t.slot, out);
      t.low_flips ^= 1U;
    } else {
      const std::size_t to = t.node ^ bit(entry.dimension - 1);
      hops.push_back({t.node, t.slot, to, static_cast<Slot>(entry.element)});
      hopping.push_back(&entry);
    }
  }
  slots_.hop(hops, [&](std::size_t i, Slot to) {
    Token& t = token(hopping[i]->source, hopping[i]->element);
    rule(t.node, {}, t.slot, low_top_ + hopping[i]->dimension, to, out);
    t.node = static_cast<std::uint8_t>(hops[i].to);
    t.slot = to;
  });
}

void FieldTokens::settle(std::uint64_t first, std::uint64_t end, CubeStep& out) {
  for (std::size_t source = 0; source * elements_ < tokens_.size(); ++source)
    for (std::uint64_t e = first; e < end; ++e) {
      Token& t = token(source, e);
      if (t.slot == e) continue;
      rule(t.node, {}, t.slot, inside, static_cast<Slot>(e), out);
      slots_.leave(t.node, t.slot);
      slots_.take_own(t.node, static_cast<Slot>(e));
      t.slot = static_cast<Slot>(e);
    }
}

// The bits above the low dimension are still the original ones but for the top three; of these the
// sum of the node bits at the source and of the third one's flips is a constant of the token. A
// second part needs the pivot's final bit and the bits between, which are the original ones.
void FieldTokens::serve(const Entry& entry, const Token& t, CubeStep& out) const {
  const int d = field_.lo + entry.dimension;
  const Parity due = entry.pivot != 0 ? Parity{bits_between(d + 1, field_.lo + entry.pivot), 1}
                                      : Parity{bits_between(d + 1, low_top_),
                                               1U ^ parity(entry.source) ^ t.low_flips};
  if (due.mask == 0 && due.value == 1) return;
  rule(t.node, due.mask == 0 ? std::vector<Parity>{} : std::vector<Parity>{due}, t.slot, d, t.slot,
       out);
}

void FieldTokens::rule(std::size_t node, std::vector<Parity> more, Slot from, int across, Slot to,
                       CubeStep& out) const {
  std::vector<Parity> where;
  for (int b = node_bits_; b > 0; --b)
    where.push_back({bit(low_top_ + b), has_bit(node, b - 1) ? 1U : 0U});
  where.insert(where.end(), more.begin(), more.end());
  out.rules.push_back({.where = std::move(where), .from = from, .across = across, .to = to});
}

}  // namespace

StepSource three_fifths_steps(const Program& program, const CodeField& field,
                              std::uint64_t elements) {
  FieldTokens tokens(field, program.source_bits, elements);
  std::vector<CubeStep> steps(program.steps + 1);
  auto entry = program.entries.begin();
  for (std::uint64_t t = 0; t < program.steps; ++t) {
    const auto end =
        std::find_if(entry, program.entries.end(), [t](const Entry& e) { return e.step != t; });
    const auto count = static_cast<std::size_t>(end - entry);
    tokens.step({program.entries.data() + (entry - program.entries.begin()), count}, steps[t]);
    entry = end;
  }
  FARO_CHECK(entry == program.entries.end());
  tokens.settle(0, elements, steps.back());
  return kept_steps(tokens.slots(), std::move(steps));
}

std::optional<std::string> three_fifths_refusal(const CodeField& field, std::uint64_t elements) {
  const auto entries = static_cast<Count>(field.length + 8) * 4 * elements;
  if (entries > limits::three_fifths_entries_max)
    return fmt::format("its program of about {} entries is too large to keep", to_string(entries));
  return {};
}

}  // namespace faro::inline v1
