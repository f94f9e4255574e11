// The engine's normal form says an array as axes with a stride at the source and one at the
// destination. A block moves a window: of the source's fast axes as much as makes a long run, and
// of the destination's. Both are read and written in the order of memory; in between elements lie
// in shared memory in the source's order, each row of the source's run an odd number of units
// after the one before, so that a column meets many banks.
//
//   r=100 c=64 -> c r, 4 bytes     windows of 64 x 64: runs of 256 bytes read and written; the
//                                  blocks at the end of r have 36 of 64 to move
//
// Where the fast axis is the same on both sides nothing is turned, and shared memory is left out.
//
// A length that is rolled is cut at its seam into two ranges, each moved by windows of its own:
//
//   np.roll of 1000 x 7 by (3, 2)     four windows: 997 x 5, 3 x 5, 997 x 2, 3 x 2; the kernel's
//   first blocks are of the first one
#include "gpu/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/require.hpp"
#include "gpu/text.hpp"

namespace faro::inline v1::gpu {
namespace {

constexpr std::uint64_t run_bytes_wanted = 256;
constexpr std::uint64_t window_bytes_max = 1U << 14U;
constexpr std::size_t windows_max = 16;  // four lengths that are rolled: some 500 lines of text

Word absolute(std::int64_t v) {
  return static_cast<Word>(v < 0 ? -v : v);
}

// The largest power of two up to 16 that divides the element and every place.
int unit_of(const engine::NormalForm& form) {
  Word all = form.element_bytes | absolute(form.from_base) | absolute(form.to_base) | 16U;
  for (const engine::Axis& axis : form.axes) {
    if (axis.map == engine::Axis::plain) {
      all |= absolute(axis.from) | absolute(axis.to);
      continue;
    }
    const engine::IndexMap& map = form.maps[static_cast<std::size_t>(axis.map)];
    for (const engine::Offset s : map.from_strides) all |= absolute(s);
    for (const engine::Offset s : map.to_strides) all |= absolute(s);
  }
  return lowest_bit(all);
}

// How far apart the nearest neighbours along an axis are, on one side.
Word step_of(const WindowAxis& axis, bool source) {
  const std::vector<std::int64_t>& strides = source ? axis.from : axis.to;
  Word least = ~Word{0};
  for (const std::int64_t s : strides) least = std::min(least, absolute(s));
  return least;
}

std::vector<std::size_t> by_step(const std::vector<WindowAxis>& axes, bool source) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return step_of(axes[a], source) < step_of(axes[b], source);
  });
  return order;
}

// Of the fast axes of one side whole ones, and of the next as much as is wanted. Axes whose bits
// are added go whole or not at all.
void widen(std::vector<WindowAxis>& axes, const std::vector<std::size_t>& order, Word wanted,
           Word room) {
  Word run = 1;
  for (const std::size_t i : order) {
    WindowAxis& axis = axes[i];
    Word inside = 1;
    for (const WindowAxis& other : axes) inside *= other.chunk;
    const Word space = room / (inside / axis.chunk);
    if (run >= wanted || space <= axis.chunk) {
      run *= axis.chunk;
      if (run >= wanted || axis.chunk < axis.length) return;
      continue;
    }
    const Word need = std::max<Word>(axis.chunk, (wanted + run - 1) / run);
    const Word chunk = std::min({axis.length, need, space});
    if (!axis.columns.empty() && chunk < axis.length) {
      if (axis.length > space) return;
      axis.chunk = axis.length;
    } else {
      axis.chunk = chunk;
    }
    run *= axis.chunk;
    if (axis.chunk < axis.length) return;
  }
}

std::string stride_sum(const std::string& index, const std::vector<std::int64_t>& strides) {
  if (strides.size() == 1)
    return strides[0] == 1 ? index : fmt::format("{} * (index){}", index, strides[0]);
  std::vector<std::string> terms;
  for (std::size_t i = 0; i < strides.size(); ++i)
    terms.push_back(fmt::format("({} >> {} & 1u) * (index){}", index, i, strides[i]));
  return fmt::format("{}", fmt::join(terms, " + "));
}

// What an index along an axis adds to a place.
std::string offset_text(const WindowAxis& axis, const std::string& index, bool source) {
  if (axis.columns.empty())
    return stride_sum("(index)(" + index + ")", source ? axis.from : axis.to);
  if (!source) return stride_sum("(index)(" + index + ")", axis.to);
  return stride_sum(
      fmt::format("(index)({})", xor_sum("(" + index + ")", axis.columns, axis.translation, false)),
      axis.from);
}

Window window_of(const engine::NormalForm& form, int unit_log2) {
  const auto shift = [&](std::int64_t v) { return v / static_cast<std::int64_t>(bit(unit_log2)); };
  Window window;
  for (const engine::Axis& axis : form.axes) {
    WindowAxis out;
    out.length = static_cast<Word>(axis.length);
    if (axis.map == engine::Axis::plain) {
      out.from = {shift(axis.from)};
      out.to = {shift(axis.to)};
    } else {
      const engine::IndexMap& map = form.maps[static_cast<std::size_t>(axis.map)];
      out.columns = map.columns;
      out.translation = map.translation;
      for (const engine::Offset s : map.from_strides) out.from.push_back(shift(s));
      for (const engine::Offset s : map.to_strides) out.to.push_back(shift(s));
    }
    window.axes.push_back(std::move(out));
  }
  const Word parts = form.element_bytes >> static_cast<unsigned>(unit_log2);
  if (parts > 1) window.axes.push_back({.length = parts, .from = {1}, .to = {1}});
  window.from_start = shift(form.from_base);
  window.to_start = shift(form.to_base);
  const std::vector<std::size_t> read = by_step(window.axes, true);
  const std::vector<std::size_t> written = by_step(window.axes, false);
  const Word room = window_bytes_max >> static_cast<unsigned>(unit_log2);
  const Word wanted = std::max<Word>(1, run_bytes_wanted >> static_cast<unsigned>(unit_log2));
  // Both sides' runs in turn, until the window is full: where they are of one axis, of that.
  for (Word run = std::min(wanted, room); run <= room; run *= 2) {
    widen(window.axes, read, run, room);
    widen(window.axes, written, run, room);
  }
  for (const std::size_t i : read)
    if (window.axes[i].chunk > 1) window.read.push_back(i);
  for (const std::size_t i : written)
    if (window.axes[i].chunk > 1) window.written.push_back(i);
  // Places in shared memory, in the source's order; a row that is turned begins at an odd place.
  Word place = 1;
  bool turned = false;
  for (const std::size_t i : window.read) {
    WindowAxis& axis = window.axes[i];
    if (!turned && !window.written.empty() && i == window.written.front() &&
        i != window.read.front()) {
      place |= 1U;
      turned = true;
    }
    axis.place = place;
    place *= axis.chunk;
  }
  window.places = place;
  return window;
}

// What a block does of a window: reads it, or writes it, or both where nothing is turned.
class WindowText {
 public:
  WindowText(const Window& window, std::uint64_t threads, std::string indent)
      : window_(window), threads_(threads), indent_(std::move(indent)) {}

  // Where the window of block `b` begins on these sides; how much of it is inside the array.
  WindowText& begin(bool from, bool to) {
    if (from) line("index x0 = (index){};", window_.from_start);
    if (to) line("index y0 = (index){};", window_.to_start);
    for (std::size_t i = 0; i < window_.axes.size(); ++i) {
      const WindowAxis& axis = window_.axes[i];
      const Word count = (axis.length + axis.chunk - 1) / axis.chunk;
      if (count == 1) {
        if (axis.chunk > 1) line("const u32 n{} = {};", i, number(axis.length));
        continue;
      }
      line("const index g{} = (index)(b % {}) * {};", i, number(count), number(axis.chunk));
      line("b /= {};", number(count));
      if (from) line("x0 += {};", offset_text(axis, fmt::format("g{}", i), true));
      if (to) line("y0 += {};", offset_text(axis, fmt::format("g{}", i), false));
      if (axis.chunk == 1) continue;
      if (axis.length % axis.chunk == 0)
        line("const u32 n{} = {};", i, number(axis.chunk));
      else
        line("const u32 n{0} = {1} - g{0} < {2} ? (u32)({1} - g{0}) : {2};", i, number(axis.length),
             number(axis.chunk));
    }
    return *this;
  }

  WindowText& loop(bool from, bool to) {
    const std::vector<std::size_t>& order = from ? window_.read : window_.written;
    const bool turns = !(from && to);
    std::string product = "1u";
    for (const std::size_t i : order) product += fmt::format(" * n{}", i);
    line("for (u32 i = THREAD; i < {}; i += {}u) {{", product, threads_);
    if (!order.empty()) line("  u32 q = i;");
    if (turns) line("  u32 s = 0u;");
    if (from) line("  index x = x0;");
    if (to) line("  index y = y0;");
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::size_t i = order[k];
      const WindowAxis& axis = window_.axes[i];
      const std::string index = fmt::format("k{}", i);
      if (k + 1 == order.size())
        line("  const u32 {} = q;", index);
      else
        line("  const u32 {} = q % n{}; q /= n{};", index, i, i);
      if (from) line("  x += {};", offset_text(axis, index, true));
      if (to) line("  y += {};", offset_text(axis, index, false));
      if (turns) line("  s += {} * {};", index, number(axis.place));
    }
    line("  {} = {};", to ? "to[y]" : "held[s]", from ? "from[x]" : "held[s]");
    line("}}");
    return *this;
  }

  std::string text;

 private:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text += indent_ + fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  const Window& window_;
  std::uint64_t threads_;
  std::string indent_;
};

// All blocks meet one barrier: what is read before it and what is written after it are chosen by
// the block's number apart.
std::string text_of_several(const Plan& plan) {
  std::string out;
  const auto part = [&](bool read) {
    Word first = 0;
    for (const Window& window : plan.windows) {
      const Word end = first + window.block_count();
      if (!read || window.turns()) {
        out += fmt::format("  if ({}BLOCK < {}) {{\n",
                           first == 0 ? "" : fmt::format("BLOCK >= {} && ", number(first)),
                           number(end));
        if (window.block_count() > 1)
          out += fmt::format("    u32 b = BLOCK - {};\n", number(first));
        const bool from = read || !window.turns();
        out += WindowText(window, plan.threads(), "    ").begin(from, !read).loop(from, !read).text;
        out += "  }\n";
      }
      first = end;
    }
  };
  part(true);
  if (plan.shared_bytes() > 0) out += "  BARRIER();\n";
  part(false);
  return out;
}

}  // namespace

Word Window::block_count() const {
  Word count = 1;
  for (const WindowAxis& axis : axes) count *= (axis.length + axis.chunk - 1) / axis.chunk;
  return count;
}

Word Window::units() const {
  Word count = 1;
  for (const WindowAxis& axis : axes) count *= axis.chunk;
  return count;
}

void make_windows(Plan& plan, const std::vector<engine::NormalForm>& forms) {
  if (forms.size() > windows_max)
    throw Error(ErrorCode::limit,
                fmt::format("this map is cut into {} parts where lengths are rolled, and a kernel "
                            "has at most {}; roll some of them first",
                            forms.size(), windows_max));
  plan.kind = Kind::window;
  plan.unit_log2 = unit_of(forms.front());
  for (const engine::NormalForm& form : forms)
    plan.unit_log2 = std::min(plan.unit_log2, unit_of(form));
  plan.units = 1;
  plan.windows_from_bytes = forms.front().from_bytes;
  plan.windows_to_bytes = forms.front().to_bytes;
  for (const engine::NormalForm& form : forms)
    plan.windows.push_back(window_of(form, plan.unit_log2));
  require(plan.shared_bytes() <= plan.machine.shared_bytes, "a window of {} bytes of shared memory",
          plan.shared_bytes());
}

std::string windows_text(const Plan& plan, const char* type) {
  const bool wide = (std::max(plan.windows_from_bytes, plan.windows_to_bytes) >>
                     static_cast<unsigned>(plan.unit_log2)) > low_mask(32);
  std::string out = fmt::format("  typedef {} index;\n", wide ? "u64" : "u32");
  if (plan.shared_bytes() > 0)
    out += fmt::format("  TILE({});\n  LOCAL {}* held = (LOCAL {}*)tile;\n", plan.shared_bytes(),
                       type, type);
  if (plan.windows.size() > 1) return out + text_of_several(plan);
  const Window& window = plan.windows.front();
  if (plan.block_count() > 1) out += "  u32 b = BLOCK;\n";
  WindowText words(window, plan.threads(), "  ");
  words.begin(true, true).loop(true, !window.turns());
  if (window.turns()) {
    words.text += "  BARRIER();\n";
    words.loop(false, true);
  }
  return out + words.text;
}

}  // namespace faro::inline v1::gpu
