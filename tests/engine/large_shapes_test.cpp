// Arrays of any length around 2^31 and 2^32 bytes, looked at in one place of eight; with
// FARO_FULL=1 everywhere. FARO_LARGE=1 asks for them; they take 5 GB.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "algebra/digit_walk.hpp"
#include "base/parallel.hpp"
#include "engine/kernels/kernels.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"

namespace faro {
namespace {

// Address space that takes memory where it is written.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Pages() {
    if (at_ != MAP_FAILED) ::munmap(at_, bytes_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* data() const { return at_ == MAP_FAILED ? nullptr : static_cast<std::byte*>(at_); }

 private:
  std::size_t bytes_;
  void* at_;
};

std::uint64_t value_of(Word index) {
  return (index + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U >> 13U;
}

constexpr std::uint64_t parts = 8192;

bool is_looked_at(std::uint64_t part) {
  return part < 2 || part + 2 >= parts || part % 8 == 5 || testing::full_run();
}

template <std::size_t Bytes>
void fill_all(std::byte* data, Word elements) {
  in_parallel(2, parts, [&](std::uint64_t part, int) {
    const Word end = elements * (part + 1) / parts;
    for (Word i = elements * part / parts; i < end; ++i) {
      const std::uint64_t value = value_of(i);
      std::memcpy(data + i * Bytes, &value, Bytes);
    }
  });
}

template <std::size_t Bytes>
std::uint64_t wrong_of_all(const Map& map, const std::byte* data) {
  const auto elements = static_cast<Word>(map.elements());
  const radix::DigitPlaces places(map.inverse());
  std::array<std::uint64_t, parts> found{};
  in_parallel(2, parts, [&](std::uint64_t part, int) {
    if (!is_looked_at(part)) return;
    const Word first = elements * part / parts;
    std::uint64_t here = 0;
    radix::DigitWalk walk(places, first);
    for (Word y = first, end = elements * (part + 1) / parts; y < end; ++y, walk.next()) {
      const std::uint64_t value = value_of(walk.place());
      here += std::memcmp(data + y * Bytes, &value, Bytes) != 0 ? 1 : 0;
    }
    found[part] = here;
  });
  return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
}

void fill(std::byte* data, Word elements, std::uint64_t element) {
  if (element == 1) return fill_all<1>(data, elements);
  if (element == 4) return fill_all<4>(data, elements);
  fill_all<8>(data, elements);
}

// Elements that are not what the map puts there.
std::uint64_t wrong(const Map& map, const std::byte* data, std::uint64_t element) {
  if (element == 1) return wrong_of_all<1>(map, data);
  if (element == 4) return wrong_of_all<4>(map, data);
  return wrong_of_all<8>(map, data);
}

bool asked() {
  const char* wanted = std::getenv("FARO_LARGE");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

TEST(LargeShapes, out_of_place_around_2_to_31_bytes) {
  if (!asked()) GTEST_SKIP() << "set FARO_LARGE=1 (needs 5 GB)";
  struct Case {
    const char* map;
    std::uint64_t element;
    const char* method;
  };
  // Rows that begin anywhere are carried where kernels join lines, staged elsewhere.
  const char* rows = engine::kernel_set(Simd::automatic).joins_lines ? "carry" : "exact";
  // Each a little above or below 2^31 bytes, and where elements are bytes 2^31 elements.
  for (const Case& one :
       {Case{"r=46341 c=46349 -> c ~r", 1, rows}, Case{"p=715827881 c=3 -> c p", 1, "split"},
        Case{"r=23171 c=23173 -> c r", 4, rows}, Case{"i=268435457 -> ~i", 8, "reversed"},
        Case{"a=3 b=5 c=17895697 -> b a c", 8, "runs"},
        Case{"r=3 b:25 c=5 -> gray(b) r c", 4, ""}}) {
    const Map map = say(one.map).map;
    const auto elements = static_cast<Word>(map.elements());
    const std::uint64_t bytes = elements * one.element;
    const Pages from(bytes);
    const Pages to(bytes);
    ASSERT_NE(from.data(), nullptr);
    ASSERT_NE(to.data(), nullptr);
    fill(from.data(), elements, one.element);
    const auto plan = PermutePlan::out_of_place(map, TensorShape{one.element, {}, {}},
                                                {.threads = 2, .stores = Stores::streaming});
    if (*one.method != '\0') {
      EXPECT_EQ(plan.facts().passes.at(0).method, one.method) << one.map;
    }
    plan.execute({from.data(), bytes}, {to.data(), bytes});
    ASSERT_EQ(wrong(map, to.data(), one.element), 0U) << one.map << ", " << one.element;
  }
}

TEST(LargeShapes, in_place_around_2_to_32_bytes) {
  if (!asked()) GTEST_SKIP() << "set FARO_LARGE=1 (needs 5 GB)";
  struct Case {
    const char* map;
    std::uint64_t element;
  };
  for (const Case& one : {Case{"r=65537 c=65537 -> c r", 1}, Case{"r=23171 c=23171 -> c r", 8},
                          Case{"r=3 c=178956971 -> ~r c", 8}}) {
    const Map map = say(one.map).map;
    const auto elements = static_cast<Word>(map.elements());
    const std::uint64_t bytes = elements * one.element;
    const Pages data(bytes);
    ASSERT_NE(data.data(), nullptr);
    fill(data.data(), elements, one.element);
    PermutePlan::in_place(map, TensorShape{one.element, {}, {}}, {.threads = 2})
        .execute_in_place({data.data(), bytes});
    ASSERT_EQ(wrong(map, data.data(), one.element), 0U) << one.map << ", " << one.element;
  }
}

}  // namespace
}  // namespace faro
