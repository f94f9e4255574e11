// The three-fifths algorithms.   [faro]
//   applies:  Gray <-> binary on one field of n >= 3 processor bits, all ports
//   cost:     closed form: n-3 + g(K), g(K+5) = g(K)+3, at most ceil((3K+1)/5) + n-1
//             table: P + E + 3(K-K0)/5 of the table that fits, often the bound     (tested n <= 10)
//   bound:    ceil((3K+1)/5)
//
// Slots: S - K is the largest occupancy of a node above K, the same for every policy that opens a
// new slot only when none is free; at most min(n/3, K/5) + 2 for the closed form, n <= 60, K <=
// 100.
#include "faro/planners/three_fifths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "faro/base/check.hpp"
#include "faro/planners/cube_request.hpp"

namespace faro {
namespace {

using three_fifths::Entry;
using three_fifths::Program;

constexpr int nodes = 4;

struct Token {
  std::uint8_t node = 0;     // two top bits of the field
  bool low_flipped = false;  // an odd number of hops across the third top bit
  Slot slot = 0;
};

// Turns the entries of one step into rules, keeping track of where the tokens are.
class Tokens {
 public:
  Tokens(const CodeField& field, std::uint64_t elements)
      : field_(field), low_bits_(field.length - 3), elements_(elements), tokens_(4 * elements) {
    for (std::size_t source = 0; source < nodes; ++source)
      for (std::uint64_t e = 0; e < elements; ++e)
        token(source, e) = {static_cast<std::uint8_t>(source), false, static_cast<Slot>(e)};
    slots_.fill(static_cast<Slot>(elements));
  }

  void step(std::span<const Entry> entries, CubeStep& out) {
    std::vector<const Entry*> leaving;  // between nodes, those that may find their own slot first
    for (const Entry& entry : entries) {
      Token& t = token(entry.source, entry.element);
      if (entry.kind == Entry::Kind::service) {
        serve(entry, t, out);
      } else if (entry.dimension == 0) {
        rule(t.node, {}, t.slot, low_top(), t.slot, out);
        t.low_flipped = !t.low_flipped;
      } else {
        free_[t.node].insert(t.slot);
        leaving.push_back(&entry);
      }
    }
    std::vector<const Entry*> without_own;
    for (const Entry* entry : leaving) {
      const std::uint8_t to = neighbour(*entry);
      if (free_[to].erase(entry->element) != 0)
        hop(*entry, static_cast<Slot>(entry->element), out);
      else
        without_own.push_back(entry);
    }
    for (const Entry* entry : without_own) hop(*entry, take_slot(neighbour(*entry)), out);
  }

  // Back to slot e: all moves inside a node happen together.
  void settle(CubeStep& out) {
    for (std::size_t source = 0; source < nodes; ++source)
      for (std::uint64_t e = 0; e < elements_; ++e) {
        const Token& t = token(source, e);
        if (t.slot != e) rule(t.node, {}, t.slot, inside, static_cast<Slot>(e), out);
      }
  }

  std::uint64_t slots() const { return *std::max_element(slots_.begin(), slots_.end()); }

 private:
  Token& token(std::size_t source, std::uint64_t e) { return tokens_[source * elements_ + e]; }
  int low_top() const { return field_.lo + low_bits_; }

  std::uint8_t neighbour(const Entry& entry) {
    return static_cast<std::uint8_t>(token(entry.source, entry.element).node ^
                                     bit(entry.dimension - 1));
  }

  Slot take_slot(std::uint8_t node) {
    std::set<Slot>& free = free_[node];
    if (free.empty()) return slots_[node]++;
    const Slot slot = *free.begin();
    free.erase(free.begin());
    return slot;
  }

  void hop(const Entry& entry, Slot to, CubeStep& out) {
    Token& t = token(entry.source, entry.element);
    rule(t.node, {}, t.slot, low_top() + entry.dimension, to, out);
    t.node = static_cast<std::uint8_t>(t.node ^ bit(entry.dimension - 1));
    t.slot = to;
  }

  // The bits above low dimension i are still the original ones but for the top three; of these the
  // sum of the two top bits at the source and of the third one's flips is a constant of the token.
  void serve(const Entry& entry, const Token& t, CubeStep& out) {
    const int d = field_.lo + entry.dimension;
    const unsigned value = 1U ^ parity(entry.source) ^ (t.low_flipped ? 1U : 0U);
    rule(t.node, {{bits_between(d + 1, low_top()), value}}, t.slot, d, t.slot, out);
  }

  void rule(std::uint8_t node, std::vector<Parity> more, Slot from, int across, Slot to,
            CubeStep& out) {
    std::vector<Parity> where{{bit(low_top() + 2), has_bit(node, 1) ? 1U : 0U},
                              {bit(low_top() + 1), has_bit(node, 0) ? 1U : 0U}};
    where.insert(where.end(), more.begin(), more.end());
    out.rules.push_back({.where = std::move(where), .from = from, .across = across, .to = to});
  }

  CodeField field_;
  int low_bits_;
  std::uint64_t elements_;
  std::vector<Token> tokens_;
  std::array<std::set<Slot>, nodes> free_;
  std::array<Slot, nodes> slots_{};
};

}  // namespace

StepSource three_fifths_steps(const Program& program, const CodeField& field,
                              std::uint64_t elements) {
  Tokens tokens(field, elements);
  std::vector<CubeStep> steps(program.steps + 1);
  auto entry = program.entries.begin();
  for (std::uint64_t t = 0; t < program.steps; ++t) {
    const auto end =
        std::find_if(entry, program.entries.end(), [t](const Entry& e) { return e.step != t; });
    tokens.step({entry, end}, steps[t]);
    entry = end;
  }
  FARO_CHECK(entry == program.entries.end());
  tokens.settle(steps.back());
  return kept_steps(tokens.slots(), std::move(steps));
}

namespace {

std::optional<std::string> refusal_closed(const Request& request) {
  if (auto why = one_field_refusal(request, 3)) return why;
  const auto entries = static_cast<Count>(field_of(request).length + 8) * 4 * request.elements;
  if (entries > three_fifths::entries_max)
    return fmt::format("its program of about {} entries is too large to keep", to_string(entries));
  return {};
}

std::optional<std::string> refusal_table(const Request& request) {
  if (auto why = refusal_closed(request)) return why;
  const int length = field_of(request).length;
  if (!three_fifths::table_cost(length, request.elements))
    return fmt::format("no table for {} bits and {} elements", length, request.elements);
  return {};
}

Estimate estimate_closed(const Request& request) {
  return {.cost = {three_fifths::closed_form_cost(field_of(request).length, request.elements),
                   "n-3 + g(K), g(K+5) = g(K)+3"}};
}

Estimate estimate_table(const Request& request) {
  return {.cost = {*three_fifths::table_cost(field_of(request).length, request.elements),
                   "P + E + 3(K-K0)/5 of the table"}};
}

void build_program(const Request& request, const char* name, const Program& program,
                   ScheduleSink& sink) {
  emit(request, name, three_fifths_steps(program, field_of(request), request.elements),
       conversion_of(request).direction, sink);
}

void build_closed(const Request& request, ScheduleSink& sink) {
  build_program(request, three_fifths_closed_form.name,
                three_fifths::closed_form_program(field_of(request).length, request.elements),
                sink);
}

void build_table(const Request& request, ScheduleSink& sink) {
  build_program(request, three_fifths_table.name,
                three_fifths::table_program(field_of(request).length, request.elements), sink);
}

}  // namespace

const Planner three_fifths_closed_form{
    .name = "three-fifths",
    .machine = "cube",
    .title = "code conversion at the best rate, five elements in three steps",
    .needs = "Gray <-> binary code on one field of three processor bits or more, all ports",
    .cost = "n-3 + g(K) steps, g(K+5) = g(K)+3, about 3K/5 + n-2",
    .citation = "faro",
    .refusal = refusal_closed,
    .estimate = estimate_closed,
    .build = build_closed,
};

const Planner three_fifths_table{
    .name = "three-fifths-table",
    .machine = "cube",
    .title = "code conversion by tables of flows, at the lower bound or one step above",
    .needs = "Gray <-> binary code on one field of 3..10 or 12 processor bits with a table for K",
    .cost = "P + E + 3(K-K0)/5 steps of the table that fits",
    .citation = "faro",
    .refusal = refusal_table,
    .estimate = estimate_table,
    .build = build_table,
};

}  // namespace faro
