// `faro permute`: an array file rearranged by a map.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "arrays/axis.hpp"
#include "arrays/move.hpp"
#include "base/memory.hpp"
#include "cli/command.hpp"
#include "cli/memory.hpp"
#include "cli/permute_disk.hpp"
#include "engine/reference.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/files/array_file.hpp"
#include "files/claim.hpp"

namespace faro::cli {
namespace {

struct PermuteArguments {
  std::string in;
  std::optional<std::string> out;
  std::optional<std::string> map;
  std::vector<std::string> axis;
  std::optional<std::string> axes;
  std::optional<std::string> order;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> element_bytes;
  bool inverse = false;
  bool flat = false;
  bool in_place = false;
  bool verify = false;
  bool no_sync = false;
  DiskOptions disk;

  // A plan of a real file needs no OUT.
  const std::string& target() const { return in_place || !out ? in : *out; }
  bool to_stdout() const { return target() == "-"; }
};

constexpr std::uint64_t threads_max = limits::threads_max;

void check_options(const PermuteArguments& options, const Output& out) {
  const auto refuse = [](const char* message) { throw Error(ErrorCode::usage, message); };
  if (options.in_place && options.out)
    refuse("--in-place replaces IN; leave OUT out, or leave --in-place out");
  if (!options.in_place && !options.out) refuse("OUT is missing; --in-place would replace IN");
  if (options.in_place && options.disk.tiles)
    refuse("--tiles are made by several processes, from IN to OUT, not in place");
  if (options.in_place && options.in == "-") refuse("--in-place needs a file, and IN is -");
  if (options.to_stdout() && out.is_json())
    refuse("--json and OUT - both want standard output; give OUT a file name");
  if (options.element_bytes && *options.element_bytes == 0)
    refuse("--element-bytes: elements have at least 1 byte");
  if (options.threads && (*options.threads == 0 || *options.threads > threads_max))
    throw Error(ErrorCode::usage,
                fmt::format("--threads: wanted 1 to {}, found {}", threads_max, *options.threads));
}

// A file of elements that looks like another one is said to.
ArrayInput raw_input(const PermuteArguments& options, std::uint64_t memory, Output& out) {
  ArrayInput input = ArrayInput::raw(options.in, *options.element_bytes, memory);
  constexpr std::string_view magic = "\x93NUMPY";
  const auto data = input.data();
  if (data.size() >= magic.size() && std::memcmp(data.data(), magic.data(), magic.size()) == 0)
    out.warn(
        fmt::format("{} begins as a .npy file does; with --element-bytes its header is moved "
                    "as elements: leave --element-bytes out",
                    input.name()));
  return input;
}

ArrayInput open_input(const PermuteArguments& options, Output& out) {
  // What grows by doubling is there twice for a moment; the output needs as much again where it
  // cannot be a mapped file.
  const std::uint64_t memory = available_memory_bytes() / (options.to_stdout() ? 3 : 2);
  if (options.element_bytes) return raw_input(options, memory, out);
  return ArrayInput::npy(options.in, memory);
}

// Where the permuted data grows: a mapped file that is not there yet, or memory for stdout.
class Target {
 public:
  Target(const PermuteArguments& options, const NpyHeader& header) : header_(header) {
    if (!options.to_stdout()) {
      file_.emplace(options.target(), header);
      data_ = file_->data();
      return;
    }
    need_memory(header.data_bytes(), "writing the array to standard output");
    // Not value-initialised: every byte will be written.
    memory_.reset(new std::byte[header.data_bytes()]);
    data_ = {memory_.get(), header.data_bytes()};
  }
  std::span<std::byte> data() { return data_; }
  void finish(const PermuteArguments& options, Output& out) {
    if (file_) {
      file_->commit(options.no_sync ? Replacement::Durability::process
                                    : Replacement::Durability::all);
      return;
    }
    if (!header_.type.empty()) out.write(npy_header_bytes(header_));
    out.write({reinterpret_cast<const char*>(data_.data()), data_.size()});
  }

 private:
  const NpyHeader& header_;
  std::optional<ArrayOutput> file_;
  std::unique_ptr<std::byte[]> memory_;
  std::span<std::byte> data_;
};

struct Outcome {
  std::string map;  // canonical
  std::size_t passes = 0;
  int threads = 1;
  double permute_seconds = 0;
  double seconds = 0;
};

void report(const PermuteArguments& options, const ArrayInput& input, const NpyHeader& header,
            const Outcome& outcome, Output& out) {
  const std::uint64_t bytes = input.data().size();
  Report row{{"in", options.in},
             {"out", options.target()},
             {"map", outcome.map},
             {"shape", header.shape},
             {"type", header.type},
             {"element_bytes", header.element_bytes},
             {"bytes", bytes},
             {"threads", outcome.threads},
             {"passes", outcome.passes},
             {"permute_seconds", outcome.permute_seconds},
             {"seconds", outcome.seconds},
             {"verified", options.verify}};
  const double rate =
      outcome.permute_seconds > 0 ? static_cast<double>(bytes) / outcome.permute_seconds : 0;
  row.say("{}: {} {} of {}, {}, by {}\n", options.target(), header.elements(),
          header.elements() == 1 ? "element" : "elements", bytes_text(header.element_bytes),
          bytes_text(bytes), outcome.map);
  row.say("{}: permuted in {:.3f} s ({}/s, {} {}), {:.3f} s in all{}\n", options.target(),
          outcome.permute_seconds, bytes_text(static_cast<std::uint64_t>(rate)), outcome.threads,
          outcome.threads == 1 ? "thread" : "threads", outcome.seconds,
          options.verify ? "; every element checked" : "");
  out.tell(report_of_rows("faro-permute/1", row), Report::Lines::many);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

PermutePlan plan_of(const ArrayMove& move, const PermuteOptions& options) {
  return move.bits ? PermutePlan::out_of_place(move.bits->map, move.bits->shape, options)
                   : PermutePlan::out_of_place(move.map, move.shape, options);
}

Mismatch compare(const ArrayMove& move, const std::byte* from, const std::byte* to,
                 const Progress& progress) {
  return move.bits ? reference_compare(move.bits->map, move.bits->shape, from, to, progress)
                   : reference_compare(move.map, move.shape, from, to, progress);
}

// "2,0,1".
std::vector<std::int64_t> axes_of(const std::optional<std::string>& text, const char* option) {
  std::vector<std::int64_t> axes;
  if (!text) return axes;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (true) {
    std::int64_t axis = 0;
    const auto read = std::from_chars(at, end, axis);
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) break;
    axes.push_back(axis);
    if (read.ptr == end) return axes;
    at = read.ptr + 1;
  }
  throw Error(ErrorCode::usage,
              fmt::format("{}: wanted numbers as in 2,0,1, found '{}'", option, *text));
}

// Each --axis says axes that the words are of: one, or neighbours, as in 1,2.
std::vector<std::vector<std::int64_t>> acted_on(const PermuteArguments& options) {
  std::vector<std::vector<std::int64_t>> groups;
  for (const std::string& text : options.axis) groups.push_back(axes_of(text, "--axis"));
  return groups;
}

// axes[k] becomes axis k: back again.
std::vector<std::int64_t> undone(const std::vector<std::int64_t>& axes) {
  const auto count = static_cast<std::int64_t>(axes.size());
  std::vector<std::int64_t> back(axes.size(), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t axis = axes[static_cast<std::size_t>(k)];
    const std::int64_t from = axis < 0 ? axis + count : axis;
    if (from >= 0 && from < count) back[static_cast<std::size_t>(from)] = k;
  }
  return back;
}

// NumPy's words for how the result is stored.
NpyHeader::Order order_of(const std::optional<std::string>& text, const NpyHeader& from) {
  if (!text || *text == "K" || *text == "A") return from.order;
  if (*text == "C") return NpyHeader::Order::c;
  if (*text == "F") return NpyHeader::Order::fortran;
  throw Error(ErrorCode::usage, fmt::format("--order: wanted C, F, A or K, found '{}'", *text));
}

ArrayMove move_of(const PermuteArguments& options, const NpyHeader& header,
                  const std::string& name) {
  const NpyHeader::Order order = order_of(options.order, header);
  if (!options.map) {
    const std::vector<std::int64_t> wanted = axes_of(options.axes, "--axes");
    // Of a list that is none, the complaint is about what was typed.
    auto move = array_axes_move(header, wanted, order, name);
    return options.inverse ? array_axes_move(header, undone(wanted), order, name) : move;
  }
  ArrayMove move = array_move(
      header, *options.map,
      {.axes = acted_on(options), .order = order, .flat = options.flat, .inverse = options.inverse},
      name);
  if (options.in_place && move.to.shape != header.shape)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: in place the shape stays {}, and these words give {}; --flat moves "
                    "the flat index, or name another file as OUT",
                    name, shape_text(header), shape_text(move.to)));
  return move;
}

void verify(const ArrayMove& move, std::span<const std::byte> from, std::span<const std::byte> to,
            const std::string& name, const Output& out) {
  const Mismatch wrong =
      compare(move, from.data(), to.data(), out.progress("checking", Output::Unit::bytes));
  if (wrong.found)
    throw Error(
        ErrorCode::refused,
        fmt::format("{}: the check of every element failed: element {} of block {} should be "
                    "at {}; nothing was written",
                    name, wrong.from, wrong.outer, wrong.to));
}

DiskRequest disk_request(const PermuteArguments& options) {
  return {
      .in = options.in,
      .out = options.target(),
      .map = options.map.value_or(""),
      .words = {.axes = acted_on(options), .flat = options.flat, .inverse = options.inverse},
      .element_bytes = options.element_bytes,
      .threads = static_cast<int>(options.threads.value_or(0)),
      .in_place = options.in_place,
      .is_shaped = options.axes || options.order,
      .verify = options.verify,
      .move = [&options](const NpyHeader& header) { return move_of(options, header, options.in); },
      .disk = options.disk};
}

int resume(const PermuteArguments& options, Output& out) {
  if (options.out || options.map || !options.axis.empty() || options.inverse || options.flat ||
      options.axes || options.order || options.element_bytes || options.in_place ||
      options.verify || options.disk.plan || options.disk.fresh || options.disk.tiles ||
      options.disk.pass)
    throw Error(ErrorCode::usage,
                "--resume OUT is all that is given: the journal beside OUT knows the rest");
  DiskRequest request;
  request.threads = static_cast<int>(options.threads.value_or(0));
  request.disk = options.disk;
  return resume_by_disk(options.in, request, out);
}

// What becomes of an array without elements: nothing moves, and the shape is that of an array
// that is longer where this one has a length of 0.
NpyHeader header_of_none(const PermuteArguments& options, const NpyHeader& from,
                         const std::string& name) {
  // A prime, of which no side that stays is a multiple; and bits, for the words that need them.
  for (const std::uint64_t length : {std::uint64_t{65521}, std::uint64_t{65536}}) {
    NpyHeader longer = from;
    for (std::uint64_t& side : longer.shape)
      if (side == 0) side = length;
    try {
      NpyHeader to = move_of(options, longer, name).to;
      for (std::uint64_t& side : to.shape)
        if (side % length == 0) side = 0;
      if (to.elements() == 0) return to;
    } catch (const Error&) {  // the next one
    }
  }
  // Words of the flat index, whatever the sides beside the 0 are: the shape stays.
  NpyHeader flat = from;
  flat.shape = {65536};
  try {
    if (move_of(options, flat, name).to.shape == flat.shape) return from;
  } catch (const Error&) {  // told of the array that there is
  }
  throw Error(ErrorCode::usage,
              fmt::format("{}: the words fit no array of shape {}", name, shape_text(from)));
}

int run_on_none(const PermuteArguments& options, const ArrayInput& input, Output& out) {
  const NpyHeader header = header_of_none(options, input.header(), input.name());
  Target target(options, header);
  target.finish(options, out);
  report(options, input, header, {.map = options.map.value_or("axes")}, out);
  return 0;
}

int run_in_memory(const PermuteArguments& options, Output& out) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<Claim> claim;
  if (options.in_place) claim.emplace(options.in);
  const ArrayInput input = open_input(options, out);
  if (!options.element_bytes && input.header().elements() == 0 && input.header().element_bytes != 0)
    return run_on_none(options, input, out);
  const ArrayMove move = move_of(options, input.header(), input.name());
  const PermutePlan plan =
      plan_of(move, {.threads = static_cast<int>(options.threads.value_or(0))});
  Outcome outcome{
      .map = move.text, .passes = plan.facts().passes.size(), .threads = plan.facts().threads};
  const Progress progress = out.progress("permuting", Output::Unit::bytes);
  input.prefault();
  Target target(options, move.to);
  const auto before = std::chrono::steady_clock::now();
  plan.execute(input.data(), target.data(), progress);
  outcome.permute_seconds = seconds_since(before);
  if (options.verify) verify(move, input.data(), target.data(), options.target(), out);
  // An interrupt that came late still finds the old file.
  faro::report(progress, input.data().size(), input.data().size());
  target.finish(options, out);
  outcome.seconds = seconds_since(start);
  report(options, input, move.to, outcome, out);
  return 0;
}

int run(const PermuteArguments& options, Output& out) {
  if (options.disk.resume) return resume(options, out);
  if (options.disk.unchanged)
    throw Error(ErrorCode::usage, "--unchanged is for --resume OUT, which goes on with a run");
  if (!options.disk.plan || options.out || options.in_place) check_options(options, out);
  // A Zarr array may be cut into other chunks where it stands.
  if (!options.map && !options.axes && !options.order && !options.disk.zarr())
    throw Error(ErrorCode::usage, "--map is missing: what moves where; or --axes, or --order");
  const bool along = !options.axis.empty();
  if (options.axes && (options.map || along))
    throw Error(ErrorCode::usage, "--axes says the whole map; leave --map and --axis out");
  if (options.flat && !options.map)
    throw Error(ErrorCode::usage, "--flat is for --map, which is missing");
  if (along && !options.map) throw Error(ErrorCode::usage, "--axis is for --map, which is missing");
  const DiskRequest request = disk_request(options);
  return goes_by_disk(request) ? permute_by_disk(request, out) : run_in_memory(options, out);
}

}  // namespace

extern const Command permute_command;
const Command permute_command{
    .name = "permute",
    .summary = "rearrange an array file: the element at index i goes to index map(i)",
    .details =
        "IN is a .npy file, or with --element-bytes raw elements; - is standard input.\n"
        "A Zarr array (version 3, a folder) becomes another, in other chunks if asked.\n"
        "OUT gets the same type; it appears, or is replaced, only when it is complete, and\n"
        "may be IN. Words of several fields name the axes of an array that has several: they\n"
        "must fit, may leave their sizes out, and say OUT's shape on the right; so do the words\n"
        "of numpy: and einops:. Other words, and all with --flat, move the whole index in C\n"
        "order, and OUT has the shape of IN. --axis: the words are of that axis alone.\n"
        "Arrays that do not fit half of the free memory, or --memory, go through it in\n"
        "passes over the file (docs/disk.md); a stopped run goes on with --resume.",
    .examples =
        "faro permute a.npy b.npy --map 'i -> rev(i)'\n"
        "faro permute a.npy b.npy --map 'r c -> c r' --verify\n"
        "faro permute a.npy --in-place --axis 1 --map gray\n"
        "faro permute a.npy b.npy --axis 0 --axis 2 --map bit-reversal\n"
        "faro permute a.npy b.npy --axis 1,2 --map 'r c -> c r'\n"
        "faro permute b.npy a.npy --map fftshift --inverse\n"
        "faro permute pixels.npy planes.npy --axes 2,0,1\n"
        "faro permute a.npy b.npy --map 'r b c -> c rev(b) ~r'\n"
        "faro permute a.npy b.npy --order F\n"
        "faro permute a.raw b.raw --element-bytes 16 --map bit-reversal\n"
        "faro permute big.npy out.npy --map 'i -> rev(i)' --memory 2GiB\n"
        "faro permute --resume out.npy\n"
        "faro permute a.zarr b.zarr --map 'r:14 c:14 -> c r' --chunks 1024x1024 --memory 2GiB",
    .declare = [](Arguments& arguments) -> Action {
      auto options = std::make_shared<PermuteArguments>();
      arguments.positional("IN", options->in, "the array").completes(Completes::file);
      arguments.positional("OUT", options->out, "the result; - is standard output")
          .completes(Completes::file);
      arguments.option("--map", "MAP", options->map, "what moves where (docs/notation.md)")
          .completes(Completes::map);
      arguments.option(
          "--axis", "A", options->axis,
          "the axis that the words are of, from 0; -1 is the last; 1,2 are these together; several "
          "--axis: the map on each");
      arguments.flag("--flat", options->flat,
                     "the words are of the whole index in C order, and the shape stays");
      arguments.flag("--inverse", options->inverse, "the way back: element map(i) of IN goes to i");
      arguments.option("--axes", "LIST", options->axes,
                       "instead of --map: which axis of IN each of OUT is, as in 2,0,1");
      arguments.option("--order", "ORDER", options->order,
                       "how OUT is stored: C, F, or as IN (A, K)");
      arguments.option("--threads", "T", options->threads, "threads; as many as there are cores");
      arguments.flag("--in-place", options->in_place, "replace IN; no OUT then");
      arguments.flag("--verify", options->verify,
                     "check every element by the obvious loop before OUT appears");
      arguments.option("--element-bytes", "B", options->element_bytes,
                       "IN and OUT are raw, B bytes an element");
      arguments.flag("--no-sync", options->no_sync,
                     "do not wait for the disk: complete after a crash of the program, not of the "
                     "machine");
      declare_disk_options(arguments, options->disk);
      return [options](Output& out) { return run(*options, out); };
    }};

}  // namespace faro::cli
