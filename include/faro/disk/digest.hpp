// The digest of an array's content, which no cutting into chunks, files or jobs changes.
//
//   Digest whole;                               Digest upper, lower;
//   whole.run(0, bytes);                        upper.run(0, first_half);   lower.run(half, rest);
//                                               upper.add(lower);           the same value
//   whole.published("float32", {721, 1440})     "fd1:7ae8ead3d972949f05f144b388f0394d"
//
// Definition (faro-digest/1): the bytes of the array in C order, elements little-endian, are words
// of 8 bytes w_0, w_1, .., the last filled up with zeros. With p = 2^127 - 1 and the generator
// r = 0x371b37f78b9801eedc8ce27f41fd7576 of the numbers below p
//
//   D = w_0 + w_1 r + w_2 r^2 + ..  mod p
//   published = "fd1:" and 32 digits of SHA-256("faro-digest/1 TYPE SHAPE D\n")
//
// Byte b weighs 2^(8 (b mod 8)) r^(b div 8), so any part in any order adds its share. A change
// within one word, and an exchange of two words that differ, always changes D; two arrays that
// were fixed before r have the same D with a chance of words / 2^127. It is no signature: whoever
// wants two arrays of one D finds them. Zeros weigh nothing, so bytes are counted beside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "faro/base/count.hpp"
#include "faro/engine/options.hpp"

namespace faro::inline v1 {

namespace disk {
struct DigestKernel;
}

// A box of an array in C order.
struct ArrayBox {
  std::span<const std::uint64_t> shape;   // of the array, in elements
  std::span<const std::uint64_t> start;   // of the box in it
  std::span<const std::uint64_t> extent;  // of the box
  std::uint64_t element_bytes = 1;
};

class Digest {
 public:
  Digest() : Digest(Simd::automatic) {}
  // Kernels as in PermuteOptions.
  explicit Digest(Simd simd);

  // Bytes that stand at first_byte, .. of the array in C order.
  void run(std::uint64_t first_byte, std::span<const std::byte> bytes);
  // Elements that stand one after another here and `stride_bytes` apart in the array, the first at
  // first_byte.
  void column(std::uint64_t first_byte, std::uint64_t stride_bytes, std::uint64_t element_bytes,
              std::span<const std::byte> bytes);
  // The box's elements, in C order; `held` says of what box they are the first corner of, where
  // what holds them is larger (the buffer of a chunk over the array's end). Each extent of `held`
  // is at least that of the box.
  void box(const ArrayBox& box, std::span<const std::byte> bytes,
           std::span<const std::uint64_t> held = {});
  // The same for a box all of whose elements are `element`: no element is looked at.
  void constant_box(const ArrayBox& box, std::span<const std::byte> element);
  // The share of another part.
  void add(const Digest& share);

  // D, the most significant half first.
  std::array<std::uint64_t, 2> value() const { return value_; }
  Count bytes() const { return bytes_; }
  // What value() and bytes() said elsewhere. Throws Error(usage) for no number below p.
  static Digest from(const std::array<std::uint64_t, 2>& value, Count bytes);

  std::string hex() const;  // D in 32 digits
  // Throws Error(refused) where the bytes counted are not those of the shape.
  std::string published(std::string_view data_type, std::span<const std::uint64_t> shape,
                        std::uint64_t element_bytes) const;

 private:
  std::array<std::uint64_t, 2> value_{};
  Count bytes_;
  const disk::DigestKernel* kernel_;
};

}  // namespace faro::inline v1
