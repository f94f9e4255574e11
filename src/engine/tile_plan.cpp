#include "engine/tile_plan.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "engine/span.hpp"

namespace faro::inline v1::engine {
namespace {

// Where an offset of the tile is within a staged tile: the runs are numbered by the leading bits of
// their basis, a run's inside follows, its lines folded
// (TilePlan::fold).
struct Local {
  std::array<Word, word_bits> leading{};  // of run bit i
  int run_bits = 0;
  int line_bits = 0;  // of a line; 0 leaves lines where they are
  int count = 0;

  Word operator()(Word x) const {
    Word place = x & low_mask(run_bits);
    Word run = 0;
    for (int i = 0; i < count; ++i) {
      if ((x & leading[static_cast<std::size_t>(i)]) != 0) run |= bit(i);
    }
    if (line_bits != 0) place ^= TilePlan::fold(run, run_bits - line_bits) << line_bits;
    return place | run << run_bits;
  }
};

// The tile's runs on one side: the span of T's vectors above the run bits, in echelon form.
struct Runs {
  Span basis;
  Local local;
  std::vector<Word> offsets;  // bytes, ascending
};

Runs runs_of(const Span& tile_high, int run_bits, int unit_log2) {
  Runs runs;
  runs.basis = tile_high;
  runs.basis.reduce_fully();
  runs.local.run_bits = run_bits;
  runs.offsets.assign(1, 0);
  for (Word left = runs.basis.leading(); left != 0; left &= left - 1) {
    const int top = lowest_bit(left);
    runs.local.leading[static_cast<std::size_t>(runs.local.count++)] = bit(top);
    const std::size_t half = runs.offsets.size();
    const Word step = runs.basis.vector(top) << unit_log2;
    for (std::size_t i = 0; i < half; ++i) runs.offsets.push_back(runs.offsets[i] ^ step);
  }
  return runs;
}

// A vector of the source with its image, whose low bits are made to vanish where sums with
// `helpers` (vectors of the source without low bits) can do it.
struct Pair {
  Word from = 0;
  Word to = 0;
};

class LowBits {
 public:
  LowBits(const BitMatrix& a, Word low) : a_(a), low_(low) {}
  void add_helper(Word from) {
    Pair pair = reduced({from, a_.apply(from)});
    if ((pair.to & low_) == 0) return;
    helpers_[static_cast<std::size_t>(highest_bit(pair.to & low_))] = pair;
  }
  Pair reduced(Pair pair) const {
    for (Word left = pair.to & low_; left != 0;) {
      const int top = highest_bit(left);
      const Pair& helper = helpers_[static_cast<std::size_t>(top)];
      if (helper.from != 0) {
        pair.from ^= helper.from;
        pair.to ^= helper.to;
      }
      left = pair.to & low_ & low_mask(top);
    }
    return pair;
  }
  Pair with_image(Word from) const { return reduced({from, a_.apply(from)}); }

 private:
  const BitMatrix& a_;
  Word low_;
  std::array<Pair, word_bits> helpers_{};
};

// How many neighbouring lines kernels write one right after the other (log2): two, and ordinary
// stores four where a kernel writes few places (measured: up to four, of half a line or more).
int neighbours_log2(const TilePlan& plan) {
  const LaneNetwork& net = plan.network;
  const bool few = net.register_bits <= 2 && net.lane_bits + plan.unit_log2 >= line_log2 - 1;
  return few && !plan.method.streaming ? 2 : 1;
}

// Whether, with ordinary stores, lines of the source are read to their end as soon as one line of
// the destination is whole: where what is read falls into few sets of the first cache, and what is
// written leaves it there. (Zen 4, AVX2, 2^17 to 2^21 bytes: transposes and bit reversal of 8 and
// 16 bytes take a tenth to a half less, transposes of 4 bytes a quarter; where nothing read falls
// together they took a seventh more, and elements of 1 and 2 bytes gained nothing.)
bool ends_source_lines(const TilePlan& plan, const BitMatrix& a, const BitMatrix& b) {
  return plan.unit_log2 >= 2 && !plan.method.streaming &&
         lines_of_a_set_log2(b, plan.unit_log2) > 0 &&
         lines_of_a_set_log2(a, plan.unit_log2) <= set_lines_log2;
}

// Whether whole lines stay together and are written while the caches hold both sides: the order of
// the destination then costs least (Zen 4, AVX2, `b a c` of 256 KiB: 0.86 to 0.98 of that of the
// source). Lines that are written in parts gain nothing.
bool copies_lines(const TilePlan& plan, const BitMatrix& a) {
  if (!plan.method.interleaved || plan.method.streaming) return false;
  for (int i = 0; i < line_log2 - plan.unit_log2; ++i)
    if (a.column(i) != bit(i)) return false;
  return true;
}

// Kernels of the tile: representatives of T / K, source ascending so that consecutive kernels read
// on in the same runs; but first what completes runs (from a staged source), or neighbouring lines
// and then pages side by side.
void add_kernels(TilePlan& plan, const BitMatrix& a, const BitMatrix& b, const Runs& from,
                 const Runs& to) {
  const LaneNetwork& net = plan.network;
  const Word lanes = low_mask(net.lane_bits);
  Span covered;
  LowBits low(a, lanes);
  for (int i = 0; i < net.register_bits; ++i) {
    const Word vector = net.from_basis[static_cast<std::size_t>(i)];
    covered.insert(vector);
    low.add_helper(vector);
  }
  const auto place = [&](Pair pair) {
    const Word to_high = pair.to & ~lanes;
    TilePlan::Kernel kernel;
    kernel.from = (plan.method.copy_in ? from.local(pair.from) : pair.from) << plan.unit_log2;
    kernel.to = (plan.method.stage_to ? to.local(to_high) : to_high) << plan.unit_log2;
    kernel.shift = pair.to & lanes;
    return kernel;
  };
  plan.kernels.assign(1, {});
  const auto extend = [&](Word vector) {
    if (!covered.insert(vector)) return;
    const TilePlan::Kernel step = place(low.with_image(vector));
    const std::size_t half = plan.kernels.size();
    for (std::size_t i = 0; i < half; ++i) {
      const TilePlan::Kernel& k = plan.kernels[i];
      plan.kernels.push_back({k.from ^ step.from, k.to ^ step.to, k.shift ^ step.shift});
    }
  };
  const Method& method = plan.method;
  const int line_bits = line_log2 - plan.unit_log2;
  const int to_first = method.copy_in && !method.stage_to ? method.to_run_bits
                       : copies_lines(plan, a)            ? method.to_run_bits
                       : method.interleaved               ? line_bits + neighbours_log2(plan)
                                                          : 0;
  const bool ends_lines = method.interleaved && ends_source_lines(plan, a, b);
  // Where lines of both sides fall together, the next line of one side is taken with the next of
  // the other: else the one stays in its set while the other goes on. (Zen 4, AVX2, 2^16 to 2^21
  // bytes: bit reversal and transposes of 8 and 16 bytes take 0.7 to 0.9 of what they take so.)
  const bool diagonal = ends_lines && lines_of_a_set_log2(a, plan.unit_log2) > 0;
  for (int i = net.lane_bits; i < std::min(to_first, method.to_run_bits); ++i) {
    if (i == line_bits && ends_lines)
      for (int j = net.lane_bits; j < line_bits; ++j) extend(bit(j));
    const bool steps_on = diagonal && i >= line_bits && i < method.from_run_bits;
    extend((b.column(i) ^ (steps_on ? bit(i) : 0)) & ~lanes);
  }
  if (method.pages_in_turn) {
    constexpr int pages_bits = 3;
    const int page = page_log2 - plan.unit_log2;
    for (int i = page; i < std::min(page + pages_bits, method.from_run_bits); ++i) extend(bit(i));
  }
  for (int i = net.lane_bits; i < method.from_run_bits; ++i) extend(bit(i));
  for (Word left = from.basis.leading(); left != 0; left &= left - 1) {
    extend(from.basis.vector(lowest_bit(left)));
  }
  FARO_CHECK(plan.kernels.size() == bit(plan.tile_bits - net.lane_bits - net.register_bits));

  for (std::size_t r = 0; r < bit(net.register_bits); ++r) {
    const Word x = combine(net.from_basis, r);
    const Word y = combine(net.to_basis, r);
    plan.register_from[r] = (plan.method.copy_in ? from.local(x) : x) << plan.unit_log2;
    plan.register_to[r] = (plan.method.stage_to ? to.local(y) : y) << plan.unit_log2;
    plan.register_shift[r] = static_cast<std::uint8_t>(combine(net.beta, r));
  }
  Word uneven = 0;
  for (const TilePlan::Kernel& k : plan.kernels) uneven |= k.shift;
  for (std::size_t i = 0; i < static_cast<std::size_t>(net.register_bits); ++i) {
    uneven |= net.lambda[i] | net.beta[i];
  }
  plan.plain_lanes = uneven == 0;
}

// The order of the tiles: first what finishes pages of the source and of the destination while
// their address translations live, then both sides in turn, three bits at a time.
void add_outer(TilePlan& plan, const BitMatrix& b, Span covered, const LowBits& low) {
  constexpr int page_turn_bits = 2;
  constexpr int turn_bits = 3;
  const int w = plan.width;
  const int page = page_log2 - plan.unit_log2;
  const Word from_low = low_mask(plan.method.from_run_bits);
  const auto extend = [&](Word vector) {
    vector &= ~from_low;
    if (!covered.insert(vector)) return;
    const Pair pair = low.with_image(vector);
    const auto at = static_cast<std::size_t>(plan.outer_bits++);
    plan.outer_from[at] = pair.from << plan.unit_log2;
    plan.outer_to[at] = pair.to << plan.unit_log2;
  };
  int from_done = plan.method.from_run_bits;
  int to_done = plan.method.to_run_bits;
  const auto extend_from = [&](int end) {
    for (; from_done < end && from_done < w; ++from_done) extend(bit(from_done));
  };
  const auto extend_to = [&](int end) {
    for (; to_done < end && to_done < w; ++to_done) extend(b.column(to_done));
  };
  // A staged source is read in long runs: the tiles that lie on the same pages come first.
  if (plan.method.copy_in) extend_to(plan.method.from_run_bits);
  for (int end = std::min(from_done, to_done) + page_turn_bits; end < page; end += page_turn_bits) {
    extend_from(end);
    extend_to(end);
  }
  extend_from(page);
  extend_to(page);
  while (from_done < w || to_done < w) {
    extend_from(from_done + turn_bits);
    extend_to(to_done + turn_bits);
  }
  FARO_CHECK(plan.outer_bits == w - plan.tile_bits);
}

// T above the low `run_bits` bits, where T = S(run_bits) + the span of `matrix`'s first columns.
Span high_span(const BitMatrix& matrix, int run_bits, int columns) {
  Span span;
  for (int i = 0; i < columns; ++i) span.insert(matrix.column(i) & ~low_mask(run_bits));
  return span;
}

}  // namespace

std::uint64_t tiles_working_bytes(const TilePlan& plan) {
  const std::uint64_t stages = !plan.method.stage_to ? 0 : plan.method.copy_in ? 1 : 2;
  return plan.tile_bytes() * (stages + (plan.method.copy_in ? 1 : 0));
}

std::uint64_t pairs_working_bytes(const TilePlan& plan) {
  if (!plan.method.copy_in) return 2 * plan.tile_bytes();
  const std::uint64_t tiles = bit(plan.block_bits) + 1 + (plan.method.stage_to ? 1 : 0);
  return tiles * plan.tile_bytes();
}

int lines_of_a_set_log2(const BitMatrix& matrix, int unit_log2) {
  const int line = std::min(line_log2 - unit_log2, matrix.columns());
  Span lines;
  Span sets;
  for (int i = 0; i < line; ++i) {
    lines.insert(matrix.column(i) >> line);
    sets.insert((matrix.column(i) >> line) & low_mask(page_log2 - line_log2));
  }
  return lines.dimension() - sets.dimension();
}

int tile_dimension(const BitMatrix& inverse, int from_run_bits, int to_run_bits) {
  return from_run_bits + high_span(inverse, from_run_bits, to_run_bits).dimension();
}

TilePlan tile_plan(const BitMap& map, const BitMatrix& inverse, int unit_log2, int lane_bits,
                   const Method& method) {
  const BitMatrix& a = map.matrix();
  TilePlan plan;
  plan.width = map.width();
  plan.unit_log2 = unit_log2;
  plan.method = method;
  plan.network = lane_network(a, inverse, lane_bits);
  plan.to_crowds = !method.stage_to && lines_of_a_set_log2(a, unit_log2) >=
                                           (unit_log2 < 2 ? set_lines_log2 + 1 : set_lines_log2);

  const Span from_high = high_span(inverse, method.from_run_bits, method.to_run_bits);
  const Span to_high = high_span(a, method.to_run_bits, method.from_run_bits);
  plan.tile_bits = method.from_run_bits + from_high.dimension();
  FARO_CHECK(plan.tile_bits == method.to_run_bits + to_high.dimension());
  Runs from = runs_of(from_high, method.from_run_bits, unit_log2);
  from.local.line_bits = line_log2 - unit_log2;
  Runs to = runs_of(to_high, method.to_run_bits, unit_log2);
  if (lane_bits > 0) add_kernels(plan, a, inverse, from, to);

  LowBits low(a, low_mask(method.to_run_bits));
  for (Word left = from.basis.leading(); left != 0; left &= left - 1) {
    low.add_helper(from.basis.vector(lowest_bit(left)));
  }
  plan.to_start = map.complement() << unit_log2;
  Span covered = from.basis;
  for (int i = 0; i < method.from_run_bits; ++i) covered.insert(bit(i));
  add_outer(plan, inverse, covered, low);
  const std::size_t kernel_lines =
      std::max<std::size_t>(1, bit(plan.network.register_bits + lane_bits + unit_log2) / 64);
  plan.kernels_ahead =
      std::min(plan.kernels.size(), (method.lines_ahead + kernel_lines - 1) / kernel_lines);
  plan.from_runs = std::move(from.offsets);
  plan.to_runs = std::move(to.offsets);
  return plan;
}

void add_partners(TilePlan& plan, const BitMatrix& inverse) {
  const int run_bits = plan.method.from_run_bits;
  plan.block_bits = tile_dimension(inverse, run_bits, run_bits) - plan.tile_bits;
  Span block;
  for (int i = 0; i < run_bits; ++i) block.insert(bit(i));
  for (const Word run : plan.from_runs) block.insert(run >> plan.unit_log2);
  for (int i = 0; i < plan.block_bits; ++i) {
    FARO_CHECK(block.insert(plan.outer_from[static_cast<std::size_t>(i)] >> plan.unit_log2));
  }
  for (int i = 0; i < run_bits; ++i) FARO_CHECK(block.contains(inverse.column(i)));

  // Coordinates of a place among the outer vectors, modulo the block.
  std::array<Word, word_bits> vectors{};
  std::array<Word, word_bits> tags{};
  const auto coordinates = [&](Word x, Word& tag) {
    x = block.reduced(x);
    for (int top = plan.width - 1; top >= 0; --top) {
      const auto at = static_cast<std::size_t>(top);
      if (!has_bit(x, top) || vectors[at] == 0) continue;
      x ^= vectors[at];
      tag ^= tags[at];
    }
    return x;
  };
  const int blocks_log2 = plan.outer_bits - plan.block_bits;
  const auto outer = [&](const auto& places, int i) {
    return places[static_cast<std::size_t>(plan.block_bits + i)] >> plan.unit_log2;
  };
  for (int i = 0; i < blocks_log2; ++i) {
    Word tag = bit(i);
    const Word x = coordinates(outer(plan.outer_from, i), tag);
    FARO_CHECK(x != 0);
    vectors[static_cast<std::size_t>(highest_bit(x))] = x;
    tags[static_cast<std::size_t>(highest_bit(x))] = tag;
  }
  const auto block_of = [&](Word to) {
    Word tag = 0;
    FARO_CHECK(coordinates(to, tag) == 0);
    return tag;
  };
  for (int i = 0; i < blocks_log2; ++i) {
    plan.partner[static_cast<std::size_t>(i)] = block_of(outer(plan.outer_to, i));
  }
  plan.partner_start = block_of(plan.to_start >> plan.unit_log2);
}

}  // namespace faro::inline v1::engine
