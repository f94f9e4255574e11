// The shortest text of a map that reads back as the same map: by fields where bits move together,
// else by rows or a matrix.
#include <fmt/format.h>

#include <algorithm>

#include "faro/algebra/notation.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

// A source field as the canonical text names it.
struct Source {
  std::string name;
  int low = 0;
  int width = 0;
};

struct Row {
  Word mask = 0;
  bool inverted = false;
};

// A side of the cut in words, with the number of slices that it names.
struct Said {
  std::string text;
  int slices = 0;
};

class Printer {
 public:
  // For pieces of a tensor map's bits: its fields, highest bits first.
  Printer(const BitMap& map, std::vector<Source> fields)
      : map_(map), rows_(rows_of(map)), fields_(std::move(fields)) {}

  Printer(const BitMap& map, const Cut& cut) : map_(map), cut_(cut), rows_(rows_of(map)) {
    const int p = map.width();
    if (cut.kind == Cut::Kind::both) {
      fields_ = {{"p", p - cut.processor_bits, cut.processor_bits},
                 {"m", 0, p - cut.processor_bits}};
    } else {
      fields_ = {{"i", 0, p}};
    }
  }

  std::string text() const {
    const int p = map_.width();
    std::string left;
    for (const Source& f : fields_)
      left += fmt::format("{}{}:{}", left.empty() ? "" : " | ", f.name, f.width);
    if (cut_.kind == Cut::Kind::none) {
      if (p == 0) return "i:0 -> i";
      const Said whole = side(0, p, &fields_[0]);
      if (whole.slices > p) return literal("");
      return fmt::format("{} -> {}", left, whole.text);
    }
    const int m = p - cut_.processor_bits;
    const bool both = cut_.kind == Cut::Kind::both;
    const Said high = side(m, cut_.processor_bits, &fields_[0]);
    const Said low = side(0, m, both ? &fields_[1] : &fields_[0]);
    if (both && high.slices + low.slices > p)
      return fmt::format("{} -> {}", left, literal("(p m)"));
    return fmt::format("{} ->{}{} |{}{}", left, high.text.empty() ? "" : " ", high.text,
                       low.text.empty() ? "" : " ", low.text);
  }

  // Result bits low .. low+width-1, piece by piece.
  Said pieces(int low, int width) const {
    Said result;
    for (int top = low + width - 1; top >= low;) {
      const Piece next = piece(top, low);
      result.text += fmt::format("{}{}{}", result.text.empty() ? "" : " ",
                                 row(top).inverted ? "~" : "", next.said.text);
      result.slices += next.said.slices;
      top -= next.length;
    }
    return result;
  }

  // "matrix(0x2, 0x1)" and the argument.
  std::string matrix(const std::string& argument) const {
    std::string columns;
    for (int c = map_.width() - 1; c >= 0; --c)
      columns += fmt::format("{}{:#x}", columns.empty() ? "" : ", ", map_.column(c));
    return fmt::format("matrix({}){}", columns, argument);
  }

 private:
  static std::vector<Row> rows_of(const BitMap& map) {
    std::vector<Row> rows;
    for (int r = 0; r < map.width(); ++r)
      rows.push_back({map.matrix().row(r), has_bit(map.complement(), r)});
    return rows;
  }

  const Row& row(int r) const { return rows_[static_cast<std::size_t>(r)]; }

  std::string literal(const char* argument) const {
    std::string text = matrix(argument);
    if (map_.complement() != 0) text += fmt::format(" ^ {:#x}", map_.complement());
    return text;
  }

  // Result bits low .. low+width-1; `own` is the side's own field.
  Said side(int low, int width, const Source* own) const {
    if (width == 0) return {};
    if (own->width == width)
      if (const auto word = said_as_word(low, width, *own)) return *word;
    return pieces(low, width);
  }

  // Whether result bit low+b is the sum of own's bits that `wanted` gives.
  template <class Wanted>
  bool matches(int low, int width, const Source& own, Wanted wanted) const {
    for (int b = 0; b < width; ++b)
      if (row(low + b).mask != (wanted(b) << own.low)) return false;
    return true;
  }

  // Gray code and reversal, one after the other, as the orders of Walsh transforms are.
  template <class Saying>
  std::optional<Said> said_as_two_words(int low, int w, const Source& own, Saying said) const {
    const auto says = [&](auto wanted, const char* form) -> std::optional<Said> {
      if (!matches(low, w, own, wanted)) return std::nullopt;
      return said(fmt::format(fmt::runtime(form), own.name), 1);
    };
    auto text = says([w](int b) { return low_mask(w - b); }, "ungray(rev({}))");
    if (!text) text = says([w](int b) { return bit_range(w - 1 - b, w - 1); }, "rev(ungray({}))");
    if (!text)
      text = says([w](int b) { return bit(w - 1 - b) | (b + 1 < w ? bit(w - 2 - b) : 0); },
                  "gray(rev({}))");
    if (!text)
      text =
          says([w](int b) { return bit(w - 1 - b) | (b > 0 ? bit(w - b) : 0); }, "rev(gray({}))");
    return text;
  }

  std::optional<Said> said_as_word(int low, int w, const Source& own) const {
    const std::string& x = own.name;
    const auto with_complement = [&](std::string text, int slices) -> Said {
      Word complement = 0;
      for (int b = 0; b < w; ++b) complement |= Word{row(low + b).inverted} << b;
      if (complement == low_mask(w)) return {"~" + text, slices};
      if (complement != 0) text += fmt::format(" ^ {:#x}", complement);
      return {text, slices};
    };
    if (matches(low, w, own, [](int b) { return bit(b); })) return with_complement(x, 1);
    if (matches(low, w, own, [w](int b) { return bit(w - 1 - b); }))
      return with_complement(fmt::format("rev({})", x), 1);
    if (matches(low, w, own, [w](int b) { return bit(b) | (b + 1 < w ? bit(b + 1) : 0); }))
      return with_complement(fmt::format("gray({})", x), 1);
    if (matches(low, w, own, [w](int b) { return bit_range(b, w - 1); }))
      return with_complement(fmt::format("ungray({})", x), 1);
    for (int k = 1; k < w; ++k)
      if (matches(low, w, own, [=](int b) { return bit((b + w - k) % w); }))
        return with_complement(fmt::format("rot({}, {})", x, k), 1);
    for (int k = 2; k * k <= w; ++k)
      if (w % k == 0 && matches(low, w, own, [=](int b) {
            // Part b / (w/k) from the bottom holds every k-th bit.
            return bit((b % (w / k)) * k + b / (w / k));
          }))
        return with_complement(fmt::format("unzip({}, {})", x, k), 1);
    for (int k = 2; k * k < w; ++k)
      if (w % k == 0 && matches(low, w, own, [=](int b) { return bit((b % k) * (w / k) + b / k); }))
        return with_complement(zip_of_slices(own, k), k);
    return said_as_two_words(low, w, own, with_complement);
  }

  std::string zip_of_slices(const Source& own, int k) const {
    const int part = own.width / k;
    std::string arguments;
    for (int i = k - 1; i >= 0; --i)
      arguments +=
          fmt::format("{}{}", arguments.empty() ? "" : ", ", slice(own.low + i * part, part));
    return fmt::format("zip({})", arguments);
  }

  const Source& field_of(int source_bit) const {
    for (const Source& field : fields_)
      if (source_bit >= field.low) return field;
    return fields_.back();
  }

  // Source bits low .. low+width-1, all of one field.
  std::string slice(int low, int width) const {
    const Source& f = field_of(low);
    const int l = low - f.low;
    if (width == f.width) return f.name;
    if (width == 1) return fmt::format("{}[{}]", f.name, l);
    return fmt::format("{}[{}:{}]", f.name, l + width - 1, l);
  }

  // The longest run of rows from `top` downwards (not below `low`) that `wanted(j)` describes, j
  // rows below the top; all with the complement of the first.
  template <class Wanted>
  int length(int top, int low, Wanted wanted) const {
    int n = 0;
    while (top - n >= low) {
      const Row& r = row(top - n);
      const std::optional<Word> mask = wanted(n);
      if (!mask || r.mask != *mask || r.inverted != row(top).inverted) break;
      ++n;
    }
    return n;
  }

  int run_length(int top, int low) const {
    const Word first = row(top).mask;
    return length(top, low, [&](int j) -> std::optional<Word> {
      for (Word rest = first; rest != 0; rest &= rest - 1) {
        const int b = lowest_bit(rest);
        if (b - j < field_of(b).low) return std::nullopt;
      }
      return first >> j;
    });
  }

  // One-slice pieces start at a row that is one source bit.
  struct Piece {
    int length = 0;
    Said said;
  };

  Piece piece(int top, int low) const {
    Piece best;
    best.length = run_length(top, low);
    const Word first = row(top).mask;
    for (Word rest = first; rest != 0; rest &= ~bit(highest_bit(rest))) {
      best.said.text += fmt::format("{}{}", best.said.slices == 0 ? "" : "^",
                                    slice(highest_bit(rest) - best.length + 1, best.length));
      ++best.said.slices;
    }
    if (!is_power_of_two(first)) return best;
    const int b = log2_exact(first);
    const Source& f = field_of(b);
    const int above = f.low + f.width - b;  // bits of the field from b up
    const auto consider = [&](const char* name, int n, int shortest, int slice_low) {
      if (n < shortest || n <= best.length) return;
      best = {n, {fmt::format("{}({})", name, slice(slice_low, n)), 1}};
    };
    const int rev = length(top, low, [&](int j) -> std::optional<Word> {
      if (j >= above) return std::nullopt;
      return bit(b + j);
    });
    consider("rev", rev, 3, b);
    const int gray = length(top, low, [&](int j) -> std::optional<Word> {
      if (b - j < f.low) return std::nullopt;
      return j == 0 ? bit(b) : bit(b - j) | bit(b - j + 1);
    });
    consider("gray", gray, 2, b - gray + 1);
    const int ungray = length(top, low, [&](int j) -> std::optional<Word> {
      if (b - j < f.low) return std::nullopt;
      return bit_range(b - j, b);
    });
    consider("ungray", ungray, 3, b - ungray + 1);
    return best;
  }

  const BitMap& map_;
  Cut cut_;
  std::vector<Row> rows_;
  std::vector<Source> fields_;
};

// The text of a map with lengths: see notation.hpp.
class TensorPrinter {
 public:
  TensorPrinter(const Digits& digits, const TensorCut& cut) : digits_(digits), cut_(cut) {
    const bool both = cut.kind == Cut::Kind::both;
    const auto runs = pieces_of(digits.from, both);
    for (const Run& run : runs) {
      if (run.cut_before) put_cut();
      const std::string name = name_of_field(names_++);
      left_ += left_.empty() ? "" : " ";
      if (run.digit.which == Digit::is_bit) {
        fields_.push_back({name, run.low, run.width});
        left_ += fmt::format("{}:{}", name, run.width);
      } else {
        lengths_.push_back(name);
        left_ += fmt::format("{}={}", name, run.digit.length);
      }
    }
    if (both && !is_cut(runs)) {  // all of the index stands left of it
      put_cut();
      left_ += fmt::format(" {}:0", name_of_field(names_++));
    }
  }

  std::string text() const {
    const Printer printer(digits_.bits, fields_);
    const std::string whole =
        text_with([&](const Run& run) { return printer.pieces(run.low, run.width).text; });
    if (whole.size() <= limits::notation_bytes_max) return whole;
    // Pieces of dense bits; the matrix of all, cut into this run's, is shorter.
    std::string all;
    for (const Source& field : fields_) all += (all.empty() ? "" : " ") + field.name;
    const std::string matrix = printer.matrix(fmt::format("({})", all));
    return text_with([&](const Run& run) {
      std::string piece = fmt::format("{}[{}:{}]", matrix, run.low + run.width - 1, run.low);
      const Word complement = (digits_.bits.complement() >> run.low) & low_mask(run.width);
      return complement == 0 ? piece : fmt::format("{} ^ {:#x}", piece, complement);
    });
  }

 private:
  // A length, or neighbouring bits: low .. low + width - 1.
  struct Run {
    Digit digit;
    int low = 0;
    int width = 0;
    bool cut_before = false;
  };

  std::vector<Run> pieces_of(const std::vector<Digit>& side, bool cut) const {
    std::vector<Run> runs;
    int bit_at = digits_.bits.width();
    Word product = 1;
    for (const Digit& digit : side) {
      const bool cut_here = cut && product == cut_.processors && !is_cut(runs);
      if (digit.which == Digit::is_bit) {
        --bit_at;
        if (!runs.empty() && runs.back().width > 0 && !cut_here) {
          runs.back().low = bit_at;
          ++runs.back().width;
        } else {
          runs.push_back({digit, bit_at, 1, cut_here});
        }
      } else {
        runs.push_back({digit, 0, 0, cut_here});
      }
      product *= digit.length;
    }
    return runs;
  }

  void put_cut() {
    if (left_.empty()) left_ = fmt::format("{}:0", name_of_field(names_++));
    left_ += " |";
  }

  static bool is_cut(const std::vector<Run>& runs) {
    return std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.cut_before; });
  }

  // a, b, .., z, a1, b1, ..
  static std::string name_of_field(int k) {
    const char letter = static_cast<char>('a' + k % 26);
    return k < 26 ? std::string(1, letter) : fmt::format("{}{}", letter, k / 26);
  }

  template <class BitsText>
  std::string text_with(BitsText bits_text) const {
    const bool cut = cut_.kind != Cut::Kind::none;
    const auto runs = pieces_of(digits_.to, cut);
    std::string text = left_ + " ->";
    for (const Run& run : runs) {
      if (run.cut_before) text += " |";
      if (run.digit.which == Digit::is_bit)
        (text += ' ') += bits_text(run);
      else
        text += ' ' + text_of_length(run.digit);
    }
    if (cut && !is_cut(runs)) text += " |";
    return text;
  }

  std::string text_of_length(const Digit& digit) const {
    std::string name = lengths_[static_cast<std::size_t>(digit.which)];
    if (digit.reversed) name.insert(0, 1, '~');
    return digit.roll == 0 ? name : fmt::format("roll({}, {})", name, digit.roll);
  }

  Digits digits_;
  TensorCut cut_;
  int names_ = 0;
  std::string left_;
  std::vector<Source> fields_;
  std::vector<std::string> lengths_;
};

}  // namespace

std::string to_notation(const Map& map, const TensorCut& cut) {
  if (const auto bits = map.bits(); bits && is_power_of_two(cut.processors))
    return to_notation(*bits, Cut{cut.kind, log2_exact(cut.processors)});
  if (cut.kind == Cut::Kind::none) return TensorPrinter(map.digits(), cut).text();
  const auto elements = static_cast<Word>(map.elements());
  if (cut.processors == 0 || elements % cut.processors != 0)
    throw Error(ErrorCode::usage,
                fmt::format("{} elements cut among {} processors", elements, cut.processors));
  const std::vector<Word> shape = {cut.processors, elements / cut.processors};
  const std::vector<Word> whole = {elements};
  const bool both = cut.kind == Cut::Kind::both;
  return TensorPrinter(map.digits_of(both ? shape : whole, shape), cut).text();
}

std::string to_notation(const BitMap& map, const Cut& cut) {
  return Printer(map, cut).text();
}

}  // namespace faro::inline v1
