#include "engine/strided_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "engine/kernels/kernels.hpp"
#include "engine/passes.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1::engine {
namespace {

constexpr auto line = static_cast<Offset>(line_bytes);
constexpr Offset chunk_unit = Offset{1} << 12;  // of ways without tiles
constexpr Offset narrow_max = 8;
constexpr Offset set_period = Offset{1} << 12;  // of the first cache's sets, on every maker's

std::uint64_t second_cache_bytes() {
  static const std::uint64_t bytes = [] {
    const std::uint64_t told = machine_facts().l2_bytes;
    return told == 0 ? std::uint64_t{1} << 20U : told;
  }();
  return bytes;
}

// The side of the squares that kernels transpose.
Offset square_of(const KernelSet& kernels, std::uint64_t bytes) {
  if (is_lane(bytes)) return (Offset{1} << kernels.vector_log2) / static_cast<Offset>(bytes);
  return std::max<Offset>(8, line / static_cast<Offset>(bytes));
}

struct Draft {
  StridedPlan plan;
  std::vector<int> d_axes;  // fastest first
  std::vector<int> s_axes;
  Offset element = 1;
  Offset square = 8;
  bool whole_elements = false;  // rows begin at multiples of the element
};

class Planner {
 public:
  Planner(const NormalForm& form, const PermuteOptions& options, const MachineTuning& machine)
      : form_(form), options_(options), machine_(machine), kernels_(kernel_set(options.simd)) {
    streams_ =
        options.stores == Stores::streaming ||
        (options.stores == Stores::automatic && form.data_bytes > machine.ordinary_bytes_max);
  }

  std::optional<Draft> draft(Way way) const {
    Draft draft;
    draft.plan.form = form_;
    draft.plan.way = way;
    draft.plan.kernels = &kernels_;
    draft.plan.streaming = streams_ && way != Way::elements;
    draft.plan.lines_ahead = machine_.lines_ahead;
    draft.element = static_cast<Offset>(form_.element_bytes);
    draft.square = square_of(kernels_, form_.element_bytes);
    if (!applies(draft)) return std::nullopt;
    draft.plan.cost = strided_cost(draft.plan);
    return draft;
  }

  StridedPlan finished(Draft draft) const {
    set_outer(draft);
    set_chunks(draft);
    StridedPlan& plan = draft.plan;
    fill_table(plan.d, plan.form, draft.d_axes, SideOf::destination);
    fill_table(plan.s, plan.form, draft.s_axes, SideOf::source);
    if (plan.streaming && (plan.way == Way::direct || plan.way == Way::carry)) {
      plan.off_elements = std::make_shared<const StridedPlan>(finished(*this->draft(Way::exact)));
    }
    return std::move(plan);
  }

 private:
  static bool has(const std::vector<int>& list, int k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  }
  const Axis& axis(const Draft& draft, int k) const {
    return draft.plan.form.axes[static_cast<std::size_t>(k)];
  }
  int axes(const Draft& draft) const { return static_cast<int>(draft.plan.form.axes.size()); }

  bool applies(Draft& draft) const {
    switch (draft.plan.way) {
      case Way::runs:
        return runs(draft);
      case Way::reversed:
        return reversed(draft);
      case Way::elements:
        return elements(draft);
      case Way::split:
      case Way::zip:
        return narrow(draft);
      default:
        return tiles(draft);
    }
  }

  // ---- the sides ----

  int d_next(const Draft& draft, Offset stride) const {
    for (int k = axes(draft) - 1; k >= 0; --k) {
      const Axis& x = axis(draft, k);
      if (x.to == stride && x.to_even && usable(x) && !has(draft.s_axes, k)) return k;
    }
    return -1;
  }
  int s_next(const Draft& draft, Offset stride) const {
    for (int k = axes(draft) - 1; k >= 0; --k) {
      const Axis& x = axis(draft, k);
      if (std::abs(x.from) == stride && x.from_even && usable(x) && !has(draft.d_axes, k)) return k;
    }
    return -1;
  }
  static bool usable(const Axis& x) { return x.map == Axis::plain || x.length <= mapped_max; }

  // Walks an axis of S forwards at the source.
  static void face_source(NormalForm& form, Axis& x) {
    if (x.from >= 0 || x.map != Axis::plain) return;
    form.from_base += x.from * (x.length - 1);
    form.to_base += x.to * (x.length - 1);
    x.from = -x.from;
    x.to = -x.to;
  }

  // The fastest axes of both sides, the shorter run first, until both have `want` bytes.
  bool grow(Draft& draft, Offset want) const {
    const Offset e = draft.element;
    Offset d_length = 1;
    Offset s_length = 1;
    bool d_more = true;
    bool s_more = true;
    while (d_more || s_more) {
      const bool d = d_more && (!s_more || d_length <= s_length);
      Offset& length = d ? d_length : s_length;
      const int k = length * e >= want ? -1
                    : d                ? d_next(draft, length * e)
                                       : s_next(draft, length * e);
      // An axis of a table joins whole, or not at all.
      const bool fits = k >= 0 && (axis(draft, k).map == Axis::plain ||
                                   length * axis(draft, k).length <= mapped_max);
      if (!fits) {
        (d ? d_more : s_more) = false;
        continue;
      }
      (d ? draft.d_axes : draft.s_axes).push_back(k);
      Axis& x = draft.plan.form.axes[static_cast<std::size_t>(k)];
      if (!d) face_source(draft.plan.form, x);
      length *= x.length;
    }
    return !draft.d_axes.empty() && !draft.s_axes.empty();
  }

  // ---- the ways ----

  bool runs(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    if (!plan.form.axes.empty()) draft.d_axes = {axes(draft) - 1};
    if (!draft.d_axes.empty() && !usable(axis(draft, draft.d_axes[0]))) return false;
    // S are the bytes of a run.
    const bool one = draft.d_axes.empty();
    if (!one && plan.streaming) adjoining_runs(draft);
    plan.d = side_of(plan.form, draft.d_axes, SideOf::destination, 1);
    plan.s.length = draft.element;
    plan.s_from = 1;
    plan.d_to = one ? 0 : axis(draft, draft.d_axes[0]).to;
    if (!one && !axis(draft, draft.d_axes[0]).to_even) return false;
    plan.d_tile = plan.d.length;
    plan.s_tile = std::min<Offset>(draft.element, Offset{1} << 20);
    plan.reason = "what stays together is copied";
    return true;
  }

  // Whatever adjoins the fastest axis at the destination, so that pieces of it are long; what
  // stands in the table is short.
  void adjoining_runs(Draft& draft) const {
    constexpr Offset table_max = 4096;
    const Axis& fastest = axis(draft, draft.d_axes[0]);
    if (fastest.map != Axis::plain) return;
    Offset length = fastest.length;
    for (int k = draft.d_axes[0] - 1; k >= 0 && length <= table_max; --k) {
      const Axis& x = axis(draft, k);
      if (x.map != Axis::plain || x.to != fastest.to * length) return;
      draft.d_axes.push_back(k);
      length *= x.length;
    }
  }

  bool reversed(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    if (plan.form.axes.empty() || !is_lane(form_.element_bytes) || form_.element_bytes > 8) {
      return false;
    }
    const Axis& x = plan.form.axes.back();
    if (x.map != Axis::plain || x.to != draft.element || x.from != -draft.element) return false;
    draft.d_axes = {axes(draft) - 1};
    plan.d = side_of(plan.form, draft.d_axes, SideOf::destination, draft.square);
    plan.d_to = draft.element;
    plan.d_tile = plan.d.length;
    plan.reason = "the fastest axis runs backwards";
    return true;
  }

  bool elements(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    int d = -1;
    int s = -1;
    for (int k = 0; k < axes(draft); ++k) {
      const Axis& x = axis(draft, k);
      if (!usable(x) || !x.to_even) continue;
      if (d < 0 || x.to < axis(draft, d).to) d = k;
    }
    for (int k = 0; k < axes(draft); ++k) {
      const Axis& x = axis(draft, k);
      if (k == d || !usable(x) || !x.from_even) continue;
      if (s < 0 || std::abs(x.from) < std::abs(axis(draft, s).from)) s = k;
    }
    if (d >= 0) draft.d_axes = {d};
    if (s >= 0) draft.s_axes = {s};
    plan.d = side_of(plan.form, draft.d_axes, SideOf::destination, 1);
    plan.s = side_of(plan.form, draft.s_axes, SideOf::source, 1);
    plan.d_to = d < 0 ? 0 : axis(draft, d).to;
    plan.s_from = s < 0 ? 0 : axis(draft, s).from;
    plan.d_tile = plan.s_tile = std::max<Offset>(8, line / draft.element);
    plan.reason = "no axis is contiguous in a way that kernels could use";
    return true;
  }

  bool narrow(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    const Offset e = draft.element;
    if (!kernels_.weaves || !is_lane(form_.element_bytes) || e > 8 || !grow(draft, e + 1)) {
      return false;
    }
    const Axis& d = axis(draft, draft.d_axes[0]);
    const Axis& s = axis(draft, draft.s_axes[0]);
    if (d.map != Axis::plain || s.map != Axis::plain) return false;
    const bool splits = plan.way == Way::split;
    if (splits ? s.length > narrow_max || d.from != e * s.length
               : d.length > narrow_max || s.to != e * d.length) {
      return false;
    }
    plan.d = side_of(plan.form, draft.d_axes, SideOf::destination, draft.square);
    plan.s = side_of(plan.form, draft.s_axes, SideOf::source, draft.square);
    plan.s_from = plan.d_to = e;
    plan.d_tile = plan.d.length;
    plan.s_tile = plan.s.length;
    plan.reason = splits ? fmt::format("one stream is split in {}", s.length)
                         : fmt::format("{} streams become one", d.length);
    return true;
  }

  bool tiles(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    const Offset e = draft.element;
    if (e > line || !grow(draft, 512)) return false;
    plan.s_from = plan.d_to = e;
    plan.d = side_of(plan.form, draft.d_axes, SideOf::destination, draft.square);
    plan.s = side_of(plan.form, draft.s_axes, SideOf::source, draft.square);
    plan.lines_agree = draft.whole_elements = true;
    for (int k = 0; k < axes(draft); ++k) {
      const Axis& x = axis(draft, k);
      if (has(draft.d_axes, k)) continue;
      const Offset granule = place_granule(draft.plan.form, x);
      if (granule % line != 0) plan.lines_agree = false;
      if (granule % e != 0) draft.whole_elements = false;
    }
    if (plan.form.to_base % e != 0) draft.whole_elements = false;
    plan.from_agree =
        line % e == 0 && std::all_of(draft.d_axes.begin(), draft.d_axes.end(), [&](int k) {
          return source_granule(plan.form, axis(draft, k)) % line == 0;
        });
    const bool lanes = is_lane(form_.element_bytes);
    switch (plan.way) {
      case Way::direct:
        if (plan.streaming && (!lanes || !plan.lines_agree || !draft.whole_elements ||
                               !(plan.d.plain || plan.d.length == plan.d.table_block))) {
          return false;
        }
        plan.reason = plan.streaming ? "all rows begin alike in their lines"
                                     : "the data may be in the caches";
        break;
      case Way::carry:
        if (!plan.streaming || !lanes || !kernels_.joins_lines || !draft.whole_elements ||
            plan.d.length * e < 4 * line) {
          return false;
        }
        plan.reason = "rows begin anywhere in their lines, at whole elements";
        break;
      case Way::exact:
        if (!plan.streaming) return false;
        plan.reason = "rows begin at any byte, or elements are no lanes";
        break;
      case Way::one:
        if (!adjoin(draft) || (!plan.streaming && form_.data_bytes < second_cache_bytes())) {
          return false;
        }
        // What the caches hold comes soon enough, and what is asked for early is soon driven out.
        if (!plan.streaming) plan.lines_ahead = 0;
        plan.reason = "rows are complete and adjoin";
        break;
      default:
        return false;
    }
    set_tiles(draft);
    return true;
  }

  // What all places of an axis at the destination are multiples of.
  static Offset place_granule(const NormalForm& form, const Axis& x) {
    if (x.map == Axis::plain) return x.to;
    Offset granule = 0;
    for (const Offset stride : form.maps[static_cast<std::size_t>(x.map)].to_strides) {
      granule = std::gcd(granule, stride);
    }
    return granule;
  }

  static Offset source_granule(const NormalForm& form, const Axis& x) {
    if (x.map == Axis::plain) return x.from;
    Offset granule = 0;
    for (const Offset stride : form.maps[static_cast<std::size_t>(x.map)].from_strides) {
      granule = std::gcd(granule, stride);
    }
    return granule;
  }

  // Whether row s + 1 begins where row s ends, D whole in a tile.
  bool adjoin(const Draft& draft) const {
    const StridedPlan& plan = draft.plan;
    const Offset row = plan.d.length * draft.element;
    if (row > 2048 || plan.d.table_block != plan.d.length) return false;
    return plan.s.plain && plan.s.stride == row;
  }

  // Whether the lines that a tile reads fall into few sets of the caches, so that those of a tile
  // whose destination's lines are written whole should be few.
  static bool in_one_set(const StridedPlan& plan) {
    return plan.streaming && plan.d.plain && plan.d.stride % set_period == 0;
  }

  void set_tiles(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    const Offset e = draft.element;
    const Offset n = draft.square;
    const auto elements_of = [&](Offset bytes) { return std::max(n, bytes / e / n * n); };
    const Offset d_bytes = plan.d.length * e;
    switch (plan.way) {
      // What a tile reads, and what is asked for meanwhile, fits the first cache: some 32 columns,
      // 256 bytes of each. Of a row it has two lines, if it can.
      case Way::direct:
        plan.d_tile = in_one_set(plan) ? elements_of(256)
                      : e == 1         ? line
                                       : elements_of(e == 8 ? 256 : 128);
        plan.s_tile = plan.s.length * e <= 1024 ? plan.s.length : elements_of(e == 2 ? 128 : 256);
        if (!plan.streaming) {
          plan.d_tile = d_bytes <= 1024 ? plan.d.length : elements_of(128);
          plan.s_tile = elements_of(1024);
        }
        break;
      case Way::carry:
        plan.d_tile = e <= 2 ? n : elements_of(128);
        plan.s_tile = elements_of(256);
        break;
      case Way::one:
        plan.d_tile = plan.d.length;
        plan.s_tile = std::clamp((Offset{1} << (plan.streaming ? 15 : 13)) / d_bytes / n * n, n,
                                 one_rows_max);
        break;
      default:
        plan.d_tile = d_bytes <= 1024 ? plan.d.length : elements_of(e <= 4 ? 128 : 256);
        plan.s_tile = e == 1 ? 2 * n : elements_of(128);
        break;
    }
    plan.d_tile = std::min(plan.d_tile, plan.d.table_block);
    plan.s_tile = std::min(plan.s_tile, plan.s.table_block);
    const auto rows = static_cast<Offset>(second_cache_bytes() / 4 / line_bytes);
    plan.strip = std::max(plan.s_tile, rows / plan.s_tile * plan.s_tile);
    if (plan.strip > plan.s.length) plan.strip = plan.s.length;
    // A stage of rows, each with a line before and after, on pages of its own; and the carry.
    const Offset pitch = plan.way == Way::one ? 0 : stage_pitch(plan.d_tile * e);
    const Offset stage = plan.way == Way::one     ? plan.s_tile * d_bytes + 4 * line
                         : plan.way == Way::exact ? plan.s_tile * pitch
                                                  : 0;
    const Offset carry = plan.way == Way::carry || plan.way == Way::exact ? plan.strip * line : 0;
    plan.working_bytes = static_cast<std::uint64_t>(stage + carry);
  }

  // ---- the rest ----

  void set_outer(Draft& draft) const {
    for (int k = 0; k < axes(draft); ++k) {
      if (!has(draft.d_axes, k) && !has(draft.s_axes, k)) draft.plan.outer.push_back(k);
    }
  }

  void set_chunks(Draft& draft) const {
    StridedPlan& plan = draft.plan;
    plan.threads = threads_for(form_.data_bytes, options_);
    const Word outer = Walk(plan.form, plan.outer).count();
    constexpr Word per_thread = 8;
    const Word wanted = plan.threads == 1 ? 1 : static_cast<Word>(plan.threads) * per_thread;
    const Word pieces = (wanted + outer - 1) / std::max<Word>(1, outer);
    const auto cut = [](Offset length, Offset unit, Word into) {
      const Offset units = (length + unit - 1) / unit;
      const auto most = static_cast<Offset>(std::max<Word>(1, into));
      return (units + most - 1) / most * unit;
    };
    plan.d_chunk = std::max<Offset>(1, plan.d.length);
    plan.s_chunk = std::max<Offset>(1, plan.s.length);
    switch (plan.way) {
      case Way::runs:
        // A long run is some pieces, and so are many short ones.
        plan.s_chunk = std::min(plan.s.length, plan.s_tile);
        plan.d_chunk = cut(plan.d.length, 1, pieces);
        return;
      case Way::reversed:
      case Way::split:
        plan.d_chunk = cut(plan.d.length, chunk_unit, pieces);
        return;
      case Way::zip:
        plan.s_chunk = cut(plan.s.length, chunk_unit, pieces);
        return;
      default:
        break;
    }
    if (plan.way != Way::elements) plan.s_chunk = plan.strip;
    plan.s_chunk = std::min(plan.s_chunk, cut(plan.s.length, plan.s_tile, pieces));
    const Word left = (pieces + plan.s_chunks() - 1) / plan.s_chunks();
    if (left > 1 && plan.way != Way::one) {
      const Offset unit = plan.d.plain ? plan.d_tile : plan.d.table_block;
      plan.d_chunk = cut(plan.d.length, unit, left);
    }
  }

  const NormalForm& form_;
  const PermuteOptions& options_;
  const MachineTuning& machine_;
  const KernelSet& kernels_;
  bool streams_ = false;
};

}  // namespace

const StridedPlan& StridedPlan::for_place(const std::byte* to) const {
  const auto at = reinterpret_cast<std::uintptr_t>(to);
  return off_elements != nullptr && at % form.element_bytes != 0 ? *off_elements : *this;
}

std::optional<StridedPlan> strided_plan(const NormalForm& form, const PermuteOptions& options,
                                        const MachineTuning& machine, std::optional<Way> wanted) {
  const Planner planner(form, options, machine);
  std::optional<Draft> best;
  for (const Way way : all_ways) {
    if (wanted && *wanted != way) continue;
    std::optional<Draft> draft = planner.draft(way);
    if (draft && (!best || draft->plan.cost < best->plan.cost)) best = std::move(draft);
  }
  if (!best) return std::nullopt;
  return planner.finished(std::move(*best));
}

}  // namespace faro::inline v1::engine
