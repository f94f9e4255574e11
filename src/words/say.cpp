// Which dialect a text is in, and the reader of each.
#include "faro/words/say.hpp"

#include <fmt/format.h>

#include "algebra/digits.hpp"
#include "base/count_format.hpp"
#include "layouts/foreign.hpp"
#include "layouts/placement_move.hpp"
#include "layouts/systems.hpp"
#include "words/arrays.hpp"
#include "words/arrows.hpp"
#include "words/fields.hpp"
#include "words/named.hpp"
#include "words/notation.hpp"

namespace faro::inline v1 {
namespace {

using namespace words;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct OfSystem {
  std::string_view name;  // as it is written
  std::size_t behind = 0;
};

std::size_t past_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

// A number and nothing else: NAME:NUM is a named map, where there is one.
bool is_number_alone(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || is_letter(text[end]))) ++end;
  return end > 0 && is_digit(text[0]) && past_blanks(text, end) == text.size();
}

// "SYSTEM:" and words behind it. A name that is no system's stands before a width, or is refused.
std::optional<OfSystem> system_of(std::string_view text) {
  const std::size_t begin = past_blanks(text, 0);
  std::size_t end = begin;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  if (end == begin || is_digit(text[begin])) return {};
  const std::size_t colon = past_blanks(text, end);
  if (colon >= text.size() || text[colon] != ':') return {};
  const std::size_t behind = past_blanks(text, colon + 1);
  const std::string_view name = text.substr(begin, end - begin);
  if (behind == text.size()) return {};
  if (!layouts::is_system(name)) {
    if (is_letter(text[behind]) || text[behind] == '(') read_foreign(text);  // refuses the name
    return {};
  }
  if (is_number_alone(text.substr(behind)) && is_named_map(name)) return {};
  return OfSystem{name, behind};
}

// The systems whose maps are of bits.
Said say_bits(std::string_view text, const Sizes& sizes) {
  ForeignSizes known;
  if (sizes.shape) {
    known.shape = *sizes.shape;
  } else if (sizes.elements && sizes.elements->high() == 0) {
    if (is_power_of_two(sizes.elements->low()))
      known.width = log2_exact(sizes.elements->low());
    else
      known.shape = {sizes.elements->low()};
  }
  known.devices = sizes.processors;
  return of_layout(read_foreign(text, known), sizes);
}

Said say_system(std::string_view text, const OfSystem& system, const Sizes& sizes) {
  const std::string_view name = layouts::system_name(system.name);
  layouts::Scanner in(text, system.behind, std::string(name), layouts::system_bytes_max(name));
  Said said;
  if (name == "numpy")
    said = say_numpy(in, known_shape(sizes, in));
  else if (name == "einops")
    said = say_einops(in, sizes);
  else if (name == "zarr")
    said = say_zarr(in, sizes);
  else if (name == "jax")
    said = say_jax(in, sizes);
  else
    said = say_bits(text, sizes);
  const auto total = total_of(sizes);
  if (total && said.map.elements() != *total * said.copies)
    in.fail_at(0, fmt::format("a map of {} elements, there are {}", said.map.elements(), *total),
               NotationFault::size);
  said.system = system.name;
  if (!sizes.flat) return said;
  said.shape = sizes.shape;
  said.names_axes = false;
  return said;
}

Said read(std::string_view words, const Sizes& sizes);

// A => B with words of a system on one side at least. A side in the notation, or one that does not
// count its devices, takes its sizes from the other.
class TwoSystems {
 public:
  TwoSystems(std::string_view text, std::size_t arrow, const Sizes& sizes)
      : text_(text), arrow_(arrow), sizes_(sizes) {
    sizes_.copies = true;
  }

  SaidSides sides() const {
    const std::string_view left = text_.substr(0, arrow_);
    const std::string_view right = text_.substr(arrow_ + 2);
    const bool right_first =
        !system_of(left) || (counts_no_devices(left) && !counts_no_devices(right));
    Said one = right_first ? side(right, arrow_ + 2, sizes_) : side(left, 0, sizes_);
    const std::string_view rest = right_first ? left : right;
    Said other = side(rest, right_first ? 0 : arrow_ + 2, beside_other(rest, one));
    if (right_first) std::swap(one, other);
    return {std::move(one), std::move(other)};
  }

  Said run() const {
    const auto [before, after] = sides();
    Said said;
    said.map = moved(before, after);
    const Word processors = before.cut.processors;
    const Word memory = static_cast<Word>(said.map.elements() / processors);
    said.cut = {Cut::Kind::both, processors};
    said.fields = {{"p", processors, is_power_of_two(processors)},
                   {"m", memory, is_power_of_two(memory)}};
    said.shape = sizes_.shape;
    return said;
  }

 private:
  Map moved(const Said& before, const Said& after) const {
    const bool bits = before.map.bits() != nullptr && after.map.bits() != nullptr;
    // Between copies, or other numbers of devices, it says what is delivered, and refuses.
    if (bits && (before.cut != after.cut || before.copies * after.copies != 1))
      return PlacementMove(before.placement(), after.placement()).map_or_refuse().map;
    if (before.cut != after.cut)
      throw NotationError(NotationFault::cut, arrow_,
                          fmt::format("{} devices before '=>', {} after it", before.cut.processors,
                                      after.cut.processors),
                          text_);
    try {
      return then(before.map.inverse(), after.map);
    } catch (const Error& error) {
      throw NotationError(
          error.code() == ErrorCode::impossible ? NotationFault::impossible : NotationFault::size,
          arrow_, error.what(), text_);
    }
  }

  static bool counts_no_devices(std::string_view side) {
    return side.find("{replicated") != std::string_view::npos;
  }

  Sizes beside_other(std::string_view side, const Said& other) const {
    Sizes sizes;
    if (system_of(side)) sizes = sizes_;
    if (!system_of(side)) sizes.elements = other.map.elements() / other.copies;
    if (!system_of(side) || counts_no_devices(side)) sizes.processors = other.cut.processors;
    return sizes;
  }

  // Columns are those of the whole text.
  Said side(std::string_view words, std::size_t begin, const Sizes& sizes) const {
    try {
      Said said = read(words, sizes);
      if (said.cut.kind == Cut::Kind::layout) return said;
      throw NotationError(NotationFault::cut, 0,
                          "'=>' joins two layouts, and this side names no devices", words);
    } catch (const NotationError& error) {
      throw NotationError(error.fault(), error.at() + begin, error.reason(), text_);
    }
  }

  std::string_view text_;
  std::size_t arrow_;
  Sizes sizes_;
};

std::optional<std::size_t> arrow_of_systems(std::string_view words) {
  const auto arrow = arrow_of(words);
  if (!arrow || (!system_of(words.substr(0, *arrow)) && !system_of(words.substr(*arrow + 2))))
    return {};
  return arrow;
}

// Systems say the shape that they speak of, whether the array's is known or not.
Said read(std::string_view words, const Sizes& sizes) {
  const auto total = total_of(sizes);
  if (total && *total == Count{0})
    throw NotationError(NotationFault::size, 0, "an array of no elements: there is nothing to move",
                        words);
  if (total && *total > Count{1} << static_cast<unsigned>(word_bits))
    throw NotationError(NotationFault::limit, 0, "more than 2^64 elements", words);
  if (const auto arrow = arrow_of_systems(words)) return TwoSystems(words, *arrow, sizes).run();
  if (const auto system = system_of(words)) return say_system(words, *system, sizes);
  return say_notation(words, sizes);
}

// As a layout of the system whose words they are.
[[noreturn]] void refuse_lengths(const Said& said) {
  Word length = 0;
  for (const Digit& digit : said.map.digits().to) {
    if (radix::is_bit(digit)) continue;
    if (digit.roll != 0)
      throw NotExpressible(said.system, LayoutFault::adds,
                           fmt::format("roll by {} of {} elements adds with carries; a map of bits "
                                       "does not",
                                       digit.roll, digit.length));
    length = digit.length;
  }
  throw NotExpressible(
      said.system, LayoutFault::size,
      fmt::format("an axis of {} elements is moved; a map of bits moves 2^p", length));
}

}  // namespace

Notation Said::as_bits() const {
  if (!system.empty() && map.bits() == nullptr) refuse_lengths(*this);
  const auto width = [](Word length) { return length == 0 ? word_bits : log2_exact(length); };
  Notation notation{map.as_bits(), {cut.kind, width(cut.processors)}, {}};
  for (const TensorField& field : fields)
    notation.fields.push_back({field.name, width(field.length)});
  return notation;
}

Placement Said::placement() const {
  ForeignLayout layout;
  layout.notation = as_bits();
  layout.replica_bits = log2_exact(copies);
  layout.shape = shape.value_or(std::vector<Word>{});
  return layout.placement();
}

Said say(std::string_view words, const Sizes& sizes) {
  Said said = read(words, sizes);
  if (!sizes.shape) said.shape.reset();
  return said;
}

std::optional<SaidSides> say_sides(std::string_view words, const Sizes& sizes) {
  const auto arrow = arrow_of_systems(words);
  if (!arrow) return {};
  return TwoSystems(words, *arrow, sizes).sides();
}

Said say_on(std::string_view words, const SayOn& on) {
  const auto begin = on.shape.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(on.first);
  const auto end = begin + static_cast<std::ptrdiff_t>(on.last) + 1;
  Word outer = 1;
  Word inner = 1;
  for (auto length = begin; length != first; ++length) outer *= *length;
  for (auto length = end; length != on.shape.end(); ++length) inner *= *length;
  Sizes sizes;
  sizes.shape.emplace(first, end);
  sizes.flat = on.flat;
  Said said = say(words, sizes);
  if (outer == 0 || inner == 0)
    throw NotationError(NotationFault::size, 0, "an array of no elements: there is nothing to move",
                        words);
  said.map = beside(beside(Map::identity(outer), said.map), Map::identity(inner));
  said.cut = {};
  said.any_shape = false;
  std::vector<Word> shape(begin, first);
  shape.insert(shape.end(), said.shape->begin(), said.shape->end());
  shape.insert(shape.end(), end, on.shape.end());
  said.shape = std::move(shape);
  return said;
}

}  // namespace faro::inline v1
