// Errors and their exit codes, checks that only a bug can fail, and counts of 128 bits as text.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/check.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"

namespace faro::inline v1 {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::refused:
      return 1;
    case ErrorCode::usage:
      return 2;
    case ErrorCode::environment:
      return 3;
    case ErrorCode::impossible:
    case ErrorCode::limit:
      return 4;
    case ErrorCode::internal:
      return 5;
    case ErrorCode::cancelled:
      return 130;
  }
  return 5;
}

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::refused:
      return "refused";
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::environment:
      return "environment";
    case ErrorCode::impossible:
      return "impossible";
    case ErrorCode::limit:
      return "limit";
    case ErrorCode::internal:
      return "internal";
    case ErrorCode::cancelled:
      return "cancelled";
  }
  return "internal";
}

void check_failed(std::string_view condition, std::string_view file, int line) {
  const auto slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  throw InternalError(fmt::format("internal error at {}:{}: '{}' does not hold; please report it",
                                  file, line, condition));
}

void Count::throw_limit(const char* why) {
  throw Error(ErrorCode::limit, why);
}

std::ostream& operator<<(std::ostream& out, const Count& count) {
  return out << to_string(count);
}

std::string to_string(Count count) {
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(count % 10)));
    count /= 10;
  } while (count != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<Count> count_from(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  Count count = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const Count digit = c - '0';
    if (count > (Count::largest() - digit) / 10) return std::nullopt;
    count = count * 10 + digit;
  }
  return count;
}

std::uint64_t size_product(std::uint64_t a, std::uint64_t b, std::string_view what) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw Error(ErrorCode::limit, fmt::format("{}: {} x {} exceeds 64 bits", what, a, b));
  return product;
}

void report(const Progress& progress, std::uint64_t done, std::uint64_t total) {
  if (progress && progress(done, total) == Continue::no)
    throw Error(ErrorCode::cancelled, "stopped at the caller's request");
}

}  // namespace faro::inline v1
