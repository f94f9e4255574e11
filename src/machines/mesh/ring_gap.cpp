#include "machines/mesh/ring_gap.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <map>
#include <vector>

#include "base/check.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1::mesh {
namespace {

// Steps of the recursion on digits.
constexpr std::uint64_t effort_max = std::uint64_t{1} << 21;
// Stretches of the ring that are told apart.
constexpr std::size_t stretches_max = 4096;

// A ring of bits, as words; at least one word.
class RingBits {
 public:
  explicit RingBits(int width) : words_(bit(width) / word_bits) {}

  void set(Word x) { words_[x / word_bits] |= bit(static_cast<int>(x % word_bits)); }

  // Joins the set turned by `by`.
  void join_turned(Word by) {
    const std::size_t whole = by / word_bits;
    const int part = static_cast<int>(by % word_bits);
    const std::size_t n = words_.size();
    std::vector<Word> turned(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Word low = words_[(i + n - whole) % n];
      const Word below = words_[(i + 2 * n - whole - 1) % n];
      turned[i] = part == 0 ? low : (low << part) | (below >> (word_bits - part));
    }
    for (std::size_t i = 0; i < n; ++i) words_[i] |= turned[i];
  }

  // Requires 0 to be set.
  std::uint64_t largest_gap() const {
    std::uint64_t largest = 0;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (Word rest = words_[i]; rest != 0; rest &= rest - 1) {
        const std::uint64_t x = i * word_bits + static_cast<std::uint64_t>(lowest_bit(rest));
        largest = std::max(largest, x - last);
        last = x;
      }
    return std::max(largest, words_.size() * word_bits - last);
  }

 private:
  std::vector<Word> words_;
};

bool has(const CoordinatePairs::Direction& d, int place) {
  return has_bit(place % 2 == 1 ? d.after : d.before, place / 2);
}

// The digits below a level, where they can still go on: what the decisions above have left of both
// coordinates, and whether the levels below must borrow.
struct Way {
  Word before = 0;
  Word after = 0;
  unsigned borrow = 0;
  friend auto operator<=>(const Way&, const Way&) = default;
};
using Ways = std::vector<Way>;

// Residues of a block, counted from its beginning.
struct Block {
  bool empty = true;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t gap = 0;
};

class DigitGaps {
 public:
  explicit DigitGaps(const CoordinatePairs& pairs)
      : pairs_(pairs), known_(static_cast<std::size_t>(pairs.width) + 1) {
    for (const auto& d : pairs.basis)
      by_level_[static_cast<std::size_t>(leading(d, pairs.width) / 2)].push_back(d);
  }

  std::optional<std::uint64_t> run() {
    // What is borrowed from beyond the ring does not matter.
    const Block all = block(pairs_.width, {{pairs_.first_before, pairs_.first_after, 0},
                                           {pairs_.first_before, pairs_.first_after, 1}});
    if (gave_up_) return {};
    FARO_CHECK(!all.empty);
    return std::max({all.gap, all.least, bit(pairs_.width) - all.most});
  }

 private:
  Block block(int level, Ways ways) {
    if (level == 0) {
      const bool ends =
          std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.borrow == 0; });
      return {.empty = !ends};
    }
    std::sort(ways.begin(), ways.end());
    ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
    auto& known = known_[static_cast<std::size_t>(level)];
    if (const auto found = known.find(ways); found != known.end()) return found->second;
    effort_ += ways.size();
    gave_up_ |= effort_ > effort_max;
    if (gave_up_) return {};
    std::array<Ways, 2> next;
    for (const Way& way : ways) follow(level - 1, way, next);
    const Block low = next[0].empty() ? Block{} : block(level - 1, std::move(next[0]));
    const Block high = next[1].empty() ? Block{} : block(level - 1, std::move(next[1]));
    const Block result = joined(low, high, bit(level - 1));
    known.emplace(std::move(ways), result);
    return result;
  }

  // All that digit `level` can be, by the digit of the residue.
  void follow(int level, const Way& way, std::array<Ways, 2>& next) const {
    Ways choices = {way};
    for (const auto& d : by_level_[static_cast<std::size_t>(level)]) {
      const std::size_t count = choices.size();
      for (std::size_t c = 0; c < count; ++c)
        choices.push_back({choices[c].before ^ d.before, choices[c].after ^ d.after, way.borrow});
    }
    for (const Way& choice : choices)
      for (const unsigned below : {0U, 1U}) {
        // after - before - what the levels below borrow, + 2 if this level borrows.
        const int digit = static_cast<int>((choice.after >> level) & 1U) -
                          static_cast<int>((choice.before >> level) & 1U) -
                          static_cast<int>(below) + 2 * static_cast<int>(way.borrow);
        if (digit != 0 && digit != 1) continue;
        next[static_cast<std::size_t>(digit)].push_back(
            {choice.before & low_mask(level), choice.after & low_mask(level), below});
      }
  }

  static Block joined(const Block& low, const Block& high, std::uint64_t half) {
    if (high.empty) return low;
    if (low.empty) return {false, half + high.least, half + high.most, high.gap};
    return {false, low.least, half + high.most,
            std::max({low.gap, high.gap, half + high.least - low.most})};
  }

  const CoordinatePairs& pairs_;
  std::array<std::vector<CoordinatePairs::Direction>, word_bits> by_level_;
  std::vector<std::map<Ways, Block>> known_;
  std::uint64_t effort_ = 0;
  bool gave_up_ = false;
};

// The largest gap between stretches of one length, 0 counted as a residue of its own.
std::uint64_t largest_between(const std::vector<Word>& begins, std::uint64_t length, int width) {
  const std::uint64_t side = bit(width);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::uint64_t to_next =
        i + 1 < begins.size() ? begins[i + 1] - begins[i] : begins[0] + side - begins[i];
    if (to_next <= length) continue;
    const std::uint64_t gap = to_next - length;
    const std::uint64_t to_zero = side - ((begins[i] + length) & low_mask(width));
    largest = std::max(largest, to_zero < gap ? std::max(to_zero, gap - to_zero) : gap);
  }
  return largest;
}

}  // namespace

int leading(const CoordinatePairs::Direction& d, int width) {
  for (int t = width - 1; t >= 0; --t) {
    if (has_bit(d.after, t)) return 2 * t + 1;
    if (has_bit(d.before, t)) return 2 * t;
  }
  return -1;
}

// A reduced basis: bits before and after are interleaved, and each direction leads at a place of
// its own.
CoordinatePairs pairs_of(const MeshGeometry& geometry, const BitMap& map, int dimension) {
  const int low = geometry.low(dimension);
  const int width = geometry.side_log2(dimension);
  CoordinatePairs pairs;
  pairs.width = width;
  pairs.first_after = (map.complement() >> low) & low_mask(width);
  for (int i = 0; i < map.width(); ++i) {
    CoordinatePairs::Direction d{(bit(i) >> low) & low_mask(width),
                                 (map.column(i) >> low) & low_mask(width)};
    for (const auto& b : pairs.basis) {
      if (!has(d, leading(b, width))) continue;
      d.before ^= b.before;
      d.after ^= b.after;
    }
    const int lead = leading(d, width);
    if (lead < 0) continue;
    for (auto& b : pairs.basis) {
      if (!has(b, lead)) continue;
      b.before ^= d.before;
      b.after ^= d.after;
    }
    pairs.basis.push_back(d);
  }
  return pairs;
}

std::uint64_t gap_by_residues(int width, Word first, std::span<const Word> terms) {
  FARO_CHECK(width <= residues_log2_max);
  // A ring below a word is every so many residues of one of 64.
  const int widened = std::max(0, log2_exact(word_bits) - width);
  const Word mask = low_mask(width);
  RingBits ring(width + widened);
  ring.set((first & mask) << widened);
  for (const Word term : terms)
    if ((term & mask) != 0) ring.join_turned((term & mask) << widened);
  ring.set(0);
  return ring.largest_gap() >> widened;
}

std::optional<std::uint64_t> gap_by_digits(const CoordinatePairs& pairs) {
  if (pairs.width == 0) return 1;
  return DigitGaps(pairs).run();
}

std::uint64_t gap_at_most(int width, std::span<const Word> terms) {
  const std::uint64_t side = bit(width);
  std::vector<std::uint64_t> folded;
  for (const Word term : terms) folded.push_back(std::min(term, side - term));
  std::sort(folded.begin(), folded.end());
  std::uint64_t gap = 0;
  std::uint64_t span = 0;
  for (const std::uint64_t term : folded) {
    if (term > span) gap = std::max(gap, term - span);
    span = std::min(side, span + term);
  }
  return std::max(gap, side - span);
}

std::uint64_t gap_at_least(int width, Word first, std::span<const Word> terms) {
  const std::uint64_t side = bit(width);
  const Word mask = low_mask(width);
  std::vector<std::uint64_t> folded;
  Count length = 0;
  for (const Word term : terms) {
    // From a or from 0 by side - a it is the same two places.
    if (2 * term > side) first += term;
    folded.push_back(std::min(term, side - term));
    length += folded.back();
  }
  std::sort(folded.begin(), folded.end(), std::greater<>());
  std::vector<Word> begins = {first & mask};
  std::uint64_t gap = 0;
  for (const std::uint64_t term : folded) {
    length -= term;
    const std::size_t count = begins.size();
    for (std::size_t i = 0; i < count; ++i) begins.push_back((begins[i] + term) & mask);
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    if (length < side)
      gap = std::max(gap, largest_between(begins, static_cast<std::uint64_t>(length), width));
    if (begins.size() > stretches_max) break;
  }
  return gap;
}

}  // namespace faro::inline v1::mesh
