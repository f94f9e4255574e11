#include "faro/algebra/notation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algebra/notation_invertible.hpp"
#include "algebra/notation_named.hpp"
#include "algebra/notation_sizes.hpp"
#include "base/nearest.hpp"

namespace faro::inline v1 {
namespace {

using namespace notation;

ErrorCode code_of(NotationFault fault) {
  if (fault == NotationFault::limit) return ErrorCode::limit;
  const bool impossible = fault == NotationFault::impossible || fault == NotationFault::adds;
  return impossible ? ErrorCode::impossible : ErrorCode::usage;
}

// The text around the place, in one line of at most about 95 characters, and a caret below.
std::string quoted(std::string_view text, std::size_t at) {
  constexpr std::size_t before_max = 50;
  constexpr std::size_t after_max = 45;
  const auto inside = [&](std::size_t i) {  // within a character of several bytes
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80;
  };
  std::size_t start = at > before_max ? at - before_max : 0;
  std::size_t end = std::min(text.size(), at + after_max);
  while (start < at && inside(start)) ++start;
  while (end > at && inside(end)) --end;
  std::string line(text.substr(start, end - start));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  std::size_t caret = 0;  // in characters, so that the caret stands right below UTF-8 too
  for (std::size_t i = start; i < std::min(at, text.size()); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) ++caret;
  return fmt::format("  {}\n  {}^", line, std::string(caret, ' '));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Notation run(const KnownSizes& known) {
    const Tree tree = tree_of(text_);
    if (!tree.second) return meaning(tree.first, known);
    return conversion(tree.first, *tree.second, known);
  }

  Layout layout(const KnownSizes& known) {
    const Tree tree = tree_of(text_);
    const auto* named = std::get_if<NamedLayout>(&tree.first.what);
    if (named == nullptr || tree.second)
      fail(NotationFault::syntax, tree.second ? tree.second->at : tree.first.at,
           "wanted a layout: cyclic or consecutive, then binary, gray, gray||gray or "
           "binary||gray, as in 'cyclic binary||gray'");
    return layout_of(*named, known, tree.first.at, text_);
  }

 private:
  [[noreturn]] void fail(NotationFault fault, std::size_t at, const std::string& reason) const {
    throw NotationError(fault, at, reason, text_);
  }

  Notation meaning(const Text& text, const KnownSizes& known) const {
    if (const auto* arrow = std::get_if<Arrow>(&text.what)) return meaning_of(*arrow, known);
    if (const auto* vector = std::get_if<Vector>(&text.what)) return meaning_of(*vector, known);
    if (const auto* matrix = std::get_if<Matrix>(&text.what))
      return meaning_of(*matrix, known, text.at);
    if (const auto* named = std::get_if<NamedMap>(&text.what))
      return meaning_of(*named, known, text.at);
    return meaning_of(std::get<NamedLayout>(text.what), known, text.at);
  }

  // The size of a text without '|'.
  static std::optional<int> whole(const KnownSizes& known) {
    return known.processor ? known.processor : known.total;
  }

  void check_size(int width, const KnownSizes& known, std::size_t at) const {
    const auto size = whole(known);
    if (size && *size != width)
      fail(NotationFault::size, at,
           fmt::format("the map has {} bits, {} {}", width,
                       known.processor ? "the machine's processors have" : "the data has", *size));
  }

  static Notation plain(BitMap map) {
    Notation result;
    result.fields = {{"i", map.width()}};
    result.map = std::move(map);
    return result;
  }

  Notation meaning_of(const Vector& vector, const KnownSizes& known) const {
    const std::size_t width = vector.entries.size();
    if (width > word_bits)
      fail(NotationFault::limit, vector.entries[word_bits].at, "a vector of more than 64 bits");
    check_size(static_cast<int>(width), known, 0);
    std::vector<Word> columns(width);
    Word taken = 0;
    Word complement = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const Vector::Entry& entry = vector.entries[k];
      if (entry.place.value >= width)
        fail(NotationFault::range, entry.place.at,
             fmt::format("position {} in a vector of {} bits", entry.place.value, width));
    }
    for (std::size_t k = 0; k < width; ++k) {
      const Vector::Entry& entry = vector.entries[k];
      const Word place = bit(static_cast<int>(entry.place.value));
      if ((taken & place) != 0)
        fail(NotationFault::singular, entry.at,
             fmt::format("position {} is filled twice", entry.place.value));
      taken |= place;
      columns[width - 1 - k] = place;
      if (entry.inverted) complement |= place;
    }
    return plain(BitMap::from_columns(columns, complement));
  }

  Notation meaning_of(const Matrix& matrix, const KnownSizes& known, std::size_t at) const {
    const std::size_t width = matrix.columns.size();
    if (width > word_bits)
      fail(NotationFault::limit, matrix.columns[word_bits].at, "a matrix of more than 64 columns");
    check_size(static_cast<int>(width), known, at);
    const Word valid = low_mask(static_cast<int>(width));
    for (const Number& column : matrix.columns)
      if ((column.value & ~valid) != 0)
        fail(NotationFault::range, column.at, fmt::format("more than {} bits", width));
    const Word complement = matrix.complement ? matrix.complement->value : 0;
    if ((complement & ~valid) != 0)
      fail(NotationFault::range, matrix.complement->at, fmt::format("more than {} bits", width));
    std::vector<Word> columns(width);
    std::vector<Word> basis;
    for (std::size_t k = 0; k < width; ++k) {
      columns[width - 1 - k] = matrix.columns[k].value;
      const std::vector<Word> left = reduced_basis(basis);
      if (reduce(matrix.columns[k].value, left) == 0)
        fail(NotationFault::singular, matrix.columns[k].at,
             "this column is zero or a sum of columns left of it");
      basis.push_back(matrix.columns[k].value);
    }
    return plain(BitMap::from_columns(columns, complement));
  }

  Notation meaning_of(const NamedMap& named, const KnownSizes& known, std::size_t at) const {
    if (const auto reason = why_impossible(named.name); !reason.empty())
      fail(NotationFault::impossible, at, std::string(reason));
    const NamedMapEntry* entry = named_map(named.name);
    if (entry == nullptr)
      fail(NotationFault::name, at,
           fmt::format("no map named '{}'; {}", named.name, other_than(named.name)));
    if (named.width && named.width->value > word_bits)
      fail(NotationFault::limit, named.width->at, "a width above 64");
    if (!named.width && !whole(known))
      fail(NotationFault::size, at, fmt::format("needs a width: {}:8", named.name));
    const int width = named.width ? static_cast<int>(named.width->value) : *whole(known);
    check_size(width, known, at);
    if (entry->even && width % 2 != 0)
      fail(NotationFault::width, at,
           fmt::format("{} needs an even number of bits, not {}", named.name, width));
    return plain(entry->make(width));
  }

  Notation meaning_of(const NamedLayout& text, const KnownSizes& known, std::size_t at) const {
    const Layout layout = layout_of(text, known, at, text_);
    Notation result = plain(place_of(layout));
    result.cut = {Cut::Kind::layout, layout.processor_bits};
    return result;
  }

  Notation meaning_of(const Arrow& arrow, const KnownSizes& known) const {
    const std::vector<PlacedField> fields = placed_fields(arrow, known, text_);
    Notation result;
    int width = 0;
    int left_bits = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      width += fields[i].width;
      if (arrow.left_cut && i < *arrow.left_cut) left_bits += fields[i].width;
      result.fields.push_back({std::string(fields[i].name), fields[i].width});
    }
    const TermForms terms = forms_of(arrow, fields, text_);
    std::size_t high_bits = 0;
    for (std::size_t k = 0; k < arrow.high.size(); ++k) high_bits += terms[k].second.size();
    result.map = invertible(terms, fields, width, arrow.end_at, text_);
    result.cut = cut_of(arrow, left_bits, static_cast<int>(high_bits), known);
    return result;
  }

  Cut cut_of(const Arrow& arrow, int left_bits, int right_bits, const KnownSizes& known) const {
    if (!arrow.left_cut && !arrow.right_cut) return {};
    if (!arrow.left_cut) {
      if (known.processor && *known.processor != right_bits)
        fail(NotationFault::cut, arrow.arrow_at,
             fmt::format("{} bits left of '|', there are {} processor bits", right_bits,
                         *known.processor));
      return {Cut::Kind::layout, right_bits};
    }
    if (arrow.right_cut && left_bits != right_bits)
      fail(NotationFault::cut, arrow.arrow_at,
           fmt::format("{} processor bits left of '->', {} right of it", left_bits, right_bits));
    return {Cut::Kind::both, left_bits};
  }

  static bool states_sizes(const Text& text) {
    if (const auto* arrow = std::get_if<Arrow>(&text.what)) return states_its_sizes(*arrow);
    if (const auto* layout = std::get_if<NamedLayout>(&text.what))
      return layout->processor_bits.has_value();
    return true;
  }

  Notation conversion(const Text& from, const Text& to, const KnownSizes& known) const {
    for (const Text* side : {&from, &to}) {
      const auto* arrow = std::get_if<Arrow>(&side->what);
      const bool layout = std::holds_alternative<NamedLayout>(side->what) ||
                          (arrow != nullptr && !arrow->left_cut && arrow->right_cut);
      if (layout) continue;
      std::string reason = "'=>' joins two layouts (a '|' right of '->' only)";
      if (const auto* named = std::get_if<NamedMap>(&side->what))
        if (const std::string_view meant = nearest(named->name, layout_names); !meant.empty())
          reason += fmt::format("; did you mean {}?", meant);
      fail(NotationFault::cut, side->at, reason);
    }
    // One side's sizes may come from the other.
    const bool second_first = !states_sizes(from) && states_sizes(to);
    const Notation first = meaning(second_first ? to : from, known);
    const KnownSizes both{first.map.width(), first.cut.processor_bits};
    const Notation second = meaning(second_first ? from : to, both);
    const Notation& before = second_first ? second : first;
    const Notation& after = second_first ? first : second;
    Notation result;
    result.map = then(before.map.inverse(), after.map);
    result.cut = {Cut::Kind::both, before.cut.processor_bits};
    result.fields = {{"p", before.cut.processor_bits},
                     {"m", result.map.width() - before.cut.processor_bits}};
    return result;
  }

  std::string_view text_;
};

}  // namespace

const char* name_of(NotationFault fault) {
  switch (fault) {
    case NotationFault::lex:
      return "lex";
    case NotationFault::syntax:
      return "syntax";
    case NotationFault::name:
      return "name";
    case NotationFault::size:
      return "size";
    case NotationFault::range:
      return "range";
    case NotationFault::width:
      return "width";
    case NotationFault::cut:
      return "cut";
    case NotationFault::singular:
      return "singular";
    case NotationFault::limit:
      return "limit";
    case NotationFault::impossible:
      return "impossible";
    case NotationFault::adds:
      return "adds";
  }
  return "syntax";
}

NotationError::NotationError(NotationFault fault, std::size_t at, const std::string& reason,
                             std::string_view text)
    : Error(code_of(fault), fmt::format("{} at column {}: {}\n{}", name_of(fault), at + 1, reason,
                                        quoted(text, at))),
      fault_(fault),
      at_(at),
      reason_(reason) {}

NotationError::NotationError(const NotationError& other, const std::string& message)
    : Error(other.code(), message), fault_(other.fault_), at_(other.at_), reason_(other.reason_) {}

bool NotationError::is_of_sizes() const {
  return fault_ == NotationFault::size || fault_ == NotationFault::width ||
         fault_ == NotationFault::range;
}

NotationError NotationError::told_of(std::string_view whom) const {
  return {*this, fmt::format("{}: {}", whom, what())};
}

Layout notation::layout_of(const NamedLayout& text, const KnownSizes& known, std::size_t at,
                           std::string_view words) {
  const auto fail = [&](NotationFault fault, std::size_t place, const std::string& reason) {
    throw NotationError(fault, place, reason, words);
  };
  Layout layout;
  layout.allocation = text.name == "cyclic" ? Allocation::cyclic : Allocation::consecutive;
  std::optional<int> n = known.processor;
  std::optional<int> m;
  if (known.total && known.processor) m = *known.total - *known.processor;
  if (text.processor_bits) {
    if (text.processor_bits->value > word_bits)
      fail(NotationFault::limit, text.processor_bits->at, "a width above 64");
    if (text.memory_bits->value > word_bits - text.processor_bits->value)
      fail(NotationFault::limit, text.memory_bits->at, "more than 64 bits together");
    const int stated_n = static_cast<int>(text.processor_bits->value);
    const int stated_m = static_cast<int>(text.memory_bits->value);
    if (n && *n != stated_n)
      fail(NotationFault::size, text.processor_bits->at,
           fmt::format("{} processor bits, there are {}", stated_n, *n));
    if (known.total && *known.total != stated_n + stated_m)
      fail(NotationFault::size, text.memory_bits->at,
           fmt::format("{} bits together, there are {}", stated_n + stated_m, *known.total));
    n = stated_n;
    m = stated_m;
  }
  if (!n || !m) {
    // As it was written, with sizes that would fit.
    std::size_t end = at;
    while (end < words.size() && words[end] >= 'a' && words[end] <= 'z') ++end;
    const int some = n.value_or(known.total ? *known.total / 2 : 4);
    fail(NotationFault::size, at,
         fmt::format("needs its sizes: {}:{}|{}", words.substr(at, end - at), some,
                     known.total ? *known.total - some : 16));
  }
  if (*m < 0)
    fail(NotationFault::size, at,
         fmt::format("{} processor bits exceed the {} bits there are", *n, *known.total));
  if (!text.encoding.empty()) {
    const auto encoding = encoding_named(text.encoding);
    if (!encoding)
      fail(NotationFault::name, text.encoding_at,
           "encodings: binary, gray, gray||gray, binary||gray");
    layout.encoding = *encoding;
  }
  layout.processor_bits = *n;
  layout.memory_bits = *m;
  return layout;
}

Notation parse_notation(std::string_view text, const KnownSizes& known) {
  return Reader(text).run(known);
}

Layout parse_layout(std::string_view text, const KnownSizes& known) {
  return Reader(text).layout(known);
}

}  // namespace faro::inline v1
