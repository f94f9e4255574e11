#include "checkpoints/reshard_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/cores.hpp"
#include "base/require.hpp"
#include "checkpoints/index_file.hpp"
#include "disk/crc32c.hpp"

namespace faro::inline v1::checkpoints {
namespace {

namespace fs = std::filesystem;

// A piece of what is copied.
constexpr std::uint64_t copied_bytes = 1ULL << 20U;

// What lies beside the tensors and goes with them: configuration, tokenizers.
bool goes_beside(const fs::path& name) {
  const std::string text = name.string();
  if (text.ends_with(".index.json") || text == checkpoints::digests_name) return false;
  for (const char* end : {".json", ".txt", ".model", ".jinja", ".tiktoken"})
    if (text.ends_with(end)) return true;
  return false;
}

// Over what a kill has left there.
void copy_bytes(const std::string& from, const std::string& to) {
  std::error_code none;
  fs::remove(to, none);
  const auto source = open_random_file(from, {.access = FileAccess::read, .io = FileIo::buffered});
  const auto target = open_random_file(to, {.access = FileAccess::create, .io = FileIo::buffered});
  std::vector<std::byte> piece(std::min(copied_bytes, source->size_bytes()));
  for (std::uint64_t at = 0; at < source->size_bytes(); at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), source->size_bytes() - at));
    source->read(at, piece);
    target->write(at, piece);
  }
}

}  // namespace

std::unique_ptr<RandomFile> FolderFiles::open_held(const std::string& name) {
  return open_random_file(held_ + "/" + name, {.access = FileAccess::read, .io = FileIo::buffered});
}

std::unique_ptr<RandomFile> FolderFiles::open_made(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  return open_random_file(made_.folder() + "/" + name,
                          {.access = FileAccess::create, .io = FileIo::buffered});
}

void FolderFiles::sync_names() {
  const std::lock_guard lock(mutex_);
  made_.sync_names(names_);
}

ReshardRequest request_of(const std::string& in, const ReshardOptions& options) {
  require(options.memory_bytes > 0 && options.file_bytes > 0, "wanted sizes above 0");
  require(options.threads >= 0 && options.threads <= 1024, "wanted 1 to 1024 jobs at a time");
  return {.in = in,
          .from = options.from,
          .to = options.to,
          .from_names = options.from_names,
          .to_names = options.to_names,
          .memory_bytes = options.memory_bytes,
          .file_bytes = options.file_bytes,
          .threads = options.threads != 0 ? options.threads : std::min(default_threads(), 8),
          .slab_bytes = 0};
}

ReshardFacts facts_of(const ReshardPlan& plan) {
  return {.tensors = plan.tensors.size(),
          .data_bytes = plan.bytes,
          .written_bytes = plan.written_bytes,
          .files_read = plan.held.size(),
          .files_made = plan.made.size(),
          .memory_bytes = plan.memory_bytes,
          .peak_bytes = plan.peak_bytes,
          .jobs = plan.jobs.size(),
          .describe = plan_text(plan),
          .json = plan_json(plan)};
}

std::uint32_t held_identity(const ReshardPlan& plan) {
  const files::PosixFolder folder(plan.from_folder);
  std::string held;
  for (const auto& file : plan.held)
    held += fmt::format("{} {} {}\n", file.name, file.bytes, folder.stamp(file.name));
  return disk::crc32c(held);
}

std::uint32_t made_identity(const ReshardPlan& plan) {
  std::string made;
  for (const auto& file : plan.made) made += file.name + "\n" + safetensors_bytes(file.header);
  return disk::crc32c(made);
}

void check_output(const std::string& out) {
  std::error_code none;
  require(!fs::exists(out, none) || fs::is_directory(out, none),
          "{}: is there already and no folder; remove it, or give another name", out);
}

void check_space(const ReshardPlan& plan, const std::string& folder) {
  std::uint64_t wanted = 0;
  for (const auto& file : plan.made) wanted += file.bytes;
  const std::uint64_t free = files::PosixFolder(folder).free_bytes();
  if (wanted > free)
    throw Error(
        ErrorCode::environment,
        fmt::format("{}: the output takes {} bytes, the disk has {} free", folder, wanted, free));
}

void write_beside(const ReshardPlan& plan, const std::vector<Digest>& digests,
                  const std::string& made) {
  files::PosixFolder folder(made, files::PosixFolder::Root::must_be);
  const auto put = [&](const std::string& name, std::string_view text) {
    folder.put(name, text, "." + name + ".part");
  };
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(plan.from_folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(none) || !goes_beside(name)) continue;
    const std::string part = "." + name + ".part";
    copy_bytes(entry.path().string(), made + "/" + part);
    folder.sync_files(std::array{part});
    folder.rename(part, name);
    folder.sync_names(std::array{name});
  }
  if (!plan.index.empty()) put("model.safetensors.index.json", index_text(plan.bytes, plan.index));
  std::vector<TensorDigest> all;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const SafeTensor& whole = plan.tensors[i].whole;
    all.push_back({whole, digests[i].published(whole.type->numpy, whole.shape, whole.type->bytes)});
  }
  put(digests_name, digests_text(all));
}

std::set<std::size_t> lost_files(const ReshardPlan& plan, const std::string& folder) {
  const files::PosixFolder made(folder);
  std::set<std::size_t> lost;
  for (std::size_t i = 0; i < plan.made.size(); ++i)
    if (made.size_bytes(plan.made[i].name) != plan.made[i].bytes) lost.insert(i);
  return lost;
}

bool has_headers(const ReshardPlan& plan, const std::string& folder) {
  for (const auto& file : plan.made) {
    const std::string wanted = safetensors_bytes(file.header);
    std::string found(wanted.size(), '\0');
    const auto bytes = std::as_writable_bytes(std::span(found));
    if (!files::PosixFolder(folder).read(file.name, 0, bytes) || found != wanted) return false;
  }
  return true;
}

ReshardReport report_of(const ReshardPlan& plan, const std::vector<Digest>& digests) {
  const auto known = read_digests(plan.from_folder);
  ReshardReport report;
  report.plan = facts_of(plan);
  report.known = !known.empty();
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const SafeTensor& whole = plan.tensors[i].whole;
    const std::string digest =
        digests[i].published(whole.type->numpy, whole.shape, whole.type->bytes);
    report.tensors.push_back({whole.name, std::string(whole.type->name), whole.shape, digest});
    const auto found = known.find(whole.name);
    if (found != known.end() && found->second != digest)
      throw Error(ErrorCode::refused,
                  fmt::format("{}: tensor '{}' has digest {}, its {} says {}: it was changed since",
                              plan.from_folder, whole.name, digest, digests_name, found->second));
  }
  return report;
}

}  // namespace faro::inline v1::checkpoints
