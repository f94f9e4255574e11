// Wherever a product is known, one length of it may be left out: of each axis if the fields are
// axes, of each side of '|' if the processors are known, otherwise of all fields together.
#include "words/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/count_format.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::words {
namespace {

using notation::Arrow;
using notation::FieldText;

Count power_of_two(int log2) {
  return Count{1} << static_cast<unsigned>(log2);
}

bool is_power(Count n) {
  return n == power_of_two(word_bits) || (n.high() == 0 && is_power_of_two(n.low()));
}

class Sizer {
 public:
  Sizer(const Arrow& arrow, const Sizes& sizes, std::string_view text)
      : arrow_(arrow), sizes_(sizes), text_(text) {}

  PlacedFields run() {
    for (std::size_t i = 0; i < arrow_.left.size(); ++i) check_name(i);
    read();
    PlacedFields result;
    result.name_axes = name_axes();
    const std::size_t all = arrow_.left.size();
    const auto total = total_of(sizes_);
    if (result.name_axes) {
      fill_axes(*sizes_.shape);
    } else if (arrow_.left_cut && sizes_.processors) {
      fill_sides(total, *sizes_.processors);
    } else {
      // Without a '|' a machine's map is on its processors; a layout's index has all elements.
      // Where '=' says a length and all are said, they are the whole array's.
      const bool on_processors =
          sizes_.processors && !arrow_.right_cut && !(any_length() && states_its_lengths(arrow_));
      if (on_processors)
        fill(0, all, Count{*sizes_.processors}, "there are {} processors");
      else
        fill(0, all, total, "there are {} elements");
    }
    for (const auto& length : lengths_) result.elements = result.elements * *length;
    Count low = result.elements;
    for (std::size_t i = 0; i < all; ++i) {
      low = Count{low / *lengths_[i]};
      // Only a field of length 1 stands above 2^64 elements.
      const Word at = low.high() != 0 ? ~Word{0} : low.low();
      result.list.push_back({arrow_.left[i].name, *lengths_[i], at});
    }
    return result;
  }

 private:
  [[noreturn]] void fail(NotationFault fault, std::size_t at, const std::string& reason) const {
    throw NotationError(fault, at, reason, text_);
  }

  void check_name(std::size_t i) const {
    const FieldText& field = arrow_.left[i];
    if (notation::is_reserved(field.name) || field.name.find('-') != std::string_view::npos)
      fail(NotationFault::name, field.at, fmt::format("'{}' cannot name a field", field.name));
    for (std::size_t j = 0; j < i; ++j)
      if (arrow_.left[j].name == field.name)
        fail(NotationFault::name, field.at, fmt::format("field '{}' twice", field.name));
  }

  void read() {
    Count all = 1;
    Word bits = 0;
    for (const FieldText& field : arrow_.left) {
      lengths_.emplace_back();
      if (field.width) {
        if (field.width->value > word_bits)
          fail(NotationFault::limit, field.width->at, "a width above 64");
        lengths_.back() = power_of_two(static_cast<int>(field.width->value));
        bits += field.width->value;
      } else if (field.length) {
        if (field.length->value == 0) fail(NotationFault::range, field.length->at, "length 0");
        lengths_.back() = Count{field.length->value};
      } else {
        continue;
      }
      const std::size_t at = field.width ? field.width->at : field.length->at;
      if (bits > word_bits)
        fail(NotationFault::limit, at,
             fmt::format("{} bits together; at most 64 are possible", bits));
      all = all * *lengths_.back();
      if (all > power_of_two(is_power(all) ? word_bits : limits::tensor_elements_log2_max))
        fail(NotationFault::limit, at, "lengths together beyond 2^63");
    }
  }

  bool any_length() const {
    return std::any_of(arrow_.left.begin(), arrow_.left.end(),
                       [](const FieldText& field) { return field.length.has_value(); });
  }

  bool name_axes() const {
    return sizes_.shape && !sizes_.flat &&
           (arrow_.grouped || (arrow_.axes.size() > 1 && sizes_.shape->size() > 1));
  }

  void fill_axes(const std::vector<Word>& shape) {
    const std::size_t axes = arrow_.axes.size();
    if (axes != shape.size())
      fail(NotationFault::size, arrow_.left[0].at,
           fmt::format("the words name {} {}, the array has {}; {}", axes,
                       axes == 1 ? "axis" : "axes", shape.size(), other_ways(axes, shape.size())));
    std::size_t first = 0;
    for (std::size_t k = 0; k < axes; ++k) {
      fill(first, first + arrow_.axes[k], Count{shape[k]},
           fmt::format("axis {} has length {{}}", k));
      first += arrow_.axes[k];
    }
  }

  static std::string other_ways(std::size_t named, std::size_t axes) {
    if (named < axes)
      return "name all, as in b r c -> b c r, or say which axes the words are of (--axis, axis=)";
    return "fields in parentheses are one axis, (a b) c; flat words are of the whole index "
           "(--flat)";
  }

  void fill_sides(std::optional<Count> total, Word processors) {
    const std::size_t cut = *arrow_.left_cut;
    std::optional<Count> memory;
    if (total) {
      if (processors == 0 || *total % Count{processors} != Count{0})
        fail(NotationFault::size, arrow_.left[0].at,
             fmt::format("{} elements are not divisible by {} processors", *total, processors));
      memory = *total / Count{processors};
    }
    fill(0, cut, Count{processors}, "there are {} processors");
    fill(cut, arrow_.left.size(), memory, "each processor has {} elements");
  }

  // `known` names the product, in {}.
  void fill(std::size_t first, std::size_t end, std::optional<Count> product,
            std::string_view known) {
    Count stated = 1;
    std::optional<std::size_t> missing;
    for (std::size_t i = first; i < end; ++i) {
      if (lengths_[i]) {
        stated = stated * *lengths_[i];
      } else if (missing || !product) {
        fail(NotationFault::size, arrow_.left[i].at,
             fmt::format("needs a size: {0}:4 for bits, {0}=12 for a length", arrow_.left[i].name));
      } else {
        missing = i;
      }
    }
    if (!product) return;
    const std::size_t at = arrow_.left[missing.value_or(first)].at;
    const auto there = [&] { return fmt::format(fmt::runtime(known), *product); };
    if (!missing && stated != *product)
      fail(NotationFault::size, at, fmt::format("{}, the words say {}", there(), stated));
    if (!missing) return;
    if (*product == Count{0} || *product % stated != Count{0})
      fail(NotationFault::size, at,
           fmt::format("{}, not divisible by {}, what the other fields say", there(), stated));
    lengths_[*missing] = *product / stated;
  }

  const Arrow& arrow_;
  const Sizes& sizes_;
  std::string_view text_;
  std::vector<std::optional<Count>> lengths_;
};

}  // namespace

PlacedFields placed_fields(const Arrow& arrow, const Sizes& sizes, std::string_view text) {
  return Sizer(arrow, sizes, text).run();
}

Forms digits_of(const PlacedField& field) {
  if (field.length == Count{1} << static_cast<unsigned>(word_bits)) return bits_at(1, word_bits);
  return digit_at(field.low, static_cast<Word>(field.length));
}

bool states_its_lengths(const Arrow& arrow) {
  return std::all_of(arrow.left.begin(), arrow.left.end(), [](const FieldText& field) {
    return field.width.has_value() || field.length.has_value();
  });
}

std::optional<Count> total_of(const Sizes& sizes) {
  if (!sizes.shape) return sizes.elements;
  Count total = 1;
  for (const Word length : *sizes.shape) {
    if (length == 0) return Count{0};
    total = total * length;
    if (total > Count{1} << static_cast<unsigned>(word_bits)) break;  // refused by who sees it
  }
  return total;
}

std::string nearest_powers(Count length) {
  Count below = 1;
  while (below * 2 < length) below = below * 2;
  return fmt::format("{} and {} are the nearest powers of two", below, below * 2);
}

}  // namespace faro::inline v1::words
