// Bits are followed from one receiver to the next: from storage bits first, then round.
#include "planners/cube/shuffle/structure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1::shuffle {
namespace {

int at(const std::vector<int>& v, int i) {
  return v[static_cast<std::size_t>(i)];
}

std::vector<int> receivers(const std::vector<int>& source) {
  std::vector<int> to(source.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    to[static_cast<std::size_t>(source[i])] = static_cast<int>(i);
  return to;
}

void add_chains(Structure& s, const std::vector<int>& to, std::vector<bool>& seen) {
  const int k = s.slot_bits;
  for (int d = k; d < k + s.processor_bits; ++d) {
    if (at(s.source, d) >= k) continue;
    Chain chain;
    chain.control = at(s.source, d);
    int bit_at = d;
    for (; bit_at >= k; bit_at = at(to, bit_at)) {
      chain.dimensions.push_back(bit_at - k);
      chain.inverted.push_back(has_bit(s.complement, bit_at) ? 1U : 0U);
      seen[static_cast<std::size_t>(bit_at)] = true;
    }
    chain.target = bit_at;
    s.chains.push_back(std::move(chain));
  }
}

void add_cycles(Structure& s, const std::vector<int>& to, std::vector<bool>& seen) {
  const int k = s.slot_bits;
  for (int d = k; d < k + s.processor_bits; ++d) {
    Cycle cycle;
    for (int i = d; !seen[static_cast<std::size_t>(i)]; i = at(to, i)) {
      seen[static_cast<std::size_t>(i)] = true;
      cycle.dimensions.push_back(i - k);
      cycle.inverted.push_back(has_bit(s.complement, i) ? 1U : 0U);
    }
    if (cycle.length() > 1 || (cycle.length() == 1 && cycle.parity() == 1))
      s.cycles.push_back(std::move(cycle));
  }
}

}  // namespace

unsigned Cycle::parity() const {
  unsigned sum = 0;
  for (const unsigned c : inverted) sum ^= c;
  return sum;
}

Word Cycle::mask() const {
  Word mask = 0;
  for (const int d : dimensions) mask |= bit(d);
  return mask;
}

bool Structure::ring_only() const {
  return std::all_of(cycles.begin(), cycles.end(), [](const Cycle& c) { return c.even_pair(); });
}

std::vector<int> Structure::chain_lengths() const {
  std::vector<int> lengths;
  for (const Chain& chain : chains) lengths.push_back(chain.length());
  return lengths;
}

std::optional<int> Structure::spare() const {
  Word used = 0;
  for (const Chain& chain : chains) used |= bit(chain.control);
  const Word free = slot_mask() & ~used;
  if (free == 0) return std::nullopt;
  return lowest_bit(free);
}

Word Structure::final_slot(Word slot) const {
  Word result = complement & slot_mask();
  for (int i = 0; i < slot_bits; ++i) {
    int from = at(source, i);
    if (from >= slot_bits)  // the chain that ends here has left the bit in its control's place
      for (const Chain& chain : chains)
        if (chain.target == i) from = chain.control;
    if (has_bit(slot, from)) result ^= bit(i);
  }
  return result;
}

std::vector<int> Structure::index_set() const {
  std::vector<int> set;
  for (std::size_t i = source.size(); i-- > 0;)
    if (source[i] != static_cast<int>(i) || has_bit(complement, static_cast<int>(i)))
      set.push_back(static_cast<int>(i));
  return set;
}

int Structure::real_order() const {
  int count = 0;
  for (const int i : index_set()) count += i >= slot_bits ? 1 : 0;
  return count;
}

int Structure::distance() const {
  int sum = 0;
  for (const Chain& chain : chains) sum += chain.length();
  for (const Cycle& cycle : cycles) sum += cycle.distance();
  return sum;
}

std::optional<Structure> structure_of(const BitMap& map, int memory_bits) {
  Structure s;
  s.slot_bits = memory_bits;
  s.processor_bits = map.width() - memory_bits;
  s.complement = map.complement();
  s.source.assign(static_cast<std::size_t>(map.width()), -1);
  for (int i = 0; i < map.width(); ++i) {
    if (!is_power_of_two(map.column(i))) return std::nullopt;
    s.source[static_cast<std::size_t>(log2_exact(map.column(i)))] = i;
  }
  const std::vector<int> to = receivers(s.source);
  std::vector<bool> seen(s.source.size(), false);
  add_chains(s, to, seen);
  add_cycles(s, to, seen);
  return s;
}

std::optional<std::string> refusal(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  const MapGoal& goal = request.map();
  const int processor_bits = cube_of(request)->dimensions;
  if (!is_power_of_two(request.elements()))
    return fmt::format("it needs a power of two of elements in a processor, not {}",
                       request.elements());
  const int slot_bits = log2_exact(request.elements());
  if (slot_bits > limits::shuffle_slots_log2_max)
    return fmt::format("it takes at most 2^{} elements in a processor",
                       limits::shuffle_slots_log2_max);
  if (processor_bits + slot_bits > limits::address_bits_max)
    return fmt::format("an address of {} + {} bits is longer than {}", processor_bits, slot_bits,
                       limits::address_bits_max);
  for (int i = 0; i < goal.map.width(); ++i)
    if (!is_power_of_two(goal.map.column(i)))
      return fmt::format("the map is no permutation of bits: bit {} enters several", i);
  return std::nullopt;
}

Structure structure_of(const Request& request) {
  const MapGoal& goal = request.map();
  const int slot_bits = log2_exact(request.elements());
  const BitMap map = goal.cut ? goal.map : beside(goal.map, BitMap::identity(slot_bits));
  auto s = structure_of(map, slot_bits);
  FARO_CHECK(s.has_value());
  return *std::move(s);
}

std::vector<std::string> describe(const Structure& s) {
  std::vector<std::string> lines;
  const auto list = [](const std::vector<int>& dimensions, const std::vector<unsigned>& inverted) {
    std::string text;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      text += fmt::format("{}{}{}", i == 0 ? "" : " ", inverted[i] != 0 ? "~" : "", dimensions[i]);
    return text;
  };
  for (const Chain& c : s.chains)
    lines.push_back(fmt::format("chain: storage bit {} -> dimensions {} -> storage bit {}",
                                c.control, list(c.dimensions, c.inverted), c.target));
  for (const Cycle& c : s.cycles)
    lines.push_back(c.length() == 1
                        ? fmt::format("complemented dimension {}", c.dimensions.front())
                        : fmt::format("real cycle: dimensions {} ({} parity of complements)",
                                      list(c.dimensions, c.inverted),
                                      c.parity() == 0 ? "even" : "odd"));
  return lines;
}

}  // namespace faro::inline v1::shuffle
