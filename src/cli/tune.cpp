// `faro tune`: the machine's numbers, measured and kept.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/sizes.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "disk/named_profiles.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/files/array_file.hpp"

namespace faro::cli {
namespace {

struct TuneArguments {
  bool show = false;
  bool small = false;
  std::optional<std::string> disk;
  std::optional<std::string> size;
  std::optional<std::string> save;
};

// The folders of a path, as far as they lack.
void make_folders(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string folder = path.substr(0, at);
    if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
      throw Error(ErrorCode::environment,
                  fmt::format("tune: cannot make the folder {}: {}", folder, std::strerror(errno)));
    }
  }
}

Report numbers(const MachineTuning& tuning) {
  return {{"ordinary_bytes_max", tuning.ordinary_bytes_max},
          {"stage_sources", tuning.stage_sources},
          {"lines_ahead", tuning.lines_ahead},
          {"in_place_blocks", tuning.in_place_blocks},
          {"origin", tuning.origin}};
}

void tell(const MachineTuning& tuning, Report& report) {
  report.say("  ordinary stores up to {} bytes, then streaming\n", tuning.ordinary_bytes_max);
  report.say("  scattered sources are {}, {} lines ahead where they are read directly\n",
             tuning.stage_sources ? "staged" : "read directly", tuning.lines_ahead);
  report.say("  in place, large: {}\n", tuning.in_place_blocks ? "blocks of pages" : "tiles");
}

std::string side_text(std::uint64_t rate, std::uint64_t nanoseconds) {
  return fmt::format("{:.0f} MB/s and {:.0f} us a run", static_cast<double>(rate) / 1e6,
                     static_cast<double>(nanoseconds) / 1e3);
}

// What reads and writes of a disk cost, kept for --device NAME.
int run_disk(const TuneArguments& options, Output& out) {
  constexpr int io_threads = 4;
  if (!options.save)
    throw Error(ErrorCode::usage, "--disk DIR measures a disk; say the name to keep it by: --save");
  if (options.show || options.small)
    throw Error(ErrorCode::usage, "--show and --small are of the engine's numbers, not of --disk");
  const std::uint64_t bytes =
      options.size ? parse_bytes(*options.size, "--size") : std::uint64_t{1} << 30U;
  if (!is_power_of_two(bytes) || bytes < (std::uint64_t{64} << 20U))
    throw Error(ErrorCode::usage, "--size: wanted a power of two of at least 64MiB");
  DiskProfile profile = DiskProfile::measured(*options.disk, bytes / 4, io_threads);
  profile.name = *options.save;
  const std::string path = disk::save_profile(profile, *options.save);
  Report report = Report::of_json(profile.text());
  report.say("{}\n  reads {}; writes {}\n", *options.disk,
             side_text(profile.read_bytes_per_second, profile.read_run_nanoseconds),
             side_text(profile.write_bytes_per_second, profile.write_run_nanoseconds));
  report.say("  saved in {}: --device {}\n", path, *options.save);
  out.report(report);
  return 0;
}

int run(const TuneArguments& options, Output& out) {
  if (options.disk) return run_disk(options, out);
  if (options.size || options.save)
    throw Error(ErrorCode::usage, "--size and --save are of --disk DIR");
  const MachineFacts facts = machine_facts();
  const MachineTuning before = machine_tuning();
  std::string kernels;
  for (const std::string& name : facts.kernels) kernels += (kernels.empty() ? "" : ", ") + name;
  Report report{{"format", "faro-tune/1"},    {"cpu", facts.cpu},
                {"maker", facts.maker},       {"cores", facts.cores},
                {"l1_bytes", facts.l1_bytes}, {"l2_bytes", facts.l2_bytes},
                {"l3_bytes", facts.l3_bytes}, {"page_bytes", facts.page_bytes},
                {"kernels", facts.kernels},   {"in_effect", numbers(before)}};
  report.say("{} ({}), {} core{}; caches of {}, {} and {} bytes; pages of {}; kernels: {}\n",
             facts.cpu, facts.maker, facts.cores, facts.cores == 1 ? "" : "s", facts.l1_bytes,
             facts.l2_bytes, facts.l3_bytes, facts.page_bytes, kernels);
  report.say("in effect: {}\n", before.origin);
  tell(before, report);
  if (!options.show) {
    const std::uint64_t buffer_bytes = std::uint64_t{1} << (options.small ? 24U : 28U);
    need_memory(2 * buffer_bytes, "two buffers");
    const std::string path = machine_tuning_path();
    if (path.empty()) {
      throw Error(ErrorCode::environment,
                  "tune: no place to save to; set FARO_MACHINE to the name of a file");
    }
    const MachineTuning tuning =
        measure_machine(buffer_bytes, out.progress("measuring", Output::Unit::steps));
    make_folders(path);
    Replacement file(path);
    file.write(tuning_text(tuning, facts.cpu));
    file.commit();
    report.say("measured, and saved in {}:\n", path);
    tell(tuning, report);
    report["measured"] = numbers(tuning);
    report["path"] = path;
  }
  out.report(report);
  return 0;
}

}  // namespace

extern const Command tune_command;
const Command tune_command{
    .name = "tune",
    .summary = "measures this machine for the engine",
    .details =
        "Measures some ten seconds on one thread, with 512 MiB, and saves four numbers\n"
        "where the library finds them: in the file that FARO_MACHINE names, else in\n"
        "$XDG_CONFIG_HOME/faro/machine or ~/.config/faro/machine. Without them the\n"
        "numbers built in for the maker of the CPU are used. Results never depend on\n"
        "them, only speed. Let nothing else run meanwhile.\n"
        "With --disk DIR: what reads and writes there cost, kept by the name that --save\n"
        "gives, for --device NAME (docs/disk.md).",
    .examples = "faro tune\nfaro tune --show\nfaro tune --disk /data --save data",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<TuneArguments>();
      arguments.flag("--show", options->show, "only what is known and in effect");
      arguments.flag("--small", options->small, "with 32 MiB: quick, and says little");
      arguments.option("--disk", "DIR", options->disk, "measure the disk of this folder instead")
          .completes(Completes::file);
      arguments.option("--size", "SIZE", options->size, "of what is read and written there; 1GiB");
      arguments.option("--save", "NAME", options->save,
                       "the name that --device will take, or a file");
      return [options](Output& out) { return run(*options, out); };
    }};

extern const Command bench_command;
const Command bench_command{
    .name = "bench",
    .summary = "the old name of tune --disk",
    .details = "Benchmarks are programs of the sources, in bench/.",
    .examples = "faro bench --disk /data --save data",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<TuneArguments>();
      arguments.option("--disk", "DIR", options->disk, "the folder")
          .completes(Completes::file)
          .required();
      arguments.option("--size", "SIZE", options->size, "of what is read and written there; 1GiB");
      arguments
          .option("--save", "NAME", options->save, "the name that --device will take, or a file")
          .required();
      return [options](Output& out) {
        out.warn("faro bench --disk is faro tune --disk now");
        return run(*options, out);
      };
    }};

}  // namespace faro::cli
