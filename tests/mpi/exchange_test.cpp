// Exchanges on real processes. Elements say their own index, so that each rank judges its part
// alone; what was sent is what the plan said.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "distributed/numbered.hpp"
#include "faro/mpi/mpi_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "mpi/counted.hpp"

namespace faro {
namespace {

struct World {
  int rank = 0;
  int size = 1;
  int rank_bits = 0;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_bits = log2_exact(static_cast<Word>(size));
  }
};

std::vector<std::byte> part(Word first, std::uint64_t elements, std::uint64_t element_bytes,
                            const BitMap& index_at) {
  std::vector<std::byte> data(elements * element_bytes);
  for (std::uint64_t k = 0; k < elements; ++k) {
    const Word index = index_at(first + k);
    for (std::uint64_t b = 0; b < element_bytes; ++b) {
      data[k * element_bytes + b] = testing::numbered_byte(index, element_bytes, b);
    }
  }
  return data;
}

BitMap map_of(const std::string& text, int width) {
  return say(text, {.elements = Count{1} << static_cast<unsigned>(width)}).map.as_bits();
}

void expect_counts(const ExchangePlan& plan, const testing::Sent& sent, Transport transport,
                   int rank) {
  std::uint64_t blocks = 0;
  for (Word step = 0; plan.has_exchange() && step < plan.steps(); ++step) {
    for (Word b = 0; b < plan.blocks(); ++b) {
      blocks += plan.target(static_cast<Word>(rank), step, b) == static_cast<Word>(rank) ? 0 : 1;
    }
  }
  if (transport == Transport::all_to_all) {
    EXPECT_EQ(sent.all_to_all_bytes, blocks * plan.block_bytes());
    return;
  }
  EXPECT_EQ(sent.messages, blocks);
  EXPECT_EQ(sent.bytes, blocks * plan.block_bytes());
  EXPECT_LE(sent.partners.size(), plan.cost().partners);
  EXPECT_LE(sent.under_way_most, 2U * 16U);
  unsigned long long mine = sent.bytes;
  unsigned long long all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(Count{all}, plan.cost().ranks.moved_bytes);
}

// True on all ranks if all find it right.
enum class Fingerprints { compared, left_out };
bool performs(const BitMap& map, std::uint64_t element_bytes, const MpiOptions& options,
              Fingerprints fingerprints = Fingerprints::compared) {
  const World world;
  MpiPlan plan(MPI_COMM_WORLD, map, element_bytes, options);
  const std::uint64_t elements = bit(plan.plan().local_bits());
  const Word first = static_cast<Word>(world.rank) * elements;
  std::vector<std::byte> from = part(first, elements, element_bytes, BitMap::identity(map.width()));
  std::vector<std::byte> to(from.size());
  testing::take_sent();
  if (options.exchange.in_place) {
    to = from;
    plan.execute_in_place(to);
  } else {
    plan.execute(from, to);
  }
  expect_counts(plan.plan(), testing::take_sent(), plan.transport(), world.rank);
  const BitMap& executed = plan.plan().executed_map();
  int wrong = to == part(first, elements, element_bytes, executed.inverse()) ? 0 : 1;
  EXPECT_EQ(wrong, 0) << to_notation(map) << ", elements of " << element_bytes << ": "
                      << plan.plan().describe();
  if (fingerprints == Fingerprints::compared &&
      !verify_exchange(MPI_COMM_WORLD, executed, element_bytes, from, to)) {
    wrong = 1;
  }
  int any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return any == 0;
}

TEST(MpiExchange, every_affine_map_of_3_bits) {
  const World world;
  if (world.rank_bits > 3) GTEST_SKIP();
  int judged = 0;
  testing::for_every_matrix(3, [&](const BitMatrix& matrix) {
    for (Word c = 0; c < 8; ++c) {
      MpiOptions options;
      options.exchange.in_place = judged % 3 == 0;
      options.exchange.ranks = judged % 5 == 0 ? Ranks::relabelled : Ranks::fixed;
      // Ranks judge their elements themselves; fingerprints are compared now and then.
      ASSERT_TRUE(performs(BitMap::from_matrix(matrix, c), 8, options,
                           judged % 16 == 0 ? Fingerprints::compared : Fingerprints::left_out));
      ++judged;
    }
  });
  EXPECT_EQ(judged, 1344);
}

TEST(MpiExchange, random_maps_elements_and_buffers) {
  const World world;
  constexpr std::uint64_t element_sizes[] = {1, 2, 3, 8, 16, 24};
  Random random(31);
  for (int k = 0; k < 80; ++k) {
    const int width = world.rank_bits + static_cast<int>(random.below(13));
    const BitMap map = k % 2 == 0 ? testing::random_affine(width, random)
                                  : BitMap::from_places(testing::random_places(width, random),
                                                        random.next() & low_mask(width));
    MpiOptions options;
    const std::uint64_t element = element_sizes[random.below(std::size(element_sizes))];
    options.exchange.buffer_bytes = random.below(2) == 0 ? std::uint64_t{4096} : bit(24);
    options.exchange.in_place = random.below(3) == 0;
    options.exchange.ranks = random.below(3) == 0 ? Ranks::relabelled : Ranks::fixed;
    ASSERT_TRUE(performs(map, element, options));
  }
}

TEST(MpiExchange, twenty_two_bits) {
  Random random(32);
  ASSERT_TRUE(performs(testing::random_affine(20, random), 8, {}));
  ASSERT_TRUE(performs(say("i:22 -> rev(i)").map.as_bits(), 4, {}));
  ASSERT_TRUE(
      performs(say("r:10 c:10 -> c r").map.as_bits(), 16, {.exchange = {.in_place = true}}));
}

TEST(MpiExchange, one_reduction_to_plan_and_one_to_execute) {
  const World world;
  testing::take_sent();
  MpiPlan plan(MPI_COMM_WORLD, map_of("i -> rev(i)", world.rank_bits + 10), 8);
  testing::Sent sent = testing::take_sent();
  EXPECT_EQ(sent.reductions, 1U);
  EXPECT_EQ(sent.messages, 0U);
  std::vector<std::byte> from(plan.plan().local_bytes()), to(plan.plan().local_bytes());
  plan.execute(from, to);
  EXPECT_EQ(testing::take_sent().reductions, 1U);
  MpiOptions unchecked;
  unchecked.check = MpiOptions::Check::no;
  MpiPlan quick(MPI_COMM_WORLD, map_of("i -> rev(i)", world.rank_bits + 10), 8, unchecked);
  testing::take_sent();
  quick.execute(from, to);
  EXPECT_EQ(testing::take_sent().reductions, 0U);
}

TEST(MpiExchange, all_to_all_within_groups) {
  const World world;
  if (world.rank_bits == 0) GTEST_SKIP();
  Random random(33);
  int judged = 0;
  for (int k = 0; k < 30 && judged < 6; ++k) {
    MpiOptions options;
    options.transport = Transport::all_to_all;
    options.exchange.ranks = Ranks::relabelled;
    options.exchange.step_bytes = std::uint64_t{4096} << world.rank_bits;
    const BitMap map = testing::random_affine(world.rank_bits + 14, random);
    options.exchange.whole_slices = true;
    ExchangePlan plan = ExchangePlan::make(map, world.rank_bits, 8, options.exchange);
    options.exchange.whole_slices = false;  // the transport sees to it
    if (!plan.has_exchange() || !plan.has_groups() || !plan.packs() || !plan.unpacks()) {
      EXPECT_THROW(MpiPlan(MPI_COMM_WORLD, map, 8, options), Error);
      continue;
    }
    ASSERT_TRUE(performs(map, 8, options));
    ++judged;
  }
  EXPECT_EQ(judged, 6);
}

TEST(MpiExchange, measured_transports_settle) {
  const World world;
  const BitMap map = map_of("i -> rev(i)", world.rank_bits + 14);
  MpiOptions options;
  options.transport = Transport::measured;
  options.exchange.step_bytes = std::uint64_t{4096} << world.rank_bits;
  MpiPlan plan(MPI_COMM_WORLD, map, 8, options);
  EXPECT_EQ(plan.transport() == Transport::measured, world.size > 1);
  const std::uint64_t elements = bit(14);
  const Word first = static_cast<Word>(world.rank) * elements;
  const auto from = part(first, elements, 8, BitMap::identity(map.width()));
  const auto right = part(first, elements, 8, map.inverse());
  for (int k = 0; k < 6; ++k) {
    std::vector<std::byte> to(from.size());
    plan.execute(from, to);
    ASSERT_EQ(to, right) << "execution " << k;
  }
  EXPECT_NE(plan.transport(), Transport::measured);
  int mine = static_cast<int>(plan.transport());
  int most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(mine, most);
}

TEST(MpiExchange, progress_ends_with_everything) {
  const World world;
  std::vector<std::uint64_t> told;
  MpiOptions options;
  options.exchange.step_bytes = 4096;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    told.push_back(done);
    EXPECT_LE(done, total);
  };
  const BitMap map = map_of("i -> rev(i)", world.rank_bits + 13);
  ASSERT_TRUE(performs(map, 8, options));
  if (world.size == 1) return;
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), bit(13) * 8);
}

// One window of memory again and again: so many bytes of addresses without so many of memory.
class Repeated {
 public:
  explicit Repeated(std::uint64_t bytes) : bytes_(bytes) {
    const int file = memfd_create("repeated", 0);
    EXPECT_EQ(ftruncate(file, static_cast<off_t>(window_bytes)), 0);
    void* const there =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = static_cast<std::byte*>(there);
    for (std::uint64_t at = 0; at < bytes; at += window_bytes) {
      EXPECT_EQ(
          mmap(data_ + at, window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0),
          static_cast<void*>(data_ + at));
    }
    close(file);
  }
  ~Repeated() { munmap(data_, bytes_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

  static constexpr std::uint64_t window_bytes = std::uint64_t{16} << 20U;
  std::span<std::byte> all() { return {data_, bytes_}; }
  std::span<std::byte> window() { return all().first(window_bytes); }

 private:
  std::uint64_t bytes_;
  std::byte* data_ = nullptr;
};

// A rank sends 2^31 bytes to another, which no int counts.
TEST(MpiExchange, more_bytes_than_an_int_counts) {
  const World world;
  if (world.size != 2) GTEST_SKIP() << "two ranks are enough";
  const BitMap map = map_of("r:1 x -> ~r x", 29);
  MpiPlan plan(MPI_COMM_WORLD, map, 8);
  ASSERT_EQ(plan.plan().local_bytes(), bit(31));
  Repeated from(bit(31)), to(bit(31));
  const auto value = [](int rank, std::uint64_t at) {
    return static_cast<std::byte>((at * 251 >> 4U) + static_cast<std::uint64_t>(rank) * 77);
  };
  for (std::uint64_t at = 0; at < Repeated::window_bytes; ++at) {
    from.window()[at] = value(world.rank, at);
  }
  testing::take_sent();
  plan.execute(from.all(), to.all());
  const testing::Sent sent = testing::take_sent();
  EXPECT_EQ(sent.bytes, bit(31));
  EXPECT_GE(sent.messages, 2U);
  std::uint64_t wrong = 0;
  for (std::uint64_t at = 0; at < Repeated::window_bytes; ++at) {
    wrong += to.window()[at] == value(1 - world.rank, at) ? 0U : 1U;
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(MpiExchange, one_pass_over_shared_memory) {
  const World world;
  Random random(34);
  for (const int width : {world.rank_bits, world.rank_bits + 3, 16, 19}) {
    const BitMap map = testing::random_affine(width, random);
    MpiPlan plan(MPI_COMM_WORLD, map, 8);
    const std::uint64_t elements = bit(plan.plan().local_bits());
    const SharedArray from = mpi::allocate(MPI_COMM_WORLD, elements * 8);
    SharedArray to = mpi::allocate(MPI_COMM_WORLD, elements * 8);
    const Word first = static_cast<Word>(world.rank) * elements;
    const auto mine = part(first, elements, 8, BitMap::identity(width));
    std::copy(mine.begin(), mine.end(), from.data().begin());
    testing::take_sent();
    plan.execute(from, to);
    EXPECT_EQ(testing::take_sent().messages, 0U);
    const auto right = part(first, elements, 8, map.inverse());
    EXPECT_TRUE(std::equal(right.begin(), right.end(), to.data().begin()));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(MpiExchange, verify_finds_one_wrong_element) {
  const World world;
  const BitMap map = say("i:12 -> rev(i)").map.as_bits();
  const std::uint64_t elements = bit(12 - world.rank_bits);
  const Word first = static_cast<Word>(world.rank) * elements;
  const auto from = part(first, elements, 8, BitMap::identity(12));
  auto to = part(first, elements, 8, map.inverse());
  EXPECT_TRUE(verify_exchange(MPI_COMM_WORLD, map, 8, from, to));
  if (world.rank == world.size - 1) to[5] ^= std::byte{1};
  EXPECT_FALSE(verify_exchange(MPI_COMM_WORLD, map, 8, from, to));
  if (world.rank == world.size - 1) {
    to[5] ^= std::byte{1};
    std::swap_ranges(to.begin(), to.begin() + 8, to.begin() + 8);
  }
  EXPECT_FALSE(verify_exchange(MPI_COMM_WORLD, map, 8, from, to));
}

std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  }
  return 0;
}

// The largest memory of the process grows by no more than the buffer, MPI's own included in a
// megabyte or two that a first exchange has taken already.
TEST(MpiExchange, memory_stays_within_the_buffer) {
  const World world;
  // 64 MiB in all, or 256 MiB a rank.
  const int width = testing::full_run() ? world.rank_bits + 25 : 23;
  MpiOptions options;
  options.exchange.buffer_bytes = 8 << 20;
  const BitMap map = map_of("i -> rev(i)", width);
  const std::uint64_t bytes = bit(width - world.rank_bits) * 8;
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes, std::byte{2});
  MpiPlan warm(MPI_COMM_WORLD, map, 8, options);
  warm.execute(from, to);
  const std::uint64_t before = peak_bytes();
  MpiPlan plan(MPI_COMM_WORLD, map, 8, options);
  plan.execute(from, to);
  EXPECT_LE(peak_bytes() - before, options.exchange.buffer_bytes);
  EXPECT_GT(before, 2 * bytes);
}

}  // namespace
}  // namespace faro
