// CuTe layouts and swizzles.
//
//   (4,(2,8)):(2,(1,16))     a coordinate, leftmost mode fastest, goes to the sum of coordinate
//                            times stride
//   Swizzle<3,3,3>           offset ^= (offset >> 3) & 0b111000: i:9 -> i[8:6] i[8:6]^i[5:3] i[2:0]
//   Sw<3,3,3> o 0 o (8,64):(64,1)
//
// The index is the one-dimensional coordinate. Left out strides are column-major.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "faro/base/limits.hpp"
#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

// The numbers of a nested tuple, and its form: (4,(2,8)) has "(.(..))".
void read_tuple(Scanner& in, std::vector<std::int64_t>& leaves, std::string& form, int depth = 0) {
  if (depth > limits::layout_depth_max)
    in.fail_at(in.at(), fmt::format("tuples nested more than {} deep", limits::layout_depth_max),
               NotationFault::limit);
  if (!in.accept("(")) {
    // _8 is a number known when compiling, Int<8>{} as well.
    if (in.next_is("_")) in.fail("an underscore alone; wanted a number");
    leaves.push_back(0);
    const std::size_t at = in.at();
    if (in.name_is_next()) {
      const std::string name = in.name();
      if (name.size() > 1 && name[0] == '_' && name.size() < 12 &&
          name.find_first_not_of("0123456789", 1) == std::string::npos) {
        leaves.back() = std::strtoll(name.c_str() + 1, nullptr, 10);
      } else {
        in.fail_at(at, "wanted a number");
      }
    } else {
      leaves.back() = in.integer();
    }
    form += '.';
    return;
  }
  form += '(';
  bool first = true;
  while (!in.accept(")")) {
    if (!first) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    first = false;
    read_tuple(in, leaves, form, depth + 1);
  }
  form += ')';
}

struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;
  int width() const { return base + bits + std::abs(shift); }
};

Swizzle read_swizzle(Scanner& in) {
  const std::size_t at = in.at();
  in.expect("<");
  const std::uint64_t bits = in.number();
  in.expect(",");
  const std::uint64_t base = in.number();
  in.expect(",");
  const std::int64_t shift = in.integer();
  in.expect(">");
  if (bits > 64 || base > 64 || std::abs(shift) > 64 ||
      bits + base + static_cast<std::uint64_t>(std::abs(shift)) > 64)
    in.fail_at(at, "a swizzle of more than 64 bits", NotationFault::limit);
  const Swizzle swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
  if (std::abs(swizzle.shift) < swizzle.bits)
    in.fail_at(at, fmt::format("a shift by {} of {} bits: CuTe wants |S| >= B", shift, bits),
               NotationFault::range);
  return swizzle;
}

// `offset` lowest bit first.
void swizzle_bits(Forms& offset, const Swizzle& swizzle, const Scanner& in) {
  const int from = swizzle.base + std::max(swizzle.shift, 0);
  for (int b = 0; b < swizzle.bits; ++b) {
    const auto source = static_cast<std::size_t>(from + b);
    const auto target = static_cast<std::size_t>(from + b - swizzle.shift);
    if (source >= offset.size()) continue;
    const Form& added = offset[source];
    if (added.mask == 0 && !added.inverted) continue;
    if (target >= offset.size())
      in.refuse(LayoutFault::holes,
                fmt::format("the swizzle reaches offset bit {}, the layout has {}", target,
                            offset.size()));
    offset[target].mask ^= added.mask;
    offset[target].inverted = offset[target].inverted != added.inverted;
  }
}

struct Mode {
  std::uint64_t size;
  std::int64_t stride;
};

[[noreturn]] void refuse_strides(const std::vector<Mode>& modes, int width,
                                 const std::string& words, const Scanner& in) {
  for (const Mode& mode : modes)
    if (mode.stride == 0 && mode.size > 1)
      in.refuse(LayoutFault::overlap, fmt::format("{}: stride 0: elements lie on one place "
                                                  "(broadcast)",
                                                  words));
  // The first coordinate whose offset leaves the array, where one is near.
  const std::uint64_t elements = bit(width);
  for (std::uint64_t x = 0; x < std::min<std::uint64_t>(elements, std::uint64_t{1} << 20U); ++x) {
    std::uint64_t left = x;
    std::int64_t offset = 0;
    for (const Mode& mode : modes) {
      offset += static_cast<std::int64_t>(left % mode.size) * mode.stride;
      left /= mode.size;
    }
    if (offset < 0)
      in.refuse(LayoutFault::holes, fmt::format("{}: offset {} is negative", words, offset));
    if (offset >= static_cast<std::int64_t>(elements))
      in.refuse(LayoutFault::holes,
                fmt::format("{}: offset {} >= {} elements: padded pitch (holes)", words, offset,
                            elements));
  }
  in.refuse(LayoutFault::overlap,
            fmt::format("{}: strides carry into one another: elements meet on one place", words));
}

// Bits of the offset, lowest first.
Forms read_modes(Scanner& in, int& width) {
  const std::size_t begin = in.at();
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::string shape_form;
  std::string stride_form;
  read_tuple(in, shape, shape_form);
  if (in.accept(":")) {
    read_tuple(in, strides, stride_form);
    if (shape_form != stride_form) in.fail_at(begin, "shape and stride have different forms");
  }
  const std::string words = in.words_from(begin);
  std::vector<Mode> modes;
  width = 0;
  std::int64_t column_major = 1;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] <= 0) in.fail_at(begin, fmt::format("a mode of {}", shape[k]));
    const auto size = static_cast<std::uint64_t>(shape[k]);
    width += log2_or_refuse(size, fmt::format("'{}': a mode has", words), in);
    if (width > limits::array_log2_max)
      in.fail_at(begin, "more than 2^62 elements", NotationFault::limit);
    modes.push_back({size, strides.empty() ? column_major : strides[k]});
    if (modes.back().stride > static_cast<std::int64_t>(bit(40)) ||
        modes.back().stride < -static_cast<std::int64_t>(bit(40)))
      if (!strides.empty()) refuse_strides({{2, static_cast<std::int64_t>(bit(40))}}, 1, words, in);
    column_major *= shape[k];
  }
  std::vector<std::optional<Form>> offset(static_cast<std::size_t>(width));
  int source = 0;
  for (const Mode& mode : modes) {
    const int count = log2_exact(mode.size);
    if (count == 0) continue;
    if (mode.stride <= 0 || !is_power_of_two(static_cast<std::uint64_t>(mode.stride)) ||
        log2_exact(static_cast<std::uint64_t>(mode.stride)) + count > width)
      refuse_strides(modes, width, words, in);
    const int low = log2_exact(static_cast<std::uint64_t>(mode.stride));
    for (int b = 0; b < count; ++b) {
      auto& place = offset[static_cast<std::size_t>(low + b)];
      if (place) refuse_strides(modes, width, words, in);
      place = Form{bit(source++), false};
    }
  }
  Forms bits;
  for (const auto& place : offset) bits.push_back(*place);
  return bits;
}

// Sw(off + L(c)): off lies above the bits of L, or it carries.
void add_offset(Forms& bits, std::uint64_t offset, const Scanner& in) {
  if (offset == 0) return;
  const auto width = static_cast<int>(bits.size());
  if ((offset & low_mask(width)) != 0)
    in.refuse(LayoutFault::adds,
              fmt::format("offset {} meets the layout's own bits and carries", offset));
  for (int b = width; b <= highest_bit(offset); ++b) bits.push_back({0, has_bit(offset, b)});
}

}  // namespace

ForeignLayout read_cute(Scanner& in, const ForeignSizes& sizes) {
  std::optional<Swizzle> swizzle;
  if (in.accept("Swizzle") || in.accept("Sw") || in.accept("S")) swizzle = read_swizzle(in);
  Forms offset;
  int width = 0;
  if (swizzle && in.done()) {
    width = sizes.width ? *sizes.width : swizzle->width();
    if (!sizes.width && !sizes.shape.empty()) width = bits_of(sizes.shape);
    if (width > limits::array_log2_max)
      in.fail_at(0, "more than 2^62 elements", NotationFault::limit);
    for (int b = 0; b < width; ++b) offset.push_back({bit(b), false});
  } else {
    std::uint64_t base = 0;
    if (swizzle) {
      in.expect("o");
      if (in.number_is_next()) {
        base = in.number();
        in.expect("o");
      } else if (in.accept("_0")) {
        in.expect("o");
      }
    }
    offset = read_modes(in, width);
    add_offset(offset, base, in);
  }
  in.expect_end();
  if (swizzle) swizzle_bits(offset, *swizzle, in);
  // What lies above the layout is one constant for all: the base.
  for (std::size_t b = static_cast<std::size_t>(width); b < offset.size(); ++b)
    if (offset[b].mask != 0)
      in.refuse(LayoutFault::holes, "the swizzle spreads the elements over places beyond them");
  offset.resize(static_cast<std::size_t>(width));
  std::reverse(offset.begin(), offset.end());
  return plain(offset, {bit(width)}, in);
}

}  // namespace faro::inline v1::layouts
