// What moves between placements cost before and beside their messages:
//
//   planning    ranks and axes, relabelled or not: processor time, and requests of memory
//   boxes       packing a box with no run in common by loops, by a plan that is there, and by one
//               that is made for it: where a plan pays (src/distributed/grid_move.cpp)
//
//   grid_bench [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "engine/nest_copy.hpp"
#include "faro/distributed/grid_move.hpp"

namespace {

using namespace faro;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_seconds(int rounds, const std::function<void()>& work) {
  std::vector<double> taken;
  for (int round = 0; round < rounds; ++round) {
    const double start = processor_seconds();
    work();
    taken.push_back(processor_seconds() - start);
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

GridPlacement dealt(const std::vector<std::uint64_t>& grid, bool cyclic) {
  std::vector<GridAxis> axes;
  for (std::size_t a = 0; a < grid.size(); ++a)
    axes.push_back(
        {cyclic ? AxisDeal::cyclic(1001, grid[a], 7) : AxisDeal::block(1001, grid[a]), {a}});
  return {grid, axes};
}

void planning(int rounds) {
  fmt::print(
      "| from | to | relabelled | ms | kept | no order keeps more than |\n"
      "|---|---|---|---|---|---|\n");
  const std::vector<std::uint64_t> ten_thousand{10, 10, 5, 5, 2, 2};
  const std::vector<std::uint64_t> turned{2, 2, 5, 5, 10, 10};
  const std::vector<std::uint64_t> sixteen_thousand{16, 8, 8, 4, 4};
  for (const auto& [from, to] :
       {std::pair(ten_thousand, ten_thousand), std::pair(ten_thousand, turned),
        std::pair(sixteen_thousand, sixteen_thousand)})
    for (const Relabel how : {Relabel::never, Relabel::least}) {
      const GridPlacement a = dealt(from, false);
      const GridPlacement b = dealt(to, true);
      GridMoveOptions options;
      options.element_bytes = 8;
      options.relabel = how;
      const GridMove move(a, b, options);
      const double seconds = median_seconds(rounds, [&] { GridMove(a, b, options); });
      const auto share = [&](std::uint64_t bytes) {
        return static_cast<double>(bytes) /
               static_cast<double>(move.facts().kept_bytes + move.facts().moved_bytes);
      };
      fmt::print("| {} | {} | {} | {:.2f} | {:.5f} | {:.5f} |\n", fmt::join(from, "x"),
                 fmt::join(to, "x"), name_of(move.facts().relabelled), 1e3 * seconds,
                 share(move.facts().kept_bytes), share(move.facts().kept_bytes_at_most));
    }
}

void boxes(int rounds) {
  std::vector<std::byte> from(std::size_t{64} << 20U, std::byte{1});
  std::vector<std::byte> to(from.size(), std::byte{2});
  fmt::print("| element | KiB | loops us | a plan us | made and run us |\n|---|---|---|---|---|\n");
  for (const std::uint64_t element : {1, 3, 4, 8, 16})
    for (const std::uint64_t kib : {16, 64, 128, 256, 1024}) {
      const std::uint64_t elements = kib * 1024 / element;
      std::uint64_t rows = 1;
      while (rows * rows < elements) rows *= 2;
      const std::uint64_t columns = elements / rows;
      // Unpacked, transposed, within an array twice as wide.
      const auto bytes = static_cast<std::int64_t>(element);
      const std::vector<CopyLoop> box{
          {rows, static_cast<std::int64_t>(columns) * bytes, bytes},
          {columns, bytes, 2 * static_cast<std::int64_t>(rows) * bytes}};
      std::size_t at = 0;
      const auto copy = [&](const NestCopier& copier) {
        at = at + 2 * (kib << 11U) > from.size() ? 0 : at + (kib << 11U);
        copier.copy(box, from.data() + at, to.data() + at);
      };
      const NestCopier loops(element, ~std::uint64_t{0});
      const NestCopier plans(element, 0);
      copy(plans);
      const double by_loops = median_seconds(4 * rounds, [&] { copy(loops); });
      const double by_plan = median_seconds(4 * rounds, [&] { copy(plans); });
      const double made = median_seconds(4 * rounds, [&] { copy(NestCopier(element, 0)); });
      fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} |\n", element, kib, 1e6 * by_loops,
                 1e6 * by_plan, 1e6 * made);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  planning(rounds);
  fmt::print("\n");
  boxes(rounds);
}
