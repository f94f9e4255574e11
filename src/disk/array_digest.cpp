// Arrays read once: their digest, and what they say of themselves.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cores.hpp"
#include "base/parallel.hpp"
#include "disk/box_cells.hpp"
#include "disk/box_plan.hpp"
#include "disk/box_runs.hpp"
#include "disk/rechunk_request.hpp"
#include "disk/stored/array_form.hpp"
#include "faro/base/error.hpp"
#include "files/words.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::uint64_t digest_run_bytes = std::uint64_t{4} << 20U;
// Without a cap, units beyond it are read one at a time.
constexpr std::uint64_t unit_bytes_side_by_side = std::uint64_t{64} << 20U;

struct Reading {
  disk::StoredArray& array;
  const Progress& progress;
  std::uint64_t total = 0;
  std::atomic<std::uint64_t> done{0};

  // The caller's thread, worker 0, speaks for all.
  void tell(std::uint64_t bytes, int worker) {
    const std::uint64_t now = done += bytes;
    if (worker == 0) report(progress, now, total);
  }
};

// How many read at once: each holds a piece and what decoding it takes.
int readers_within(const std::string& path, const DigestOptions& options, Count held) {
  const int all = options.threads > 0 ? options.threads : default_threads();
  if (options.memory_bytes == 0) return held > Count{unit_bytes_side_by_side} ? 1 : all;
  const Count fixed{disk::BoxProblem{}.fixed_bytes};
  int readers = all;
  while (readers > 0 && fixed + held * static_cast<std::uint64_t>(readers) > options.memory_bytes)
    --readers;
  if (readers == 0)
    throw Error(ErrorCode::impossible,
                fmt::format("{}: a memory of {} does not hold one chunk; {} do", path,
                            files::size_text(options.memory_bytes),
                            files::size_text(static_cast<std::uint64_t>(fixed + held))));
  return readers;
}

Digest digest_of_runs(Reading& reading, const DigestOptions& options) {
  const int threads = readers_within(reading.array.name(), options,
                                     Count{std::min(digest_run_bytes, reading.total)});
  std::vector<Digest> shares(static_cast<std::size_t>(threads));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  const std::uint64_t runs = (reading.total - 1) / digest_run_bytes + 1;
  in_parallel(threads, runs, [&](std::uint64_t i, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    const std::uint64_t at = i * digest_run_bytes;
    buffer.resize(std::min(digest_run_bytes, reading.total - at));
    reading.array.read_run(at, buffer);
    shares[static_cast<std::size_t>(worker)].run(at, buffer);
    reading.tell(buffer.size(), worker);
  });
  Digest digest;
  for (const Digest& share : shares) digest.add(share);
  return digest;
}

Digest digest_of_units(Reading& reading, const DigestOptions& options) {
  const disk::StoredGrid& grid = reading.array.grid();
  std::vector<disk::AxisGrid> units;
  std::uint64_t count = 1;
  std::uint64_t unit_bytes = grid.element_bytes;
  for (std::size_t k = 0; k < grid.shape.size(); ++k) {
    units.push_back(disk::AxisGrid::regular(grid.shape[k], grid.chunks[k]));
    count *= units.back().count();
    unit_bytes *= grid.chunks[k];
  }
  const int threads =
      readers_within(reading.array.name(), options, Count{unit_bytes} + grid.reading_bytes);
  std::vector<Digest> shares(static_cast<std::size_t>(threads));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  in_parallel(threads, count, [&](std::uint64_t i, int worker) {
    auto& buffer = buffers[static_cast<std::size_t>(worker)];
    buffer.resize(unit_bytes);
    const auto index = disk::index_of(units, i);
    const disk::Box box = disk::box_of(units, index);
    std::vector<std::uint64_t> start;
    for (const disk::Interval& axis : box) start.push_back(axis.begin);
    const auto extent = disk::lengths_of(box);
    const ArrayBox place{
        .shape = grid.shape, .start = start, .extent = extent, .element_bytes = grid.element_bytes};
    Digest& share = shares[static_cast<std::size_t>(worker)];
    if (reading.array.read_unit(index, buffer) == disk::StoredArray::Found::present)
      share.box(place, buffer, grid.chunks);
    else
      share.constant_box(place, reading.array.fill());
    reading.tell(disk::elements_of(box) * grid.element_bytes, worker);
  });
  Digest digest;
  for (const Digest& share : shares) digest.add(share);
  return digest;
}

}  // namespace

ArrayDigest digest_array(const std::string& path, const DigestOptions& options) {
  const auto array = disk::open_stored(path, options.raw);
  const disk::StoredGrid& grid = array->grid();
  ArrayDigest found{.data_type = array->data_type(),
                    .shape = grid.shape,
                    .element_bytes = grid.element_bytes,
                    .digest = {}};
  Reading reading{*array, options.progress, grid.element_bytes};
  for (const std::uint64_t n : grid.shape) reading.total *= n;
  if (reading.total == 0) return found;
  array->cut_into_units();
  found.digest = grid.encoding == disk::StoredGrid::Encoding::run
                     ? digest_of_runs(reading, options)
                     : digest_of_units(reading, options);
  report(options.progress, reading.total, reading.total);
  return found;
}

std::vector<std::string> arrays_in(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {""};
  return disk::stored_arrays(path);
}

void copy_group_words(const std::string& from, const std::string& to) {
  disk::copy_groups(from, to);
}

ArrayWords array_words(const std::string& path, const std::optional<RawArray>& raw) {
  const auto array = disk::open_stored(path, raw);
  ArrayWords words{.names = {},
                   .shape = array->grid().shape,
                   .chunks = array->grid().chunks,
                   .element_bytes = array->grid().element_bytes};
  const disk::ArrayForm form = disk::form_of_description(array->description(), path);
  std::vector<std::string> names = form.names;
  if (names.empty() && !form.attributes.empty()) {
    const auto attributes = nlohmann::json::parse(form.attributes, nullptr, false);
    if (attributes.is_object() && attributes.contains("_ARRAY_DIMENSIONS") &&
        attributes["_ARRAY_DIMENSIONS"].is_array())
      for (const auto& name : attributes["_ARRAY_DIMENSIONS"]) names.push_back(name.dump());
  }
  for (const std::string& name : names) {
    const auto json = nlohmann::json::parse(name, nullptr, false);
    words.names.push_back(json.is_string() ? json.get<std::string>() : "");
  }
  if (words.names.size() != words.shape.size()) words.names.clear();
  return words;
}

}  // namespace faro::inline v1
