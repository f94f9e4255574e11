#include "faro/distributed/register.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/check.hpp"

namespace faro::inline v1::distributed {
namespace {

// A vector beyond the rank, and its highest rank bit that no other before it has.
struct Far {
  Word column = 0;
  Word reduced = 0;
  int pivot = 0;
};

// The space spanned by steps, split by whether it stays on the rank.
struct Wanted {
  std::vector<Far> far;
  std::vector<Word> near;
};

Wanted split(std::span<const Word> steps, int local_bits) {
  Wanted result;
  for (const Word step : steps) {
    Word rest = step;
    for (const Far& f : result.far) {
      if (has_bit(rest, f.pivot)) rest ^= f.reduced;
    }
    if (rest > low_mask(local_bits)) {
      result.far.push_back({step, rest, highest_bit(rest)});
    } else {
      result.near.push_back(rest);
    }
  }
  return result;
}

// The map that fixes `near`, sends the far columns to address bits and as many address bits to the
// ranks: an exchange of bits where columns are units.
BitMatrix exchange_of(const Wanted& wanted, std::span<const Word> near, int bits, int local_bits) {
  std::vector<Word> from;
  std::vector<Word> to;
  const auto add = [&](Word source, Word image) {
    from.push_back(source);
    to.push_back(image);
  };
  Word taken = 0;
  for (const Word vector : near) {
    add(vector, vector);
    taken |= bit(highest_bit(vector));
  }
  int t = local_bits;
  for (const Far& f : wanted.far) {
    do {
      FARO_CHECK(t > 0);
      --t;
    } while (has_bit(taken, t));
    taken |= bit(t) | bit(f.pivot);
    add(f.column, bit(t));
    // To the ranks' part of what came: all ranks then keep 2^-d of what they have.
    add(bit(t), f.column & ~low_mask(local_bits));
  }
  for (int j = 0; j < bits; ++j) {
    if (!has_bit(taken, j)) add(bit(j), bit(j));
  }
  const auto inverse = BitMatrix::from_columns(bits, from).inverse();
  FARO_CHECK(inverse.has_value());
  return then(*inverse, BitMatrix::from_columns(bits, to));
}

}  // namespace

Register::Register(int bits, int rank_bits) : rank_bits_(rank_bits) {
  if (rank_bits < 0 || rank_bits > bits || bits > word_bits) {
    throw Error(ErrorCode::usage,
                fmt::format("register: {} bits, {} of them of ranks; needed are 0 <= rank bits <= "
                            "bits <= {}",
                            bits, rank_bits, word_bits));
  }
  set(BitMap::identity(bits));
}

BitMap Register::where() const {
  return BitMap::from_matrix(columns_, complement_);
}

bool Register::is_home() const {
  return complement_ == 0 && columns_ == BitMatrix::identity(bits());
}

void Register::set(const BitMap& where) {
  const BitMap back = where.inverse();
  columns_ = where.matrix();
  complement_ = where.complement();
  rows_ = back.matrix().transposed();
  here_ = back.complement();
}

void Register::check_bit(int bit) const {
  if (bit < 0 || bit >= bits()) {
    throw Error(ErrorCode::usage,
                fmt::format("register: bit {}; there are bits 0 to {}", bit, bits() - 1));
  }
}

void Register::absorb(const BitMap& gate) {
  if (gate.width() != bits()) {
    throw Error(ErrorCode::usage,
                fmt::format("register: a gate of {} bits on an index of {}", gate.width(), bits()));
  }
  set(then(gate.inverse(), where()));
}

void Register::x(int bit) {
  check_bit(bit);
  complement_ ^= columns_.column(bit);
  here_ ^= faro::bit(bit);
}

void Register::cnot(int control, int target) {
  check_bit(control);
  check_bit(target);
  if (control == target) {
    throw Error(ErrorCode::usage, fmt::format("register: bit {} controls itself", control));
  }
  columns_.set_column(control, columns_.column(control) ^ columns_.column(target));
  rows_.set_column(target, rows_.column(target) ^ rows_.column(control));
  if (has_bit(here_, control)) here_ ^= bit(target);
}

void Register::swap(int a, int b) {
  check_bit(a);
  check_bit(b);
  if (a == b) throw Error(ErrorCode::usage, fmt::format("register: bit {} with itself", a));
  const auto exchange = [a, b](BitMatrix& matrix) {
    const Word first = matrix.column(a);
    matrix.set_column(a, matrix.column(b));
    matrix.set_column(b, first);
  };
  exchange(columns_);
  exchange(rows_);
  if (has_bit(here_, a) != has_bit(here_, b)) here_ ^= bit(a) | bit(b);
}

BitMap Register::bring_local(std::span<const int> wanted, std::span<const int> keep) {
  std::vector<Word> steps;
  for (const int b : wanted) {
    check_bit(b);
    steps.push_back(step(b));
  }
  for (const int b : keep) check_bit(b);
  const int m = local_bits();
  const auto asked = static_cast<int>(reduced_basis(steps).size());
  if (asked > m) {
    throw Error(ErrorCode::impossible,
                fmt::format("register: {} bits on one rank, which has {} address bits", asked, m));
  }
  const Wanted split_steps = split(steps, m);
  const auto d = static_cast<int>(split_steps.far.size());
  std::vector<Word> near = reduced_basis(split_steps.near);
  for (const int b : keep) {
    if (!is_local(b)) continue;
    std::vector<Word> more = near;
    more.push_back(step(b));
    more = reduced_basis(more);
    if (static_cast<int>(more.size()) <= m - d) near = more;
  }
  const BitMap move = BitMap::from_matrix(exchange_of(split_steps, near, bits(), m));
  set(then(where(), move));
  return move;
}

BitMap Register::home() {
  const BitMap move = where().inverse();
  set(BitMap::identity(bits()));
  return move;
}

}  // namespace faro::inline v1::distributed
