// Maps of any lengths and strides by every way of moving them, against the obvious loop.
#include "engine/shapes.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <map>

#include "engine/kernels/kernels.hpp"
#include "engine/motion.hpp"
#include "engine/reference.hpp"
#include "engine/tuned.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"

namespace faro {
namespace {

using namespace testing;

constexpr std::byte guard{0xa5};
constexpr std::size_t guard_bytes = 128;

const char* const ways[] = {"bits",  "direct", "carry",    "exact", "one",
                            "split", "zip",    "reversed", "runs",  "elements"};

// What is right, the guard bytes and the gaps included.
struct Expected {
  std::vector<std::byte> from;
  std::vector<std::byte> to;

  explicit Expected(const ShapeCase& one)
      : from(numbered_bytes(reach(one.shape.from, one.shape.element_bytes))),
        to(reach(one.shape.to, one.shape.element_bytes) + guard_bytes, guard) {
    reference_permute(one.map, one.shape, from.data(), to.data());
  }
};

std::map<std::string, int> counts;

void check_ways(const ShapeCase& one, const PermuteOptions& options) {
  const Expected expected(one);
  const std::size_t to_bytes = expected.to.size() - guard_bytes;
  {
    std::vector<std::byte> to(expected.to.size(), guard);
    const auto plan = PermutePlan::out_of_place(one.map, one.shape, options);
    ASSERT_EQ(plan.facts().from_bytes, expected.from.size());
    ASSERT_EQ(plan.facts().to_bytes, to_bytes);
    plan.execute(expected.from, std::span(to).first(to_bytes));
    ASSERT_TRUE(to == expected.to) << one.text << "\n" << plan.describe();
  }
  for (const char* way : ways) {
    const auto motion = engine::plan_motion(engine::normal_form(one.map, one.shape), options, way);
    if (!motion) continue;
    std::vector<std::byte> to(expected.to.size(), guard);
    engine::run_motion(*motion, expected.from.data(), to.data(), {});
    ++counts[way];
    ASSERT_TRUE(to == expected.to) << way << ": " << one.text;
  }
}

PermuteOptions random_options(Random& random) {
  const auto sets = engine::kernel_sets();
  return {.threads = static_cast<int>(1 + random.below(3)),
          .simd = random.below(2) == 0 ? Simd::automatic : sets[random.below(sets.size())]->simd,
          .stores = random.below(3) != 0 ? Stores::streaming : Stores::ordinary};
}

TEST(Shapes, random_cases_move_right_by_every_way) {
  const int cases = full_run() ? 10000 : sanitized() ? 400 : 1500;
  Random random(1);
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    const ShapeCase one = random_case(random, full_run() && i % 10 == 0 ? 400000 : 20000);
    check_ways(one, random_options(random));
  }
  const engine::KernelSet& kernels = engine::kernel_set(Simd::automatic);
  for (const std::string way : ways) {
    if (!kernels.joins_lines && way == "carry") continue;
    if (!kernels.weaves && (way == "split" || way == "zip")) continue;
    EXPECT_GT(counts[way], sanitized() ? 0 : 5) << way << " was never taken";
  }
}

// Large enough that kernels meet whole blocks, strips and tables' ends.
TEST(Shapes, dense_cases_move_right_by_every_way) {
  const int cases = full_run() ? 300 : sanitized() ? 10 : 40;
  static constexpr std::uint64_t elements[] = {1, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16};
  Random random(2);
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    ShapeCase one;
    one.shape.element_bytes = one_of(random, elements);
    std::vector<Word> shape;
    std::vector<Word> to_shape;
    Word left = 400000 / one.shape.element_bytes;
    const Word axes = 2 + random.below(3);
    for (Word k = 0; k < axes; ++k) {
      const Word length = std::max<Word>(1, std::min<Word>(left, 1 + random.below(900)));
      shape.push_back(length);
      left /= length;
    }
    random.mix(shape);
    one.map = random_map(shape, false, random, to_shape);
    one.shape.from = random_places(shape, one.shape.element_bytes, false, random);
    one.shape.to = random_places(to_shape, one.shape.element_bytes, false, random);
    one.shape.to.offset = one.shape.element_bytes * random.below(20);
    one.text = "from " + text_of(one.shape.from) + " to " + text_of(one.shape.to);
    check_ways(one, random_options(random));
  }
}

std::string method(std::string_view text, std::uint64_t element, std::uint64_t offset = 0,
                   Simd simd = Simd::automatic) {
  const Said notation = say(text);
  ArrayPlaces to;
  to.offset = offset;
  return PermutePlan::out_of_place(notation.map, {element, {}, to},
                                   {.simd = simd, .stores = Stores::streaming})
      .facts()
      .passes.at(0)
      .method;
}

TEST(Shapes, the_plan_says_which_way_it_takes) {
  if (!engine::kernel_set(Simd::automatic).joins_lines) {
    GTEST_SKIP() << "no two-table picks here";
  }
  EXPECT_EQ(method("r=6001 c=6001 -> c r", 8), "carry");
  EXPECT_EQ(method("r=6000 c=6000 -> c r", 8), "direct");
  EXPECT_EQ(method("r=6000 c=6000 -> c r", 8, 8), "direct");
  EXPECT_EQ(method("r=6000 c=6000 -> c r", 8, 4), "exact");
  EXPECT_EQ(method("r=6001 c=6001 -> c r", 3), "exact");
  EXPECT_EQ(method("r=56 c=65537 -> c r", 4), "one");
  EXPECT_EQ(method("p=250000 c=3 -> c p", 1), "split");
  EXPECT_EQ(method("c=3 p=250000 -> p c", 1), "zip");
  EXPECT_EQ(method("i=1000001 -> ~i", 4), "reversed");
  EXPECT_EQ(method("a=300 b=301 c=100 -> b a c", 8), "runs");
  EXPECT_EQ(method("r=3 i:16 -> r gray(i)", 8), "bits");
  EXPECT_EQ(method("i:20 -> rev(i)", 8), "bits");
  EXPECT_EQ(method("r=100 b:8 c=64 -> c rev(b) r", 4), "carry");
}

TEST(Shapes, sets_without_two_table_picks_have_ways_of_their_own) {
  int sets = 0;
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    if (set->joins_lines || !set->weaves) continue;
    ++sets;
    EXPECT_EQ(method("r=6001 c=6001 -> c r", 8, 0, set->simd), "exact") << set->name;
    EXPECT_EQ(method("r=6000 c=6000 -> c r", 8, 0, set->simd), "direct") << set->name;
    EXPECT_EQ(method("p=250000 c=3 -> c p", 1, 0, set->simd), "split") << set->name;
    EXPECT_EQ(method("c=3 p=250000 -> p c", 1, 0, set->simd), "zip") << set->name;
    EXPECT_EQ(method("c=8 p=250000 -> p c", 4, 0, set->simd), "one") << set->name;
  }
  if (sets == 0) GTEST_SKIP() << "no such set here";
}

// Streams of every element and count, from a line on and not, as long as lines and a little more.
TEST(Shapes, few_streams_are_split_and_zipped_by_every_set) {
  Random random(4);
  for (const engine::KernelSet* set : engine::kernel_sets()) {
    for (std::uint64_t element = 1; element <= 8; element *= 2) {
      for (Word n = 2; n <= 8; ++n) {
        for (const Word length : {Word{70} / element + 1, 5 + random.below(3000)}) {
          const std::array<Word, 2> narrow{length, n};
          const std::array<Word, 2> wide{n, length};
          const std::array order{1, 0};
          for (const auto& lengths : {narrow, wide}) {
            ShapeCase one;
            one.map = Map::from_axes(lengths, order);
            one.shape.element_bytes = element;
            one.shape.to.offset = one.shape.from.offset = random.below(70);
            one.text = std::to_string(lengths[0]) + " x " + std::to_string(lengths[1]);
            one.shape.from.shape = {lengths[0], lengths[1]};
            one.shape.to.shape = {lengths[1], lengths[0]};
            const auto e = static_cast<std::int64_t>(element);
            one.shape.from.strides = {static_cast<std::int64_t>(lengths[1]) * e, e};
            one.shape.to.strides = {static_cast<std::int64_t>(lengths[0]) * e, e};
            check_ways(one,
                       {.threads = 1,
                        .simd = set->simd,
                        .stores = random.below(2) == 0 ? Stores::streaming : Stores::ordinary});
            if (HasFatalFailure()) FAIL() << set->name << ", elements of " << element;
          }
        }
      }
    }
  }
}

TEST(Shapes, large_transposes_of_bits_go_where_the_machine_reads_best) {
  if (!engine::kernel_set(Simd::automatic).joins_lines) {
    GTEST_SKIP() << "no two-table picks here";
  }
  const auto of_bits = [](const char* text, std::uint64_t element) {
    const auto plan =
        PermutePlan::out_of_place(say(text).map.as_bits(), {.element_bytes = element});
    const PassFacts& pass = plan.facts().passes.at(0);
    EXPECT_EQ(pass.method, "bits");
    return pass.reason.find("; off the grid of lines direct") != std::string::npos;
  };
  MachineTuning tuning = built_in_tuning(std::uint64_t{2} << 20U);
  tuning.stage_sources = false;
  {
    const Tuned direct(tuning);
    EXPECT_EQ(method("r:13 c:13 -> c r", 4), "bits");
    EXPECT_TRUE(of_bits("r:13 c:13 -> c r", 4));
    EXPECT_FALSE(of_bits("r:13 c:13 -> c r", 1));
    EXPECT_FALSE(of_bits("r:10 c:10 -> c r", 4));
    EXPECT_FALSE(of_bits("r:24 c:2 -> c r", 8));
    EXPECT_FALSE(of_bits("i:26 -> rev(i)", 8));
  }
  tuning.stage_sources = true;
  const Tuned staged(tuning);
  EXPECT_TRUE(of_bits("r:13 c:13 -> c r", 4));
  EXPECT_FALSE(of_bits("i:26 -> rev(i)", 8));
}

TEST(Shapes, transposes_of_bits_are_right_on_the_grid_of_lines_and_off_it) {
  MachineTuning tuning = built_in_tuning(std::uint64_t{2} << 20U);
  tuning.stage_sources = false;
  tuning.ordinary_bytes_max = 0;
  const Tuned tuned(tuning);
  const BitMap map = say("r:8 c:9 -> c r").map.as_bits();
  for (const std::uint64_t element : {4U, 8U, 16U}) {
    const std::size_t bytes = element << 17U;
    const auto numbers = numbered_bytes(bytes + 256);
    std::vector<std::byte> room(bytes + 256);
    const auto on_line = [](const std::byte* at) {
      return (64 - reinterpret_cast<std::uintptr_t>(at) % 64) % 64;
    };
    std::vector<std::byte> right(bytes);
    const auto plan = PermutePlan::out_of_place(map, {.element_bytes = element});
    for (const std::size_t from_past : {0U, 16U}) {
      const auto from = std::span(numbers).subspan(on_line(numbers.data()) + from_past, bytes);
      reference_permute(Map::from_bits(map), TensorShape{element, {}, {}}, from.data(),
                        right.data());
      for (const std::size_t to_past : {0U, 16U, 1U}) {
        const auto to = std::span(room).subspan(on_line(room.data()) + to_past, bytes);
        std::fill(to.begin(), to.end(), std::byte{0});
        plan.execute(from, to);
        ASSERT_TRUE(std::equal(to.begin(), to.end(), right.begin())) << from_past << to_past;
      }
    }
  }
}

TEST(Shapes, requests_that_make_no_sense_are_refused) {
  const std::array<Word, 2> lengths{6, 4};
  const std::array order{1, 0};
  const Map map = Map::from_axes(lengths, order);
  const auto code = [&](const TensorShape& shape) {
    try {
      PermutePlan::out_of_place(map, shape);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code({0, {}, {}}), ErrorCode::usage);
  EXPECT_EQ(code({8, {{6, 5}, {}, 0}, {}}), ErrorCode::usage);
  EXPECT_EQ(code({8, {{6, 4}, {8}, 0}, {}}), ErrorCode::usage);
  EXPECT_EQ(code({8, {{6, 4}, {-32, 8}, 0}, {}}), ErrorCode::usage);
  EXPECT_EQ(code({8, {}, {{4, 6}, {8, 8}, 0}}), ErrorCode::usage);
  EXPECT_EQ(code({8, {}, {{4, 6}, {40, 8}, 0}}), ErrorCode::usage);
  EXPECT_EQ(code({8, {{6, 4}, {std::int64_t{1} << 62U, 8}, 0}, {}}), ErrorCode::limit);
  EXPECT_EQ(code({8, {{8, 3}, {32, 8}, 0}, {}}), ErrorCode::impossible);
  // Without strides both sides are one run, whatever the axes.
  EXPECT_NO_THROW(PermutePlan::out_of_place(map, {8, {{8, 3}, {}, 0}, {}}));
  // A source may say one place twice.
  const TensorShape repeated{1, {{6, 4}, {0, 1}, 0}, {}};
  const auto plan = PermutePlan::out_of_place(map, repeated);
  const auto from = numbered_bytes(4);
  std::vector<std::byte> to(24);
  plan.execute(from, to);
  for (std::size_t k = 0; k < to.size(); ++k) EXPECT_EQ(to[k], from[k / 6]);
  EXPECT_THROW(plan.execute(std::span(from).first(3), to), Error);
  EXPECT_THROW(plan.execute(from, std::span(to).first(23)), Error);
}

TEST(Shapes, bits_move_as_their_bit_map_does) {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const BitMap map = i % 2 == 0 ? random_affine(12, random) : random_bpc(12, random);
    const std::uint64_t element = 1 + random.below(17);
    const auto from = numbered_bytes(element << 12U);
    std::vector<std::byte> bits(from.size());
    std::vector<std::byte> tensor(from.size());
    PermutePlan::out_of_place(map, {.element_bytes = element}).execute(from, bits);
    PermutePlan::out_of_place(Map::from_bits(map), TensorShape{element, {}, {}})
        .execute(from, tensor);
    ASSERT_EQ(bits, tensor);
  }
}

TEST(Shapes, every_thread_count_gives_the_same_bytes) {
  const std::array<Word, 3> lengths{601, 37, 67};
  for (const auto& order : {std::array{2, 1, 0}, std::array{1, 0, 2}, std::array{2, 0, 1}}) {
    const Map map = Map::from_axes(lengths, order);
    for (const std::uint64_t element : {1U, 3U, 8U}) {
      const TensorShape shape{element, {}, {}};
      const auto from = numbered_bytes(601 * 37 * 67 * element);
      std::vector<std::byte> to(from.size());
      for (const int threads : {1, 2, 3, 7}) {
        for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
          std::fill(to.begin(), to.end(), std::byte{0});
          PermutePlan::out_of_place(map, shape, {.threads = threads, .stores = stores})
              .execute(from, to);
          ASSERT_FALSE(reference_compare(map, shape, from.data(), to.data()).found) << threads;
        }
      }
    }
  }
}

// Address space that is not used until it is written.
class Sparse {
 public:
  explicit Sparse(std::size_t bytes)
      : bytes_(bytes),
        at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Sparse() {
    if (given()) ::munmap(at_, bytes_);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  bool given() const { return at_ != MAP_FAILED; }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(at_), bytes_}; }

 private:
  std::size_t bytes_;
  void* at_;
};

TEST(Shapes, strides_beyond_2_to_31_and_2_to_32_bytes) {
  const std::array<Word, 3> lengths{3, 70, 90};
  for (const std::int64_t far : {(std::int64_t{1} << 31) - 64, std::int64_t{1} << 31,
                                 (std::int64_t{1} << 32) + 24, (std::int64_t{5} << 32)}) {
    const Sparse from(static_cast<std::size_t>(2 * far) + 65536);
    const Sparse to(static_cast<std::size_t>(2 * far) + 65536);
    if (!from.given() || !to.given()) GTEST_SKIP() << "not so much address space";
    for (const auto& order : {std::array{0, 2, 1}, std::array{2, 0, 1}, std::array{1, 2, 0}}) {
      const Map map = Map::from_axes(lengths, order);
      TensorShape shape{8, {{3, 70, 90}, {far, 90 * 8, 8}, 0}, {}};
      std::vector<Word>& result = shape.to.shape;
      for (const int axis : order) result.push_back(lengths[static_cast<std::size_t>(axis)]);
      // The slowest axis of the result goes far too, backwards.
      const auto row = static_cast<std::int64_t>(result[2]) * 8;
      const bool few = result[0] == 3;
      shape.to.strides = {few ? -far : static_cast<std::int64_t>(result[1]) * row, row, 8};
      shape.to.offset = few ? static_cast<std::uint64_t>(2 * far) : 0;
      Random random(7);
      for (std::int64_t a = 0; a < 3; ++a) {
        for (auto& byte : from.bytes().subspan(static_cast<std::size_t>(a * far), 70 * 90 * 8)) {
          byte = static_cast<std::byte>(random.next());
        }
      }
      for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
        PermutePlan::out_of_place(map, shape, {.threads = 2, .stores = stores})
            .execute(from.bytes(), to.bytes());
        const Mismatch wrong =
            reference_compare(map, shape, from.bytes().data(), to.bytes().data());
        ASSERT_FALSE(wrong.found) << far << ": element " << wrong.from;
      }
    }
  }
}

TEST(Shapes, rolled_digits_are_moved_by_ranges) {
  Random random(41);
  std::size_t rolled = 0;
  for (int k = 0; k < (sanitized() ? 100 : 1500); ++k) {
    ShapeCase one = random_case(random, 20000);
    Digits digits = one.map.digits();
    for (Digit& digit : digits.to) {
      if (digit.which != Digit::is_bit && random.below(2) == 0) {
        digit.roll = random.below(digit.length);
      }
    }
    one.map = Map::from_digits(digits);
    std::vector<std::byte> from(reach(one.shape.from, one.shape.element_bytes));
    for (auto& byte : from) byte = static_cast<std::byte>(random.next());
    std::optional<PermutePlan> plan;
    try {
      plan = PermutePlan::out_of_place(one.map, one.shape, {.threads = k % 3});
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible) << one.text;  // axes that cut a rolled digit
      continue;
    }
    from.resize(std::max<std::size_t>(from.size(), plan->facts().from_bytes));
    std::vector<std::byte> to(plan->facts().to_bytes);
    std::vector<std::byte> wanted = to;
    reference_permute(one.map, one.shape, from.data(), wanted.data());
    plan->execute(from, to);
    ASSERT_TRUE(to == wanted) << one.text;
    const auto data = static_cast<std::uint64_t>(one.map.elements()) * one.shape.element_bytes;
    ASSERT_EQ(plan->facts().data_bytes, data);
    ASSERT_EQ(plan->facts().bytes_moved, 2 * data);
    for (const Digit& digit : one.map.digits().to) rolled += digit.roll != 0 ? 1 : 0;
  }
  EXPECT_GT(rolled, sanitized() ? 20U : 300U);
}

}  // namespace
}  // namespace faro
