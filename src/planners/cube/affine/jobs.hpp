// Jobs: two elements of every processor that take their dimensions together.
//
// A map sends processor p, memory s to q = A·p ^ B·s ^ c. Dimension j has the value p_j at first
// and R_j = A_j·p ^ B_j·s ^ c_j at last; changing it moves the elements for which the two
// differ. Split the memory by s = b·u ^ F·p ^ E·x: one bit u, the other bits x the number of a
// job. In job x each processor holds two elements, and if they differ in the value that
// dimension j is to get, then exactly one of them crosses at every processor: one use of every
// link of dimension j, in place.
//
//   a:2 | m:1 -> m a[1] | a[0]     R_1 = m, R_0 = a_1: dimension 1 takes m, then dimension 0 takes
//                                  a_1, which has meanwhile moved into the memory: two steps
//
// A job in coordinates: q_0 .. q_(n-1) where the element is now, a its slot of the two, x. Every
// R_j is a form over these; an exchange substitutes. It is legal where the form contains a.
//
// Dimension j is fed if memory reaches it: B_j is not zero, or A_jk = 1 for a fed k that is to do.
//
// Theorem 1 (order). The dimensions to do can be exchanged one after another, each to a form
// outside the span of the present ones, exactly if all are fed. From behind: D the dimensions
// left, i of D may be the last if [B_D | A_DD] without column i keeps rank |D| and D without i
// stays fed. Proof. Some column can go: else the kernel of M = [B_D | A_DD] is all of memory,
// B_D = 0, nothing is fed. Take among them one, i, that dominates no other (i dominates r: every
// path from memory to r meets i). If i dominated any dimension at all, let C be those; edges
// into C come from C and i only. A vector w of the kernel with w_i = 1 vanishes on C, so row r
// of M·w = 0 says A_ri = 0 for r in C: nothing enters C from outside, which is then not fed. So
// i dominates nothing, D - i is fed.
//
// Theorem 2 (type). For every such order there are b and F with which it is an order for u alone.
// Column by column: y the combination of the rows so far, ending with the new one, that vanishes on
// the columns so far; y·(A ^ B·F) must be 1 in the next column, which some F reaches, since y
// that vanishes on B and on that column of A would make the rows of theorem 1 dependent.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::jobs {

// A map of n processor bits above m >= 1 memory bits, by rows.
class Task {
 public:
  Task(const BitMap& map, int memory_bits);

  int n() const { return n_; }
  int m() const { return m_; }
  // Row j of A, of B; bit j of the constant.
  Word from_processors(int j) const { return map_.matrix().row(m_ + j) >> m_; }
  Word from_memory(int j) const { return map_.matrix().row(m_ + j) & low_mask(m_); }
  // Dimensions whose bit changes; of these, those that memory reaches.
  Word to_do() const { return to_do_; }
  Word fed() const { return fed_; }
  const BitMap& map() const { return map_; }
  // The column of A, of B as a mask of dimensions.
  Word processor_column(int j) const { return map_.column(m_ + j) >> m_; }
  Word memory_column(int i) const { return map_.column(i) >> m_; }

 private:
  BitMap map_;
  int n_;
  int m_;
  Word to_do_ = 0;
  Word fed_ = 0;
};

// How memory falls into jobs: s = b·u ^ F·p ^ E·x, E the unit vectors but that of b's lowest
// bit.
struct Type {
  Word b = 1;
  std::vector<Word> f;  // F·(unit vector of processor bit j), a mask of memory bits
};

// Theorem 1 for `dimensions`, all fed. Of several that may be last, one that feeds the dimension
// behind it, so that chains come out whole; then the first in `preference` (all dimensions).
std::vector<int> order_of(const Task& task, Word dimensions, std::span<const int> preference);
// Theorem 2. Without `random` what is free is zero.
Type type_of(const Task& task, std::span<const int> order, Random* random = nullptr);

// b, and column j of A ^ B·F, as masks of dimensions.
Word memory_column(const Task& task, const Type& type);
Word column(const Task& task, const Type& type, int j);

// Rows and columns that are met one after another, for the walk of theorem 2.
class Staircase {
 public:
  // The combination of the rows so far that ends with `row` and vanishes on the columns so far.
  Word reduced(int row) const;
  // Takes that combination, y, and a column that it meets: parity(y & column) = 1.
  void add(Word y, Word column);

 private:
  std::vector<Word> ys_;
  std::vector<Word> columns_;
};

// Forms over q (bits 0 .. n-1), a (bit n), x (bits above), as masks with constants.
struct State {
  std::vector<Parity> rows;    // what dimension j gets at last
  std::vector<Parity> memory;  // what memory bit i gets
};
State start_state(const Task& task, const Type& type);

// The free steps before the first exchange: first slots are moved by `slots`, then slot bit i ^=
// parity(p & flips[i]). Slot 2x + u is then element u of job x.
struct Arrangement {
  BitMap slots;
  std::vector<Word> flips;
};
Arrangement arrangement(const Task& task, const Type& type);

// Element a of job x crosses where a ^ parity(q & where) ^ parity(x & jobs) ^ value = 1; it
// lands in slot a ^ flip.
struct Exchange {
  int dimension = 0;
  Word where = 0;
  Word jobs = 0;
  unsigned value = 0;
  bool flip = false;
};
// Dimension d takes the form `to`, which must differ from it in a.
Exchange exchange(State& state, int n, int d, Parity to);

// The same substitution on masks of q and a alone, for searches.
struct Substitution {
  Word a;      // the bit of a
  Word q;      // the bit of q_d
  Word for_a;  // what is xor-ed for them, at the same time
  Word for_q;
  Word operator()(Word form) const {
    return form ^ ((form & a) != 0 ? for_a : 0) ^ ((form & q) != 0 ? for_q : 0);
  }
};
Substitution substitution(int n, int d, Word to);

// Of the dimensions `left`, those that a reaches over edges k -> j: rows[j] contains q_k.
Word reached(std::span<const Word> rows, Word left, Word sources);

}  // namespace faro::inline v1::jobs
