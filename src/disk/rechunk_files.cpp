#include "disk/rechunk_files.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "disk/rechunk_request.hpp"
#include "disk/shared_aside.hpp"
#include "disk/zarr_job.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {

FolderBoxStorage::~FolderBoxStorage() {
  std::error_code none;
  for (const std::string& part : parts_) std::filesystem::remove(part, none);
}

std::unique_ptr<RandomFile> FolderBoxStorage::make(const std::string& name) {
  const std::string part = folder_.folder() + "/" + name + "." + files::own_name() + ".part";
  parts_.insert(part);
  return open_random_file(part, {.access = FileAccess::create, .io = FileIo::buffered});
}

void FolderBoxStorage::give_name(RandomFile& file, const std::string& name) {
  file.sync();
  folder_.rename(file.name().substr(folder_.folder().size() + 1), name);
  parts_.erase(file.name());
  folder_.sync_names(std::array{name});
}

std::unique_ptr<RandomFile> FolderBoxStorage::open(const std::string& name) {
  return open_random_file(folder_.folder() + "/" + name,
                          {.access = FileAccess::read, .io = FileIo::buffered});
}

bool FolderBoxStorage::exists(const std::string& name) {
  return folder_.size_bytes(name).has_value();
}

void FolderBoxStorage::remove(const std::string& name) {
  folder_.remove(name);
}

void refuse_existing(const FileTarget& target, Worker worker) {
  std::error_code none;
  if (std::filesystem::is_directory(target.target, none) &&
      !std::filesystem::is_empty(target.target, none))
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "{}: is there already; {}remove it, or give another name", target.path,
            worker == Worker::alone ? "" : "where other workers made it, it is finished, else "));
}

std::optional<std::string> unfinished_outside(const std::string& out) {
  const FileTarget target = target_of(out);
  if (!files::has_unfinished(target)) return std::nullopt;
  const std::string name = files::unfinished_folder(target) + "/journal";
  const auto file = open_random_file(name, {.access = FileAccess::read, .io = FileIo::buffered});
  const BoxJournal journal(*file);
  if (journal.is_blank()) return std::nullopt;
  return RechunkRequest::parse(journal.header(), name).outside;
}

RechunkFolder::RechunkFolder(const std::string& out, Existing existing) : target_(target_of(out)) {
  if (existing == Existing::refused) refuse_existing(target_);
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

std::string shared_path(const FileTarget& target) {
  return fmt::format("{}/.{}.faro-shared", target.folder, target.last_name());
}

void publish_shared(files::SharedFolder& shared, const FileTarget& target) {
  const std::string folder = shared_path(target);
  std::error_code none;
  if (std::filesystem::is_directory(folder + "/data", none))
    publish_folder(folder + "/data", target);
  else
    shared.publish();
  forget_shared(target);
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
