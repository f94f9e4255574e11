#include "machines/pops/points.hpp"

#include <vector>

namespace faro::inline v1 {
namespace {

// One condition solved for one bit: bit `lead` of p = value ^ parity(p & rest).
struct Solved {
  int lead = 0;
  Word rest = 0;
  unsigned value = 0;
};

// Nothing to visit: some condition contradicts the others.
bool solve(std::span<const Parity> conditions, std::vector<Solved>& solved) {
  for (const Parity& c : conditions) {
    Word mask = c.mask;
    unsigned value = c.value & 1U;
    for (const Solved& s : solved)
      if (has_bit(mask, s.lead)) {
        mask ^= bit(s.lead) | s.rest;
        value ^= s.value;
      }
    if (mask == 0) {
      if (value != 0) return false;
      continue;
    }
    const int lead = highest_bit(mask);
    const Word rest = mask ^ bit(lead);
    for (Solved& s : solved)
      if (has_bit(s.rest, lead)) {
        s.rest ^= bit(lead) | rest;
        s.value ^= value;
      }
    solved.push_back({lead, rest, value});
  }
  return true;
}

}  // namespace

void for_each_meeting(std::span<const Parity> conditions, int bits,
                      const std::function<void(Word)>& visit) {
  std::vector<Solved> solved;
  if (!solve(conditions, solved)) return;
  Word leads = 0;
  for (const Solved& s : solved) leads |= bit(s.lead);
  const Word free = low_mask(bits) & ~leads;
  Word p = 0;
  do {  // counts through the free bits, the others follow
    Word whole = p;
    for (const Solved& s : solved)
      if ((parity(p & s.rest) ^ s.value) != 0) whole |= bit(s.lead);
    visit(whole);
    p = (p - free) & free;
  } while (p != 0);
}

Word target_of(std::span<const Parity> rows, Word p) {
  Word q = 0;
  for (const Parity& row : rows) q = (q << 1U) | (parity(p & row.mask) ^ row.value);
  return q;
}

}  // namespace faro::inline v1
