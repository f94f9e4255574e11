// How long a kernel for a GPU takes to plan, to count and to write: processor time of one thread in
// microseconds, of maps of 40 bits. Of each row some random maps (or the same one), of each the
// median of the rounds; the table says the middle one of the maps and the slowest.
//
//   gpu_plan_bench [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "faro/gpu/plan.hpp"
#include "faro/words/say.hpp"

namespace {

using namespace faro;

constexpr int width = 40;
constexpr int maps = 25;

template <class Work>
double median_microseconds(int rounds, Work work) {
  std::vector<double> taken;
  for (int round = 0; round < rounds; ++round) {
    const auto now = [] {
      timespec time{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
    };
    const double begin = now();
    work();
    taken.push_back(now() - begin);
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

BitMap random_affine(Random& random) {
  for (;;) {
    BitMatrix m(width, width);
    for (int c = 0; c < width; ++c) m.set_column(c, random.next() & low_mask(width));
    if (m.rank() == width) return BitMap::from_matrix(m, random.next() & low_mask(width));
  }
}

BitMap random_places(Random& random) {
  std::vector<int> places(width);
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t i = width; i-- > 1;)
    std::swap(places[i], places[static_cast<std::size_t>(random.below(i + 1))]);
  return BitMap::from_places(places, random.next() & low_mask(width));
}

// P^-1 J P, J exchanging half of the bits with the other half.
BitMap random_involution(Random& random) {
  const BitMap p = random_affine(random);
  const BitMap turned = say(fmt::format("i:{} -> rev(i)", width)).map.as_bits();
  return then(then(p, turned), p.inverse());
}

void row(const char* name, int rounds, const std::function<BitMap(Random&)>& map,
         const gpu::Options& options) {
  Random random(1);
  std::vector<double> plan, count, write;
  for (int i = 0; i < maps; ++i) {
    const Map drawn = map(random);
    const gpu::Plan made = gpu::plan(drawn, options);
    plan.push_back(median_microseconds(rounds, [&] { gpu::plan(drawn, options); }));
    count.push_back(median_microseconds(rounds, [&] { gpu::certificate(made); }));
    write.push_back(median_microseconds(rounds, [&] { gpu::emit(made, gpu::Language::cuda); }));
  }
  const auto shown = [](std::vector<double>& all) {
    std::sort(all.begin(), all.end());
    return fmt::format("{:>7.1f} {:>7.1f}", all[all.size() / 2], all.back());
  };
  fmt::print("{:<28} {:>2} bytes  {}  {}  {}\n", name, options.element_bytes, shown(plan),
             shown(count), shown(write));
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 21;
  const BitMap reversal = say(fmt::format("i:{} -> rev(i)", width)).map.as_bits();
  const auto reversed = [&](Random&) { return reversal; };
  fmt::print("microseconds, of {} bits {:>29}  {:>15}  {:>15}\n{:<38}  {:>15}  {:>15}  {:>15}\n",
             width, "plan", "count", "write", "", "middle slowest", "middle slowest",
             "middle slowest");
  for (const std::uint64_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    row("bit reversal", rounds, reversed, {.element_bytes = bytes});
    row("random places and complement", rounds, random_places, {.element_bytes = bytes});
    row("random affine", rounds, random_affine, {.element_bytes = bytes});
    row("random affine, in place", rounds, random_involution,
        {.element_bytes = bytes, .in_place = true});
  }
}
