// How a tensor map in place is cut into exchanges: blocks of a square, rows from both ends, else
// cycles of elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/exchange.hpp"
#include "engine/kernels/kernels.hpp"
#include "engine/passes.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr Offset stage_max = Offset{1} << 15;  // of each of two, in the second cache with the data
constexpr Offset row_max = 512;
constexpr Offset block_side_min = 4;

// Where blocks of at most `block` begin, the same from either end: a reversed axis maps them to one
// another.
std::vector<Offset> symmetric_cuts(Offset length, Offset block) {
  std::vector<Offset> cuts;
  const Offset pairs = length / (2 * block);
  for (Offset k = 0; k <= pairs; ++k) cuts.push_back(k * block);
  const Offset middle = length - 2 * pairs * block;
  if (middle > block) cuts.push_back(pairs * block + middle / 2);
  if (middle > block && middle % 2 == 1) cuts.push_back(cuts.back() + 1);
  if (middle == 0) cuts.pop_back();
  for (Offset k = pairs; k >= 0; --k) cuts.push_back(length - k * block);
  return cuts;
}

std::vector<Offset> even_cuts(Offset length, Offset block) {
  std::vector<Offset> cuts;
  for (Offset at = 0; at < length; at += block) cuts.push_back(at);
  cuts.push_back(length);
  return cuts;
}

bool is_involution(const Map& map) {
  try {
    return then(map, map) == Map::identity(static_cast<Word>(map.elements()));
  } catch (const Error& error) {
    // No digits say what it is, then.
    if (error.code() != ErrorCode::impossible) throw;
    return false;
  }
}

bool stays(const TensorShape& shape) {
  return (is_dense(shape.from, shape.element_bytes) && is_dense(shape.to, shape.element_bytes)) ||
         (shape.from.shape == shape.to.shape && shape.from.strides == shape.to.strides &&
          shape.from.offset == shape.to.offset);
}

// From columns of `stride` to rows of a stage.
StridedPlan to_stage(const Exchange& plan, Offset stride, Offset side, const KernelSet& kernels) {
  StridedPlan result;
  const auto element = static_cast<Offset>(plan.form.element_bytes);
  result.form.element_bytes = plan.form.element_bytes;
  result.way = Way::direct;
  result.kernels = &kernels;
  result.s_from = result.d_to = element;
  result.d_tile = result.s_tile = side;
  result.from_agree = stride % 64 == 0 && 64 % element == 0;
  for (Side* axis : {&result.d, &result.s}) {
    axis->plain = true;
    axis->length = axis->table_block = side;
    axis->stride = axis == &result.d ? stride : plan.stage_row;
    axis->table.resize(static_cast<std::size_t>(side));
    for (Offset i = 0; i < side; ++i) axis->table[static_cast<std::size_t>(i)] = i * axis->stride;
  }
  return result;
}

// D and S change places, and have one length and one pair of strides.
bool plan_blocks(Exchange& plan, const KernelSet& kernels) {
  const auto element = static_cast<Offset>(plan.form.element_bytes);
  if (element > 64) return false;
  for (int k = 0; k < static_cast<int>(plan.form.axes.size()); ++k) {
    const Axis& axis = plan.form.axes[static_cast<std::size_t>(k)];
    if (axis.map != Axis::plain) continue;
    if (axis.to == element) plan.d = k;
    if (std::abs(axis.from) == element) plan.s = k;
  }
  if (plan.d < 0 || plan.s < 0 || plan.d == plan.s) return false;
  const Axis& d = plan.form.axes[static_cast<std::size_t>(plan.d)];
  Axis& s = plan.form.axes[static_cast<std::size_t>(plan.s)];
  if (d.length != s.length || std::abs(d.from) != s.to || d.length < block_side_min) return false;
  if (s.from < 0) {
    plan.form.from_base += s.from * (s.length - 1);
    plan.form.to_base += s.to * (s.length - 1);
    s.from = -s.from;
    s.to = -s.to;
  }
  const Offset lanes = is_lane(plan.form.element_bytes) ? 64 / element : Offset{16};
  const auto square = static_cast<Offset>(std::sqrt(static_cast<double>(stage_max / element)));
  const Offset side = std::max(lanes, std::min(row_max / element, square) / lanes * lanes);
  const bool reversed = d.from < 0 || s.to < 0;
  plan.cuts = reversed ? symmetric_cuts(d.length, side) : even_cuts(d.length, side);
  plan.stage_row = stage_pitch(side * element);
  plan.stage_bytes = plan.stage_row * side;
  plan.there = to_stage(plan, d.from, side, kernels);
  plan.back = to_stage(plan, s.to, side, kernels);
  plan.way = Exchange::Way::blocks;
  return true;
}

// The fastest axis backwards.
bool plan_rows(Exchange& plan, const KernelSet& kernels) {
  const auto element = static_cast<Offset>(plan.form.element_bytes);
  if (plan.form.axes.empty() || element > 8 || !is_lane(plan.form.element_bytes)) return false;
  const Axis& axis = plan.form.axes.back();
  if (axis.map != Axis::plain || axis.to != element || axis.from != -element) return false;
  plan.d = plan.s = static_cast<int>(plan.form.axes.size()) - 1;
  plan.cuts = symmetric_cuts(axis.length, stage_max / element);
  plan.stage_bytes = stage_max;
  plan.there.form.element_bytes = plan.form.element_bytes;
  plan.there.way = Way::reversed;
  plan.there.kernels = &kernels;
  plan.way = Exchange::Way::rows;
  return true;
}

std::optional<Exchange> plan_exchange(const Map& map, const TensorShape& shape,
                                      const PermuteOptions& options) {
  if (!is_involution(map)) return std::nullopt;
  Exchange plan;
  plan.form = normal_form(map, shape);
  const KernelSet& kernels = kernel_set(options.simd);
  if (!plan_blocks(plan, kernels) && !plan_rows(plan, kernels)) plan.d = plan.s = -1;
  for (int k = 0; k < static_cast<int>(plan.form.axes.size()); ++k) {
    if (k != plan.d && k != plan.s) plan.outer.push_back(k);
  }
  plan.threads = threads_for(plan.form.data_bytes, options);
  return plan;
}

Exchange plan_cycles(const Map& map, std::uint64_t element_bytes) {
  Exchange plan;
  plan.form = normal_form(map, {element_bytes, {}, {}});
  plan.way = Exchange::Way::cycles;
  plan.inverse = map.inverse();
  plan.element_bytes = element_bytes;
  return plan;
}

// Transposes whose longer side is a multiple of the shorter: rows of the shorter side's length
// change places, and squares are transposed, in the order that `map` needs.
std::vector<Map> by_squares(const Map& map, const NormalForm& form, std::uint64_t element_bytes) {
  const auto element = static_cast<Offset>(form.element_bytes);
  const Axis* d = nullptr;
  const Axis* s = nullptr;
  for (const Axis& axis : form.axes) {
    if (axis.map == Axis::plain && axis.to == element) d = &axis;
    if (axis.map == Axis::plain && axis.from == element) s = &axis;
  }
  if (d == nullptr || s == nullptr || d == s) return {};
  const auto rows = static_cast<Word>(d->length);
  const auto columns = static_cast<Word>(s->length);
  const Word side = std::min(rows, columns);
  const Word squares = std::max(rows, columns) / side;
  if (side * squares != std::max(rows, columns)) return {};
  const Word unit = form.element_bytes / element_bytes;
  const Word outer = static_cast<Word>(map.elements()) / (rows * columns * unit);
  const auto moved = [&](Word a, Word b, const std::vector<int>& order) {
    return Map::from_axes(std::vector<Word>{outer, a, b, side, unit}, order);
  };
  const std::vector<int> swap_rows{0, 2, 1, 3, 4};
  const Map transposed = moved(squares, side, {0, 1, 3, 2, 4});
  std::vector<Map> steps;
  if (rows < columns) {
    steps = {moved(side, squares, swap_rows), transposed};
  } else {
    steps = {transposed, moved(squares, side, swap_rows)};
  }
  if (then(steps[0], steps[1]) != map) return {};
  return steps;
}

}  // namespace

const char* name(Exchange::Way way) {
  switch (way) {
    case Exchange::Way::blocks:
      return "blocks";
    case Exchange::Way::rows:
      return "rows";
    case Exchange::Way::units:
      return "units";
    case Exchange::Way::cycles:
      return "cycles";
    case Exchange::Way::rolls:
      return "rolls";
  }
  return "";
}

RollsApart rolls_apart(const Map& map, std::uint64_t element_bytes, const PermuteOptions& options) {
  Digits digits = map.digits();
  RollsApart apart{map, {}};
  std::uint64_t within = element_bytes;  // of a value of the digit
  for (std::size_t k = digits.to.size(); k-- > 0;) {
    Digit& digit = digits.to[k];
    if (digit.roll != 0) {
      Exchange& roll = apart.rolls.emplace_back();
      roll.way = Exchange::Way::rolls;
      roll.form.data_bytes = static_cast<std::uint64_t>(map.elements()) * element_bytes;
      roll.form.element_bytes = within;
      roll.range_bytes = digit.length * within;
      roll.roll_bytes = digit.roll * within;
      roll.threads = threads_for(roll.form.data_bytes, options);
      digit.roll = 0;
    }
    within *= digit.length;
  }
  if (!apart.rolls.empty()) apart.plain = Map::from_digits(digits);
  return apart;
}

TensorShape shape_in_place(TensorShape shape) {
  const bool told = !shape.to.shape.empty() || !shape.to.strides.empty() || shape.to.offset != 0;
  if (!told && !is_dense(shape.from, shape.element_bytes)) shape.to = shape.from;
  return shape;
}

std::vector<Exchange> plan_in_place(const Map& map, const TensorShape& shape,
                                    const PermuteOptions& options) {
  const NormalForm form = normal_form(map, shape);
  if (!stays(shape)) {
    throw Error(ErrorCode::impossible,
                "permute: in place an array keeps its strides and its offset; these differ between "
                "source and destination");
  }
  std::vector<Exchange> steps;
  if (form.data_bytes == 0 || map == Map::identity(static_cast<Word>(map.elements()))) {
    return steps;
  }
  if (auto exchange = plan_exchange(map, shape, options)) {
    steps.push_back(std::move(*exchange));
    return steps;
  }
  if (!is_dense(shape.from, shape.element_bytes)) {
    throw Error(ErrorCode::impossible,
                "permute: in place an array with gaps takes involutions only; copy it through "
                "PermutePlan::out_of_place");
  }
  if (form.element_bytes < cycles_run_min) {
    for (const Map& step : by_squares(map, form, shape.element_bytes)) {
      const TensorShape dense{shape.element_bytes, {}, {}};
      if (auto exchange = plan_exchange(step, dense, options)) {
        steps.push_back(std::move(*exchange));
      } else {
        steps.push_back(plan_cycles(step, shape.element_bytes));
        if (steps.back().form.element_bytes < cycles_run_min) {
          steps.clear();
          break;
        }
      }
    }
    if (!steps.empty()) return steps;
    if (!options.slow_in_place) {
      throw Error(ErrorCode::impossible,
                  fmt::format("permute: in place this map follows cycles of {} units of {} bytes, "
                              "one by one. A plan out of place and execute_through take two fast "
                              "passes by way of a buffer of the data's size; slow_in_place allows "
                              "the cycles",
                              form.data_bytes / form.element_bytes, form.element_bytes));
    }
  }
  steps.push_back(plan_cycles(map, shape.element_bytes));
  return steps;
}

}  // namespace faro::inline v1::engine
