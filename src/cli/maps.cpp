// `faro maps`: the maps and functions that have a name.
#include <fmt/format.h>

#include <string>

#include "algebra/notation_named.hpp"
#include "cli/command.hpp"

namespace faro::cli {
namespace {

int run(Output& out) {
  Report report{{"format", "faro-maps/1"}, {"rows", Report::list()}};
  report.say("Named maps, NAME or NAME:bits; i is the whole index, h and l its halves:\n\n");
  for (const notation::NamedMapEntry& e : notation::named_maps()) {
    report["rows"].push_back(
        {{"name", e.name}, {"aliases", e.aliases}, {"meaning", e.meaning}, {"even", e.even}});
    std::string notes = e.aliases.empty() ? "" : fmt::format("also {}", e.aliases);
    if (e.even) notes += fmt::format("{}an even number of bits", notes.empty() ? "" : "; ");
    report.say("  {}{}\n", out.styled(Output::Style::strong, fmt::format("{:<20}", e.name)),
               notes.empty() ? std::string(e.meaning) : fmt::format("{:<18}{}", e.meaning, notes));
  }
  report.say(
      "\nFunctions of bits, FIELDS -> ... F(bits) ...:\n\n"
      "  rev(i)  gray(i)  ungray(i)  rot(i, 1)  zip(a, b)  unzip(i, 2)\n"
      "  front(i, 20, 17)  bits 20 and 17 before the rest     swap(i, 20, 3)  two bits exchanged\n"
      "  back(i, 20, 17)   behind the rest                    ~i  every bit inverted\n"
      "  a^b  sums of bits     i[7:4]  a slice     matrix(0x2, 0x1)(i)  images of the bits\n"
      "  rest  all bits that no other term names: i[20] i[17] rest\n\n"
      "Layouts, X => Y: consecutive:n|m (block), cyclic:n|m, with gray, gray||gray, binary||gray.\n"
      "`faro explain MAP` shows what one does; docs/notation.md has the grammar, docs/layouts.md "
      "the\n"
      "words of other systems.\n");
  out.report(report);
  return 0;
}

}  // namespace

extern const Command maps_command;
const Command maps_command{
    .name = "maps",
    .summary = "the maps and functions that have a name, with their other names",
    .details =
        "They stand wherever a map is asked for: `faro permute in.npy out.npy --map sequency`.",
    .examples = "faro maps",
    .declare = [](Arguments&) -> Action { return [](Output& out) { return run(out); }; }};

}  // namespace faro::cli
