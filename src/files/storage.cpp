#include "files/storage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "faro/base/error.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1::files {
namespace {

class PosixStorage : public Storage {
 public:
  PosixStorage(const FileTarget& target, std::string temporary_folder, FileIo io)
      : target_(target),
        folder_(unfinished_folder(target)),
        temporary_folder_(std::move(temporary_folder)),
        io_(io) {
    // Whoever held the lock may remove the folder before we have it; then it is made again.
    while (!try_open()) continue;
  }

  RandomFile& journal() override { return *journal_; }
  bool exists(Part part) override { return ::access(path(part).c_str(), F_OK) == 0; }

  std::unique_ptr<RandomFile> open(Part part) override {
    return std::make_unique<PosixFile>(
        path(part), RandomFileOptions{.access = FileAccess::create, .io = io_, .start_byte = 0});
  }

  void sync_folder() override {
    const auto sync = [&](const std::string& folder) {
      const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (opened.number() < 0 && errno == EACCES) return;
      if (opened.number() < 0 || (::fsync(opened.number()) != 0 && errno != EINVAL))
        target_.fail(fmt::format("cannot sync the folder '{}'", folder), errno);
    };
    sync(folder_);
    sync(target_.folder);
    if (!temporary_folder_.empty()) sync(temporary_folder_);
  }

  void adopt() override {
    explain();
    if (::rename(target_.target.c_str(), path(Part::array).c_str()) != 0)
      target_.fail("cannot be given another name while it is rearranged", errno);
    sync_folder();
  }

  void reset() override {
    if (exists(Part::array))
      throw Error(ErrorCode::usage,
                  fmt::format("{}: is being rearranged in place, and '{}' is the only copy; it can "
                              "only be gone on with: --resume",
                              target_.path, path(Part::array)));
    for (const Part part : {Part::data, Part::temporary, Part::redo}) remove(path(part));
    if (::ftruncate(journal_->number(), 0) != 0) target_.fail("cannot empty its journal", errno);
    sync_folder();
  }

  void publish() override {
    if (exists(Part::array)) {
      // Never over what somebody put there meanwhile.
      if (::renameat2(AT_FDCWD, path(Part::array).c_str(), AT_FDCWD, target_.target.c_str(),
                      RENAME_NOREPLACE) != 0 &&
          !((errno == EINVAL || errno == ENOSYS) && ::access(target_.target.c_str(), F_OK) != 0 &&
            ::rename(path(Part::array).c_str(), target_.target.c_str()) == 0))
        target_.fail(fmt::format("a new file has the name of the array, whose rearranged self is "
                                 "whole in '{}'; move one of them away and --resume",
                                 path(Part::array)),
                     EEXIST);
      target_.sync_folder();
      return;
    }
    const Descriptor data(::open(path(Part::data).c_str(), O_RDONLY | O_CLOEXEC));
    if (data.number() < 0) target_.fail("cannot open the finished file", errno);
    target_.hand_over(data.number(), FileTarget::Made::hidden);
    if (::fsync(data.number()) != 0) target_.fail("cannot sync it to disk", errno);
    if (::rename(path(Part::data).c_str(), target_.target.c_str()) != 0)
      target_.fail("cannot put it in place", errno);
    target_.sync_folder();
  }

  void discard() override {
    for (const Part part : {Part::data, Part::temporary, Part::redo}) remove(path(part));
    remove(folder_ + "/README.txt");
    remove(folder_ + "/journal");
    if (::rmdir(folder_.c_str()) != 0 && errno != ENOENT)
      target_.fail(fmt::format("cannot remove the folder '{}'", folder_), errno);
  }

 private:
  std::string path(Part part) const {
    switch (part) {
      case Part::data:
        return folder_ + "/data";
      case Part::redo:
        return folder_ + "/redo";
      case Part::array:
        return folder_ + "/array";
      case Part::temporary:
        break;
    }
    if (temporary_folder_.empty()) return folder_ + "/temporary";
    return fmt::format("{}/.{}.faro-temporary", temporary_folder_, target_.last_name());
  }

  // For who finds the folder and not the array. Nothing depends on it, so no failure counts.
  void explain() const {
    const std::string text = fmt::format(
        "The file 'array' is '{}', which is being rearranged in place. It is the only copy.\n"
        "Do not remove this folder. 'faro permute --resume {}' finishes the work and gives\n"
        "the array its name again.\n",
        target_.target, target_.path);
    const Descriptor file(
        ::open((folder_ + "/README.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.number() >= 0 && ::write(file.number(), text.data(), text.size()) < 0) return;
  }

  void remove(const std::string& file) const {
    if (::unlink(file.c_str()) != 0 && errno != ENOENT)
      target_.fail(fmt::format("cannot remove '{}'", file), errno);
  }

  bool try_open() {
    if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
      target_.fail(fmt::format("cannot make the folder '{}' for its unfinished state", folder_),
                   errno);
    const std::string name = folder_ + "/journal";
    try {
      journal_ = std::make_unique<PosixFile>(
          name,
          RandomFileOptions{.access = FileAccess::create, .io = FileIo::buffered, .start_byte = 0});
    } catch (const Error&) {
      if (::access(folder_.c_str(), F_OK) != 0) return false;
      throw;
    }
    if (::flock(journal_->number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        throw Error(ErrorCode::environment,
                    fmt::format("{}: another process is working on it (it holds '{}'); wait for it",
                                target_.path, name));
      target_.fail(fmt::format("cannot lock '{}'", name), errno);
    }
    struct stat status = {};
    return ::fstat(journal_->number(), &status) == 0 && status.st_nlink != 0;
  }

  FileTarget target_;
  std::string folder_;
  std::string temporary_folder_;
  FileIo io_;
  std::unique_ptr<PosixFile> journal_;
};

}  // namespace

std::string unfinished_folder(const FileTarget& target) {
  return fmt::format("{}/.{}.faro", target.folder, target.last_name());
}

std::string taken_by_work_in_place(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  const FileTarget target{
      .path = path, .target = path, .folder = name == 0 ? "." : path.substr(0, name - 1)};
  const std::string array = unfinished_folder(target) + "/array";
  if (::access(array.c_str(), F_OK) != 0) return "";
  return fmt::format(
      "it is being rearranged in place, and until that is done its data is '{}', the only copy; "
      "'faro permute --resume {}' goes on",
      array, path);
}

std::uint64_t free_bytes_beside(const std::string& path) {
  struct statvfs disk = {};
  if (::statvfs(path.c_str(), &disk) != 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

bool has_unfinished(const FileTarget& target) {
  return ::access((unfinished_folder(target) + "/journal").c_str(), F_OK) == 0;
}

std::unique_ptr<Storage> open_storage(const FileTarget& target, const std::string& temporary_folder,
                                      FileIo io) {
  return std::make_unique<PosixStorage>(target, temporary_folder, io);
}

}  // namespace faro::inline v1::files
