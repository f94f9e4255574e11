// Rows are read off the bit map of the layout.
#include "planners/cube/butterfly/rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::butterfly {

using Order = ButterflyGoal::Order;

Form sum(const Form& a, const Form& b) {
  return {a.mask ^ b.mask, a.value ^ b.value};
}

Form bit_form(int index_bit) {
  return {bit(index_bit), 0};
}

int base_of(const ButterflyNetwork& request) {
  return request.allocation == Allocation::cyclic ? 0 : request.memory_bits();
}

std::vector<int> memory_index_bits(const ButterflyNetwork& request) {
  const int low = request.allocation == Allocation::cyclic ? request.processor_bits : 0;
  std::vector<int> bits;
  for (int i = 0; i < request.memory_bits(); ++i) bits.push_back(low + i);
  return bits;
}

std::vector<int> in_stage_order(const ButterflyNetwork& request, std::vector<int> bits) {
  if (most_significant_first(request)) std::reverse(bits.begin(), bits.end());
  return bits;
}

int stage_of(const ButterflyNetwork& request, int index_bit) {
  return most_significant_first(request) ? request.index_bits - 1 - index_bit : index_bit;
}

bool most_significant_first(const ButterflyNetwork& request) {
  return request.order == Order::most_significant_first;
}

bool memory_first(const ButterflyNetwork& request) {
  return (request.allocation == Allocation::cyclic) == most_significant_first(request);
}

bool coded(const ButterflyNetwork& request) {
  return request.encoding != Encoding::binary;
}

bool whole_cyclic(const ButterflyNetwork& request) {
  return request.allocation == Allocation::cyclic && request.encoding == Encoding::gray &&
         request.memory_bits() > 0;
}

bool one_control(const ButterflyNetwork& request) {
  if (!coded(request) || !most_significant_first(request)) return true;
  return request.processor_bits == 1 && !whole_cyclic(request);
}

namespace {

// Rows first .. first+count-1 of the place processor · 2^m + memory.
std::vector<Form> place_rows(const ButterflyNetwork& request, int first, int count) {
  const BitMap place = place_of(request.layout());
  std::vector<Form> rows;
  for (int j = 0; j < count; ++j) rows.push_back({place.matrix().row(first + j), 0});
  return rows;
}

}  // namespace

std::vector<Form> start_rows(const ButterflyNetwork& request) {
  return place_rows(request, request.memory_bits(), request.processor_bits);
}

std::vector<Form> start_memory_rows(const ButterflyNetwork& request) {
  return place_rows(request, 0, request.memory_bits());
}

std::vector<int> stage_dimensions(const ButterflyNetwork& request) {
  std::vector<int> dimensions(static_cast<std::size_t>(request.processor_bits));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return in_stage_order(request, std::move(dimensions));
}

std::vector<Form> output_forms(const ButterflyNetwork& request) {
  ButterflyNetwork end = request;
  end.encoding = request.output == Output::binary ? Encoding::binary : Encoding::binary_gray;
  return start_rows(end);
}

std::vector<Form> completing_rows(std::span<const Form> rows, int index_bits) {
  std::vector<Word> kept = masks_of(rows);
  std::vector<Form> chosen;
  for (int b = index_bits - 1; b >= 0; --b) {
    const std::vector<Word> basis = reduced_basis(kept);
    if (reduce(bit(b), basis) == 0) continue;
    kept.push_back(bit(b));
    chosen.push_back(bit_form(b));
  }
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<Word> masks_of(std::span<const Form> rows) {
  std::vector<Word> masks;
  for (const Form& row : rows) masks.push_back(row.mask);
  return masks;
}

ScheduleHeader header_of(const ButterflyNetwork& request, std::string_view planner,
                         const Ending& ending) {
  ButterflyGoal goal;
  goal.processor_bits = request.processor_bits;
  goal.index_bits = request.index_bits;
  goal.allocation = request.allocation;
  goal.encoding = request.encoding;
  goal.order = request.order;
  const auto highest_first = [](const std::vector<Form>& rows) {
    for (const Form& row : rows) FARO_CHECK(row.value == 0);
    std::vector<Word> masks = masks_of(rows);
    std::reverse(masks.begin(), masks.end());
    return masks;
  };
  goal.final_processor_rows = highest_first(ending.processor);
  goal.final_memory_rows = highest_first(ending.memory);
  goal.in_place = ending.in_place;
  ScheduleHeader header;
  header.machine = Hypercube{.dimensions = request.processor_bits};
  header.goal = std::move(goal);
  header.elements = bit(request.memory_bits());
  header.slots = ending.slots;
  header.planner = planner;
  return header;
}

}  // namespace faro::inline v1::butterfly
