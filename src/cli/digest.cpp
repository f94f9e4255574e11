// `faro digest`: what an array holds, in 128 bits that no chunking changes.
#include <fmt/format.h>

#include <memory>

#include "base/sizes.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/raw_words.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::cli {
namespace {

struct DigestWords {
  std::vector<std::string> paths;
  std::optional<std::string> memory, dtype, shape;
};

// Of an array, or of every array in a group. Of several paths each line ends with its own.
void digest_one(const DigestWords& words, const std::string& whole, Report& rows, Output& out) {
  DigestOptions options;
  options.raw = raw_array(words.dtype, words.shape, whole);
  options.memory_bytes =
      words.memory ? parse_bytes(*words.memory, "--memory") : available_memory_bytes() / 2;
  const std::vector<std::string> names =
      options.raw ? std::vector<std::string>{""} : arrays_in(whole);
  for (const std::string& name : names) {
    const std::string path = name.empty() ? whole : whole + "/" + name;
    const std::string& shown = words.paths.size() > 1 ? path : name;
    options.progress = out.progress("reading", Output::Unit::bytes);
    const ArrayDigest found = digest_array(path, options);
    options.progress = {};
    const std::string published = found.published();
    rows.say("{}  {} {}{}\n", published, found.data_type,
             found.shape.empty() ? "-" : fmt::format("{}", fmt::join(found.shape, "x")),
             shown.empty() ? "" : "  " + shown);
    rows.push_back({{"path", path},
                    {"data_type", found.data_type},
                    {"shape", found.shape},
                    {"digest", published},
                    {"number", found.digest.hex()}});
  }
}

int run_digest(const DigestWords& words, Output& out) {
  Report rows = Report::list();
  // Of several arrays those that can be read are said; then why the first of the others cannot.
  std::optional<Error> unread;
  for (const std::string& path : words.paths) try {
      digest_one(words, path, rows, out);
    } catch (const Error& error) {
      if (words.paths.size() == 1 || error.code() == ErrorCode::cancelled) throw;
      if (!unread) unread = error;
    }
  Report whole{{"format", "faro-digest/1"}, {"rows", rows}};
  whole.set_words(rows.words());
  out.report(whole);
  if (unread) throw *unread;
  return 0;
}

}  // namespace

extern const Command digest_command;
const Command digest_command{
    .name = "digest",
    .summary = "what an array holds, in 128 bits that no chunking changes",
    .details =
        "Reads Zarr arrays, groups, .npy files or raw ones once. Arrays of the same type,\n"
        "shape and bytes have the same digest, however they are cut, encoded and\n"
        "ordered in files; docs/digest.md says how anybody computes it. It tells faults,\n"
        "not forgers.",
    .examples =
        "faro digest maps.zarr series.zarr\n"
        "faro digest big.raw --dtype float32 --shape 1000x1000 --memory 1GiB",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<DigestWords>();
      arguments.positional("A", words->paths, "arrays, or groups").completes(Completes::file);
      arguments.option("--memory", "SIZE", words->memory, "cap on memory; half of the free one");
      arguments.option("--dtype", "TYPE", words->dtype, "of a raw file: float32, ..");
      arguments.option("--shape", "LENGTHS", words->shape, "of a raw file: 100x200");
      return [words](Output& out) { return run_digest(*words, out); };
    }};

}  // namespace faro::cli
