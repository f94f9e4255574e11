#include "disk/rechunk_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"
#include "faro/files/input.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::disk {
namespace {

[[noreturn]] void fail_file(const std::string& path, const char* what, int reason) {
  throw Error(ErrorCode::environment, fmt::format("{}: {}: {}", path, what, std::strerror(reason)));
}

void sync_folder_at(const std::string& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0 || (::fsync(opened.number()) != 0 && errno != EINVAL))
    fail_file(folder, "cannot sync the folder", errno);
}

}  // namespace

std::unique_ptr<RandomFile> FolderBoxStorage::make(const std::string& name) {
  static std::atomic<std::uint64_t> made{0};
  std::string host(256, '\0');
  if (::gethostname(host.data(), host.size() - 1) != 0) host = "host";
  const std::string own =
      fmt::format("{}.{}-{}-{}.part", path(name), host.c_str(), ::getpid(), ++made);
  return open_random_file(own, {.access = FileAccess::create, .io = FileIo::buffered});
}

void FolderBoxStorage::give_name(RandomFile& file, const std::string& name) {
  file.sync();
  if (::rename(file.name().c_str(), path(name).c_str()) != 0)
    fail_file(file.name(), "cannot be given its name", errno);
  sync_folder_at(folder_);
}

std::unique_ptr<RandomFile> FolderBoxStorage::open(const std::string& name) {
  return open_random_file(path(name), {.access = FileAccess::read, .io = FileIo::buffered});
}

bool FolderBoxStorage::exists(const std::string& name) {
  return ::access(path(name).c_str(), F_OK) == 0;
}

void FolderBoxStorage::remove(const std::string& name) {
  if (::unlink(path(name).c_str()) != 0 && errno != ENOENT)
    fail_file(path(name), "cannot be removed", errno);
}

void refuse_existing(const FileTarget& target) {
  std::error_code none;
  if (std::filesystem::is_directory(target.target, none) &&
      !std::filesystem::is_empty(target.target, none))
    throw Error(ErrorCode::usage,
                fmt::format("{}: is there already; remove it, or give another name", target.path));
}

RechunkFolder::RechunkFolder(const std::string& out) : target_(target_of(out)) {
  refuse_existing(target_);
  folder_ = files::unfinished_folder(target_);
  storage_ = files::open_storage(target_, "", FileIo::buffered);
}

RechunkFolder::~RechunkFolder() = default;

// All but the journal, which is locked.
void RechunkFolder::remove_rest() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error))
    if (entry.path().filename() != "journal") std::filesystem::remove_all(entry.path(), error);
  if (error)
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot be emptied: {}", folder_, error.message()));
}

void RechunkFolder::reset() {
  remove_rest();
  storage_->reset();
}

void RechunkFolder::discard() {
  remove_rest();
  storage_->discard();
}

void publish_folder(const std::string& data, const FileTarget& target) {
  files::PosixFolder(data).move(target.target);
  target.sync_folder();
}

void RechunkFolder::publish() {
  std::error_code none;
  if (std::filesystem::is_directory(data(), none))
    publish_folder(data(), target_);
  else if (std::filesystem::exists(data(), none))
    storage_->publish();
  // Else an earlier run gave it its name, and was stopped before it removed the rest.
  discard();
}

}  // namespace faro::inline v1::disk
