#include "engine/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/aligned_bytes.hpp"
#include "base/check.hpp"
#include "engine/method.hpp"
#include "engine/passes.hpp"
#include "engine/tuning.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr std::uint32_t lines_ahead = 32;

// How many low bits of the memory side a part holds whole runs of: those that no part bit looks at.
int whole_run_bits(const BitMatrix& to_compact, int inner_bits) {
  int run = 0;
  while (run < to_compact.columns() && (to_compact.column(run) >> inner_bits) == 0) ++run;
  return run;
}

// Calls move(k, place in memory) for the elements of a part in the order of the compact side.
template <class Move>
void each_element(const BitMap& to_memory, Word start, int inner_bits, Move&& move) {
  std::array<Word, word_bits> steps{};
  Word sum = 0;
  for (int i = 0; i < inner_bits; ++i) {
    steps[static_cast<std::size_t>(i)] = sum ^= to_memory.column(i);
  }
  Word memory = start;
  const Word count = bit(inner_bits);
  for (Word k = 0;;) {
    move(k, memory);
    if (++k == count) return;
    memory ^= steps[static_cast<std::size_t>(lowest_bit(k))];
  }
}

template <std::size_t Known>
void move_elements(const BitMap& to_memory, Word start, int inner_bits, Compact compact,
                   std::uint64_t element_bytes, const std::byte* from, std::byte* to) {
  const std::size_t bytes = Known != 0 ? Known : element_bytes;
  if (compact == Compact::to) {
    each_element(to_memory, start, inner_bits, [&](Word k, Word memory) {
      std::memcpy(to + k * bytes, from + memory * bytes, bytes);
    });
  } else {
    each_element(to_memory, start, inner_bits, [&](Word k, Word memory) {
      std::memcpy(to + memory * bytes, from + k * bytes, bytes);
    });
  }
}

using MoveElements = void (*)(const BitMap&, Word, int, Compact, std::uint64_t, const std::byte*,
                              std::byte*);

MoveElements mover(std::uint64_t bytes) {
  switch (bytes) {
    case 1:
      return move_elements<1>;
    case 2:
      return move_elements<2>;
    case 4:
      return move_elements<4>;
    case 8:
      return move_elements<8>;
    case 16:
      return move_elements<16>;
    case 24:
      return move_elements<24>;
    default:
      return move_elements<0>;
  }
}

Word image(const std::vector<Word>& columns, Word x) {
  return BitMatrix::from_columns(word_bits, columns).apply(x);
}

}  // namespace

Parts::Parts(const PartsRequest& request) : request_(request) {
  FARO_CHECK(request.rank_from.size() == request.rank_to.size());
  FARO_CHECK(request.part_bits >= 0 && request.part_bits <= request.map.width());
  inner_bits_ = request.map.width() - request.part_bits;
  FARO_CHECK(request.compact != Compact::to || inner_bits_ == word_bits ||
             request.map.complement() >> inner_bits_ == 0);
  FARO_CHECK(request.compact != Compact::neither ||
             request.part_rows.size() == static_cast<std::size_t>(request.part_bits));
  to_memory_ = request.compact == Compact::to ? request.map.inverse() : request.map;
  plan_tiles();
}

void Parts::plan_tiles() {
  if (!is_power_of_two(request_.element_bytes)) return;
  const int element_log2 = log2_exact(request_.element_bytes);
  const int unit_log2 = std::min(element_log2, 3);
  const int widen = element_log2 - unit_log2;
  kernels_ = &kernel_set(request_.simd);
  const int width = request_.map.width() + widen;
  const int line = std::max(line_log2, kernels_->vector_log2) - unit_log2;
  const auto rank_bits = static_cast<int>(request_.rank_from.size());
  if (width + rank_bits > word_bits) return;
  const BitMap map = beside(request_.map, BitMap::identity(widen));
  const BitMatrix inverse = map.inverse().matrix();
  const int inner = inner_bits_ + widen;
  TilePass pass;
  if (request_.compact == Compact::neither) {
    // Runs that a part has whole, on both sides.
    int from = 0;
    while (from < width && part_of(bit(from) >> widen) == 0) ++from;
    int to = 0;
    while (to < width && part_of(inverse.column(to) >> widen) == 0) ++to;
    if (std::min(from, to) < line) return;
    Method method = choose_method({.map = map,
                                   .inverse = inverse,
                                   .unit_log2 = unit_log2,
                                   .kernels = *kernels_,
                                   .data_bytes = bit(width + unit_log2),
                                   .stores = request_.stores,
                                   .machine = tuning()})
                        .method;
    method.from_run_bits = std::min(method.from_run_bits, from);
    method.to_run_bits = std::min(method.to_run_bits, to);
    pass.plan = tile_plan(map, inverse, unit_log2, kernels_->vector_log2 - unit_log2, method);
    memory_run_bytes_ = pass.plan.to_run_bytes();
  } else {
    const bool gathers = request_.compact == Compact::to;
    const int memory_run = whole_run_bits(gathers ? map.matrix() : inverse, inner);
    if (std::min(memory_run, inner) < line) return;
    const Method method = method_of(inverse, unit_log2, line, memory_run);
    pass.plan = tile_plan(map, inverse, unit_log2, kernels_->vector_log2 - unit_log2, method);
    memory_run_bytes_ = gathers ? pass.plan.from_run_bytes() : pass.plan.to_run_bytes();
  }
  order_outer(pass.plan, inner, widen);
  pass.tables = tables_for(pass.plan, *kernels_);
  pass_ = std::move(pass);
}

Method Parts::method_of(const BitMatrix& inverse, int unit_log2, int line, int memory_run) const {
  const bool gathers = request_.compact == Compact::to;
  // The compact side stays in the cache, so its runs may be of a line; those of memory grow first.
  constexpr int tile_log2_max = 15;
  constexpr int memory_run_log2_max = 12;
  Method method;
  int& memory = gathers ? method.from_run_bits : method.to_run_bits;
  method.from_run_bits = line;
  method.to_run_bits = line;
  const auto fits = [&] {
    return tile_dimension(inverse, method.from_run_bits, method.to_run_bits) + unit_log2 <=
           tile_log2_max;
  };
  while (memory < std::min(memory_run, memory_run_log2_max - unit_log2)) {
    ++memory;
    if (fits()) continue;
    --memory;
    break;
  }
  method.streaming = !gathers && request_.stores == Stores::streaming;
  // Vectors that are parts of lines are put together in a stage.
  method.stage_to = method.streaming && kernels_->vector_log2 < line_log2;
  method.lines_ahead = gathers ? lines_ahead : 0;
  return method;
}

// The walk's vectors within a part first, then one for each part bit, then one for each rank bit.
Word Parts::part_of(Word index) const {
  Word part = 0;
  for (std::size_t j = 0; j < request_.part_rows.size(); ++j) {
    if (parity(request_.part_rows[j] & index) != 0) part |= bit(static_cast<int>(j));
  }
  return part;
}

void Parts::order_outer(TilePlan& plan, int unit_inner_bits, int widen) {
  const Compact compact = request_.compact;
  const int inner_log2 = unit_inner_bits + plan.unit_log2;
  const int element_log2 = widen + plan.unit_log2;
  struct Step {
    Word from = 0;
    Word to = 0;
  };
  const auto part_at = [&](const Step& step) -> Word {
    if (compact == Compact::neither) return part_of(step.from >> element_log2);
    return (compact == Compact::to ? step.to : step.from) >> inner_log2;
  };
  std::vector<Step> within;
  std::vector<Step> across;  // fully reduced: the leading part bit of each is in no other
  for (int i = 0; i < plan.outer_bits; ++i) {
    Step step{plan.outer_from[static_cast<std::size_t>(i)],
              plan.outer_to[static_cast<std::size_t>(i)]};
    const auto clear = [&](Step& one, const Step& by) {
      if (!has_bit(part_at(one), highest_bit(part_at(by)))) return;
      one = {one.from ^ by.from, one.to ^ by.to};
    };
    for (const Step& by : across) clear(step, by);
    if (part_at(step) == 0) {
      within.push_back(step);
      continue;
    }
    for (Step& one : across) clear(one, step);
    across.push_back(step);
  }
  FARO_CHECK(static_cast<int>(across.size()) == request_.part_bits);
  std::sort(across.begin(), across.end(),
            [&](const Step& a, const Step& b) { return part_at(a) < part_at(b); });
  part_tile_bits_ = static_cast<int>(within.size());

  const Word inside = low_mask(inner_log2);
  plan.outer_bits = 0;
  const auto add = [&](const Step& step) {
    const auto at = static_cast<std::size_t>(plan.outer_bits++);
    plan.outer_from[at] = compact == Compact::from ? step.from & inside : step.from;
    plan.outer_to[at] = compact == Compact::to ? step.to & inside : step.to;
  };
  for (const Step& step : within) add(step);
  for (const Step& step : across) add(step);
  const Word low = low_mask(plan.method.from_run_bits);
  for (std::size_t j = 0; j < request_.rank_from.size(); ++j) {
    // What lies inside a run of the source is a shift at the destination.
    const Word from = request_.rank_from[j] << widen;
    const Word shift = request_.map.matrix().apply((from & low) >> widen) << widen;
    const Word to = (request_.rank_to[j] << widen) ^ shift;
    add({(from & ~low) << plan.unit_log2, to << plan.unit_log2});
  }
}

std::string Parts::words() const {
  if (!pass_) return fmt::format("elements of {} bytes, one by one", request_.element_bytes);
  return fmt::format("{}, runs of {} bytes in memory, {} stores", kernels_->name, memory_run_bytes_,
                     pass_->plan.method.streaming ? "streaming" : "ordinary");
}

void Parts::run_elements_of(Word rank, Word part, const std::byte* from, std::byte* to) const {
  const Word by_from = image(request_.rank_from, rank);
  const Word by_to = image(request_.rank_to, rank);
  const bool gathers = request_.compact == Compact::to;
  const Word first = inner_bits_ == word_bits ? 0 : part << inner_bits_;
  const Word start =
      gathers ? to_memory_(first ^ by_to) ^ by_from : to_memory_(first ^ by_from) ^ by_to;
  mover(request_.element_bytes)(to_memory_, start, inner_bits_, request_.compact,
                                request_.element_bytes, from, to);
}

void Parts::run(Word rank, Word part, const std::byte* from, std::byte* to) const {
  if (!pass_) {
    FARO_CHECK(is_possible());
    run_elements_of(rank, part, from, to);
    return;
  }
  const Word begin = ((rank << request_.part_bits) | part) << part_tile_bits_;
  run_tiles(begin, begin + bit(part_tile_bits_), from, to);
}

void Parts::run_share(Word rank, Word part, Word share, Word shares, const std::byte* from,
                      std::byte* to) const {
  FARO_CHECK(pass_.has_value() && share < shares);
  const Word begin = ((rank << request_.part_bits) | part) << part_tile_bits_;
  const auto until = [&](Word n) {
    return begin + static_cast<Word>(Count{bit(part_tile_bits_)} * n / shares);
  };
  run_tiles(until(share), until(share + 1), from, to);
}

void Parts::run_tiles(Word begin, Word end, const std::byte* from, std::byte* to) const {
  if (begin == end) return;
  const AlignedBytes working(tiles_working_bytes(pass_->plan));
  kernels_->run_tiles(*pass_, from, to, begin, end, working.data());
}

}  // namespace faro::inline v1::engine
