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
// it, faro/base/count_format.hpp teaches it to fmt.
#pragma once

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

  static constexpr Count largest() { return of(~Wide{0}); }

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
    return static_cast<T>(wide());
  }

  // The 64 high bits and the 64 low ones.
  constexpr std::uint64_t high() const { return high_; }
  constexpr std::uint64_t low() const { return low_; }

  friend constexpr bool operator==(Count, Count) = default;
  friend constexpr std::strong_ordering operator<=>(Count, Count) = default;

  friend constexpr Count operator+(Count a, Count b) {
    return a.wide() <= ~b.wide() ? of(a.wide() + b.wide()) : too_large();
  }
  friend constexpr Count operator-(Count a, Count b) {
    if (a < b) throw_limit("a count cannot be negative");
    return of(a.wide() - b.wide());
  }
  friend constexpr Count operator*(Count a, Count b) {
    if ((a.high_ | b.high_) == 0) return of(Wide{a.low_} * b.low_);
    const bool fits = !b || a.wide() <= ~Wide{0} / b.wide();
    return fits ? of(a.wide() * b.wide()) : too_large();
  }
  friend constexpr Count operator/(Count a, Count b) {
    if (!b) throw_limit("a count is divided by zero");
    return of(a.wide() / b.wide());
  }
  friend constexpr Count operator%(Count a, Count b) {
    if (!b) throw_limit("a count is divided by zero");
    return of(a.wide() % b.wide());
  }
  // By 0 bits and more.
  template <Integer T>
  friend constexpr Count operator<<(Count a, T by) {
    const auto bits = static_cast<std::uint64_t>(by);
    const bool fits = !a || (bits < 128 && a.wide() <= ~Wide{0} >> bits);
    return !a ? a : fits ? of(a.wide() << bits) : too_large();
  }
  template <Integer T>
  friend constexpr Count operator>>(Count a, T by) {
    const auto bits = static_cast<std::uint64_t>(by);
    return bits < 128 ? of(a.wide() >> bits) : Count();
  }

  constexpr Count& operator+=(Count b) { return *this = *this + b; }
  constexpr Count& operator-=(Count b) { return *this = *this - b; }
  constexpr Count& operator*=(Count b) { return *this = *this * b; }
  constexpr Count& operator/=(Count b) { return *this = *this / b; }
  constexpr Count& operator++() { return *this += 1; }
  constexpr Count& operator--() { return *this -= 1; }

  friend std::ostream& operator<<(std::ostream& out, const Count& count);

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr Count of(Wide value) {
    Count count;
    count.high_ = static_cast<std::uint64_t>(value >> 64U);
    count.low_ = static_cast<std::uint64_t>(value);
    return count;
  }
  constexpr Wide wide() const { return (Wide{high_} << 64U) | low_; }
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
