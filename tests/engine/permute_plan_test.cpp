// Plans of bit maps against the obvious loop: batches, sizes of elements, threads, kernel sets.
#include "faro/engine/permute_plan.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "base/cores.hpp"
#include "engine/kernels/kernels.hpp"
#include "engine/moves.hpp"
#include "engine/tuned.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/words/say.hpp"
#include "forked.hpp"
#include "full.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

using namespace testing;

constexpr std::uint64_t small_l2 = std::uint64_t{1} << 20U;
constexpr std::uint64_t large_l2 = std::uint64_t{2} << 20U;

TEST(PermutePlan, batches_act_on_one_axis) {
  Random random(6);
  for (const std::uint64_t outer : {1U, 2U, 3U, 5U, 7U, 16U, 33U, 1000U}) {
    for (const std::uint64_t inner : {1U, 2U, 3U, 4U, 5U, 16U, 100U}) {
      for (const std::uint64_t element : {1U, 4U, 8U, 12U}) {
        for (const int width : {0, 1, 3, 6}) {
          const PermuteShape shape{.element_bytes = element, .outer = outer, .inner = inner};
          ASSERT_TRUE(moves_right(random_affine(width, random), shape, {}));
        }
      }
    }
  }
}

TEST(PermutePlan, elements_of_any_size_move) {
  Random random(7);
  for (std::uint64_t element = 1; element <= 130; ++element) {
    for (const int width : {2, 5, 9}) {
      ASSERT_TRUE(moves_right(random_affine(width, random), {.element_bytes = element}, {}));
      ASSERT_TRUE(moves_right(random_bpc(width, random), {.element_bytes = element}, {}));
    }
  }
  ASSERT_TRUE(moves_right(random_affine(6, random), {.element_bytes = 1000}, {}));
  ASSERT_TRUE(moves_right(random_affine(6, random), {.element_bytes = 4096}, {}));
}

TEST(PermutePlan, elements_that_stay_neighbours_move_together) {
  Random random(12);
  for (const std::uint64_t element : {3U, 12U, 17U, 1000U}) {
    for (const int still : {0, 1, 4, 11}) {
      for (const int width : {0, 1, 4}) {
        const BitMap identity = BitMap::identity(still);
        ASSERT_TRUE(moves_right(beside(random_affine(width, random), identity),
                                {.element_bytes = element, .outer = 2}, {}));
        // The lowest bit is where it was, but the one above is added to it.
        BitMatrix matrix = BitMatrix::identity(still + width + 2);
        matrix.set_column(1, 3);
        ASSERT_TRUE(moves_right(BitMap::from_matrix(matrix), {.element_bytes = element}, {}));
      }
    }
  }
}

TEST(PermutePlan, larger_maps_and_every_thread_count_give_the_same_bytes) {
  Random random(8);
  const int width_max = full_run() ? 24 : sanitized() ? 18 : 20;
  for (int width = 17; width <= width_max; ++width) {
    for (const BitMap& map : {random_affine(width, random), random_bpc(width, random),
                              bit_reversal(width), gray(width)}) {
      for (const int threads : {1, 2, 3, 16}) {
        ASSERT_TRUE(moves_right(map, {.element_bytes = 4}, {.threads = threads}));
      }
    }
  }
  const BitMap map = random_affine(17, random);
  for (int threads = 1; threads <= 16; ++threads) {
    ASSERT_TRUE(moves_right(map, {.element_bytes = 12}, {.threads = threads}));
  }
}

TEST(PermutePlan, one_that_was_moved_from_still_performs) {
  PermutePlan plan = PermutePlan::out_of_place(say("i:6 -> rev(i)").map.as_bits(), {});
  const PermutePlan other = std::move(plan);
  std::vector<std::byte> from(64);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i);
  std::vector<std::byte> to(64);
  std::vector<std::byte> again(64);
  other.execute(from, to);
  plan.execute(from, again);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to, again);
  EXPECT_EQ(to[1], std::byte{32});
}

TEST(PermutePlan, one_plan_serves_many_threads) {
  Random random(9);
  const BitMap map = random_affine(14, random);
  const auto plan = PermutePlan::out_of_place(map, {.element_bytes = 8});
  const auto from = numbered_bytes(plan.data_bytes());
  std::vector<std::vector<std::byte>> results(4, std::vector<std::byte>(from.size()));
  std::vector<std::thread> threads;
  for (auto& to : results) {
    threads.emplace_back([&plan, &from, &to] {
      for (int i = 0; i < 10; ++i) plan.execute(from, to);
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& to : results) {
    EXPECT_FALSE(reference_compare(map, {.element_bytes = 8}, from.data(), to.data()).found);
  }
}

TEST(PermutePlan, a_child_forked_after_two_threads_moves_with_two_threads) {
  if (!follows_children()) GTEST_SKIP() << "the sanitizer follows no such child";
  Random random(19);
  const BitMap map = random_affine(18, random);
  const auto plan = PermutePlan::out_of_place(map, {.element_bytes = 8}, {.threads = 2});
  ASSERT_EQ(plan.facts().threads, std::min(2, cores_available()));
  const auto from = numbered_bytes(plan.data_bytes());
  std::vector<std::byte> to(from.size());
  const auto moves = [&] {
    std::fill(to.begin(), to.end(), std::byte{0});
    plan.execute(from, to);
    return !reference_compare(map, {.element_bytes = 8}, from.data(), to.data()).found;
  };
  ASSERT_TRUE(moves());
  for (int child = 0; child < 3; ++child) {
    EXPECT_TRUE(works_in_child(30, [&] { return moves() && works_in_child(20, moves); }));
  }
  EXPECT_TRUE(moves());
}

TEST(PermutePlan, an_exception_of_the_progress_reaches_the_caller) {
  const auto plan =
      PermutePlan::out_of_place(bit_reversal(18), {.element_bytes = 8}, {.threads = 2});
  const auto from = numbered_bytes(plan.data_bytes());
  std::vector<std::byte> to(from.size());
  const auto fails = [](std::uint64_t, std::uint64_t) -> Continue { throw std::range_error("x"); };
  EXPECT_THROW(plan.execute(from, to, fails), std::range_error);
  plan.execute(from, to);
  EXPECT_FALSE(
      reference_compare(bit_reversal(18), {.element_bytes = 8}, from.data(), to.data()).found);
}

// Bytes between pages that must not be touched.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes + page_ - 1) / page_ * page_;
    memory_ = static_cast<std::byte*>(mmap(nullptr, inner_ + 2 * page_, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_, page_, PROT_NONE);
    mprotect(memory_ + page_ + inner_, page_, PROT_NONE);
  }
  ~Guarded() { munmap(memory_, inner_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::byte* first() const { return memory_ + page_; }
  // The place whose `bytes` bytes end at the guard.
  std::byte* last(std::size_t bytes) const { return first() + inner_ - bytes; }

 private:
  std::size_t page_;
  std::size_t inner_ = 0;
  std::byte* memory_ = nullptr;
};

TEST(PermutePlan, nothing_outside_the_buffers_is_touched) {
  Random random(10);
  for (const std::uint64_t element : {1U, 3U, 4U, 8U, 16U, 24U}) {
    for (const int width : {3, 7, 12}) {
      for (const Stores stores : {Stores::ordinary, Stores::streaming}) {
        const BitMap map = random_affine(width, random);
        const PermuteShape shape{.element_bytes = element};
        const auto plan = PermutePlan::out_of_place(map, shape, {.stores = stores});
        const auto in_place = PermutePlan::in_place(map, shape, {.stores = stores});
        const std::size_t bytes = plan.data_bytes();
        const Guarded a(bytes);
        const Guarded b(bytes);
        const auto data = numbered_bytes(bytes);
        for (std::byte* from : {a.first(), a.last(bytes)}) {
          for (std::byte* to : {b.first(), b.last(bytes)}) {
            std::copy(data.begin(), data.end(), from);
            plan.execute({from, bytes}, {to, bytes});
            EXPECT_FALSE(reference_compare(map, shape, from, to).found);
            in_place.execute_in_place({from, bytes});
            EXPECT_FALSE(reference_compare(map, shape, data.data(), from).found);
          }
        }
      }
    }
  }
}

TEST(PermutePlan, says_what_it_will_do) {
  const Tuned tuned(built_in_tuning(small_l2));
  Random random(11);
  const auto plan = PermutePlan::out_of_place(random_affine(24, random), {.element_bytes = 1});
  ASSERT_EQ(plan.facts().passes.size(), 1U);
  EXPECT_EQ(plan.facts().bytes_moved, 2 * bit(24));
  EXPECT_EQ(plan.facts().passes[0].stores, Stores::streaming);
  EXPECT_NE(plan.facts().passes[0].kernel.find("registers"), std::string::npos);
  EXPECT_GE(plan.facts().passes[0].from_run_bytes, 64U);
  EXPECT_GE(plan.facts().passes[0].to_run_bytes, 64U);
  EXPECT_LE(plan.facts().working_bytes, bit(20));
  EXPECT_NE(plan.describe().find("streaming"), std::string::npos);
}

TEST(PermutePlan, in_place_states_its_passes) {
  Random random(12);
  const auto passes = [](const BitMap& map) {
    return PermutePlan::in_place(map, {.element_bytes = 8}).facts().passes.size();
  };
  EXPECT_EQ(passes(BitMap::identity(20)), 0U);
  EXPECT_EQ(passes(bit_reversal(20)), 1U);
  EXPECT_EQ(passes(vector_reversal(20)), 1U);
  EXPECT_EQ(passes(rotation(20, 1)), 2U);
  EXPECT_EQ(passes(gray(20)), 2U);
  const auto plan = PermutePlan::in_place(random_affine(20, random), {.element_bytes = 8});
  EXPECT_GE(plan.facts().passes.size(), 3U);
  EXPECT_LE(plan.facts().passes.size(), 7U);
  EXPECT_LE(plan.facts().working_bytes, bit(20));
  EXPECT_EQ(plan.facts().bytes_moved, 2 * plan.data_bytes() * plan.facts().passes.size());
}

TEST(PermutePlan, in_place_stages_blocks_whose_pages_lie_far_apart) {
  const Tuned tuned(built_in_tuning(small_l2));
  const PermuteOptions options{.threads = 1};
  const auto facts = [&](const BitMap& map) {
    return PermutePlan::in_place(map, {.element_bytes = 8}, options).facts();
  };
  // Nothing is executed: the data would be 2^30 bytes. Eight tiles of 256 KiB wait, one goes
  // through, and one more is kept for buffers off the grid of lines.
  const PlanFacts reversal = facts(bit_reversal(27));
  EXPECT_EQ(reversal.passes[0].from_run_bytes, 4096U);
  EXPECT_EQ(reversal.passes[0].to_run_bytes, 512U);
  EXPECT_EQ(reversal.passes[0].stores, Stores::streaming);
  EXPECT_EQ(reversal.working_bytes, 10 * bit(18));
  const PlanFacts transpose = facts(rotation(26, 13));
  EXPECT_EQ(transpose.passes.size(), 1U);
  EXPECT_EQ(transpose.passes[0].stores, Stores::ordinary);
  // Where blocks do not pay, tiles.
  const Tuned other(built_in_tuning(large_l2));
  EXPECT_EQ(facts(bit_reversal(27)).passes[0].stores, Stores::ordinary);
  EXPECT_EQ(facts(bit_reversal(27)).passes[0].from_run_bytes, 256U);
}

TEST(PermutePlan, reads_scattered_sources_as_the_second_cache_wants_it) {
  const auto reads = [](std::uint64_t l2_bytes, std::uint64_t element) {
    const Tuned tuned(built_in_tuning(l2_bytes));
    const BitMap map = bit_reversal(28 - log2_exact(element));
    return PermutePlan::out_of_place(map, {.element_bytes = element}).facts().passes[0];
  };
  EXPECT_EQ(reads(small_l2, 8).from_run_bytes, 4096U);
  EXPECT_LE(reads(large_l2, 8).from_run_bytes, 1024U);
  EXPECT_EQ(reads(large_l2, 8).reason.find("source staged"), std::string::npos);
  EXPECT_NE(reads(large_l2, 1).reason.find("source staged"), std::string::npos);
}

// Vectors below a line: bit reversal goes by a stage of its source, other maps complete lines from
// registers. What crowds the first cache on both sides with quarters of lines, and elements whose
// kernels write many places, is completed in a stage of the destination.
TEST(PermutePlan, vectors_below_a_line_take_ways_of_their_own) {
  Random random(17);
  const auto reason = [](const BitMap& map, std::uint64_t l2_bytes, Simd simd,
                         std::uint64_t element) {
    const Tuned tuned(built_in_tuning(l2_bytes));
    return PermutePlan::out_of_place(map, {.element_bytes = element}, {.simd = simd})
        .facts()
        .passes[0]
        .reason;
  };
  const BitMap affine = random_affine(24, random);
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::neon}) {
    const auto sets = engine::kernel_sets();
    if (std::none_of(sets.begin(), sets.end(), [&](auto* set) { return set->simd == simd; })) {
      continue;
    }
    for (std::uint64_t l2_bytes : {small_l2, large_l2}) {
      const auto goes = [&](const BitMap& map, const char* way, std::uint64_t element = 8) {
        EXPECT_NE(reason(map, l2_bytes, simd, element).find(way), std::string::npos);
      };
      goes(affine, "neighbouring vectors");
      goes(rotation(24, 3), "neighbouring vectors");
      goes(rotation(24, 12), simd == Simd::avx2 ? "neighbouring vectors" : "from a stage");
      goes(rotation(24, 12), "from a stage", 2);
    }
    EXPECT_NE(reason(bit_reversal(27), small_l2, simd, 8).find("source staged"), std::string::npos);
  }
}

TEST(PermutePlan, no_power_of_two_falls_out_of_the_tiles) {
  Random random(13);
  const BitMap map = random_affine(10, random);
  for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 256U}) {
    for (const std::uint64_t outer : {1U, 3U, 1000U}) {
      const auto plan = PermutePlan::out_of_place(map, {.element_bytes = element, .outer = outer});
      EXPECT_NE(plan.facts().passes[0].kernel.find("registers"), std::string::npos);
    }
  }
  const auto odd = PermutePlan::out_of_place(map, {.element_bytes = 12});
  EXPECT_EQ(odd.facts().passes[0].kernel, "elements of 12 bytes");
  EXPECT_GT(odd.facts().passes[0].from_run_bytes, 64U);
}

TEST(PermutePlan, measuring_keeps_the_result) {
  Random random(14);
  const BitMap map = random_affine(20, random);
  const auto from = numbered_bytes(bit(23));
  std::vector<std::byte> to(from.size());
  const auto plan = PermutePlan::measured(map, {.element_bytes = 8}, from, to);
  EXPECT_FALSE(reference_compare(map, {.element_bytes = 8}, from.data(), to.data()).found);
  std::fill(to.begin(), to.end(), std::byte{0});
  plan.execute(from, to);
  EXPECT_FALSE(reference_compare(map, {.element_bytes = 8}, from.data(), to.data()).found);
  EXPECT_NE(plan.describe().find("measured"), std::string::npos);
}

TEST(PermutePlan, measuring_in_place_permutes_once) {
  Random random(20);
  for (const BitMap& map : {bit_reversal(18), random_affine(17, random), BitMap::identity(12)}) {
    for (const std::uint64_t element : {8U, 12U}) {
      const PermuteShape shape{.element_bytes = element};
      const auto from = numbered_bytes(element << map.width());
      auto data = from;
      const auto plan = PermutePlan::measured_in_place(map, shape, data, {.threads = 2});
      EXPECT_FALSE(reference_compare(map, shape, from.data(), data.data()).found);
      data = from;
      plan.execute_in_place(data);
      EXPECT_FALSE(reference_compare(map, shape, from.data(), data.data()).found);
    }
  }
  std::vector<std::byte> few(7);
  EXPECT_THROW(PermutePlan::measured_in_place(BitMap::identity(3), {}, few), Error);
}

TEST(PermutePlan, through_a_scratch_buffer) {
  Random random(15);
  for (const int width : {0, 12, 18}) {
    const BitMap map = random_affine(width, random);
    // 24 bytes: the last piece that is copied back is a part of one.
    for (const std::uint64_t element : {8U, 24U}) {
      const auto plan = PermutePlan::out_of_place(map, {.element_bytes = element}, {.threads = 3});
      const auto from = numbered_bytes(plan.data_bytes());
      auto data = from;
      std::vector<std::byte> scratch(from.size());
      plan.execute_through(data, scratch);
      EXPECT_FALSE(
          reference_compare(map, {.element_bytes = element}, from.data(), data.data()).found);
    }
  }
}

TEST(PermutePlan, tells_progress_and_stops_when_asked) {
  const auto plan = PermutePlan::out_of_place(bit_reversal(16), {.element_bytes = 8});
  const auto from = numbered_bytes(plan.data_bytes());
  std::vector<std::byte> to(from.size());
  std::uint64_t last = 0;
  plan.execute(from, to, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, plan.data_bytes());
    EXPECT_GT(done, last);
    last = done;
    return Continue::yes;
  });
  EXPECT_EQ(last, plan.data_bytes());
  const auto stop = [](std::uint64_t, std::uint64_t) { return Continue::no; };
  EXPECT_THROW(plan.execute(from, to, stop), Error);
}

TEST(PermutePlan, refuses_what_it_cannot_do) {
  EXPECT_THROW(PermutePlan::out_of_place(BitMap::identity(4), {.element_bytes = 0}), Error);
  EXPECT_THROW(PermutePlan::out_of_place(BitMap::identity(60)), Error);
  EXPECT_THROW(PermutePlan::out_of_place(BitMap::identity(4), {}, {.threads = -1}), Error);
  std::vector<std::byte> data(16);
  EXPECT_THROW(PermutePlan::in_place(BitMap::identity(4)).execute(data, data), Error);
  EXPECT_THROW(PermutePlan::out_of_place(BitMap::identity(4)).execute_in_place(data), Error);
  EXPECT_NO_THROW(PermutePlan::out_of_place(BitMap::identity(4), {.outer = 0}).execute({}, {}));
}

// A plan looks at bits, never at elements: 2^40 of them need little.
TEST(PermutePlan, is_made_of_little) {
  Random random(16);
  for (int i = 0; i < 50; ++i)
    for (const int width : {20, 40}) {
      const BitMap map = random_affine(width, random);
      const testing::MemoryAsked asked = testing::memory_asked([&] {
        const auto plan = PermutePlan::out_of_place(map, {.element_bytes = 8});
        ASSERT_EQ(plan.facts().passes.size(), 1U);
      });
      EXPECT_LT(asked.times, 200U);
      EXPECT_LT(asked.bytes, 160U << 10U);
    }
}

// Elements of 8 bytes that say where they come from, over sizes that 32 bits do not count. Only the
// destination is read, so that in place takes no second buffer.
class Large {
 public:
  Large(const BitMap& map, const PermuteShape& shape) : map_(map), shape_(shape) {}

  static std::uint64_t content(std::uint64_t element) { return element * 0x9e3779b97f4a7c15U; }
  std::uint64_t bytes() const { return (shape_.outer << map_.width()) * shape_.inner * 8; }
  void fill(std::byte* data) const {
    for (std::uint64_t i = 0; i < bytes() / 8; ++i) {
      const std::uint64_t value = content(i);
      std::memcpy(data + i * 8, &value, 8);
    }
  }
  // The first element that is wrong, or the number of elements.
  std::uint64_t first_wrong(const std::byte* data) const {
    const BitMap back = map_.inverse();
    std::uint64_t at = 0;
    for (std::uint64_t o = 0; o < shape_.outer; ++o) {
      for (Word y = 0; y < bit(map_.width()); ++y) {
        const std::uint64_t from = ((o << map_.width()) + back(y)) * shape_.inner;
        for (std::uint64_t i = 0; i < shape_.inner; ++i, ++at) {
          std::uint64_t value = 0;
          std::memcpy(&value, data + at * 8, 8);
          if (value != content(from + i)) return at;
        }
      }
    }
    return at;
  }

 private:
  BitMap map_;
  PermuteShape shape_;
};

// A power-of-two axis makes the number of elements even, so the nearest sizes are one pair of
// elements below and above; with no axis at all, one element. A minute and 5 GB: CI asks for it.
TEST(PermutePlan, sizes_around_2_to_the_31_and_32_bytes) {
  const char* wanted = std::getenv("FARO_LARGE");
  if (wanted == nullptr || std::string_view(wanted) != "1") {
    GTEST_SKIP() << "set FARO_LARGE=1 (needs 5 GB)";
  }
  Random random(17);
  struct Case {
    BitMap map;
    std::uint64_t outer = 1;
    std::uint64_t inner = 1;
  };
  for (const int bytes_log2 : {31, 32}) {
    const std::uint64_t elements = bit(bytes_log2 - 3);
    std::vector<Case> cases{
        {bit_reversal(bytes_log2 - 3)},           {BitMap::identity(0), elements - 1},
        {BitMap::identity(0), elements + 1},      {vector_reversal(1), elements / 2 - 1},
        {vector_reversal(1), elements / 2 + 1},   {vector_reversal(1), 1, elements / 2 - 1},
        {vector_reversal(1), 1, elements / 2 + 1}};
    if (bytes_log2 == 31) cases.push_back({random_affine(bytes_log2 - 3, random)});
    const Guarded from(bit(31) + 16);
    const Guarded to(bytes_log2 == 31 ? bit(31) + 16 : 0);
    const Guarded both(bytes_log2 == 32 ? bit(32) + 16 : 0);
    for (const Case& one : cases) {
      const PermuteShape shape{.element_bytes = 8, .outer = one.outer, .inner = one.inner};
      const Large large(one.map, shape);
      const std::uint64_t bytes = large.bytes();
      std::byte* data = bytes_log2 == 31 ? from.last(bytes) : both.last(bytes);
      large.fill(data);
      std::byte* result = data;
      if (bytes_log2 == 31) {
        result = to.last(bytes);
        const auto plan = PermutePlan::out_of_place(one.map, shape, {.threads = 2});
        plan.execute({data, bytes}, {result, bytes});
      } else {
        const auto plan = PermutePlan::in_place(one.map, shape, {.threads = 2});
        plan.execute_in_place({data, bytes});
      }
      ASSERT_EQ(large.first_wrong(result), bytes / 8) << words(one.map, shape, {.threads = 2});
    }
  }
}

}  // namespace
}  // namespace faro
