// Transforms of arrays: what does not fit is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/transforms/transform.hpp"

namespace faro {
namespace {

using Kind = TransformKind;

template <class Out, class In>
std::vector<Out> transformed(const ArrayTransform& transform, const char* type,
                             const std::vector<In>& in, const AxisShape& shape) {
  std::vector<Out> out(in.size());
  transform_array(transform, type, std::as_bytes(std::span(in)), shape,
                  std::as_writable_bytes(std::span(out)));
  return out;
}

TEST(ArrayTransform, spans_that_do_not_fit_the_shape_are_refused) {
  const ArrayTransform fft{.kind = TransformKind::fft, .network = {.processor_bits = 2}};
  std::vector<std::byte> in(16 * 8);
  std::vector<std::byte> out(16 * 16);
  const auto run = [&](std::size_t give, std::size_t take, const AxisShape& shape) {
    transform_array(fft, "<f8", std::span(in).first(give), shape, std::span(out).first(take));
  };
  EXPECT_NO_THROW(run(128, 256, {.length = 16}));
  EXPECT_THROW(run(7, 3, {.length = 16}), Error);
  EXPECT_THROW(run(128, 255, {.length = 16}), Error);
  EXPECT_THROW(run(128, 256, {.length = 15}), Error);
  EXPECT_THROW(run(128, 256, {.outer = 1, .length = 0}), Error);
  EXPECT_THROW(run(0, 0, {.outer = ~std::uint64_t{0}, .length = 16, .inner = 16}), Error);
  ArrayTransform records{.kind = TransformKind::sort, .network = {.processor_bits = 2}};
  records.record = ArrayTransform::Record{.bytes = 16, .key_offset = 12};
  const auto room = std::span(out).first(128);
  EXPECT_THROW(transform_array(records, "<f8", in, {.length = 8}, room), Error);
}

TEST(array_transform, one_line_says_how_far_it_is_and_may_be_ended) {
  std::vector<std::int64_t> in(std::size_t{1} << 14U);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<std::int64_t>((i * 40503U) % in.size());
  std::vector<std::int64_t> out(in.size());
  for (const Kind kind : {Kind::sort, Kind::wht, Kind::fft}) {
    std::vector<std::complex<double>> room(in.size());
    const std::span<std::byte> into = kind == Kind::fft ? std::as_writable_bytes(std::span(room))
                                                        : std::as_writable_bytes(std::span(out));
    const auto run = [&](const Progress& progress) {
      transform_array({.kind = kind, .network = {.processor_bits = 2}}, "<i8",
                      std::as_bytes(std::span(in)), {.length = in.size()}, into, progress);
    };
    std::vector<std::uint64_t> heard;
    run([&](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(total, 8 * in.size());
      heard.push_back(done);
      return Continue::yes;
    });
    EXPECT_TRUE(std::is_sorted(heard.begin(), heard.end()));
    EXPECT_EQ(heard.back(), 8 * in.size());
    EXPECT_GT(std::count_if(heard.begin(), heard.end(),
                            [&](std::uint64_t d) { return d > 0 && d < 8 * in.size(); }),
              0);
    try {
      run([&](std::uint64_t done, std::uint64_t) {
        return done == 0 ? Continue::yes : Continue::no;
      });
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
    }
  }
}

TEST(array_transform, names_the_result_of_every_type) {
  EXPECT_EQ(result_type({.kind = Kind::fft}, "<f4"), "<c8");
  EXPECT_EQ(result_type({.kind = Kind::ifft}, ">c16"), "<c16");
  EXPECT_EQ(result_type({.kind = Kind::fft}, "<i4"), "<c16");
  EXPECT_EQ(result_type({.kind = Kind::ntt}, "<u4"), "<u8");
  EXPECT_EQ(result_type({.kind = Kind::scan}, "|i1"), "<i8");
  EXPECT_EQ(result_type({.kind = Kind::wht}, "<u2"), "<u8");
  EXPECT_EQ(result_type({.kind = Kind::sort}, "|i1"), "|i1");
  EXPECT_EQ(result_type({.kind = Kind::merge}, ">f8"), "<f8");
}

TEST(array_transform, refuses_types_that_do_not_fit) {
  EXPECT_THROW(result_type({.kind = Kind::fft}, "<f2"), Error);
  EXPECT_THROW(result_type({.kind = Kind::ntt}, "<f8"), Error);
  EXPECT_THROW(result_type({.kind = Kind::sort}, "<c16"), Error);
  EXPECT_THROW(result_type({.kind = Kind::scan}, "|b1"), Error);
  EXPECT_THROW(result_type({.kind = Kind::scan}, "<f2"), Error);
  EXPECT_THROW(result_type({.kind = Kind::scan}, "[('a', '<i4')]"), Error);
  EXPECT_THROW(result_type({.kind = Kind::scan}, ""), Error);
}

TEST(array_transform, sums_along_any_axis) {
  // Shape (2, 4, 3), axis 1.
  std::vector<std::int32_t> in(24);
  std::iota(in.begin(), in.end(), 0);
  const ArrayTransform scan{.kind = Kind::scan, .network = {.processor_bits = 1}};
  const auto out = transformed<std::int64_t>(scan, "<i4", in, {2, 4, 3});
  for (std::size_t o = 0; o < 2; ++o) {
    for (std::size_t j = 0; j < 3; ++j) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at = ((o * 4) + i) * 3 + j;
        sum += in[at];
        EXPECT_EQ(out[at], sum);
      }
    }
  }
}

TEST(array_transform, transforms_integers_and_refuses_negative_residues) {
  const std::vector<std::int16_t> in{1, -2, 3, 4};
  const ArrayTransform fft{.kind = Kind::fft, .network = {.processor_bits = 1}};
  const auto out = transformed<std::complex<double>>(fft, "<i2", in, {1, 4, 1});
  EXPECT_EQ(out[0], std::complex<double>(6, 0));
  EXPECT_EQ(out[2], std::complex<double>(2, 0));
  const ArrayTransform ntt{.kind = Kind::ntt, .network = {.processor_bits = 1}};
  EXPECT_THROW(transformed<std::uint64_t>(ntt, "<i2", in, {1, 4, 1}), Error);
}

TEST(array_transform, exclusive_sums_leave_the_value_out) {
  ArrayTransform scan{.kind = Kind::scan, .network = {.processor_bits = 2}};
  scan.ends = ArrayTransform::Ends::exclusive;
  const std::vector<std::int64_t> in{5, 1, 2, 7};
  EXPECT_EQ(transformed<std::int64_t>(scan, "<i8", in, {1, 4, 1}),
            (std::vector<std::int64_t>{0, 5, 6, 8}));
}

TEST(array_transform, reads_big_endian_numbers) {
  const std::vector<std::uint8_t> in{0, 3, 0, 1, 255, 255, 0, 2};
  std::vector<std::int16_t> out(4);
  transform_array({.kind = Kind::sort, .network = {.processor_bits = 1}}, ">i2",
                  std::as_bytes(std::span(in)), {1, 4, 1}, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out, (std::vector<std::int16_t>{-1, 1, 2, 3}));
}

struct Record {
  std::uint16_t payload;
  std::int16_t key;
  friend bool operator==(const Record&, const Record&) = default;
};

TEST(array_transform, sorts_and_merges_records_by_their_key) {
  ArrayTransform transform{.kind = Kind::sort, .network = {.processor_bits = 2}};
  transform.record = {.bytes = 4, .key_offset = 2};
  const std::vector<Record> in{{0, 3}, {1, -1}, {2, 3}, {3, -1}, {4, 0}, {5, 3}, {6, 3}, {7, 0}};
  std::vector<Record> wanted = in;
  const auto by_key = [](const Record& a, const Record& b) { return a.key < b.key; };
  std::stable_sort(wanted.begin(), wanted.end(), by_key);
  EXPECT_EQ(transformed<Record>(transform, "<i2", in, {1, 8, 1}), wanted);
  transform.kind = Kind::merge;
  EXPECT_THROW(transformed<Record>(transform, "<i2", in, {1, 8, 1}), Error);
  std::vector<Record> halves = in;
  std::stable_sort(halves.begin(), halves.begin() + 4, by_key);
  std::stable_sort(halves.begin() + 4, halves.end(), by_key);
  EXPECT_EQ(transformed<Record>(transform, "<i2", halves, {1, 8, 1}), wanted);
}

TEST(array_transform, merge_wants_sorted_halves) {
  const ArrayTransform merge{.kind = Kind::merge, .network = {.processor_bits = 1}};
  const std::vector<std::int32_t> good{1, 4, 0, 9};
  EXPECT_EQ(transformed<std::int32_t>(merge, "<i4", good, {1, 4, 1}),
            (std::vector<std::int32_t>{0, 1, 4, 9}));
  const std::vector<std::int32_t> bad{4, 1, 0, 9};
  EXPECT_THROW(transformed<std::int32_t>(merge, "<i4", bad, {1, 4, 1}), Error);
}

}  // namespace
}  // namespace faro
