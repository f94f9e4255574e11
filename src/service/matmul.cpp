#include "faro/service/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "machines/pops/bounds.hpp"
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
  const bool is_signed = type.kind == 'i';
  if (type.kind == 'b') return static_cast<T>(bytes[0] != std::byte{0});
  if (type.kind == 'f') {
    if (type.bytes == 2) return static_cast<T>(from_half(as(std::uint16_t{})));
    if (type.bytes == 4) return static_cast<T>(as(float{}));
    if (type.bytes == 8) return static_cast<T>(as(double{}));
    return static_cast<T>(as(static_cast<long double>(0)));
  }
  switch (type.bytes) {
    case 1:
      return is_signed ? static_cast<T>(as(std::int8_t{})) : static_cast<T>(as(std::uint8_t{}));
    case 2:
      return is_signed ? static_cast<T>(as(std::int16_t{})) : static_cast<T>(as(std::uint16_t{}));
    case 4:
      return is_signed ? static_cast<T>(as(std::int32_t{})) : static_cast<T>(as(std::uint32_t{}));
    default:
      return is_signed ? static_cast<T>(as(std::int64_t{})) : static_cast<T>(as(std::uint64_t{}));
  }
}

template <class T>
std::vector<T> loaded(const StoredMatrix& matrix, std::uint64_t order) {
  const NumberType type = number_type(matrix.type);
  FARO_CHECK(matrix.data.size() == order * order * type.bytes);
  std::vector<T> values;
  values.reserve(order * order);
  for (std::uint64_t i = 0; i < order; ++i)
    for (std::uint64_t j = 0; j < order; ++j) {
      const std::uint64_t at =
          matrix.order == StoredMatrix::Order::rows ? i * order + j : j * order + i;
      values.push_back(load<T>(matrix.data.data() + at * type.bytes, type));
    }
  return values;
}

// Counts as the verifier does, with one counter a processor that is never cleared.
class Tally : public ScheduleSink {
 public:
  Cost cost;
  std::uint64_t registers = 0;
  void begin(const ScheduleHeader& header) override {
    registers = header.slots;
    work_.assign(pops::processors(std::get<Pops>(header.machine)), {0, 0});
  }
  void step(const PopsSlot& slot) override {
    ++slot_;
    cost.slots += slot.sends.empty() ? 0U : 1U;
    std::uint64_t busiest = 0;
    for (const PopsOperation& op : slot.operations) {
      auto& [last, count] = work_[op.processor];
      count = last == slot_ ? count + 1 : 1;
      last = slot_;
      busiest = std::max(busiest, count);
    }
    cost.compute_rounds += busiest;
  }
  void finish() override {}

 private:
  std::uint64_t slot_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> work_;  // slot and operations in it
};

// Stores T as the product's type: Store maps a value to what is written.
template <class T, class Store>
void perform(const StoredMatrix& a, const StoredMatrix& b, const MatmulOptions& options,
             MatmulReport& report, Store store) {
  const std::vector<T> left = loaded<T>(a, options.order);
  const std::vector<T> right = loaded<T>(b, options.order);
  // One after the other: each holds all registers of the network, a few gigabytes for order 512.
  if (options.verify == MatmulOptions::Verify::yes) {
    const auto replay = make_replay();
    push_matmul(options.machine, options.order, options.algorithm, *replay);
    report.verdict = replay->verdict();
  }
  PopsMultiplier<T> network(left, right);
  Tally tally;
  TeeSink tee({&network, &tally});
  push_matmul(options.machine, options.order, options.algorithm, tee);
  report.cost = tally.cost;
  report.registers = tally.registers;
  for (const T& value : network.take_product()) {
    const auto stored = store(value);
    const auto* bytes = reinterpret_cast<const std::byte*>(&stored);
    report.data.insert(report.data.end(), bytes, bytes + sizeof(stored));
  }
}

template <class T>
void perform(const StoredMatrix& a, const StoredMatrix& b, const MatmulOptions& options,
             MatmulReport& report) {
  perform<T>(a, b, options, report, [](T value) { return value; });
}

}  // namespace

MatmulReport multiply(const StoredMatrix& a, const StoredMatrix& b, const MatmulOptions& options) {
  if (const auto why = matmul_refusal(options.machine, options.order))
    throw Error(ErrorCode::impossible, *why);
  const NumberType type = promoted(number_type(a.type), number_type(b.type));
  MatmulReport report;
  report.type = text_of(type);
  report.formula = matmul_slots(options.machine, options.order, options.algorithm);
  report.paper = {"Sahni 2000, section 2",
                  matmul_slots(options.machine, options.order, MatmulAlgorithm::paper)};
  report.bound = matmul_bound(options.machine, options.order);
  report.hardware = pops::hardware(options.machine);
  const auto run = [&]<class T>(T) { perform<T>(a, b, options, report); };
  if (type.kind == 'b')
    perform<std::uint32_t>(a, b, options, report, [](std::uint32_t count) {
      return static_cast<std::uint8_t>(count != 0);
    });
  else if (type.kind == 'f' && type.bytes == 2)
    perform<float>(a, b, options, report, [](float x) { return to_half(x); });
  else if (type.kind == 'f')
    type.bytes == 4   ? run(float{})
    : type.bytes == 8 ? run(double{})
                      : run(static_cast<long double>(0));
  else if (type.kind == 'i')
    type.bytes == 1   ? run(std::int8_t{})
    : type.bytes == 2 ? run(std::int16_t{})
    : type.bytes == 4 ? run(std::int32_t{})
                      : run(std::int64_t{});
  else
    type.bytes == 1   ? run(std::uint8_t{})
    : type.bytes == 2 ? run(std::uint16_t{})
    : type.bytes == 4 ? run(std::uint32_t{})
                      : run(std::uint64_t{});
  return report;
}

}  // namespace faro::inline v1
