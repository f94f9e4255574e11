// Stored arrays: chunks, shards, order of axes within a cap of memory; digests; comparisons. What
// is said of axes comes as the words of the program, and what is found goes as plain values.
#include "stored.hpp"

#include <fmt/format.h>

#include "base/sizes.hpp"
#include "buffer.hpp"
#include "disk/axis_words.hpp"
#include "disk/rechunk_files.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

// Keywords of a call; None is as if left out.
class Words {
 public:
  explicit Words(const nb::dict& given) : given_(given) {}
  template <class T>
  std::optional<T> maybe(const char* name) const {
    if (!given_.contains(name) || nb::handle(given_[name]).is_none()) return std::nullopt;
    const nb::object value = given_[name];
    return nb::cast<T>(value);
  }
  std::string text(const char* name) const { return maybe<std::string>(name).value_or(""); }

 private:
  const nb::dict& given_;
};

std::optional<RawArray> raw_from(const Words& words) {
  const auto shape = words.maybe<std::vector<std::uint64_t>>("shape");
  const std::string type = words.text("dtype");
  if (!shape && type.empty()) return std::nullopt;
  if (!shape || type.empty())
    throw Error(ErrorCode::usage, "of a raw file dtype= and shape= are wanted, both");
  return RawArray{.shape = *shape, .data_type = type};
}

std::uint64_t memory_from(const Words& words) {
  return parse_bytes(words.text("memory"), "memory");
}

disk::AxisTexts texts_from(const Words& words) {
  return {.chunks = words.text("chunks"),
          .shards = words.text("shards"),
          .axes = words.text("axes"),
          .flip = words.text("flip"),
          .map = words.text("map")};
}

}  // namespace

RechunkOptions options_from(const std::string& from, const nb::dict& given) {
  const Words words(given);
  RechunkOptions options;
  options.raw = raw_from(words);
  options.memory_bytes = memory_from(words);
  options.codec = words.maybe<std::string>("codec");
  options.zarr_format = words.maybe<int>("zarr_format").value_or(3);
  const std::string order = words.text("order");
  if (!order.empty() && order != "C" && order != "F")
    throw Error(ErrorCode::usage, "order: wanted 'C' or 'F'");
  options.order = order == "F" ? ArrayOrder::fortran : ArrayOrder::c;
  options.threads = words.maybe<int>("threads").value_or(0);
  options.passes = words.maybe<int>("passes").value_or(0);
  options.profile = DiskProfile::named(words.text("device"));
  options.verify = words.maybe<bool>("verify").value_or(false);
  options.outside = words.text("outside");
  const std::string unfinished = words.text("unfinished");
  using Unfinished = RechunkOptions::Unfinished;
  if (unfinished == "fresh") options.unfinished = Unfinished::fresh;
  if (unfinished == "resume") {
    options.unfinished = Unfinished::resume;
    return options;  // its journal says the rest
  }
  disk::read_axes(texts_from(words), from, options);
  return options;
}

nb::object facts_of(const RechunkReport& report) {
  return nb::module_::import_("json").attr("loads")(report.json());
}

namespace {

nb::object rechunked(const nb::bytes& source, const nb::bytes& target, const nb::dict& given,
                     nb::handle progress) {
  const std::string from = path_from(source);
  const std::string to = path_from(target);
  RechunkOptions options = options_from(from, given);
  RechunkShare share;
  if (const auto asked = Words(given).maybe<std::pair<std::uint64_t, std::uint64_t>>("worker"))
    share = {.worker = asked->first, .workers = asked->second};
  std::optional<RechunkReport> report;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    report.emplace(share.workers > 1 ? rechunk_share(from, to, share, options)
                                     : rechunk(from, to, options));
  });
  return facts_of(*report);
}

nb::object digested(const nb::bytes& path, const nb::dict& given, nb::handle progress) {
  const std::string name = path_from(path);
  const Words words(given);
  DigestOptions options;
  options.raw = raw_from(words);
  options.threads = words.maybe<int>("threads").value_or(0);
  if (words.maybe<std::string>("memory")) options.memory_bytes = memory_from(words);
  std::string published;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    published = digest_array(name, options).published();
  });
  return nb::cast(published);
}

// Boxes of an array, each its first index, its lengths and its elements in C order.
std::string digest_of_boxes(const std::string& data_type, const std::vector<std::uint64_t>& shape,
                            std::uint64_t element_bytes, const nb::iterable& boxes) {
  Digest digest;
  for (const nb::handle item : boxes) {
    const auto start = nb::cast<std::vector<std::uint64_t>>(item[0]);
    const auto extent = nb::cast<std::vector<std::uint64_t>>(item[1]);
    const nb::object held = nb::borrow(item[2]);
    Buffer buffer;
    if (!buffer.take(held.ptr(), Buffer::Use::read)) throw nb::python_error();
    std::uint64_t bytes = element_bytes;
    for (const std::uint64_t n : extent) bytes *= n;
    if (start.size() != shape.size() || extent.size() != shape.size() || !buffer.in_c_order() ||
        static_cast<std::uint64_t>(buffer.view().len) != bytes)
      throw Error(ErrorCode::usage, "a box of an array is its elements in C order");
    const std::span<const std::byte> elements(static_cast<const std::byte*>(buffer.view().buf),
                                              bytes);
    const nb::gil_scoped_release unlocked;
    digest.box({.shape = shape, .start = start, .extent = extent, .element_bytes = element_bytes},
               elements);
  }
  return digest.published(data_type, shape, element_bytes);
}

// None where they are equal.
nb::object compared(const nb::bytes& first, const nb::bytes& second, const nb::dict& given,
                    nb::handle progress) {
  const std::string a = path_from(first);
  const std::string b = path_from(second);
  const Words words(given);
  RechunkOptions options;
  options.raw = raw_from(words);
  options.memory_bytes = memory_from(words);
  options.threads = words.maybe<int>("threads").value_or(0);
  disk::read_axes(texts_from(words), a, options);
  std::optional<CheckReport> report;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    report.emplace(check_arrays(a, b, options));
  });
  if (report->equal()) return nb::none();
  nb::dict found;
  found["different"] = integer(report->different);
  found["first"] = nb::tuple(nb::cast(report->first));
  found["first_in_a"] = nb::tuple(nb::cast(report->first_in_a));
  found["value_a"] = report->value_a;
  found["value_b"] = report->value_b;
  found["chunk_a"] = nb::tuple(nb::cast(report->chunk_a));
  found["chunk_b"] = nb::tuple(nb::cast(report->chunk_b));
  found["digest_a"] = report->digest_a;
  found["digest_b"] = report->digest_b;
  return found;
}

}  // namespace

void bind_stored(nb::module_& m) {
  m.def("rechunk", rechunked, nb::arg("source"), nb::arg("target"), nb::arg("words"),
        nb::arg("progress").none());
  // The plan as JSON and as the program prints it.
  m.def(
      "rechunk_plan", [](const nb::bytes& source, const nb::bytes& target, const nb::dict& given) {
        const std::string from = path_from(source);
        const RechunkFacts facts = plan_rechunk(from, path_from(target), options_from(from, given));
        return std::pair(facts.json, facts.describe);
      });
  m.def("digest_stored", digested, nb::arg("path"), nb::arg("words"), nb::arg("progress").none());
  m.def("digest_of_boxes", digest_of_boxes);
  m.def("check_stored", compared, nb::arg("a"), nb::arg("b"), nb::arg("words"),
        nb::arg("progress").none());
  m.def("arrays_in", [](const nb::bytes& path) { return arrays_in(path_from(path)); });
  // What the engine does not know of an array, in words; None where it knows all, or is no array.
  m.def("stored_fault", [](const nb::bytes& path) -> std::optional<std::string> {
    try {
      static_cast<void>(array_words(path_from(path)));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::impossible) return error.what();
      if (error.code() == ErrorCode::cancelled) throw;
    }
    return std::nullopt;
  });
  m.def("copy_group_words", [](const nb::bytes& from, const nb::bytes& to) {
    copy_group_words(path_from(from), path_from(to));
  });
  m.def("has_unfinished_rechunk",
        [](const nb::bytes& target) { return has_unfinished_rechunk(path_from(target)); });
  m.def("unfinished_outside",
        [](const nb::bytes& target) { return disk::unfinished_outside(path_from(target)); });
}

}  // namespace faro::python
