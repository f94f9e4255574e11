// Checkpoints in safetensors files: resharded, and what is in them.
#include "checkpoints.hpp"

#include <fmt/format.h>

#include "base/sizes.hpp"
#include "faro/base/error.hpp"
#include "watch.hpp"

namespace faro::python {
namespace {

template <class T>
T word(const nb::dict& given, const char* name) {
  const nb::object value = given[name];
  return nb::cast<T>(value);
}

}  // namespace

ReshardOptions reshard_options(const nb::dict& given) {
  ReshardOptions options;
  options.from = word<std::string>(given, "from");
  options.to = word<std::string>(given, "to");
  options.from_names = word<std::string>(given, "from_names");
  options.to_names = word<std::string>(given, "to_names");
  options.memory_bytes = parse_bytes(word<std::string>(given, "memory"), "memory");
  options.file_bytes = parse_bytes(word<std::string>(given, "file_size"), "file_size");
  options.threads = word<std::optional<int>>(given, "threads").value_or(0);
  options.verify = word<bool>(given, "verify");
  const std::string unfinished = word<std::string>(given, "unfinished");
  using Unfinished = ReshardOptions::Unfinished;
  if (unfinished == "fresh") options.unfinished = Unfinished::fresh;
  if (unfinished == "resume") options.unfinished = Unfinished::resume;
  return options;
}

nb::object facts_of(const ReshardReport& report) {
  nb::list tensors;
  for (const TensorReport& tensor : report.tensors) {
    nb::dict one;
    one["name"] = tensor.name;
    one["dtype"] = tensor.type;
    one["shape"] = nb::tuple(nb::cast(tensor.shape));
    one["digest"] = tensor.digest;
    tensors.append(one);
  }
  nb::dict facts;
  facts["bytes"] = report.plan.data_bytes;
  facts["files_read"] = report.plan.files_read;
  facts["files_made"] = report.plan.files_made;
  facts["memory_bytes"] = report.plan.memory_bytes;
  facts["peak_bytes"] = report.plan.peak_bytes;
  facts["reads"] = report.reads;
  facts["bytes_read"] = report.bytes_read;
  facts["writes"] = report.writes;
  facts["bytes_written"] = report.bytes_written;
  facts["resumed_jobs"] = report.resumed_jobs;
  facts["verified"] = report.verified;
  facts["known"] = report.known;
  facts["seconds"] = report.seconds;
  facts["tensors"] = tensors;
  return facts;
}

namespace {

nb::object resharded(const nb::bytes& source, const nb::bytes& target, const nb::dict& given,
                     nb::handle progress) {
  const std::string from = path_from(source);
  const std::string to = path_from(target);
  ReshardOptions options = reshard_options(given);
  ReshardReport report;
  watched(progress.ptr(), Watch::Interrupt::stops, Lock::released, [&](const Progress& hears) {
    options.progress = hears;
    report = reshard(from, to, options);
  });
  return facts_of(report);
}

nb::list tensors_in(const nb::bytes& path) {
  nb::list all;
  for (const CheckpointTensor& tensor : checkpoint_tensors(path_from(path)))
    all.append(nb::make_tuple(tensor.name, tensor.type, tensor.data_type, tensor.element_bytes,
                              tensor.shape, nb::bytes(tensor.file.data(), tensor.file.size()),
                              tensor.start_byte));
  return all;
}

// Shape and parts; None where the rank has nothing of it.
nb::object share_of(const nb::bytes& path, const std::string& layout, std::uint64_t rank,
                    const std::string& name) {
  const auto share = checkpoint_share(path_from(path), layout, rank, name);
  if (!share) return nb::none();
  nb::list parts;
  for (const CheckpointPart& part : share->parts)
    parts.append(nb::make_tuple(part.whole_start, part.local_start, part.extent));
  return nb::make_tuple(share->shape, parts);
}

}  // namespace

void bind_checkpoints(nb::module_& m) {
  m.def("reshard", resharded, nb::arg("source"), nb::arg("target"), nb::arg("words"),
        nb::arg("progress").none());
  m.def("reshard_plan", [](const nb::bytes& source, const nb::dict& given) {
    const ReshardFacts facts = plan_reshard(path_from(source), reshard_options(given));
    return std::pair(facts.json, facts.describe);
  });
  m.def("reshard_explained", [](const nb::bytes& source, const nb::dict& given) {
    return explain_reshard(path_from(source), reshard_options(given));
  });
  m.def("checkpoint_tensors", tensors_in);
  m.def("checkpoint_share", share_of);
}

}  // namespace faro::python
