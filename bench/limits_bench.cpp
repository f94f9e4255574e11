// What memory allows a transpose, by bare loops that move lines and transpose nothing: the bars of
// docs/engine.md are read beside these. Processor time over memcpy's of the same bytes, medians.
//
//   limits_bench [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#if defined(__SSE2__) && defined(__linux__)
#include <emmintrin.h>
#include <sys/mman.h>

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t region = std::size_t{1} << 21U;

struct Freed {
  void operator()(char* at) const { std::free(at); }
};
using Memory = std::unique_ptr<char, Freed>;

Memory memory(std::size_t bytes) {
  const std::size_t whole = (bytes + region - 1) / region * region;
  Memory at(static_cast<char*>(std::aligned_alloc(region, whole)));
  // On huge pages, as NumPy's large arrays.
  if (at != nullptr) madvise(at.get(), whole, MADV_HUGEPAGE);
  if (at != nullptr) std::memset(at.get(), 1, whole);
  return at;
}

void stream_line(char* to, const char* from) {
  for (std::size_t i = 0; i < line; i += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
  }
}

struct Loop {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds;
};

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// Each loop after an untimed run of itself, in turn; the first is what the others are told in.
void print(const char* title, std::vector<Loop> loops, int rounds, int repeats) {
  for (int round = 0; round < rounds; ++round) {
    for (Loop& loop : loops) {
      loop.run();
      const std::clock_t begin = std::clock();
      for (int i = 0; i < repeats; ++i) loop.run();
      loop.seconds.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / repeats);
    }
  }
  fmt::print("{}\n", title);
  const double base = median(loops.front().seconds);
  for (const Loop& loop : loops) {
    const double time = median(loop.seconds);
    fmt::print("  {:<60} {:8.3f} ms  {:.2f}\n", loop.name, time * 1e3, time / base);
  }
}

// 10^6 x 100 floats: the source in order to 100 rows of 4 000 000 bytes. `run` bytes of a row, of
// which one line each goes to `turn` rows before the next line follows.
void to_rows(const char* from, char* to, std::size_t run, std::size_t turn) {
  constexpr std::size_t row = 4000000;
  constexpr std::size_t rows = 100;
  constexpr std::size_t ahead = 12800;
  for (std::size_t at = 0; at + run <= row; at += run) {
    for (std::size_t first = 0; first < rows; first += turn) {
      for (std::size_t i = 0; i < run; i += line) {
        for (std::size_t r = first; r < first + turn; ++r, from += line) {
          __builtin_prefetch(from + ahead);
          stream_line(to + r * row + at + i, from);
        }
      }
    }
  }
  _mm_sfence();
}

// 56 x 65536 floats: a line of every row in turn, to memory in order.
void from_rows(const char* from, char* to) {
  constexpr std::size_t row = std::size_t{1} << 18U;
  for (std::size_t at = 0; at < row; at += line) {
    for (std::size_t r = 0; r < 56; ++r, to += line) std::memcpy(to, from + r * row + at, line);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  constexpr std::size_t large = 400000000;
  constexpr std::size_t small = std::size_t{56} << 18U;
  const Memory a = memory(large + region);
  const Memory b = memory(large + region);
  if (a == nullptr || b == nullptr) {
    fmt::print("limits_bench needs 800 MB of memory\n");
    return 1;
  }
  const char* from = a.get();
  char* to = b.get();
  std::vector<Loop> loops{{"memcpy", [=] { std::memcpy(to, from, large); }, {}}};
  for (const std::size_t run : {64U, 128U, 256U, 1024U}) {
    loops.push_back(
        {fmt::format("{} bytes of a row at once", run), [=] { to_rows(from, to, run, 1); }, {}});
  }
  for (const std::size_t turn : {2U, 4U, 10U, 20U}) {
    loops.push_back({fmt::format("128 bytes of a row, a line of {} rows in turn", turn),
                     [=] { to_rows(from, to, 128, turn); },
                     {}});
  }
  print("10^6 x 100 floats: lines streamed to 100 rows", std::move(loops), rounds, 1);
  print("56 x 65536 floats: lines stored from 56 rows in turn",
        {{"memcpy", [=] { std::memcpy(to, from, small); }, {}},
         {"a line of every row, to memory in order", [=] { from_rows(from, to); }, {}}},
        rounds, 4);
}

#else

int main() {
  fmt::print("limits_bench: streaming stores are known on x86-64 under Linux only\n");
}

#endif
