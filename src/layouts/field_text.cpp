#include "layouts/field_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

namespace faro::inline v1::layouts {
namespace {

struct Place {
  std::size_t field = 0;
  int position = 0;
};

class Writer {
 public:
  explicit Writer(const Notation& notation) : map_(notation.map), cut_(notation.cut) {
    int bits = 0;
    for (const Field& field : notation.fields) bits += field.width;
    fields_ = bits == map_.width() && !notation.fields.empty()
                  ? notation.fields
                  : std::vector<Field>{{"i", map_.width()}};
    places_.resize(static_cast<std::size_t>(map_.width()));
    int at = map_.width();
    for (std::size_t f = 0; f < fields_.size(); ++f)
      for (int p = fields_[f].width - 1; p >= 0; --p)
        places_[static_cast<std::size_t>(--at)] = {f, p};
  }

  std::string run() const {
    std::string text;
    int left = map_.width();
    for (const Field& field : fields_) {
      if (cut_.kind == Cut::Kind::both && left == map_.width() - cut_.processor_bits) text += "| ";
      text += fmt::format("{}:{} ", field.name, field.width);
      left -= field.width;
    }
    if (cut_.kind == Cut::Kind::both && left == map_.width() - cut_.processor_bits) text += "| ";
    text += "->";
    const int memory = map_.width() - cut_.processor_bits;
    if (cut_.kind == Cut::Kind::none) return text + side(map_.width(), 0, true);
    return text + side(map_.width(), memory, false) + " |" + side(memory, 0, false);
  }

 private:
  // Output bits high-1 .. low, each piece after a blank.
  std::string side(int high, int low, bool must_say) const {
    std::string text;
    for (int at = high; at > low;) {
      const int length = run_length(at, low);
      text += ' ';
      text += piece(at, length);
      at -= length;
    }
    // The map of no bits.
    if (text.empty() && must_say) text.append(1, ' ').append(fields_.front().name);
    return text;
  }

  // Rows at-1, at-2, ... that are the same sum of falling bits, each inside its field.
  int run_length(int at, int low) const {
    int length = 1;
    while (at - length > low && follows(at - length, at - length - 1)) ++length;
    return length;
  }

  bool follows(int upper, int lower) const {
    const Word high = map_.matrix().row(upper);
    const Word next = map_.matrix().row(lower);
    if ((high >> 1) != next || has_bit(high, 0)) return false;
    if (has_bit(map_.complement(), upper) != has_bit(map_.complement(), lower)) return false;
    for (Word left = high; left != 0; left &= left - 1)
      if (place(lowest_bit(left)).position == 0) return false;
    return true;
  }

  const Place& place(int source_bit) const { return places_[static_cast<std::size_t>(source_bit)]; }

  std::string piece(int at, int length) const {
    const bool inverted = has_bit(map_.complement(), at - 1);
    std::string text;
    int terms = 0;
    for (Word left = map_.matrix().row(at - 1); left != 0; left &= ~bit(highest_bit(left))) {
      const Place& p = place(highest_bit(left));
      const Field& field = fields_[p.field];
      text += terms++ == 0 ? "" : "^";
      if (inverted && terms == 1) text += "~";
      text += field.name;
      if (length == field.width) continue;
      text += length == 1 ? fmt::format("[{}]", p.position)
                          : fmt::format("[{}:{}]", p.position, p.position - length + 1);
    }
    return text;
  }

  const BitMap& map_;
  Cut cut_;
  std::vector<Field> fields_;
  std::vector<Place> places_;
};

}  // namespace

std::string text_with_fields(const Notation& notation) {
  return Writer(notation).run();
}

}  // namespace faro::inline v1::layouts
