// `faro emit` and `faro gpu`: the kernel of a map, and what it costs on a GPU, counted.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/gpu_words.hpp"
#include "cli/map_text.hpp"
#include "faro/base/error.hpp"
#include "faro/gpu/plan.hpp"
#include "gpu/explain.hpp"
#include "gpu/text.hpp"

namespace faro::cli {
namespace {

gpu::Plan planned(const GpuWords& words) {
  if (!words.map) throw Error(ErrorCode::usage, "say the MAP, as 'i:20 -> rev(i)'");
  if (!words.element) throw Error(ErrorCode::usage, "--element BYTES: say the bytes of an element");
  const Said said = say(*words.map, sizes_from({}, words.width));
  return gpu::plan(said.map, words.options(), gpu::machine(words.on));
}

int explain_gpu(const GpuWords& words, Output& out) {
  out.report(gpu::explain(planned(words)));
  return 0;
}

int emit_kernel(const GpuWords& words, Output& out) {
  const gpu::Plan plan = planned(words);
  const std::string text = gpu::emit(plan, gpu::language(words.what), words.name);
  Report report{{"format", "faro-emit/1"},
                {"language", words.what},
                {"name", words.name},
                {"map", gpu::notation_of(plan.map_asked)},
                {"element_bytes", plan.asked.element_bytes},
                {"in_place", plan.asked.in_place},
                {"blocks", plan.block_count()},
                {"threads", plan.threads()},
                {"shared_bytes", plan.shared_bytes()},
                {"certificate", gpu::explain(plan).at("certificate")}};
  report.row("text", text, "{}", text);
  out.report(report);
  return 0;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const gpu::Machine& row : gpu::machines()) names.emplace_back(row.name);
  return names;
}

void declare_plan(Arguments& arguments, GpuWords& words) {
  arguments.positional("MAP", words.map, "what moves where").completes(Completes::map);
  arguments.option("--element", "BYTES", words.element, "of an element, 1 to 64");
  arguments.option("--tile", "BYTES", words.tile, "of a tile at most, 1024 to 16384");
  arguments.option("--threads", "N", words.threads, "of a block at most, 32 to 1024");
  arguments.option("--on", "GPU", words.on, "the device").one_of(machine_names());
  arguments.option("--only", "BITS", words.only,
                   "move only elements whose index has these bits, as 5=1,3=0");
  arguments.flag("--in-place", words.in_place, "in one array, for maps that are their own inverse");
  arguments.option("--width", "P", words.width, "bits of an index, where MAP leaves a width out");
}

// 5=1,3=0: bit 5 is 1 and bit 3 is 0.
gpu::Only only_from(const std::string& text) {
  gpu::Only only;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t equals = part.find('=');
    const bool good = equals != std::string::npos && (equals == 1 || equals == 2) &&
                      part.find_first_not_of("0123456789") == equals &&
                      (part.substr(equals) == "=0" || part.substr(equals) == "=1");
    const int which = good ? std::stoi(part.substr(0, equals)) : word_bits;
    if (which >= word_bits || has_bit(only.mask, which))
      throw Error(ErrorCode::usage,
                  fmt::format("--only {}: wanted bits of the index, each once, as 5=1,3=0", text));
    only.mask |= bit(which);
    if (part.back() == '1') only.value |= bit(which);
    at = end + 1;
  }
  return only;
}

}  // namespace

int log2_of(const char* option, std::uint64_t value) {
  if (value == 0 || !is_power_of_two(value))
    throw Error(ErrorCode::usage, fmt::format("{} {}: wanted a power of two", option, value));
  return highest_bit(value);
}

gpu::Options GpuWords::options() const {
  gpu::Options out;
  out.element_bytes = element.value_or(out.element_bytes);
  out.in_place = in_place;
  if (only) out.only = only_from(*only);
  if (tile) out.tile_log2 = log2_of("--tile", *tile);
  if (threads) out.threads_log2 = log2_of("--threads", *threads);
  return out;
}

extern const Command emit_command;
const Command emit_command{
    .name = "emit",
    .summary = "the kernel of a map for a GPU: CUDA C++, HIP or OpenCL C",
    .details =
        "One kernel NAME(from, to), in place NAME(data), that includes nothing of faro. Its first\n"
        "lines say how to launch it and how many sectors of memory it moves; docs/gpu.md.",
    .examples =
        "faro emit cuda 'i:20 -> rev(i)' --element 8\n"
        "faro emit opencl 'i:20 -> rev(i)' --element 4 --in-place --name reverse\n"
        "faro emit cuda 'i:20 -> swap(i, 0, 19)' --element 8 --in-place --only 5=1,3=0",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<GpuWords>();
      arguments.positional("LANGUAGE", words->what, "of the kernel")
          .one_of({"cuda", "hip", "opencl"});
      declare_plan(arguments, *words);
      arguments.option("--name", "NAME", words->name, "of the kernel");
      return [words](Output& out) { return emit_kernel(*words, out); };
    }};

extern const Command gpu_command;
const Command gpu_command{
    .name = "gpu",
    .summary = "what a map costs on a GPU, counted; and kernels on the devices that are here",
    .details =
        "explain: sectors, lines and bank conflicts of the kernel that `faro emit` writes, beside "
        "the\n"
        "ideal and the plain loop to[map(i)] = from[i]; tile, lanes and swizzle as tables of "
        "bits.\n"
        "These are counts; no time is promised. devices: what drivers show, of CUDA, HIP and "
        "OpenCL.\n"
        "bench: kernels beside the device's best copy, every output compared with the engine's; "
        "of\n"
        "MAP, or of some usual ones. tune: every tile and number of threads for MAP. docs/gpu.md.",
    .examples =
        "faro gpu explain 'i:30 -> rev(i)' --element 4 --on h100\n"
        "faro gpu devices\n"
        "faro gpu bench --device cuda:0 --log2-bytes 30\n"
        "faro gpu tune 'i:26 -> rev(i)' --element 4",
    .declare = [](Arguments& arguments) -> Action {
      auto words = std::make_shared<GpuWords>();
      arguments.positional("WHAT", words->what, "explain, devices, bench or tune")
          .one_of({"explain", "devices", "bench", "tune"});
      declare_plan(arguments, *words);
      arguments.option("--device", "NAME", words->device, "as `faro gpu devices` says: cuda:0");
      arguments.option("--log2-bytes", "N", words->log2_bytes,
                       "arrays of 2^N bytes, 28; needed where MAP leaves its width out");
      return [words](Output& out) {
        if (words->what == "devices") return list_devices(out);
        if (words->what == "bench") return bench_kernels(*words, out);
        if (words->what == "tune") return tune_kernel(*words, out);
        return explain_gpu(*words, out);
      };
    }};

}  // namespace faro::cli
