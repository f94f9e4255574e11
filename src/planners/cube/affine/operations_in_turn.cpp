// Row operations with most bits once.   [faro]
//
// The state: finished bits hold their final value, the others the original one. rows[i] says what
// bit i must become as a sum of bits of the state. If that sum contains bit i, one operation
// finishes it, and the sums that contain the old bit are rewritten. Elimination with any pivot of
// the diagonal, in other words; for most matrices some order never meets an empty diagonal.
#include <algorithm>
#include <bit>
#include <optional>

#include "base/check.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"

namespace faro::inline v1 {
namespace {

// What an extra operation on bit e adds to it.
enum class Extra { readers, component };

class Turns {
 public:
  explicit Turns(const BitMatrix& matrix) : left_(low_mask(matrix.rows())) {
    for (int i = 0; i < matrix.rows(); ++i) rows_.push_back(matrix.row(i));
  }

  std::vector<RowOperation> run(int first, Extra extra) {
    for (Word rest = left_; rest != 0; rest &= rest - 1)
      if (row(lowest_bit(rest)) == bit(lowest_bit(rest))) left_ ^= bit(lowest_bit(rest));
    while (left_ != 0) {
      if (const auto next = choose(first))
        finish(*next);
      else
        unlock(extra);
    }
    return std::move(operations_);
  }

 private:
  Word& row(int i) { return rows_[static_cast<std::size_t>(i)]; }

  // How many bits could be finished after d.
  int ready_after(int d) {
    const Word rewritten = row(d) ^ bit(d);
    int ready = 0;
    for (Word rest = left_ ^ bit(d); rest != 0; rest &= rest - 1) {
      const int i = lowest_bit(rest);
      const Word sum = has_bit(row(i), d) ? row(i) ^ rewritten : row(i);
      if (has_bit(sum, i)) ++ready;
    }
    return ready;
  }

  // From `first` upwards the first bit that leaves a quarter of the others ready, else the one that
  // leaves most.
  std::optional<int> choose(int first) {
    const int n = static_cast<int>(rows_.size());
    const int wanted = (std::popcount(left_) + 2) / 4;
    std::optional<int> best;
    int best_ready = -1;
    for (int i = 0; i < n; ++i) {
      const int d = (first + i) % n;
      if (!has_bit(left_, d) || !has_bit(row(d), d)) continue;
      const int ready = ready_after(d);
      if (ready >= wanted) return d;
      if (ready <= best_ready) continue;
      best = d;
      best_ready = ready;
    }
    return best;
  }

  void finish(int d) {
    const Word mask = row(d) ^ bit(d);
    if (mask != 0) operations_.push_back({d, mask, 0});
    left_ ^= bit(d);
    for (Word rest = left_; rest != 0; rest &= rest - 1)
      if (has_bit(row(lowest_bit(rest)), d)) row(lowest_bit(rest)) ^= mask;
  }

  // Unfinished bits whose sums contain bit e.
  Word readers(int e) {
    Word all = 0;
    for (Word rest = left_; rest != 0; rest &= rest - 1)
      if (has_bit(row(lowest_bit(rest)), e)) all |= rest & (~rest + 1);
    return all;
  }

  // Unfinished bits that read each other, directly or not, bit e among them.
  Word component(int e) {
    Word all = bit(e);
    for (Word before = 0; before != all;) {
      before = all;
      for (Word rest = left_; rest != 0; rest &= rest - 1) {
        const Word own = rest & (~rest + 1);
        const Word sum = row(lowest_bit(rest)) & left_;
        if ((all & (sum | own)) != 0) all |= sum | own;
      }
    }
    return all;
  }

  // No unfinished bit is in its own sum. Adding to bit e one that reads it puts that one into its
  // own sum; adding the whole component serves a cycle of bits to its end.
  void unlock(Extra extra) {
    int e = lowest_bit(left_);
    for (Word rest = left_; rest != 0; rest &= rest - 1)
      if (std::popcount(readers(lowest_bit(rest))) > std::popcount(readers(e)))
        e = lowest_bit(rest);
    const Word reading = readers(e);
    FARO_CHECK(reading != 0 && !has_bit(reading, e));
    const Word added = extra == Extra::readers ? reading : component(e) ^ bit(e);
    operations_.push_back({e, added, 0});
    for (Word rest = reading; rest != 0; rest &= rest - 1) row(lowest_bit(rest)) ^= added;
  }

  std::vector<Word> rows_;
  Word left_;
  std::vector<RowOperation> operations_;
};

}  // namespace

std::vector<RowOperation> operations_in_turn(const BitMatrix& matrix, int first, int tries) {
  std::optional<std::vector<RowOperation>> best;
  for (int i = 0; i < std::min(tries, matrix.rows()); ++i)
    for (const Extra extra : {Extra::component, Extra::readers}) {
      auto operations = Turns(matrix).run((first + i) % matrix.rows(), extra);
      if (!best || operations.size() < best->size()) best = std::move(operations);
    }
  return best.value_or(std::vector<RowOperation>{});
}

}  // namespace faro::inline v1
