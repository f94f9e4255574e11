// The notation's texts: fields -> terms, vectors, matrices, named maps, layouts, and two layouts
// joined by '=>'.
#include "words/notation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/count_format.hpp"
#include "base/nearest.hpp"
#include "words/named.hpp"
#include "words/terms.hpp"
#include "words/twice.hpp"

namespace faro::inline v1::words {
namespace {

using namespace notation;

std::optional<int> log2_of(std::optional<Count> n) {
  if (!n) return {};
  if (*n == Count{1} << 64U) return word_bits;
  if (n->high() != 0 || !is_power_of_two(n->low())) return {};
  return log2_exact(n->low());
}

TensorField field_of(std::string_view name, Count length) {
  const bool whole = length.high() != 0;  // 2^64 fits no word
  const Word word = whole ? 0 : length.low();
  return {std::string(name), word, whole || is_power_of_two(word)};
}

class TextReader {
 public:
  TextReader(std::string_view text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  Said run() const {
    const Tree tree = tree_of(text_);
    if (tree.second) return conversion(tree.first, *tree.second);
    Said said = meaning(tree.first, sizes_);
    const auto* arrow = std::get_if<Arrow>(&tree.first.what);
    const bool one_index = arrow == nullptr || (arrow->left.size() == 1 && !arrow->grouped);
    said.any_shape = sizes_.flat || one_index;
    return said;
  }

 private:
  [[noreturn]] void fail(NotationFault fault, std::size_t at, const std::string& reason) const {
    throw NotationError(fault, at, reason, text_);
  }

  Said meaning(const Text& text, const Sizes& sizes) const {
    if (const auto* arrow = std::get_if<Arrow>(&text.what)) return meaning_of(*arrow, sizes);
    if (const auto* vector = std::get_if<Vector>(&text.what))
      return meaning_of(*vector, sizes, text.at);
    if (const auto* matrix = std::get_if<Matrix>(&text.what))
      return meaning_of(*matrix, sizes, text.at);
    if (const auto* named = std::get_if<NamedMap>(&text.what))
      return meaning_of(*named, sizes, text.at);
    return meaning_of(std::get<NamedLayout>(text.what), sizes, text.at);
  }

  // The size of a text without '|'.
  static std::optional<Count> whole(const Sizes& sizes) {
    if (sizes.processors) return Count{*sizes.processors};
    return total_of(sizes);
  }

  void check_bits(std::size_t width, const Sizes& sizes, std::size_t at) const {
    const auto size = whole(sizes);
    if (!size || *size == Count{1} << static_cast<unsigned>(width)) return;
    const auto log2 = log2_of(size);
    const std::string there = log2 ? fmt::format("{}", *log2) : fmt::format("{} elements", *size);
    fail(NotationFault::size, at,
         fmt::format("the map has {} bits, {} {}", width,
                     sizes.processors ? "the machine's processors have" : "the data has", there));
  }

  static Said plain(Map map, const Sizes& sizes) {
    Said said;
    said.fields = {field_of("i", map.elements())};
    said.map = std::move(map);
    said.shape = sizes.shape;
    return said;
  }

  Said meaning_of(const Vector& vector, const Sizes& sizes, std::size_t at) const {
    const std::size_t width = vector.entries.size();
    if (width > word_bits)
      fail(NotationFault::limit, vector.entries[word_bits].at, "a vector of more than 64 bits");
    check_bits(width, sizes, at);
    for (const Vector::Entry& entry : vector.entries)
      if (entry.place.value >= width)
        fail(NotationFault::range, entry.place.at,
             fmt::format("position {} in a vector of {} bits", entry.place.value, width));
    std::vector<Word> columns(width);
    Word taken = 0;
    Word complement = 0;
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
    return plain(Map::from_bits(BitMap::from_columns(columns, complement)), sizes);
  }

  Said meaning_of(const Matrix& matrix, const Sizes& sizes, std::size_t at) const {
    const std::size_t width = matrix.columns.size();
    if (width > word_bits)
      fail(NotationFault::limit, matrix.columns[word_bits].at, "a matrix of more than 64 columns");
    check_bits(width, sizes, at);
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
      if (reduce(matrix.columns[k].value, reduced_basis(basis)) == 0)
        fail(NotationFault::singular, matrix.columns[k].at,
             "this column is zero or a sum of columns left of it");
      basis.push_back(matrix.columns[k].value);
    }
    return plain(Map::from_bits(BitMap::from_columns(columns, complement)), sizes);
  }

  Said meaning_of(const NamedMap& named, const Sizes& sizes, std::size_t at) const {
    if (named.width && named.width->value > word_bits)
      fail(NotationFault::limit, named.width->at, "a width above 64");
    const auto known = whole(sizes);
    if (!named.width && !known) {
      if (is_named_map(named.name))
        fail(NotationFault::size, at, fmt::format("needs a width: {}:8", named.name));
      named_map(named.name, 1, at, text_);  // refuses the name
    }
    const Count elements =
        named.width ? Count{1} << static_cast<unsigned>(named.width->value) : *known;
    if (named.width && is_named_map(named.name)) check_bits(named.width->value, sizes, at);
    return plain(named_map(named.name, elements, at, text_), sizes);
  }

  Said meaning_of(const NamedLayout& text, const Sizes& sizes, std::size_t at) const {
    const auto total = total_of(sizes);
    if (total && !log2_of(total))
      fail(NotationFault::size, at,
           fmt::format("{} is a layout of index bits, and there are {} elements", text.name,
                       *total));
    KnownSizes known{log2_of(total), {}};
    if (sizes.processors) known.processor = log2_of(Count{*sizes.processors});
    const Layout layout = layout_of(text, known, at, text_);
    Said said = plain(Map::from_bits(place_of(layout)), sizes);
    said.cut = {Cut::Kind::layout,
                cut_word(Count{1} << static_cast<unsigned>(layout.processor_bits), at)};
    return said;
  }

  Word cut_word(Count processors, std::size_t at) const {
    if (processors.high() != 0) fail(NotationFault::limit, at, "at most 63 processor bits");
    return processors.low();
  }

  Said meaning_of(const Arrow& arrow, const Sizes& sizes) const {
    const PlacedFields fields = placed_fields(arrow, sizes, text_);
    const Side side = side_of(arrow, fields, text_);
    check_each_once(side, fields, arrow.end_at, text_);
    Forms forms;
    for (const auto& term : side.terms) append(forms, term.second);
    Made made = map_of(fields.elements, forms);
    if (!made.map) fail(made.fault, arrow.end_at, made.reason);
    Said said;
    said.map = *std::move(made.map);
    for (const PlacedField& field : fields.list)
      said.fields.push_back(field_of(field.name, field.length));
    said.cut = cut_of(arrow, fields, side, sizes);
    said.names_axes = fields.name_axes;
    said.shape = fields.name_axes ? side.axes : sizes.shape;
    return said;
  }

  TensorCut cut_of(const Arrow& arrow, const PlacedFields& fields, const Side& side,
                   const Sizes& sizes) const {
    if (!arrow.left_cut && !arrow.right_cut) return {};
    if (!arrow.left_cut) {
      if (sizes.processors && side.processors != Count{*sizes.processors})
        fail(NotationFault::cut, arrow.arrow_at,
             fmt::format("{} processors left of '|', there are {}", side.processors,
                         *sizes.processors));
      return {Cut::Kind::layout, cut_word(side.processors, arrow.arrow_at)};
    }
    Count left = 1;
    for (std::size_t k = 0; k < *arrow.left_cut; ++k) left = left * fields.list[k].length;
    if (arrow.right_cut && left != side.processors)
      fail(NotationFault::cut, arrow.arrow_at,
           fmt::format("{} processors left of '->', {} right of it", left, side.processors));
    if (sizes.processors && left != Count{*sizes.processors})
      fail(NotationFault::cut, arrow.arrow_at,
           fmt::format("{} processors left of '|', there are {}", left, *sizes.processors));
    return {Cut::Kind::both, cut_word(left, arrow.arrow_at)};
  }

  static bool states_lengths(const Text& text) {
    if (const auto* arrow = std::get_if<Arrow>(&text.what)) return states_its_lengths(*arrow);
    const auto* layout = std::get_if<NamedLayout>(&text.what);
    return layout == nullptr || layout->processor_bits.has_value();
  }

  void check_layout(const Text& side) const {
    const auto* arrow = std::get_if<Arrow>(&side.what);
    if (std::holds_alternative<NamedLayout>(side.what) ||
        (arrow != nullptr && !arrow->left_cut && arrow->right_cut))
      return;
    std::string reason = "'=>' joins two layouts (a '|' right of '->' only)";
    if (const auto* named = std::get_if<NamedMap>(&side.what))
      if (const std::string_view meant = nearest(named->name, layout_names); !meant.empty())
        reason += fmt::format("; did you mean {}?", meant);
    fail(NotationFault::cut, side.at, reason);
  }

  // A side without sizes takes those of the other.
  Said conversion(const Text& from, const Text& to) const {
    check_layout(from);
    check_layout(to);
    const bool second_first = !states_lengths(from) && states_lengths(to);
    Sizes known;
    known.elements = total_of(sizes_);
    known.processors = sizes_.processors;
    const Said one = meaning(second_first ? to : from, known);
    const Text& rest = second_first ? from : to;
    const bool written = std::holds_alternative<Arrow>(rest.what) && states_lengths(rest);
    Sizes like;
    like.elements = one.map.elements();
    if (!written) like.processors = one.cut.processors;
    const Said other = meaning(rest, like);
    const Said& before = second_first ? other : one;
    const Said& after = second_first ? one : other;
    if (before.cut != after.cut)
      fail(NotationFault::cut, to.at,
           fmt::format("{} processors before '=>', {} after it", before.cut.processors,
                       after.cut.processors));
    Said said;
    try {
      said.map = then(before.map.inverse(), after.map);
    } catch (const Error& error) {
      fail(error.code() == ErrorCode::impossible ? NotationFault::impossible : NotationFault::size,
           to.at, error.what());
    }
    const Word processors = before.cut.processors;
    said.cut = {Cut::Kind::both, processors};
    said.fields = {field_of("p", processors), field_of("m", said.map.elements() / processors)};
    said.shape = sizes_.shape;
    said.any_shape = true;
    return said;
  }

  std::string_view text_;
  const Sizes& sizes_;
};

}  // namespace

Said say_notation(std::string_view text, const Sizes& sizes) {
  return TextReader(text, sizes).run();
}

}  // namespace faro::inline v1::words
