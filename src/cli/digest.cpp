// `faro digest`: what an array holds, in 128 bits that no chunking changes.
#include <fmt/format.h>

#include <memory>

#include "cli/command.hpp"
#include "cli/raw_words.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::cli {
namespace {

struct DigestWords {
  std::string path;
  std::optional<std::string> dtype, shape;
};

int run_digest(const DigestWords& words, Output& out) {
  const auto raw = raw_array(words.dtype, words.shape, words.path);
  const std::vector<std::string> names = raw ? std::vector<std::string>{""} : arrays_in(words.path);
  Report rows = Report::list();
  for (const std::string& name : names) {
    const std::string path = name.empty() ? words.path : words.path + "/" + name;
    ArrayDigest found;
    {
      const Progress progress = out.progress("reading", Output::Unit::bytes);
      found = digest_array(path, raw, 0, progress);
    }
    const std::string published = found.published();
    rows.say("{}  {} {}{}\n", published, found.data_type,
             found.shape.empty() ? "-" : fmt::format("{}", fmt::join(found.shape, "x")),
             name.empty() ? "" : "  " + name);
    rows.push_back({{"path", path},
                    {"data_type", found.data_type},
                    {"shape", found.shape},
                    {"digest", published},
                    {"number", found.digest.hex()}});
  }
  Report whole{{"format", "faro-digest/1"}, {"rows", rows}};
  whole.set_words(rows.words());
  out.report(whole);
  return 0;
}

}  // namespace

extern const Command digest_command;
const Command digest_command{
    .name = "digest",
    .summary = "what an array holds, in 128 bits that no chunking changes",
    .details =
        "Reads a Zarr array, a group, a .npy file or a raw one once. Arrays of the same\n"
        "type, shape and bytes have the same digest, however they are cut, encoded and\n"
        "ordered in files; docs/digest.md says how anybody computes it. It tells faults,\n"
        "not forgers.",
    .examples = "faro digest series.zarr\nfaro digest big.raw --dtype float32 --shape 1000x1000",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<DigestWords>();
      arguments.positional("A", words->path, "an array, or a group").completes(Completes::file);
      arguments.option("--dtype", "TYPE", words->dtype, "of a raw file: float32, ..");
      arguments.option("--shape", "LENGTHS", words->shape, "of a raw file: 100x200");
      return [words](Output& out) { return run_digest(*words, out); };
    }};

}  // namespace faro::cli
