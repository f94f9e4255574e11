// A machine's text and where one is in it: what the machines' folders read their sizes with.
//
//   "mesh:8x2^3"  after "mesh:":  size() = 8, take("x"), size() = 8, done()
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/bits.hpp"

namespace faro::inline v1 {

class MachineText {
 public:
  explicit MachineText(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(std::string_view wanted) const;
  [[noreturn]] void too_large() const;
  bool done() const { return at_ == text_.size(); }
  bool take(std::string_view word);
  std::uint64_t number();
  // A number or 2^number.
  std::uint64_t size();
  // The same, a power of two: its exponent. `what` is wanted.
  int size_log2(std::string_view what);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Numbers up to 65536 in digits, larger powers of two as powers.
std::string size_text(std::uint64_t size);

// Sizes by their exponents, with something between.
template <class Write>
std::string listed(const std::vector<int>& sizes_log2, const char* between, Write&& write) {
  std::string text;
  for (const int size : sizes_log2) text += (text.empty() ? "" : between) + write(bit(size));
  return text;
}

}  // namespace faro::inline v1
