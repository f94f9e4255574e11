#include "cli/explain_lengths.hpp"

#include <fmt/format.h>

#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {
namespace {

// A digit with the distance, in elements, from one of its values to the next.
struct Placed {
  Digit digit;
  Word distance = 1;
};

std::vector<Placed> placed(const std::vector<Digit>& digits) {
  std::vector<Placed> result(digits.size());
  Word distance = 1;
  for (std::size_t k = digits.size(); k-- > 0;) {
    result[k] = {digits[k], distance};
    distance *= digits[k].length;
  }
  return result;
}

// A digit of the result: how long it is, and where it comes from.
struct Row {
  Word length = 2;
  Word distance = 1;
  std::vector<Word> sources;  // distances; several where bits are added
  bool reversed = false;
};

// Bits that stay side by side, in both orders and alike inverted, are one row.
std::vector<Row> rows_of(const Map& map) {
  const Digits& digits = map.digits();
  const std::vector<Placed> from = placed(digits.from);
  std::vector<Word> lengths;
  std::vector<Word> bits;  // distances, the most significant first
  for (const Placed& digit : from) {
    (digit.digit.which == Digit::is_bit ? bits : lengths).push_back(digit.distance);
  }
  const int width = digits.bits.width();
  std::vector<Row> rows;
  int next = width;
  bool bit_before = false;
  for (const Placed& digit : placed(digits.to)) {
    Row row{digit.digit.length, digit.distance, {}, digit.digit.reversed};
    const bool is_bit = digit.digit.which == Digit::is_bit;
    if (is_bit) {
      --next;
      row.reversed = has_bit(digits.bits.complement(), next);
      for (int b = width - 1; b >= 0; --b) {
        if (has_bit(digits.bits.column(b), next)) {
          row.sources.push_back(bits[static_cast<std::size_t>(width - 1 - b)]);
        }
      }
    } else {
      row.sources.push_back(lengths[static_cast<std::size_t>(digit.digit.which)]);
    }
    Row* last = rows.empty() ? nullptr : &rows.back();
    if (is_bit && bit_before && row.sources.size() == 1 && last->sources.size() == 1 &&
        last->sources[0] == 2 * row.sources[0] && last->reversed == row.reversed) {
      last->length *= 2;
      last->distance = row.distance;
      last->sources = row.sources;
    } else {
      rows.push_back(row);
    }
    bit_before = is_bit;
  }
  return rows;
}

std::string origin(const Row& row) {
  std::string text = "what lay " + fmt::format("{}", fmt::join(row.sources, " and ")) + " apart";
  if (row.sources.size() > 1) text += ", added modulo 2";
  if (row.reversed) text += row.length == 2 ? ", inverted" : ", backwards";
  return text;
}

std::vector<Word> from_shape(const Said& said) {
  std::vector<Word> shape;
  for (const TensorField& field : said.fields) shape.push_back(field.length);
  return shape;
}

// Of the result, where the fields are the axes.
std::vector<Word> to_shape(const std::string& text, const Said& said) {
  if (said.names_axes && said.shape) return *said.shape;
  const std::vector<Word> fields = from_shape(said);
  if (!said.system.empty() || text.find("=>") != std::string::npos) return fields;
  return *say(text, {.shape = fields}).shape;
}

std::string coordinates(Word index, const std::vector<Word>& shape) {
  std::vector<Word> at(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    at[k] = index % shape[k];
    index /= shape[k];
  }
  return fmt::format("({})", fmt::join(at, ", "));
}

const char* kind_of(const Map& map, const std::vector<Row>& rows) {
  if (map == Map::identity(static_cast<Word>(map.elements()))) return "nothing moves";
  bool reversed = false;
  bool added = false;
  for (const Row& row : rows) {
    reversed = reversed || row.reversed;
    added = added || row.sources.size() > 1;
  }
  if (added) return "axes change places, and some bits are sums of several old ones";
  if (reversed) return "axes change places, and some run backwards";
  return "axes change places";
}

bool undoes_itself(const Map& map) {
  return map == map.inverse();
}

}  // namespace

void explain_lengths(const std::string& text, const Said& said, Output& out) {
  const Map& map = said.map;
  const std::vector<Row> rows = rows_of(map);
  const std::vector<Word> before = from_shape(said);
  const std::vector<Word> after = to_shape(text, said);
  const auto elements = static_cast<Word>(map.elements());
  Report report{{"format", "faro-lengths/1"},
                {"text", text},
                {"canonical", to_notation(map)},
                {"inverse", to_notation(map.inverse())},
                {"elements", fmt::format("{}", elements)},
                {"from_shape", before},
                {"to_shape", after},
                {"involution", undoes_itself(map)},
                {"digits", Report::list()}};
  report.say("{}\n\n", out.styled(Output::Style::strong, text));
  report.say("The element at index i goes to index map(i); there are {} elements.\n\n", elements);
  report.say("  shape      {} becomes {}\n", fmt::format("({})", fmt::join(before, ", ")),
             fmt::format("({})", fmt::join(after, ", ")));
  report.say("  class      {}\n", kind_of(map, rows));
  report.say("  canonical  {}\n", to_notation(map));
  report.say("  inverse    {}{}\n", to_notation(map.inverse()),
             undoes_itself(map) ? "   (the map itself)" : "");
  if (said.cut.kind != Cut::Kind::none) {
    report.say("  cut        {} processors, {} elements in the memory of each\n",
               said.cut.processors, elements / said.cut.processors);
  }
  report.say(
      "\n{}\n\n",
      out.styled(Output::Style::strong,
                 "The digits of the new index, most significant first; distances in elements"));
  for (const Row& row : rows) {
    report["digits"].push_back({{"length", row.length},
                                {"distance", row.distance},
                                {"sources", row.sources},
                                {"reversed", row.reversed}});
    report.say("  {:>10} values, {} apart: {}\n", row.length, row.distance, origin(row));
  }
  report.say("\n{}\n\n", out.styled(Output::Style::strong, "Where some go"));
  Word least = 0;  // the next one to show, so that none comes twice
  for (const Word index : {Word{1}, Word{2}, elements / 2, elements - 1}) {
    if (index >= elements || index < least) continue;
    least = index + 1;
    const Word to = map(index);
    report.say("  {} = {}   goes to   {} = {}\n", index, coordinates(index, before), to,
               coordinates(to, after));
  }
  out.report(report, Report::Lines::many);
}

}  // namespace faro::cli
