#include "engine/exchange.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "engine/kernels/kernels.hpp"
#include "engine/passes.hpp"
#include "engine/working.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr std::uint64_t segment_bytes = std::uint64_t{64} << 20U;
constexpr std::size_t held_bytes = std::size_t{1} << 14U;  // of a long unit, at a time

void swap_bytes(std::byte* a, std::byte* b, std::size_t bytes) {
  std::byte held[512];
  while (bytes != 0) {
    const std::size_t piece = std::min(bytes, sizeof held);
    std::memcpy(held, a, piece);
    std::memcpy(a, b, piece);
    std::memcpy(b, held, piece);
    a += piece;
    b += piece;
    bytes -= piece;
  }
}

// Rows of a stage to rows of memory that are `pitch` apart.
void write_rows(const std::byte* stage, Offset stage_row, std::byte* to, Offset pitch, Offset rows,
                Offset bytes) {
  for (Offset i = 0; i < rows; ++i) {
    std::memcpy(to + i * pitch, stage + i * stage_row, static_cast<std::size_t>(bytes));
  }
}

// Exchanges of one way, numbered through: outer places, then blocks. Of both ends of an exchange
// the one whose source lies lower does it; they are the same where a block is its own partner.
class Exchanger {
 public:
  Exchanger(const Exchange& plan, std::byte* data)
      : plan_(plan),
        element_(static_cast<Offset>(plan.form.element_bytes)),
        from_(data + plan.form.from_base),
        to_(data + plan.form.to_base) {}

  Word each_outer() const {
    const Word blocks = plan_.blocks();
    return plan_.way == Exchange::Way::blocks ? blocks * blocks
           : plan_.way == Exchange::Way::rows ? blocks
                                              : 1;
  }
  Word count() const { return Walk(plan_.form, plan_.outer).count() * each_outer(); }

  void run(Word begin, Word end, std::byte* working) const {
    if (begin == end) return;
    Walk walk(plan_.form, plan_.outer);
    const Word each = each_outer();
    walk.seek(begin / each);
    Word inner = begin % each;
    for (Word at = begin; at < end; ++at) {
      std::byte* from = from_ + walk.from();
      std::byte* to = to_ + walk.to();
      if (plan_.way == Exchange::Way::blocks) {
        block(from, to, inner / plan_.blocks(), inner % plan_.blocks(), working);
      } else if (plan_.way == Exchange::Way::rows) {
        row(from, to, inner, working);
      } else if (from < to) {
        swap_bytes(from, to, plan_.form.element_bytes);
      }
      if (++inner == each) {
        inner = 0;
        walk.next();
      }
    }
  }

 private:
  const Axis& axis(int k) const { return plan_.form.axes[static_cast<std::size_t>(k)]; }

  // Block i of D, j of S.
  void block(std::byte* from, std::byte* to, Word i, Word j, std::byte* working) const {
    const Offset d_from = axis(plan_.d).from;
    const Offset s_to = axis(plan_.s).to;
    const Offset cols = plan_.cuts[i + 1] - plan_.cuts[i];
    const Offset rows = plan_.cuts[j + 1] - plan_.cuts[j];
    std::byte* source = from + d_from * plan_.cuts[i] + element_ * plan_.cuts[j];
    std::byte* target = to + s_to * plan_.cuts[j] + element_ * plan_.cuts[i];
    const std::byte* source_low = source + std::min<Offset>(0, d_from * (cols - 1));
    const std::byte* target_low = target + std::min<Offset>(0, s_to * (rows - 1));
    if (source_low > target_low) return;
    const KernelSet& kernels = *plan_.there.kernels;
    std::byte* partner = working + plan_.stage_bytes;
    kernels.run_panel(plan_.there, {source, working, 0, cols, 0, rows}, nullptr);
    if (source_low != target_low) {
      kernels.run_panel(plan_.back, {target, partner, 0, rows, 0, cols}, nullptr);
      write_rows(partner, plan_.stage_row, source, d_from, cols, rows * element_);
    }
    write_rows(working, plan_.stage_row, target, s_to, rows, cols * element_);
  }

  // Block i of a row that goes backwards to another or itself.
  void row(std::byte* from, std::byte* to, Word i, std::byte* working) const {
    const Offset length = plan_.cuts[i + 1] - plan_.cuts[i];
    const Offset last = (length - 1) * element_;
    std::byte* source = from - plan_.cuts[i] * element_ - last;
    std::byte* target = to + plan_.cuts[i] * element_;
    if (source > target) return;
    const KernelSet& kernels = *plan_.there.kernels;
    const auto bytes = static_cast<std::size_t>(length * element_);
    std::byte* partner = working + plan_.stage_bytes;
    kernels.run_panel(plan_.there, {source + last, working, 0, length, 0, 1}, nullptr);
    if (source != target) {
      kernels.run_panel(plan_.there, {target + last, partner, 0, length, 0, 1}, nullptr);
      std::memcpy(source, partner, bytes);
    }
    std::memcpy(target, working, bytes);
  }

  const Exchange& plan_;
  Offset element_;
  std::byte* from_;
  std::byte* to_;
};

void run_pairs(const Exchange& plan, std::byte* data, const Progress& progress) {
  const Exchanger exchanger(plan, data);
  const Word count = exchanger.count();
  Working working(static_cast<std::size_t>(2 * plan.stage_bytes), plan.threads);
  const Word each = std::max<Word>(1, plan.form.data_bytes / count);
  const Word segment = progress ? std::max<Word>(1, segment_bytes / each) : count;
  for (Word begin = 0; begin < count; begin += std::min(segment, count - begin)) {
    const Word size = std::min(segment, count - begin);
    const Word parts =
        plan.threads == 1
            ? 1
            : std::min<Word>(size, static_cast<Word>(plan.threads) * parts_per_thread);
    in_parallel(plan.threads, parts, [&](Word part, int worker) {
      exchanger.run(begin + size / parts * part + std::min(part, size % parts),
                    begin + size / parts * (part + 1) + std::min(part + 1, size % parts),
                    working.of(worker));
    });
    report(progress, begin + size == count ? plan.form.data_bytes : (begin + size) * each,
           plan.form.data_bytes);
  }
}

// Unit u of the result comes from unit inverse(u); what is done is marked.
void run_cycles(const Exchange& plan, std::byte* data, const Progress& progress) {
  const std::uint64_t unit = plan.form.element_bytes;
  const Word units = plan.form.data_bytes / unit;
  const Word elements = unit / plan.element_bytes;
  const auto source_of = [&](Word u) { return plan.inverse(u * elements) / elements; };
  std::vector<Word> done((units + word_bits - 1) / word_bits);
  std::byte held[held_bytes];
  std::uint64_t moved = 0;
  std::uint64_t reported = 0;
  for (Word first = 0; first < units; ++first) {
    const auto mark = [&](Word u) { done[u / word_bits] |= bit(static_cast<int>(u % word_bits)); };
    if (has_bit(done[first / word_bits], static_cast<int>(first % word_bits))) continue;
    // Pieces of long units one after another: a cycle is walked once for each.
    for (std::uint64_t begin = 0; begin < unit; begin += held_bytes) {
      const auto bytes =
          static_cast<std::size_t>(std::min<std::uint64_t>(held_bytes, unit - begin));
      Word at = first;
      Word next = source_of(at);
      if (next != first) std::memcpy(held, data + first * unit + begin, bytes);
      for (; next != first; at = next, next = source_of(at)) {
        std::memcpy(data + at * unit + begin, data + next * unit + begin, bytes);
        mark(at);
        moved += bytes;
      }
      if (at != first) std::memcpy(data + at * unit + begin, held, bytes);
      mark(at);
      moved += bytes;
      if (moved - reported >= segment_bytes) {
        reported = moved;
        report(progress, std::min(moved, plan.form.data_bytes), plan.form.data_bytes);
      }
    }
  }
  report(progress, plan.form.data_bytes, plan.form.data_bytes);
}

// Large ranges are cut into parts for threads.
void swap_ranges(std::byte* a, std::byte* b, std::uint64_t bytes, int threads) {
  const Word parts =
      std::min<Word>(static_cast<Word>(threads) * parts_per_thread, bytes / thread_bytes_min + 1);
  const std::uint64_t each = bytes / parts;
  in_parallel(std::min(threads, static_cast<int>(parts)), parts, [&](Word part, int) {
    const std::uint64_t begin = part * each;
    swap_bytes(a + begin, b + begin, part + 1 == parts ? bytes - begin : each);
  });
}

// left | right -> right | left: the shorter one and as much of the longer one change places, which
// leaves as much where it belongs, until one fits the stack.
void rotate(std::byte* at, std::uint64_t left, std::uint64_t right, int threads) {
  while (std::min(left, right) > held_bytes) {
    const std::uint64_t both = std::min(left, right);
    swap_ranges(at, at + left, both, threads);
    at += both;
    (left <= right ? right : left) -= both;
  }
  std::byte held[held_bytes];
  if (left <= right) {
    std::memcpy(held, at, left);
    std::memmove(at, at + left, right);
    std::memcpy(at + right, held, left);
  } else {
    std::memcpy(held, at + left, right);
    std::memmove(at + right, at, left);
    std::memcpy(at, held, right);
  }
}

void run_rolls(const Exchange& plan, std::byte* data, const Progress& progress) {
  const Word ranges = plan.form.data_bytes / plan.range_bytes;
  const Word segment = progress ? std::max<Word>(1, segment_bytes / plan.range_bytes) : ranges;
  // A thread takes whole ranges; where there are fewer than threads, all work on each.
  const bool whole = std::min(segment, ranges) >= static_cast<Word>(plan.threads);
  for (Word begin = 0; begin < ranges; begin += std::min(segment, ranges - begin)) {
    const Word size = std::min(segment, ranges - begin);
    const Word parts =
        whole ? std::min<Word>(size, static_cast<Word>(plan.threads) * parts_per_thread) : 1;
    in_parallel(whole ? plan.threads : 1, parts, [&](Word part, int) {
      const Word end = begin + size / parts * (part + 1) + std::min(part + 1, size % parts);
      for (Word i = begin + size / parts * part + std::min(part, size % parts); i < end; ++i) {
        rotate(data + i * plan.range_bytes, plan.range_bytes - plan.roll_bytes, plan.roll_bytes,
               whole ? 1 : plan.threads);
      }
    });
    report(progress, (begin + size) * plan.range_bytes, plan.form.data_bytes);
  }
}

}  // namespace

std::uint64_t Exchange::working_bytes() const {
  if (way == Way::rolls) return held_bytes * static_cast<std::uint64_t>(threads);
  if (way != Way::cycles) return static_cast<std::uint64_t>(2 * stage_bytes * threads);
  return form.data_bytes / form.element_bytes / 8 + held_bytes;
}

void run_exchange(const Exchange& plan, std::byte* data, const Progress& progress) {
  if (plan.way == Exchange::Way::cycles) {
    run_cycles(plan, data, progress);
  } else if (plan.way == Exchange::Way::rolls) {
    run_rolls(plan, data, progress);
  } else {
    run_pairs(plan, data, progress);
  }
}

}  // namespace faro::inline v1::engine
