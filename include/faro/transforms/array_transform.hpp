// Transforms of arrays whose number type is known only at run time, as a file says it.
//
//   ArrayTransform fft{.kind = TransformKind::fft, .network = {.processor_bits = 6}};
//   result_type(fft, "<f8")     "<c16"
//   transform_array(fft, "<f8", in, {.outer = 3, .length = 4096, .inner = 1}, out)
//
//   kind        takes                                      gives
//   fft, ifft   integers, floats, complex numbers          complex numbers
//   ntt, intt   integers below the modulus                 unsigned integers of 8 bytes
//   wht         integers, floats, complex numbers          the same; integers of 8 bytes, wrapping
//   scan        integers, floats, complex numbers          the same; integers of 8 bytes, wrapping
//   merge, sort integers, floats                           the same; not-a-numbers last
//               records with such a key                    the records, equal keys in their order
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "faro/base/progress.hpp"
#include "faro/transforms/transform.hpp"

namespace faro::inline v1 {

enum class TransformKind { fft, ifft, ntt, intt, wht, scan, merge, sort };

struct ArrayTransform {
  enum class Modulus { prime_998244353, goldilocks };
  enum class Ends { inclusive, exclusive };
  TransformKind kind = TransformKind::fft;
  butterfly::Network network = {};
  Modulus modulus = Modulus::prime_998244353;
  butterfly::Arrangement arrangement = butterfly::Arrangement::natural;  // of wht
  Ends ends = Ends::inclusive;                                           // of scan

  // Of sort and merge: elements are records, and the type is that of the key inside.
  struct Record {
    std::uint64_t bytes = 0;
    std::uint64_t key_offset = 0;
  };
  std::optional<Record> record = {};
};

// Lines along one axis: element i of line (o, j) is number (o · length + i) · inner + j.
struct AxisShape {
  std::uint64_t outer = 1;
  std::uint64_t length = 1;
  std::uint64_t inner = 1;
};

// Whether sort and merge take numbers of this type.
bool is_key_type(std::string_view type);

// NumPy's name of the number type of the result; throws Error(usage), naming the types that would
// do. Records stay what they are.
std::string result_type(const ArrayTransform& transform, std::string_view type);

// `type` is NumPy's, "<f8"; big-endian numbers too. Output is little-endian.
butterfly::Performed transform_array(const ArrayTransform& transform, std::string_view type,
                                     std::span<const std::byte> in, const AxisShape& shape,
                                     std::span<std::byte> out, const Progress& progress = {});

}  // namespace faro::inline v1
