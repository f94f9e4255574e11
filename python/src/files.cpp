// Arrays in files, within a cap of memory: .npy and raw elements.
#include <fmt/format.h>

#include <filesystem>

#include "arrays/axis.hpp"
#include "arrays/move.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/files/array_file.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

struct FileAsked {
  std::string source;
  std::string target;  // the source: in place
  std::optional<std::int64_t> axis;
  std::optional<std::uint64_t> element_bytes;  // of a raw file
  PermuteFileOptions options;
};

// What stands before the data, and the array's shape; nothing of the data is read.
struct Preamble {
  NpyHeader header;
  std::uint64_t bytes = 0;
};

Preamble preamble_of(const FileAsked& asked) {
  InputFile file = InputFile::open(asked.source);
  if (!file.is_mappable())
    throw Error(ErrorCode::usage, fmt::format("{}: is no regular file", asked.source));
  Preamble result;
  if (asked.element_bytes) {
    const std::uint64_t bytes = *asked.element_bytes;
    if (bytes == 0 || file.size_bytes() % bytes != 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: {} bytes are no whole number of elements of {} bytes",
                              asked.source, file.size_bytes(), bytes));
    result.header.element_bytes = bytes;
    result.header.shape = {file.size_bytes() / bytes};
    return result;
  }
  std::vector<std::byte> start(npy_preamble_bytes);
  start.resize(file.read_full(start));
  result.bytes = npy_data_offset(start, asked.source);
  const std::size_t have = start.size();
  start.resize(std::max<std::size_t>(result.bytes, have));
  start.resize(have + file.read_full(std::span(start).subspan(have)));
  result.header = parse_npy_header(start, asked.source);
  if (file.size_bytes() - result.bytes != result.header.data_bytes())
    throw Error(ErrorCode::usage,
                fmt::format("{}: shape and type say {} bytes of data, there are {}", asked.source,
                            result.header.data_bytes(), file.size_bytes() - result.bytes));
  return result;
}

nb::dict facts_of(const PermuteFileReport& report) {
  nb::dict facts;
  facts["bytes"] = integer(report.plan.data_bytes);
  facts["passes"] = report.plan.passes.size();
  facts["passes_bound"] = report.plan.passes_bound;
  facts["memory"] = report.plan.memory_bytes;
  facts["reads"] = integer(report.counts.reads);
  facts["writes"] = integer(report.counts.writes);
  facts["resumed"] = report.resumed_bytes;
  facts["verified"] = report.verified;
  facts["seconds"] = report.seconds;
  return facts;
}

// Of stored elements, and the header of the result.
struct FileMove {
  Map map;
  PermuteShape shape;
  NpyHeader to;
};

FileMove move_of(const FileAsked& asked, const NpyHeader& header, nb::handle map) {
  if (!nb::isinstance<nb::str>(map)) {
    const ArrayAxis axis = array_axis(header, asked.axis, asked.source);
    return {stored_map(axis, map_from(map, axis.width).map), axis.shape, header};
  }
  AxisWords words{.order = header.order};
  if (asked.axis) words.axes = {{*asked.axis}};
  const ArrayMove move = array_move(header, nb::cast<std::string>(map), words, asked.source);
  if (move.bits) return {move.bits->map, move.bits->shape, move.to};
  return {stored_map(move, header), {.element_bytes = header.element_bytes}, move.to};
}

nb::dict permuted(FileAsked asked, nb::handle map, nb::handle progress) {
  const Preamble from = preamble_of(asked);
  const FileMove move = move_of(asked, from.header, map);
  asked.options.input_start_byte = from.bytes;
  // A block's multiple, so that the data can be written directly. NumPy reads and maps such files.
  if (!from.header.type.empty()) asked.options.output_start = npy_header_bytes(move.to, 4096);
  std::error_code unknown;
  const bool in_place = asked.source == asked.target ||
                        std::filesystem::equivalent(asked.source, asked.target, unknown);
  if (in_place && move.to.shape != from.header.shape)
    throw Error(ErrorCode::usage,
                fmt::format("{}: in place the shape stays {}, and these words give {}",
                            asked.source, shape_text(from.header), shape_text(move.to)));
  std::optional<PermuteFileReport> report;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    asked.options.progress = hears;
    report.emplace(
        in_place ? permute_in_place(asked.source, move.map, move.shape, asked.options)
                 : permute_file(asked.source, asked.target, move.map, move.shape, asked.options));
  });
  return facts_of(*report);
}

}  // namespace

std::string path_from(const nb::bytes& name) {
  std::string path(name.c_str(), name.size());
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorCode::usage, "a file's name with a byte 0 in it");
  return path;
}

void bind_files(nb::module_& m) {
  m.def(
      "permute_file",
      [](const nb::bytes& source, const nb::bytes& target, nb::handle map,
         std::optional<std::int64_t> axis, std::optional<std::uint64_t> itemsize,
         std::uint64_t memory, int threads, bool verify, bool fresh, const std::string& device,
         double checkpoint, nb::handle progress) {
        FileAsked asked{path_from(source), path_from(target), axis, itemsize, {}};
        asked.options.plan.memory_bytes = memory;
        asked.options.plan.profile = DiskProfile::named(device);
        asked.options.threads = threads;
        asked.options.verify = verify;
        asked.options.checkpoint_seconds = checkpoint;
        if (fresh) asked.options.unfinished = PermuteFileOptions::Unfinished::fresh;
        return permuted(std::move(asked), map, progress);
      },
      nb::arg("source"), nb::arg("target"), nb::arg("map"), nb::arg("axis").none(),
      nb::arg("itemsize").none(), nb::arg("memory"), nb::arg("threads"), nb::arg("verify"),
      nb::arg("fresh"), nb::arg("device"), nb::arg("checkpoint"), nb::arg("progress").none());
  m.def(
      "resume_file",
      [](const nb::bytes& name, bool unchanged, int threads, nb::handle progress) {
        const std::string target = path_from(name);
        ResumeFileOptions options;
        options.unchanged = unchanged;
        options.threads = threads;
        std::optional<PermuteFileReport> report;
        watched(progress.ptr(), Watch::Interrupt::stops, Lock::released,
                [&](const Progress& hears) {
                  options.progress = hears;
                  report.emplace(resume_file(target, options));
                });
        return facts_of(*report);
      },
      nb::arg("target"), nb::arg("unchanged"), nb::arg("threads"), nb::arg("progress").none());
  m.def("unfinished_file",
        [](const nb::bytes& target) { return describe_unfinished(path_from(target)); });
}

}  // namespace faro::python
