#include "algebra/notation_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace faro::inline v1::notation {
namespace {

using Widths = std::vector<std::optional<int>>;

class Sizer {
 public:
  Sizer(const Arrow& arrow, std::string_view text) : arrow_(arrow), text_(text) {}

  std::vector<PlacedField> run(const KnownSizes& known) {
    check_names();
    read_widths();
    const std::size_t all = arrow_.left.size();
    if (arrow_.left_cut) {
      std::optional<int> memory;
      if (known.total && known.processor) memory = *known.total - *known.processor;
      const bool only_total = known.total && !known.processor;
      if (only_total) {
        fill(0, all, known.total);
      } else {
        fill(0, *arrow_.left_cut, known.processor);
        fill(*arrow_.left_cut, all, memory);
      }
    } else {
      // Without a '|' a machine's map is on its processor bits; a layout's index has all bits.
      const bool on_processors = known.processor && !arrow_.right_cut;
      fill(0, all, on_processors ? known.processor : known.total);
    }
    return placed();
  }

 private:
  [[noreturn]] void fail(NotationFault fault, std::size_t at, const std::string& reason) const {
    throw NotationError(fault, at, reason, text_);
  }

  void check_names() const {
    if (arrow_.grouped)
      fail(NotationFault::syntax, arrow_.left[0].at,
           "parentheses left of '->' name axes, and here "
           "is none");
    for (std::size_t i = 0; i < arrow_.left.size(); ++i) check_field_name(arrow_.left, i, text_);
  }

  void read_widths() {
    Word sum = 0;
    for (const FieldText& field : arrow_.left) {
      if (field.length) refuse_length(field);
      if (!field.width) {
        widths_.emplace_back();
        continue;
      }
      if (field.width->value > word_bits)
        fail(NotationFault::limit, field.width->at, "a width above 64");
      sum += field.width->value;
      if (sum > word_bits)
        fail(NotationFault::limit, field.width->at,
             fmt::format("{} bits together; at most 64 are possible", sum));
      widths_.emplace_back(static_cast<int>(field.width->value));
    }
  }

  [[noreturn]] void refuse_length(const FieldText& field) const {
    const Word length = field.length->value;
    fail(NotationFault::width, field.at,
         is_power_of_two(length)
             ? fmt::format("a map of bits is wanted here; write {}:{} for {}={}", field.name,
                           log2_exact(length), field.name, length)
             : fmt::format("a map of bits is wanted here, and {} has length {}", field.name,
                           length));
  }

  // Fields first..end-1 have `size` bits together, if that is known.
  void fill(std::size_t first, std::size_t end, std::optional<int> size) {
    int sum = 0;
    std::optional<std::size_t> missing;
    for (std::size_t i = first; i < end; ++i) {
      if (widths_[i]) {
        sum += *widths_[i];
      } else {
        if (missing || !size)
          fail(NotationFault::size, arrow_.left[i].at,
               fmt::format("needs a width: {}:4", arrow_.left[i].name));
        missing = i;
      }
    }
    if (!size) return;
    if (missing) {
      if (sum > *size)
        fail(NotationFault::size, arrow_.left[*missing].at,
             fmt::format("the other fields exceed the {} bits there are", *size));
      widths_[*missing] = *size - sum;
    } else if (sum != *size) {
      fail(NotationFault::size, arrow_.left[first].at,
           fmt::format("the fields have {} bits, there are {}", sum, *size));
    }
  }

  std::vector<PlacedField> placed() const {
    std::vector<PlacedField> fields;
    int low = 0;
    for (const auto& width : widths_) low += *width;
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      low -= *widths_[i];
      fields.push_back({arrow_.left[i].name, low, *widths_[i]});
    }
    return fields;
  }

  const Arrow& arrow_;
  std::string_view text_;
  Widths widths_;
};

}  // namespace

std::vector<PlacedField> placed_fields(const Arrow& arrow, const KnownSizes& known,
                                       std::string_view text) {
  return Sizer(arrow, text).run(known);
}

void check_field_name(const std::vector<FieldText>& fields, std::size_t i, std::string_view text) {
  const FieldText& field = fields[i];
  const auto fail = [&](const std::string& reason) {
    throw NotationError(NotationFault::name, field.at, reason, text);
  };
  if (is_reserved(field.name) || field.name.find('-') != std::string_view::npos)
    fail(fmt::format("'{}' cannot name a field", field.name));
  for (std::size_t j = 0; j < i; ++j)
    if (fields[j].name == field.name) fail(fmt::format("field '{}' twice", field.name));
}

bool states_its_sizes(const Arrow& arrow) {
  return std::all_of(arrow.left.begin(), arrow.left.end(),
                     [](const FieldText& field) { return field.width.has_value(); });
}

}  // namespace faro::inline v1::notation
