// GPU plans against a judge that enumerates addresses; mutants of plans; promises of whole sectors
// without conflicts; refusals.
#include "faro/gpu/plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "faro/base/error.hpp"
#include "faro/words/say.hpp"
#include "gpu/drawn.hpp"
#include "gpu/frame.hpp"
#include "gpu/recount.hpp"

namespace faro {
namespace {

using gpu::Kind;

gpu::Plan random_plan(int width, Random& random) {
  const Drawn drawn = random_map(width, random);
  gpu::Options options;
  options.element_bytes = bit(static_cast<int>(random.below(7)));
  options.in_place = drawn.in_place;
  options.tile_log2 = 10 + static_cast<int>(random.below(5));
  options.threads_log2 = 5 + static_cast<int>(random.below(4));
  const std::uint64_t which = random.below(8);
  const gpu::Machine& machine = gpu::machine(which % 2 == 0 ? "any" : "mi300");
  if (!drawn.in_place && which == 0) options.kind = Kind::element;
  return gpu::plan(drawn.map, options, machine);
}

TEST(GpuPlan, a_block_has_room_for_every_element) {
  Random random(12);
  for (std::uint64_t element = 1; element <= 64; ++element)
    for (const bool in_place : {false, true}) {
      const BitMap map =
          in_place ? random_involution(20, random) : testing::random_affine(20, random);
      const gpu::Plan plan = gpu::plan(map, {.element_bytes = element, .in_place = in_place});
      EXPECT_LE(plan.shared_bytes(), plan.machine.shared_bytes) << element << ' ' << in_place;
    }
}

TEST(GpuPlan, counts_are_those_of_enumeration) {
  Random random(11);
  int tiles = 0, direct = 0, elements = 0, in_place = 0, words = 0;
  for (int i = 0; i < 3000; ++i) {
    const gpu::Plan plan = random_plan(5 + static_cast<int>(random.below(6)), random);
    tiles += plan.kind == Kind::tile ? 1 : 0;
    direct += plan.kind == Kind::direct ? 1 : 0;
    elements += plan.kind == Kind::element ? 1 : 0;
    in_place += plan.asked.in_place ? 1 : 0;
    words += plan.word_loads ? 1 : 0;
    ASSERT_TRUE(testing::is_as_certified(plan, testing::recounted(plan)))
        << to_notation(plan.map_asked) << ", " << plan.asked.element_bytes << " bytes, "
        << gpu::name_of(plan.kind) << (plan.asked.in_place ? ", in place" : "");
  }
  EXPECT_GT(tiles, 500);
  EXPECT_GT(direct, 20);
  EXPECT_GT(elements, 200);
  EXPECT_GT(in_place, 500);
  EXPECT_GT(words, 20);
}

// A plan with several blocks, its tile in shared memory.
gpu::Plan large_tile_plan(Random& random, bool in_place) {
  for (;;) {
    const int width = 11 + static_cast<int>(random.below(2));
    gpu::Options options;
    options.element_bytes = bit(static_cast<int>(random.below(5)));
    options.in_place = in_place;
    options.tile_log2 = 12;
    const gpu::Plan plan = gpu::plan(
        in_place ? random_involution(width, random) : testing::random_affine(width, random),
        options);
    if (plan.kind == Kind::tile && plan.block_count() > 2) return plan;
  }
}

TEST(GpuPlan, mutants_are_caught) {
  Random random(12);
  for (int i = 0; i < 60; ++i) {
    const gpu::Plan plan = large_tile_plan(random, false);
    ASSERT_TRUE(testing::recounted(plan).right);
    gpu::Plan mutant = plan;
    std::swap(mutant.to.threads[0], mutant.to.threads[1]);
    EXPECT_FALSE(testing::recounted(mutant).right) << "a lane exchanged";
    mutant = plan;
    mutant.from.threads.back() = 0;
    EXPECT_FALSE(testing::recounted(mutant).right) << "a vector of the threads dropped";
    mutant = plan;
    mutant.blocks.pop_back();
    EXPECT_FALSE(testing::recounted(mutant).right) << "a vector of the blocks dropped";
    mutant = plan;
    mutant.from.shared[3] ^= bit(plan.from.width_log2);
    EXPECT_FALSE(testing::recounted(mutant).right) << "a bit of the swizzle on one side";
  }
}

TEST(GpuPlan, mutants_of_pairs_are_caught) {
  Random random(13);
  int moving = 0;
  for (int i = 0; i < 60; ++i) {
    const gpu::Plan plan = large_tile_plan(random, true);
    ASSERT_TRUE(testing::recounted(plan).right);
    gpu::Plan mutant = plan;
    mutant.pairs.shifted = !plan.pairs.shifted;
    if (!plan.pairs.moving.empty() || plan.pairs.shifted) {
      EXPECT_FALSE(testing::recounted(mutant).right) << "another rule for the bit that is left out";
    }
    if (plan.pairs.moving.empty()) continue;
    ++moving;
    mutant = plan;
    mutant.pairs.moves[0] = {};
    EXPECT_FALSE(testing::recounted(mutant).right) << "a move dropped";
    if (plan.pairs.staying.size() < 2 || plan.pairs.shifted) continue;
    mutant = plan;
    std::swap(mutant.pairs.staying[0], mutant.pairs.staying[1]);
    EXPECT_FALSE(testing::recounted(mutant).right) << "pairs off by one";
  }
  EXPECT_GT(moving, 20);
}

// The three kinds that have no counted swizzle, and some elements only.
TEST(GpuPlan, mutants_of_other_kinds_are_caught) {
  Random random(18);
  for (int i = 0; i < 200; ++i) {
    const int width = 8 + static_cast<int>(random.below(3));
    gpu::Options options;
    options.tile_log2 = 10;
    options.threads_log2 = 5;
    const BitMap map = testing::random_affine(width, random);
    const std::uint64_t which = random.below(4);
    options.element_bytes = which == 0 ? 3 * bit(static_cast<int>(random.below(5)))
                                       : bit(static_cast<int>(random.below(5)));
    if (which == 1) options.kind = Kind::element;
    if (which == 2) {
      options.kind = Kind::direct;
      options.element_bytes = random.below(2) == 0 ? 8 : 16;
    }
    BitMap asked = map;
    if (which == 3) {  // the top bit stays, and so do those elements that have it
      asked = beside(Map(BitMap::identity(1)), Map(map)).as_bits();
      options.only = {bit(width), random.below(2) == 0 ? 0 : bit(width)};
    }
    const gpu::Plan plan = gpu::plan(asked, options);
    ASSERT_TRUE(testing::recounted(plan).right) << gpu::name_of(plan.kind);
    gpu::Plan mutant = plan;
    std::swap(mutant.to.threads[0], mutant.to.threads[1]);
    EXPECT_FALSE(testing::recounted(mutant).right) << "a lane exchanged";
    mutant = plan;
    mutant.from.threads.back() = 0;
    EXPECT_FALSE(testing::recounted(mutant).right) << "a vector dropped";
    mutant = plan;
    mutant.start.to ^= 1;
    EXPECT_FALSE(testing::recounted(mutant).right) << "the complement spoiled";
    if (!plan.blocks.empty()) {
      mutant = plan;
      mutant.blocks.pop_back();
      EXPECT_FALSE(testing::recounted(mutant).right) << "a vector of the blocks dropped";
    }
    if (plan.kind != Kind::odd) continue;
    mutant = plan;
    mutant.to.shared[0] ^= mutant.to.shared[1];
    EXPECT_FALSE(testing::recounted(mutant).right) << "a sum of the swizzle left out";
  }
}

TEST(GpuPlan, mutants_of_windows_are_caught) {
  int turned = 0;
  for (const char* words : {"r=61 c=103 -> c r", "n=5 h=16 c=9 -> c n h", "r=10 b:6 -> rev(b) r",
                            "r=7 b:4 c=9 -> gray(b) ~c r", "r=100 c=70 -> roll(c, 2) roll(r, 3)",
                            "r=1001 -> roll(r, 500)", "r=90 c=9 -> roll(~c, 4) r"})
    for (const std::uint64_t element : {1U, 4U, 12U, 16U}) {
      const gpu::Plan plan = gpu::plan(say(words).map, {.element_bytes = element});
      ASSERT_EQ(plan.kind, Kind::window) << words;
      ASSERT_TRUE(testing::windows_are_right(plan)) << words << ", " << element << " bytes";
      for (std::size_t w = 0; w < plan.windows.size(); ++w) {
        gpu::Plan mutant = plan;
        mutant.windows[w].to_start += 1;
        EXPECT_FALSE(testing::windows_are_right(mutant)) << words << ": a seam off by one";
        mutant = plan;
        mutant.windows.erase(mutant.windows.begin() + static_cast<std::ptrdiff_t>(w));
        EXPECT_FALSE(testing::windows_are_right(mutant)) << words << ": a window dropped";
        mutant = plan;
        mutant.windows[w].read.clear();
        EXPECT_FALSE(testing::windows_are_right(mutant)) << words << ": the axes dropped";
        const std::vector<std::size_t>& read = plan.windows[w].read;
        const std::vector<std::size_t>& written = plan.windows[w].written;
        if (!plan.windows[w].turns() || read[0] == written[0]) continue;
        ++turned;
        mutant = plan;
        std::vector<gpu::WindowAxis>& axes = mutant.windows[w].axes;
        axes[read[0]].place = axes[written[0]].place;
        EXPECT_FALSE(testing::windows_are_right(mutant)) << words << ": places that collide";
        mutant = plan;
        std::swap(mutant.windows[w].axes[read[0]].to, mutant.windows[w].axes[written[0]].to);
        EXPECT_FALSE(testing::windows_are_right(mutant)) << words << ": strides exchanged";
      }
    }
  EXPECT_GT(turned, 20);
}

// The swizzle without its sums: places are the source's order, bytes right, and lanes conflict.
TEST(GpuPlan, without_the_swizzle_lanes_conflict) {
  const BitMap map = say("i:12 -> rev(i)").map.as_bits();
  gpu::Plan plan = gpu::plan(map, {.element_bytes = 4});
  ASSERT_EQ(gpu::certificate(plan).load->conflict, 1U);
  const BitMap back = map.inverse();
  gpu::Frame order(gpu::units(0, plan.from.vector_log2));
  for (const Word w : plan.from.threads) order.insert(w);
  for (const Word w : plan.from.steps) order.insert(w);
  const auto place = [&](Word w) { return order.coordinates(w) << 2U; };
  plan.from.shared.clear();
  plan.to.shared.clear();
  for (const Word w : gpu::joined(plan.from.threads, plan.from.steps))
    plan.from.shared.push_back(place(w));
  for (const Word w : gpu::joined(plan.to.threads, plan.to.steps))
    plan.to.shared.push_back(place(back.matrix().apply(w)));
  for (int i = 0; i < 2; ++i) {
    plan.from.inner[static_cast<std::size_t>(i)] = place(bit(i));
    plan.to.inner[static_cast<std::size_t>(i)] = place(back.matrix().apply(bit(i)));
  }
  EXPECT_EQ(gpu::certificate(plan).store->conflict, 1U);
  EXPECT_GT(gpu::certificate(plan).load->conflict, 1U);
  EXPECT_TRUE(testing::is_as_certified(plan, testing::recounted(plan)));
}

TEST(GpuPlan, large_maps_move_whole_sectors_without_conflict) {
  Random random(14);
  for (int i = 0; i < 2000; ++i) {
    const int width = 14 + static_cast<int>(random.below(20));
    const Drawn drawn = random_map(width, random);
    const gpu::Plan plan = gpu::plan(
        drawn.map,
        {.element_bytes = bit(static_cast<int>(random.below(7))), .in_place = drawn.in_place});
    if (plan.map.width() + plan.unit_log2 < 12) continue;  // nearly the identity
    const gpu::Certificate c = gpu::certificate(plan);
    ASSERT_EQ(c.read.sectors, c.read.ideal_sectors) << to_notation(plan.map_asked);
    ASSERT_EQ(c.written.sectors, c.written.ideal_sectors) << to_notation(plan.map_asked);
    ASSERT_EQ(c.read.lines, c.read.ideal_lines) << to_notation(plan.map_asked);
    ASSERT_EQ(c.written.lines, c.written.ideal_lines) << to_notation(plan.map_asked);
    if (!c.store) continue;
    ASSERT_EQ(c.store->conflict * c.load->conflict, 1U) << to_notation(plan.map_asked);
  }
}

TEST(GpuPlan, a_direct_plan_needs_no_shared_memory) {
  Random random(15);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t bytes = random.below(2) == 0 ? 8 : 16;
    const gpu::Plan plan = gpu::plan(testing::random_affine(10, random),
                                     {.element_bytes = bytes, .kind = Kind::direct});
    ASSERT_EQ(plan.shared_bytes(), 0U);
    const gpu::Certificate c = gpu::certificate(plan);
    ASSERT_EQ(c.read.sectors, c.read.ideal_sectors);
    ASSERT_EQ(c.written.sectors, c.written.ideal_sectors);
    ASSERT_TRUE(testing::is_as_certified(plan, testing::recounted(plan)));
  }
}

// Of bit reversal the plain loop writes a sector for each element.
TEST(GpuPlan, the_plain_loop_is_counted) {
  const gpu::Plan plan = gpu::plan(say("i:20 -> rev(i)").map.as_bits(), {.element_bytes = 4});
  const gpu::Certificate plain = gpu::plain_certificate(plan);
  EXPECT_EQ(plain.read.sectors, bit(17));
  EXPECT_EQ(plain.written.sectors, bit(20));
  EXPECT_EQ(plain.written.ideal_sectors, bit(17));
  // Where no launch has a thread for each element, too.
  const gpu::Plan large = gpu::plan(say("i:42 -> rev(i)").map.as_bits(), {.element_bytes = 4});
  EXPECT_EQ(gpu::plain_certificate(large).written.sectors, bit(42));
  EXPECT_EQ(gpu::certificate(large).written.sectors, bit(39));
}

// An xor is a cycle or less: well below 100 microseconds.
TEST(GpuPlan, planning_forty_bits_takes_few_operations) {
  Random random(16);
  std::uint64_t most = 0;
  for (int i = 0; i < 100; ++i) {
    const BitMap map =
        i % 2 == 0 ? testing::random_affine(40, random) : random_involution(40, random);
    const std::uint64_t before = gpu::xors_done;
    gpu::plan(map, {.element_bytes = bit(i % 5), .in_place = i % 2 != 0});
    most = std::max(most, gpu::xors_done - before);
  }
  EXPECT_GT(most, 100U);
  EXPECT_LT(most, 30000U);
}

void refuses(const BitMap& map, const gpu::Options& options, ErrorCode code) {
  try {
    gpu::plan(map, options);
    ADD_FAILURE() << "planned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

TEST(GpuPlan, refusals) {
  Random random(17);
  const BitMap map = testing::rotation(20, 3);
  refuses(map, {.element_bytes = 0}, ErrorCode::usage);
  refuses(map, {.element_bytes = 65}, ErrorCode::usage);
  refuses(map, {.element_bytes = 4, .in_place = true}, ErrorCode::impossible);
  // As few elements as a block has threads, and too many bytes for its shared memory.
  const BitMap turn = BitMap::from_places({1, 2, 3, 4, 5, 6, 7, 8, 9, 0});
  EXPECT_EQ(gpu::plan(turn, {.element_bytes = 3, .in_place = true, .threads_log2 = 10}).tile.size(),
            10U);
  gpu::Machine little = gpu::machine("h100");
  little.shared_bytes = 32768;
  EXPECT_THROW(gpu::plan(turn, {.element_bytes = 60, .in_place = true, .threads_log2 = 10}, little),
               Error);
  refuses(map, {.element_bytes = 4, .tile_log2 = 40}, ErrorCode::usage);
  refuses(map, {.element_bytes = 4, .threads_log2 = -1}, ErrorCode::usage);
  refuses(map, {.element_bytes = 4, .only = {1, 0}}, ErrorCode::usage);  // it turns bit 0 away
  refuses(BitMap::identity(9), {.element_bytes = 4, .only = {1, 2}}, ErrorCode::usage);
  refuses(BitMap::identity(9), {.element_bytes = 4, .only = {bit(9), 0}}, ErrorCode::usage);
  refuses(BitMap::identity(60), {.element_bytes = 1}, ErrorCode::usage);
  refuses(shifted_reversal(56, 0), {.element_bytes = 4}, ErrorCode::usage);
  EXPECT_THROW(gpu::machine("voodoo"), Error);
  EXPECT_THROW(gpu::language("glsl"), Error);
  const gpu::Plan plan = gpu::plan(map, {.element_bytes = 4});
  for (const char* name : {"", "9a", "a b", "a;b"})
    EXPECT_THROW(gpu::emit(plan, gpu::Language::cuda, name), Error) << name;
}

TEST(GpuPlan, text_begins_with_launch_and_certificate) {
  const gpu::Plan plan = gpu::plan(say("i:20 -> rev(i)").map.as_bits(), {.element_bytes = 8});
  for (const gpu::Language language :
       {gpu::Language::cuda, gpu::Language::hip, gpu::Language::opencl}) {
    const std::string text = gpu::emit(plan, language, "f");
    EXPECT_NE(text.find("// launch: global 131072, local 256 "), std::string::npos) << text;
    EXPECT_NE(text.find("sectors read 262144 (1.00 of ideal)"), std::string::npos) << text;
    EXPECT_NE(text.find(" f(GLOBAL const uint4* ALONE from"), std::string::npos) << text;
  }
}

// Every element is in one window, whatever the lengths: counted by the axes alone.
TEST(GpuPlan, windows_hold_long_runs_of_both_sides) {
  for (const char* words :
       {"r=6001 c=6001 -> c r", "n=56 h=256 c=256 -> c n h", "r=100 b:12 -> rev(b) r",
        "a=3 b=5 c=7 d=11 e=13 f=17 -> f e d c b a"}) {
    const gpu::Plan plan = gpu::plan(say(words).map, {.element_bytes = 4});
    ASSERT_EQ(plan.kind, Kind::window) << words;
    EXPECT_LE(plan.tile_bytes(), 16384U) << words;
    EXPECT_LE(plan.shared_bytes(), 16384U + 16384U / 8) << words;
    const gpu::Certificate c = gpu::certificate(plan);
    EXPECT_FALSE(c.counted);
    EXPECT_GE(plan.block_count() * plan.tile_bytes(), plan.bytes()) << words;
    EXPECT_LE(plan.block_count() * plan.tile_bytes(), 4 * plan.bytes()) << words;
    Word read = 1;
    Word written = 1;
    for (const std::size_t i : plan.windows[0].read) read *= plan.windows[0].axes[i].chunk;
    for (const std::size_t i : plan.windows[0].written) written *= plan.windows[0].axes[i].chunk;
    EXPECT_EQ(read, written) << words;
    EXPECT_EQ(read << static_cast<unsigned>(plan.unit_log2), plan.tile_bytes()) << words;
  }
  const gpu::Certificate wide =
      gpu::certificate(gpu::plan(say("r=6001 c=6001 -> c r").map, {.element_bytes = 4}));
  EXPECT_EQ(wide.read.run_bytes, 256U);
  EXPECT_EQ(wide.written.run_bytes, 256U);
  // Where one axis is fast on both sides, a window is a long piece of it, and an index of the text
  // may have 64 bits.
  const gpu::Plan long_axis = gpu::plan(say("r=6000000001 -> ~r").map, {.element_bytes = 1});
  EXPECT_EQ(long_axis.tile_bytes(), 16384U);
  EXPECT_EQ(long_axis.shared_bytes(), 0U);
  EXPECT_NE(gpu::emit(long_axis, gpu::Language::cuda).find("typedef u64 index"), std::string::npos);
  const auto refused = [](const char* words, const gpu::Options& options) {
    try {
      gpu::plan(say(words).map, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("r=10 c=10 -> c r", {.in_place = true}).find("in place"), std::string::npos);
  EXPECT_NE(refused("r=10 c=10 -> c r", {.kind = Kind::tile}).find("kind window"),
            std::string::npos);
  // a=2 to a=5 are lengths that a roll leaves lengths.
  EXPECT_NE(
      refused("a=5 b=7 c=9 d=11 e=13 -> roll(e,1) roll(d,1) roll(c,1) roll(b,1) roll(a,1)", {})
          .find("32 parts"),
      std::string::npos);
}

// What is rolled is cut at its seam: the parts of all windows are the whole, and each is a window
// like any other.
TEST(GpuPlan, rolls_are_cut_at_their_seams) {
  const gpu::Plan plan =
      gpu::plan(say("r=1000 c=70 -> roll(c, 2) roll(r, 3)").map, {.element_bytes = 4});
  ASSERT_EQ(plan.windows.size(), 4U);
  std::uint64_t elements = 0;
  for (const gpu::Window& window : plan.windows) {
    std::uint64_t part = 1;
    for (const gpu::WindowAxis& axis : window.axes) part *= axis.length;
    elements += part;
  }
  EXPECT_EQ(elements, 70000U);
  EXPECT_EQ(gpu::certificate(plan).read.run_bytes, 256U);
}

}  // namespace
}  // namespace faro
