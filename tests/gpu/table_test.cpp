// The kernel that takes a map as a table: its bytes on an OpenCL device, its launches on the fake
// driver where no compiler is, and that the ready code is what the compiler makes of its text.
#include "gpu/table.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "engine/reference.hpp"
#include "gpu/drawn.hpp"
#include "gpu/driver.hpp"
#include "gpu/drivers.hpp"
#include "gpu/text.hpp"

namespace faro::inline v1::tables {
extern const std::string_view gpu_kernels;
}

namespace faro {
namespace {

using gpu::Driver;
using gpu::Executable;

constexpr std::array unit_types = {"u8", "u16", "u32", "uint2", "uint4"};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The same text as the ready code's, its table in constant memory.
std::string opencl_text(std::size_t unit_log2) {
  return fmt::format(
      "{}#define TABLE __constant const struct Table* table_\n#define T (*table_)\n"
      "#define NAME faro_table_{}\n#define UNIT {}\n{}",
      gpu::opencl_prelude, 1U << unit_log2, unit_types.at(unit_log2),
      read_file(testing::source_path("src/gpu/table_kernel.inc")));
}

// Where each element is after the move; what is not moved stays.
void expected(const BitMap& map, const gpu::Options& options, const std::vector<char>& from,
              std::vector<char>& to) {
  const std::uint64_t bytes = options.element_bytes;
  for (Word i = 0; i < bit(map.width()); ++i)
    if ((i & options.only.mask) == options.only.value)
      std::memcpy(to.data() + map(i) * bytes, from.data() + i * bytes, bytes);
}

TEST(Table, moves_any_map_of_bits_on_opencl) {
  if (opencl_devices() == 0) GTEST_SKIP() << "no OpenCL device here";
  constexpr std::size_t guard_bytes = 4096;
  Driver& driver = Driver::of(Language::opencl);
  const Stream stream = driver.open(0);
  Random random(47);
  std::array<gpu::Kernel, unit_types.size()> kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    kernels.at(i) = driver.compile(opencl_text(i), fmt::format("faro_table_{}", 1U << i), stream);
  std::set<std::uint64_t> elements;
  std::array<int, unit_types.size()> units{};
  int in_place = 0, some = 0, small = 0;
  for (int i = 0; i < 220; ++i) {
    const int width = i < 22 ? i + 1 : 1 + static_cast<int>(random.below(13));
    Drawn drawn = random_map(width, random);
    gpu::Options options{.element_bytes = 1 + random.below(64), .in_place = drawn.in_place};
    constexpr std::array<std::uint64_t, 9> usual = {1, 2, 4, 8, 16, 32, 3, 12, 24};
    if (i % 3 != 0 || width > 16)
      options.element_bytes = usual.at(random.below(width > 16 ? 4 : 9));
    options.tile_log2 = 10 + static_cast<int>(random.below(5));
    if (i % 7 == 6 && width > 3) {  // a swap where another bit is set
      drawn.map = say(fmt::format("i:{} -> swap(i, 0, {})", width, width - 1)).map.as_bits();
      const Word other = bit(1 + i % (width - 2));
      options.only = {other, random.below(2) * other};
    }
    if (i % 5 == 4 && width <= 8) {  // in place in one block, its own inverse or not
      drawn.map = testing::random_affine(width, random);
      options = {.element_bytes = 1 + random.below(16), .in_place = true, .tile_log2 = 10};
    }
    const gpu::Machine& machine = gpu::machine(i % 2 == 0 ? "any" : "mi300");
    const gpu::Plan plan = gpu::table_plan(gpu::plan(drawn.map, options, machine));
    const std::uint64_t bytes = options.element_bytes << static_cast<unsigned>(width);
    std::vector<char> from(bytes + guard_bytes), to(from.size(), '\x5A'), got(from.size());
    for (char& c : from) c = static_cast<char>(random.below(256));
    if (options.in_place) to = from;
    std::vector<char> wanted = to;
    expected(drawn.map, options, from, wanted);
    const gpu::Table table = gpu::table_of(plan);
    void* const a = driver.allocate(from.size(), stream);
    void* const b = driver.allocate(to.size(), stream);
    void* const t = driver.allocate(sizeof table, stream);
    driver.write(a, from.data(), from.size(), stream);
    driver.write(b, to.data(), to.size(), stream);
    driver.write(t, &table, sizeof table, stream);
    const auto unit = static_cast<std::size_t>(plan.unit_log2);
    driver.launch(kernels.at(unit), plan.block_count(), gpu::table_threads,
                  {options.in_place ? b : a, b, t}, stream);
    driver.read(got.data(), b, got.size(), stream);
    ASSERT_TRUE(got == wanted) << i << ": " << gpu::notation_of(drawn.map) << ", elements of "
                               << options.element_bytes << " bytes";
    for (void* const array : {a, b, t}) driver.release(array, stream);
    elements.insert(options.element_bytes);
    ++units.at(unit);
    in_place += options.in_place ? 1 : 0;
    some += options.only.mask != 0 ? 1 : 0;
    small += table.bits < 8 ? 1 : 0;
  }
  for (const int count : units) EXPECT_GT(count, 8);
  EXPECT_TRUE(elements.size() > 30 && in_place > 60 && some > 20 && small > 40)
      << elements.size() << ' ' << in_place << ' ' << some << ' ' << small;
  driver.close(stream);
}

// FARO_NVRTC while it lives: the compiler is a library that is not there.
class NoCompiler {
 public:
  NoCompiler() { ::setenv("FARO_NVRTC", "libnothing.so.1", 1); }
  NoCompiler(const NoCompiler&) = delete;
  NoCompiler& operator=(const NoCompiler&) = delete;
  ~NoCompiler() { ::unsetenv("FARO_NVRTC"); }
};

TEST(Table, is_what_moves_arrays_where_no_compiler_is) {
  const Fake fake(Language::cuda);
  Driver& driver = Driver::of(Language::cuda);
  const Stream stream = fake.stream(1);
  void* const a = driver.allocate(24 << 12, stream);
  void* const b = driver.allocate(24 << 12, stream);
  const auto expect_launch = [&](const gpu::Plan& asked, const std::string& arrays) {
    const gpu::Plan plan = gpu::table_plan(asked);
    const gpu::Table table = gpu::table_of(plan);
    EXPECT_EQ(fake.said(),
              fmt::format("load ready code\nlaunch device 1 stream {} blocks {} threads 256 shared "
                          "{} {}\n",
                          reinterpret_cast<std::uintptr_t>(stream.handle), plan.block_count(),
                          plan.shared_bytes(), arrays));
    ASSERT_EQ(fake.table().size(), sizeof table);
    EXPECT_EQ(std::memcmp(fake.table().data(), &table, sizeof table), 0);
  };
  {
    const NoCompiler none;
    for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U, 12U, 24U}) {
      const gpu::Plan plan = gpu::plan(reversal(12), {.element_bytes = element});
      const gpu::Plan inside =
          gpu::plan(reversal(12), {.element_bytes = element, .in_place = true});
      fake.forget();
      Executable(plan, stream)(a, b);
      expect_launch(plan, "array 0 array 4294967296");
      fake.forget();
      Executable(inside, stream)(a);
      expect_launch(inside, "array 0 array 0");
    }
    fake.forget();
    gpu::permute(testing::rotation(11, 3), a, b, {.element_bytes = 4}, stream);
    gpu::permute(testing::rotation(11, 3), b, a, {.element_bytes = 4}, stream);
    EXPECT_EQ(fake.said().find("load", 1), std::string::npos) << "loaded once a context";
    const gpu::Plan lengths = gpu::plan(say("r=20 c=35 -> c r").map, {.element_bytes = 4});
    expect_in("environment: compiling a kernel needs libnothing.so.1, which this process cannot",
              refusal([&] { Executable(lengths, stream); }));
    const gpu::Plan plan = gpu::plan(reversal(10), {.element_bytes = 4});
    const Executable run(plan, stream);
    EXPECT_TRUE(run.from_table());
    expect_in("usage: `from` and `to` overlap", refusal([&] { run(a, a); }));
    expect_in("usage: this plan is out of place", refusal([&] { run(a); }));
    fake.failing(218);
    expect_in("environment: launching a kernel: the driver says FAKE_ERROR (218)",
              refusal([&] { run(a, b); }));
    expect_in("environment: loading a kernel: the driver says FAKE_ERROR (218)",
              refusal([&] { Executable(plan, stream); }));
    fake.failing(0);
  }
  fake.forget();
  const Executable compiled(gpu::plan(reversal(10), {.element_bytes = 4}), stream);
  EXPECT_FALSE(compiled.from_table());
  expect_in("load --gpu-architecture", fake.said());  // by a compiler that is there
  driver.release(a, stream);
  driver.release(b, stream);
}

TEST(Table, ready_code_is_what_the_compiler_makes_of_the_text) {
  const std::string held = read_file(testing::source_path("src/gpu/table_kernels.ptx"));
  EXPECT_EQ(tables::gpu_kernels, held);
  for (const char* bytes : {"1", "2", "4", "8", "16"})
    expect_in(fmt::format("faro_table_{}_param_2[{}]", bytes, sizeof(gpu::Table)), held);
  if (std::system("command -v clang++-14 >/dev/null") != 0) GTEST_SKIP() << "no clang 14 here";
  std::FILE* const out =
      ::popen((testing::source_path("tools/gpu_kernels") + " 2>&1").c_str(), "r");
  ASSERT_NE(out, nullptr);
  std::string made;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) made += static_cast<char>(c);
  EXPECT_EQ(::pclose(out), 0) << made;
  EXPECT_TRUE(made == held) << "tools/gpu_kernels >src/gpu/table_kernels.ptx makes it anew";
}

}  // namespace
}  // namespace faro
