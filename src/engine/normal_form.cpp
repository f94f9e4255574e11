#include "engine/normal_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "algebra/digits.hpp"
#include "base/check.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::engine {
namespace {

__extension__ using Wide = __int128;

// Every place and every product of length and stride stays below this.
constexpr Wide place_max = Wide{1} << limits::array_log2_max;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, "permute: " + message);
}

Offset checked(Wide place) {
  if (place >= place_max || place <= -place_max) {
    throw Error(ErrorCode::limit, "permute: strides that reach beyond 2^62 bytes");
  }
  return static_cast<Offset>(place);
}

struct Placed {
  std::vector<std::uint64_t> shape;
  std::vector<Offset> strides;
};

// Shape and strides written out.
Placed placed(const ArrayPlaces& places, std::uint64_t elements, std::uint64_t element_bytes,
              const char* side) {
  Placed all{places.shape, places.strides};
  if (all.shape.empty()) all.shape = {elements};
  if (all.strides.empty()) {
    all.strides.resize(all.shape.size());
    Wide stride = static_cast<Wide>(element_bytes);
    for (std::size_t k = all.shape.size(); k-- > 0;) {
      all.strides[k] = checked(stride);
      stride *= static_cast<Wide>(all.shape[k]);
    }
    // They lie in one run: whether they divide the map's digits does not matter.
    if (stride == static_cast<Wide>(elements) * static_cast<Wide>(element_bytes))
      all = {{elements}, {checked(static_cast<Wide>(element_bytes))}};
  }
  if (all.strides.size() != all.shape.size()) {
    refuse(fmt::format("{} strides for the {} axes of the {}", all.strides.size(), all.shape.size(),
                       side));
  }
  return all;
}

// The bytes that a buffer must have.
std::uint64_t extent(const Placed& placed, const ArrayPlaces& places, std::uint64_t element_bytes,
                     const char* side) {
  Wide low = static_cast<Wide>(places.offset);
  Wide high = low;
  for (std::size_t k = 0; k < placed.shape.size(); ++k) {
    const Wide reach = (static_cast<Wide>(placed.shape[k]) - 1) * placed.strides[k];
    (reach < 0 ? low : high) += reach;
    checked(low);
    checked(high);
  }
  if (low < 0) {
    refuse(
        fmt::format("negative strides lead {} bytes before the beginning of the {}; its offset "
                    "says where element 0 is",
                    static_cast<Offset>(-low), side));
  }
  return static_cast<std::uint64_t>(checked(high + static_cast<Wide>(element_bytes)));
}

void check_apart(const Placed& to, std::uint64_t element_bytes) {
  std::vector<std::pair<Wide, Wide>> axes;  // stride, length
  for (std::size_t k = 0; k < to.shape.size(); ++k) {
    if (to.shape[k] > 1) {
      axes.emplace_back(std::abs(to.strides[k]), static_cast<Wide>(to.shape[k]));
    }
  }
  std::sort(axes.begin(), axes.end());
  Wide within = static_cast<Wide>(element_bytes);
  for (const auto& [stride, length] : axes) {
    if (stride < within) {
      refuse(
          fmt::format("the destination's elements overlap or interlock: a stride of {} bytes, "
                      "and {} bytes lie within it",
                      static_cast<Offset>(stride), static_cast<Offset>(within)));
    }
    within += stride * (length - 1);
  }
}

// The strides of a side's digits, in the order of the digits.
std::vector<Offset> digit_strides(const std::vector<Digit>& digits, const Placed& placed) {
  std::vector<Offset> strides(digits.size());
  std::size_t axis = placed.shape.size();
  Word done = 1;
  Word length = 1;
  for (std::size_t k = digits.size(); k-- > 0;) {
    while (done == length) {
      length = placed.shape[--axis];
      done = 1;
    }
    strides[k] = static_cast<Offset>(done) * placed.strides[axis];
    done *= digits[k].length;
  }
  return strides;
}

struct Builder {
  NormalForm form;

  // An axis with a destination stride of any sign.
  void add(Offset length, Offset from, Offset to, bool reversed) {
    if (reversed) {
      form.from_base += from * (length - 1);
      from = -from;
    }
    if (to < 0) {
      form.to_base += to * (length - 1);
      form.from_base += from * (length - 1);
      to = -to;
      from = -from;
    }
    form.axes.push_back({length, from, to});
  }

  void add_bits(const BitMap& map, const std::vector<Offset>& from, const std::vector<Offset>& to);
  void add_mixed(const BitMap& inverse, std::vector<int> source, std::vector<int> destination,
                 const std::vector<Offset>& from, const std::vector<Offset>& to);
  void merge();
  void widen_element();
};

bool even(const std::vector<Offset>& strides) {
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] != strides[0] * (Offset{1} << i)) return false;
  }
  return true;
}

// Bits `source` and `destination` belong together. Strides are by bit.
void Builder::add_mixed(const BitMap& inverse, std::vector<int> source,
                        std::vector<int> destination, const std::vector<Offset>& from,
                        const std::vector<Offset>& to) {
  const auto by = [](const std::vector<Offset>& strides) {
    return [&strides](int a, int b) {
      const Offset x = std::abs(strides[static_cast<std::size_t>(a)]);
      const Offset y = std::abs(strides[static_cast<std::size_t>(b)]);
      return x != y ? x < y : a < b;
    };
  };
  std::sort(source.begin(), source.end(), by(from));
  std::sort(destination.begin(), destination.end(), by(to));
  IndexMap map;
  const auto gathered = [&](Word x) {
    Word result = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      result |= ((x >> source[i]) & 1U) << i;
    }
    return result;
  };
  for (const int bit_at : destination) map.columns.push_back(gathered(inverse.column(bit_at)));
  map.translation = gathered(inverse.complement());
  for (std::size_t j = 0; j < destination.size(); ++j) {
    const Offset stride = to[static_cast<std::size_t>(destination[j])];
    map.to_strides.push_back(std::abs(stride));
    if (stride < 0) {
      form.to_base += stride;
      map.translation ^= map.columns[j];
    }
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Offset stride = from[static_cast<std::size_t>(source[i])];
    map.from_strides.push_back(std::abs(stride));
    if (stride < 0) {
      form.from_base += stride;
      map.translation ^= bit(static_cast<int>(i));
    }
  }
  form.axes.push_back({Offset{1} << source.size(), map.from_strides[0], map.to_strides[0],
                       static_cast<int>(form.maps.size()), even(map.from_strides),
                       even(map.to_strides)});
  form.maps.push_back(std::move(map));
}

// Bits by the components that adding makes of them.
void Builder::add_bits(const BitMap& map, const std::vector<Offset>& from,
                       const std::vector<Offset>& to) {
  const int width = map.width();
  const auto count = static_cast<std::size_t>(width);
  std::vector<int> root(2 * count);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int x) {
    while (root[static_cast<std::size_t>(x)] != x) x = root[static_cast<std::size_t>(x)];
    return x;
  };
  for (int i = 0; i < width; ++i) {
    for (Word left = map.column(i); left != 0; left &= left - 1) {
      root[static_cast<std::size_t>(find(i))] = find(width + lowest_bit(left));
    }
  }
  const BitMap inverse = map.inverse();
  for (int r = 0; r < 2 * width; ++r) {
    if (find(r) != r) continue;
    std::vector<int> source;
    std::vector<int> destination;
    for (int i = 0; i < width; ++i) {
      if (find(i) == r) source.push_back(i);
      if (find(width + i) == r) destination.push_back(i);
    }
    if (source.size() == 1) {
      add(2, from[static_cast<std::size_t>(source[0])],
          to[static_cast<std::size_t>(destination[0])], has_bit(map.complement(), destination[0]));
    } else {
      add_mixed(inverse, std::move(source), std::move(destination), from, to);
    }
  }
}

// Neighbours at the destination that are neighbours at the source.
void Builder::merge() {
  auto& axes = form.axes;
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return a.to > b.to; });
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (!merged.empty() && merged.back().map == Axis::plain && axis.map == Axis::plain &&
        merged.back().to == axis.to * axis.length &&
        merged.back().from == axis.from * axis.length) {
      merged.back() = {merged.back().length * axis.length, axis.from, axis.to};
    } else {
      merged.push_back(axis);
    }
  }
  axes = std::move(merged);
}

void Builder::widen_element() {
  auto& axes = form.axes;
  const auto element = [&] { return static_cast<Offset>(form.element_bytes); };
  while (!axes.empty() && axes.back().map == Axis::plain && axes.back().from == element() &&
         axes.back().to == element()) {
    form.element_bytes *= static_cast<std::uint64_t>(axes.back().length);
    axes.pop_back();
  }
}

// Lengths with their strides, and the strides of bits.
struct MovedDigits {
  struct Length {
    Digit digit;
    Offset from = 0;
    Offset to = 0;
  };
  std::vector<Length> lengths;
  std::vector<Offset> from_bits;
  std::vector<Offset> to_bits;
  int rolled = 0;

  MovedDigits(const Digits& digits, const std::vector<Offset>& from, const std::vector<Offset>& to)
      : from_bits(static_cast<std::size_t>(digits.bits.width())), to_bits(from_bits.size()) {
    std::vector<Offset> of_length;
    std::size_t bit_at = from_bits.size();
    for (std::size_t k = 0; k < digits.from.size(); ++k) {
      if (radix::is_bit(digits.from[k])) {
        from_bits[--bit_at] = from[k];
      } else {
        of_length.push_back(from[k]);
      }
    }
    bit_at = to_bits.size();
    for (std::size_t k = 0; k < digits.to.size(); ++k) {
      const Digit& digit = digits.to[k];
      if (radix::is_bit(digit)) {
        to_bits[--bit_at] = to[k];
      } else {
        lengths.push_back({digit, of_length[static_cast<std::size_t>(digit.which)], to[k]});
        rolled += digit.roll == 0 ? 0 : 1;
      }
    }
  }

  // The part of the data in one range of every rolled digit, as the bits of `choice` say.
  NormalForm form(const NormalForm& whole, const BitMap& map, Word choice) const {
    Builder builder{whole};
    NormalForm& form = builder.form;
    for (const auto& [digit, from, to] : lengths) {
      auto length = static_cast<Offset>(digit.length);
      if (digit.roll != 0) {
        // x in [0, n-s) goes to x + s and the rest to the beginning; reversed, x in [s, n) goes to
        // n-1-x+s, which is at least s, and the rest to s-1-x.
        const auto roll = static_cast<Offset>(digit.roll);
        const bool low = (choice & 1U) != 0;  // it arrives below the roll
        choice >>= 1U;
        form.to_base += low ? 0 : roll * to;
        form.from_base += from * (digit.reversed ? (low ? 0 : roll) : (low ? length - roll : 0));
        form.data_bytes /= digit.length;
        length = low ? roll : length - roll;
        form.data_bytes *= static_cast<std::uint64_t>(length);
      }
      if (length > 1) builder.add(length, from, to, digit.reversed);
    }
    builder.add_bits(map, from_bits, to_bits);
    builder.merge();
    builder.widen_element();
    return std::move(form);
  }
};

Offset at_strides(Word x, const std::vector<Offset>& strides) {
  Offset at = 0;
  for (; x != 0; x &= x - 1) at += strides[static_cast<std::size_t>(lowest_bit(x))];
  return at;
}

}  // namespace

Word IndexMap::source_of(Word y) const {
  Word x = translation;
  for (; y != 0; y &= y - 1) x ^= columns[static_cast<std::size_t>(lowest_bit(y))];
  return x;
}

Offset IndexMap::from_at(Word y) const {
  return at_strides(source_of(y), from_strides);
}

Offset IndexMap::to_at(Word y) const {
  return at_strides(y, to_strides);
}

Offset NormalForm::from_at(const Axis& axis, Offset i) const {
  if (axis.map == Axis::plain) return axis.from * i;
  return maps[static_cast<std::size_t>(axis.map)].from_at(static_cast<Word>(i));
}

Offset NormalForm::to_at(const Axis& axis, Offset i) const {
  if (axis.map == Axis::plain || axis.to_even) return axis.to * i;
  return maps[static_cast<std::size_t>(axis.map)].to_at(static_cast<Word>(i));
}

NormalForm normal_form(const Map& map, const TensorShape& shape) {
  std::vector<NormalForm> forms = normal_forms(map, shape);
  FARO_CHECK(forms.size() == 1);
  return std::move(forms.front());
}

bool is_dense(const ArrayPlaces& places, std::uint64_t element_bytes) {
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (std::size_t k = places.strides.size(); k-- > 0;) {
    if (places.strides[k] != stride) return false;
    stride *= static_cast<std::int64_t>(places.shape[k]);
  }
  return places.offset == 0;
}

std::uint64_t data_bytes_of(const Map& map, std::uint64_t element_bytes) {
  if (element_bytes == 0) refuse("elements of 0 bytes; the shape needs element_bytes >= 1");
  if (map.elements() > bit(limits::array_log2_max)) {
    throw Error(ErrorCode::limit, "permute: a map of more than 2^62 elements");
  }
  return size_product(static_cast<Word>(map.elements()), element_bytes, "bytes");
}

std::vector<NormalForm> normal_forms(const Map& map, const TensorShape& shape) {
  NormalForm whole;
  whole.data_bytes = data_bytes_of(map, shape.element_bytes);
  const auto elements = static_cast<Word>(map.elements());
  const Placed from = placed(shape.from, elements, shape.element_bytes, "source");
  const Placed to = placed(shape.to, elements, shape.element_bytes, "destination");
  const Digits digits = map.digits_of(from.shape, to.shape);
  whole.element_bytes = shape.element_bytes;
  whole.from_bytes = extent(from, shape.from, shape.element_bytes, "source");
  whole.to_bytes = extent(to, shape.to, shape.element_bytes, "destination");
  check_apart(to, shape.element_bytes);
  whole.from_base = static_cast<Offset>(shape.from.offset);
  whole.to_base = static_cast<Offset>(shape.to.offset);
  const MovedDigits moved(digits, digit_strides(digits.from, from), digit_strides(digits.to, to));
  if (moved.rolled > rolled_digits_max) {
    throw Error(ErrorCode::limit, fmt::format("permute: {} digits are rolled at once; at most {}",
                                              moved.rolled, rolled_digits_max));
  }
  std::vector<NormalForm> forms;
  for (Word choice = 0; choice < bit(moved.rolled); ++choice) {
    forms.push_back(moved.form(whole, digits.bits, choice));
  }
  return forms;
}

Walk::Walk(const NormalForm& form, const std::vector<int>& axes) : form_(form) {
  FARO_CHECK(axes.size() <= axes_max);
  for (const int k : axes) {
    const Axis& axis = form.axes[static_cast<std::size_t>(k)];
    at_[axes_++] = {&axis, 0, 0, 0};
    count_ *= static_cast<Word>(axis.length);
  }
  seek(0);
}

void Walk::place(At& at, Offset index) {
  from_ -= at.from;
  to_ -= at.to;
  at.index = index;
  at.from = form_.from_at(*at.axis, index);
  at.to = form_.to_at(*at.axis, index);
  from_ += at.from;
  to_ += at.to;
}

void Walk::seek(Word index) {
  for (std::size_t k = axes_; k-- > 0;) {
    const auto length = static_cast<Word>(at_[k].axis->length);
    place(at_[k], static_cast<Offset>(index % length));
    index /= length;
  }
}

void Walk::next() {
  for (std::size_t k = axes_; k-- > 0;) {
    At& at = at_[k];
    if (at.index + 1 < at.axis->length) {
      place(at, at.index + 1);
      return;
    }
    place(at, 0);
  }
}

}  // namespace faro::inline v1::engine
