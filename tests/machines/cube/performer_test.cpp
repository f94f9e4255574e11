// A cube's schedules performed on data.
#include "machines/performer.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "machines/cube/samples.hpp"
#include "schedules/expand.hpp"

namespace faro {
namespace {

using testing::gray_schedule;

std::vector<std::byte> random_bytes(std::size_t count) {
  Random random(count);
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
  return bytes;
}

std::vector<std::byte> performed(const RecordingSink& schedule, std::span<const std::byte> data,
                                 std::size_t element_bytes) {
  const auto performer = make_performer(data, element_bytes);
  schedule.replay_into(*performer);
  return performer->take_result();
}

TEST(CubePerformer, elements_end_where_the_map_sends_them_whatever_their_size) {
  for (int n = 2; n <= 6; ++n) {
    for (int elements = 1; elements <= 5; ++elements) {
      for (const std::size_t element_bytes : {std::size_t{1}, std::size_t{3}, std::size_t{16}}) {
        const RecordingSink schedule = gray_schedule(n, elements);
        const auto k = static_cast<std::size_t>(elements);
        const std::vector<std::byte> data = random_bytes((k << n) * element_bytes);
        const std::vector<std::byte> result = performed(schedule, data, element_bytes);
        const BitMap map = testing::gray_to_binary(n);
        for (Word p = 0; p < bit(n); ++p)
          for (std::size_t s = 0; s < k; ++s)
            ASSERT_EQ(0, std::memcmp(result.data() + (map(p) * k + s) * element_bytes,
                                     data.data() + (p * k + s) * element_bytes, element_bytes));
        RecordingSink expanded;
        ExpandingSink expand(expanded);
        schedule.replay_into(expand);
        ASSERT_EQ(performed(expanded, data, element_bytes), result);
      }
    }
  }
}

TEST(CubePerformer, reads_come_before_writes_and_a_copy_stays) {
  RecordingSink s;
  s.header.machine = Hypercube{1, Hypercube::Ports::all};
  s.header.goal = MapGoal{BitMap::identity(1), false, 0};
  s.header.slots = 2;
  // Both keep a copy in slot 1, exchange slot 0, and processor 0 takes its own element back.
  s.cube_steps = {CubeStep{{{{}, 0, inside, 1}, {{}, 0, 0, 0}}, {}, {}, {}},
                  CubeStep{{}, {{0, 1, 0, 0}}, {}, {}}};
  const std::vector<std::byte> data = {std::byte{7}, std::byte{9}};
  EXPECT_EQ(performed(s, data, 1), (std::vector<std::byte>{std::byte{7}, std::byte{7}}));
}

TEST(CubePerformer, data_of_another_size_are_refused) {
  const std::vector<std::byte> data(15);
  EXPECT_THROW(performed(gray_schedule(3, 2), data, 1), Error);
}

}  // namespace
}  // namespace faro
