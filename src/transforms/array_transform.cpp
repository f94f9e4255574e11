// Transforms of arrays whose number type is known only at run time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/require.hpp"
#include "base/working.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/transforms/transform.hpp"

namespace faro::inline v1 {
namespace {

using namespace butterfly;
using Kind = TransformKind;

enum class ByteOrder { little, big };

// A number type of NumPy: kind character and bytes.
struct NumberType {
  char kind = 0;  // i, u, f, c
  std::uint64_t bytes = 0;
  ByteOrder order = ByteOrder::little;
};

bool integer(const NumberType& t) {
  return t.kind == 'i' || t.kind == 'u';
}

bool takes(Kind kind, const NumberType& t) {
  const bool real = t.kind == 'f' && (t.bytes == 4 || t.bytes == 8);
  const bool complex = t.kind == 'c' && (t.bytes == 8 || t.bytes == 16);
  switch (kind) {
    case Kind::fft:
    case Kind::ifft:
      return integer(t) || real || complex;
    case Kind::ntt:
    case Kind::intt:
      return integer(t);
    case Kind::wht:
    case Kind::scan:
      return integer(t) || real || complex;
    case Kind::merge:
    case Kind::sort:
      return integer(t) || real;
  }
  return false;
}

const char* wanted(Kind kind) {
  switch (kind) {
    case Kind::fft:
    case Kind::ifft:
      return "an integer type, float32, float64, complex64 or complex128";
    case Kind::ntt:
    case Kind::intt:
      return "an integer type, best uint64";
    case Kind::wht:
    case Kind::scan:
      return "an integer type, float32, float64, complex64 or complex128";
    case Kind::merge:
    case Kind::sort:
      return "an integer type, float32 or float64";
  }
  return "";
}

std::optional<NumberType> fitting_type(Kind kind, std::string_view type) {
  NumberType t;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (type.size() >= 3 && type.size() <= 4 &&
      std::string_view("<>|").find(type[0]) != std::string_view::npos &&
      std::all_of(type.begin() + 2, type.end(), digit)) {
    t.kind = type[1];
    for (const char c : type.substr(2)) t.bytes = (t.bytes * 10) + static_cast<unsigned>(c - '0');
    if (type[0] == '>') t.order = ByteOrder::big;
  }
  const bool sized = t.bytes == 1 || t.bytes == 2 || t.bytes == 4 || t.bytes == 8 || t.bytes == 16;
  if (!sized || (integer(t) && t.bytes > 8) || !takes(kind, t)) return std::nullopt;
  return t;
}

NumberType number_type(Kind kind, std::string_view type) {
  if (const auto fitting = fitting_type(kind, type)) return *fitting;
  throw Error(ErrorCode::usage, fmt::format("numbers of type {} do not fit this transform; wanted "
                                            "{}",
                                            type, wanted(kind)));
}

template <class T>
T loaded(const std::byte* from, ByteOrder order) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (order == ByteOrder::big) std::reverse(bytes.begin(), bytes.end());
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Reads numbers of one type as another.
template <class To>
using Reader = To (*)(const std::byte*, ByteOrder order);

template <class From, class To>
To read_as(const std::byte* from, ByteOrder order) {
  return static_cast<To>(loaded<From>(from, order));
}

template <class Real, class To>
To read_complex(const std::byte* from, ByteOrder order) {
  using Part = typename To::value_type;
  return To(static_cast<Part>(loaded<Real>(from, order)),
            static_cast<Part>(loaded<Real>(from + sizeof(Real), order)));
}

// A real number as a complex one.
template <class From, class To>
To read_real(const std::byte* from, ByteOrder order) {
  return To(static_cast<typename To::value_type>(loaded<From>(from, order)));
}

template <class From, class To>
To read_residue(const std::byte* from, ByteOrder order) {
  const From value = loaded<From>(from, order);
  if (value < From{0}) {
    throw Error(ErrorCode::usage,
                fmt::format("a value is {}; wanted residues, from 0 to below the modulus",
                            static_cast<std::int64_t>(value)));
  }
  return static_cast<To>(value);
}

// How numbers of an integer type are read.
enum class Reading { number, complex_number, residue };

template <class From, class To, Reading reading>
Reader<To> reader() {
  if constexpr (reading == Reading::complex_number) {
    return read_real<From, To>;
  } else if constexpr (reading == Reading::residue && std::is_signed_v<From>) {
    return read_residue<From, To>;
  } else {
    return read_as<From, To>;
  }
}

template <class To, Reading reading = Reading::number>
Reader<To> integer_reader(const NumberType& t) {
  const bool is_signed = t.kind == 'i';
  switch (t.bytes) {
    case 1:
      return is_signed ? reader<std::int8_t, To, reading>() : reader<std::uint8_t, To, reading>();
    case 2:
      return is_signed ? reader<std::int16_t, To, reading>() : reader<std::uint16_t, To, reading>();
    case 4:
      return is_signed ? reader<std::int32_t, To, reading>() : reader<std::uint32_t, To, reading>();
    default:
      return is_signed ? reader<std::int64_t, To, reading>() : reader<std::uint64_t, To, reading>();
  }
}

// The lines that are in the machine, in bytes of the array; what is heard of them.
struct Piece {
  std::uint64_t before = 0;
  std::uint64_t bytes = 0;
  std::uint64_t done = 0;  // of `bytes`, as last heard
};

struct Job {
  const ArrayTransform& transform;
  NumberType type;
  std::span<const std::byte> in;
  const AxisShape& shape;
  std::span<std::byte> out;
  const Progress& progress;
  Piece& piece;

  bool inverse() const { return transform.kind == Kind::ifft || transform.kind == Kind::intt; }
};

// Lines in pieces that fit the cache of a few megabytes where lines are short: a piece goes through
// the machine together.
constexpr std::uint64_t piece_values_max = std::uint64_t{1} << 20U;

// Runs `body(values, lines)` on pieces of the lines. `load(number)` gives the kernel's value of an
// element of the array, `store(number, value)` takes it back.
template <class Work, class Load, class Body, class Store>
Performed by_pieces(const Job& job, Load&& load, Body&& body, Store&& store) {
  const AxisShape& shape = job.shape;
  const std::uint64_t lines = size_product(shape.outer, shape.inner, "lines");
  const std::uint64_t at_once =
      std::max<std::uint64_t>(1, std::min(lines, piece_values_max / shape.length));
  Performed performed;
  std::vector<Work> values;
  const auto each = [&](std::uint64_t first, std::uint64_t count, auto&& visit) {
    for (std::uint64_t line = 0; line < count; ++line) {
      const std::uint64_t o = (first + line) / shape.inner;
      const std::uint64_t j = (first + line) % shape.inner;
      for (std::uint64_t i = 0; i < shape.length; ++i) {
        visit((line * shape.length) + i, (((o * shape.length) + i) * shape.inner) + j);
      }
    }
  };
  for (std::uint64_t first = 0; first < lines; first += at_once) {
    const std::uint64_t line_bytes = job.in.size() / lines;
    const std::uint64_t count = std::min(at_once, lines - first);
    job.piece = {.before = first * line_bytes, .bytes = count * line_bytes};
    report(job.progress, job.piece.before, job.in.size());
    values.resize(count * shape.length);
    each(first, count, [&](std::uint64_t at, std::uint64_t number) { values[at] = load(number); });
    performed = body(std::span<Work>(values), count);
    each(first, count, [&](std::uint64_t at, std::uint64_t number) { store(number, values[at]); });
  }
  report(job.progress, job.in.size(), job.in.size());
  return performed;
}

// Work is what the kernel computes with, Out what the file gets.
template <class Work, class Out, class Body>
Performed by_numbers(const Job& job, Reader<Work> read, Body&& body) {
  return by_pieces<Work>(
      job,
      [&](std::uint64_t number) {
        return read(job.in.data() + (number * job.type.bytes), job.type.order);
      },
      std::forward<Body>(body),
      [&](std::uint64_t number, const Work& work) {
        const auto value = static_cast<Out>(work);
        std::memcpy(job.out.data() + (number * sizeof(Out)), &value, sizeof(Out));
      });
}

template <class Real>
Performed run_fourier(const Job& job) {
  using Value = std::complex<Real>;
  const Reader<Value> read = integer(job.type)
                                 ? integer_reader<Value, Reading::complex_number>(job.type)
                             : job.type.kind == 'c' ? read_complex<Real, Value>
                                                    : read_real<Real, Value>;
  return by_numbers<Value, Value>(job, read, [&](std::span<Value> values, std::uint64_t lines) {
    return fourier<Real>(job.transform.network,
                         job.inverse() ? Direction::inverse : Direction::forward, values, lines);
  });
}

template <class Prime>
Performed run_ntt(const Job& job) {
  const auto read = integer_reader<std::uint64_t, Reading::residue>(job.type);
  return by_numbers<std::uint64_t, std::uint64_t>(
      job, read, [&](std::span<std::uint64_t> values, std::uint64_t lines) {
        return number_theoretic<Prime>(job.transform.network,
                                       job.inverse() ? Direction::inverse : Direction::forward,
                                       values, lines);
      });
}

// Sums and differences: Walsh-Hadamard and scans.
template <class Number>
Performed run_sums(const Job& job, Reader<Number> read) {
  return by_numbers<Number, Number>(job, read, [&](std::span<Number> values, std::uint64_t lines) {
    if (job.transform.kind == Kind::wht) {
      return walsh_hadamard<Number>(job.transform.network, job.transform.arrangement, values,
                                    lines);
    }
    const bool exclusive = job.transform.ends == ArrayTransform::Ends::exclusive;
    return scan<Number>(job.transform.network, std::plus<Number>(),
                        exclusive ? std::optional(Number{}) : std::nullopt, values, lines);
  });
}

// As NumPy orders: not-a-numbers after all numbers.
template <class Key>
struct NumberLess {
  bool operator()(Key a, Key b) const { return a < b || (b != b && a == a); }
};

// A key and the record that it stands for. Records with equal keys keep their order.
template <class Key>
struct RecordKey {
  Key key{};
  std::uint64_t number = 0;
};
template <class Key>
struct RecordLess {
  bool operator()(const RecordKey<Key>& a, const RecordKey<Key>& b) const {
    const NumberLess<Key> less;
    return less(a.key, b.key) || (!less(b.key, a.key) && a.number < b.number);
  }
};

template <class Less, class Value>
Performed order_lines(const ArrayTransform& transform, std::span<Value> values,
                      std::uint64_t lines) {
  if (transform.kind == Kind::sort) return sort<Value, Less>(transform.network, values, lines);
  const std::uint64_t length = values.size() / lines;
  for (std::uint64_t at = 0; length > 1 && at < values.size(); at += length / 2) {
    const std::span<Value> half = values.subspan(at, length / 2);
    if (!std::is_sorted(half.begin(), half.end(), Less())) {
      throw Error(ErrorCode::usage,
                  "merge takes lines whose two halves are sorted, and a half is "
                  "not; `faro transform sort` sorts");
    }
  }
  return merge<Value, Less>(transform.network, values, lines);
}

template <class Key>
Performed run_records(const Job& job, const ArrayTransform::Record& record, Reader<Key> read) {
  using Value = RecordKey<Key>;
  return by_pieces<Value>(
      job,
      [&](std::uint64_t number) {
        const std::byte* key = job.in.data() + (number * record.bytes) + record.key_offset;
        return Value{read(key, job.type.order), number};
      },
      [&](std::span<Value> values, std::uint64_t lines) {
        return order_lines<RecordLess<Key>>(job.transform, values, lines);
      },
      [&](std::uint64_t number, const Value& value) {
        std::memcpy(job.out.data() + (number * record.bytes),
                    job.in.data() + (value.number * record.bytes), record.bytes);
      });
}

template <class Key, class Out>
Performed run_order(const Job& job, Reader<Key> read) {
  if (job.transform.record) return run_records<Key>(job, *job.transform.record, read);
  return by_numbers<Key, Out>(job, read, [&](std::span<Key> values, std::uint64_t lines) {
    return order_lines<NumberLess<Key>>(job.transform, values, lines);
  });
}

Performed run_order(const Job& job) {
  const NumberType& t = job.type;
  if (t.kind == 'f') {
    return t.bytes == 4 ? run_order<float, float>(job, read_as<float, float>)
                        : run_order<double, double>(job, read_as<double, double>);
  }
  const bool is_signed = t.kind == 'i';
  const auto wide = integer_reader<std::int64_t>(t);
  const auto natural = integer_reader<std::uint64_t>(t);
  switch (t.bytes) {
    case 1:
      return is_signed ? run_order<std::int64_t, std::int8_t>(job, wide)
                       : run_order<std::uint64_t, std::uint8_t>(job, natural);
    case 2:
      return is_signed ? run_order<std::int64_t, std::int16_t>(job, wide)
                       : run_order<std::uint64_t, std::uint16_t>(job, natural);
    case 4:
      return is_signed ? run_order<std::int64_t, std::int32_t>(job, wide)
                       : run_order<std::uint64_t, std::uint32_t>(job, natural);
    default:
      return is_signed ? run_order<std::int64_t, std::int64_t>(job, wide)
                       : run_order<std::uint64_t, std::uint64_t>(job, natural);
  }
}

Performed run_sums(const Job& job) {
  const NumberType& t = job.type;
  if (t.kind == 'f') {
    return t.bytes == 4 ? run_sums<float>(job, read_as<float, float>)
                        : run_sums<double>(job, read_as<double, double>);
  }
  if (t.kind == 'c') {
    return t.bytes == 8
               ? run_sums<std::complex<float>>(job, read_complex<float, std::complex<float>>)
               : run_sums<std::complex<double>>(job, read_complex<double, std::complex<double>>);
  }
  // Unsigned arithmetic wraps as NumPy's does, and has the same bits for signed numbers.
  return run_sums<std::uint64_t>(job, integer_reader<std::uint64_t>(t));
}

}  // namespace

bool is_key_type(std::string_view type) {
  return fitting_type(Kind::sort, type).has_value();
}

std::string result_type(const ArrayTransform& transform, std::string_view type) {
  const NumberType t = number_type(transform.kind, type);
  switch (transform.kind) {
    case Kind::fft:
    case Kind::ifft:
      return (t.kind == 'f' && t.bytes == 4) || (t.kind == 'c' && t.bytes == 8) ? "<c8" : "<c16";
    case Kind::ntt:
    case Kind::intt:
      return "<u8";
    case Kind::wht:
    case Kind::scan:
      if (integer(t)) return t.kind == 'i' ? "<i8" : "<u8";
      break;
    case Kind::merge:
    case Kind::sort:
      break;
  }
  return fmt::format("{}{}{}", t.bytes == 1 ? '|' : '<', t.kind, t.bytes);
}

namespace {

// The spans against what shape and types need of them.
void require_bytes(const ArrayTransform& transform, std::string_view type, std::size_t in,
                   const AxisShape& shape, std::size_t out) {
  require(is_power_of_two(shape.length), "a line of {} elements; butterflies take powers of two",
          shape.length);
  const std::uint64_t elements =
      size_product(size_product(shape.outer, shape.length, "elements"), shape.inner, "elements");
  std::uint64_t in_bytes = number_type(transform.kind, type).bytes;
  std::uint64_t out_bytes = number_type(transform.kind, result_type(transform, type)).bytes;
  if (transform.record && (transform.kind == Kind::sort || transform.kind == Kind::merge)) {
    const ArrayTransform::Record& record = *transform.record;
    require(record.bytes >= in_bytes && record.key_offset <= record.bytes - in_bytes,
            "a key of {} bytes at byte {} lies outside a record of {} bytes", in_bytes,
            record.key_offset, record.bytes);
    in_bytes = out_bytes = record.bytes;
  }
  const std::uint64_t wanted_in = size_product(elements, in_bytes, "bytes");
  const std::uint64_t wanted_out = size_product(elements, out_bytes, "bytes");
  require(
      in == wanted_in && out == wanted_out,
      "{} lines of {} elements of type {} are {} bytes and give {}; there are {} and room for {}",
      elements / shape.length, shape.length, type, wanted_in, wanted_out, in, out);
}

}  // namespace

Performed transform_array(const ArrayTransform& transform, std::string_view type,
                          std::span<const std::byte> in, const AxisShape& shape,
                          std::span<std::byte> out, const Progress& progress) {
  require_bytes(transform, type, in.size(), shape, out.size());
  // One line may be all of the array: the network's progress is that of the piece, and who only
  // says that he goes on is where he was.
  Piece piece;
  const Progress heard = [&](std::uint64_t done, std::uint64_t total) {
    if (total != 0)
      piece.done = static_cast<std::uint64_t>(static_cast<Count>(piece.bytes) * done / total);
    report(progress, piece.before + piece.done, in.size());
    return Continue::yes;
  };
  const Listening listening(heard);
  ArrayTransform working = transform;
  working.network.progress = heard;
  const Job job{working, number_type(transform.kind, type), in, shape, out, progress, piece};
  switch (transform.kind) {
    case Kind::fft:
    case Kind::ifft:
      return result_type(transform, type) == "<c8" ? run_fourier<float>(job)
                                                   : run_fourier<double>(job);
    case Kind::ntt:
    case Kind::intt:
      return transform.modulus == ArrayTransform::Modulus::goldilocks
                 ? run_ntt<PrimeGoldilocks>(job)
                 : run_ntt<Prime998244353>(job);
    case Kind::wht:
    case Kind::scan:
      return run_sums(job);
    case Kind::merge:
    case Kind::sort:
      return run_order(job);
  }
  check_failed("a known kind", __FILE__, __LINE__);
}

}  // namespace faro::inline v1
