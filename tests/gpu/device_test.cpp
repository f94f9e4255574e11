// Calls to drivers: as fake drivers of both vendors write them down, and as OpenCL performs them
// where a device is.
#include "faro/gpu/device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "engine/reference.hpp"
#include "faro/base/error.hpp"
#include "faro/c/gpu.h"
#include "faro/distributed/exchange_plan.hpp"
#include "faro/words/say.hpp"
#include "gpu/driver.hpp"
#include "gpu/drivers.hpp"
#include "maps.hpp"
#include "paths.hpp"

namespace faro {
namespace {

using gpu::Driver;
using gpu::Executable;
using gpu::Language;
using gpu::Stream;

class FakeDriver : public ::testing::TestWithParam<Language> {};
INSTANTIATE_TEST_SUITE_P(Device, FakeDriver, ::testing::Values(Language::cuda, Language::hip));

TEST_P(FakeDriver, a_call_is_one_launch_on_the_callers_stream) {
  const Fake fake(GetParam());
  Driver& driver = Driver::of(GetParam());
  const std::vector<gpu::Device> devices = gpu::devices(GetParam());
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1].name, "fake 1");
  const Stream stream = fake.stream(0);
  void* const a = driver.allocate(8 << 20, stream);
  void* const b = driver.allocate(8 << 20, stream);
  const Executable run(gpu::plan(reversal(20), {.element_bytes = 8}), stream);
  const Executable inside(gpu::plan(reversal(20), {.element_bytes = 8, .in_place = true}), stream);
  fake.forget();
  fake.current(-1);  // calls bring the stream's own
  run(a, b);
  run(b, a);
  inside(a);
  std::string wanted;
  for (const auto& [count, arrays] :
       {std::pair{512, "0 array 4294967296"}, {512, "4294967296 array 0"}, {512, "0"}})
    wanted += fmt::format("launch device 0 stream 2097152 blocks {} threads 256 array {}\n", count,
                          arrays);
  const std::string said = fake.said();
  EXPECT_EQ(said.substr(said.find("launch")), wanted);
  EXPECT_EQ(said.find("finish"), std::string::npos) << "nothing is waited for";
  driver.release(a, stream);
  driver.release(b, stream);
}

TEST_P(FakeDriver, bytes_are_written_on_the_stream_and_waited_for) {
  const Fake fake(GetParam());
  Driver& driver = Driver::of(GetParam());
  const Stream stream = fake.stream(0);
  void* const a = driver.allocate(64, stream);
  const std::vector<char> bytes(64);
  fake.forget();
  driver.write(a, bytes.data(), bytes.size(), stream);
  EXPECT_EQ(fake.said(), "write stream 2097152\nfinish\n");
  driver.release(a, stream);
}

TEST_P(FakeDriver, compiles_for_the_device_and_once_a_context) {
  const Fake fake(GetParam());
  Driver& driver = Driver::of(GetParam());
  for (int device = 0; device < 2; ++device) {
    const Stream stream = fake.stream(device);
    void* const a = driver.allocate(8 << 12, stream);
    void* const b = driver.allocate(8 << 12, stream);
    fake.forget();
    for (int i = 0; i < 3; ++i) gpu::permute(reversal(12), a, b, {.element_bytes = 8}, stream);
    gpu::permute_in_place(reversal(12), a, {.element_bytes = 8}, stream);
    gpu::permute(reversal(12), a, b, {.element_bytes = 4}, stream);
    const std::string said = fake.said();
    std::size_t loads = 0;
    for (std::size_t at = said.find("load"); at != std::string::npos;
         at = said.find("load", at + 1))
      ++loads;
    EXPECT_EQ(loads, 3U) << said;
    if (GetParam() == Language::cuda)
      expect_in(
          device == 0 ? "load --gpu-architecture=sm_90" : "load --gpu-architecture=compute_90",
          said);
    driver.release(a, stream);
    driver.release(b, stream);
  }
  const std::size_t before = fake.modules();
  {
    const Executable run(gpu::plan(reversal(9), {.element_bytes = 8}), fake.stream(1));
    EXPECT_EQ(fake.modules(), before + 1);
  }
  EXPECT_EQ(fake.modules(), before) << "a kernel is unloaded with its last executable";
}

TEST_P(FakeDriver, kept_kernels_have_a_limit) {
  const Fake fake(GetParam());
  for (int i = 0; i < 150; ++i)
    gpu::compiled(
        BitMap::from_places(std::vector<int>{1, 0, 2, 3, 4, 5, 6, 7}, static_cast<Word>(i)),
        {.element_bytes = 16}, fake.stream(0));
  EXPECT_LE(fake.modules(), 70U);
}

TEST_P(FakeDriver, refuses_in_words) {
  const Fake fake(GetParam());
  Driver& driver = Driver::of(GetParam());
  const Stream stream = fake.stream(0);
  const Stream other = fake.stream(1);
  char* const a = static_cast<char*>(driver.allocate(3 << 16, stream));
  void* const far = driver.allocate(1 << 16, other);
  const Executable run(gpu::plan(reversal(14), {.element_bytes = 4}), stream);
  const Executable inside(gpu::plan(reversal(14), {.element_bytes = 4, .in_place = true}), stream);
  std::vector<char> host((1 << 16) + 16);
  char* const here = host.data() + (16 - reinterpret_cast<std::uintptr_t>(host.data()) % 16) % 16;
  fake.forget();
  expect_in("usage: `to` is in the host's memory", refusal([&] { run(a, here); }));
  expect_in("usage: `from` is in the host's memory", refusal([&] { run(here, a); }));
  expect_in("usage: `data` is in the host's memory", refusal([&] { inside(here); }));
  expect_in("usage: `from` is null", refusal([&] { run(nullptr, a); }));
  expect_in("wanted a multiple of 16 bytes", refusal([&] { run(a + 4, a + (2 << 16)); }));
  expect_in("`from` and `to` overlap", refusal([&] { run(a, a + (1 << 16) - 16); }));
  expect_in("`from` and `to` overlap", refusal([&] { run(a, a); }));
  expect_in("`to` is on device 1, the stream on device 0", refusal([&] { run(a, far); }));
  expect_in("is of another context", refusal([&] { run.on(other); }));
  expect_in("in place: it takes one array", refusal([&] { inside(a, a + (1 << 16)); }));
  expect_in("it takes two arrays", refusal([&] { run(a); }));
  EXPECT_EQ(fake.said(), "") << "what is refused reaches no driver";
  run(a, a + (1 << 16));
  fake.failing(700);
  expect_in("environment: launching a kernel: the driver says FAKE_ILLEGAL_ADDRESS (700)",
            refusal([&] { run(a, a + (1 << 16)); }));
  fake.failing(0);
  fake.current(-1);
  expect_in("no context is current", refusal([&] {
              gpu::permute(reversal(14), a, a, {}, {GetParam(), nullptr, -1});
            }));
  gpu::permute(reversal(14), a, a + (1 << 16), {}, {GetParam(), nullptr, 0});
  expect_in("stream 0 ", fake.said());
  driver.release(a, stream);
  driver.release(far, other);
}

TEST(Device, from_c) {
  const Fake fake(Language::cuda);
  const Stream stream = fake.stream(0);
  Driver& driver = Driver::of(Language::cuda);
  void* const a = driver.allocate(8 << 10, stream);
  void* const b = driver.allocate(8 << 10, stream);
  const int places[3] = {2, 1, 0};
  faro_map* map = nullptr;
  faro_gpu_plan* plan = nullptr;
  ASSERT_EQ(faro_map_from_places(3, places, 0, &map), FARO_OK);
  faro_gpu_options options = FARO_GPU_OPTIONS;
  options.element_bytes = 8;
  fake.forget();
  ASSERT_EQ(faro_gpu_plan_create(map, &options, stream.handle, &plan), FARO_OK)
      << faro_last_error();
  EXPECT_EQ(faro_gpu_execute(plan, a, b, stream.handle), FARO_OK) << faro_last_error();
  EXPECT_EQ(faro_gpu_execute(plan, a, b, nullptr), FARO_OK) << faro_last_error();
  expect_in("stream 2097152 blocks 1 ", fake.said());
  expect_in("stream 0 blocks 1 ", fake.said());
  EXPECT_EQ(faro_gpu_execute_in_place(plan, a, stream.handle), FARO_USAGE);
  EXPECT_EQ(faro_gpu_execute(plan, places, b, stream.handle), FARO_USAGE);
  EXPECT_EQ(faro_gpu_execute(nullptr, a, b, stream.handle), FARO_USAGE);
  expect_in("plan is NULL", faro_last_error());
  faro_gpu_plan_free(plan);
  // Any map: of lengths, one of them rolled.
  const uint64_t shape[2] = {20, 35};
  faro_map* lengths = nullptr;
  ASSERT_EQ(faro_map_from_words("r=20 c=35 -> roll(c, 4) r", 2, shape, &lengths), FARO_OK)
      << faro_last_error();
  ASSERT_EQ(faro_gpu_plan_create(lengths, &options, stream.handle, &plan), FARO_OK)
      << faro_last_error();
  fake.forget();
  EXPECT_EQ(faro_gpu_execute(plan, a, b, stream.handle), FARO_OK) << faro_last_error();
  expect_in("stream 2097152 blocks 2 ", fake.said());
  faro_gpu_plan_free(plan);
  faro_map_free(lengths);
  options.api = 7;
  EXPECT_EQ(faro_gpu_plan_create(map, &options, nullptr, &plan), FARO_USAGE);
  faro_map_free(map);
  driver.release(a, stream);
  driver.release(b, stream);
}

TEST(Device, a_library_that_is_not_there_is_named) {
  expect_in(
      "environment: sorting needs libnothing.so.1 or libnothing.so.2, which this process cannot "
      "open",
      refusal([] {
        gpu::Library({"libnothing.so.1", "libnothing.so.2"}, "sorting");
      }));
  const gpu::Library math({"libm.so.6"}, "a sine");
  void (*function)() = nullptr;
  math.get(function, "no_such_function", true);
  EXPECT_EQ(function, nullptr);
  expect_in("environment: libm.so.6 has no function no_such_function",
            refusal([&] { math.get(function, "no_such_function"); }));
}

// Where OpenCL has a device, as PoCL's is: bytes, and refusals.
TEST(Device, opencl_moves_and_refuses) {
  if (opencl_devices() == 0) GTEST_SKIP() << "no OpenCL device here";
  Driver& driver = Driver::of(Language::opencl);
  const Stream stream = driver.open(0);
  Random random(45);
  for (const std::uint64_t element : {4U, 24U}) {
    const BitMap map = testing::random_affine(11, random);
    const std::uint64_t bytes = element << 11U;
    std::vector<char> from(bytes);
    std::vector<char> to(bytes);
    std::vector<char> wanted(bytes);
    for (char& c : from) c = static_cast<char>(random.below(256));
    reference_permute(map, {.element_bytes = element}, from.data(), wanted.data());
    void* const a = driver.allocate(bytes, stream);
    void* const b = driver.allocate(bytes, stream);
    void* const small = driver.allocate(bytes - 1, stream);
    driver.write(a, from.data(), bytes, stream);
    const Executable run = gpu::compiled(map, {.element_bytes = element}, stream);
    run(a, b);
    driver.read(to.data(), b, bytes, stream);
    EXPECT_EQ(to, wanted) << element;
    expect_in("`from` and `to` overlap", refusal([&] { run(a, a); }));
    expect_in("`to` is no buffer", refusal([&] { run(a, to.data()); }));
    expect_in("`from` is null", refusal([&] { run(nullptr, b); }));
    expect_in("bytes: wanted", refusal([&] { run(small, b); }));
    const Stream other = driver.open(0);
    void* const far = driver.allocate(bytes, other);
    expect_in("`to` is a buffer of another context", refusal([&] { run(a, far); }));
    expect_in("is of another context", refusal([&] { run.on(other); }));
    driver.release(far, other);
    driver.close(other);
    for (void* const array : {a, b, small}) driver.release(array, stream);
  }
  // Axes of any length, reversed and with gaps; what is between the elements stays.
  const Map map = say("r=37 b:3 c=90 -> ~c gray(b) r").map;
  const TensorShape shape{
      2, {{37, 8, 90}, {-1500, 184, 2}, 36 * 1500}, {{90, 8, 37}, {600, 60000, -12}, 36 * 12}};
  const gpu::Plan plan = gpu::plan_arrays(map, shape);
  EXPECT_EQ(plan.kind, gpu::Kind::window);
  std::vector<char> from(plan.from_bytes());
  std::vector<char> to(plan.to_bytes(), 'x');
  std::vector<char> wanted = to;
  for (char& c : from) c = static_cast<char>(random.below(256));
  reference_permute(map, shape, from.data(), wanted.data());
  void* const a = driver.allocate(from.size(), stream);
  void* const b = driver.allocate(to.size(), stream);
  driver.write(a, from.data(), from.size(), stream);
  driver.write(b, to.data(), to.size(), stream);
  Executable(plan, stream)(a, b);
  driver.read(to.data(), b, to.size(), stream);
  EXPECT_EQ(to, wanted);
  for (void* const array : {a, b}) driver.release(array, stream);
  driver.close(stream);
}

// Ranks whose arrays are a device's: kernels pack and unpack, and do what remains to be done in
// place; messages are carried by the host. True if every element arrives.
bool exchanges_on_device(const ExchangePlan& plan, const Stream& stream, Random& random) {
  Driver& driver = Driver::of(Language::opencl);
  const gpu::Options options{.element_bytes = plan.element_bytes()};
  const std::uint64_t bytes = plan.local_bytes();
  const auto moved = [&](const BitMap& map, const char* from) {
    void* const a = driver.allocate(bytes, stream);
    void* const b = driver.allocate(bytes, stream);
    driver.write(a, from, bytes, stream);
    gpu::permute(map, a, b, options, stream);
    std::vector<char> to(bytes);
    driver.read(to.data(), b, bytes, stream);
    for (void* const array : {a, b}) driver.release(array, stream);
    return to;
  };
  std::vector<char> from(plan.ranks() * bytes), to(from.size()), wanted(from.size());
  for (char& c : from) c = static_cast<char>(random.below(256));
  reference_permute(plan.executed_map(), {.element_bytes = plan.element_bytes()}, from.data(),
                    wanted.data());
  std::vector<std::vector<char>> sent, received(plan.ranks(), std::vector<char>(bytes));
  for (Word rank = 0; rank < plan.ranks(); ++rank) {
    const char* const data = from.data() + rank * bytes;
    sent.push_back(plan.packs() ? moved(plan.pack_map(rank), data)
                                : std::vector<char>(data, data + bytes));
  }
  for (Word rank = 0; rank < plan.ranks(); ++rank)
    for (Word step = 0; step < plan.steps(); ++step)
      for (Word block = 0; block < plan.blocks(); ++block) {
        const Word target = plan.target(rank, step, block);
        const std::uint64_t out = plan.packs() ? step * plan.step_bytes() : 0;
        const std::uint64_t in = plan.unpacks() ? step * plan.step_bytes() : 0;
        std::memcpy(received[target].data() + in + plan.receive_offset(target, step, block),
                    sent[rank].data() + out + plan.send_offset(rank, step, block),
                    plan.block_bytes());
      }
  for (Word rank = 0; rank < plan.ranks(); ++rank) {
    std::vector<char> part = received[rank];
    if (plan.unpacks()) part = moved(plan.unpack_map(rank), part.data());
    if (plan.options().in_place && plan.has_local_map())
      part = moved(plan.local_map(rank), part.data());
    std::copy(part.begin(), part.end(), to.begin() + static_cast<std::ptrdiff_t>(rank * bytes));
  }
  return to == wanted;
}

TEST(Device, opencl_does_the_local_passes_of_an_exchange) {
  if (opencl_devices() == 0) GTEST_SKIP() << "no OpenCL device here";
  const Stream stream = Driver::of(Language::opencl).open(0);
  Random random(46);
  int packed = 0, unpacked = 0, remains = 0, many_steps = 0;
  for (int i = 0; i < 6; ++i) {
    const int ranks = 1 + i / 3;
    const BitMap map = i == 0   ? reversal(10)
                       : i == 1 ? say("r:2 m:8 -> m r").map.as_bits()
                                : testing::random_affine(ranks + 9, random);
    const std::uint64_t element = std::uint64_t{4} << static_cast<unsigned>(i % 3);
    ExchangeOptions options{.in_place = i % 2 != 0};
    if (i % 3 == 2) options.step_bytes = 1024;
    const ExchangePlan plan = ExchangePlan::make(map, i < 2 ? 2 : ranks, element, options);
    ASSERT_TRUE(plan.has_exchange());
    packed += plan.packs() ? 1 : 0;
    unpacked += plan.unpacks() ? 1 : 0;
    remains += plan.options().in_place && plan.has_local_map() ? 1 : 0;
    many_steps += plan.steps() > 1 ? 1 : 0;
    EXPECT_TRUE(exchanges_on_device(plan, stream, random)) << to_notation(map);
  }
  EXPECT_TRUE(packed > 2 && unpacked > 1 && remains > 1 && many_steps > 0)
      << packed << ' ' << unpacked << ' ' << remains << ' ' << many_steps;
  Driver::of(Language::opencl).close(stream);
}

// A kernel is of one device, a context may have more.
TEST(Device, opencl_compiles_for_each_device_of_a_context) {
  if (opencl_devices() < 2) GTEST_SKIP() << "no two OpenCL devices here";
  const gpu::Library library({"libOpenCL.so.1"}, "this test");
  int (*queue_info)(void*, unsigned, std::size_t, void*, std::size_t*) = nullptr;
  void* (*create_context)(const void*, unsigned, void* const*, void*, void*, int*) = nullptr;
  void* (*create_queue)(void*, void*, std::uint64_t, int*) = nullptr;
  library.get(queue_info, "clGetCommandQueueInfo");
  library.get(create_context, "clCreateContext");
  library.get(create_queue, "clCreateCommandQueue");
  Driver& driver = Driver::of(Language::opencl);
  std::array<void*, 2> devices{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Stream alone = driver.open(static_cast<int>(i));
    ASSERT_EQ(queue_info(alone.handle, 0x1091, sizeof(void*), &devices.at(i), nullptr), 0);
    driver.close(alone);
  }
  if (devices[0] == devices[1]) GTEST_SKIP() << "two names of one OpenCL device";
  int status = 0;
  void* const context = create_context(nullptr, 2, devices.data(), nullptr, nullptr, &status);
  if (status != 0) GTEST_SKIP() << "OpenCL devices of two platforms";
  std::vector<Stream> streams;
  for (void* const device : devices)
    streams.push_back(Stream::opencl(create_queue(context, device, 0, &status)));
  const BitMap map = reversal(10);
  std::vector<std::uint32_t> from(1024);
  std::iota(from.begin(), from.end(), 0U);
  void* const a = driver.allocate(4096, streams[0]);
  void* const b = driver.allocate(4096, streams[0]);
  driver.write(a, from.data(), 4096, streams[0]);
  for (std::size_t i = 0; i < 4; ++i) {
    const Stream& stream = streams[i % 2];
    std::vector<std::uint32_t> to(1024, ~0U);
    driver.write(b, to.data(), 4096, stream);
    gpu::permute(map, a, b, {.element_bytes = 4}, stream);
    driver.read(to.data(), b, 4096, stream);
    for (std::uint32_t k = 0; k < 1024; ++k) ASSERT_EQ(to[map(k)], k) << i;
  }
  const Executable run(gpu::plan(map, {.element_bytes = 4}), streams[0]);
  run.on(streams[0])(a, b);
  expect_in("is of another context or device", refusal([&] { run.on(streams[1]); }));
  driver.finish(streams[0]);
  for (void* const array : {a, b}) driver.release(array, streams[0]);
  for (const Stream& stream : streams) driver.close(stream);
}

}  // namespace
}  // namespace faro
