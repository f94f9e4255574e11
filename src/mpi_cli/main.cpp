// faro-mpi: arrays in files rearranged by the ranks of an MPI job, and a measurement of it.
//
//   mpirun -n 8 faro-mpi permute x.npy y.npy --map 'i -> rev(i)' --verify
//
// Errors are agreed upon: rank 0 says them once, and all ranks end with the same exit code, those
// of the program faro. What only one rank knows (an error of MPI itself) ends the job.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <charconv>
#include <iostream>
#include <string_view>

#include "faro/base/error.hpp"
#include "mpi_cli/commands.hpp"

namespace faro::mpi_cli {

std::uint64_t bytes_from(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  int shift = -1;
  if (unit.empty() || unit == "b") shift = 0;
  if (unit == "k") shift = 10;
  if (unit == "m") shift = 20;
  if (unit == "g") shift = 30;
  if (fault != std::errc() || shift < 0 || value > UINT64_MAX >> shift) {
    throw Error(
        ErrorCode::usage,
        "'" + text + "' is no number of bytes; wanted is one such as 4096, 64K, 256MiB, 1G");
  }
  return value << shift;
}

namespace {

int run(int argc, char** argv, const mpi::Communicator& ranks) {
  const bool speaks = ranks.rank() == 0;
  CLI::App app("faro-mpi: rearranges arrays across the ranks of an MPI job");
  app.set_version_flag("--version", FARO_VERSION);
  app.require_subcommand(1);
  PermuteOptions permute;
  CLI::App* const p = app.add_subcommand(
      "permute", "element i of IN becomes element map(i) of OUT; '%d' in a name is the rank");
  p->add_option("IN", permute.in, ".npy, or raw with --element-bytes")->required();
  p->add_option("OUT", permute.out, "appears when it is complete")->required();
  p->add_option("--map", permute.map, "what moves where (docs/notation.md)")->required();
  p->add_option("--element-bytes", permute.element_bytes, "raw elements of so many bytes");
  p->add_option("--buffer", permute.buffer, "what a rank may take for messages")
      ->capture_default_str();
  p->add_option(
      "--memory", permute.memory,
      "what a rank may hold of its arrays; one file beyond that goes in passes over tiles, "
      "files of each rank stay where they are [its share of half of what is free]");
  p->add_option("--shape", permute.shape,
                "12001x77, of the whole array: --map is FROM => TO, placements on any number of "
                "ranks, and each rank's files are its parts");
  p->add_flag("--in-place", permute.in_place, "hold a rank's part once in memory, not twice");
  p->add_flag("--verify", permute.verify, "compare fingerprints before OUT appears");
  p->add_flag("--relabel", permute.relabel, "leave results on the ranks where most of them are");
  p->add_flag("--json", permute.json, "print one object");
  RunOptions perform;
  CLI::App* const r = app.add_subcommand(
      "run", "performs a schedule file, one message a move: processors are dealt to the ranks");
  r->add_option("SCHEDULE", perform.schedule, "of a cube, a mesh with all links, or ranks")
      ->required();
  r->add_option("IN", perform.in, "its elements; without, each says where it began");
  r->add_option("OUT", perform.out, "appears when every element has arrived");
  r->add_option("--map", perform.map, "the goal to hold it to, in place of the file's");
  r->add_option("--element-bytes", perform.element_bytes, "of raw elements; packets of so many");
  r->add_flag("--json", perform.json, "print one object");
  BenchOptions measure;
  CLI::App* const b = app.add_subcommand("bench", "faro beside raw messages and memcpy");
  b->add_option("--local-log2", measure.local_log2, "elements of a rank")->capture_default_str();
  b->add_option("--element-bytes", measure.element_bytes)->capture_default_str();
  b->add_option("--rounds", measure.rounds, "medians of so many")->capture_default_str();
  b->add_option("--buffer", measure.buffer)->capture_default_str();
  b->add_option("--map", measure.maps, "only this one, or these [the twelve of the docs]");
  b->add_option("--step", measure.step, "what a step packs [what stays in a core's cache]");
  b->add_flag("--json", measure.json, "print one object");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    if (speaks) app.exit(error, std::cout, std::cerr);
    return asked ? 0 : exit_code(ErrorCode::usage);
  }
  if (b->parsed()) {
    bench(ranks, measure);
    return 0;
  }
  if (r->parsed()) return run_schedule(ranks, perform) ? 0 : exit_code(ErrorCode::refused);
  const auto performed = permute.shape ? permute_grid : permute_files;
  return performed(ranks, permute) ? 0 : exit_code(ErrorCode::refused);
}

// mpirun may start ranks with arguments of their own.
mpi::Fingerprint same_words(int argc, char** argv) {
  mpi::Fingerprint all;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    all.add(word.size());
    for (const char c : word) all.add(static_cast<unsigned char>(c));
  }
  return all;
}

int guarded(int argc, char** argv) {
  const mpi::Communicator ranks(MPI_COMM_WORLD);
  try {
    ranks.agree(same_words(argc, argv), "command line", [] {});
    return run(argc, argv, ranks);
  } catch (const mpi::AgreedError& error) {
    if (ranks.rank() == 0) std::cerr << "faro-mpi: " << error.what() << "\n";
    return exit_code(error.code());
  } catch (const Error& error) {
    std::cerr << "faro-mpi: rank " << ranks.rank() << ": " << error.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, exit_code(error.code()));
  } catch (const std::exception& error) {
    std::cerr << "faro-mpi: rank " << ranks.rank() << ": " << error.what() << "\n";
    MPI_Abort(MPI_COMM_WORLD, exit_code(ErrorCode::internal));
  }
  return exit_code(ErrorCode::internal);
}

}  // namespace
}  // namespace faro::mpi_cli

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = faro::mpi_cli::guarded(argc, argv);
  MPI_Finalize();
  return code;
}
