// `faro export`: a map in the words of another system.
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/map_text.hpp"
#include "layouts/foreign.hpp"

namespace faro::cli {
namespace {

struct ExportArguments {
  std::string map;
  std::string to;
  std::optional<std::uint64_t> width;
  std::optional<std::string> shape;
};

// A system's own words keep their copies and the shape that they speak of.
ForeignLayout layout_from(const ExportArguments& options) {
  Sizes sizes = sizes_from(options.shape, options.width);
  sizes.flat = true;  // the shape is that which the other system speaks of
  const auto shape = sizes.shape.value_or(std::vector<Word>{});
  ForeignLayout layout;
  if (is_foreign(options.map) && options.map.find("=>") == std::string::npos) {
    std::optional<int> width;
    if (options.width) width = static_cast<int>(*options.width);
    layout = read_foreign(options.map, {shape, width, {}});
  } else {
    layout.notation = say(options.map, sizes).as_bits();
  }
  if (layout.shape.empty()) layout.shape = shape;
  return layout;
}

int run(const ExportArguments& options, Output& out) {
  const ForeignLayout layout = layout_from(options);
  const std::string words = write_foreign(options.to, layout);
  Report report{{"format", "faro-export/1"}, {"text", options.map}, {"to", options.to}};
  report.row("words", words, "{}{}", words, words.ends_with('\n') ? "" : "\n");
  out.report(report, Report::Lines::many);
  return 0;
}

std::vector<std::string> writers() {
  std::vector<std::string> names;
  for (const ForeignSystem& system : foreign_systems())
    if (system.writes) names.emplace_back(system.name);
  return names;
}

}  // namespace

extern const Command export_command;
const Command export_command{
    .name = "export",
    .summary = "a map in the words of another system",
    .details =
        "MAP is written in the notation, or in the words of a system itself: SYSTEM:WORDS.\n"
        "What the other system cannot say is refused, never approximated.",
    .examples =
        "faro export 'r:3 c:3 -> c[2:1] r[2] | r[1:0] c[0]' --to jax --shape 8x8\n"
        "faro export 'i:9 -> i[8:6] i[8:6]^i[5:3] i[2:0]' --to cute\n"
        "faro export 'i:4 -> ungray(i)' --to qasm",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<ExportArguments>();
      arguments.positional("MAP", options->map, "the map").completes(Completes::map);
      arguments.option("--to", "SYSTEM", options->to, "whose words").one_of(writers()).required();
      arguments.option("--width", "P", options->width,
                       "bits of an index, where MAP leaves a width out");
      arguments.option("--shape", "SIDES", options->shape, "shape of the array, 16x16");
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
