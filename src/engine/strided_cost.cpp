// What the ways of a strided plan cost: lines read and written, work in registers, stages, lines
// that are written in part, in memcpys of the same bytes. The weights are fitted to the figures of
// docs/engine.md; only their order decides anything.
#include <algorithm>

#include "engine/kernels/kernels.hpp"
#include "engine/strided_plan.hpp"

namespace faro::inline v1::engine {
namespace {

// Every line read once and streamed once, in runs of some lines.
constexpr double moved = 0.9;
// Ordinary stores read a line before they write it.
constexpr double ordinary = 0.3;
constexpr double staged = 0.3;
// Rows that end soon after they begin: their lines are written one here, one there, unless they
// adjoin and are written in order from a stage.
constexpr double short_rows = 0.2;
constexpr double adjoining = 0.1;
constexpr double adjoining_stored = 0.25;  // ordinary stores do not mind rows that end
constexpr double short_row_lines = 16;
constexpr double carried = 0.06;
constexpr double partial_line = 2;
constexpr double stage_of_transpose = 0.04;  // a line; single bytes take two picks' time
constexpr double copied_element = 0.06;
constexpr double lone_element = 0.25;

double registers(std::uint64_t element_bytes) {
  if (!is_lane(element_bytes)) return copied_element * 64 / static_cast<double>(element_bytes);
  return stage_of_transpose * (6 - log2_exact(element_bytes)) * (element_bytes == 1 ? 2 : 1);
}

// Without picks a square that lacks rows or columns is loaded or stored element by element: as much
// work for three rows as for all.
double parts(const StridedPlan& plan) {
  if (plan.kernels->moves != LaneMoves::exchanges || !is_lane(plan.form.element_bytes)) return 0;
  constexpr double part_of_square = 5;
  const auto square =
      static_cast<double>((Word{1} << plan.kernels->vector_log2) / plan.form.element_bytes);
  const auto side = static_cast<double>(std::min(plan.d.length, plan.s.length));
  return side < square ? part_of_square * square / side : 0;
}

}  // namespace

double strided_cost(const StridedPlan& plan) {
  const std::uint64_t element = plan.form.element_bytes;
  const auto e = static_cast<double>(element);
  const double row_lines = std::max(1.0, static_cast<double>(plan.d.length) * e / 64);
  // A row's first line and its last.
  const double ends = 2 * partial_line / 2 / row_lines + parts(plan);
  // A pick or a shuffle a line and stream.
  const bool joins = plan.kernels->joins_lines;
  switch (plan.way) {
    case Way::direct:
      return moved + registers(element) + (plan.lines_agree ? parts(plan) : ends) +
             (row_lines <= short_row_lines ? short_rows : 0) + (plan.streaming ? 0 : ordinary);
    case Way::carry:
      return moved + registers(element) + ends + carried;
    case Way::exact:
      return moved + registers(element) + ends + staged;
    case Way::one:
      return moved + registers(element) + parts(plan) +
             (plan.streaming ? adjoining : adjoining_stored + ordinary);
    case Way::split:
      return joins ? 0.7 : 0.4 + 0.125 * static_cast<double>(plan.s.length);
    case Way::zip:
      return joins ? 0.7 : 0.45 + 0.15 * static_cast<double>(plan.d.length);
    case Way::reversed:
      return moved;
    case Way::runs:
      return moved + 64 / e;
    case Way::elements:
      return 2 + lone_element * std::max(1.0, 64 / e);
  }
  return 0;
}

const char* name(Way way) {
  switch (way) {
    case Way::direct:
      return "direct";
    case Way::carry:
      return "carry";
    case Way::exact:
      return "exact";
    case Way::one:
      return "one";
    case Way::split:
      return "split";
    case Way::zip:
      return "zip";
    case Way::reversed:
      return "reversed";
    case Way::runs:
      return "runs";
    case Way::elements:
      return "elements";
  }
  return "";
}

}  // namespace faro::inline v1::engine
