// The digest against its definition, written a second time: word by word, bit by bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/random.hpp"
#include "disk/digest_kernels.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/rechunk.hpp"
#include "full.hpp"

namespace faro {
namespace {

using Bytes = std::vector<std::byte>;
using Lengths = std::vector<std::uint64_t>;
__extension__ typedef unsigned __int128 Number;

constexpr Number prime = (Number{1} << 127U) - 1;

// By doubling: no multiplication of two long numbers.
Number product_of(Number a, Number b) {
  Number x = 0;
  for (int bit = 126; bit >= 0; --bit) {
    x = (x << 1U) % prime;
    if (((b >> static_cast<unsigned>(bit)) & 1U) != 0) x = (x + a) % prime;
  }
  return x;
}

std::array<std::uint64_t, 2> by_definition(const Bytes& bytes) {
  const Number r = (Number{0x371b37f78b9801eeU} << 64U) | 0xdc8ce27f41fd7576U;
  Number d = 0;
  Number power = 1;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    Number word = 0;
    for (std::size_t b = 0; b < 8 && at + b < bytes.size(); ++b)
      word |= Number{std::to_integer<std::uint64_t>(bytes[at + b])} << (8 * b);
    d = (d + product_of(power, word)) % prime;
    power = product_of(power, r);
  }
  return {static_cast<std::uint64_t>(d >> 64U), static_cast<std::uint64_t>(d)};
}

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
Bytes counting(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{0});
  return bytes_of(values);
}

Bytes noise_of(std::size_t count, Random& random) {
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

struct Golden {
  Bytes bytes;
  std::string type;
  Lengths shape;
  std::string d;
  std::string published;
};

std::vector<Golden> golden() {
  std::vector<float> line(60);
  for (std::size_t i = 0; i < line.size(); ++i)
    line[i] = static_cast<float>(static_cast<double>(i) * (1.0 / 59));
  line.back() = 1;
  Bytes complex;
  for (float i = 0; i < 12; ++i)
    for (const std::byte b : bytes_of(std::vector<float>{i, 0})) complex.push_back(b);
  const std::string zero(32, '0');
  return {
      {Bytes(1), "uint8", {}, zero, "fd1:2fb9f6e26536c19c6b21c4060ed4ffde"},
      {Bytes(1), "uint8", {1}, zero, "fd1:17f94e28328e49f3cdbdbaebe90d3498"},
      {counting<std::uint8_t>(5),
       "uint8",
       {5},
       "00000000000000000000000403020100",
       "fd1:a336da2e12133e8fbebde42b545fa0dc"},
      {counting<std::int16_t>(6),
       "int16",
       {2, 3},
       "744299d6380a567bdeb2d3f25346fce9",
       "fd1:45af472e45d9be6924c923489cd164ca"},
      {counting<std::int16_t>(6),
       "int16",
       {3, 2},
       "744299d6380a567bdeb2d3f25346fce9",
       "fd1:d82f75954727522b348612b3b87d542b"},
      {bytes_of(line),
       "float32",
       {3, 4, 5},
       "6de8543bb07ca78c7819c059a9da36b3",
       "fd1:7ae8ead3d972949f05f144b388f0394d"},
      {Bytes(8000000), "float64", {1000, 1000}, zero, "fd1:d3e2e872ddf3922aa2c357832ff10eb9"},
      {bytes_of(std::vector<std::uint32_t>(77, 0x7fc00000)),
       "float32",
       {7, 11},
       "4be5d4b5052ff9b9a6bc5f83cd1152f7",
       "fd1:e203bc908df92cb3659217fd7121a92e"},
      {counting<std::uint32_t>(1U << 20U),
       "uint32",
       {1U << 20U},
       "15c96327681d42d528e0eab2111fa873",
       "fd1:022417bfee68d075c20aedceeeba7a04"},
      {bytes_of(std::vector<double>{0.0, -0.0}),
       "float64",
       {2},
       "6e46713fa0febabb371b37f78b9801ee",
       "fd1:c54eaf5f76ac81b5699c1c78855aed62"},
      {complex,
       "complex64",
       {3, 4},
       "5ab5fa3e118c9e15724cf79f101c6442",
       "fd1:13184f2f23de0bf3b1bed8c4bbbd7ad7"},
      {counting<std::uint8_t>(10007),
       "uint8",
       {10007},
       "3c52dad2af33785c12652f451025af64",
       "fd1:43083dd6df96ef7140ee73ea66b1b578"},
  };
}

std::uint64_t element_bytes_of(const Golden& g) {
  return g.bytes.size() /
         std::accumulate(g.shape.begin(), g.shape.end(), std::uint64_t{1}, std::multiplies<>());
}

TEST(Digest, golden_values) {
  for (const Golden& g : golden()) {
    Digest digest;
    digest.run(0, g.bytes);
    EXPECT_EQ(digest.hex(), g.d) << g.type;
    EXPECT_EQ(digest.published(g.type, g.shape, element_bytes_of(g)), g.published) << g.type;
  }
}

TEST(Digest, every_kernel_says_what_the_definition_says_wherever_a_run_begins) {
  Random random(1);
  std::size_t judged = 0;
  for (const std::size_t size :
       std::initializer_list<std::size_t>{0, 1, 7, 8, 9, 63, 64, 65, 255, 2047, 2048, 2049, 5000}) {
    const Bytes bytes = noise_of(size, random);
    const auto wanted = by_definition(bytes);
    for (const auto& kernel : disk::digest_kernels())
      for (std::size_t cut = 0; cut <= size; cut += size < 70 ? 1 : 97) {
        Digest digest(kernel.simd);
        digest.run(cut, std::span(bytes).subspan(cut));
        digest.run(0, std::span(bytes).first(cut));
        EXPECT_EQ(digest.value(), wanted) << kernel.name << " " << size << " cut at " << cut;
        ++judged;
      }
  }
  EXPECT_GT(judged, 200U);
}

// Words of ones make every sum as large as it gets, p - 1 and p are the ends of folding.
TEST(Digest, the_largest_words_do_not_overflow) {
  for (const std::size_t words :
       std::initializer_list<std::size_t>{1, 64, 127, 128, 129, 256, 257, 1000}) {
    const Bytes bytes(words * 8, std::byte{0xff});
    for (const auto& kernel : disk::digest_kernels()) {
      Digest digest(kernel.simd);
      digest.run(0, bytes);
      EXPECT_EQ(digest.value(), by_definition(bytes)) << kernel.name << " " << words;
    }
  }
  const Digest most = Digest::from({0x7fffffffffffffffU, 0xfffffffffffffffeU}, 8);
  Digest more = most;
  Digest one;
  one.run(0, counting<std::uint64_t>(2));  // 0 and r
  Digest unit;
  unit.run(0, bytes_of(std::vector<std::uint64_t>{1}));
  more.add(unit);  // p - 1 + 1
  EXPECT_EQ(more.value(), (std::array<std::uint64_t, 2>{0, 0}));
  EXPECT_THROW(Digest::from({0x7fffffffffffffffU, ~std::uint64_t{0}}, 8), Error);
}

TEST(Digest, each_bit_counts_and_so_does_each_exchange_of_words) {
  Random random(2);
  Bytes bytes = noise_of(64 * 8, random);
  Digest before;
  before.run(0, bytes);
  const auto of = [&] {
    Digest digest;
    digest.run(0, bytes);
    return digest.value();
  };
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    const auto flip = static_cast<std::byte>(1U << (i % 8));
    bytes[i / 8] ^= flip;
    EXPECT_NE(of(), before.value()) << i;
    bytes[i / 8] ^= flip;
  }
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto exchange = [&] {
        std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(8 * i),
                         bytes.begin() + static_cast<std::ptrdiff_t>((8 * i) + 8),
                         bytes.begin() + static_cast<std::ptrdiff_t>(8 * j));
      };
      exchange();
      EXPECT_NE(of(), before.value()) << i << " and " << j;
      exchange();
    }
}

struct Cut {
  std::vector<Lengths> cuts;  // of each axis, both ends included
  std::vector<Lengths> boxes;

  Cut(const Lengths& shape, Random& random) : cuts(shape.size()) {
    std::vector<Lengths> all{{}};
    for (std::size_t k = 0; k < shape.size(); ++k) {
      cuts[k] = {0, shape[k], random.below(shape[k] + 1), random.below(shape[k] + 1)};
      std::sort(cuts[k].begin(), cuts[k].end());
      std::vector<Lengths> next;
      for (const Lengths& at : all)
        for (std::uint64_t i = 0; i + 1 < cuts[k].size(); ++i) {
          next.push_back(at);
          next.back().push_back(i);
        }
      all = std::move(next);
    }
    boxes = std::move(all);
    random.mix(boxes);
  }
  Lengths start(const Lengths& box) const {
    Lengths start;
    for (std::size_t k = 0; k < cuts.size(); ++k) start.push_back(cuts[k][box[k]]);
    return start;
  }
  Lengths extent(const Lengths& box) const {
    Lengths extent;
    for (std::size_t k = 0; k < cuts.size(); ++k)
      extent.push_back(cuts[k][box[k] + 1] - cuts[k][box[k]]);
    return extent;
  }
};

// The box's elements within a larger one of `held` elements, the rest of which is anything.
Bytes part_of(const Bytes& bytes, const ArrayBox& box, const Lengths& held, Random& random) {
  std::uint64_t size = box.element_bytes;
  for (const std::uint64_t n : held) size *= n;
  Bytes part = noise_of(size, random);
  std::uint64_t count = 1;
  for (const std::uint64_t n : box.extent) count *= n;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t rest = i;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t array_stride = 1;
    std::uint64_t held_stride = 1;
    for (std::size_t k = held.size(); k-- > 0;) {
      const std::uint64_t x = rest % box.extent[k];
      rest /= box.extent[k];
      from += (box.start[k] + x) * array_stride;
      to += x * held_stride;
      array_stride *= box.shape[k];
      held_stride *= held[k];
    }
    std::memcpy(&part[to * box.element_bytes], &bytes[from * box.element_bytes], box.element_bytes);
  }
  return part;
}

TEST(Digest, boxes_of_any_cuts_add_up) {
  const int rounds = testing::full_run() ? 4000 : testing::sanitized() ? 40 : 300;
  Random random(3);
  for (int round = 0; round < rounds; ++round) {
    Lengths shape(random.below(4));
    std::uint64_t size = 1 + random.below(9);
    const std::uint64_t element = size;
    for (std::uint64_t& n : shape) size *= n = 1 + random.below(9);
    const Bytes bytes = noise_of(size, random);
    const Bytes constant_element(bytes.begin(),
                                 bytes.begin() + static_cast<std::ptrdiff_t>(element));
    Bytes constant;
    for (std::uint64_t i = 0; i < size / element; ++i)
      constant.insert(constant.end(), constant_element.begin(), constant_element.end());
    Digest digest;
    Digest of_constant;
    const Cut cut(shape, random);
    for (const Lengths& at : cut.boxes) {
      const Lengths start = cut.start(at);
      const Lengths extent = cut.extent(at);
      const ArrayBox box{
          .shape = shape, .start = start, .extent = extent, .element_bytes = element};
      Lengths held = extent;
      for (std::uint64_t& n : held) n += random.below(3);
      Digest share;
      share.box(box, part_of(bytes, box, held, random), held);
      digest.add(share);
      of_constant.constant_box(box, constant_element);
    }
    ASSERT_EQ(digest.value(), by_definition(bytes)) << round;
    ASSERT_EQ(of_constant.value(), by_definition(constant)) << round;
    ASSERT_EQ(digest.bytes(), Count{size});
    ASSERT_EQ(of_constant.bytes(), Count{size});
  }
}

// So many of them that they go through the kernels together: against runs, one after another.
TEST(Digest, short_rows_of_large_boxes) {
  const int rounds = testing::full_run() ? 300 : testing::sanitized() ? 6 : 40;
  Random random(11);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t element = 1 + random.below(9);
    const Lengths extent = {1 + random.below(40), 1 + random.below(300), 1 + random.below(90)};
    Lengths shape = extent;
    Lengths start(3);
    Lengths held = extent;
    for (std::size_t k = 0; k < 3; ++k) {
      start[k] = random.below(50);
      shape[k] += start[k] + random.below(50);
      held[k] += random.below(5);
    }
    const Bytes bytes = noise_of(held[0] * held[1] * held[2] * element, random);
    Digest rows(Simd::scalar);
    for (std::uint64_t i = 0; i < extent[0]; ++i)
      for (std::uint64_t j = 0; j < extent[1]; ++j)
        rows.run(
            (((start[0] + i) * shape[1] + start[1] + j) * shape[2] + start[2]) * element,
            std::span(bytes).subspan((i * held[1] + j) * held[2] * element, extent[2] * element));
    for (const auto& kernel : disk::digest_kernels()) {
      Digest box(kernel.simd);
      box.box({.shape = shape, .start = start, .extent = extent, .element_bytes = element}, bytes,
              held);
      ASSERT_EQ(box.value(), rows.value()) << round << " " << kernel.name;
      ASSERT_EQ(box.bytes(), rows.bytes());
    }
  }
}

TEST(Digest, columns_are_elements_apart) {
  Random random(7);
  for (int round = 0; round < (testing::sanitized() ? 40 : 300); ++round) {
    const std::uint64_t element = 1 + random.below(20);
    const std::uint64_t stride = element + random.below(40);
    const std::uint64_t first = random.below(1000);
    const std::uint64_t count = random.below(30);
    Bytes bytes(element * count);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
    Digest column;
    column.column(first, stride, element, bytes);
    Digest elements;
    for (std::uint64_t i = 0; i < count; ++i)
      elements.run(first + (i * stride), std::span(bytes).subspan(i * element, element));
    ASSERT_EQ(column.value(), elements.value()) << element << " " << stride << " " << first;
    ASSERT_EQ(column.bytes(), elements.bytes());
  }
}

// 2^62 bytes that nobody looks at: as one box, and as the boxes of another cutting.
TEST(Digest, constant_boxes_of_any_size_have_a_closed_form) {
  const Bytes element = bytes_of(std::vector<float>{1.5F});
  const Lengths shape = {1U << 20U, (1U << 20U) + 7, (1U << 20U) - 9};
  const auto box = [&](const Lengths& start, const Lengths& extent) {
    Digest digest;
    digest.constant_box({.shape = shape, .start = start, .extent = extent, .element_bytes = 4},
                        element);
    return digest;
  };
  Digest whole = box({0, 0, 0}, shape);
  Digest parts = box({0, 0, 0}, {shape[0], 1001, shape[2]});
  parts.add(box({0, 1001, 0}, {shape[0], shape[1] - 1001, 33}));
  parts.add(box({0, 1001, 33}, {5, shape[1] - 1001, shape[2] - 33}));
  EXPECT_NE(parts.value(), whole.value());
  parts.add(box({5, 1001, 33}, {shape[0] - 5, shape[1] - 1001, shape[2] - 33}));
  EXPECT_EQ(parts.value(), whole.value());
  EXPECT_EQ(parts.bytes(), whole.bytes());
}

TEST(Digest, what_was_not_covered_is_not_published) {
  Digest digest;
  digest.run(0, Bytes(7));
  const Lengths shape = {8};
  EXPECT_THROW(digest.published("uint8", shape, 1), Error);
  digest.run(7, Bytes(1));
  EXPECT_EQ(digest.published("uint8", shape, 1).substr(0, 4), "fd1:");
  const Lengths start = {3};
  const Lengths extent = {6};
  EXPECT_THROW(digest.constant_box({.shape = shape, .start = start, .extent = extent}, Bytes(1)),
               Error);
}

}  // namespace
}  // namespace faro
