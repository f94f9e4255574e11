// The header of a NumPy array file (.npy, versions 1 to 3), read strictly and written as NumPy
// does.
//
//   0x93 NUMPY  1 0  118 0  {'descr': '<f8', 'fortran_order': False, 'shape': (8, 4), }   \n  data
//
// The element type is carried as text: nothing here computes with elements, so every type of fixed
// size goes through unchanged, big-endian, structured and padded ones included. Python objects
// (`O`), which have no fixed size in a file, are refused.
//
// Strict means: exactly the keys descr, fortran_order and shape, once each; Python literals without
// anything else; sizes that fit 64 bits; every breach an Error(usage) that names the byte, every
// exceeded maximum an Error(limit). Nothing is allocated by a number that the file claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faro::inline v1 {

struct NpyHeader {
  enum class Order { c, fortran };
  int version = 1;   // the file's; the least that can carry `type` is written
  std::string type;  // a Python literal: "'<f8'", "[('x', '<i4'), ('y', '>f2', (3,))]"
  std::uint64_t element_bytes = 0;
  Order order = Order::c;
  std::vector<std::uint64_t> shape;

  // Their products were checked while parsing; of a header made by hand they throw Error(limit).
  std::uint64_t elements() const;
  std::uint64_t data_bytes() const;
  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

// The header of an array of one of NumPy's own numbers, for example "<u8".
NpyHeader npy_header(std::string_view number_type, std::vector<std::uint64_t> shape);

// How many bytes at the start of a file make the fixed part; and how many make the header together
// with it, which only the fixed part says. `name` stands at the front of every message.
inline constexpr std::size_t npy_preamble_bytes = 12;
std::size_t npy_data_offset(std::span<const std::byte> preamble, std::string_view name);

// `start` holds at least npy_data_offset bytes.
NpyHeader parse_npy_header(std::span<const std::byte> start, std::string_view name);

// The bytes of a file up to its data, a multiple of `alignment`: NumPy writes 64.
std::string npy_header_bytes(const NpyHeader& header, std::size_t alignment = 64);

// The bytes of one element of a Python type literal; throws as parsing does.
std::uint64_t npy_element_bytes(std::string_view type);

// A field of a structured type: "[('x', '<i4'), ('y', '>f2', (3,))]" has x of type '<i4' at 0 and y
// at 4.
struct NpyField {
  std::string name;
  std::string type;  // a literal; empty if the field is an array
  std::uint64_t offset = 0;
  friend bool operator==(const NpyField&, const NpyField&) = default;
};

// None for a type that is no structure. Throws as parsing does.
std::vector<NpyField> npy_fields(std::string_view type);

}  // namespace faro::inline v1
