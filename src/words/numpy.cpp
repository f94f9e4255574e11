// NumPy's expressions that move elements and change none.
//
//   np.transpose(a, (2, 0, 1))     on shape 2x3x8:   a=2 b=3 c=8 -> c a b
//   np.flip(a, 1).T                on shape 3x4:     r=3 c=4 -> ~c r
//   a[::-1, :]    reshape(8, 4, order='F')    np.roll(a, 4, 0)
//
// The array has any name; a first function without `np.` is applied to it. An axis is a list of
// digits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/count_format.hpp"
#include "layouts/systems.hpp"
#include "words/arrays.hpp"
#include "words/numpy_axes.hpp"

namespace faro::inline v1::words {
namespace {

using layouts::Scanner;

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

class NumpyReader : public MovedAxes {
 public:
  NumpyReader(Scanner& in, const Shape& shape) : MovedAxes(in, shape), in_(in) {}

  void run() {
    expression();
    in_.expect_end();
  }

 private:
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
    if (name == "fftshift") return fftshift(arguments.get(0, "axes"), Way::forth, at);
    if (name == "ifftshift") return fftshift(arguments.get(0, "axes"), Way::back, at);
    if (name == "roll") return roll(arguments, at);
    if (name == "reshape") return reshape(arguments, at);
    if (name == "ravel" || name == "flatten") return ravel(arguments, at);
    if (name == "squeeze") return squeeze(arguments.get(0, "axis"), at);
    if (name == "expand_dims") return expand_dims(arguments.get(0, "axis"), at);
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

  const std::vector<std::int64_t>& numbers_of(const Value* v, std::size_t at) const {
    if (v == nullptr || v->numbers.empty()) in_.fail_at(at, "wanted numbers");
    return v->numbers;
  }

  void transpose_short(std::string_view name) {
    if (name == "T") {
      std::reverse(axes().begin(), axes().end());
    } else if (name == "mT" && axes().size() >= 2) {
      std::swap(axes()[axes().size() - 1], axes()[axes().size() - 2]);
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
    std::swap(axes()[a], axes()[b]);
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
    for (Axis a = 0; a < axes().size(); ++a)
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

  void flip_axis(Axis a) { axes()[a] = complemented(axes()[a]); }

  void flip(const Value* which, std::size_t at) {
    if (which == nullptr || which->word == "None") {
      for (Axis a = 0; a < axes().size(); ++a) flip_axis(a);
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
      std::swap(axes()[a], axes()[b]);
    }
  }

  void fftshift(const Value* which, Way way, std::size_t at) {
    std::vector<Axis> shifted;
    if (which == nullptr || which->word == "None") {
      for (Axis a = 0; a < axes().size(); ++a) shifted.push_back(a);
    } else {
      for (const std::int64_t a : which->numbers) shifted.push_back(axis(a, at));
    }
    for (const Axis a : shifted) {
      const Word half = static_cast<Word>(size_of(axes()[a])) / 2;
      axes()[a] = rolled_by(axes()[a], half, way);
    }
  }

  void roll(const Arguments& arguments, std::size_t at) {
    const std::vector<std::int64_t>& shifts = numbers_of(arguments.get(0, "shift"), at);
    const Value* which = arguments.get(1, "axis");
    if (which == nullptr || which->word == "None") {
      Shape kept = shape();
      Forms all = digits();
      for (const std::int64_t shift : shifts) all = rolled_by(all, shift);
      reshaped(std::move(all), std::move(kept));
      return;
    }
    const std::size_t count = std::max(shifts.size(), which->numbers.size());
    if ((shifts.size() != count && shifts.size() != 1) ||
        (which->numbers.size() != count && which->numbers.size() != 1))
      in_.fail_at(at, "as many shifts as axes are wanted");
    for (std::size_t k = 0; k < count; ++k) {
      const Axis a = axis(which->numbers[which->numbers.size() == 1 ? 0 : k], at);
      axes()[a] = rolled_by(axes()[a], shifts[shifts.size() == 1 ? 0 : k]);
    }
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
    reshape_to(sides, is_fortran(order), at);
  }

  void ravel(const Arguments& arguments, std::size_t at) {
    reshape_to({-1}, is_fortran(arguments.get(0, "order")), at);
  }

  void squeeze(const Value* which, std::size_t at) {
    std::vector<bool> goes(axes().size());
    if (which == nullptr || which->word == "None") {
      for (Axis a = 0; a < goes.size(); ++a) goes[a] = size_of(axes()[a]) == Count{1};
    } else {
      for (const std::int64_t number : which->numbers) {
        const Axis a = axis(number, at);
        if (size_of(axes()[a]) != Count{1})
          in_.fail_at(at,
                      fmt::format("axis {} has length {}; squeeze takes axes of length 1", a,
                                  size_of(axes()[a])),
                      NotationFault::size);
        goes[a] = true;
      }
    }
    std::vector<Forms> left;
    for (Axis a = 0; a < goes.size(); ++a)
      if (!goes[a]) left.push_back(axes()[a]);
    axes() = std::move(left);
  }

  void expand_dims(const Value* which, std::size_t at) {
    const std::int64_t number = numbers_of(which, at)[0];
    const auto count = static_cast<std::int64_t>(axes().size()) + 1;
    const std::int64_t place = number < 0 ? number + count : number;
    if (place < 0 || place >= count)
      in_.fail_at(at, fmt::format("axis {} of an array with {}", number, count),
                  NotationFault::range);
    axes().insert(axes().begin() + static_cast<std::ptrdiff_t>(place), Forms{});
  }

  void einsum(const std::string& pattern, std::size_t at) {
    const std::size_t arrow = pattern.find("->");
    if (arrow == std::string::npos) in_.fail_at(at, "wanted 'abc->cab'");
    const std::string from = pattern.substr(0, arrow);
    std::vector<Axis> order;
    for (const char c : pattern.substr(arrow + 2)) {
      const std::size_t a = from.find(c);
      if (a == std::string::npos || a >= axes().size())
        in_.fail_at(at, fmt::format("an index of '{}' is not on the left", pattern),
                    NotationFault::name);
      order.push_back(a);
    }
    if (from.size() != order.size())
      in_.fail_at(at, "an index on one side only: einsum adds or repeats there",
                  NotationFault::name);
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
        while (next + behind < axes().size()) result.push_back(axes()[next++]);
        continue;
      }
      if (in_.accept("None") || in_.accept("np.newaxis")) {
        result.emplace_back();
        continue;
      }
      if (next >= axes().size()) in_.fail("more slices than axes");
      Forms bits = axes()[next++];
      if (!in_.accept(":"))
        in_.refuse(LayoutFault::holes, "a slice of a part of an axis leaves elements out");
      if (in_.accept(":") && !in_.next_is("]") && !in_.next_is(",")) {
        const std::int64_t step = in_.integer();
        if (step != 1 && step != -1)
          in_.refuse(LayoutFault::holes, fmt::format("a step of {} leaves elements out", step));
        if (step == -1) bits = complemented(std::move(bits));
      } else if (in_.number_is_next()) {
        in_.refuse(LayoutFault::holes, "a slice of a part of an axis leaves elements out");
      }
      result.push_back(std::move(bits));
    }
    while (next < axes().size()) result.push_back(axes()[next++]);
    axes() = std::move(result);
  }

  Scanner& in_;
};

}  // namespace

Said say_numpy(Scanner& in, const std::vector<Word>& shape) {
  NumpyReader reader(in, shape);
  reader.run();
  const Forms digits = reader.digits();
  Made made = map_of(size_of(digits), digits);
  if (!made.map) in.fail_at(0, made.reason, made.fault);
  Said said;
  said.map = *std::move(made.map);
  said.fields = axis_fields(shape);
  said.shape = reader.shape();
  said.names_axes = true;
  return said;
}

}  // namespace faro::inline v1::words

namespace faro::inline v1::layouts {

ForeignLayout read_numpy(Scanner& in, const ForeignSizes& sizes) {
  const Shape shape = shape_of(sizes, in);
  axis_bits(shape, in);  // refuses other lengths
  const Said said = words::say_numpy(in, shape);
  if (said.map.bits() == nullptr)
    in.refuse(LayoutFault::adds,
              "a roll adds with carries; only multiples of a quarter of the axis are bit maps");
  ForeignLayout layout;
  layout.system = in.system();
  layout.notation.map = said.map.as_bits();
  layout.notation.fields = shape_fields(shape);
  layout.shape = shape;
  return layout;
}

}  // namespace faro::inline v1::layouts
