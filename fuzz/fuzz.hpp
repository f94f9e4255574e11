// What the targets share: bytes read as choices and numbers, and what a caller's bytes may end in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"

namespace fuzz {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint64_t next() { return at_ < size_ ? data_[at_++] : 0U; }
  std::uint64_t pair() {
    const std::uint64_t low = next();
    return low | (next() << 8U);
  }
  std::uint64_t below(std::uint64_t end) { return next() % end; }
  // Mostly small; now and then what overflows.
  std::uint64_t number() {
    const std::uint64_t value = next();
    return value < 250 ? value % 20 : ~std::uint64_t{0} >> ((value - 250) * 8);
  }
  int integer() { return static_cast<int>(static_cast<std::int64_t>(number()) - 2); }
  std::vector<std::uint64_t> numbers(std::uint64_t count) {
    std::vector<std::uint64_t> all(count);
    for (std::uint64_t& one : all) one = number();
    return all;
  }
  std::string text() {
    std::string words;
    while (at_ < size_) {
      const auto c = static_cast<char>(next());
      if (c == '\0') break;
      words += c;
    }
    return words;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

inline void check(bool right) {
  if (!right) std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Done, or refused with an Error in words that is none of a bug.
template <class Do>
int done_or_refused(Do&& what) {
  try {
    std::forward<Do>(what)();
  } catch (const faro::InternalError&) {
    std::abort();
  } catch (const faro::Error&) {
    // Refused in words.
  }
  return 0;
}

// A column that depends on those before it becomes an independent one.
inline faro::BitMap bits_of(Bytes& bytes, int width) {
  faro::BitMatrix matrix(width, width);
  for (int i = 0; i < width; ++i) {
    matrix.set_column(i, bytes.pair() & faro::low_mask(width));
    for (faro::Word other = 1; matrix.rank() != i + 1; ++other) matrix.set_column(i, other);
  }
  return faro::BitMap::from_matrix(matrix, bytes.pair() & faro::low_mask(width));
}

inline faro::Simd kernels_of(std::uint64_t choice) {
  constexpr faro::Simd all[] = {faro::Simd::automatic, faro::Simd::scalar, faro::Simd::sse4,
                                faro::Simd::avx2, faro::Simd::avx512};
  return all[choice % std::size(all)];
}

}  // namespace fuzz
