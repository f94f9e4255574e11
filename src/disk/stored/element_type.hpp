// What an element is: how NumPy, Zarr 2 and Zarr 3 name it, and the bytes of a fill value.
//
//   float32      '<f4', '>f4'       1.5    "NaN"    "-Infinity"    "0x7fc00000"
//   complex64    '<c8'              [0, "NaN"]
//   r24          '|V3'              [1, 2, 255]     "AQL/"
//
// Every type of fixed size goes through: nothing here computes with elements. Structures are
// carried as they are where their fields are little-endian; Python objects and texts of no fixed
// size are refused by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faro::inline v1::disk {

struct ElementType {
  enum class Kind {
    boolean,
    whole,    // with a sign
    natural,  // without
    real,
    complex,
    raw,         // bytes of anything, structures too
    text,        // bytes with zeros behind
    characters,  // of UTF-32, likewise
    time,        // a number of units
  };
  Kind kind = Kind::natural;
  std::string name = "uint8";  // as NumPy and Zarr 3 name it
  std::uint64_t bytes = 1;
  std::uint64_t word_bytes = 1;     // what is turned around between little- and big-endian
  int exponent_bits = 0;            // of reals, and of each half of complex ones
  std::string zarr3 = "\"uint8\"";  // JSON; empty where Zarr 3 has no such type
  // "u1", "M8[ns]" without the byte order, or the JSON of a structure; empty where NumPy has none.
  std::string numpy = "u1";

  bool is_structure() const { return numpy.starts_with('['); }
};

// "float32", "r24", "datetime64[ns]". Throws Error(impossible), naming it.
ElementType type_named(std::string_view name);
// The JSON of data_type in zarr.json.
ElementType type_of_zarr3(std::string_view json);
// NumPy's "<f4"; or, as JSON, the dtype of .zarray, "\"<f4\"" or a list of fields. `big` says
// whether words are big-endian.
struct OrderedType {
  ElementType type;
  bool big = false;
};
OrderedType type_of_numpy(std::string_view code);
OrderedType type_of_zarr2(std::string_view json);
// "<f4", "|u1".
std::string numpy_code(const ElementType& type, bool big);

// `attribute`: as xarray says _FillValue in Zarr 3, of floats the base64 of a double.
enum class FillForm { zarr2, zarr3, attribute };
// The bytes, little-endian. Throws Error(usage) for what is no value of the type.
std::vector<std::byte> fill_bytes(const ElementType& type, std::string_view json, FillForm form);
// The JSON of these bytes.
std::string fill_json(const ElementType& type, std::span<const std::byte> fill, FillForm form);

}  // namespace faro::inline v1::disk
