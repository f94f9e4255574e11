// Where each bit of a distributed array's index lives now, and what has to move before elements
// that differ in a bit are on one rank: what simulators of quantum states keep beside amplitudes.
//
//   distributed::Register place(30, 3);       2^30 amplitudes on 2^3 ranks
//   place.x(4); place.cnot(2, 29); place.swap(0, 29);       nothing moves, wherever the bits are
//   const int wanted[] = {29, 7};
//   const BitMap move = place.bring_local(wanted);          to be performed, in one exchange:
//   ExchangePlan::make(move, 3, 16, {.in_place = true});    by exchange_in_process, by MPI
//   place.home();                                           one exchange, however far it went
//
// The element of index i is at the place where()(i), rank bits above address bits. Gates that
// permute elements by an affine map are absorbed: where() changes and nothing else. After a CNOT a
// bit of the index may be the parity of several bits of places; so, for every bit b,
//
//   elements that differ in b alone are step(b) apart (xor), on one rank if is_local(b);
//   the element at a place has the value value(b, place) of b, which every rank knows: bits that
//   only control, and diagonal gates, need nothing local.
//
// bring_local moves no more than any map must that makes these bits local: 1 - 2^-d of the data,
// d being the dimension of what their steps span of the ranks. It sends d address bits to the ranks
// in their stead, the highest that may go, so that what travels are long runs of memory.
//
// Bits are numbered from 0, the least significant; step, value and is_local require one.
#pragma once

#include <span>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::distributed {

class Register {
 public:
  // At home: every index is its own place. Throws Error(usage) unless 0 <= rank_bits <= bits <= 64.
  Register(int bits, int rank_bits);

  int bits() const { return columns_.columns(); }
  int rank_bits() const { return rank_bits_; }
  int local_bits() const { return bits() - rank_bits_; }
  BitMap where() const;
  bool is_home() const;

  // The element of index i gets index gate(i) and stays where it is. Throw Error(usage) for a gate
  // of another width, for bits that there are not, for one bit twice.
  void absorb(const BitMap& gate);
  void x(int bit);
  void cnot(int control, int target);
  void swap(int a, int b);

  Word step(int bit) const { return columns_.column(bit); }
  bool is_local(int bit) const { return step(bit) <= low_mask(local_bits()); }
  bool value(int bit, Word place) const {
    return (parity(rows_.column(bit) & place) != 0) != has_bit(here_, bit);
  }

  // What is to be done now, from places to places; taken as done. Of the bits to keep as many stay
  // local, in their order, as are local and have room. Throws Error(usage) for bits that there are
  // not, Error(impossible) for more bits than address bits.
  BitMap bring_local(std::span<const int> wanted, std::span<const int> keep = {});
  BitMap home();

 private:
  void check_bit(int bit) const;
  void set(const BitMap& where);

  int rank_bits_;
  // where(i) = columns_ i + complement_; its inverse by rows, and the inverse's complement.
  BitMatrix columns_, rows_;
  Word complement_ = 0;
  Word here_ = 0;
};

}  // namespace faro::inline v1::distributed
