// `faro explain`: what a map does, for people and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "algebra/bit_labels.hpp"
#include "cli/command.hpp"
#include "cli/drawing.hpp"
#include "cli/explain_lengths.hpp"
#include "cli/map_text.hpp"
#include "cli/rendering.hpp"
#include "faro/algebra/classify.hpp"
#include "faro/base/count.hpp"
#include "faro/base/limits.hpp"
#include "faro/files/array_file.hpp"
#include "layouts/field_text.hpp"
#include "layouts/fit.hpp"
#include "layouts/placement_move.hpp"
#include "service/reports.hpp"

namespace faro::cli {
namespace {

// Wider drawings do not fit 80 columns; the table says the same.
constexpr int wires_width_max = 24;
// An array this small is shown whole.
constexpr int array_width_max = 5;

struct ExplainArguments {
  std::optional<std::string> map;
  std::optional<std::uint64_t> width;
  std::optional<std::string> shape;
  std::optional<std::string> fit;
  RenderingText rendering;

  const std::string& words() const { return map ? *map : *fit; }
};

// What is explained: a map, or a placement whose elements have copies.
struct Subject {
  Notation notation;
  int replica_bits = 0;
  enum class Words { notation, foreign } words = Words::notation;
};

const char* meaning(MapClass map_class) {
  switch (map_class) {
    case MapClass::identity:
      return "nothing moves";
    case MapClass::complement:
      return "bits are inverted, none changes its place";
    case MapClass::bit_permutation:
      return "bits change places, none is inverted";
    case MapClass::bpc:
      return "bits change places and some are inverted";
    case MapClass::linear:
      return "some bit of the new index is a sum of several old ones; index 0 stays";
    case MapClass::affine:
      return "some bit of the new index is a sum of several old ones; some are inverted";
  }
  return "";
}

// Grouped as the fields of the text: 6 of r:3 c:2 is "001 10".
std::string grouped(Word index, const std::vector<Field>& fields, int width) {
  std::string text;
  int at = width;
  for (const Field& field : fields) {
    if (field.width == 0) continue;
    if (!text.empty()) text += ' ';
    for (int b = 0; b < field.width; ++b) text += has_bit(index, --at) ? '1' : '0';
  }
  while (at > 0) text += has_bit(index, --at) ? '1' : '0';
  return text;
}

// The words as they were given; of a long circuit its beginning.
std::string title_of(const std::string& words) {
  constexpr std::size_t shown_max = 400;
  if (words.size() <= shown_max) return harmless(words);
  return fmt::format("{}... ({} characters)", harmless(words.substr(0, shown_max)), words.size());
}

void add_summary(Report& report, const ExplainArguments& options, const Notation& notation,
                 const Output& out) {
  const BitMap& map = notation.map;
  const MapClass map_class = classify(map);
  const Count moved = moved_elements(map);
  const Count all = Count{1} << static_cast<unsigned>(map.width());
  report.say("{}\n\n", out.styled(Output::Style::strong, title_of(options.words())));
  report.say("The element at index i goes to index map(i); indices have {} bit{}.\n\n", map.width(),
             map.width() == 1 ? "" : "s");
  report.say("  class      {}: {}\n", out.styled(Output::Style::accent, name_of(map_class)),
             meaning(map_class));
  report.say("  canonical  {}\n", to_notation(map, notation.cut));
  report.say("  inverse    {}\n", inverse_text(notation));
  const auto cycles = position_cycles(map);
  if (!cycles.empty())
    report.say("  cycles     {}{}\n", to_string(cycles),
               map.complement() != 0 ? "   (b~: bit b arrives inverted)" : "");
  report.say("  moved      {} of {} elements\n", to_string(moved), to_string(all));
  if (notation.cut.kind != Cut::Kind::none) {
    const int n = notation.cut.processor_bits;
    report.say("  cut        {}{} bits say the processor, {} the place in its memory\n",
               notation.cut.kind == Cut::Kind::layout ? "a layout: of the new index, " : "", n,
               map.width() - n);
  }
}

void add_examples(Report& report, const Notation& notation, const Output& out) {
  const BitMap& map = notation.map;
  const auto digits = static_cast<std::size_t>(map.width() / 3 + 1);
  report.say("\n{}\n\n", out.styled(Output::Style::strong, "Where index 1, 2, 3 go"));
  for (const Word index : example_indices(map.width())) {
    const Word to = map(index);
    report.say("  {:>{}} = {}   goes to   {:>{}} = {}\n", index, std::min<std::size_t>(digits, 2),
               grouped(index, notation.fields, map.width()), to, digits,
               grouped(to, {}, map.width()));
  }
  if (map.width() > array_width_max || map.width() == 0) return;
  const BitMap inverse = map.inverse();
  std::string before;
  std::string after;
  for (Word i = 0; i < bit(map.width()); ++i) {
    before += fmt::format("{:>3}", i);
    after += fmt::format("{:>3}", inverse(i));
    if (i % 16 == 15 && i + 1 < bit(map.width())) {
      before += "\n          ";
      after += "\n          ";
    }
  }
  report.say("\n{}\n\n", out.styled(Output::Style::strong, "An array of its own indices"));
  report.say("  before  {}\n  after   {}\n", before, after);
}

void add_bounds(Report& report, const std::vector<MachineBound>& rows, const Output& out) {
  if (rows.empty()) return;
  report.say("\n{}\n\n", out.styled(Output::Style::strong, "What it takes at least, by machine"));
  std::size_t widest = 0;
  for (const MachineBound& row : rows) widest = std::max(widest, row.machine.size());
  for (const MachineBound& row : rows)
    report.say("  {:<{}}  {} {}: {}\n", row.machine, widest, to_string(row.bound.value),
               row.bound.value == 1 ? row.unit.substr(0, row.unit.size() - 1) : row.unit,
               row.bound.reason);
}

void add_structure(Report& report, const Notation& notation, const Output& out) {
  const auto s = structure_of(notation);
  if (!s) return;
  report.say("\n{}\n\n", out.styled(Output::Style::strong, "As a shuffle on a cube"));
  report.say("  index set  {{{}}}: order {}, {} of processor bits\n",
             fmt::join(s->index_set(), ", "), s->order(), s->real_order());
  for (const std::string& line : shuffle::describe(*s)) report.say("  {}\n", line);
  if (s->nothing_remote()) report.say("  nothing moves between processors\n");
  report.say("  an element travels at most {} links\n", s->distance());
}

Report report_of(const ExplainArguments& options, const Subject& subject, const Output& out) {
  const std::vector<MachineBound> bounds = map_bounds(subject.notation);
  Report report = map_report(options.words(), subject.notation, subject.replica_bits, bounds);
  const Notation& notation = subject.notation;
  const BitMap& map = notation.map;
  add_summary(report, options, notation, out);
  if (subject.words == Subject::Words::foreign)
    report.say("  by axes    {}\n", layouts::text_with_fields(notation));
  if (subject.replica_bits > 0)
    report.say("  copies     {} of every element; the top {} bits of an index tell them apart\n",
               bit(subject.replica_bits), subject.replica_bits);
  if (map.width() == 0) return report;
  const std::vector<std::string> labels = bit_labels(notation);
  report.say("\n{}\n\n",
             out.styled(Output::Style::strong, "Which bit goes where, most significant bit first"));
  const auto places = bit_places(map);
  if (places && map.width() <= wires_width_max)
    report.say("{}\n", wire_drawing(*places, map.complement(), labels));
  const bool both = notation.cut.kind == Cut::Kind::both;
  report.say("{}", matrix_drawing(map, labels,
                                  {.below = both ? map.width() - notation.cut.processor_bits : 0}));
  add_examples(report, notation, out);
  add_structure(report, notation, out);
  add_bounds(report, bounds, out);
  return report;
}

void explain(const ExplainArguments& options, const Subject& subject, Output& out) {
  if (options.rendering.file) {
    render_map(subject.notation, options.rendering, out);
    return;
  }
  out.report(report_of(options, subject, out), Report::Lines::many);
}

// A .npy file that lists where every index goes.
Notation fitted(const std::string& file) {
  constexpr std::uint64_t most = std::uint64_t{1} << limits::replay_elements_log2_max;
  const ArrayInput table = ArrayInput::npy(file);
  const std::vector<std::uint64_t> images = read_whole_numbers(table, most);
  Notation notation;
  try {
    notation.map = fit(images);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: no affine map over the bits of an index gives this "
                                          "table: {}",
                                          file, error.what()));
  }
  notation.fields = {{"i", notation.map.width()}};
  return notation;
}

// What `A => B` costs between placements, where one of them has copies, or more devices: there is
// no map then.
int explain_traffic(const ExplainArguments& options, const SaidSides& said, Output& out) {
  const PlacementMove sides(said.from.placement(), said.to.placement());
  const Traffic traffic = sides.traffic();
  const std::vector<Word> replicas{said.from.copies, said.to.copies};
  Report report{{"format", "faro-move/1"}, {"text", options.words()}};
  report.say("{}\n\n", out.styled(Output::Style::strong, options.words()));
  if (said.from.copies * said.to.copies != 1)
    report.say("Copies are made or dropped, so this is no permutation of elements.\n");
  if (said.from.cut != said.to.cut)
    report.say("{} devices become {}; those of the same number are the same.\n",
               said.from.cut.processors, said.to.cut.processors);
  report.say("\n");
  report.row("from", sides.from().text(), "  from       {}\n", sides.from().text());
  report.row("to", sides.to().text(), "  to         {}\n", sides.to().text());
  report["replicas"] = replicas;
  report.row("kept", to_string(traffic.kept),
             "  kept       {} elements are on their device already\n", to_string(traffic.kept));
  report.row("received", to_string(traffic.received), "  delivered  {} elements, and no fewer\n",
             to_string(traffic.received));
  report["kept_by_device"] = traffic.kept_by_device;
  report["sent_by_device"] = traffic.sent_by_device;
  report["received_by_device"] = traffic.received_by_device;
  out.report(report, Report::Lines::many);
  return 0;
}

int run(const ExplainArguments& options, Output& out) {
  if (options.map.has_value() == options.fit.has_value())
    throw Error(ErrorCode::usage, options.map ? "give MAP or --fit, not both"
                                              : "say what to explain: MAP, or --fit FILE.npy");
  check_map_rendering(options.rendering);
  if (options.fit) {
    explain(options, {fitted(*options.fit)}, out);
    return 0;
  }
  Sizes sizes = sizes_from(options.shape, options.width);
  sizes.copies = true;
  if (const auto sides = say_sides(*options.map, sizes)) {
    const bool bits = sides->from.map.bits() != nullptr && sides->to.map.bits() != nullptr;
    if (bits && (sides->from.cut != sides->to.cut || sides->from.copies * sides->to.copies != 1))
      return explain_traffic(options, *sides, out);
  }
  const Said said = say(*options.map, sizes);
  if (said.map.bits() == nullptr) {
    if (options.rendering.file)
      throw Error(ErrorCode::usage,
                  "--export draws the bits of a map; this one has axes that are no bits. Leave "
                  "--export out, or write fields of bits (x:8)");
    explain_lengths(*options.map, said, out);
    return 0;
  }
  explain(options,
          {said.as_bits(), log2_exact(said.copies),
           said.system.empty() ? Subject::Words::notation : Subject::Words::foreign},
          out);
  return 0;
}

}  // namespace

extern const Command explain_command;
const Command explain_command{
    .name = "explain",
    .summary = "what a map does: class, matrix, cycles, inverse, a drawing",
    .details =
        "MAP is written in the notation of docs/notation.md. The left side names the bits of\n"
        "the old index, most significant first; the right side writes the new index the\n"
        "same way. MAP may be in the words of another system, SYSTEM:WORDS, and => joins\n"
        "placements of any two (docs/layouts.md).",
    .examples =
        "faro explain 'r:3 c:2 -> c r'\n"
        "faro explain 'i:8 -> rev(i)' --json\n"
        "faro explain bit-reversal --width 10\n"
        "faro explain 'r=100 b:8 c=64 -> c rev(b) r'\n"
        "faro explain 'cyclic:4|16 => consecutive'\n"
        "faro explain 'cute:Swizzle<3,4,3>'\n"
        "faro explain 'xla:{devices=[2,1,4]<=[4,2]T(1,0)}' --shape 16x16x16\n"
        "faro explain --fit permutation.npy\n"
        "faro explain 'i:4 -> rev(i)' --export reversal.svg --figure all",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<ExplainArguments>();
      arguments.positional("MAP", options->map, "the map").completes(Completes::map);
      arguments.option("--width", "P", options->width,
                       "bits of an index, where MAP leaves a width out");
      arguments.option("--shape", "SIDES", options->shape,
                       "shape of the array, 16x16 or 100x256x3, where MAP leaves sizes out");
      arguments
          .option("--fit", "FILE", options->fit,
                  "a .npy file of where every index goes: its map, or why it has none")
          .completes(Completes::file);
      declare_map_rendering(arguments, options->rendering);
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
