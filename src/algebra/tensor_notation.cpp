#include "faro/algebra/tensor_notation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/notation_invertible.hpp"
#include "algebra/notation_sizes.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

using namespace notation;

using Shape = std::optional<std::vector<Word>>;

constexpr Word elements_max = bit(limits::tensor_elements_log2_max);

std::optional<Word> product_of(const std::vector<Word>& shape) {
  Word product = 1;
  for (const Word length : shape) {
    if (length == 0) return Word{0};
    if (length > elements_max / product) return std::nullopt;
    product *= length;
  }
  return product;
}

// The lengths of an Arrow's fields.
class Lengths {
 public:
  Lengths(const Arrow& arrow, std::string_view text) : arrow_(arrow), text_(text) {}

  std::vector<PlacedField> run(const Shape& shape) {
    check_names();
    read();
    if (shape) {
      const bool one_by_one = shape->size() == arrow_.left.size() &&
                              std::count(known_.begin(), known_.end(), std::nullopt) > 0;
      if (one_by_one)
        take_axes(*shape);
      else
        take_rest(*shape);
    }
    for (std::size_t k = 0; k < known_.size(); ++k)
      if (!known_[k])
        fail(NotationFault::size, arrow_.left[k].at,
             fmt::format("needs a size: {0}:4 for bits, {0}=12 for a length", arrow_.left[k].name));
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

  void read() {
    Count all = 1;
    bool lengths = false;
    for (const FieldText& field : arrow_.left) {
      known_.emplace_back();
      if (field.width) {
        if (field.width->value > word_bits)
          fail(NotationFault::limit, field.width->at, "a width above 64");
        // 2^64 fits no word: such a text has no lengths and does not come here.
        if (field.width->value == word_bits)
          fail(NotationFault::limit, field.width->at, "beside lengths at most 63 bits");
        known_.back() = bit(static_cast<int>(field.width->value));
      } else if (field.length) {
        lengths = true;
        if (field.length->value == 0) fail(NotationFault::range, field.length->at, "length 0");
        known_.back() = field.length->value;
      }
      if (!known_.back()) continue;
      all *= *known_.back();
      if (all > elements_max)
        fail(NotationFault::limit, field.width ? field.width->at : field.length->at,
             lengths ? "lengths together beyond 2^63" : "more than 63 bits together");
    }
  }

  static std::string stated(const FieldText& field, Word length) {
    if (field.width) return fmt::format("{}:{} needs {}", field.name, field.width->value, length);
    return fmt::format("{}={} stands here", field.name, length);
  }

  void take_axes(const std::vector<Word>& shape) {
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const FieldText& field = arrow_.left[k];
      if (known_[k] && *known_[k] != shape[k])
        fail(NotationFault::size, field.at,
             fmt::format("axis {} has length {}, {}", k, shape[k], stated(field, *known_[k])));
      if (shape[k] == 0)
        fail(NotationFault::size, field.at, fmt::format("axis {} has length 0", k));
      known_[k] = shape[k];
    }
    check_total(shape);
  }

  Word check_total(const std::vector<Word>& shape) const {
    const auto total = product_of(shape);
    if (!total)
      fail(NotationFault::limit, arrow_.left.empty() ? 0 : arrow_.left[0].at,
           "the array has more than 2^63 elements");
    return *total;
  }

  void take_rest(const std::vector<Word>& shape) {
    const Word total = check_total(shape);
    Word stated = 1;
    std::string factors;
    std::optional<std::size_t> missing;
    for (std::size_t k = 0; k < known_.size(); ++k) {
      if (known_[k]) {
        stated *= *known_[k];
        factors += fmt::format("{}{}", factors.empty() ? "" : " x ", *known_[k]);
      } else if (missing) {
        return;  // the caller names the first
      } else {
        missing = k;
      }
    }
    const std::size_t at = arrow_.left[missing.value_or(0)].at;
    if (!missing && stated != total)
      fail(NotationFault::size, at,
           fmt::format("the fields have {} elements, there are {}", stated, total));
    if (!missing) return;
    if (total == 0 || total % stated != 0)
      fail(NotationFault::size, at,
           fmt::format("{}: {} elements are not divisible by {}", arrow_.left[*missing].name, total,
                       factors.empty() ? "1" : factors));
    known_[*missing] = total / stated;
  }

  std::vector<PlacedField> placed() const {
    std::vector<PlacedField> fields;
    int width = 0;
    for (std::size_t k = 0; k < known_.size(); ++k) {
      const FieldText& field = arrow_.left[k];
      const bool bits = !field.length && is_power_of_two(*known_[k]);
      fields.push_back({field.name, 0, bits ? log2_exact(*known_[k]) : 0, bits ? 0 : *known_[k]});
      width += fields.back().width;
    }
    for (PlacedField& field : fields) field.low = width -= field.width;
    return fields;
  }

  const Arrow& arrow_;
  std::string_view text_;
  std::vector<std::optional<Word>> known_;
};

Word length_of(const PlacedField& field) {
  return field.length > 0 ? field.length : bit(field.width);
}

class TensorReader {
 public:
  explicit TensorReader(std::string_view text) : text_(text) {}

  TensorNotation run(const Shape& shape) const {
    const Tree tree = tree_of(text_);
    if (!tree.second && std::holds_alternative<Arrow>(tree.first.what)) {
      const Arrow& arrow = std::get<Arrow>(tree.first.what);
      return is_bits(arrow, shape) ? bits(shape) : meaning(arrow, shape);
    }
    if (!tree.second) return bits(shape);
    const auto* first = std::get_if<Arrow>(&tree.first.what);
    const auto* second = std::get_if<Arrow>(&tree.second->what);
    if (first == nullptr || second == nullptr || (!has_length(*first) && !has_length(*second)))
      return bits(shape);
    return conversion(tree, *first, *second, shape);
  }

 private:
  [[noreturn]] void fail(NotationFault fault, std::size_t at, const std::string& reason) const {
    throw NotationError(fault, at, reason, text_);
  }

  static bool has_length(const Arrow& arrow) {
    return std::any_of(arrow.left.begin(), arrow.left.end(),
                       [](const FieldText& field) { return field.length.has_value(); });
  }

  // What parse_notation can say: no '=', and the sizes that are missing are bits of the total.
  static bool is_bits(const Arrow& arrow, const Shape& shape) {
    if (has_length(arrow)) return false;
    const auto missing =
        std::count_if(arrow.left.begin(), arrow.left.end(),
                      [](const FieldText& field) { return !field.width.has_value(); });
    if (!shape) return true;
    const auto total = product_of(*shape);
    const bool one_by_one = missing > 0 && shape->size() == arrow.left.size();
    return total && is_power_of_two(*total) && !one_by_one;
  }

  TensorNotation bits(const Shape& shape) const {
    KnownSizes known;
    if (shape) {
      const auto total = product_of(*shape);
      if (!total || !is_power_of_two(*total))
        fail(NotationFault::size, 0,
             fmt::format("a map of index bits, and the array has {} elements, no power of two",
                         total ? fmt::format("{}", *total) : "more than 2^63"));
      known.total = log2_exact(*total);
    }
    const Notation notation = parse_notation(text_, known);
    TensorNotation result{Map::from_bits(notation.map), {}, {}, {}};
    result.cut.kind = notation.cut.kind;
    if (notation.cut.processor_bits == word_bits)
      fail(NotationFault::limit, 0, "a cut below 64 bits; at most 63 processor bits");
    result.cut.processors = bit(notation.cut.processor_bits);
    for (const Field& field : notation.fields) {
      const bool whole = field.width == word_bits;  // 2^64 fits no word
      result.fields.push_back({field.name, whole ? 0 : bit(field.width), true});
    }
    if (notation.map.width() < word_bits) result.to_shape = {bit(notation.map.width())};
    return result;
  }

  TensorNotation meaning(const Arrow& arrow, const Shape& shape) const {
    const std::vector<PlacedField> fields = Lengths(arrow, text_).run(shape);
    TensorNotation result;
    Digits digits;
    Word left = 1;
    int width = 0;
    std::vector<int> number;  // of the fields that are lengths
    int lengths = 0;
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const PlacedField& field = fields[k];
      result.fields.push_back({std::string(field.name), length_of(field), field.length == 0});
      if (arrow.left_cut && k < *arrow.left_cut) left *= length_of(field);
      width += field.width;
      number.push_back(lengths);
      if (field.length > 0)
        digits.from.push_back({field.length, lengths++, false});
      else
        digits.from.insert(digits.from.end(), static_cast<std::size_t>(field.width), Digit{});
    }
    const TermForms terms = forms_of(arrow, fields, text_);
    Word high = 1;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      result.to_shape.push_back(1);
      for (const Form& form : terms[k].second) {
        Digit digit;
        if (form.length >= 0) {
          const auto which = static_cast<std::size_t>(form.length);
          digit = {fields[which].length, number[which], form.inverted};
        }
        digits.to.push_back(digit);
        // What is there twice is refused below, but may be too much for a word before.
        if (result.to_shape.back() <= elements_max / digit.length)
          result.to_shape.back() *= digit.length;
        if (k < arrow.high.size() && high <= elements_max / digit.length) high *= digit.length;
      }
    }
    digits.bits = invertible(terms, fields, width, arrow.end_at, text_);
    result.map = Map::from_digits(digits);
    result.cut = cut_of(arrow, left, high);
    return result;
  }

  TensorCut cut_of(const Arrow& arrow, Word left, Word right) const {
    if (!arrow.left_cut && !arrow.right_cut) return {};
    if (!arrow.left_cut) return {Cut::Kind::layout, right};
    if (arrow.right_cut && left != right)
      fail(NotationFault::cut, arrow.arrow_at,
           fmt::format("{} processors left of '->', {} right of it", left, right));
    return {Cut::Kind::both, left};
  }

  static bool states_its_sizes(const Arrow& arrow) {
    return std::all_of(arrow.left.begin(), arrow.left.end(), [](const FieldText& field) {
      return field.width.has_value() || field.length.has_value();
    });
  }

  TensorNotation conversion(const Tree& tree, const Arrow& first, const Arrow& second,
                            const Shape& shape) const {
    for (const Arrow* side : {&first, &second})
      if (side->left_cut || !side->right_cut)
        fail(NotationFault::cut, side == &first ? tree.first.at : tree.second->at,
             "'=>' joins two layouts (a '|' right of '->' only)");
    // One side's sizes may come from the other.
    const bool second_first = !states_its_sizes(first) && states_its_sizes(second);
    const TensorNotation one = meaning(second_first ? second : first, shape);
    const Shape total = std::vector<Word>{static_cast<Word>(one.map.elements())};
    const TensorNotation other = meaning(second_first ? first : second, total);
    const TensorNotation& before = second_first ? other : one;
    const TensorNotation& after = second_first ? one : other;
    if (before.cut != after.cut)
      fail(NotationFault::cut, tree.second->at,
           fmt::format("{} processors before '=>', {} after it", before.cut.processors,
                       after.cut.processors));
    TensorNotation result;
    try {
      result.map = then(before.map.inverse(), after.map);
    } catch (const Error& error) {
      fail(error.code() == ErrorCode::impossible ? NotationFault::impossible : NotationFault::size,
           tree.second->at, error.what());
    }
    const Word elements = total->front();
    result.cut = {Cut::Kind::both, before.cut.processors};
    result.fields = {{"p", before.cut.processors, false},
                     {"m", elements / before.cut.processors, false}};
    result.to_shape = {before.cut.processors, elements / before.cut.processors};
    return result;
  }

  std::string_view text_;
};

}  // namespace

TensorNotation parse_tensor_notation(std::string_view text, const Shape& shape) {
  return TensorReader(text).run(shape);
}

}  // namespace faro::inline v1
