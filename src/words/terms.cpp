// What terms say, from the inside out. A term is a list of digits; functions of bits take those
// whose length is a power of two, rolled by multiples of a quarter only.
#include "words/terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/notation_named.hpp"
#include "base/count_format.hpp"
#include "faro/base/limits.hpp"
#include "words/twice.hpp"

namespace faro::inline v1::words {
namespace {

using notation::Arrow;
using notation::Function;
using notation::Number;
using notation::Term;
using notation::Terms;

constexpr std::string_view rest_word = "rest";

class Evaluator {
 public:
  Evaluator(const std::vector<PlacedField>& fields, std::string_view text)
      : fields_(fields), text_(text) {}

  Side side(const Arrow& arrow) {
    find_rest(arrow);
    Side result;
    for (const Terms* side : {&arrow.high, &arrow.low})
      for (const Term& t : *side) {
        result.terms.emplace_back(&t, term(t));
        const Forms& forms = result.terms.back().second;
        if (side == &arrow.high) result.processors = bounded(result.processors, forms);
        if (is_rest(t) && t.slices.empty())
          for (const Forms& left : rest_) result.axes.push_back(axis(left));
        else
          result.axes.push_back(axis(forms));
      }
    return result;
  }

 private:
  [[noreturn]] void fail(NotationFault fault, std::size_t at, const std::string& reason) const {
    throw NotationError(fault, at, reason, text_);
  }

  const PlacedField* field_named(std::string_view name) const {
    const auto known = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const PlacedField& f) { return f.name == name; });
    return known == fields_.end() ? nullptr : &*known;
  }

  bool is_rest(const Term& t) const {
    return t.kind == Term::Kind::name && t.name == rest_word && field_named(rest_word) == nullptr;
  }

  bool has_rest(const Term& t) const {
    if (is_rest(t)) return true;
    for (const Terms& argument : t.arguments)
      for (const Term& inner : argument)
        if (has_rest(inner)) return true;
    return false;
  }

  // What is there twice is refused later, but may be too much for a count before.
  static Count bounded(Count product, const Forms& forms) {
    for (const Form& form : forms)
      if (product < Count{1} << 64U) product = product * length_of(form);
    return product;
  }

  static Word axis(const Forms& forms) {  // 2^64 fits no word: there a shape is of no use
    const Count size = bounded(1, forms);
    return size.high() == 0 ? size.low() : 0;
  }

  // What is named beside `rest`, as far as possible whole terms.
  // `added`: with a term around it, which may have left some of its digits out.
  void collect_named(const Term& t, bool added, Occupied& named,
                     std::vector<std::string_view>& names) const {
    if (is_rest(t)) return;
    if (t.kind == Term::Kind::name) names.push_back(t.name);
    const bool whole = !added && !has_rest(t);
    if (whole) named.add(term(t));
    for (const Terms& argument : t.arguments)
      for (const Term& inner : argument) collect_named(inner, added || whole, named, names);
  }

  void find_rest(const Arrow& arrow) {
    bool wanted = false;
    for (const Terms* side : {&arrow.high, &arrow.low})
      for (const Term& t : *side) wanted = wanted || has_rest(t);
    if (!wanted) return;
    Occupied named;
    std::vector<std::string_view> names;
    for (const Terms* side : {&arrow.high, &arrow.low})
      for (const Term& t : *side) collect_named(t, false, named, names);
    for (const PlacedField& field : fields_) {
      Forms left;
      for (const Form& form : digits_of(field))
        if (!named.meets(form)) left.push_back(form);
      const bool unnamed = std::find(names.begin(), names.end(), field.name) == names.end();
      if (!left.empty() || (field.length == Count{1} && unnamed)) rest_.push_back(left);
    }
  }

  Forms terms(const Terms& list) const {
    Forms result;
    for (const Term& term : list) {
      const Forms more = this->term(term);
      result.insert(result.end(), more.begin(), more.end());
    }
    return result;
  }

  Forms term(const Term& t) const {
    Forms forms = bottom(t);
    for (const Term::Slice& slice : t.slices) forms = sliced(forms, slice);
    return t.inverted ? complemented(std::move(forms)) : forms;
  }

  Forms bottom(const Term& t) const {
    switch (t.kind) {
      case Term::Kind::name:
        return field(t);
      case Term::Kind::group:
        return terms(t.arguments[0]);
      case Term::Kind::matrix:
        return matrix(t);
      case Term::Kind::function:
        return function(t);
      case Term::Kind::exclusive_or:
        return exclusive_or(t);
    }
    return {};
  }

  Forms field(const Term& t) const {
    if (is_rest(t)) {
      Forms all;
      for (const Forms& left : rest_) append(all, left);
      return all;
    }
    const PlacedField* known = field_named(t.name);
    if (known == nullptr)
      fail(NotationFault::name, t.at,
           fmt::format("no field named '{}'; there is {}{}", t.name, names(), also_there(t)));
    return digits_of(*known);
  }

  // Where a name that is no field stands before a parenthesis, a function was meant.
  std::string also_there(const Term& t) const {
    const auto after = static_cast<std::size_t>(t.name.data() - text_.data()) + t.name.size();
    if (after >= text_.size() || text_[after] != '(')
      return letters_apart(t.name) + ", and rest, all that is not named";
    if (const std::string_view why = notation::why_impossible(t.name); !why.empty())
      return fmt::format("; {}", why);
    const std::string other = notation::other_function_than(t.name);
    return other.empty() ? other : "; " + other;
  }

  // einsum and einops write hwc -> chw for three axes.
  std::string letters_apart(std::string_view name) const {
    const auto sorted = [](std::string_view letters) {
      std::string all(letters);
      std::sort(all.begin(), all.end());
      return all;
    };
    const bool is_turned = fields_.size() == 1 && name.size() > 1 && name.size() < 16 &&
                           sorted(name) == sorted(fields_[0].name);
    return is_turned ? fmt::format(" (axes are written apart: {} -> {})",
                                   fmt::join(std::string_view(fields_[0].name), " "),
                                   fmt::join(name, " "))
                     : "";
  }

  // Only '~', roll and juxtaposition take lengths.
  Forms bits(const Forms& forms, std::string_view what, std::size_t at) const {
    Forms result;
    for (const Form& form : forms) {
      const auto bits = bits_of(form);
      if (!bits) refuse_length(form, what, at);
      append(result, *bits);
    }
    return result;
  }

  [[noreturn]] void refuse_length(const Form& form, std::string_view what, std::size_t at) const {
    if (is_power_of_two(form.length))
      fail(NotationFault::adds, at,
           fmt::format("{} takes bits, and a digit of {} that is rolled by {} is none", what,
                       form.length, form.roll));
    std::string_view name;
    for (const PlacedField& field : fields_)
      if (field.low == form.low && field.length == Count{form.length}) name = field.name;
    fail(
        NotationFault::width, at,
        fmt::format("{} takes bits; {} {}, which is no power of two; {}", what,
                    name.empty() ? "here is a digit of length" : fmt::format("{} has length", name),
                    form.length, nearest_powers(form.length)));
  }

  std::string names() const {
    std::string list;
    for (const PlacedField& f : fields_)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", f.name);
    return list;
  }

  Forms sliced(const Forms& whole, const Term::Slice& slice) const {
    const Forms forms = bits(whole, "[high:low]", slice.high.at);
    const Word width = forms.size();
    for (const Number& n : {slice.high, slice.low})
      if (n.value >= width)
        fail(NotationFault::range, n.at,
             fmt::format("bit {} of a term of {} bits", n.value, width));
    if (slice.high.value < slice.low.value)
      fail(
          NotationFault::range, slice.high.at,
          fmt::format("a slice is written [high:low]: [{}:{}]", slice.low.value, slice.high.value));
    const auto end = forms.end() - static_cast<std::ptrdiff_t>(slice.low.value);
    return {forms.end() - static_cast<std::ptrdiff_t>(slice.high.value) - 1, end};
  }

  Forms exclusive_or(const Term& t) const {
    Forms result = bits(terms(t.arguments[0]), "'^'", t.at);
    for (std::size_t i = 0; i < t.xor_numbers.size(); ++i) {
      if (t.xor_numbers[i]) {
        add_number(result, *t.xor_numbers[i]);
        continue;
      }
      const Terms& operand = t.arguments[i + 1];
      const Forms more = bits(terms(operand), "'^'", operand[0].at);
      if (more.size() != result.size())
        fail(NotationFault::width, operand[0].at,
             fmt::format("'^' joins {} bits and {} bits", result.size(), more.size()));
      for (std::size_t b = 0; b < more.size(); ++b) result[b] = sum_of(result[b], more[b]);
    }
    return result;
  }

  void add_number(Forms& forms, const Number& number) const {
    const auto width = static_cast<int>(std::min<std::size_t>(forms.size(), word_bits));
    if ((number.value & ~low_mask(width)) != 0)
      fail(NotationFault::range, number.at,
           fmt::format("the number does not fit the {} bits before '^'", forms.size()));
    for (int b = 0; b < width; ++b) {
      Form& form = forms[forms.size() - 1 - static_cast<std::size_t>(b)];
      form.reversed = form.reversed != has_bit(number.value, b);
    }
  }

  Forms matrix(const Term& t) const {
    const Forms argument = bits(terms(t.arguments[0]), "matrix", t.at);
    const std::size_t width = t.columns.size();
    if (argument.size() != width)
      fail(NotationFault::width, t.at,
           fmt::format("a matrix of {} columns applied to {} bits", width, argument.size()));
    Form nothing;
    nothing.is_sum = true;
    Forms result(width, nothing);
    for (std::size_t c = 0; c < width; ++c) {
      const Number& column = t.columns[c];
      if ((column.value & ~low_mask(static_cast<int>(std::min<std::size_t>(width, 64)))) != 0)
        fail(NotationFault::range, column.at, fmt::format("a column of more than {} bits", width));
      for (std::size_t r = 0; r < std::min<std::size_t>(width, 64); ++r) {
        if (!has_bit(column.value, static_cast<int>(r))) continue;
        Form& form = result[width - 1 - r];
        form = sum_of(form, argument[c]);
      }
    }
    return result;
  }

  Forms function(const Term& t) const {
    if (t.function == Function::roll) return rolled_term(t);
    Forms x = bits(terms(t.arguments[0]), t.name, t.at);
    const std::size_t width = x.size();
    switch (t.function) {
      case Function::rev:
        std::reverse(x.begin(), x.end());
        return x;
      case Function::gray:
        for (std::size_t i = width; i-- > 1;) x[i] = sum_of(x[i], x[i - 1]);
        return x;
      case Function::ungray:
        for (std::size_t i = 1; i < width; ++i) x[i] = sum_of(x[i], x[i - 1]);
        return x;
      case Function::rot:
        return rotated(t, std::move(x));
      case Function::zip:
        return zipped(t, x);
      case Function::unzip:
        return unzipped(t, x);
      case Function::front:
      case Function::back:
        return moved(t, x);
      case Function::roll:
        break;
      case Function::swap:
        check_bits(t, width);
        std::swap(x[width - 1 - t.bits[0].value], x[width - 1 - t.bits[1].value]);
        return x;
    }
    return x;
  }

  void check_bits(const Term& t, std::size_t width) const {
    for (const Number& n : t.bits)
      if (n.value >= width)
        fail(NotationFault::range, n.at,
             fmt::format("bit {} of a term of {} bits", n.value, width));
  }

  // The bits that are named, in that order, before or behind the rest in theirs.
  Forms moved(const Term& t, const Forms& x) const {
    check_bits(t, x.size());
    Forms named;
    std::vector<bool> taken(x.size());
    for (const Number& n : t.bits) {
      const std::size_t place = x.size() - 1 - n.value;
      if (taken[place])
        fail(NotationFault::range, n.at, fmt::format("bit {} is named twice", n.value));
      taken[place] = true;
      named.push_back(x[place]);
    }
    Forms rest;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!taken[i]) rest.push_back(x[i]);
    Forms& first = t.function == Function::front ? named : rest;
    const Forms& second = t.function == Function::front ? rest : named;
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  Forms rolled_term(const Term& t) const {
    const Forms x = terms(t.arguments[0]);
    const auto result =
        rolled(x, shift_on(x, t.number->value, t.negative ? Way::back : Way::forth));
    if (result) return *result;
    fail(
        NotationFault::adds, t.at,
        "roll adds with carries: it takes a field, or fields that are neighbours of the source, as "
        "they are there");
  }

  Forms rotated(const Term& t, Forms x) const {
    if (t.number->value > limits::address_bits_max)
      fail(NotationFault::range, t.number->at,
           fmt::format("rotation beyond {}", limits::address_bits_max));
    if (x.empty()) return x;
    const std::size_t k = t.number->value % x.size();
    const std::size_t left = t.negative ? (x.size() - k) % x.size() : k;
    std::rotate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(left), x.end());
    return x;
  }

  Forms zipped(const Term& t, const Forms& first) const {
    std::vector<Forms> parts = {first};
    for (std::size_t i = 1; i < t.arguments.size(); ++i) {
      parts.push_back(bits(terms(t.arguments[i]), "zip", t.arguments[i][0].at));
      if (parts.back().size() != first.size())
        fail(NotationFault::width, t.arguments[i][0].at,
             fmt::format("zip joins {} bits and {} bits", first.size(), parts.back().size()));
    }
    Forms result;
    for (std::size_t b = 0; b < first.size(); ++b)
      for (const Forms& part : parts) result.push_back(part[b]);
    return result;
  }

  Forms unzipped(const Term& t, const Forms& x) const {
    const Word k = t.number->value;
    if (k == 0) fail(NotationFault::range, t.number->at, "0 equal parts");
    if (x.size() % k != 0)
      fail(NotationFault::width, t.number->at,
           fmt::format("{} bits do not split into {} equal parts", x.size(), k));
    Forms result;
    for (Word phase = 0; phase < k && !x.empty(); ++phase)
      for (std::size_t b = phase; b < x.size(); b += k) result.push_back(x[b]);
    return result;
  }

  const std::vector<PlacedField>& fields_;
  std::string_view text_;
  std::vector<Forms> rest_;  // one a field of which something is left
};

}  // namespace

Side side_of(const Arrow& arrow, const PlacedFields& fields, std::string_view text) {
  return Evaluator(fields.list, text).side(arrow);
}

}  // namespace faro::inline v1::words
