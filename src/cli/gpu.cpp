// `faro emit` and `faro gpu`: the kernel of a map, and what it costs on a GPU, counted.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/gpu_words.hpp"
#include "cli/map_text.hpp"
#include "faro/base/error.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::cli {
namespace {

gpu::Plan planned(const GpuWords& words) {
  if (!words.map) throw Error(ErrorCode::usage, "say the MAP, as 'i:20 -> rev(i)'");
  if (!words.element) throw Error(ErrorCode::usage, "--element BYTES: say the bytes of an element");
  const Said said = say(*words.map, sizes_from({}, words.width));
  return gpu::plan(said.map.as_bits(), words.options(), gpu::machine(words.on));
}

std::string times(std::uint64_t count, std::uint64_t ideal) {
  return fmt::format("{:.2f}", static_cast<double>(count) / static_cast<double>(ideal));
}

Report traffic_report(const gpu::Traffic& traffic) {
  return {{"requests", traffic.requests},
          {"sectors", traffic.sectors},
          {"ideal_sectors", traffic.ideal_sectors},
          {"lines", traffic.lines},
          {"ideal_lines", traffic.ideal_lines},
          {"run_bytes", traffic.run_bytes},
          {"near_run_bytes", traffic.near_run_bytes},
          {"near_pages", traffic.near_pages}};
}

Report shared_report(const std::optional<gpu::SharedTraffic>& shared) {
  if (!shared) return nullptr;
  return {{"width_bytes", shared->width_bytes},
          {"wavefronts", shared->wavefronts},
          {"conflict", shared->conflict}};
}

Report certificate_report(const gpu::Certificate& c) {
  if (!c.counted) return {{"counted", false}};
  return {{"counted", true},
          {"read", traffic_report(c.read)},
          {"written", traffic_report(c.written)},
          {"store", shared_report(c.store)},
          {"load", shared_report(c.load)}};
}

Report words_report(const std::vector<Word>& vectors) {
  Report out = Report::list();
  for (const Word v : vectors) out.push_back(fmt::format("0x{:x}", v));
  return out;
}

// A table of bits: a row a vector, the highest bit first.
void say_vectors(Report& report, const char* what, const std::vector<Word>& vectors, int width) {
  report.say("  {}\n", what);
  for (const Word v : vectors) {
    std::string row;
    for (int i = width - 1; i >= 0; --i) row += has_bit(v, i) ? '1' : '.';
    report.say("    {}\n", row);
  }
}

void say_traffic(Report& report, const char* verb, const gpu::Traffic& traffic,
                 const gpu::Traffic& plain) {
  report.say("  sectors {:8} {:>14}  ideal {:>14}  {}x   plain loop {}x\n", verb, traffic.sectors,
             traffic.ideal_sectors, times(traffic.sectors, traffic.ideal_sectors),
             times(plain.sectors, plain.ideal_sectors));
  report.say("  lines   {:8} {:>14}  ideal {:>14}  {}x   plain loop {}x\n", verb, traffic.lines,
             traffic.ideal_lines, times(traffic.lines, traffic.ideal_lines),
             times(plain.lines, plain.ideal_lines));
}

void say_counts(Report& report, const gpu::Plan& plan, const gpu::Certificate& c,
                const gpu::Certificate& plain) {
  if (!c.counted) {
    report.say("  requests of elements of {} bytes are not counted\n", plan.asked.element_bytes);
    return;
  }
  say_traffic(report, "read", c.read, plain.read);
  say_traffic(report, "written", c.written, plain.written);
  if (c.store && c.load)
    report.say(
        "  shared memory: {} bytes a lane stored, {} loaded, {} + {} wavefronts; {}\n",
        c.store->width_bytes, c.load->width_bytes, c.store->wavefronts, c.load->wavefronts,
        c.store->conflict * c.load->conflict == 1
            ? "no conflict"
            : fmt::format("conflicts of {} and {} ways", c.store->conflict, c.load->conflict));
  if (c.read.near_pages != 0)
    report.say(
        "  1024 blocks at a time: runs of {} bytes in {} pages of 2 MiB read, {} in {} written\n",
        c.read.near_run_bytes, c.read.near_pages, c.written.near_run_bytes, c.written.near_pages);
}

int explain_gpu(const GpuWords& words, Output& out) {
  const gpu::Plan plan = planned(words);
  const gpu::Certificate c = gpu::certificate(plan);
  const gpu::Certificate plain = gpu::plain_certificate(plan);
  Report report{{"format", "faro-gpu/1"},
                {"map", to_notation(plan.map_asked)},
                {"element_bytes", plan.asked.element_bytes},
                {"in_place", plan.asked.in_place},
                {"on", plan.machine.name},
                {"source", plan.machine.source},
                {"kind", gpu::name_of(plan.kind)},
                {"blocks", plan.block_count()},
                {"threads", plan.threads()},
                {"tile_bytes", plan.tile_bytes()},
                {"shared_bytes", plan.shared_bytes()},
                {"tile", words_report(plan.tile)},
                {"lanes_read", words_report(plan.from.threads)},
                {"lanes_written", words_report(plan.to.threads)},
                {"swizzle_stored", words_report(plan.from.shared)},
                {"swizzle_loaded", words_report(plan.to.shared)},
                {"certificate", certificate_report(c)},
                {"plain", certificate_report(plain)}};
  report.say("{} on {}: one pass, kind {}, {} blocks of {} threads\n", to_notation(plan.map_asked),
             plan.machine.words, gpu::name_of(plan.kind), plan.block_count(), plan.threads());
  report.say("  tile {} bytes, runs of {} read, of {} written; {} bytes of shared memory a block\n",
             plan.tile_bytes(), c.read.run_bytes, c.written.run_bytes, plan.shared_bytes());
  say_counts(report, plan, c, plain);
  const int width = plan.map.width();
  say_vectors(report, "tile, a row a vector of the source's index", plan.tile, width);
  say_vectors(report, "bits of the thread number, at the source", plan.from.threads, width);
  say_vectors(report, "bits of the thread number, at the destination", plan.to.threads, width);
  if (plan.kind == gpu::Kind::tile) {
    say_vectors(report, "where the source's are stored, bytes of shared memory", plan.from.shared,
                14);
    say_vectors(report, "where the destination's are loaded", plan.to.shared, 14);
  }
  out.report(report);
  return 0;
}

int emit_kernel(const GpuWords& words, Output& out) {
  const gpu::Plan plan = planned(words);
  const std::string text = gpu::emit(plan, gpu::language(words.what), words.name);
  Report report{{"format", "faro-emit/1"},
                {"language", words.what},
                {"name", words.name},
                {"map", to_notation(plan.map_asked)},
                {"element_bytes", plan.asked.element_bytes},
                {"in_place", plan.asked.in_place},
                {"blocks", plan.block_count()},
                {"threads", plan.threads()},
                {"shared_bytes", plan.shared_bytes()},
                {"certificate", certificate_report(gpu::certificate(plan))}};
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
  arguments.flag("--in-place", words.in_place, "in one array, for maps that are their own inverse");
  arguments.option("--width", "P", words.width, "bits of an index, where MAP leaves a width out");
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
        "faro emit opencl 'i:20 -> rev(i)' --element 4 --in-place --name reverse",
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
