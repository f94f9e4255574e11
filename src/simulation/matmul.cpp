#include "simulation/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "machines/pops/performer.hpp"

namespace faro::inline v1 {
namespace {

struct NumberType {
  char kind = 'f';  // b, i, u, f
  std::size_t bytes = 8;
  bool big_endian = false;
};

NumberType number_type(const std::string& text) {
  const std::size_t at =
      !text.empty() && std::string_view("<>|=").find(text[0]) != std::string::npos;
  NumberType type;
  if (text.size() > at + 1 && text.find_first_not_of("0123456789", at + 1) == std::string::npos &&
      text.size() < at + 4) {
    type.kind = text[at];
    type.bytes = static_cast<std::size_t>(std::stoul(text.substr(at + 1)));
    type.big_endian = text[0] == '>';
    const std::size_t b = type.bytes;
    const bool integer = (type.kind == 'i' || type.kind == 'u') && std::has_single_bit(b) && b <= 8;
    const bool real = type.kind == 'f' && (b == 2 || b == 4 || b == 8 || b == sizeof(long double));
    if (integer || real || (type.kind == 'b' && b == 1)) return type;
  }
  throw Error(
      ErrorCode::usage,
      fmt::format("elements of type {}; products are of truth values, integers and reals", text));
}

// As NumPy's promotion of array types.
NumberType promoted(NumberType a, NumberType b) {
  if (a.kind == 'b') return {b.kind, b.bytes, false};
  if (b.kind == 'b') return {a.kind, a.bytes, false};
  if (a.kind == b.kind) return {a.kind, std::max(a.bytes, b.bytes), false};
  if (a.kind != 'f' && b.kind != 'f') {
    const std::size_t is = a.kind == 'i' ? a.bytes : b.bytes;
    const std::size_t us = a.kind == 'u' ? a.bytes : b.bytes;
    if (is > us) return {'i', is, false};
    return us == 8 ? NumberType{'f', 8, false} : NumberType{'i', 2 * us, false};
  }
  const std::size_t real = a.kind == 'f' ? a.bytes : b.bytes;
  const std::size_t whole = a.kind == 'f' ? b.bytes : a.bytes;
  // The smallest real that holds every such integer, beyond 4 bytes the nearest thing.
  const std::size_t holds = whole == 1 ? 2 : whole == 2 ? 4 : 8;
  return {'f', std::max(real, holds), false};
}

std::string text_of(const NumberType& type) {
  return fmt::format("{}{}{}", type.bytes == 1 ? '|' : '<', type.kind, type.bytes);
}

float from_half(std::uint16_t h) {
  const auto sign = static_cast<float>((h & 0x8000U) != 0 ? -1 : 1);
  const int exponent = (h >> 10) & 0x1F;
  const auto fraction = static_cast<float>(h & 0x3FFU);
  if (exponent == 0x1F) return fraction == 0 ? sign * INFINITY : std::copysign(NAN, sign);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

// Rounded to the nearest half, ties to even.
std::uint16_t to_half(float x) {
  const auto sign = static_cast<unsigned>(std::signbit(x) ? 0x8000U : 0U);
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  const float size = std::fabs(x);
  if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  int exponent = 0;
  std::frexp(size, &exponent);  // size in [2^(exponent-1), 2^exponent)
  const int step = std::max(exponent - 11, -24);
  const auto units = static_cast<unsigned>(std::nearbyint(std::ldexp(size, -step)));
  // units is below 2048; 1024 and above carry the hidden bit, and rounding up may carry over.
  const unsigned bits = units == 0 ? 0 : units + (static_cast<unsigned>(step + 24) << 10U);
  return static_cast<std::uint16_t>(sign | bits);
}

// visit(S{}) for the type S of such numbers; of reals of two bytes and truth values there is none.
template <class Visit>
auto with_type(const NumberType& type, Visit&& visit) {
  if (type.kind == 'f')
    return type.bytes == 4   ? visit(float{})
           : type.bytes == 8 ? visit(double{})
                             : visit(static_cast<long double>(0));
  const bool is_signed = type.kind == 'i';
  switch (type.bytes) {
    case 1:
      return is_signed ? visit(std::int8_t{}) : visit(std::uint8_t{});
    case 2:
      return is_signed ? visit(std::int16_t{}) : visit(std::uint16_t{});
    case 4:
      return is_signed ? visit(std::int32_t{}) : visit(std::uint32_t{});
    default:
      return is_signed ? visit(std::int64_t{}) : visit(std::uint64_t{});
  }
}

// One stored number as T.
template <class T>
T load(const std::byte* at, const NumberType& type) {
  std::byte bytes[sizeof(long double)];
  std::copy(at, at + type.bytes, bytes);
  if (type.big_endian) std::reverse(bytes, bytes + type.bytes);
  const auto as = [&]<class S>(S value) {
    std::memcpy(&value, bytes, sizeof(S));
    return value;
  };
  if (type.kind == 'b') return static_cast<T>(bytes[0] != std::byte{0});
  if (type.kind == 'f' && type.bytes == 2) return static_cast<T>(from_half(as(std::uint16_t{})));
  return with_type(type, [&]<class S>(S zero) { return static_cast<T>(as(zero)); });
}

// With its sides said.
StoredMatrix sided(StoredMatrix matrix, std::uint64_t order) {
  if (matrix.rows == 0) matrix.rows = order;
  if (matrix.columns == 0) matrix.columns = order;
  if (matrix.rows > order || matrix.columns > order)
    throw Error(ErrorCode::usage, fmt::format("a matrix of {}x{} in a product of order {}",
                                              matrix.rows, matrix.columns, order));
  const Count wanted = Count{matrix.rows} * matrix.columns * number_type(matrix.type).bytes;
  if (matrix.data.size() != wanted)
    throw Error(ErrorCode::usage,
                fmt::format("a matrix of {}x{} and type {} has {} bytes, not {}", matrix.rows,
                            matrix.columns, matrix.type, to_string(wanted), matrix.data.size()));
  return matrix;
}

// order·order numbers.
template <class T>
std::vector<T> loaded(const StoredMatrix& matrix, std::uint64_t order) {
  const NumberType type = number_type(matrix.type);
  std::vector<T> values(order * order);
  for (std::uint64_t i = 0; i < matrix.rows; ++i)
    for (std::uint64_t j = 0; j < matrix.columns; ++j) {
      const std::uint64_t at =
          matrix.order == StoredMatrix::Order::rows ? i * matrix.columns + j : j * matrix.rows + i;
      values[i * order + j] = load<T>(matrix.data.data() + at * type.bytes, type);
    }
  return values;
}

// A network that says how many slots it has performed.
template <class T>
class HeardMultiplier : public PopsMultiplier<T> {
 public:
  HeardMultiplier(std::span<const T> a, std::span<const T> b, Count slots, const Progress& progress)
      : PopsMultiplier<T>(a, b), slots_(static_cast<std::uint64_t>(slots)), progress_(progress) {}
  void step(const PopsSlot& slot) override {
    report(progress_, std::min(performed_++, slots_), slots_);
    PopsMultiplier<T>::step(slot);
  }

 private:
  std::uint64_t slots_;
  std::uint64_t performed_ = 0;
  const Progress& progress_;
};

// Stores T as the product's type: `store` maps a value to what is written.
template <class T, class Store>
std::vector<std::byte> product_of(const StoredMatrix& a, const StoredMatrix& b,
                                  const MachinePlan& plan, const Progress& progress, Store store) {
  const std::uint64_t order = plan.request().get_if<MatrixProduct>()->order;
  const std::vector<T> left = loaded<T>(a, order);
  const std::vector<T> right = loaded<T>(b, order);
  HeardMultiplier<T> network(left, right, plan.cost().slots, progress);
  plan.push(network);
  std::vector<std::byte> data;
  const std::vector<T> product = network.take_product();
  for (std::uint64_t i = 0; i < a.rows; ++i)
    for (std::uint64_t j = 0; j < b.columns; ++j) {
      const auto stored = store(product[i * order + j]);
      const auto* bytes = reinterpret_cast<const std::byte*>(&stored);
      data.insert(data.end(), bytes, bytes + sizeof(stored));
    }
  return data;
}

}  // namespace

MatmulReport multiply(const StoredMatrix& left, const StoredMatrix& right,
                      const MatmulOptions& options) {
  const Request request = Request::of(options.machine, MatrixProduct{options.order});
  const NumberType type = promoted(number_type(left.type), number_type(right.type));
  const StoredMatrix a = sided(left, options.order);
  const StoredMatrix b = sided(right, options.order);
  if (a.columns != b.rows)
    throw Error(ErrorCode::usage, fmt::format("{}x{} times {}x{}: {} columns meet {} rows", a.rows,
                                              a.columns, b.rows, b.columns, a.columns, b.rows));
  // Half of the way each; nobody knows how far what only goes on is.
  const auto half = [&](std::uint64_t first) -> Progress {
    return [progress = options.progress, first](std::uint64_t done, std::uint64_t total) {
      report(progress, first * total + done, 2 * total);
      return Continue::yes;
    };
  };
  const MachinePlan made = plan(
      request, {.algorithm = options.algorithm, .verify = options.verify, .progress = half(0)});
  const Progress performing = half(1);
  const Listening listening(performing);
  MatmulReport report{.type = text_of(type), .plan = made};
  if (type.kind == 'b')
    report.data = product_of<std::uint32_t>(a, b, made, performing, [](std::uint32_t count) {
      return static_cast<std::uint8_t>(count != 0);
    });
  else if (type.kind == 'f' && type.bytes == 2)
    report.data = product_of<float>(a, b, made, performing, [](float x) { return to_half(x); });
  else
    report.data = with_type(type, [&]<class T>(T) {
      return product_of<T>(a, b, made, performing, [](T value) { return value; });
    });
  return report;
}

}  // namespace faro::inline v1
