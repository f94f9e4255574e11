#include "faro/exports/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/buffered_sink.hpp"
#include "exports/formats.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

struct Row {
  ExportFormat format;
  void (*write)(const exports::Push& push, ByteSink& to);
};

constexpr Row rows[] = {
    {{"csv", ".csv", "a line a move: step, from, to, channel, and where the element started"},
     exports::csv},
    {{"perfetto", ".json", "a trace for Perfetto and chrome://tracing: a process a processor"},
     exports::perfetto},
    {{"goal", ".goal", "messages with their dependences, for LogGOPSim and ATLAHS"}, exports::goal},
    {{"graphml", ".graphml", "the links that are used, with their moves, for networkx and Gephi"},
     exports::graphml},
    {{"dot", ".dot", "the same for Graphviz"}, exports::dot},
    {{"chakra", ".tar", "Chakra execution traces for ASTRA-sim: a file a processor, in one archive",
      false},
     exports::chakra},
    {{"msccl", ".xml", "an algorithm for the executors of MSCCL: a GPU a processor"},
     exports::msccl},
    {{"booksim", ".cfg", "a configuration of BookSim 2, of the few maps that are its patterns"},
     exports::booksim},
    {{"c", ".c", "a C function: what a processor of a cube sends, by its address, slot and step"},
     exports::c_program},
};

}  // namespace

std::span<const ExportFormat> export_formats() {
  static const auto formats = [] {
    std::array<ExportFormat, std::size(rows)> list{};
    std::transform(std::begin(rows), std::end(rows), list.begin(),
                   [](const Row& row) { return row.format; });
    return list;
  }();
  return formats;
}

void export_schedule(const std::function<void(ScheduleSink&)>& push, std::string_view format,
                     ByteSink& to) {
  const auto* const row = std::find_if(std::begin(rows), std::end(rows),
                                       [&](const Row& r) { return r.format.name == format; });
  if (row == std::end(rows)) {
    std::string names;
    for (const Row& r : rows) names += (names.empty() ? "" : ", ") + std::string(r.format.name);
    throw Error(ErrorCode::usage,
                fmt::format("no export format is called '{}'; there are {}", format, names));
  }
  BufferedSink bytes([&to](std::string_view text) { to.write(text); });
  row->write(push, bytes);
  bytes.flush();
}

}  // namespace faro::inline v1
