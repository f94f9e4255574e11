// Exact counts. Costs of plans on 2^60 processors with 100 elements each do not fit 64 bits, so a
// Count has 128. It is never wrong: what does not fit, goes below zero or is converted to a type
// that cannot hold it throws Error(limit).
//
//   (Count{1} << 60) * 100                    = 115292150460684697600
//   ceil_div(7, 2)                            = 4
//   Count{3} - 4                              Error(limit)
//   static_cast<std::uint8_t>(Count{256})     Error(limit)
//
// Integers become counts by themselves, a count becomes an integer where one says so; `<<` prints
// it, base/count_format.hpp teaches it to fmt.
#pragma once

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace faro::inline v1 {

template <typename T>
concept Integer = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t);

class Count {
 public:
  constexpr Count() = default;
  template <Integer T>
  constexpr Count(T value) : low_(static_cast<std::uint64_t>(value)) {
    if constexpr (std::signed_integral<T>)
      if (value < 0) throw_limit("a count cannot be negative");
  }

  static constexpr Count largest() { return of(~std::uint64_t{0}, ~std::uint64_t{0}); }

  template <Integer T>
  explicit constexpr operator T() const {
    if constexpr (std::same_as<T, bool>) {
      return *this != Count();
    } else {
      const T value = static_cast<T>(low_);
      if (high_ != 0 || value < T{} || static_cast<std::uint64_t>(value) != low_)
        throw_limit("a count is too large here");
      return value;
    }
  }
  template <std::floating_point T>
  explicit constexpr operator T() const {
    return static_cast<T>(high_) * (static_cast<T>(std::uint64_t{1} << 63U) * 2) +
           static_cast<T>(low_);
  }

  // The 64 high bits and the 64 low ones.
  constexpr std::uint64_t high() const { return high_; }
  constexpr std::uint64_t low() const { return low_; }

  friend constexpr bool operator==(Count, Count) = default;
  friend constexpr std::strong_ordering operator<=>(Count, Count) = default;

  friend constexpr Count operator+(Count a, Count b) {
    const std::uint64_t low = a.low_ + b.low_;
    const std::uint64_t carry = low < a.low_ ? 1 : 0;
    const std::uint64_t high = a.high_ + b.high_;
    if (high < a.high_ || high + carry < high) too_large();
    return of(high + carry, low);
  }
  friend constexpr Count operator-(Count a, Count b) {
    if (a < b) throw_limit("a count cannot be negative");
    return of(a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_);
  }
  friend constexpr Count operator*(Count a, Count b) {
    if (a.high_ != 0 && b.high_ != 0) too_large();
    const Count low = product(a.low_, b.low_);
    const Count cross = a.high_ != 0 ? product(a.high_, b.low_) : product(b.high_, a.low_);
    if (cross.high_ != 0) too_large();
    return low + of(cross.low_, 0);
  }
  friend constexpr Count operator/(Count a, Count b) {
    if (!b) throw_limit("a count is divided by zero");
    if ((a.high_ | b.high_) == 0) return of(0, a.low_ / b.low_);
    Count quotient;
    for (int shift = a.width() - b.width(); shift >= 0; --shift) {  // bit by bit
      const Count part = b << shift;
      if (a < part) continue;
      a -= part;
      quotient += of(0, 1) << shift;
    }
    return quotient;
  }
  friend constexpr Count operator%(Count a, Count b) { return a - a / b * b; }
  // By 0 bits and more.
  template <Integer T>
  friend constexpr Count operator<<(Count a, T by) {
    const auto bits = static_cast<std::uint64_t>(by);
    if (!a || bits == 0) return a;
    if (bits >= 128 || (a >> (128 - bits))) too_large();
    if (bits >= 64) return of(a.low_ << (bits - 64), 0);
    return of(a.high_ << bits | a.low_ >> (64 - bits), a.low_ << bits);
  }
  template <Integer T>
  friend constexpr Count operator>>(Count a, T by) {
    const auto bits = static_cast<std::uint64_t>(by);
    if (bits >= 128) return {};
    if (bits >= 64) return of(0, a.high_ >> (bits - 64));
    if (bits == 0) return a;
    return of(a.high_ >> bits, a.low_ >> bits | a.high_ << (64 - bits));
  }

  constexpr Count& operator+=(Count b) { return *this = *this + b; }
  constexpr Count& operator-=(Count b) { return *this = *this - b; }
  constexpr Count& operator*=(Count b) { return *this = *this * b; }
  constexpr Count& operator/=(Count b) { return *this = *this / b; }
  constexpr Count& operator++() { return *this += 1; }
  constexpr Count& operator--() { return *this -= 1; }

  friend std::ostream& operator<<(std::ostream& out, const Count& count);

 private:
  static constexpr Count of(std::uint64_t high, std::uint64_t low) {
    Count count;
    count.high_ = high;
    count.low_ = low;
    return count;
  }
  static constexpr Count product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t half = 0xffffffff;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t middle = (a >> 32U) * (b & half) + (low >> 32U);
    const std::uint64_t other = (a & half) * (b >> 32U) + (middle & half);
    return of((a >> 32U) * (b >> 32U) + (middle >> 32U) + (other >> 32U),
              other << 32U | (low & half));
  }
  constexpr int width() const {
    return high_ != 0 ? 64 + static_cast<int>(std::bit_width(high_))
                      : static_cast<int>(std::bit_width(low_));
  }
  [[noreturn]] static void throw_limit(const char* why);
  [[noreturn]] static Count too_large() { throw_limit("a count exceeds 128 bits"); }

  std::uint64_t high_ = 0;  // before the low bits: the order of the members is that of the numbers
  std::uint64_t low_ = 0;
};

// Decimal, without separators.
std::string to_string(Count count);

// The number that the decimal digits say, nothing if they are none or it does not fit.
std::optional<Count> count_from(std::string_view digits);

// a * b of sizes in memory, or Error(limit) naming `what`.
std::uint64_t size_product(std::uint64_t a, std::uint64_t b, std::string_view what);

constexpr Count ceil_div(Count a, Count b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace faro::inline v1
