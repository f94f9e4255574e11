// NumPy's expressions that move elements and change none.
//
//   np.transpose(a, (2, 0, 1))     on shape 2x4x8:   a:1 b:2 c:3 -> c a b
//   np.flip(a, 1).T                on shape 2x4:     r:1 c:2 -> ~c r
//   a[::-1, :]    reshape(8, 4, order='F')    np.roll(a, 4, 0)
//
// The array has any name; a first function without `np.` is applied to it. An axis is a list of
// bits;
// rolling adds, which is affine for multiples of a quarter of the axis only: the two top bits count
// modulo 4.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

struct Value {
  std::string word;                   // a string or None; "" for numbers
  std::vector<std::int64_t> numbers;  // one, or a tuple
  bool tuple = false;
};

struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;

  const Value* get(std::size_t position, std::string_view name) const {
    for (const auto& [key, value] : named)
      if (key == name) return &value;
    return position < values.size() ? &values[position] : nullptr;
  }
};

class Reader {
 public:
  Reader(Scanner& in, const Shape& shape) : in_(in), axes_(axis_bits(shape, in)) {}

  Forms run() {
    expression();
    in_.expect_end();
    return joined(axes_);
  }

 private:
  using Axis = std::size_t;

  void expression() {
    if (in_.accept("(")) {
      expression();
      in_.expect(")");
    } else if (in_.accept("np") || in_.accept("numpy")) {
      function();
    } else if (in_.next_is("[")) {
      slices();
    } else {
      const std::size_t at = in_.at();
      const std::string name = in_.name();
      if (in_.next_is("(")) {
        method(name, at);
      } else if (name == "T" || name == "mT") {
        transpose_short(name);
      } else if (in_.done() && is_function(name)) {
        apply(name, {}, at);
      }
    }
    while (!in_.done() && (in_.next_is(".") || in_.next_is("["))) {
      if (in_.next_is("[")) {
        slices();
        continue;
      }
      in_.accept(".");
      const std::size_t at = in_.at();
      const std::string name = in_.name();
      if (in_.next_is("("))
        method(name, at);
      else
        transpose_short(name);
    }
  }

  static bool is_function(std::string_view name) {
    static constexpr std::array names = {"transpose", "rot90", "fftshift", "ifftshift",
                                         "flip",      "ravel", "flipud",   "fliplr"};
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // np.NAME(array, arguments)
  void function() {
    in_.expect(".");
    in_.accept("fft.");
    const std::size_t at = in_.at();
    const std::string name = in_.name();
    in_.expect("(");
    if (name == "einsum") {
      const std::string pattern = in_.quoted();
      in_.expect(",");
      expression();
      in_.expect(")");
      einsum(pattern, at);
      return;
    }
    expression();
    const Arguments arguments = in_.accept(",") ? arguments_until_close() : closed();
    apply(name, arguments, at);
  }

  Arguments closed() {
    in_.expect(")");
    return {};
  }

  void method(const std::string& name, std::size_t at) {
    in_.expect("(");
    apply(name, arguments_until_close(), at);
  }

  Value value() {
    Value v;
    if (in_.next_is("'") || in_.next_is("\"")) {
      v.word = in_.quoted();
    } else if (in_.name_is_next()) {
      v.word = in_.name();
    } else if (in_.next_is("(") || in_.next_is("[")) {
      v.tuple = true;
      v.numbers = in_.next_is("(") ? in_.integers("(", ")") : in_.integers("[", "]");
    } else {
      v.numbers = {in_.integer()};
    }
    return v;
  }

  Arguments arguments_until_close() {
    Arguments arguments;
    bool first = true;
    while (!in_.accept(")")) {
      if (!first) {
        in_.expect(",");
        if (in_.accept(")")) break;
      }
      first = false;
      const std::size_t at = in_.at();
      if (in_.name_is_next()) {
        const std::string name = in_.name();
        if (in_.accept("=")) {
          arguments.named.emplace_back(name, value());
          continue;
        }
        in_.go_to(at);
      }
      arguments.values.push_back(value());
    }
    return arguments;
  }

  void apply(const std::string& name, const Arguments& arguments, std::size_t at) {
    if (name == "transpose" || name == "permute_dims") return transpose(arguments, at);
    if (name == "swapaxes") return swapaxes(arguments, at);
    if (name == "moveaxis") return moveaxis(arguments, at);
    if (name == "flip") return flip(arguments.get(0, "axis"), at);
    if (name == "flipud") return flip_axis(axis(0, at));
    if (name == "fliplr") return flip_axis(axis(1, at));
    if (name == "rot90") return rot90(arguments, at);
    if (name == "fftshift" || name == "ifftshift") return fftshift(arguments.get(0, "axes"), at);
    if (name == "roll") return roll(arguments, at);
    if (name == "reshape") return reshape(arguments, at);
    if (name == "ravel" || name == "flatten") return ravel(arguments);
    if (name == "squeeze") return squeeze();
    if (name == "matrix_transpose") return transpose_short("mT");
    if (name == "copy" || name == "ascontiguousarray" || name == "asfortranarray" ||
        name == "asarray" || name == "array")
      return;
    in_.fail_at(at,
                fmt::format("'{}' is unknown here; a function that only moves elements can be "
                            "probed and fitted",
                            name),
                NotationFault::name);
  }

  Axis axis(std::int64_t index, std::size_t at) const {
    const auto axes = static_cast<std::int64_t>(axes_.size());
    const std::int64_t counted = index < 0 ? index + axes : index;
    if (counted < 0 || counted >= axes)
      in_.fail_at(at, fmt::format("axis {} of an array with {}", index, axes),
                  NotationFault::range);
    return static_cast<Axis>(counted);
  }

  const std::vector<std::int64_t>& numbers_of(const Value* v, std::size_t at) const {
    if (v == nullptr || v->numbers.empty()) in_.fail_at(at, "wanted numbers");
    return v->numbers;
  }

  void reorder(const std::vector<Axis>& order, std::size_t at) {
    std::vector<bool> taken(axes_.size());
    for (const Axis a : order) {
      if (taken[a]) in_.fail_at(at, fmt::format("axis {} twice", a), NotationFault::range);
      taken[a] = true;
    }
    if (order.size() != axes_.size())
      in_.fail_at(at, fmt::format("{} axes of an array with {}", order.size(), axes_.size()),
                  NotationFault::range);
    std::vector<Forms> result;
    for (const Axis a : order) result.push_back(axes_[a]);
    axes_ = std::move(result);
  }

  void transpose_short(std::string_view name) {
    if (name == "T") {
      std::reverse(axes_.begin(), axes_.end());
    } else if (name == "mT" && axes_.size() >= 2) {
      std::swap(axes_[axes_.size() - 1], axes_[axes_.size() - 2]);
    } else {
      in_.fail(fmt::format("'.{}' is unknown here", name));
    }
  }

  void transpose(const Arguments& arguments, std::size_t at) {
    const Value* given = arguments.get(0, "axes");
    if (given == nullptr || given->word == "None") return transpose_short("T");
    std::vector<Axis> order;
    if (given->tuple) {
      for (const std::int64_t a : given->numbers) order.push_back(axis(a, at));
    } else {
      for (const Value& v : arguments.values) order.push_back(axis(numbers_of(&v, at)[0], at));
    }
    reorder(order, at);
  }

  void swapaxes(const Arguments& arguments, std::size_t at) {
    const Axis a = axis(numbers_of(arguments.get(0, "axis1"), at)[0], at);
    const Axis b = axis(numbers_of(arguments.get(1, "axis2"), at)[0], at);
    std::swap(axes_[a], axes_[b]);
  }

  void moveaxis(const Arguments& arguments, std::size_t at) {
    std::vector<Axis> from;
    std::vector<Axis> to;
    for (const std::int64_t a : numbers_of(arguments.get(0, "source"), at))
      from.push_back(axis(a, at));
    for (const std::int64_t a : numbers_of(arguments.get(1, "destination"), at))
      to.push_back(axis(a, at));
    if (from.size() != to.size()) in_.fail_at(at, "as many destinations as sources are wanted");
    std::vector<Axis> order;
    for (Axis a = 0; a < axes_.size(); ++a)
      if (std::find(from.begin(), from.end(), a) == from.end()) order.push_back(a);
    std::vector<std::size_t> by_place(from.size());
    std::iota(by_place.begin(), by_place.end(), std::size_t{0});
    std::sort(by_place.begin(), by_place.end(),
              [&](std::size_t x, std::size_t y) { return to[x] < to[y]; });
    for (const std::size_t k : by_place)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(std::min(to[k], order.size())),
                   from[k]);
    reorder(order, at);
  }

  void flip_axis(Axis a) {
    for (Form& form : axes_[a]) form.inverted = !form.inverted;
  }

  void flip(const Value* which, std::size_t at) {
    if (which == nullptr || which->word == "None") {
      for (Axis a = 0; a < axes_.size(); ++a) flip_axis(a);
      return;
    }
    for (const std::int64_t a : which->numbers) flip_axis(axis(a, at));
  }

  // Counterclockwise from the first axis to the second.
  void rot90(const Arguments& arguments, std::size_t at) {
    const Value* times = arguments.get(0, "k");
    const Value* plane = arguments.get(1, "axes");
    const std::int64_t k = times == nullptr ? 1 : numbers_of(times, at)[0];
    const std::vector<std::int64_t> pair =
        plane == nullptr ? std::vector<std::int64_t>{0, 1} : numbers_of(plane, at);
    if (pair.size() != 2) in_.fail_at(at, "rot90 turns in a plane of two axes");
    const Axis a = axis(pair[0], at);
    const Axis b = axis(pair[1], at);
    if (a == b) in_.fail_at(at, "rot90 turns in a plane of two axes");
    for (std::int64_t turn = 0; turn < ((k % 4) + 4) % 4; ++turn) {
      flip_axis(b);
      std::swap(axes_[a], axes_[b]);
    }
  }

  void fftshift(const Value* which, std::size_t at) {
    std::vector<Axis> axes;
    if (which == nullptr || which->word == "None") {
      for (Axis a = 0; a < axes_.size(); ++a) axes.push_back(a);
    } else {
      for (const std::int64_t a : which->numbers) axes.push_back(axis(a, at));
    }
    for (const Axis a : axes)
      if (!axes_[a].empty()) axes_[a][0].inverted = !axes_[a][0].inverted;
  }

  void roll_bits(Forms& bits, std::int64_t shift) {
    const auto length = static_cast<std::int64_t>(bit(static_cast<int>(bits.size())));
    const std::int64_t by = ((shift % length) + length) % length;
    if (by == 0) return;
    const std::int64_t quarter = std::max<std::int64_t>(length / 4, 1);
    if (by % quarter != 0)
      in_.refuse(
          LayoutFault::adds,
          fmt::format("roll by {} of {} elements adds with carries; only multiples of {} are "
                      "bit maps",
                      by, length, quarter));
    if (2 * by == length) {
      bits[0].inverted = !bits[0].inverted;
      return;
    }
    // Plus 1 or 3 modulo 4 on the two top bits.
    Form& high = bits[0];
    Form& low = bits[1];
    high.mask ^= low.mask;
    high.inverted = (high.inverted != low.inverted) != (by == 3 * quarter);
    low.inverted = !low.inverted;
  }

  void roll(const Arguments& arguments, std::size_t at) {
    const std::vector<std::int64_t>& shifts = numbers_of(arguments.get(0, "shift"), at);
    const Value* which = arguments.get(1, "axis");
    if (which == nullptr || which->word == "None") {
      Forms all = joined(axes_);
      roll_bits(all, std::accumulate(shifts.begin(), shifts.end(), std::int64_t{0}));
      auto next = all.begin();
      for (Forms& bits : axes_) {
        const auto count = static_cast<std::ptrdiff_t>(bits.size());
        bits.assign(next, next + count);
        next += count;
      }
      return;
    }
    const std::size_t count = std::max(shifts.size(), which->numbers.size());
    if ((shifts.size() != count && shifts.size() != 1) ||
        (which->numbers.size() != count && which->numbers.size() != 1))
      in_.fail_at(at, "as many shifts as axes are wanted");
    for (std::size_t k = 0; k < count; ++k)
      roll_bits(axes_[axis(which->numbers[which->numbers.size() == 1 ? 0 : k], at)],
                shifts[shifts.size() == 1 ? 0 : k]);
  }

  static bool is_fortran(const Value* order) { return order != nullptr && order->word == "F"; }

  void reshape(const Arguments& arguments, std::size_t at) {
    std::vector<std::int64_t> sides;
    if (!arguments.values.empty() && arguments.values[0].tuple) {
      sides = arguments.values[0].numbers;
    } else {
      for (const Value& v : arguments.values)
        if (!v.numbers.empty()) sides.push_back(v.numbers[0]);
    }
    if (const Value* named = arguments.get(99, "shape"); named != nullptr) sides = named->numbers;
    const Value* order = arguments.get(99, "order");
    for (const Value& v : arguments.values)
      if (!v.word.empty()) order = &v;
    const bool fortran = is_fortran(order);
    if (fortran) std::reverse(axes_.begin(), axes_.end());
    const Forms all = joined(axes_);
    Shape shape;
    int missing = -1;
    int bits = 0;
    for (const std::int64_t side : sides) {
      if (side == -1) {
        if (missing >= 0) in_.fail_at(at, "more than one -1");
        missing = static_cast<int>(shape.size());
        shape.push_back(1);
        continue;
      }
      if (side <= 0) in_.fail_at(at, fmt::format("a side of {}", side));
      shape.push_back(static_cast<std::uint64_t>(side));
      bits += log2_or_refuse(shape.back(), "a side of the new shape is", in_);
    }
    const int left = static_cast<int>(all.size()) - bits;
    if (left < 0 || (left > 0 && missing < 0))
      in_.fail_at(at, fmt::format("2^{} elements in a shape of 2^{}", all.size(), bits),
                  NotationFault::size);
    if (missing >= 0) shape[static_cast<std::size_t>(missing)] = bit(left);
    if (fortran) std::reverse(shape.begin(), shape.end());
    axes_.clear();
    auto next = all.begin();
    for (const std::uint64_t side : shape) {
      axes_.emplace_back(next, next + log2_exact(side));
      next += log2_exact(side);
    }
    if (fortran) std::reverse(axes_.begin(), axes_.end());
  }

  void ravel(const Arguments& arguments) {
    if (is_fortran(arguments.get(0, "order"))) std::reverse(axes_.begin(), axes_.end());
    axes_ = {joined(axes_)};
  }

  void squeeze() {
    std::erase_if(axes_, [](const Forms& bits) { return bits.empty(); });
  }

  void einsum(const std::string& pattern, std::size_t at) {
    const std::size_t arrow = pattern.find("->");
    if (arrow == std::string::npos) in_.fail_at(at, "wanted 'abc->cab'");
    const std::string from = pattern.substr(0, arrow);
    std::vector<Axis> order;
    for (const char c : pattern.substr(arrow + 2)) {
      const std::size_t a = from.find(c);
      if (a == std::string::npos || a >= axes_.size())
        in_.fail_at(at, fmt::format("an index of '{}' is not on the left", pattern),
                    NotationFault::name);
      order.push_back(a);
    }
    if (from.size() != order.size())
      in_.fail_at(at, "an index on one side only: einsum adds or repeats there");
    reorder(order, at);
  }

  // [::-1, :, ...]
  void slices() {
    in_.expect("[");
    std::vector<Forms> result;
    std::size_t next = 0;
    bool first = true;
    while (!in_.accept("]")) {
      if (!first) in_.expect(",");
      first = false;
      if (in_.accept("...")) {
        std::size_t behind = 0;
        for (Scanner ahead = in_; !ahead.done() && !ahead.next_is("]");) {
          if (ahead.accept(","))
            ++behind;
          else
            ahead.go_to(ahead.at() + 1);
        }
        while (next + behind < axes_.size()) result.push_back(axes_[next++]);
        continue;
      }
      if (in_.accept("None") || in_.accept("np.newaxis")) {
        result.emplace_back();
        continue;
      }
      if (next >= axes_.size()) in_.fail("more slices than axes");
      Forms bits = axes_[next++];
      if (!in_.accept(":"))
        in_.refuse(LayoutFault::holes, "a slice of a part of an axis leaves elements out");
      if (in_.accept(":") && !in_.next_is("]") && !in_.next_is(",")) {
        const std::int64_t step = in_.integer();
        if (step != 1 && step != -1)
          in_.refuse(LayoutFault::holes, fmt::format("a step of {} leaves elements out", step));
        if (step == -1)
          for (Form& form : bits) form.inverted = !form.inverted;
      } else if (in_.number_is_next()) {
        in_.refuse(LayoutFault::holes, "a slice of a part of an axis leaves elements out");
      }
      result.push_back(std::move(bits));
    }
    while (next < axes_.size()) result.push_back(axes_[next++]);
    axes_ = std::move(result);
  }

  Scanner& in_;
  std::vector<Forms> axes_;
};

}  // namespace

ForeignLayout read_numpy(Scanner& in, const ForeignSizes& sizes) {
  const Shape shape = shape_of(sizes, in);
  return plain(Reader(in, shape).run(), shape, in);
}

}  // namespace faro::inline v1::layouts
