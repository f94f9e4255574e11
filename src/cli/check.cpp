// `faro check`: are two arrays the same, and if not, where.
#include <fmt/format.h>

#include <memory>

#include "base/count_format.hpp"
#include "base/sizes.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/raw_words.hpp"
#include "disk/axis_words.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::cli {
namespace {

struct CheckWords {
  std::string a, b;
  disk::AxisTexts axes;
  std::optional<std::string> memory, dtype, shape;
};

std::string place(const std::vector<std::uint64_t>& index) {
  return fmt::format("({})", fmt::join(index, ", "));
}

int run_check(const CheckWords& words, Output& out) {
  RechunkOptions options;
  options.raw = raw_array(words.dtype, words.shape, words.a);
  disk::read_axes(words.axes, words.a, options);
  options.memory_bytes =
      words.memory ? parse_bytes(*words.memory, "--memory") : available_memory_bytes() / 2;
  options.progress = out.progress("comparing", Output::Unit::steps);
  const CheckReport report = check_arrays(words.a, words.b, options);
  options.progress = {};
  Report json{{"format", "faro-check/1"},
              {"equal", report.equal()},
              {"different", report.different},
              {"digest_a", report.digest_a},
              {"digest_b", report.digest_b}};
  if (report.equal()) {
    json.say("equal: {}\n", report.digest_a);
  } else {
    json["first"] = report.first;
    json["first_in_a"] = report.first_in_a;
    json["value_a"] = report.value_a;
    json["value_b"] = report.value_b;
    json["chunk_a"] = report.chunk_a;
    json["chunk_b"] = report.chunk_b;
    json.say("different: {} elements\n", report.different);
    json.say("  first at {} of {}: {}, in its chunk {}\n", place(report.first), words.b,
             report.value_b, place(report.chunk_b));
    json.say("  which is {} of {}: {}, in its chunk {}\n", place(report.first_in_a), words.a,
             report.value_a, place(report.chunk_a));
    if (report.value_a == report.value_b) json.say("  values are equal, bytes are not\n");
  }
  out.report(json);
  return report.equal() ? 0 : 1;
}

}  // namespace

extern const Command check_command;
const Command check_command{
    .name = "check",
    .summary = "compares two arrays element by element, however they are chunked",
    .details =
        "Says that B is A, or A with its axes in another order or reversed, or the first\n"
        "element in C order of B that differs, both values, how many differ, and in which\n"
        "chunk of either. Exit code 0: equal; 1: different; 3: one of them cannot be read.",
    .examples = "faro check maps.zarr series.zarr\nfaro check a.zarr b.zarr --axes 2,0,1",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<CheckWords>();
      arguments.positional("A", words->a, "an array").completes(Completes::file);
      arguments.positional("B", words->b, "another").completes(Completes::file);
      arguments.option("--axes", "ORDER", words->axes.axes, "of B by those of A: 2,0,1, or names");
      arguments.option("--flip", "AXES", words->axes.flip, "axes of B that are reversed");
      arguments.option("--map", "MAP", words->axes.map, "order and reversals: 't y x -> x ~t y'");
      arguments.option("--memory", "SIZE", words->memory, "cap on memory; half of the free one");
      arguments.option("--dtype", "TYPE", words->dtype, "of a raw A: float32, ..");
      arguments.option("--shape", "LENGTHS", words->shape, "of a raw A: 100x200");
      return [words](Output& out) { return run_check(*words, out); };
    }};

}  // namespace faro::cli
