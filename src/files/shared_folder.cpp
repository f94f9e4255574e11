#include "files/shared_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>

#include "faro/base/error.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1::files {
namespace {

constexpr std::string_view note_prefix = "done-";

// "done-1-0-512", or nothing.
std::optional<SharedFolder::Done> note_from(std::string_view name) {
  if (!name.starts_with(note_prefix)) return {};
  name.remove_prefix(note_prefix.size());
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), numbers[i]);
    if (error != std::errc()) return {};
    name.remove_prefix(static_cast<std::size_t>(rest - name.data()));
    const bool last = i + 1 == numbers.size();
    if (last ? !name.empty() : !name.starts_with('-')) return {};
    if (!last) name.remove_prefix(1);
  }
  return SharedFolder::Done{.pass = numbers[0], .first = numbers[1], .end = numbers[2]};
}

const char* name_of(Storage::Part part) {
  return part == Storage::Part::data ? "data" : "temporary";
}

std::string folder_of(const FileTarget& target) {
  return fmt::format("{}/.{}.faro-shared", target.folder, target.last_name());
}

std::string text_of(RandomFile& file) {
  std::string text(file.size_bytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

SharedFolder::SharedFolder(FileTarget target)
    : target_(std::move(target)), folder_(folder_of(target_)) {
  // Whoever published was stopped before all was removed.
  if (!notes().empty() && !has_data()) discard();
  make();
}

bool SharedFolder::has_data() const {
  return ::access(path("data").c_str(), F_OK) == 0;
}

void SharedFolder::make() {
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    target_.fail(fmt::format("cannot make the folder '{}' for its unfinished state", folder_),
                 errno);
}

void SharedFolder::reset() {
  discard();
  make();
}

std::string SharedFolder::path(std::string_view name) const {
  return fmt::format("{}/{}", folder_, name);
}

std::string SharedFolder::request(std::string_view text) {
  const std::string name = path("request");
  // Written aside and linked, so that nobody reads half of it and the first one stays.
  static std::atomic<std::uint64_t> calls{0};
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string mine =
      path(fmt::format("request-{}-{}-{}", host.data(), ::getpid(), calls.fetch_add(1)));
  {
    PosixFile file(mine, {.access = FileAccess::create, .io = FileIo::buffered});
    file.write(0, std::as_bytes(std::span<const char>(text)));
    file.sync();
  }
  const int linked = ::link(mine.c_str(), name.c_str());
  const int reason = errno;
  ::unlink(mine.c_str());
  if (linked != 0 && reason != EEXIST) target_.fail(fmt::format("cannot make '{}'", name), reason);
  sync_folder();
  PosixFile file(name, {.access = FileAccess::read, .io = FileIo::buffered});
  return text_of(file);
}

std::unique_ptr<RandomFile> SharedFolder::open(Storage::Part part, std::uint64_t bytes, FileIo io) {
  auto file = std::make_unique<PosixFile>(
      path(name_of(part)), RandomFileOptions{.access = FileAccess::create, .io = io});
  if (file->size_bytes() != bytes) {
    file->reserve(bytes);
    sync_folder();
  }
  return file;
}

void SharedFolder::note(const Done& done) {
  const std::string name =
      path(fmt::format("{}{}-{}-{}", note_prefix, done.pass, done.first, done.end));
  const Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // Somebody did the same work and has published: there is nothing left to note.
  if (file.number() < 0 && errno == ENOENT) return;
  if (file.number() < 0 || ::fsync(file.number()) != 0)
    target_.fail(fmt::format("cannot make '{}'", name), errno);
  sync_folder();
}

std::vector<SharedFolder::Done> SharedFolder::notes() const {
  std::vector<Done> all;
  DIR* const folder = ::opendir(folder_.c_str());
  if (folder == nullptr) return all;
  while (const dirent* const entry = ::readdir(folder))
    if (const auto done = note_from(entry->d_name)) all.push_back(*done);
  ::closedir(folder);
  return all;
}

void SharedFolder::publish() {
  const std::string data = path("data");
  const Descriptor file(::open(data.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 && errno == ENOENT) return;
  if (file.number() < 0) target_.fail("cannot open the finished file", errno);
  target_.hand_over(file.number(), FileTarget::Made::hidden);
  if (::fsync(file.number()) != 0) target_.fail("cannot sync it to disk", errno);
  if (::rename(data.c_str(), target_.target.c_str()) != 0 && errno != ENOENT)
    target_.fail("cannot put it in place", errno);
  target_.sync_folder();
  discard();
}

void SharedFolder::discard() {
  const auto remove = [&](const std::string& name) {
    if (::unlink(name.c_str()) != 0 && errno != ENOENT)
      target_.fail(fmt::format("cannot remove '{}'", name), errno);
  };
  // The notes go last: without them what stands in the other files is worth nothing.
  for (const char* const name : {"data", "temporary"}) remove(path(name));
  for (const Done& done : notes())
    remove(path(fmt::format("{}{}-{}-{}", note_prefix, done.pass, done.first, done.end)));
  remove(path("request"));
  if (::rmdir(folder_.c_str()) != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
    target_.fail(fmt::format("cannot remove the folder '{}'", folder_), errno);
}

void SharedFolder::sync_folder() const {
  for (const std::string& folder : {folder_, target_.folder}) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() < 0 && (errno == EACCES || errno == ENOENT)) continue;
    if (opened.number() < 0 || (::fsync(opened.number()) != 0 && errno != EINVAL))
      target_.fail(fmt::format("cannot sync the folder '{}'", folder), errno);
  }
}

bool has_shared(const FileTarget& target) {
  return ::access((folder_of(target) + "/request").c_str(), F_OK) == 0;
}

}  // namespace faro::inline v1::files
